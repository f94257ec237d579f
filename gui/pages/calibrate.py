"""The calibration wizard: print, both lenses, the table, and the result in millimetres and words."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QSettings, pyqtSignal
from PyQt6.QtWidgets import QDoubleSpinBox, QFileDialog, QLineEdit, QProgressBar, QWidget

from calibration.errors import CalibrationError
from calibration.pdf import write_sheets
from calibration.print_scale import scale_from_ruler
from calibration.sheets import PAPERS
from calibration.store import keep_lens, keep_rig
from gui.calibration_steps import Glimpse, Steps, Stopped
from gui.pages.new_game import remembered, remembers
from gui.theme import STEP, Theme
from gui.widgets.parts import Button, button, label, panel, row, shortcut, stack
from gui.widgets.picture import PictureView
from vision.errors import VisionError


class CalibratePage(QWidget):
    """Steps on the left, what the camera sees on the right."""

    left = pyqtSignal()
    _seen = pyqtSignal(object)
    _done = pyqtSignal(str, str)

    def __init__(self, theme: Theme, settings: QSettings) -> None:
        super().__init__()
        self.theme, self.settings, self.steps = theme, settings, Steps()
        plan = remembered(settings)
        self.overhead, self.side = QLineEdit(plan.overhead), QLineEdit(plan.side)
        for field in (self.overhead, self.side):
            field.setPlaceholderText("a camera's number, an address, or a video")
        self.name = QLineEdit("my table")
        self.ruler = QDoubleSpinBox()
        self.ruler.setRange(50.0, 200.0)
        self.ruler.setValue(100.0)
        self.ruler.setSuffix(" mm")
        self.picture = PictureView(theme, "camera")
        self.picture.empty = "What the camera sees comes here"
        self.bar, self.words = QProgressBar(), label("", "large", wrap=True)
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.results = {name: label("", "small", wrap=True) for name in ("print", "overhead", "side", "table", "keep")}
        self.buttons: dict[str, Button] = {}
        self._busy = ""
        self._seen.connect(self._show)
        self._done.connect(self._finish)
        self._arrange()
        self._enable()

    def _arrange(self) -> None:
        steps: tuple[tuple[str, str, str, Callable[[], None], list[QWidget]], ...] = (
            ("print", "1  Print the sheets", "At 100 %. Then measure the printed 100 mm:", self._print, [self.ruler]),
            ("overhead", "2  The lens that looks down", "Move the board before it: near, far, tilted.",
             partial(self._lens, "overhead"), [self.overhead]),
            ("side", "3  The lens from the side", "The same again.", partial(self._lens, "side"), [self.side]),
            ("table", "4  The table", "Tape the strips to its edge, take the board away.", self._table, []),
            ("keep", "5  Keep it", "Under a name, for New game.", self._keep, [self.name]),
        )  # fmt: skip
        cards = []
        for name, title, how, act, fields in steps:
            card = panel()
            self.buttons[name] = button(self.theme, {"print": "Print", "keep": "Keep"}.get(name, "Begin"), act)
            line = row(*fields, self.buttons[name]) if fields else row(None, self.buttons[name])
            told = (label(title, "large"), label(how, "dim", wrap=True))
            card.setLayout(stack(*told, line, self.results[name], margin=STEP))
            cards.append(card)
        beside = stack(*cards, None, space=STEP)
        seen = stack(self.picture, self.words, self.bar)
        seen.setStretch(0, 1)
        middle = row(beside, seen, space=2 * STEP)
        middle.setStretch(0, 2)
        middle.setStretch(1, 3)
        back = button(self.theme, "Home", self.left.emit, "arrow-left", "flat", "Esc")
        whole = stack(row(back, label("Calibrate", "title"), None), middle, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.left.emit)

    def _enable(self) -> None:
        """Each step when the ones before it are done."""
        for name, made in self.buttons.items():
            ready = {"table": len(self.steps.lenses) == 2, "keep": self.steps.rig is not None}.get(name, True)
            made.setEnabled(ready and self._busy in ("", name))
            if name not in ("print", "keep"):
                made.setText("Stop" if self._busy == name else "Begin")

    def _print(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Where to write the sheets")
        if folder:
            files = write_sheets(Path(folder), PAPERS)
            self.results["print"].setText(f"{len(list(files))} sheets are in {folder}")

    def _lens(self, camera: str) -> None:
        source = (self.overhead if camera == "overhead" else self.side).text().strip()
        self.begin(camera, lambda: self.steps.lens(camera, source, self._seen.emit))

    def _table(self) -> None:
        sources = {"overhead": self.overhead.text().strip(), "side": self.side.text().strip()}
        remembers(self.settings, **sources)

        def solve() -> str:
            scale = scale_from_ruler(self.ruler.value()).factor_with(True)
            return self.steps.table(sources, scale, self._seen.emit)

        self.begin("table", solve)

    def begin(self, name: str, step: Callable[[], str]) -> None:
        """Run a step in the background; a second click stops it."""
        if self._busy == name:
            self.steps.stop()
            return
        fresh = Steps()
        fresh.lenses, fresh.rig = self.steps.lenses, self.steps.rig
        self.steps, self._busy = fresh, name
        self.results[name].setText("")
        self._enable()
        threading.Thread(target=self._run, args=(name, step), daemon=True).start()

    def _run(self, name: str, step: Callable[[], str]) -> None:
        try:
            self._done.emit(name, step())
        except Stopped:
            self._done.emit(name, "stopped")
        except (CalibrationError, VisionError) as error:
            self._done.emit(name, str(error))

    def _show(self, glimpse: Glimpse) -> None:
        if glimpse.picture is not None:
            self.picture.show_picture(glimpse.picture)
        self.words.setText(glimpse.words[:1].upper() + glimpse.words[1:])
        self.bar.setValue(round(1000 * glimpse.share))

    def _finish(self, name: str, words: str) -> None:
        self._busy = ""
        self.results[name].setText(words)
        self.words.setText("")
        self.bar.setValue(0)
        self._enable()

    def _keep(self) -> None:
        rig, name = self.steps.rig, self.name.text().strip()
        if rig is None:
            return
        try:
            for camera, lens in self.steps.lenses.items():
                keep_lens(f"{name} {camera}", lens)
            keep_rig(name, rig)
        except CalibrationError as error:
            self.results["keep"].setText(str(error))
            return
        remembers(self.settings, rig=name)
        self.results["keep"].setText(f"Kept as {name}; New game takes it from here.")

    def close_table(self) -> None:
        self.steps.stop()
