"""How far along itself a stick lies."""

from __future__ import annotations

import dataclasses
import functools
import math

import cv2
import numpy as np
import pytest
from msgspec.structs import replace

from referee.layout import Road
from tests.test_vision_watch import C2, FIRST, KIT, PLAYERS, R2, SECOND, pictures
from tests.vision_drawing import RIG, drawn, road_between
from vision.along import Place, place_along
from vision.bodies import stick_body, stick_pose
from vision.depth import with_solids
from vision.evidence import Evidence
from vision.fit import Fit, Scene, Support
from vision.found import Found
from vision.kept import present
from vision.region import play_box
from vision.rests import Rest
from vision.roads import is_slid
from vision.scoring import score
from vision.sigmas import MOST_UNCLEAR_MM, OPEN_MM, column_sigma, pixel_mm_at, tip_sigmas
from vision.solids import Prism, cylinder, solid_of
from vision.view import Lens, Picture
from vision.views import evidence_of, scenes_of
from vision.watch import explain

COLUMNS = {"c2": solid_of(C2, KIT)}


def scenes(now: dict[str, Picture]) -> list[Scene]:
    views: list[Evidence] = evidence_of(now, pictures("first"), RIG, play_box(FIRST, RIG, KIT))
    return scenes_of(views, FIRST, KIT)


@functools.cache
def turn() -> list[Scene]:
    return scenes(pictures("second"))


def stick(slid_mm: float = 0.0, road: Road = R2) -> Prism:
    true = solid_of(road, KIT)
    return dataclasses.replace(true, origin=true.origin + slid_mm * true.axes[0])


@pytest.mark.parametrize("off_mm", [-5.0, -1.5, 0.0, 1.5, 5.0])
def test_a_stick_is_brought_back_along_itself(off_mm: float) -> None:
    place = place_along(turn(), stick(off_mm), COLUMNS)
    assert place is not None
    assert place.shift_mm == pytest.approx(-off_mm, abs=0.35)
    assert place.sigma_mm < 0.5


def test_a_stick_is_placed_without_history_too() -> None:
    place = place_along(present(turn()), stick(2.0), COLUMNS)
    assert place is not None
    assert place.shift_mm == pytest.approx(-2.0, abs=0.5)


def test_a_stick_that_no_view_shows_lies_where_such_sticks_do() -> None:
    assert place_along([], stick(), COLUMNS) is None
    place = place_along([], stick(), COLUMNS, Place(-4.0, 1.0, 1.0))
    assert place is not None
    assert place.shift_mm == pytest.approx(-4.0, abs=0.1)
    assert place.sigma_mm == pytest.approx(1.0, abs=0.1)


@pytest.mark.parametrize("usual_mm", [-1.0, 1.0])
def test_ends_that_are_seen_say_more_than_what_is_usual(usual_mm: float) -> None:
    place = place_along(present(turn()), stick(2.0), COLUMNS, Place(-2.0 + usual_mm, 3.0, 3.0))
    assert place is not None
    assert place.shift_mm == pytest.approx(-2.0, abs=0.5)


def shaded_past_tip(pair: dict[str, Picture], share: float) -> dict[str, Picture]:
    """The pair with a shadow on the disc past tip b whose far edge stands out more than the tip."""
    shaded = {}
    for name, picture in pair.items():
        lens = Lens(RIG.cameras[name])
        true = solid_of(R2, KIT)
        at = true.origin + true.half_mm * true.axes[2] + np.array([[0.5], [5.0]]) * true.axes[0] + 47.5 * true.axes[0]
        strip = np.concatenate([at - 8.0 * true.axes[1], (at + 8.0 * true.axes[1])[::-1]])
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.rint(lens.project(strip) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        dark = np.where(mask[..., None] > 0, picture * share, picture)
        shaded[name] = np.asarray(cv2.GaussianBlur(dark, (0, 0), 0.6), np.uint8)
    return shaded


def test_the_edge_of_a_shadow_past_the_tip_is_not_taken_for_the_tip() -> None:
    place = place_along(scenes(shaded_past_tip(pictures("second"), 0.5)), stick(), COLUMNS)
    assert place is not None
    assert abs(place.shift_mm) < 0.6


def test_where_no_end_shows_nothing_is_said() -> None:
    lids = {f"lid {i}": cylinder(x, y, 60.0, 100.0, 40.0) for i, (x, y, _) in enumerate((R2.a, R2.b))}
    hidden = [dataclasses.replace(s, depth=with_solids(s.depth, lids, s.evidence.lens)) for s in turn()]
    assert place_along(hidden[:1], stick(), COLUMNS) is None


def test_one_end_alone_tells_less_than_both() -> None:
    lid = {"lid": cylinder(R2.b[0], R2.b[1], 60.0, 100.0, 40.0)}
    hidden = [dataclasses.replace(s, depth=with_solids(s.depth, lid, s.evidence.lens)) for s in turn()]
    both, one = place_along(turn()[:1], stick(), COLUMNS), place_along(hidden[:1], stick(), COLUMNS)
    assert both is not None
    assert one is not None
    assert one.sigma_mm >= both.sigma_mm


def test_a_road_that_was_slid_is_seen_where_it_lies() -> None:
    yaw = math.atan2(R2.b[1] - R2.a[1], R2.b[0] - R2.a[0])
    by = (3.0 * math.cos(yaw), 3.0 * math.sin(yaw), 0.0)
    whole = road_between("r2", FIRST.columns[1], C2, KIT, levels=(1, 0))
    a, b = (tuple(t + d for t, d in zip(tip, by, strict=True)) for tip in (whole.a, whole.b))
    table = replace(SECOND, roads=(SECOND.roads[0], replace(R2, a=a, b=b)), cars=SECOND.cars[:1])
    found = explain(FIRST, pictures("first"), drawn(table, seed=3), RIG, KIT, PLAYERS, "purple")
    errors = np.array(score(found, table, only_new_to=FIRST).tip_errors_mm)
    assert np.hypot(errors[:, 0], errors[:, 1]).max() < 0.5


def fit_of(yaw_rad: float = 0.0, spread_mm: float = 0.04, chi2: float = 0.2) -> Fit:
    """A stick whose fit leaves so much open across and in height, and nothing along it, as where that is held."""
    half = KIT.road_length_mm / 2 * np.array([math.cos(yaw_rad), math.sin(yaw_rad), 0.0])
    pose = stick_pose(np.array([0.0, 0.0, 20.0]) - half, np.array([0.0, 0.0, 20.0]) + half)
    spread = np.zeros((5, 3))
    spread[:2, 0], spread[3, 1], spread[4, 2] = (-math.sin(yaw_rad), math.cos(yaw_rad)), 1.0, 1.0
    support = (Support(60.0, 1.0, 0.9, 110), Support(60.0, 1.0, 0.9, 160))
    return Fit(pose, spread_mm**2 * spread @ spread.T, chi2, support, stick())


def test_error_bars_grow_with_what_a_fit_leaves_open_and_with_how_far_its_lines_stray() -> None:
    clear, loose, stray = (
        tip_sigmas(fit_of(**more), KIT.road_length_mm, 0.2) for more in ({}, {"spread_mm": 0.12}, {"chi2": 0.5})
    )
    for wider in (loose, stray):
        assert all(wide > 1.2 * narrow for wide, narrow in zip(wider.a, clear.a, strict=True))
    assert 0.1 < clear.a[1] < 0.3
    assert 0.1 < clear.a[2] < 0.3


def test_a_stick_is_as_uncertain_along_itself_as_its_ends_and_its_lines_say() -> None:
    along, aside = (tip_sigmas(fit_of(yaw), KIT.road_length_mm, 0.5).a for yaw in (0.0, math.pi / 2))
    assert along[0] == pytest.approx(aside[1])
    assert along[1] == pytest.approx(aside[0])
    assert along[1] < along[0] < 0.5
    # Where its ends may be somewhere else altogether, sharp lines do not make up for that.
    assert tip_sigmas(fit_of(), KIT.road_length_mm, OPEN_MM + 0.1).a[0] >= OPEN_MM


def test_how_high_a_stick_lies_is_known_by_what_bears_it_where_no_line_tells() -> None:
    blind = tip_sigmas(fit_of(spread_mm=5.0), KIT.road_length_mm, 0.5)
    assert 1.5 < blind.a[2] < 2.0
    asked = tip_sigmas(fit_of(spread_mm=5.0), KIT.road_length_mm, 0.5, (4.0, 0.0))
    assert asked.a[2] > 4.0 > asked.b[2]


def test_a_column_is_the_less_certain_the_wider_a_pixel_is() -> None:
    fine, coarse = (column_sigma(column_seen(0.9, 0.9), mm)[0] for mm in (0.4, 1.2))
    assert coarse > fine
    assert 0.3 < pixel_mm_at(turn(), np.array([0.0, 0.0, 20.0])) < 1.0


def test_a_stick_slid_along_itself_is_the_same_answer_but_one_beside_it_is_not() -> None:
    pose = stick_pose(np.array(R2.a), np.array(R2.b))
    support = (Support(60.0, 1.0, 0.9, 110), Support(60.0, 1.0, 0.9, 160))

    def way(along_mm: float, aside_mm: float, height: int = 2) -> Found:
        moved = pose.copy()
        moved[:2] += along_mm * np.array([math.cos(pose[2]), math.sin(pose[2])])
        moved[:2] += aside_mm * np.array([-math.sin(pose[2]), math.cos(pose[2])])
        rests = (Rest(float(pose[3]), "c1", 3), Rest(float(pose[4]), height=height))
        return Found(Fit(moved, np.eye(5), 0.1, support, stick_body(KIT).prism(moved)), rests, (None, None))

    assert is_slid(way(7.0, 0.0), way(0.0, 0.0), KIT)
    assert not is_slid(way(7.0, 4.0), way(0.0, 0.0), KIT)
    assert not is_slid(way(7.0, 0.0, height=3), way(0.0, 0.0), KIT)


def column_seen(visible: float, seen: float) -> Fit:
    """A column's fit of which both views show such a share, and of that such a share is on edges."""
    support = (Support(1.0, visible, seen, 80),) * 2
    return Fit(np.zeros(2), 1e-4 * np.eye(2), 1.0, support, solid_of(C2, KIT))


def test_the_less_of_a_column_is_seen_the_wider_is_its_error() -> None:
    shares = [(0.9, 0.9), (0.6, 0.8), (0.6, 0.6), (0.3, 0.8), (0.2, 0.5), (0.0, 0.0)]
    wide = [column_sigma(column_seen(*one), 0.4)[0] for one in shares]
    assert wide == sorted(wide)
    assert wide[0] < 0.25
    assert wide[3] > 2 * wide[0]
    assert wide[-1] == pytest.approx(MOST_UNCLEAR_MM, abs=0.1)
