"""Rigs from tags: how exact, how honest, and each bad input in its own words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import msgspec
import numpy as np
import pytest
import shapely

from calibration.bundle_rows import PAPER_MM, PAPER_SIGMA_MM
from calibration.camera import Floats, Rig
from calibration.charuco import BoardSeen
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.rig_checks import NAMES
from calibration.rig_quality import REACH_95, SolvedRig, points_over, quality_of, radius_95, rig_errors, triangulate
from calibration.rig_solve import rig_from_pictures, solve_rig
from calibration.sheets import LENS_BOARD
from calibration.strips import strip_of
from calibration.tags import TagSeen
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import Laid, Shot, lens_near, photograph, strip, strips_round, true_tags

NOISE_PX = 0.05
CLEAR_MM = 170.0
AREA = tuple((CLEAR_MM * float(np.cos(a)), CLEAR_MM * float(np.sin(a))) for a in np.linspace(0, 2 * np.pi, 13)[:-1])

Tags = dict[str, dict[int, TagSeen]]


@dataclass(frozen=True)
class Table:
    """A true rig, the strips before it, and what its cameras make of them."""

    rig: Rig
    laid: tuple[Laid, ...]
    lenses: dict[str, Lens]
    tags: Tags


@cache
def table(seed: int, noise_px: float = NOISE_PX, print_scale: float = 1.0) -> Table:
    rng = np.random.default_rng(seed)
    laid = strips_round(rng, CLEAR_MM)
    if print_scale != 1.0:
        laid = tuple(Laid(p.page, p.cut, p.x_mm, p.y_mm, p.yaw_rad, print_scale) for p in laid)
    rig = random_rig(rng, np.zeros(3), 2 * CLEAR_MM + 120.0, ((1280, 720), (1920, 1080))[seed % 2])
    lenses = {name: lens_near(camera, rng) for name, camera in rig.cameras.items()}
    tags = {
        name: {
            tag: TagSeen(pixels + rng.normal(0.0, noise_px, (4, 2)), noise_px)
            for tag, pixels in true_tags(camera, laid).items()
        }
        for name, camera in rig.cameras.items()
    }
    return Table(rig, laid, lenses, tags)


@cache
def solved(seed: int) -> SolvedRig:
    return solve_rig(table(seed).tags, table(seed).lenses)


SEEDS = tuple(range(10))


def test_points_are_exact_to_a_tenth_of_a_millimetre_and_the_stated_error_holds() -> None:
    errors = [rig_errors(table(seed).rig, solved(seed), points_over(AREA)) for seed in SEEDS]
    xy, z = np.concatenate([e.xy_mm for e in errors]), np.concatenate([e.z_mm for e in errors])
    assert np.median(xy) < 0.05
    assert np.percentile(xy, 95) < 0.15
    assert np.median(z) < 0.05
    # Points of one rig err together: ten rigs tell the share that is inside only roughly.
    inside = [e.in_sigmas <= REACH_95 for e in errors if e.in_sigmas is not None]
    assert 0.88 < np.mean(inside) < 1.0


def test_pictures_become_a_rig() -> None:
    one = table(4)
    rng = np.random.default_rng(5)
    pictures = {name: [photograph(one.rig.cameras[name], one.laid, Shot(), rng)] for name in NAMES}
    rig = rig_from_pictures(pictures, one.lenses)
    errors = rig_errors(one.rig, rig, points_over(AREA))
    assert np.median(errors.xy_mm) < 0.05
    assert np.percentile(errors.xy_mm, 95) < 0.15
    assert np.median(errors.z_mm) < 0.05
    assert rig.reprojection_px < 0.2
    assert rig.quality is not None
    assert rig.quality.grade == "good"


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_the_table_frame_is_amid_the_tags_along_the_lowest_strip_with_z_up(seed: int) -> None:
    rig = solved(seed)
    corners = np.array(list(rig.tags.values()))
    assert corners.mean(axis=(0, 1)) == pytest.approx([0.0, 0.0, PAPER_MM], abs=1e-6)
    lowest = strip_of(min(rig.tags))
    assert lowest is not None
    inside = sorted(set(lowest.corners_mm) & set(rig.tags))
    along = np.mean(rig.tags[inside[-1]], axis=0) - np.mean(rig.tags[inside[0]], axis=0)
    assert along[0] > 0
    assert along[1] == pytest.approx(0.0, abs=1e-6)
    assert all(camera.centre_in_table()[2] > 0 for camera in rig.cameras.values())


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_the_play_area_lies_inside_the_strips_and_in_both_pictures(seed: int) -> None:
    rig = solved(seed)
    assert rig.play_area is not None
    area = shapely.Polygon(rig.play_area)
    assert area.is_valid
    assert area.area > 0.5 * np.pi * CLEAR_MM**2
    for corners in rig.tags.values():
        assert shapely.Polygon(np.array(corners)[:, :2]).intersection(area).area < 1.0
    points = np.array([(x, y, 0.0) for x, y in rig.play_area])
    for camera in rig.cameras.values():
        pixels = camera.project(points)
        assert (pixels > 0).all()
        assert (pixels < [camera.width, camera.height]).all()


def test_rig_json_holds_errors_and_words_and_is_a_plain_rig_too() -> None:
    rig = solved(0)
    text = msgspec.json.encode(rig)
    assert msgspec.json.decode(text, type=SolvedRig) == rig
    plain = msgspec.json.decode(text, type=Rig)
    assert (plain.cameras, plain.play_area) == (rig.cameras, rig.play_area)
    assert rig.quality is not None
    assert rig.quality.words == (
        f"{max(rig.quality.middle_mm, 0.05):.1f} mm at the middle, "
        f"{max(*rig.quality.corners_mm, 0.05):.1f} mm at the far corner; good"
    )


def test_samples_of_a_rig_scatter_points_as_their_sigmas_say() -> None:
    rig = solved(1)
    points = np.array([[0.0, 0.0, 0.0], [80.0, -60.0, 50.0], [-90.0, 70.0, 20.0]])
    overhead_px, side_px = rig.overhead.project(points), rig.side.project(points)
    drawn = [triangulate(sample, overhead_px, side_px) for sample in rig.samples(200, np.random.default_rng(3))]
    assert np.std(drawn, axis=0) == pytest.approx(rig.point_sigma_mm(points), rel=0.2)
    assert triangulate(rig, overhead_px, side_px) == pytest.approx(points, abs=1e-6)


def test_a_circle_of_95_percent_holds_95_percent() -> None:
    draws = np.random.default_rng(2).standard_normal((100_000, 2))
    for least in (0.0, 0.3, 0.7, 1.0):
        sigma = np.array([1.0, least])
        radius = radius_95(np.diag(sigma**2))
        assert (np.hypot(*(draws * sigma).T) < radius).mean() == pytest.approx(0.95, abs=0.004)


@pytest.mark.parametrize(("error_mm", "grade"), [(0.49, "good"), (0.51, "fair"), (0.99, "fair"), (1.01, "poor")])
def test_words_turn_at_half_a_millimetre_and_at_one(error_mm: float, grade: str) -> None:
    rig = solved(0)
    area = rig.play_area
    assert area is not None
    worst = max(quality_of(rig, area).middle_mm, *quality_of(rig, area).corners_mm)
    factor = (error_mm / worst) ** 2
    rows = tuple(tuple(factor * value for value in row) for row in rig.covariance)
    assert quality_of(msgspec.structs.replace(rig, covariance=rows), area).grade == grade


def test_a_print_that_is_3_percent_small_makes_a_small_rig_unless_it_is_told() -> None:
    one = table(3, NOISE_PX, 0.97)
    points = points_over(AREA)
    wrong, right = (solve_rig(one.tags, one.lenses, scale) for scale in (1.0, 0.97))
    assert np.percentile(rig_errors(one.rig, wrong, points).xy_mm, 95) > 3.0
    assert np.percentile(rig_errors(one.rig, right, points).xy_mm, 95) < 0.2


def test_cameras_that_share_one_strip_alone_still_make_a_rig() -> None:
    one = table(1)
    strips = sorted({first for tag in one.tags["overhead"] for first in [_first(tag)]})
    shared = strips[0]
    half = set(strips[1 : 1 + len(strips) // 2])
    tags = {
        "overhead": {t: seen for t, seen in one.tags["overhead"].items() if _first(t) in half | {shared}},
        "side": {t: seen for t, seen in one.tags["side"].items() if _first(t) not in half},
    }
    rig = solve_rig(tags, one.lenses)
    assert np.median(rig_errors(one.rig, rig, points_over(AREA)).xy_mm) < 0.3
    assert set(rig.tags) == set(tags["overhead"]) | set(tags["side"])


def _first(tag: int) -> int:
    found = strip_of(tag)
    assert found is not None
    return found.first


def test_a_tag_that_came_loose_is_outvoted() -> None:
    one = table(3)
    loose = min(set(one.tags["overhead"]) & set(one.tags["side"]))
    tags = {
        name: {t: TagSeen(s.corners_px + (3.0 if t == loose else 0.0), s.sigma_px) for t, s in seen.items()}
        for name, seen in one.tags.items()
    }
    rig = solve_rig(tags, one.lenses)
    assert np.percentile(rig_errors(one.rig, rig, points_over(AREA)).xy_mm, 95) < 0.3


def board_views(one: Table, count: int, rng: np.random.Generator) -> list[dict[str, BoardSeen]]:
    flat = LENS_BOARD.corners_mm()
    points = np.column_stack([flat - flat.mean(axis=0), np.zeros(len(flat))]) * [1.0, -1.0, 1.0]
    towards = np.array([c.centre_in_table() / np.linalg.norm(c.centre_in_table()) for c in one.rig.cameras.values()])
    views: list[dict[str, BoardSeen]] = []
    while len(views) < count:
        up = towards.sum(axis=0) + rng.normal(0, 0.2, 3)
        turned = _facing(up / np.linalg.norm(up), float(rng.uniform(0, 6.28)))
        at = points @ turned.T + rng.uniform([-60, -60, 40], [60, 60, 120])
        view = {}
        for name, camera in one.rig.cameras.items():
            pixels = camera.project(at)
            ids = np.flatnonzero(((pixels > 0) & (pixels < [camera.width, camera.height])).all(axis=1))
            if len(ids) > 12:
                noisy = pixels[ids] + rng.normal(0, 0.08, (len(ids), 2))
                view[name] = BoardSeen(ids, noisy, (camera.width, camera.height), name, 1.0)
        views += [view] if len(view) == 2 else []
    return views


def _facing(up: Floats, spin: float) -> Floats:
    aside = np.cross(up, [0.3, 0.5, 0.1])
    aside /= np.linalg.norm(aside)
    turned: Floats = np.column_stack([aside, np.cross(up, aside), up]) @ cv2.Rodrigues(np.array([0.0, 0.0, spin]))[0]
    return turned


def test_boards_before_both_cameras_make_a_rig_without_tags_and_help_one_with_them() -> None:
    one = table(2)
    views = board_views(one, 8, np.random.default_rng(4))
    alone = solve_rig({}, one.lenses, boards=views)
    # Its frame is the board's, at any angle to the table: lengths and heights compare, places do not.
    points = np.array([[-80.0, 0.0, 0.0], [80.0, 0.0, 0.0], [0.0, 90.0, 40.0], [0.0, -70.0, 10.0]])
    found = triangulate(alone, one.rig.overhead.project(points), one.rig.side.project(points))
    gaps, true_gaps = (np.linalg.norm(p[:, None] - p[None], axis=2) for p in (found, points))
    assert np.abs(gaps - true_gaps).max() < 0.3
    both = solve_rig(one.tags, one.lenses, boards=views)
    assert np.median(rig_errors(one.rig, both, points_over(AREA)).xy_mm) < 0.05
    with pytest.raises(CalibrationError, match="both cameras see the board at 2 moments: it takes 3"):
        solve_rig({}, one.lenses, boards=views[:2])


def test_cameras_whose_names_are_swapped_are_refused() -> None:
    one = table(1)
    swapped = dict(zip(NAMES, reversed(NAMES), strict=True))
    tags = {name: one.tags[other] for name, other in swapped.items()}
    with pytest.raises(CalibrationError, match=r"looks down by .* their files or cameras are swapped"):
        solve_rig(tags, {name: one.lenses[other] for name, other in swapped.items()})


def test_a_rig_owns_up_to_the_thickness_of_the_paper() -> None:
    rig = solved(1)
    higher = rig.point_sigma_mm(np.array([[0.0, 0.0, 0.0], [50.0, 60.0, 30.0]]))[:, 2]
    assert (higher >= PAPER_SIGMA_MM).all()


def few(tags: Tags, name: str, count: int) -> Tags:
    return tags | {name: dict(list(tags[name].items())[:count])}


def test_each_bad_input_has_its_own_sentence_and_makes_no_rig() -> None:
    one = table(1)
    strange = {299: next(iter(one.tags["side"].values()))}
    apart = {
        "overhead": {t: s for t, s in one.tags["overhead"].items() if _first(t) == _first(min(one.tags["overhead"]))},
        "side": {t: s for t, s in one.tags["side"].items() if _first(t) != _first(min(one.tags["overhead"]))},
    }
    bad: list[tuple[Tags, str]] = [
        ({"overhead": one.tags["overhead"]}, "there is no side camera"),
        (one.tags | {"side": {}}, "no tags in the side picture"),
        (few(one.tags, "side", 3), "3 of the needed 4 tags in the side picture"),
        (few(one.tags, "overhead", 1), "1 of the needed 4 tags in the overhead picture"),
        (apart, "no strip is seen by both cameras"),
        (one.tags | {"side": one.tags["side"] | strange}, "tag 299 in the side picture is on none of our sheets"),
    ]
    for tags, words in bad:
        with pytest.raises(CalibrationError, match=words):
            solve_rig(tags, one.lenses)
    with pytest.raises(CalibrationError, match="there is no overhead camera: a rig takes a lens of both"):
        solve_rig(one.tags, {"side": one.lenses["side"]})
    assert solve_rig(few(one.tags, "side", 4), one.lenses).quality is not None


def test_any_four_tags_of_one_strip_are_enough_though_coarse() -> None:
    one = table(4)
    first = _first(min(one.tags["side"]))
    tags = {name: {t: s for t, s in seen.items() if _first(t) == first} for name, seen in one.tags.items()}
    rig = solve_rig(tags, one.lenses)
    assert rig.quality is not None
    full = solve_rig(one.tags, one.lenses).quality
    assert full is not None
    assert rig.quality.middle_mm > full.middle_mm


def test_strips_of_either_paper_lie_together() -> None:
    assert [_first(tag) for tag in (0, 3, 4, 47, 147)] == [0, 0, 4, 44, 144]
    letter, card = strip_of(101), strip_of(61)
    assert letter is not None
    assert card is not None
    assert (letter.first, letter.card) == (100, False)
    assert (card.first, card.card) == (60, True)
    assert strip_of(48) is None
    piece = strip(1, 0.0, 0.0, 0.0)
    mine = strip_of(4)
    assert mine is not None
    for tag, corners in piece.tags_in_table().items():
        assert corners[:, :2] == pytest.approx(mine.corners_mm[tag], abs=10.0)
