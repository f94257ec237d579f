"""An archive judged again: on all cores or on a cluster the same lines, nothing twice, bad files told."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from gui.archive import Result, Rules, jobs_for, judge, on_all_cores, on_dask, program
from gui.cli import main
from tests.sessions import recorded
from vision.errors import BadSession


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sessions, one in a folder of its own, and a third that was cut in copying."""
    folder = tmp_path_factory.mktemp("archive")
    recorded(folder / "a.mcap", 2, video=False)
    (folder / "june").mkdir()
    recorded(folder / "june" / "b.mcap", 4, video=False)
    data = (folder / "june" / "b.mcap").read_bytes()
    (folder / "cut.mcap").write_bytes(data[: len(data) - 200])
    return folder


@pytest.fixture
def archive(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "archive"))


def lines(capfdbinary: pytest.CaptureFixture[bytes], *arguments: str, code: int = 0) -> list[dict[str, object]]:
    capfdbinary.readouterr()
    assert main(["rejudge", *arguments]) == code
    return [json.loads(line) for line in capfdbinary.readouterr().out.splitlines()]


def test_every_session_is_judged_and_told_by_name(archive: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    found = lines(capfdbinary, str(archive), "--jobs", "2")
    assert [(one["session"], one["turns"]) for one in found] == [("a.mcap", 2), ("cut.mcap", 4), ("june/b.mcap", 4)]
    assert all("differences" not in one for one in found)
    assert found[1]["hash"] == found[2]["hash"] != found[0]["hash"]


def test_what_was_judged_before_is_not_judged_again(archive: Path) -> None:
    job = jobs_for(archive, archive / "rejudged", Rules())[0]
    first = judge(job)
    (kept,) = (archive / "rejudged").iterdir()
    kept.write_bytes(msgspec.json.encode(msgspec.structs.replace(first, winner="found in the results")))
    assert judge(job).winner == "found in the results"


def test_other_rules_are_another_judgement(archive: Path) -> None:
    for rules in (Rules(), Rules("second-edition"), Rules(options={"first_rule": "next"}), Rules()):
        judge(jobs_for(archive, archive / "rejudged", rules)[0])
    assert len(list((archive / "rejudged").iterdir())) == 3


def test_a_result_names_the_program_by_version_and_source() -> None:
    version, source = program(vision=False).split("+")
    assert version[0].isdigit()
    assert len(source) == 12
    assert program(vision=True) != program(vision=False)


def test_a_bad_file_is_told_and_the_rest_is_done(archive: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    (archive / "broken.mcap").write_bytes(b"no session")
    found = lines(capfdbinary, str(archive), "--jobs", "1", code=2)
    assert [one["session"] for one in found if "error" in one] == ["broken.mcap"]
    assert "is no recorded session" in str(found[1]["error"])
    assert sum("hash" in one for one in found) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "is no folder"),
        (["."], "holds no recorded sessions"),
        ([".", "--jobs", "0"], "at least one process"),
        ([".", "--edition", "none"], "is unknown"),
        ([".", "--options", "{"], "--options"),
    ],
)
def test_what_is_no_archive_is_refused_in_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["rejudge", *arguments]) == 2
    out, err = capsys.readouterr()
    assert said in err
    assert (out, err.count("\n")) == ("", 1)


def test_whoever_breaks_off_keeps_what_is_done_and_waits_for_nothing_else(archive: Path, tmp_path: Path) -> None:
    rules = [Rules(options={"push_mm": float(number)}) for number in range(60)]
    jobs = [job for one in rules for job in jobs_for(archive, tmp_path / "kept", one)]
    running = on_all_cores(jobs, 1)
    next(running)
    running.close()  # type: ignore[attr-defined]
    kept = len(list((tmp_path / "kept").iterdir()))
    assert 1 <= kept < len(jobs)


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
def test_a_process_that_is_killed_is_told_with_the_way_on(archive: Path, tmp_path: Path) -> None:
    jobs = [job for n in range(60) for job in jobs_for(archive, tmp_path, Rules(options={"push_mm": float(n)}))]
    before = set(multiprocessing.active_children())
    running = on_all_cores(jobs, 1)
    next(running)
    for helper in set(multiprocessing.active_children()) - before:
        helper.kill()
    with pytest.raises(BadSession, match="what is judged is kept: the same command goes on"):
        list(running)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_of_two_workers_finds_the_same(archive: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is an optional extra (distributed)")
    here = sorted(on_all_cores(jobs_for(archive, tmp_path / "here", Rules()), 2), key=_name)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(**options) as cluster:
        there = sorted(on_dask(cluster.scheduler_address, jobs_for(archive, tmp_path / "there", Rules())), key=_name)
    assert here == there


def test_a_cluster_that_is_not_there_is_told(archive: Path, tmp_path: Path) -> None:
    with pytest.raises(BadSession, match=r"--dask tcp://127.0.0.1:9: there is no scheduler|is not installed"):
        list(on_dask("tcp://127.0.0.1:9", jobs_for(archive, tmp_path, Rules())))


def _name(result: Result) -> str:
    return result.session
