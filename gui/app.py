"""Opens the dashboard. Only this module and what it imports need Qt; the command line loads it when asked."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from gui.theme import Theme
from gui.window import Window


@cache
def application() -> QApplication:
    """The one Qt application of this process; kept, for Qt lives only as long as somebody holds it."""
    app = QApplication.instance()
    made = app if isinstance(app, QApplication) else QApplication(sys.argv[:1])
    made.setApplicationName("highway-referee")
    made.setOrganizationName("highway-referee")
    made.setApplicationDisplayName("Highway Referee")
    return made


def open_window(settings: QSettings | None = None) -> Window:
    """The window, dressed; the caller shows it."""
    application()
    settings = settings or QSettings()
    theme = Theme(dark=settings.value("light", False, bool) is not True)
    theme.dress()
    return Window(theme, settings)


def run(door: str = "", session: Path | None = None) -> int:
    """Show the dashboard until it is closed; `door` or a session to replay is where to go at once."""
    app = application()
    window = open_window()
    window.show()
    if session is not None:
        window.open_replay(session)
    elif door:
        window.open_page(door)
    return app.exec()
