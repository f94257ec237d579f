"""Garbage that owns parts of Qt goes on the thread of the window."""

from __future__ import annotations

import gc
import threading

from PyQt6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gui.app import application
from gui.garbage import collect_due


class Knot(QObject):
    """Holds itself, so that only a collection frees it."""

    def __init__(self, freed_by: list[str]) -> None:
        super().__init__()
        self.me, self.freed_by = self, freed_by

    def __del__(self) -> None:
        self.freed_by.append(threading.current_thread().name)


def _litter() -> None:
    for _ in range(20 * gc.get_threshold()[0]):
        loop: list[object] = []
        loop.append(loop)


def test_another_thread_that_litters_does_not_free_what_belongs_to_the_window(qtbot: QtBot) -> None:
    application()
    freed_by: list[str] = []
    for _ in range(10):
        Knot(freed_by)
    thread = threading.Thread(target=_litter, name="elsewhere")
    thread.start()
    thread.join()
    assert freed_by == []
    qtbot.waitUntil(lambda: len(freed_by) == 10)
    assert set(freed_by) == {threading.main_thread().name}


def test_no_more_is_collected_than_is_due() -> None:
    application()
    while collect_due() >= 0:
        pass
    assert collect_due() == -1
    _litter()
    assert collect_due() >= 0
    assert gc.get_count()[0] < gc.get_threshold()[0]
