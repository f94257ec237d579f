"""Cameras, calibration and kit of a new game, with their quality in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QComboBox, QFileDialog, QLineEdit, QWidget

from calibration.rig_quality import SolvedRig
from calibration.store import rigs
from gui.game_plan import GamePlan
from gui.theme import STEP, Theme
from gui.widgets.parts import button, label, row, stack
from referee.errors import BadGame
from vision.errors import VisionError

NO_CAMERA = "no cameras: every turn is entered by hand, on the plan"


class CameraChoice(QWidget):
    """Where the pictures come from, and how well they measure."""

    changed = pyqtSignal(object)

    def __init__(self, theme: Theme, plan: GamePlan) -> None:
        super().__init__()
        self.theme, self.plan = theme, plan
        self.overhead, self.side, self.kit = QLineEdit(plan.overhead), QLineEdit(plan.side), QLineEdit(plan.kit)
        for field, words in (
            (self.overhead, "0, /dev/video0, or an address such as http://192.168.1.20:8080/video"),
            (self.side, "1, or the other phone's address"),
            (self.kit, "kit.json of your own pieces; else the default kit"),
        ):
            field.setPlaceholderText(words)
            field.editingFinished.connect(self._tell)
        self.rig = QComboBox()
        self.rig.setEditable(True)
        self.rig.addItem("", "")
        for kept in rigs():
            self.rig.addItem(kept.name, kept.name)
        self.rig.setCurrentText(plan.rig)
        self.rig.currentTextChanged.connect(lambda _: self._tell())
        self.quality = label("", "small", wrap=True)
        browse = button(theme, "", self._browse, "folder-open", "flat")
        browse.setToolTip("Open a rig.json")
        rig = row(self.rig, browse)
        rig.setStretch(0, 1)
        self.setLayout(
            stack(
                label("Cameras", "large"),
                label("The one that looks down", "dim"), self.overhead,
                label("The one from the side", "dim"), self.side,
                STEP, label("Calibration", "large"), rig, self.quality,
                STEP, label("Kit", "large"), self.kit,
                space=STEP // 2,
            )
        )  # fmt: skip
        self._say_quality()

    def _browse(self) -> None:
        file, _ = QFileDialog.getOpenFileName(self, "A calibration", "", "Calibrations (*.json)")
        if file:
            self.rig.setCurrentText(file)

    def _tell(self) -> None:
        fields = {
            "overhead": self.overhead.text().strip(),
            "side": self.side.text().strip(),
            "rig": self.rig.currentText().strip(),
            "kit": self.kit.text().strip(),
        }
        self.changed.emit(fields)
        self.plan = msgspec.structs.replace(self.plan, **fields)
        self._say_quality()

    def _say_quality(self) -> None:
        if not (self.plan.overhead or self.plan.side):
            self.quality.setText(NO_CAMERA)
            return
        if not self.plan.rig:
            self.quality.setText("choose a calibration: without one nothing can be measured")
            return
        try:
            rig = self.plan.rig_read()
        except (BadGame, VisionError) as error:
            self.quality.setText(str(error))
            return
        quality = rig.quality if isinstance(rig, SolvedRig) else None
        words = quality.words if quality is not None else f"{Path(self.plan.rig).name}: its error is not known"
        self.quality.setText(words)
