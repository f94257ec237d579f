"""Opens the dashboard. Only this module and what it imports need Qt; the command line loads it when asked."""

from __future__ import annotations

import gc
import importlib
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from gui.garbage import Collector
from gui.theme import Theme
from gui.widgets.name_sign import splash

if TYPE_CHECKING:
    from gui.window import Window

GIVES_WAY_S = 0.001
"""How long another thread may keep the interpreter while the window's thread waits for it."""


@cache
def application() -> QApplication:
    """The one Qt application of this process; kept, for Qt lives only as long as somebody holds it."""
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication(sys.argv[:1])
    made.setApplicationName("highway-referee")
    made.setOrganizationName("highway-referee")
    made.setApplicationDisplayName("Highway Referee")
    Collector(made)
    return made


def open_window(settings: QSettings | None = None) -> Window:
    """The window, dressed, with everything loaded that a click may need; the caller shows it."""
    application()
    settings = settings or QSettings()
    theme = _theme(settings)
    from gui.widgets.solid import has_opengl
    from gui.window import Window

    if has_opengl():
        importlib.import_module("pyqtgraph.opengl")  # half a second that nobody should wait for at the first look
    return Window(theme, settings)


def put_window_first() -> None:
    """Let nothing in this process hold up the window's thread for long; once everything is loaded."""
    sys.setswitchinterval(GIVES_WAY_S)
    # What is loaded stays: going through all of it for garbage takes a tenth of a second.
    gc.collect()
    gc.freeze()


def run(door: str = "", session: Path | None = None) -> int:
    """Show the dashboard until it is closed; `door` or a session to replay is where to go at once."""
    app = application()
    sign = splash(_theme(QSettings()))
    sign.show()
    app.processEvents()
    window = open_window()
    put_window_first()
    window.show()
    sign.finish(window)
    if session is not None:
        window.open_replay(session)
    elif door:
        window.open_page(door)
    return app.exec()


def _theme(settings: QSettings) -> Theme:
    theme = Theme(dark=settings.value("light", False, bool) is not True)
    theme.dress()
    return theme
