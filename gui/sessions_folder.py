"""Where sessions lie when nobody says where, and which one to go on with."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import platformdirs

from vision.errors import BadSession
from vision.session_lock import beside

SUFFIX = ".mcap"


def folder() -> Path:
    """Where sessions are kept."""
    return platformdirs.user_data_path("highway-referee") / "sessions"


def new_session(root: Path | None = None) -> Path:
    """A name that says when it was recorded."""
    return (root or folder()) / f"{datetime.now():%Y-%m-%d %H.%M.%S}{SUFFIX}"


def last_session(root: Path | None = None) -> Path:
    """The newest session that was cut off, else the newest at all."""
    sessions = sorted((root or folder()).glob(f"*{SUFFIX}"), key=lambda file: file.stat().st_mtime)
    cut = [file for file in sessions if beside(file).exists()]
    if not sessions:
        raise BadSession(f"{root or folder()}: holds no session to go on with; name one, or record a new one")
    return (cut or sessions)[-1]


def is_session(path: Path) -> bool:
    """Whether a path names a session, where a folder of videos might stand as well."""
    return path.suffix == SUFFIX and path.is_file()
