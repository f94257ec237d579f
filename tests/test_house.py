"""The house stands: libraries agree, the lock is whole, the wrapper keeps its promises; all without a network."""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
WRAPPER = ROOT / "highway"
posix = pytest.mark.skipif(os.name == "nt", reason="uses shell scripts and signals")


def run_python(code: str) -> str:
    """Standard output of a fresh interpreter, so that what other tests imported does not count."""
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- libraries ---


def test_mediapipe_numpy_2_opencv_and_qt_work_in_one_process() -> None:
    code = """
import json, pathlib
import cv2, mediapipe, numpy
from PyQt6.QtWidgets import QApplication
app = QApplication([])
with mediapipe.solutions.hands.Hands(static_image_mode=True) as hands:
    found = hands.process(numpy.zeros((120, 160, 3), numpy.uint8)).multi_hand_landmarks
package = pathlib.Path(mediapipe.__file__).parent
print(json.dumps({
    "numpy": numpy.__version__, "cv2": cv2.__version__, "found": found, "platform": app.platformName(),
    "models": sorted(p.name for p in package.glob("modules/*/*") if p.suffix in (".tflite", ".binarypb")),
}))
"""
    told = json.loads(run_python(code).splitlines()[-1])
    assert int(told["numpy"].split(".")[0]) >= 2
    assert tuple(int(n) for n in told["cv2"].split(".")[:2]) >= (4, 14), "older ones shift ChArUco corners"
    assert told["found"] is None, "a black picture has no hands"
    assert told["platform"] == "offscreen"
    assert {"palm_detection_full.tflite", "hand_landmark_full.tflite", "hand_landmark_tracking_cpu.binarypb"} <= set(
        told["models"]
    )


def test_only_one_distribution_brings_cv2() -> None:
    assert metadata.packages_distributions()["cv2"] == ["opencv-python-headless"]


def test_importing_the_command_line_loads_no_windows_and_no_pictures() -> None:
    loaded = run_python("import sys, gui.cli; print(*{name.partition('.')[0] for name in sys.modules})").split()
    assert "gui" in loaded
    assert not {"PyQt6", "pyqtgraph", "cv2", "mediapipe"} & set(loaded)


# --- the lock ---


def locked() -> dict[str, tuple[Requirement, list[str]]]:
    """Name -> requirement and hashes, of every line in requirements.lock."""
    lines = (ROOT / "requirements.lock").read_text().replace("\\\n", " ").splitlines()
    entries: dict[str, tuple[Requirement, list[str]]] = {}
    for line in lines:
        if not line.startswith("#"):
            requirement, *hashes = line.split(" --hash=")
            parsed = Requirement(requirement)
            entries[canonicalize_name(parsed.name)] = (parsed, [hash.strip() for hash in hashes])
    return entries


def test_every_locked_requirement_is_pinned_and_hashed() -> None:
    assert len(locked()) > 40
    for name, (requirement, hashes) in locked().items():
        assert [s.operator for s in requirement.specifier] == ["=="], name
        assert requirement.url is None
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", hash) for hash in hashes), name


def test_the_lock_names_no_address_and_no_path() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert not re.search(r"://|^-|--(?!hash=)|\s/|[A-Z]:\\", text.partition("\n")[2], re.MULTILINE)


def test_the_lock_is_up_to_date_with_pyproject_and_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for wanted in map(Requirement, project["project"]["dependencies"] + project["dependency-groups"]["dev"]):
        pin = next(iter(locked()[canonicalize_name(wanted.name)][0].specifier)).version
        assert wanted.specifier.contains(pin), f"{wanted} is locked as {pin}: run ./highway lock"
    for name, (requirement, _) in locked().items():
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier.contains(metadata.version(name)), (
                f"{name} is not as locked: run ./highway setup"
            )


# --- the wrapper ---


def test_the_wrapper_parses_on_python_3_6_and_needs_the_standard_library_alone() -> None:
    tree = ast.parse(WRAPPER.read_text(), feature_version=(3, 6))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert all(isinstance(node, ast.Import) for node in imports)
    names = {alias.name for node in imports for alias in node.names}
    assert names
    assert names <= sys.stdlib_module_names


def load(path: Path) -> Any:
    module = ModuleType("wrapper")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    return module


def script(path: Path, body: str) -> None:
    path.write_text("#!/bin/sh\n" + body)
    path.chmod(0o755)


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the wrapper with a .venv that counts as ready; its Python is a script that tells its arguments."""
    root = tmp_path / "house"
    (root / ".venv/bin").mkdir(parents=True)
    for name in ("highway", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, root)
    script(root / ".venv/bin/python", 'echo "$PWD: $*"; case "$*" in *mypy*|*fail*) exit 7;; esac\n')
    script(root / ".venv/bin/lint-imports", 'echo "lint-imports"\n')
    load(root / "highway").write_stamp({"qt", "x11", "wayland"})
    return root


def start(house: Path, *args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(house / "highway"), *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=cwd)


@posix
def test_the_wrapper_hands_over_arguments_folder_output_and_exit_code(house: Path, tmp_path: Path) -> None:
    done = start(house, "judge", "a b.json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path}: -P -m gui.cli judge a b.json\n"
    assert start(house, "fail").returncode == 7


@posix
def test_all_checks_run_whatever_fails_and_pytest_ends_the_output(house: Path) -> None:
    done = start(house, "test", "-k", "law")
    assert done.returncode == 1
    ran = [line.split(": ")[-1] for line in done.stdout.splitlines() if line and line[0] != "="]
    assert ran == ["-m ruff check", "-m ruff format --check", "-m mypy", "lint-imports", "-m pytest -k law"]
    assert done.stdout.endswith("-m pytest -k law\n")
    assert done.stderr == "Failed: mypy\n"


@posix
@pytest.mark.parametrize(
    ("changed", "ready"),
    [
        ("requirements.lock", (False, True)),
        ("pyproject.toml", (True, False)),
        ("highway", (True, False)),
        (".venv/bin/python", (False, True)),
        (".venv/highway-stamp", (False, False)),
    ],
)
def test_a_venv_counts_as_ready_only_while_nothing_it_depends_on_changed(
    house: Path, changed: str, ready: tuple[bool, bool]
) -> None:
    wrapper = load(house / "highway")
    assert wrapper.stamped() == (True, True, {"qt", "x11", "wayland"})
    path = house / changed
    if path.parent.name == "bin":
        path.unlink()
        path.symlink_to(sys.executable)
    else:
        path.write_text(path.read_text() + "\n# changed" if ".venv" not in changed else "")
    packages, project, _ = wrapper.stamped()
    assert (packages, project) == ready


@posix
def test_a_moved_house_is_set_up_again(house: Path) -> None:
    moved = house.rename(house.parent / "moved")
    assert load(moved / "highway").stamped()[0] is False


@posix
def test_one_set_up_at_a_time_and_a_killed_one_leaves_no_lock(house: Path) -> None:
    holder_code = "import time\nwith wrapper.alone():\n    print('held', flush=True)\n    time.sleep(60)\n"
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom pathlib import Path\n"
    code += f"from tests.test_house import load\nwrapper = load(Path({str(house / 'highway')!r}))\n" + holder_code
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with open(house / "highway", "rb") as file:
            assert not load(house / "highway").try_lock(file)
            holder.send_signal(signal.SIGKILL)
            holder.wait()
            assert load(house / "highway").try_lock(file)


def test_uv_is_taken_from_the_lock_with_all_its_hashes(house: Path) -> None:
    version, requirement = load(house / "highway").locked_uv()
    parsed, hashes = locked()["uv"]
    assert str(parsed) == f"uv=={version}"
    assert re.findall(r"--hash=(\S+)", requirement) == hashes


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("error: failed to write to file: No space left on device (os error 28)", "disk is full"),
        ("error: Hash mismatch for `numpy==2.4.6`", "not the one that requirements.lock names"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "not the one"),
        ("Caused by: dns error\nCaused by: failed to lookup address information", "network could not be reached"),
        ("NewConnectionError: [Errno 101] Network is unreachable", "network could not be reached"),
        ("hint: Packages were unavailable because the network was disabled.", "network could not be reached"),
        ("Error: [Errno 30] Read-only file system: '/opt/highway/.venv'", "no permission"),
    ],
)
def test_a_failing_tool_is_put_in_plain_words(house: Path, words: str, told: str) -> None:
    assert told in load(house / "highway").meaning(words)


def test_words_of_a_healthy_tool_mean_no_trouble(house: Path) -> None:
    healthy = "Resolved 58 packages in 365ms\nDownloading numpy (16.1MiB)\nInstalled 57 packages in 338ms"
    assert load(house / "highway").meaning(healthy) is None


def test_only_a_start_that_can_open_a_window_asks_for_the_window_libraries(
    house: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    kinds = load(house / "highway").libraries_for
    screen = {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}
    assert kinds([], screen) == kinds(["demo"], screen) == {"qt", "x11"}
    assert kinds(["demo"], {"WAYLAND_DISPLAY": "wayland-0"}) == {"qt", "wayland"}
    assert kinds(["demo", "--headless"], screen) == kinds(["judge", "g.json"], screen) == {"qt"}
    assert kinds(["demo"], {}) == kinds(["demo"], {**screen, "QT_QPA_PLATFORM": "offscreen"}) == {"qt"}


@posix
def test_a_missing_library_is_named_by_its_package(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = load(house / "highway")
    wrapper.LIBRARIES["test"] = {"libc.so.6" if sys.platform == "linux" else "libSystem.dylib": "libc6"}
    assert wrapper.missing_libraries({"test"}) == {}
    wrapper.LIBRARIES["test"]["libno-such-thing.so.1"] = "libno-such-thing1"
    missing = wrapper.missing_libraries({"test"})
    assert missing == {"libno-such-thing.so.1": "libno-such-thing1"}

    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        wrapper.Refusal, match=r"\n    sudo .*apt-get install -y --no-install-recommends libno-such-thing1$"
    ):
        wrapper.get_from_system(missing)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(wrapper.Refusal, match=r"lacks libno-such-thing\.so\.1"):
        wrapper.get_from_system(missing)


@posix
def test_root_installs_after_an_update_where_the_lists_are_missing(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    fake = f'echo "$*" >> {log}; case "$*" in *update*) touch {tmp_path}/lists;; *) test -e {tmp_path}/lists;; esac\n'
    script(tmp_path / "apt-get", fake)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    load(house / "highway").get_from_system({"libGL.so.1": "libgl1"})
    install = "install -y --no-install-recommends libgl1"
    assert log.read_text().splitlines() == [install, "update", install]


@posix
def test_a_python_that_does_not_run_is_passed_over(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = load(house / "highway")
    script(tmp_path / "python3.12", "exit 127\n")
    script(tmp_path / "python3.11", "echo 3 11 1 1\n")
    script(tmp_path / "old", "echo 3 8 1 1\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "old"))
    assert wrapper.find_python() == (["python3.11"], (3, 11), True)
    (tmp_path / "python3.11").unlink()
    assert wrapper.find_python() == ([str(tmp_path / "old")], (3, 8), True)


@posix
def test_too_old_a_python_alone_is_refused_in_one_line(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrapper = load(house / "highway")
    script(tmp_path / "old", "echo 3 7 1 1\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "old"))
    (house / ".venv/highway-stamp").unlink()
    with pytest.raises(wrapper.Refusal, match=r"^Python 3\.11 or 3\.12 is needed[^\n]*$"):
        wrapper.set_up(set(), packages=False)
