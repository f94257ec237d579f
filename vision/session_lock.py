"""The file beside a session while it is recorded: space for the move log on a full disk, and a lock."""

from __future__ import annotations

import os
from pathlib import Path

from vision.errors import BadSession

RESERVE_BYTES = 16 * 1024 * 1024
"""Some hundred turns: a layout and its ruling take 20 to 100 kB."""


def beside(session: Path) -> Path:
    """Where that file lies."""
    return session.with_name(session.name + ".recording")


class Reserve:
    """Taken while recording; a second recorder, or a reader that would rewrite the file, is refused."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._file = descriptor

    @staticmethod
    def take(session: Path) -> Reserve:
        """Lock the session and put space aside."""
        path = beside(session)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(descriptor, session)
            _fill(descriptor, RESERVE_BYTES)
        except OSError as error:
            os.close(descriptor)
            path.unlink()
            raise BadSession(
                f"{session}: there is no room to record ({(error.strerror or str(error)).lower()}); "
                f"free at least {RESERVE_BYTES // 2**20} MB first"
            ) from None
        except BadSession:
            os.close(descriptor)
            raise
        return Reserve(path, descriptor)

    def give_up_space(self) -> None:
        """Let the move log have it."""
        os.ftruncate(self._file, 0)

    def release(self) -> None:
        """Recording is over."""
        os.close(self._file)
        self._path.unlink(missing_ok=True)


def is_recorded(session: Path) -> bool:
    """Whether it is being recorded right now, by whomever."""
    try:
        refuse_recording(session)
    except BadSession:
        return True
    return False


def refuse_recording(session: Path) -> None:
    """Raise BadSession where another program is recording this very session."""
    try:
        descriptor = os.open(beside(session), os.O_RDWR)
    except OSError:
        return
    try:
        _lock(descriptor, session)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, session: Path) -> None:
    """The lock goes with the process, however it ends. Windows refuses by itself to replace a file in use."""
    if os.name != "posix":
        return
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise BadSession(f"{session}: is being recorded by another program; close that first") from None


def _fill(descriptor: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size)
    else:
        os.ftruncate(descriptor, 0)
        block = bytes(2**20)
        for _ in range(size // len(block)):
            os.write(descriptor, block)
