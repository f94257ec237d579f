"""The pages besides the match view, posed for screenshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from gui.window import Window

Pose = Callable[[Window], object]


def page_shots() -> Iterator[tuple[str, Pose]]:
    """Name and pose of every page."""
    for name in ("new", "calibrate", "sessions", "phone"):
        yield name, partial(_opened, name)


def _opened(name: str, window: Window) -> None:
    window.open_page(name)
