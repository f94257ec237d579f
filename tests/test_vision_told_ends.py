"""Where sticks end, as the net sees it: on pictures that it was not taught with, and as one voice of several."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.test_vision_along import COLUMNS, stick, turn
from tests.test_vision_told import layout, table, views
from tests.test_vision_watch import KIT
from vision.along import place_along
from vision.depth import depth_map
from vision.fit import Scene
from vision.kept import present
from vision.solids import solid_of, solids
from vision.told import without_net
from vision.told_ends import TELLS_NOTHING, Ends, but_for, ends_about, ends_in
from vision.view import Floats

INSIDE_MM = 12.0


def ends_of(road_mm: float, number: int) -> Floats:
    """What is taken for an end so far inside of each of both ends of all roads that nothing hides."""
    kit, view = table().kit, views()[number]
    told = ends_in(view)
    assert told is not None
    known = depth_map(solids(layout(), kit), view.lens)
    found = []
    for road in layout().roads:
        body = solid_of(road, kit)
        upper = body.origin + body.half_mm * body.axes[2]
        for side in (-1.0, 1.0):
            spots = upper + side * (kit.road_length_mm / 2 - np.array([[road_mm], [1.0]])) * body.axes[0]
            if not known.without(road.id).hides(view.lens.project(spots), view.lens.depth_mm(spots)).any():
                found.append(float(told.at(view.lens.project(spots[:1]))[1][0]))
    return np.array(found)


@pytest.mark.parametrize("number", [0, 1], ids=["overhead", "side"])
def test_ends_are_taken_for_ends_and_the_wood_before_them_is_not(number: int) -> None:
    assert np.median(ends_of(0.0, number)) > 0.5
    assert np.median(ends_of(INSIDE_MM, number)) < 0.2


def ridged(scene: Scene, at_mm: float) -> Ends:
    """A view in which just the far end of the stick seems to be, so far along it."""
    height, width = scene.depth.shape
    body = stick(at_mm)
    tip = body.origin + body.half_mm * body.axes[2] + np.ptp(body.outline[:, 0]) / 2 * body.axes[0]
    across = np.linspace(-0.3, 0.3, 25)[:, None] * KIT.road_width_mm * body.axes[1]
    tips = np.full((height, width), 0.02, np.float32)
    x, y = np.rint(scene.evidence.lens.project(tip + across)).astype(int).T
    tips[y, x] = 0.98
    return Ends(np.zeros(2), np.full((height, width), 0.5, np.float32), tips)


@pytest.mark.parametrize("end_mm", [-1.0, 1.0])
def test_what_is_taken_for_an_end_draws_the_stick_there(end_mm: float) -> None:
    scenes = present(turn())
    untold, told = (
        place_along(scenes, stick(), COLUMNS, None, ends)
        for ends in ([None, None], [ridged(scene, end_mm) for scene in scenes])
    )
    assert untold is not None
    assert told is not None
    assert (told.shift_mm - untold.shift_mm) * end_mm > 0.1


def test_about_one_stick_the_net_sees_what_it_sees_of_the_whole_view() -> None:
    kit, view = table().kit, views()[0]
    road = max(layout().roads, key=lambda one: min(one.a[2], one.b[2]))
    whole, part = ends_in(view), ends_about(view, solid_of(road, kit), kit)
    assert whole is not None
    assert part is not None
    assert part.sticks.size < whole.sticks.size / 4
    a, b = np.array(road.a), np.array(road.b)
    middle = view.lens.project(a + np.linspace(0.2, 0.8, 20)[:, None] * (b - a))
    assert part.at(middle)[0] == pytest.approx(whole.at(middle)[0], abs=0.35)


def test_a_net_that_is_not_asked_says_nothing_of_ends() -> None:
    view = views()[0]
    with without_net():
        assert ends_about(view, solid_of(layout().roads[0], table().kit), table().kit) is None
    assert ends_in(turn()[0].evidence) is None


def test_ends_of_other_sticks_tell_nothing_of_this_one_where_they_show() -> None:
    """What is taken for an end there is theirs; where something hides theirs it is not."""
    (scene, _), body = present(turn()), stick(0.0)
    ends = ridged(scene, 0.0)
    up, tip = body.half_mm * body.axes[2], np.ptp(body.outline[:, 0]) / 2 * body.axes[0]
    across = 0.3 * KIT.road_width_mm * body.axes[1]
    line = np.array([body.origin + up + tip - across, body.origin + up + tip + across])
    spots = scene.evidence.lens.project(line.mean(axis=0)[None])
    plain = replace(scene, depth=depth_map({}, scene.evidence.lens))
    over = replace(scene, depth=depth_map({"lid": replace(body, origin=body.origin + 20 * up)}, scene.evidence.lens))
    assert but_for(ends, plain, [line]).at(spots)[1] == pytest.approx(TELLS_NOTHING, abs=0.05)
    assert but_for(ends, over, [line]).at(spots)[1] == pytest.approx(ends.at(spots)[1])
    assert ends.at(spots)[1] > 2 * TELLS_NOTHING
