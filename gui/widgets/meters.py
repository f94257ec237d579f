"""Meters side by side: how much of several things there is, each with its name and its count."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtWidgets import QProgressBar, QWidget

from gui.theme import STEP
from gui.widgets.parts import clear, label, row, stack


@dataclass(frozen=True, slots=True)
class Meter:
    """So many of so many."""

    name: str
    have: int
    wanted: int

    @property
    def words(self) -> str:
        return f"{self.name}: {min(self.have, self.wanted)} of {self.wanted}"


class Meters(QWidget):
    """A bar for each thing; a tick where it is full."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: tuple[Meter, ...] = ()
        self._line = row(space=3 * STEP)
        self.setLayout(self._line)
        self.hide()

    def show_meters(self, meters: tuple[Meter, ...]) -> None:
        """These; none of them takes no room."""
        if meters == self.shown:
            return
        self.shown = meters
        clear(self._line)
        for meter in meters:
            bar = QProgressBar()
            bar.setTextVisible(False)
            bar.setRange(0, meter.wanted)
            bar.setValue(min(meter.have, meter.wanted))
            full = "  \u2713" if meter.have >= meter.wanted else ""
            self._line.addLayout(stack(label(meter.words + full, "dim"), bar, space=STEP // 2))
        self.setVisible(bool(meters))
