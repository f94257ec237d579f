"""The views beside the hero: plan, 3D, side picture and evidence, one at a time, large."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QButtonGroup, QFrame, QStackedWidget, QWidget

from calibration.camera import Rig
from gui.feed import Pictures
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.evidence import EvidenceView
from gui.widgets.missions import MissionView
from gui.widgets.parts import Button, row, stack
from gui.widgets.picture import PictureView
from gui.widgets.plan import PlanView
from gui.widgets.solid import SolidView
from referee.ruling import State


class Views(QFrame):
    """Tabs over one large view; only the one on top is drawn."""

    chosen = pyqtSignal(str)

    def __init__(self, theme: Theme, mission: bool) -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("role", "panel")
        self.plan, self.side, self.evidence = PlanView(theme), PictureView(theme, "side", "panel"), EvidenceView(theme)
        self.missions = MissionView(theme) if mission else None
        self.solid: SolidView | None = None
        self._empty_solid = QWidget()
        self._pages: dict[str, QWidget] = {"Plan": self.plan, "3D": self._empty_solid, "Side": self.side}
        if self.missions is not None:
            self._pages["Missions"] = self.missions
        self._pages["Evidence"] = self.evidence
        self.pages, self._group = QStackedWidget(), QButtonGroup(self)
        tabs = []
        for number, (name, page) in enumerate(self._pages.items()):
            tab = Button(theme, name, role="tab", key=f"V, or {number + 1} with Alt")
            tab.setCheckable(True)
            tab.clicked.connect(lambda _=False, name=name: self.show_page(name))
            self._group.addButton(tab, number)
            tabs.append(tab)
            self.pages.addWidget(page)
        self.setLayout(stack(row(*tabs, None, space=0), self.pages, space=STEP // 2, margin=STEP))
        self._scene = Scene()
        self._rig: Rig | None = None
        self._crop: QPixmap | None = None
        self._state: State | None = None
        self.show_page("Plan")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._pages)

    @property
    def page(self) -> str:
        return list(self._pages)[self.pages.currentIndex()]

    def show_page(self, name: str) -> None:
        """Bring a view up; bodies are made when they are first asked for."""
        if name == "3D" and self.solid is None:
            self.solid = SolidView(self.theme)
            index = self.pages.indexOf(self._empty_solid)
            self.pages.removeWidget(self._empty_solid)
            self.pages.insertWidget(index, self.solid)
            self._pages["3D"] = self.solid
        if name in self._pages:
            number = list(self._pages).index(name)
            self.pages.setCurrentIndex(number)
            button = self._group.button(number)
            if button is not None:
                button.setChecked(True)
            self._draw()
            self.chosen.emit(name)

    def next_page(self) -> None:
        names = list(self._pages)
        self.show_page(names[(names.index(self.page) + 1) % len(names)])

    def show_scene(self, scene: Scene, rig: Rig | None, crop: QPixmap | None, state: State | None) -> None:
        self._scene, self._rig, self._crop, self._state = scene, rig, crop, state
        self._draw()

    def _draw(self) -> None:
        """Only the view on top; the others when they come up."""
        scene, cameras = self._scene, self._rig.cameras if self._rig is not None else {}
        match self.page:
            case "Plan":
                self.plan.turn_as(cameras.get("overhead"))
                self.plan.show_scene(scene)
            case "Side":
                self.side.show_scene(scene, cameras.get("side"))
            case "Evidence":
                self.evidence.show_scene(scene, self._crop)
            case "Missions" if self.missions is not None:
                self.missions.show_state(self._state, scene.players)
            case "3D" if self.solid is not None:
                self.solid.turn_as(cameras.get("overhead"))
                self.solid.show_scene(scene)

    def show_pictures(self, pictures: Pictures) -> None:
        if "side" in pictures:
            self.side.show_picture(pictures["side"])
