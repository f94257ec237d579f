"""Both views laid on levels: they agree on a disc top on its own level, and on no other."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from calibration.camera import Rig
from gui.stills import read_struct
from referee.layout import Column
from referee.pieces import Kit
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision.at_once import alone
from vision.evidence import Evidence
from vision.first_look import first_look
from vision.floors import STEP_CELLS, UNSEEN, Floors, Grid, Layers, floors_of, grid_over, laid_on, layers_of
from vision.odds import TOP
from vision.seek import Box
from vision.single import AGAINST, LEVELS, level_doubt
from vision.told import told_of, without_net
from vision.view import Lens, Picture, view_of

FILM = Path(__file__).resolve().parent.parent / "sample_frames" / "film_two_players"
BOX = Box(-150.0, -120.0, 140.0, 110.0)
LENSES = [Lens(RIG.overhead), Lens(RIG.side)]
MIDDLE = np.array([0.0, 0.0, 10.0])


def grid() -> Grid:
    return grid_over(BOX, LENSES[1].eye, KIT)


def test_cells_and_spots_are_the_same_both_ways() -> None:
    found = grid()
    columns, rows = np.meshgrid(np.arange(found.shape[1]), np.arange(found.shape[0]))
    np.testing.assert_allclose(found.cells(found.spots()), np.stack([columns, rows], axis=-1), atol=1e-9)


def test_the_grid_covers_the_box_and_its_rows_run_towards_the_side_camera() -> None:
    found = grid()
    assert all(size % STEP_CELLS == 0 for size in found.shape)
    corners = np.array([(x, y) for x in (BOX.left, BOX.right) for y in (BOX.bottom, BOX.top)])
    cells = found.cells(corners)
    assert (cells > -1).all()
    assert (cells < np.array(found.shape[::-1])).all()
    first, last = found.spots()[0].mean(axis=0), found.spots()[-1].mean(axis=0)
    eye = LENSES[1].eye[:2]
    assert np.hypot(*(last - eye)) < np.hypot(*(first - eye))


def with_a_disc_top(x: float, y: float, z: float) -> list[Layers]:
    """Both views where nothing but one disc top is seen, and taken for one."""
    turn = np.linspace(0, 2 * np.pi, 60)
    rim = np.column_stack([np.cos(turn), np.sin(turn)]) * KIT.disc_radius_mm + (x, y)
    found = []
    for lens in LENSES:
        camera = lens.camera
        shares = np.zeros((camera.height, camera.width, 7), np.float32)
        seen = lens.project(np.column_stack([rim, np.full(60, z)]))
        top = cv2.fillPoly(np.zeros(shares.shape[:2], np.uint8), [np.rint(seen).astype(np.int32)], (1,))
        shares[..., TOP] = top
        found.append(layers_of(lens, np.full((camera.height, camera.width, 3), 90, np.uint8), shares, MIDDLE, KIT))
    return found


@pytest.mark.parametrize("discs", [1, 3, 5])
def test_views_agree_on_a_top_on_its_own_level_alone(discs: int) -> None:
    layers = with_a_disc_top(20.0, -30.0, KIT.column_top_mm(discs))
    shared = {}
    for level in (discs - 1, discs, discs + 1):
        shown = laid_on(layers, grid(), KIT.disc_height_mm * level)
        above, aside = shown[TOP - 1], shown[10 + TOP - 1]
        shared[level] = float((above * aside).sum() / np.sqrt((above**2).sum() * (aside**2).sum()))
    assert shared[discs] > 0.85
    assert max(shared[discs - 1], shared[discs + 1]) < shared[discs] - 0.1


def test_a_foot_is_told_where_it_shows() -> None:
    level = KIT.column_top_mm(4)
    shown, cells = laid_on(with_a_disc_top(0.0, 0.0, level), grid(), level), grid()
    spot = np.array([10.0, 15.0])
    column, row = np.rint(cells.cells(spot)).astype(int)
    at = cells.spots()[row, column]
    for first, lens, usual in ((8, LENSES[0], 16.0), (18, LENSES[1], 64.0)):
        ray = lens.project(np.array([[*at, 0.0]]))
        there = cells.cells(lens.on_plane(ray, level)[0, :2])
        np.testing.assert_allclose(shown[first : first + 2, row, column] * usual, there - (column, row), atol=0.1)


def test_odds_are_told_about_spots_and_where_they_are_highest() -> None:
    odds = np.full((3, *grid().shape), -4.0, np.float32)
    column, row = np.rint(grid().cells(np.array([12.0, -8.0]))).astype(int)
    odds[1, row, column] = 2.0
    floors = Floors(grid(), odds)
    assert floors.at(np.array([[12.0, -8.0]]), 2)[0] > 1.0
    assert floors.at(np.array([[12.0, -8.0]]), 1)[0] == pytest.approx(-4.0)
    assert floors.worth((12.0, -8.0), 2) > 0 > floors.worth((12.0, -8.0), 4)
    assert [len(spots) for _, spots in floors.likely(0.0)] == [0, 1, 0]
    np.testing.assert_allclose(floors.likely(0.0)[1][1][0], (12.0, -8.0), atol=grid().cell_mm)


def test_where_not_both_views_look_no_column_is_likely() -> None:
    """All cells there have the same odds, and each of them would be the highest about."""
    odds = np.full((1, *grid().shape), UNSEEN, np.float32)
    assert len(Floors(grid(), odds).likely(UNSEEN - 0.5)[0][1]) == 0
    odds[0, 7, 9] = UNSEEN + 1
    assert len(Floors(grid(), odds).likely(UNSEEN - 0.5)[0][1]) == 1


def views() -> list[Evidence]:
    pair = drawn(SECOND, seed=6)
    found = [Evidence(view_of(pair[name], RIG.cameras[name], name)) for name in ("overhead", "side")]
    return [told_of(one, MIDDLE, KIT) for one in found]


def test_one_view_alone_tells_no_levels() -> None:
    assert floors_of(views()[:1], BOX, KIT, 8) is None


def test_without_the_net_nothing_is_told() -> None:
    with without_net():
        assert floors_of(views(), BOX, KIT, 8) is None


def test_levels_that_are_asked_side_by_side_are_told_as_one_after_another() -> None:
    told = views()
    together = floors_of(told, BOX, KIT, 8)
    with alone():
        in_turn = floors_of(told, BOX, KIT, 8)
    assert together is not None
    assert in_turn is not None
    np.testing.assert_array_equal(together.odds, in_turn.odds)


def frame(video: Path, number: int) -> Picture:
    """One frame of the bundled film."""
    film = cv2.VideoCapture(str(video))
    for _ in range(number):
        film.grab()
    _, picture = film.read()
    film.release()
    return np.asarray(picture, np.uint8)


def test_columns_of_the_bundled_film_have_the_highest_odds_at_their_own_height() -> None:
    state = next(s for s in msgspec.json.decode((FILM / "film.json").read_bytes())["states"] if s["turn"] == 5)
    pair = {name: frame(FILM / f"{name}.mp4", state["first_frame"] + 8) for name in ("overhead", "side")}
    look = first_look(pair, read_struct(FILM / "rig.json", Rig), read_struct(FILM / "kit.json", Kit))
    floors, overhead = look.floors, look.views[0].lens
    assert floors is not None
    for column in state["layout"]["columns"]:
        top = np.array([[column["x"], column["y"], look.kit.column_top_mm(column["height"])]])
        ray = overhead.project(top)
        spots = [overhead.on_plane(ray, look.kit.column_top_mm(n))[:, :2] for n in range(1, 9)]
        odds = [float(floors.at(spot, n)[0]) for n, spot in enumerate(spots, start=1)]
        assert int(np.argmax(odds)) + 1 == column["height"]
        assert max(odds) > 0
    # Next to it, where nothing stands, no height is likely.
    assert max(float(floors.at(np.array([[130.0, 130.0]]), n)[0]) for n in range(1, 9)) < -2


@pytest.mark.parametrize(
    ("own", "other", "doubt"),
    [
        (0.5, 0.1, None),
        (0.5, 0.3, LEVELS),
        (0.4, -2.0, None),
        (0.2, -2.0, LEVELS),
        (-1.4, -4.0, LEVELS),
        (-1.6, -4.0, AGAINST),
    ],
)
def test_a_height_is_doubted_where_its_level_does_not_speak_for_it(own: float, other: float, doubt: str | None) -> None:
    """A little, or so much that what it bears is doubted too."""
    odds = np.full((4, *grid().shape), other, np.float32)
    odds[1] = own
    column = Column("c1", 10.0, -5.0, 2, False, None)
    assert level_doubt(Floors(grid(), odds), LENSES[0], column, KIT) == doubt
    assert level_doubt(None, LENSES[0], column, KIT) is None
