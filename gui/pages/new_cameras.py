"""Cameras, calibration and kit of a new game: what the cameras see now, and how well they measure, in words."""

from __future__ import annotations

import threading
from collections.abc import Callable

import msgspec
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QWidget

from calibration.store import kits, rigs
from gui.game_plan import GamePlan
from gui.measure_words import kit_words, rig_words
from gui.theme import STEP, Theme
from gui.widgets.camera_glimpse import CameraGlimpse
from gui.widgets.choice import Choice
from gui.widgets.parts import button, label, row, stack

RELEASE_S = 6.0


class CameraChoice(QWidget):
    """Where the pictures come from, and how well they measure."""

    changed = pyqtSignal(object)

    def __init__(self, theme: Theme, plan: GamePlan) -> None:
        super().__init__()
        self.theme, self.plan = theme, plan
        self.overhead, self.side = QLineEdit(plan.overhead), QLineEdit(plan.side)
        self.overhead.setPlaceholderText("0, or an address such as http://192.168.1.20:8080/video")
        self.side.setPlaceholderText("1, or the other phone's address")
        self.glimpses = {
            "overhead": CameraGlimpse(theme, "overhead", "No camera looks down"),
            "side": CameraGlimpse(theme, "side", "No camera from the side"),
        }
        for camera, field in (("overhead", self.overhead), ("side", self.side)):
            self.glimpses[camera].picture.setFixedHeight(theme.px(128))
            field.editingFinished.connect(self._tell)
        calibrations = [("none yet", ""), *((kept.name, kept.name) for kept in rigs())]
        sizes = [("the default kit", ""), *((file.stem.removeprefix("kit "), str(file)) for file in kits())]
        self.rig = self._listed("Calibration", plan.rig, calibrations)
        self.kit = self._listed("Kit", plan.kit, sizes)
        self.quality, self.kit_quality = label("", "small", wrap=True), label("", "small", wrap=True)
        down = stack(label("The one that looks down", "dim"), self.overhead, self.glimpses["overhead"])
        aside = stack(label("The one from the side", "dim"), self.side, self.glimpses["side"])
        cameras = row(down, aside, space=2 * STEP)
        cameras.setStretch(0, 1)
        cameras.setStretch(1, 1)
        self.setLayout(
            stack(
                label("Cameras", "large"), cameras,
                STEP, label("Calibration", "large"), self._with_file(self.rig, "Open a rig.json"), self.quality,
                STEP, label("Kit", "large"), self._with_file(self.kit, "Open a kit.json"), self.kit_quality,
                space=STEP // 2,
            )
        )  # fmt: skip
        self._say_quality()

    def _listed(self, name: str, chosen: str, items: list[tuple[str, str]]) -> Choice:
        made = Choice(self.theme, name, items)
        made.offer(chosen)
        made.chosen.connect(lambda _: self._tell())
        return made

    def _with_file(self, choice: Choice, words: str) -> QHBoxLayout:
        def browse() -> None:
            file, _ = QFileDialog.getOpenFileName(self, words, "", "JSON (*.json)")
            if file:
                choice.offer(file)
                self._tell()

        opens = button(self.theme, "", browse, "folder-open", "flat")
        opens.setToolTip(words)
        line = row(choice, opens)
        line.setStretch(0, 1)
        return line

    def watch(self) -> None:
        """Show what the cameras see, until they are stopped."""
        for camera, field in (("overhead", self.overhead), ("side", self.side)):
            self.glimpses[camera].watch(field.text().strip())

    def stop(self) -> Callable[[], None]:
        """Let the cameras go; what it gives waits until others can open them."""
        threads = [thread for one in self.glimpses.values() if (thread := one.stop()) is not None]
        return lambda: _join(threads)

    def _tell(self) -> None:
        fields = {
            "overhead": self.overhead.text().strip(),
            "side": self.side.text().strip(),
            "rig": str(self.rig.data),
            "kit": str(self.kit.data),
        }
        if all(getattr(self.plan, name) == value for name, value in fields.items()):
            return
        watched = (self.plan.overhead, self.plan.side)
        self.plan = msgspec.structs.replace(self.plan, **fields)
        self.changed.emit(fields)
        self._say_quality()
        if watched != (self.plan.overhead, self.plan.side):
            self.watch()

    def _say_quality(self) -> None:
        self.quality.setText(rig_words(self.plan))
        self.kit_quality.setText(kit_words(self.plan))


def _join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(RELEASE_S)
