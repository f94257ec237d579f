"""The sessions library: recorded games with a picture, who played and how it ended; search, open, export, delete."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtWidgets import QFrame, QLabel, QLineEdit, QScrollArea, QWidget

from calibration.errors import CalibrationError
from calibration.store import write_whole
from gui.export_command import report
from gui.session import load
from gui.session_summary import Summary, sessions, summary
from gui.shown_turn import shown_turns
from gui.theme import STEP, Theme
from gui.widgets.marks import PlayerMark
from gui.widgets.parts import button, clear, label, panel, row, shortcut, stack
from referee.errors import BadGame
from vision.errors import BadSession
from vision.session_lock import beside


class SessionsPage(QWidget):
    """A card for each session, read one after the other in the background."""

    left = pyqtSignal()
    opened = pyqtSignal(object)
    resumed = pyqtSignal(object)
    _read = pyqtSignal(object)
    _told = pyqtSignal(str)

    def __init__(self, theme: Theme, root: Path | None = None) -> None:
        super().__init__()
        self.theme, self.root = theme, root
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search players, editions, dates")
        self.search.textChanged.connect(lambda _: self._show())
        self._cards = stack(space=STEP)
        self._said = label("", "dim", wrap=True)
        self._found: list[Summary] = []
        self._waiting = 0
        self._sure: Path | None = None
        body = QWidget()
        body.setLayout(stack(self._cards, None))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(body)
        back = button(theme, "Home", self.left.emit, "arrow-left", "flat", "Esc")
        self.search.setFixedWidth(theme.px(320))
        head = row(back, label("Sessions", "title"), None, self.search)
        whole = stack(head, self._said, area, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(2, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.left.emit)
        self._read.connect(self._take)
        self._told.connect(self._said.setText)
        self.read_all()

    def read_all(self) -> None:
        """Look through the folder anew."""
        files = sessions(self.root)
        self._found, self._waiting = [], len(files)
        self._show()
        threading.Thread(target=self._read_files, args=(files,), daemon=True).start()

    def _read_files(self, files: list[Path]) -> None:
        for file in files:
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
        elif not self._found:
            self._said.setText("Nothing recorded yet. Every game that is played from New game is kept here by itself.")
        else:
            self._said.setText("" if shown else f"No session has \u201c{wanted}\u201d in it.")
        clear(self._cards)
        for one in shown:
            self._cards.addWidget(self._card(one))

    def _card(self, one: Summary) -> QFrame:
        card = panel()
        picture = QLabel()
        picture.setFixedSize(self.theme.px(176), self.theme.px(99))
        picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        if one.picture is not None:
            height, width = one.picture.shape[:2]
            image = QImage(one.picture.tobytes(), width, height, 3 * width, QImage.Format.Format_BGR888)
            picture.setPixmap(QPixmap.fromImage(image).scaled(picture.size(), Qt.AspectRatioMode.KeepAspectRatio))
        else:
            picture.setPixmap(self.theme.pixmap("map", self.theme.colour("dim"), 40))
        marks = []
        for player in one.players:
            mark = PlayerMark(self.theme, 18)
            mark.show_player(player, one.players)
            marks += [mark, label(player)]
        told = f"{one.result}, {one.turns} turns" if one.trouble is None else one.trouble
        cut = "  \u00b7  cut off, nothing is lost" if one.cut_off else ""
        words = stack(
            None, label(f"{one.when:%A, %d %B %Y, %H:%M}", "large"), label(f"{one.edition}{cut}", "dim"),
            row(*marks, None), label(told, wrap=True), None, space=2,
        )  # fmt: skip
        open_ = button(self.theme, "Open", partial(self.opened.emit, one.path), "play")
        go_on = button(self.theme, "Go on", partial(self.resumed.emit, one.path), "skip-forward", "flat")
        export = button(self.theme, "Report", partial(self._export, one.path), "download", "flat")
        asked = self._sure == one.path
        delete = button(self.theme, "Really?" if asked else "", partial(self._delete, one.path), "trash-2", "flat")
        delete.setToolTip("Delete this session; a second click does it")
        for part in (open_, go_on, export):
            part.setEnabled(one.trouble is None)
        line = row(picture, STEP, words, open_, go_on, export, delete, margin=STEP)
        line.setStretch(2, 1)
        card.setLayout(line)
        return card

    def _export(self, path: Path) -> None:
        """The report of a game beside its session."""
        self._said.setText(f"Writing the report of {path.stem}\u2026")
        threading.Thread(target=self._write_report, args=(path,), daemon=True).start()

    def _write_report(self, path: Path) -> None:
        out = path.with_suffix(".html")
        try:
            file, recorded = load(path)
            with file:
                write_whole(out, report(file, recorded, shown_turns(recorded), path.stem).encode())
        except (BadGame, BadSession, CalibrationError) as error:
            self._told.emit(str(error))
            return
        self._told.emit(f"{out} is written")

    def _delete(self, path: Path) -> None:
        if self._sure != path:
            self._sure = path
            self._show()
            return
        self._sure = None
        path.unlink(missing_ok=True)
        beside(path).unlink(missing_ok=True)
        self.read_all()
