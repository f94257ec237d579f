"""Calibrating before running cameras: the board until enough of it was seen, then the still table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.charuco import BoardSeen, find_board
from calibration.coverage import Coverage
from calibration.frames import Frame
from calibration.lens import Lens
from calibration.tags import TagSeen, find_tags, mean_tags

TABLE_LOOKS = 8

Tell = Callable[[Coverage], None]


def collect_views(frames: Iterator[Frame], spec: BoardSpec, tell: Tell) -> list[BoardSeen]:
    """Views of the board until nothing is missing or the frames end; `tell` is told after each one."""
    covered = Coverage(spec)
    views = []
    for frame in frames:
        seen = find_board(frame.picture, spec, frame.name)
        if seen is None:
            continue
        views.append(seen)
        covered = covered.with_view(seen)
        tell(covered)
        if covered.enough:
            break
    return views


def collect_tags(frames: Iterator[Frame], lens: Lens, where: str, looks: int = TABLE_LOOKS) -> dict[int, TagSeen]:
    """The tags of a still table, averaged over some frames."""
    found = []
    for frame in frames:
        grey = np.asarray(cv2.cvtColor(frame.picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        found.append(find_tags(grey, lens, where))
        if len(found) == looks:
            break
    return mean_tags(found)
