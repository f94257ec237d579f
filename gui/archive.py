"""An archive of sessions judged again: one result per session, kept by what it hangs on, so that none is done twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from calibration.store import write_whole
from gui.helpers import dismiss, helpers
from gui.rejudging import other_rules, rejudge
from gui.session import HEAD, SETTLED, STEP, app_version, load
from referee.errors import BadGame
from vision.deaf import deaf_children
from vision.errors import BadSession, VisionError
from vision.session_file import SessionFile
from vision.session_index import STILLS
from vision.views import CAMERAS

SOURCES = Path(__file__).resolve().parent.parent


class Rules(msgspec.Struct, frozen=True):
    """How to judge: as recorded, or otherwise."""

    edition: str | None = None
    options: dict[str, Any] = {}
    vision: bool = False


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """What judging one session again came to."""

    session: str
    hash: str = ""
    program: str = ""
    turns: int = 0
    winner: str | None = None
    differences: tuple[str, ...] = ()
    error: str | None = None


class Job(msgspec.Struct, frozen=True):
    """One session to judge; `session` is its name in the archive."""

    path: str
    session: str
    rules: Rules
    results: str


def sessions_in(folder: Path) -> list[Path]:
    """All sessions of an archive, by name."""
    if not folder.is_dir():
        raise BadSession(f"{folder}: is no folder; name one that holds recorded sessions")
    found = sorted(path for path in folder.rglob("*.mcap") if not path.name.startswith("."))
    if not found:
        raise BadSession(f"{folder}: holds no recorded sessions (*.mcap)")
    return found


def jobs_for(folder: Path, results: Path, rules: Rules) -> list[Job]:
    """A job per session."""
    found = sessions_in(folder)
    return [Job(str(path.resolve()), str(path.relative_to(folder)), rules, str(results.resolve())) for path in found]


def judge(job: Job) -> Result:
    """Judge one session, or take what was found before; what cannot be judged is a result too."""
    try:
        file, recorded = load(Path(job.path))
        with file:
            kept = Path(job.results) / f"{_key(file, job.rules)}.json"
            if kept.exists():
                found = msgspec.json.decode(kept.read_bytes(), type=Result)
                return msgspec.structs.replace(found, session=job.session)
            head = other_rules(recorded.head, job.rules.edition, job.rules.options)
            again = rejudge(file, recorded, head, job.rules.vision)
            result = Result(
                job.session, session_hash(file, job.rules.vision), program(job.rules.vision),
                len(again.match.rulings) - 1, again.match.rulings[-1].state.winner, again.differences,
            )  # fmt: skip
            write_whole(kept, msgspec.json.encode(result))
            return result
    except (BadGame, BadSession, VisionError, OSError) as error:
        return Result(job.session, error=" ".join(str(error).replace(job.path, job.session).split()))


def on_all_cores(jobs: Sequence[Job], workers: int | None = None) -> Iterator[Result]:
    """Run jobs in processes of this machine."""
    pool, is_done = helpers(workers), False
    try:
        with deaf_children():
            begun = [pool.submit(judge, job) for job in jobs]
        for done in as_completed(begun):
            yield done.result()
        is_done = True
    except BrokenProcessPool:
        raise BadSession(
            "a process that judged sessions was ended from outside, perhaps for want of memory; what is judged is "
            "kept: the same command goes on from there, with --jobs 1 it needs least"
        ) from None
    finally:
        dismiss(pool, not is_done)


def on_dask(address: str, jobs: Sequence[Job]) -> Iterator[Result]:
    """Run jobs on an existing Dask cluster whose machines see the archive by the same path."""
    try:
        from distributed import Client
        from distributed import as_completed as as_dask_completes
    except ImportError:
        raise BadSession("Dask is not installed: get it with `.venv/bin/uv pip install distributed`") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise BadSession(f"--dask {address}: there is no scheduler ({error}); start one, or leave --dask out") from None
    with client:
        for done in as_dask_completes([client.submit(judge, job, pure=False) for job in jobs]):
            yield done.result()


def session_hash(file: SessionFile, vision: bool) -> str:
    """What a judgement hangs on: the events, and the stills where vision looks again."""
    digest = hashlib.sha256()
    for topic in (HEAD, SETTLED, STEP, *((STILLS + camera for camera in CAMERAS) if vision else ())):
        for entry in file.entries(topic):
            digest.update(f"{topic} {entry.number} {len(entry.data)}\n".encode())
            digest.update(entry.data)
    return digest.hexdigest()[:32]


@cache
def program(vision: bool) -> str:
    """The version of what judges: its number, and what its source says."""
    digest = hashlib.sha256()
    packages = ("referee", "calibration", "vision") if vision else ("referee",)
    for package in packages:
        for source in sorted((SOURCES / package).rglob("*")):
            if source.suffix in (".py", ".toml"):
                digest.update(source.relative_to(SOURCES).as_posix().encode() + b"\0" + source.read_bytes())
    return f"{app_version()}+{digest.hexdigest()[:12]}"


def _key(file: SessionFile, rules: Rules) -> str:
    said = msgspec.json.encode(rules, order="deterministic")
    parts = (session_hash(file, rules.vision), program(rules.vision), said.decode())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
