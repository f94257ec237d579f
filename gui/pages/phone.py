"""Add a phone: which apps, the address pasted or scanned, a live test with warnings, and which one looks down."""

from __future__ import annotations

from functools import partial

from PyQt6.QtCore import QSettings, pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QWidget

from gui.camera_look import ADVICE, APPS
from gui.pages.new_game import remembered, remembers
from gui.theme import STEP, Theme
from gui.widgets.camera_slot import CameraSlot
from gui.widgets.parts import button, label, panel, row, shortcut, stack


class PhonePage(QWidget):
    """Two cameras side by side; people say by picture which one looks down."""

    left = pyqtSignal()
    taken = pyqtSignal()

    def __init__(self, theme: Theme, settings: QSettings) -> None:
        super().__init__()
        self.theme, self.settings = theme, settings
        plan = remembered(settings)
        self.slots = (CameraSlot(theme, "one", plan.overhead), CameraSlot(theme, "other", plan.side))
        for slot, other in (self.slots, self.slots[::-1]):
            slot.scanned.connect(other.address.setText)
        choices = [
            button(theme, "This one looks down", partial(self.choose, i), "eye", "primary" if i == 0 else "")
            for i in (0, 1)
        ]
        columns = [stack(slot, choice) for slot, choice in zip(self.slots, choices, strict=True)]
        for column in columns:
            column.setStretch(0, 1)
        pair = row(*columns, space=2 * STEP)
        back = button(theme, "Back", self.leave, "arrow-left", "flat", "Esc")
        head = row(back, label("Add a phone", "title"), None)
        how = panel()
        apps = QGridLayout()
        apps.setHorizontalSpacing(2 * STEP)
        apps.setVerticalSpacing(STEP)
        apps.setColumnStretch(1, 1)
        for line, (system, words) in enumerate(APPS):
            apps.addWidget(label(system, "dim"), line, 0)
            apps.addWidget(label(words), line, 1)
        advice = [label(f"\u00b7  {words}") for words in ADVICE]
        scan = label("A QR code that the other camera sees is read as the address.", "small")
        served = stack(label("Apps that serve a camera", "large"), apps, scan, None)
        told = row(served, stack(label("On the phone", "large"), *advice, None), space=4 * STEP)
        told.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)
        how.setLayout(told)
        whole = stack(head, how, label("Which of these looks down?", "large"), pair, space=2 * STEP, margin=3 * STEP)
        whole.setStretch(3, 1)
        self.setLayout(whole)
        shortcut(self, "Escape", self.leave)

    def choose(self, looks_down: int) -> None:
        """Keep both, the one that looks down as the overhead camera."""
        overhead, side = (self.slots[i].address.text().strip() for i in (looks_down, 1 - looks_down))
        remembers(self.settings, overhead=overhead, side=side)
        self.taken.emit()

    def leave(self) -> None:
        self.left.emit()

    def close_table(self) -> None:
        for slot in self.slots:
            slot.stop()
