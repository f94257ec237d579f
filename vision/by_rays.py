"""A stick that one view from aside shows, where it comes to rest.

From aside lines tell to a pixel where a stick's tips are seen, and next to nothing of how far off they are: that
follows from how high they lie. So each tip is put where the ray of its pixel meets the height at which the stick rests.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.at_rest import with_new
from vision.bodies import stick_body, stick_pose, stick_tips
from vision.fit import Fit, Scene, fits
from vision.found import FREE, Found
from vision.piles import APART
from vision.refit import levels_of
from vision.rested import Heap, Resting
from vision.sigmas import CORRELATED, lines_alike
from vision.view import Floats, Lens

HELD_MM = 0.1
"""How firmly tips are held at a height while their place is fitted."""
ASIDE_MM = 3.0
"""How far beside the middle of a column people lay sticks."""
POINT, ODD, EVEN = 0.55, 4.0, 1.0
"""What counts for the log-odds of heights: a point of the stick's score, that it would lie in, under or over the sticks
that it meets, and that it would lie as high as if it were not tilted."""
ROUNDS = 2
"""Where a stick is seen to lie hangs on how high it rests, and that on what it meets there."""
TIP_PX, LEVEL_MM = 0.6, 0.5
"""How far off tips are as a rule in the picture, and how high they lie."""
RIM_PX, HIDDEN_MM = 0.3, 8.0
"""How far off the rims of a column seem to lie, and how far off a column is of which nothing shows."""


def rested_aslant(scene: Scene, found: Found, layout: Layout, kit: Kit) -> Found:
    """A stick at the heights at which it most likely comes to rest; how far off those may be is told."""
    whole, road = with_new(found, layout, kit)
    lens = scene.evidence.lens
    pixels = lens.project(np.array([road.a, road.b]))
    resting = _resting_mm(lens, pixels, whole, road, kit)
    flat = [rest.tips_mm for rest in levels_of(whole, [road], kit)[0]]
    levels_mm = np.array([*resting, *flat])
    starts = np.array([_pose(lens, pixels, tips_mm) for tips_mm in levels_mm])
    sigmas = np.tile([FREE, FREE, FREE, HELD_MM, HELD_MM], (len(starts), 1))
    sticks = fits([scene], stick_body(kit), starts, (starts, sigmas))
    log_odds = np.array([_log_odds(stick, whole, road, kit) for stick in sticks])
    log_odds[len(resting) :] -= EVEN
    odds = np.exp(log_odds - log_odds.max())
    best = int(np.argmax(odds))
    a_mm, b_mm = np.sqrt(odds @ np.square(levels_mm - levels_mm[best]) / odds.sum()).tolist()
    rests = zip(found.rests, levels_mm[best].tolist(), strict=True)
    one, other = (dataclasses.replace(rest, z_mm=z_mm) for rest, z_mm in rests)
    return dataclasses.replace(found, stick=sticks[best], rests=(one, other), open_mm=(a_mm, b_mm))


def _resting_mm(lens: Lens, pixels: Floats, whole: Layout, road: Road, kit: Kit) -> list[Floats]:
    """How high the tips (2,) of a stick that is seen at pixels (2, 2) are on whatever it may rest on."""
    found = []
    for rest in Heap(whole, kit).rests(road):
        tips_mm: Floats | None = rest.tips_mm
        for _ in range(ROUNDS):
            if tips_mm is not None:
                again = _rests(whole, _laid(road, _pose(lens, pixels, tips_mm), kit), kit)
                tips_mm = next((one.tips_mm for one in again if one.on == rest.on), None)
        if tips_mm is not None:
            found.append(tips_mm)
    return found


def _log_odds(stick: Fit, whole: Layout, road: Road, kit: Kit) -> float:
    """How likely a stick lies so: by its lines, by whether it rests on all that it meets there, as what is laid last
    does, and by how far beside its columns' middles it lies."""
    here = _laid(road, stick.pose, kit)
    off_mm = [float(np.abs(rest.tips_mm - stick.pose[3:]).max()) for rest in _rests(whole, here, kit)[-1:]]
    is_odd = max(off_mm, default=0.0) > APART * kit.road_thickness_mm
    a, b = np.array(here.a[:2]), np.array(here.b[:2])
    ahead = (b - a) / np.hypot(*(b - a))
    arms = [np.array([c.x, c.y]) - a for c in whole.columns if c.id in road.columns()]
    aside = sum((float(ahead[0] * y - ahead[1] * x) / ASIDE_MM) ** 2 for x, y in arms)
    return POINT * stick.score - ODD * is_odd - aside / 2


def _rests(whole: Layout, road: Road, kit: Kit) -> list[Resting]:
    """Ways for a road of a layout to rest at a place; the last is on all that it meets."""
    roads = tuple(road if one.id == road.id else one for one in whole.roads)
    return Heap(replace(whole, roads=roads), kit).rests(road)


def by_rays(scene: Scene, found: Found, kit: Kit) -> Found:
    """A stick whose place was measured, with its tips on the rays of their pixels, and what is not known of it."""
    lens = scene.evidence.lens
    pixels = lens.project(np.array(stick_tips(found.stick.pose, kit.road_length_mm)))
    levels_mm = np.array([rest.z_mm for rest in found.rests])
    steps = [(*np.eye(4)[i] * TIP_PX, 0.0, 0.0) for i in range(4)]
    steps += [(0.0, 0.0, 0.0, 0.0, *np.eye(2)[i] * math.hypot(LEVEL_MM, found.open_mm[i])) for i in range(2)]
    pose = _pose(lens, pixels, levels_mm)
    moved = [_pose(lens, pixels + np.reshape(step[:4], (2, 2)), levels_mm + step[4:]) - pose for step in steps]
    spread = np.array(moved).T
    stick = dataclasses.replace(_at(found.stick, pose, kit), covariance=spread @ spread.T / lines_alike(found.stick))
    one, other = (None if column is None else _opened(column, found.pixel_mm) for column in found.columns)
    return dataclasses.replace(found, stick=stick, columns=(one, other))


def _opened(column: Fit, pixel_mm: float) -> Fit:
    """A column with what is not known of its place beside what its lines leave open."""
    hidden_mm = HIDDEN_MM * (1 - column.support[0].visible) ** 2
    open_mm2 = (RIM_PX * pixel_mm) ** 2 + hidden_mm**2
    return dataclasses.replace(column, covariance=column.covariance + open_mm2 / CORRELATED * np.eye(2))


def _pose(lens: Lens, pixels: Floats, levels_mm: Floats) -> Floats:
    """The pose of a stick whose tips are seen at pixels (2, 2) and lie at heights (2,)."""
    return stick_pose(*lens.on_plane(pixels, levels_mm))


def _at(stick: Fit, pose: Floats, kit: Kit) -> Fit:
    return dataclasses.replace(stick, pose=pose, prism=stick_body(kit).prism(pose))


def _laid(road: Road, pose: Floats, kit: Kit) -> Road:
    a, b = ((float(x), float(y), float(z)) for x, y, z in stick_tips(pose, kit.road_length_mm))
    return replace(road, a=a, b=b)
