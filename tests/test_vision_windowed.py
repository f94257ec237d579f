"""Parts of pictures: what is worked out about a few pixels is what a look at all of the picture tells."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera
from vision.evidence import Evidence
from vision.tensors import sideways_at, structure_in
from vision.view import Floats, Lens, Singles, View, sampled
from vision.windowed import MARGIN_PX, Windowed

HEIGHT, WIDTH = 240, 320
RNG = np.random.default_rng(3)
LIGHT: Singles = RNG.uniform(0, 255, (HEIGHT, WIDTH, 3)).astype(np.float32)
CAMERA = Camera(
    WIDTH,
    HEIGHT,
    ((300.0, 0.0, 160.0), (0.0, 300.0, 120.0), (0.0, 0.0, 1.0)),
    (0.0,) * 5,
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    (0.0, 0.0, 500.0),
)


def _made(asked: list[tuple[slice, slice]]) -> Windowed:
    def make(rows: slice, columns: slice) -> Singles:
        asked.append((rows, columns))
        return LIGHT[rows, columns]

    return Windowed(LIGHT.shape, make)


def _spots(low: tuple[float, float], high: tuple[float, float], many: int = 200) -> Floats:
    return RNG.uniform(low, high, (many, 2))


@pytest.mark.parametrize(
    ("low", "high"),
    [((150, 100), (170, 130)), ((-4, -4), (6, 6)), ((310, 230), (330, 250)), ((-900, 50), (-800, 60))],
    ids=["within", "at the first corner", "at the last corner", "outside"],
)
def test_what_is_read_from_a_part_is_what_the_whole_picture_shows(
    low: tuple[float, float], high: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    spots = _spots(low, high)
    spots[: len(spots) // 2] = np.rint(spots[: len(spots) // 2] * 32) / 32
    monkeypatch.setattr(np, "empty", lambda shape, kind: np.full(shape, np.nan, kind))
    assert np.array_equal(_made([]).at(spots), sampled(LIGHT, spots))


def test_a_window_grows_and_nothing_in_it_is_made_again() -> None:
    asked: list[tuple[slice, slice]] = []
    picture = _made(asked)
    for _ in range(3):
        picture.at(_spots((150, 100), (160, 110)))
    picture.at(_spots((150 - MARGIN_PX / 2, 100), (160, 110)))
    assert len(asked) == 1
    assert asked[0][1].stop - asked[0][1].start < WIDTH / 2
    far = _spots((20, 20), (30, 30))
    assert np.array_equal(picture.at(far), sampled(LIGHT, far))
    both = _spots((20, 20), (160, 110))
    assert np.array_equal(picture.at(both), sampled(LIGHT, both))
    made = np.zeros((HEIGHT, WIDTH), int)
    for rows, columns in asked:
        made[rows, columns] += 1
    assert made.max() == 1


def test_no_pixels_ask_for_nothing() -> None:
    asked: list[tuple[slice, slice]] = []
    assert _made(asked).at(np.zeros((5, 0, 2))).shape == (5, 0, 3)
    assert not asked


def test_a_part_of_a_structure_tensor_is_that_of_the_whole() -> None:
    whole = structure_in(LIGHT, slice(0, HEIGHT), slice(0, WIDTH))
    for rows, columns in (
        (slice(0, 70), slice(0, 9)),
        (slice(60, 201), slice(77, 130)),
        (slice(200, 240), slice(300, 320)),
    ):
        assert np.array_equal(structure_in(LIGHT, rows, columns), whole[rows, columns])


def test_at_pixels_that_lie_apart_the_tensor_is_that_of_the_whole() -> None:
    spots = _spots((2, 2), (WIDTH - 3, HEIGHT - 3), 1001)
    whole = structure_in(LIGHT, slice(0, HEIGHT), slice(0, WIDTH))
    assert sideways_at(LIGHT, spots) == pytest.approx(sampled(whole, spots)[:, 0], rel=1e-6)


def test_blurred_edges_of_a_part_are_those_of_the_whole_picture() -> None:
    view = View(Lens(CAMERA), LIGHT.astype(np.uint8))
    part, whole = Evidence(view), Evidence(view)
    whole.work_out()
    spots = _spots((120, 90), (150, 120))
    assert part.soft_edges[0].at(spots) == pytest.approx(whole.soft_edges[0].at(spots), rel=1e-6)


def test_colours_are_read_without_making_floats_of_the_whole_picture() -> None:
    view = View(Lens(CAMERA), LIGHT.astype(np.uint8))
    for low, high in (((150, 100), (170, 130)), ((-6, 230), (5, 250)), ((400, 400), (410, 410))):
        spots = _spots(low, high).reshape(-1, 4, 2)
        assert np.array_equal(view.colours_at(spots), sampled(view.picture.astype(np.float32), spots))


def test_moved_points_are_seen_where_each_of_them_is() -> None:
    lens, points, moves = Lens(CAMERA), RNG.uniform(-50, 50, (7, 3)), RNG.uniform(-20, 20, (5, 2))
    pixels, depth_mm = lens.project_moved(points, moves)
    moved = points + np.pad(moves, ((0, 0), (0, 1)))[:, None]
    assert pixels == pytest.approx(lens.project(moved), abs=1e-9)
    assert depth_mm == pytest.approx(lens.depth_mm(moved), abs=1e-9)
