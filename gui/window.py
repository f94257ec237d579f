"""The dashboard's window: one page at a time, light or dark, near or from three metres."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, runtime_checkable

from PyQt6.QtCore import QByteArray, QSettings, Qt, QTimer
from PyQt6.QtGui import QCloseEvent, QResizeEvent
from PyQt6.QtWidgets import QMainWindow, QStackedWidget, QWidget

from gui.host import Host
from gui.pages import doors
from gui.pages.home import HomePage
from gui.theme import BASE_SIZE, Theme, scale_for
from gui.widgets.help import HelpOverlay
from gui.widgets.parts import shortcut

PAINT_AFTER_MS = 10
FIT_AFTER_MS = 150
"""While a window is being pulled larger nothing is dressed anew."""


@runtime_checkable
class Closing(Protocol):
    """A page that has something to stop when it goes; the host of its table may end later than it."""

    def close_table(self) -> Host | None: ...


class Window(QMainWindow):
    """Holds the pages and what they share: theme, help, settings."""

    def __init__(self, theme: Theme, settings: QSettings) -> None:
        super().__init__()
        self.theme, self.settings, self.big = theme, settings, False
        self._closing: list[Host] = []
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.timeout.connect(self.fit)
        # Dressing and painting each hold up the window for a while: a turn of its loop lies between them.
        self._painting = QTimer(self)
        self._painting.setSingleShot(True)
        self._painting.timeout.connect(self._paint)
        theme.changing.connect(self._paint_later)
        self.setWindowTitle("Highway Referee")
        self.setMinimumSize(960, 600)
        self.pages = QStackedWidget()
        self.setCentralWidget(self.pages)
        self.home = HomePage(theme)
        self.pages.addWidget(self.home)
        self.home.chosen.connect(self.open_page)
        self.home.resume.wanted.connect(self.open_resumed)
        self.help = HelpOverlay(theme, self)
        shortcut(self, "F11", self.big_screen)
        shortcut(self, "L", lambda: self.light(self.theme.dark))
        for key in ("?", "F1"):
            shortcut(self, key, self.help.open)
        geometry = settings.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        else:
            self.resize(*BASE_SIZE)
        self.fit()

    def open_page(self, name: str) -> None:
        """Go through a door of the home page."""
        page = doors.opened(name, self)
        if page is not None:
            self.show_page(page)

    def open_replay(self, session: Path) -> None:
        """Play a recorded session back."""
        doors.open_replay(self, session)

    def open_resumed(self, session: Path) -> None:
        """Go on with a session that was cut off."""
        doors.open_resumed(self, session)

    def show_page(self, page: QWidget) -> None:
        """A page on top of the home page; the one that was there is closed."""
        self.close_page()
        self.push_page(page)

    def push_page(self, page: QWidget) -> None:
        """A page over another one, which goes on beneath it."""
        self._paint_later()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        page.setFocus(Qt.FocusReason.OtherFocusReason)

    def _paint_later(self) -> None:
        self.pages.setUpdatesEnabled(False)
        self._painting.start(PAINT_AFTER_MS)

    def _paint(self) -> None:
        self.pages.setUpdatesEnabled(True)

    def pop_page(self) -> None:
        """Back to the page beneath."""
        page = self.pages.currentWidget()
        if page is None or page is self.home:
            return
        host = page.close_table() if isinstance(page, Closing) else None
        if host is not None:
            self._closing.append(host)
            host.closed.connect(self._table_closed)
        self.pages.removeWidget(page)
        page.deleteLater()
        beneath = self.pages.widget(self.pages.count() - 1)
        self.pages.setCurrentWidget(beneath)
        if beneath is self.home:
            self.home.resume.look()
        if beneath is not None:
            beneath.setFocus(Qt.FocusReason.OtherFocusReason)

    def _table_closed(self) -> None:
        """A table that was left has let go of cameras and recording: it may have been cut off, it is not any more."""
        for host in [host for host in self._closing if host is self.sender()]:
            host.wait_closed()
            self._closing.remove(host)
        self.home.resume.look()

    def wait_closed(self) -> None:
        """Until tables that were left are closed; for those who work in the background."""
        for host in tuple(self._closing):
            host.wait_closed()

    def close_page(self) -> None:
        """Back home."""
        while self.pages.count() > 1:
            self.pages.setCurrentIndex(self.pages.count() - 1)
            self.pop_page()

    def big_screen(self) -> None:
        """Full screen with everything larger, and back."""
        self.big = not self.big
        (self.showFullScreen if self.big else self.showNormal)()
        self._fitting.start(0)  # another turn of the loop: finding its place and being dressed each take a while

    def fit(self) -> None:
        """Everything as large as the window lets it be."""
        scale = scale_for(self.width(), self.height(), self.big)
        if abs(scale - self.theme.scale) > 1e-6:
            self.theme.switch(scale=scale)

    def light(self, on: bool) -> None:
        self.theme.switch(dark=not on)
        self.settings.setValue("light", on)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fitting.start(FIT_AFTER_MS)
        if self.help.isVisible():
            self.help.setGeometry(self.rect())

    def closeEvent(self, event: QCloseEvent | None) -> None:
        if not self.isFullScreen():
            self.settings.setValue("geometry", self.saveGeometry())
        self.close_page()
        super().closeEvent(event)
