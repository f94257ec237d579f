"""What a person may not read, write or open is told in one sentence, with the way out."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sessions import recorded
from vision.session_scan import scan

ROOT = Path(__file__).parents[1]
MEEK = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.name == "posix" and os.getuid() == 0 else []
"""Root may do everything: in front of a command this takes that away."""
pytestmark = pytest.mark.skipif(
    os.name != "posix" or (bool(MEEK) and shutil.which("setpriv") is None),
    reason="needs POSIX permissions, and an ordinary user",
)


@pytest.fixture(scope="module")
def shelf() -> Iterator[Path]:
    """A folder that everybody may look into and nobody else may change, with a closed, a cut and a locked session."""
    folder = Path(tempfile.mkdtemp(prefix="highway-shelf-"))
    closed = recorded(folder / "closed.mcap", 2)
    (folder / "cut.mcap").write_bytes(closed.read_bytes()[: scan(closed).spots[-1].offset])
    shutil.copy(closed, folder / "locked.mcap")
    (folder / "locked.mcap").chmod(0)
    for file in ("closed.mcap", "cut.mcap"):
        (folder / file).chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def _as_somebody_else(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*MEEK, sys.executable, "-m", "gui.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def _refused(*arguments: str) -> str:
    """The one line that is said, with nothing printed besides."""
    done = _as_somebody_else(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_a_closed_session_needs_no_permission_to_write(shelf: Path) -> None:
    done = _as_somebody_else("replay", str(shelf / "closed.mcap"), "--json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 3)


def test_a_session_that_may_not_be_read(shelf: Path) -> None:
    assert "locked.mcap: permission denied" in _refused("replay", str(shelf / "locked.mcap"), "--json")


def test_a_cut_session_whose_index_may_not_be_written(shelf: Path) -> None:
    line = _refused("replay", str(shelf / "cut.mcap"), "--json")
    assert "its index cannot be written (permission denied)" in line
    assert "copy it to another place" in line


def test_a_recording_where_nothing_may_be_written(shelf: Path) -> None:
    sample = ROOT / "sample_frames" / "sample_game.hwy"
    line = _refused("record", str(shelf / "new.mcap"), "--game", str(sample))
    assert "new.mcap: cannot be written (permission denied)" in line
    assert not (shelf / "new.mcap").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="devices as Linux has them")
def test_a_camera_that_may_not_be_opened(shelf: Path) -> None:
    look = (
        f"from vision.usb import UsbCamera; next(UsbCamera({str(shelf / 'locked.mcap')!r}, None, 15.0).frames(print))"
    )
    done = subprocess.run([*MEEK, sys.executable, "-c", look], capture_output=True, text=True, cwd=ROOT, check=False)
    assert "VisionError: camera" in done.stderr
    assert "no permission for" in done.stderr
    assert "usermod -aG video" in done.stderr
