"""A session in a few facts, for the library: who played, how it ended, what the table looked like. Qt-free."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import cv2
import numpy as np

from gui.session import Recorded, load, read_recorded
from gui.session_writer import recovered
from gui.sessions_folder import SUFFIX, folder
from referee.edition import editions
from referee.errors import BadGame
from vision.errors import BadSession
from vision.playback import still_pair
from vision.session_index import scan_to_go_on
from vision.session_lock import beside, is_recorded
from vision.session_scan import Entries
from vision.view import Picture

THUMB_PX = 480


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """What the library shows of a session."""

    path: Path
    when: datetime
    """When it was played; of one that was not, when the file was written."""
    edition: str = ""
    players: tuple[str, ...] = ()
    turns: int = 0
    result: str = ""
    picture: Picture | None = None
    cut_off: bool = False
    recovered: str = ""
    """Of one that was cut off: how far it could be read."""
    trouble: str | None = None

    @property
    def words(self) -> str:
        """Everything that a search looks through."""
        return " ".join((self.path.stem, self.edition, *self.players, self.result, f"{self.when:%d %B %Y}")).lower()


def sessions(root: Path | None = None) -> list[Path]:
    """Session files, the newest first."""
    files = (root or folder()).glob(f"*{SUFFIX}")
    return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)


def cut_off(root: Path | None = None) -> Path | None:
    """The newest session whose recording was never closed, and that nobody is recording now."""
    return next((file for file in sessions(root) if beside(file).exists() and not is_recorded(file)), None)


def summary(path: Path) -> Summary:
    """Read a session; one that cannot be read says why."""
    when = datetime.fromtimestamp(path.stat().st_mtime)
    cut = beside(path).exists()
    try:
        with contextlib.ExitStack() as opened:
            file: Entries
            told = ""
            if cut:
                # Reading it as it lies: opening would close the recording, and nobody could tell that it was cut off.
                file = found = scan_to_go_on(path, None)
                recorded = read_recorded(file)
                told = recovered(max(len(recorded.rulings) - 1, 0), found)
            else:
                closing, recorded = load(path)
                file = opened.enter_context(closing)
            return _told(path, when, cut, file, recorded, told)
    except (BadGame, BadSession) as error:
        return Summary(path, when, cut_off=cut, trouble=str(error))


def _told(path: Path, when: datetime, cut: bool, file: Entries, recorded: Recorded, told: str) -> Summary:
    rulings = recorded.rulings
    state = rulings[-1].state if rulings else None
    result = "nothing was played"
    if state is not None:
        result = f"{' and '.join(state.winners)} won" if state.over else f"{state.next} to move"
    picture = None
    if recorded.settled:
        time_ns, settled = recorded.settled[-1]
        picture = still_pair(file, settled.number, time_ns).get("overhead")
    if recorded.steps:  # the file may have been copied, or closed later
        when = datetime.fromtimestamp(recorded.steps[0][0] / 1e9)
    edition = editions().get(recorded.head.edition)
    title = edition.title if edition is not None else recorded.head.edition
    turns = max(len(rulings) - 1, 0)
    return Summary(path, when, title, recorded.head.players, turns, result, _small(picture), cut, told)


def _small(picture: Picture | None) -> Picture | None:
    if picture is None:
        return None
    height, width = picture.shape[:2]
    size = (THUMB_PX, round(THUMB_PX * height / width))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
