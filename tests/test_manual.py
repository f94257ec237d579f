"""Rigs from clicks: a coarse way, which says how coarse."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.manual import Click, assumed_lens, corners_mm, rig_from_clicks
from calibration.rig_checks import NAMES
from calibration.rig_quality import REACH_95, points_over, rig_errors
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import lens_near

SIZE = (1280, 720)
SIZES = dict.fromkeys(NAMES, SIZE)
A4_PAPER = corners_mm(297.0, 210.0)
AREA = ((-150.0, -120.0), (150.0, -120.0), (150.0, 120.0), (-150.0, 120.0))


def rig(seed: int) -> Rig:
    return random_rig(np.random.default_rng(seed), np.zeros(3), 460.0, SIZE)


def clicks(pair: Rig, seed: int, sigma_px: float = 1.2) -> dict[str, list[Click]]:
    rng = np.random.default_rng([seed, 1])
    points = np.array([(*corner, 0.0) for corner in A4_PAPER])
    pixels = {name: camera.project(points) + rng.normal(0, sigma_px, (4, 2)) for name, camera in pair.cameras.items()}
    return {
        name: [Click(*corner, float(x), float(y)) for corner, (x, y) in zip(A4_PAPER, seen, strict=True)]
        for name, seen in pixels.items()
    }


def test_four_clicks_in_each_picture_make_a_rig_that_knows_how_coarse_it_is() -> None:
    inside, xy = [], []
    for seed in range(6):
        pair = rig(seed)
        solved = rig_from_clicks(clicks(pair, seed), SIZES)
        errors = rig_errors(pair, solved, points_over(AREA))
        assert errors.in_sigmas is not None
        inside.append((errors.in_sigmas <= REACH_95).mean())
        xy.append(np.median(errors.xy_mm))
        assert solved.quality is not None
        assert solved.quality.grade == "poor"
        assert solved.quality.middle_mm > 0.5
    assert np.median(xy) < 3.0
    assert np.mean(inside) > 0.85


def test_a_known_lens_makes_clicks_better() -> None:
    pair = rig(3)
    lenses = {name: lens_near(camera, np.random.default_rng(0)) for name, camera in pair.cameras.items()}
    with_lens, without = rig_from_clicks(clicks(pair, 3), SIZES, lenses), rig_from_clicks(clicks(pair, 3), SIZES)
    assert with_lens.quality is not None
    assert without.quality is not None
    assert max(with_lens.quality.corners_mm) < max(without.quality.corners_mm)
    assert np.median(rig_errors(pair, with_lens, points_over(AREA)).xy_mm) < 2.0


def test_exact_clicks_with_the_true_lens_give_the_true_rig() -> None:
    pair = rig(5)
    lenses = {name: lens_near(camera, np.random.default_rng(0), 1e-3) for name, camera in pair.cameras.items()}
    solved = rig_from_clicks(clicks(pair, 5, 0.0), SIZES, lenses)
    assert rig_errors(pair, solved, points_over(AREA)).xy_mm.max() < 0.3


def test_each_bad_click_has_its_own_sentence() -> None:
    pair = rig(2)
    good = clicks(pair, 2)
    side = good["side"]
    line = [Click(float(n), 0.0, 100.0 * n, 100.0) for n in range(4)]
    backwards = [Click(-c.x_mm, c.y_mm, c.x_px, c.y_px) for c in side]
    bad = [
        ({"overhead": good["overhead"]}, "there is no side camera: a rig takes clicks of both"),
        (good | {"side": side[:3]}, "3 points are clicked in the side picture: it takes 4"),
        (good | {"side": [*side[:3], Click(0.0, 0.0, 5000.0, 3.0)]}, r"the click at \(5000, 3\) is outside the side"),
        (good | {"side": line}, "the points of the side picture lie on a line"),
        (good | {"side": backwards}, "the clicks in the side picture show the table from below"),
    ]
    for given, words in bad:
        with pytest.raises(CalibrationError, match=words):
            rig_from_clicks(given, SIZES)
    with pytest.raises(CalibrationError, match="its lens was solved at 640 x 480: take both at the same size"):
        rig_from_clicks(good, SIZES, {"side": assumed_lens(640, 480)})
