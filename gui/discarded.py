"""Sessions thrown away, and fetched back as long as nobody has left the library. Qt-free."""

from __future__ import annotations

import shutil
from pathlib import Path

from vision.session_lock import beside

FOLDER = ".discarded"


class Discarded:
    """Files that were put aside, the last one first to come back."""

    def __init__(self) -> None:
        self._aside: list[tuple[Path, Path]] = []

    @property
    def last(self) -> Path | None:
        """What would come back."""
        return self._aside[-1][0] if self._aside else None

    def discard(self, session: Path) -> None:
        """Put a session aside, with what lies beside it while it is being recorded."""
        folder = session.parent / FOLDER
        folder.mkdir(exist_ok=True)
        for file in (beside(session), session):
            if file.exists():
                file.replace(folder / file.name)
        self._aside.append((session, folder / session.name))

    def fetch_back(self) -> Path | None:
        """The last one that was put aside, back in its place."""
        if not self._aside:
            return None
        session, aside = self._aside.pop()
        for file, was in ((aside, session), (beside(aside), beside(session))):
            if file.exists():
                file.replace(was)
        return session

    def empty(self) -> None:
        """For good."""
        for folder in {aside.parent for _, aside in self._aside}:
            shutil.rmtree(folder, ignore_errors=True)
        self._aside.clear()
