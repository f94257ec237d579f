"""How plan and picture are drawn: to scale, as fine as the screen, and fast enough to be calm."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QObject, QPointF
from PyQt6.QtGui import QColor, QPixmap
from PyQt6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gui.crowded import crowded_scene
from gui.film import SAMPLE_FILM, SAMPLE_MISSION, FilmFeed
from gui.scene import Scene
from gui.screenshots import posed
from gui.widgets.parts import Button
from gui.widgets.picture import PictureView
from gui.widgets.piece_marks import disc_mark, height_mark
from gui.widgets.plan import PlanView
from gui.window import Window
from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.dashboard import new_window

FRAME_MS = 16.0


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Window:
    return new_window(qtbot, tmp_path)


def median_ms(act: Callable[[], object], times: int = 15) -> float:
    """CPU time of this thread: what others do on the machine does not count."""
    act()
    taken = []
    for _ in range(times):
        begun = time.thread_time()
        act()
        taken.append((time.thread_time() - begun) * 1000)
    return statistics.median(taken)


def test_sixty_columns_and_sixty_roads_are_redrawn_within_a_frame(qtbot: QtBot, window: Window) -> None:
    plan, picture = PlanView(window.theme), PictureView(window.theme, "overhead")
    for view in (plan, picture):
        qtbot.addWidget(view)
        view.resize(900, 600)
    scene, camera = crowded_scene(60, 60), FilmFeed(SAMPLE_FILM).rig.overhead
    plan.show_scene(scene)
    picture.show_picture(np.zeros((camera.height, camera.width, 3), np.uint8))
    picture.show_scene(scene, camera)

    def redrawn() -> None:
        picture.draw_anew()
        picture.grab()

    assert median_ms(plan.grab) < FRAME_MS
    assert median_ms(redrawn) < FRAME_MS


def test_sticks_and_discs_of_the_plan_are_as_broad_as_the_pieces(qtbot: QtBot, window: Window) -> None:
    plan, kit = PlanView(window.theme), Kit()
    qtbot.addWidget(plan)
    plan.resize(900, 600)
    tops = [(x, 0.0, kit.lying_z_mm(1)) for x in (-100.0, 100.0)]
    columns = tuple(Column(f"c{i}", x, 0.0, 1, False, "purple") for i, (x, _, _) in enumerate(tops))
    road = Road("r0", tops[0], tops[1], "road", "c0", "c1", "purple")
    plan.show_scene(Scene(Layout(columns, (road,), ()), kit, ("purple", "green")))
    place = plan.pixels_from_table
    px_per_mm = abs(place.m11())
    for x, width_mm in ((0.0, kit.road_width_mm), (-100.0 - kit.disc_radius_mm / 2, kit.disc_diameter_mm * 0.75**0.5)):
        spot = place.map(QPointF(x, 0.0))
        drawn = coloured(plan.grab(), round(spot.x()), window.theme.colour("panel"))
        assert drawn.sum() == pytest.approx(width_mm * px_per_mm, abs=5.0), "half a rim lies outside"
        assert np.flatnonzero(drawn).mean() == pytest.approx(spot.y(), abs=1.0)


def coloured(picture: QPixmap, x: int, ground: QColor) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which pixels of a column of the picture are not the ground."""
    image = picture.toImage()
    return np.array([image.pixelColor(x, y) != ground for y in range(image.height())])


@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_marks_are_as_fine_as_the_screen(qtbot: QtBot, ratio: float) -> None:
    ink = QColor("white").rgb()
    for mark in (disc_mark(ink, ink, 2, 10.0, ratio), height_mark("circle", ink, ink, ink, 4, 10.0, 12, ratio)):
        assert mark.devicePixelRatio() == ratio
        assert mark.width() >= 20 * ratio


def test_nothing_is_drawn_anew_where_nothing_changed(qtbot: QtBot, window: Window) -> None:
    """Hands come and go over the same table many times in a turn."""
    page = posed(window, 1, lambda desk: desk.camera_lost("the side camera sends no pictures"))
    painted: list[str] = []
    qtbot.waitUntil(lambda: page.prompt.isVisible())
    for name, view in (
        ("picture", page.picture),
        ("plan", page.views.plan),
        ("answer", page.prompt.findChildren(Button)[0]),
    ):
        view.installEventFilter(Painted(view, name, painted))
    QApplication.processEvents()
    painted.clear()
    buttons = page.prompt.findChildren(Button)
    page.refresh()
    QApplication.processEvents()
    assert painted == []
    assert page.prompt.findChildren(Button) == buttons
    page.picture.show_picture(np.zeros((720, 1280, 3), np.uint8))
    QApplication.processEvents()
    assert painted == ["picture"], "the card over it stays as it is"


class Painted(QObject):
    """Notes whenever a widget is painted."""

    def __init__(self, of: QWidget, name: str, into: list[str]) -> None:
        super().__init__(of)
        self.name, self.into = name, into

    def eventFilter(self, _: QObject | None, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.Paint:
            self.into.append(self.name)
        return False


@pytest.mark.parametrize(("width", "height", "big"), [(1280, 800, False), (1920, 1080, False), (1920, 1080, True)])
def test_the_mission_board_shows_whole_on_every_screen(
    qtbot: QtBot, window: Window, width: int, height: int, big: bool
) -> None:
    window.big = big
    window.resize(width, height)
    window.fit()
    page = posed(window, 1, folder=SAMPLE_MISSION)
    page.views.show_page("Missions")
    QApplication.processEvents()
    board = page.views.missions
    assert board is not None
    bar = board.verticalScrollBar()
    assert bar is not None
    qtbot.waitUntil(lambda: bar.maximum() == 0)
