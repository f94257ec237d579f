"""The calibration wizard: print, both lenses, the table, the kit, a stick to try it; in millimetres and words."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QSettings, Qt, pyqtSignal
from PyQt6.QtWidgets import QDoubleSpinBox, QFileDialog, QLineEdit, QProgressBar, QScrollArea, QWidget

from calibration.coverage import ENOUGH_VIEWS, GRID, SIDES, Coverage
from calibration.errors import CalibrationError
from calibration.print_scale import scale_from_ruler
from calibration.sheets import PAPERS
from calibration.store import keep_kit, keep_lens, keep_rig
from gui.calibration_steps import Glimpse, Steps, Stopped
from gui.pages.new_game import remembered, remembers
from gui.theme import STEP, Theme
from gui.widgets.meters import Meter, Meters
from gui.widgets.parts import Button, button, label, panel, row, shortcut, stack
from gui.widgets.picture import PictureView
from gui.words import capital
from referee.errors import BadGame
from referee.pieces import Kit
from vision.errors import VisionError

WATCHING = ("overhead", "side", "table", "kit", "touch")
"""Steps that look through a camera, and can be stopped."""


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
        self.bar, self.words, self.meters = QProgressBar(), label("", "large", wrap=True), Meters()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.hide()
        self.results = {name: label("", "small", wrap=True) for name in ("print", *WATCHING, "keep")}
        self.buttons: dict[str, Button] = {}
        for result in self.results.values():
            result.hide()
        self._busy = ""
        self._seen.connect(self.show_glimpse)
        self._done.connect(self._finish)
        self._take_kept_rig()
        self._arrange()
        self._enable()

    def _take_kept_rig(self) -> None:
        """The calibration of the last game: a kit or a stick can be measured with it at once."""
        try:
            self.steps.rig = remembered(self.settings).rig_read()
        except (BadGame, CalibrationError, VisionError) as error:
            self._say("table", str(error))
            return
        if self.steps.rig is not None:
            self._say("table", f"\u201c{remembered(self.settings).rig}\u201d is used until you begin anew")

    def _arrange(self) -> None:
        steps: tuple[tuple[str, str, str, Callable[[], None], list[QWidget]], ...] = (
            ("print", "1  Print the sheets", "At 100 %. Then measure the printed 100 mm:", self._print, [self.ruler]),
            ("overhead", "2  The lens that looks down", "Move the board before it: near, far, tilted.",
             partial(self._lens, "overhead"), [self.overhead]),
            ("side", "3  The lens from the side", "The same again.", partial(self._lens, "side"), [self.side]),
            ("table", "4  The table", "Tape the strips to its edge, take the board away.", self._table, []),
            ("kit", "5  Your pieces", "Lay them on the kit card, in sight of both cameras.", self._kit, []),
            ("touch", "6  Try it", "Put a stick down and see its measured length.", self._touch, []),
            ("keep", "7  Keep it", "Under a name, for New game.", self._keep, [self.name]),
        )  # fmt: skip
        cards = []
        for name, title, how, act, fields in steps:
            card = panel()
            self.buttons[name] = button(self.theme, {"print": "Print", "keep": "Keep"}.get(name, "Begin"), act)
            told = stack(label(title, "large"), label(how, "dim", wrap=True), space=2)
            line = row(*fields, self.buttons[name]) if fields else row(told, self.buttons[name])
            line.setStretch(0, 1)
            parts = (told, line) if fields else (line,)
            inside = stack(*parts, self.results[name])
            inside.setContentsMargins(2 * STEP, STEP, 2 * STEP, STEP)
            card.setLayout(inside)
            cards.append(card)
        body = QWidget()
        body.setLayout(stack(*cards, None, space=STEP))
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(body)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        seen = stack(self.picture, self.words, self.meters, self.bar)
        seen.setStretch(0, 1)
        middle = row(area, seen, space=2 * STEP)
        middle.setStretch(0, 2)
        middle.setStretch(1, 3)
        back = button(self.theme, "Home", self.left.emit, "arrow-left", "flat", "Esc")
        whole = stack(row(back, label("Calibrate", "title"), None), middle, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.left.emit)

    def _enable(self) -> None:
        """Each step when the ones before it are done."""
        solved = self.steps.rig is not None
        ready = {"table": len(self.steps.lenses) == 2, "kit": solved, "touch": solved, "keep": solved}
        for name, made in self.buttons.items():
            made.setEnabled(ready.get(name, True) and self._busy in ("", name))
            if name in WATCHING:
                made.setText("Stop" if self._busy == name else "Begin")

    def _print(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Where to write the sheets")
        if folder:
            self.begin("print", lambda: _printed(Path(folder)))

    def _sources(self) -> dict[str, str]:
        sources = {"overhead": self.overhead.text().strip(), "side": self.side.text().strip()}
        remembers(self.settings, **sources)
        return sources

    def _lens(self, camera: str) -> None:
        source = (self.overhead if camera == "overhead" else self.side).text().strip()
        self.begin(camera, lambda: self.steps.lens(camera, source, self._seen.emit))

    def _table(self) -> None:
        sources = self._sources()

        def solve() -> str:
            scale = scale_from_ruler(self.ruler.value()).factor_with(True)
            return self.steps.table(sources, scale, self._seen.emit)

        self.begin("table", solve)

    def _kit(self) -> None:
        sources = self._sources()
        self.begin("kit", lambda: self.steps.kit_card(sources, self._seen.emit))

    def _touch(self) -> None:
        sources = self._sources()
        self.begin("touch", lambda: self.steps.touch(sources, self._pieces(), self._seen.emit))

    def _pieces(self) -> Kit:
        """The kit that was just measured, else the one of the last game."""
        return self.steps.kit or remembered(self.settings).kit_read()

    def begin(self, name: str, step: Callable[[], str]) -> None:
        """Run a step in the background; a second click stops it."""
        if self._busy == name:
            self.steps.stop()
            return
        fresh = Steps()
        fresh.lenses, fresh.rig, fresh.kit = self.steps.lenses, self.steps.rig, self.steps.kit
        self.steps, self._busy = fresh, name
        self.bar.show()
        self._say(name, "")
        self._enable()
        threading.Thread(target=self._run, args=(name, step), daemon=True).start()

    def _run(self, name: str, step: Callable[[], str]) -> None:
        try:
            self._done.emit(name, step())
        except Stopped:
            self._done.emit(name, "stopped")
        except (BadGame, CalibrationError, VisionError) as error:
            self._done.emit(name, str(error))

    def show_glimpse(self, glimpse: Glimpse) -> None:
        """What a step has seen so far."""
        if glimpse.picture is not None:
            self.picture.show_picture(glimpse.picture)
        self.words.setText(capital(glimpse.words))
        self.bar.setValue(round(1000 * glimpse.share))
        self.meters.show_meters(meters_of(glimpse.covered) if glimpse.covered is not None else ())
        self.bar.setVisible(glimpse.covered is None)

    def _finish(self, name: str, words: str) -> None:
        self._busy = ""
        self._say(name, words)
        self.words.setText(capital(words) if name == "touch" else "")
        self.meters.show_meters(())
        self.bar.setValue(0)
        self.bar.hide()
        self._enable()

    def _keep(self) -> None:
        rig, kit, name = self.steps.rig, self.steps.kit, self.name.text().strip()
        if rig is None:
            return
        try:
            for camera, lens in self.steps.lenses.items():
                keep_lens(f"{name} {camera}", lens)
            keep_rig(name, rig)
            if kit is not None:
                remembers(self.settings, kit=str(keep_kit(name, kit)))
        except CalibrationError as error:
            self._say("keep", str(error))
            return
        remembers(self.settings, rig=name)
        pieces = "table and pieces" if kit is not None else "table"
        self._say("keep", f"Kept as {name}: {pieces}. New game takes it from here.")

    def _say(self, name: str, words: str) -> None:
        """What came of a step; nothing takes no room."""
        self.results[name].setText(capital(words))
        self.results[name].setVisible(bool(words))

    def close_table(self) -> None:
        self.steps.stop()


def meters_of(covered: Coverage) -> tuple[Meter, ...]:
    """What a lens needs to have seen, and how much of it there is."""
    return (
        Meter("Tilts", len(covered.tilts), len(SIDES)),
        Meter("Near and far", len(covered.sizes), 2),
        Meter("Places", len(covered.cells), GRID**2),
        Meter("Views", covered.views, ENOUGH_VIEWS),
    )


def _printed(folder: Path) -> str:
    from calibration.pdf import write_sheets  # a second to load, for those who print

    return f"{len(write_sheets(folder, PAPERS))} sheets are in {folder}"
