"""What stands beside the plan in the editor: the picked piece or, where the edition has a city, its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from calibration.camera import Rig
from gui.city_parts import city_kinds
from gui.city_search import CityReader
from gui.explaining import CityQuestion
from gui.feed import Pictures
from gui.pages.city_panel import CityPanel
from gui.pages.inspector import Inspector
from gui.theme import Theme
from gui.widgets.parts import Button, row, stack
from gui.words import capital
from referee.layout import Layout
from referee.match import Setup
from vision.gate import Settled

WIDE = 300


class EditorSide(QWidget):
    """The inspector, and the panel of the city behind a tab of its own."""

    switched = pyqtSignal(bool)
    """People want to change the city, or the pieces again."""

    def __init__(self, theme: Theme, inspector: Inspector, city: CityPanel | None) -> None:
        super().__init__()
        self.setFixedWidth(theme.px(WIDE))
        self._inspector, self._city = inspector, city
        self._tabs: list[Button] = []
        if city is None:
            self.setLayout(stack(inspector))
            return
        for on_city, name in enumerate(("Pieces", capital(city.name))):
            tab = Button(theme, name, role="tab", key="V")
            tab.setCheckable(True)
            tab.clicked.connect(partial(self._switch, bool(on_city)))
            self._tabs.append(tab)
        self.setLayout(stack(row(*self._tabs, None, space=0), inspector, city, space=0))
        self.show_city(False)

    def show_city(self, on: bool) -> None:
        """The city's panel, or the inspector."""
        if self._city is not None:
            self._inspector.setVisible(not on)
            self._city.setVisible(on)
            for tab, chosen in zip(self._tabs, (not on, on), strict=True):
                tab.setChecked(chosen)

    def _switch(self, on_city: bool) -> None:
        self.switched.emit(on_city)


def city_panel(
    theme: Theme,
    setup: Setup,
    shown: Layout,
    rig: Rig | None,
    pictures: Pictures | None,
    reader: Callable[[], CityReader],
) -> CityPanel | None:
    """The panel of a table's city; None where its edition has none. Proposals need cameras and pictures, and `shown`
    is what stands in those."""
    kinds = city_kinds(setup)
    if not kinds:
        return None
    question = None
    if rig is not None and pictures and "overhead" in pictures:
        question = CityQuestion(Settled(pictures, 0.0, None), shown, rig, setup.kit)
    return CityPanel(theme, kinds, reader, question)
