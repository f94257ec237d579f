"""The sessions library: recorded games with a picture, who played and how it ended; search, open, export, delete."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QFrame, QLabel, QLineEdit, QMenu, QProgressBar, QScrollArea, QWidget

from calibration.errors import CalibrationError
from gui.discarded import Discarded
from gui.export_command import write_export
from gui.long_work import Cancelled, Work
from gui.session_summary import Summary, sessions, summary
from gui.theme import STEP, Theme
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import Button, button, clear, label, panel, row, shortcut, stack
from gui.widgets.picture import image_of
from gui.words import capital
from referee.errors import BadGame
from vision.errors import BadSession, VisionError

EXPORTS: tuple[tuple[str, str, str], ...] = (
    ("Report, one web page", "report", ".html"),
    ("Plan of the end, as a picture", "plan", ".png"),
    ("Plan of the end, as a drawing", "plan", ".svg"),
    ("Clip of the last turn", "clip", ".mp4"),
    ("Scores for a spreadsheet", "scores", ".csv"),
    ("Scores for a program", "scores", ".json"),
    ("The game in the notation", "game", ".hwy"),
)


class SessionsPage(QWidget):
    """A card for each session, read one after the other in the background."""

    left = pyqtSignal()
    opened = pyqtSignal(object)
    resumed = pyqtSignal(object)
    wanted = pyqtSignal(str)
    """Another door of the home page."""
    _read = pyqtSignal(object)
    _told = pyqtSignal(str)

    _far = pyqtSignal(float)

    def __init__(self, theme: Theme, root: Path | None = None, ready: Callable[[], None] = lambda: None) -> None:
        """`ready` waits, in the background, until sessions may be read."""
        super().__init__()
        self._ready = ready
        self.theme, self.root, self.discarded = theme, root, Discarded()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search players, editions, dates")
        self.search.textChanged.connect(lambda _: self._show())
        self._cards = stack(space=STEP)
        self._said = label("", "dim", wrap=True)
        self.undo = button(theme, "Undo", self.fetch_back, "undo-2", "", "Ctrl+Z")
        self._found: list[Summary] = []
        self._waiting = 0
        body = QWidget()
        body.setLayout(stack(self._cards, None))
        self._area = area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(body)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        back = button(theme, "Home", self.left.emit, "arrow-left", "flat", "Esc")
        self.search.setFixedWidth(theme.px(320))
        head = row(back, label("Sessions", "title"), None, self.search)
        self.bar = QProgressBar()
        self.work: Work | None = None
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(theme.px(240))
        self.cancel = button(theme, "Cancel", self.break_off, "x")
        self._show_work(None)
        line = row(self._said, self.bar, self.cancel, self.undo, space=2 * STEP)
        line.setStretch(0, 1)
        self.empty = self._empty_page()
        whole = stack(head, line, self.empty, area, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(2, 1)
        whole.setStretch(3, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.left.emit)
        shortcut(self, "Ctrl+Z", self.fetch_back)
        shortcut(self, "Ctrl+F", self.search.setFocus)
        self._read.connect(self._take)
        self._told.connect(self._say)
        self._far.connect(self._show_far)
        self.read_all()

    def _empty_page(self) -> QFrame:
        page = panel()
        icon = QLabel()
        icon.setPixmap(self.theme.pixmap("library", self.theme.colour("dim"), 56))
        words = label("Every game that is played from New game is kept here by itself, turn by turn:\n"
                      "to look at again, to judge by another edition, to show around.", "dim")  # fmt: skip
        for one in (icon, words):
            one.setAlignment(Qt.AlignmentFlag.AlignCenter)
        title = label("Nothing recorded yet", "title")
        title.setAlignment(Qt.AlignmentFlag.AlignCenter)
        new = button(self.theme, "New game", lambda: self.wanted.emit("new"), "plus", "primary")
        sample = button(self.theme, "Play the sample game", lambda: self.wanted.emit("sample"), "play")
        page.setLayout(
            stack(None, icon, title, words, STEP, row(None, new, sample, None), None, space=2 * STEP, margin=6 * STEP)
        )
        return page

    @property
    def is_read(self) -> bool:
        """Whether all sessions are shown."""
        return self._waiting == 0

    def read_all(self) -> None:
        """Look through the folder anew."""
        files = sessions(self.root)
        self._found, self._waiting = [], len(files)
        self._show()
        threading.Thread(target=self._read_files, args=(files,), daemon=True).start()

    def _read_files(self, files: list[Path]) -> None:
        self._ready()
        for file in files:
            if file.exists():
                self._read.emit(summary(file))

    def _take(self, found: Summary) -> None:
        self._found.append(found)
        self._waiting -= 1
        self._show()

    def _show(self) -> None:
        wanted = self.search.text().strip().lower()
        shown = [one for one in self._found if wanted in one.words]
        if self._waiting:
            self._said.setText(f"Reading {self._waiting} more\u2026")
        elif self.discarded.last is not None:
            self._said.setText(f"{self.discarded.last.stem} is deleted when you leave this page.")
        else:
            self._said.setText("" if shown or not self._found else f"No session has \u201c{wanted}\u201d in it.")
        self.undo.setVisible(self.discarded.last is not None)
        self.empty.setVisible(not self._waiting and not self._found)
        self._area.setVisible(not self.empty.isVisibleTo(self))
        clear(self._cards)
        for one in shown:
            self._cards.addWidget(self._card(one))

    def _card(self, one: Summary) -> QFrame:
        card = panel()
        marks = []
        for player in one.players:
            mark = PlayerMark(self.theme, 18)
            mark.show_player(player, one.players)
            marks += [mark, label(player)]
        told = (
            capital(f"{one.result}, {one.turns} turn{'s' if one.turns != 1 else ''}")
            if one.trouble is None
            else one.trouble
        )
        cut = "  \u00b7  cut off, nothing is lost" if one.cut_off else ""
        words = stack(
            None, label(f"{one.when:%A, %d %B %Y, %H:%M}", "large"), label(f"{one.edition}{cut}", "dim"),
            row(*marks, None), label(told, wrap=True), None, space=2,
        )  # fmt: skip
        open_ = button(self.theme, "Open", partial(self.opened.emit, one.path), "play")
        go_on = button(self.theme, "Go on", partial(self.resumed.emit, one.path), "skip-forward", "flat")
        export = self._exports(one.path)
        delete = button(self.theme, "", partial(self.delete, one.path), "trash-2", "flat")
        delete.setToolTip("Delete this session")
        for part in (open_, go_on, export):
            part.setEnabled(one.trouble is None)
        line = row(self._thumbnail(one), STEP, words, open_, go_on, export, delete, margin=STEP)
        line.setStretch(2, 1)
        card.setLayout(line)
        return card

    def _thumbnail(self, one: Summary) -> QLabel:
        picture = QLabel()
        picture.setFixedSize(self.theme.px(176), self.theme.px(99))
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        if one.picture is not None:
            picture.setPixmap(
                QPixmap.fromImage(image_of(one.picture)).scaled(picture.size(), Qt.AspectRatioMode.KeepAspectRatio)
            )
        else:
            picture.setPixmap(self.theme.pixmap("map", self.theme.colour("dim"), 40))
        return picture

    def _exports(self, path: Path) -> Button:
        """A button with all that can be made of a session."""
        made = Button(self.theme, "Export", "download", "flat")
        menu = QMenu(made)
        for words, what, ending in EXPORTS:
            action = menu.addAction(f"{words}  ({ending[1:]})")
            if action is not None:
                action.triggered.connect(partial(self.export, path, what, ending))
        made.setMenu(menu)
        return made

    def export(self, path: Path, what: str, ending: str) -> None:
        """Write something of a game beside its session."""
        if self.work is not None:
            self._said.setText(f"{self._said.text().rstrip('.')}: one thing after the other, or cancel it.")
            return
        work = Work(self._far.emit)
        self.show_export(f"Writing the {what} of {path.stem}\u2026", work)
        told = (work, path, what, path.with_suffix(ending))
        threading.Thread(target=self._write, args=told, daemon=True).start()

    def show_export(self, words: str, work: Work, share: float | None = None) -> None:
        """What is being written, and how far it is, where that is known."""
        self._said.setText(words)
        self._show_work(work)
        if share is not None:
            self._show_far(share)

    def break_off(self) -> None:
        """Nobody wants it any more; nothing is left of it."""
        if self.work is not None:
            self.work.cancel()

    def _write(self, work: Work, path: Path, what: str, out: Path) -> None:
        try:
            write_export(path, what, out, progress=work.progress)
            said = f"{out} is written."
        except Cancelled:
            said = f"The {what} of {path.stem} was not written: cancelled."
        except (BadGame, BadSession, CalibrationError, VisionError, OSError) as error:
            said = str(error)
        with suppress(RuntimeError):  # the page is gone
            self._told.emit(said)

    def _say(self, words: str) -> None:
        self._show_work(None)
        self._said.setText(words)

    def _show_work(self, work: Work | None) -> None:
        self.work = work
        self.bar.setRange(0, 0)
        for part in (self.bar, self.cancel):
            part.setVisible(work is not None)

    def _show_far(self, share: float) -> None:
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * share))

    def delete(self, path: Path) -> None:
        """Put a session aside; it is gone when the page is left."""
        try:
            self.discarded.discard(path)
        except OSError as error:
            self._said.setText(f"{path.stem} cannot be deleted: {error.strerror}")
            return
        self._found = [one for one in self._found if one.path != path]
        self._show()

    def fetch_back(self) -> None:
        """Bring the last deleted session back."""
        if self.discarded.fetch_back() is not None:
            self.read_all()

    def close_table(self) -> None:
        self.break_off()
        self.discarded.empty()
