"""A layout that was read without history, measured: every piece fitted to both views, with all that hides it known."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.along import Place
from vision.bodies import stick_tips
from vision.bridges import HELD_MM, OVERHANG_MM
from vision.fit import Fit, Scene
from vision.found import SUNK
from vision.odds import stick_odds
from vision.piles import MOST_HIGH_MM, Way
from vision.placed import Lying, placed
from vision.refit import REST_SIGMA_MM, UNTOLD_MM, lying, road_of, stood, without
from vision.roads import ALONG_MM, ELSEWHERE
from vision.solids import Prism, solids
from vision.told_ends import Ends, but_for, ends_in
from vision.view import Floats
from vision.views import with_depth

MOST_ALONG_MM = 1.5
"""How well a stick's place along itself must be seen to be believed."""
ALONG = "how far along itself it lies"
FAR_MM = 5.0
"""Where its ends speak for another place than its sides and all else, by so much, a stick is asked for."""
END_SHARE, BESIDE_MM = 0.4, 14.0
"""How far across a stick to each side its end is marked, in widths, and how near ends are that may be mixed up."""
TOGETHER = 6
"""How many roads are measured at once a second time: for each of them what tells its ends is painted anew."""
EVEN_MM = 3.0
"""How far a stick lies as a rule from where both ends reach as far past their columns' middles."""


def measured(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """A fitted layout with every road's place along itself measured too, and all errors."""
    known = solids(layout, kit)
    whole = with_depth(scenes, known)
    maps = [scene.depth for scene in whole]
    columns = stood([(one, without(maps, one.id)) for one in layout.columns], scenes, kit)
    ways = lying(layout, maps, scenes, kit)
    told = [ends_in(scene.evidence) for scene in whole]
    laid = _laid(layout.roads, ways, [told] * len(ways), whole, known, kit)
    lines = {road.id: end_lines(road, kit) for road in laid}
    beside = {i: others for i, road in enumerate(laid) if (others := _beside(road, laid, lines))}
    roads = dict(enumerate(laid))
    for first in range(0, len(beside), TOGETHER):
        some = list(beside)[first : first + TOGETHER]
        own = [
            [None if one is None else but_for(one, scene, beside[i]) for one, scene in zip(told, whole, strict=True)]
            for i in some
        ]
        again = _laid([layout.roads[i] for i in some], [ways[i] for i in some], own, whole, known, kit)
        roads |= zip(some, again, strict=True)
    return replace(layout, columns=tuple(columns), roads=tuple(roads.values()))


def end_lines(road: Road, kit: Kit) -> Floats:
    """Lines (2, 2, 3) across both ends of a road's upper face."""
    a, b = np.array(road.a), np.array(road.b)
    u = (b - a) / np.linalg.norm(b - a)
    v = np.array([-u[1], u[0], 0.0]) / np.hypot(u[0], u[1])
    up = np.cross(u, v) * kit.road_thickness_mm / 2
    across = END_SHARE * kit.road_width_mm * v
    return np.array([[tip + up - across, tip + up + across] for tip in (a, b)])


def _beside(road: Road, roads: Sequence[Road], lines: Mapping[str, Floats]) -> list[Floats]:
    """The end lines of other roads that are near an end of one."""
    mine = lines[road.id].mean(axis=1)
    return [
        line
        for other in roads
        if other.id != road.id and other.unsure != ALONG
        for line in lines[other.id]
        if np.hypot(*(mine - line.mean(axis=0))[:, :2].T).min() < BESIDE_MM
    ]


def alone(scenes: Sequence[Scene], name: str) -> list[Scene]:
    """The scenes without a piece."""
    return [dataclasses.replace(scene, depth=scene.depth.without(name)) for scene in scenes]


def _laid(
    roads: Sequence[Road],
    ways: Sequence[Way],
    told: Sequence[Sequence[Ends | None]],
    whole: Sequence[Scene],
    known: Mapping[str, Prism],
    kit: Kit,
) -> list[Road]:
    """Roads that were fitted on what bears them, along themselves by their ends, of which each view tells each."""
    sticks = [
        Lying(
            alone(whole, road.id),
            way.stick,
            {name: known[name] for name in road.columns()},
            (way.levels_mm, np.full(2, REST_SIGMA_MM)),
            ends,
        )
        for road, way, ends in zip(roads, ways, told, strict=True)
    ]
    seen = placed(sticks, kit, EVEN_MM)
    return [
        _believed(road, way, one, *found, known, kit)
        for road, way, one, found in zip(roads, ways, sticks, seen, strict=True)
    ]


def _believed(
    road: Road, way: Way, lying: Lying, seen: Fit, place: Place | None, known: Mapping[str, Prism], kit: Kit
) -> Road:
    """A road where its ends were seen, or where it was before if the columns are not known well enough."""
    stick, along_mm, stated_mm, doubt, scenes = way.stick, UNTOLD_MM, UNTOLD_MM, None, lying.scenes
    is_between = len(lying.columns) == 2
    if place is not None and (is_between or place.sigma_mm < MOST_ALONG_MM) and _rests(seen, road, known, kit):
        doubt = ELSEWHERE if math.dist(seen.pose[:2], stick.pose[:2]) > FAR_MM else None
        if doubt is None or is_between:
            stick, along_mm, stated_mm = seen, place.sigma_mm, place.stated_mm
        else:
            stick = max(seen, stick, key=lambda one: _told(scenes, one.pose, kit))
    doubt = doubt or (ALONG if along_mm > ALONG_MM else None)
    laid = road_of(road, stick, stated_mm, kit, doubt, way.open_mm)
    high_mm = 0.0 if laid.sigma is None else max(laid.sigma.a[2], laid.sigma.b[2])
    return replace(laid, unsure=laid.unsure or (SUNK if high_mm > MOST_HIGH_MM else None))


def _rests(stick: Fit, road: Road, known: Mapping[str, Prism], kit: Kit) -> bool:
    """Whether both ends reach what bears them, and neither juts out far."""
    tips = stick_tips(stick.pose, kit.road_length_mm)
    ahead = (tips[1] - tips[0])[:2] / np.hypot(*(tips[1] - tips[0])[:2])
    for name, tip, out in ((road.from_, tips[0], -ahead), (road.to, tips[1], ahead)):
        if name is None:
            continue
        over_mm = float((tip[:2] - known[name].origin[:2]) @ out)
        if not HELD_MM - kit.disc_radius_mm < over_mm < kit.disc_radius_mm + OVERHANG_MM:
            return False
    return True


def _told(scenes: Sequence[Scene], pose: Floats, kit: Kit) -> float:
    """What it adds by what pixels were taken for that a stick lies so; 0 where nobody was asked."""
    views = [scene.evidence for scene in scenes]
    odds = [(view.stick_odds, view.lens) for view in views]
    return sum(float(stick_odds(one, lens, pose[None], kit)[0]) for one, lens in odds if one is not None)
