"""One board before two cameras whose clocks disagree: the offset is found, or left alone where it does not matter."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Rig
from calibration.charuco import BoardSeen
from calibration.pair_compare import compare_pair, pair_error_px
from calibration.rig_checks import NAMES
from calibration.rig_quality import triangulate
from calibration.rig_solve import solve_rig
from calibration.sheets import LENS_BOARD
from calibration.together import at_time, boards_together
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import lens_near

FPS = 6.0
NOISE_PX = 0.05
RIG = random_rig(np.random.default_rng(8), np.zeros(3), 500.0, (1280, 720))
LENSES = {name: lens_near(camera, np.random.default_rng(2)) for name, camera in RIG.cameras.items()}


def seen(camera: Camera, time_s: float, true_s: float, speed: float, rng: np.random.Generator) -> BoardSeen:
    """The board as it is at one moment, stamped with another."""
    flat = LENS_BOARD.corners_mm()
    points = np.column_stack([flat - flat.mean(axis=0), np.zeros(len(flat))]) * [1.0, -1.0, 1.0]
    centres = [one.centre_in_table() for one in RIG.cameras.values()]
    up = np.sum([centre / np.linalg.norm(centre) for centre in centres], axis=0)
    phase = speed * true_s
    turn = cv2.Rodrigues(0.3 * np.array([np.sin(1.1 * phase), np.cos(0.7 * phase), np.sin(0.5 * phase)]))[0]
    across = np.cross(up, [0.3, 0.5, 0.1])
    across /= np.linalg.norm(across)
    up /= np.linalg.norm(up)
    facing = np.column_stack([across, np.cross(up, across), up])
    place = [60 * np.sin(phase), 50 * np.cos(0.8 * phase), 90 + 30 * np.sin(0.6 * phase)]
    pixels = camera.project(points @ (turn @ facing).T + place)
    inside = np.flatnonzero(((pixels > 4) & (pixels < [camera.width - 5, camera.height - 5])).all(axis=1))
    noisy = pixels[inside] + rng.normal(0.0, NOISE_PX, (len(inside), 2))
    return BoardSeen(inside, noisy, (camera.width, camera.height), f"{time_s:.2f} s", 1.0, time_s)


def views(side_later_s: float, speed: float = 1.5) -> dict[str, list[BoardSeen]]:
    """What both clocks say while a board is waved for six seconds."""
    rng = np.random.default_rng(5)
    times = np.arange(36) / FPS
    later = {"overhead": 0.0, "side": side_later_s}
    return {
        name: [seen(RIG.cameras[name], float(t), float(t) - later[name], speed, rng) for t in times] for name in NAMES
    }


@pytest.mark.parametrize("side_later_s", [-0.21, -0.05, 0.118])
def test_the_offset_of_the_two_clocks_is_found_and_the_pair_solved_in_spite_of_it(side_later_s: float) -> None:
    found = boards_together(views(side_later_s), LENSES, LENS_BOARD)
    assert found.side_later_s == pytest.approx(side_later_s, abs=0.006)
    rig = solve_rig({}, LENSES, 1.0, found.pairs, LENS_BOARD)
    points = np.array([[-80.0, 0.0, 0.0], [80.0, 0.0, 0.0], [0.0, 90.0, 40.0], [0.0, -70.0, 10.0]])
    there = triangulate(rig, RIG.overhead.project(points), RIG.side.project(points))
    gaps, true_gaps = (np.linalg.norm(p[:, None] - p[None], axis=2) for p in (there, points))
    assert np.abs(gaps - true_gaps).max() < 0.5


def test_clocks_that_agree_are_believed_and_their_views_used_as_they_are() -> None:
    given = views(0.0)
    found = boards_together(given, LENSES, LENS_BOARD)
    assert found.side_later_s == 0.0
    assert [pair["side"] for pair in found.pairs] == given["side"]


def test_a_board_that_rests_needs_no_offset() -> None:
    assert boards_together(views(0.3, speed=0.0), LENSES, LENS_BOARD).side_later_s == 0.0


def test_one_camera_alone_makes_no_pairs() -> None:
    assert boards_together({"overhead": views(0.0)["overhead"]}, LENSES, LENS_BOARD).pairs == []


def test_the_board_between_views_lies_on_a_curve_and_beyond_them_nowhere() -> None:
    sides = views(0.0)["side"]
    between = at_time(sides, 1.55, LENS_BOARD)
    true = seen(RIG.side, 1.55, 1.55, 1.5, np.random.default_rng(0))
    assert between is not None
    common = np.isin(true.ids, between.ids)
    assert np.abs(between.corners_px[np.isin(between.ids, true.ids)] - true.corners_px[common]).max() < 0.6
    assert at_time(sides, -0.1, LENS_BOARD) is None
    assert at_time([*sides[:4], *sides[20:]], 1.9, LENS_BOARD) is None


def test_another_programs_pair_is_measured_at_moments_that_ours_was_held_out_of() -> None:
    given = views(0.1)
    found = compare_pair(given, LENSES, RIG.cameras, LENS_BOARD)
    assert found.ours_px == pytest.approx(found.theirs_px, rel=0.5)
    assert found.as_filmed_theirs_px > 5 * found.theirs_px
    assert found.turn_apart_deg < 0.2
    assert found.place_apart_mm < 0.005 * found.baseline_mm
    pairs = boards_together(given, LENSES, LENS_BOARD).pairs
    aside = Rig(RIG.cameras | {"side": RIG.overhead})
    assert pair_error_px(aside.cameras, pairs[:2], LENS_BOARD) > 10 * found.ours_px
