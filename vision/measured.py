"""A layout that was read without history, measured: every piece fitted to both views, with all that hides it known."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from vision.at_once import at_once
from vision.bodies import column_body, stick_body, stick_pose, stick_tips
from vision.bridges import OVERHANG_MM
from vision.fit import Fit, Scene, fit, fits
from vision.odds import stick_odds
from vision.placed import placed
from vision.roads import ALONG_MM, ELSEWHERE
from vision.sigmas import column_sigma, pixels_mm, tip_sigmas
from vision.solids import Prism, solids
from vision.view import Floats
from vision.views import with_depth

REST_SIGMA_MM = 1.2
MOST_ALONG_MM, UNTOLD_MM = 1.5, 3.0
"""How well a stick's place along itself must be seen to be believed, and how far off it may be where it is not."""
ALONG = "how far along itself it lies"
FAR_MM = 5.0
"""Where its ends speak for another place than its sides and all else, by so much, a stick is asked for."""
EVEN_MM = 3.0
"""How far a stick lies as a rule from where both ends reach as far past their columns' middles."""
MOST_UNDER = 3
"""On how many other sticks an end is tried that lies where several do."""


def fitted(layout: Layout, scenes: Sequence[Scene], kit: Kit, names: Collection[str] | None = None) -> Layout:
    """The layout with pieces, all or those named, where their outlines show in both views."""
    levels, whole = _levels(layout, kit), with_depth(scenes, solids(layout, kit))
    columns = [
        _stood(one, alone(whole, one.id), kit) if names is None or one.id in names else one for one in layout.columns
    ]
    roads = [
        _laid(one, alone(whole, one.id), None, levels[one.id], kit) if names is None or one.id in names else one
        for one in layout.roads
    ]
    return replace(layout, columns=tuple(columns), roads=tuple(roads))


def measured(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """A fitted layout with every road's place along itself measured too, and all errors."""
    known, levels = solids(layout, kit), _levels(layout, kit)
    whole = with_depth(scenes, known)
    columns = at_once(lambda one: _stood(one, alone(whole, one.id), kit), layout.columns)
    roads = at_once(lambda one: _laid(one, alone(whole, one.id), known, levels[one.id], kit), layout.roads)
    return replace(layout, columns=tuple(columns), roads=tuple(roads))


def alone(scenes: Sequence[Scene], name: str) -> list[Scene]:
    """The scenes without a piece."""
    return [dataclasses.replace(scene, depth=scene.depth.without(name)) for scene in scenes]


def _stood(column: Column, scenes: Sequence[Scene], kit: Kit) -> Column:
    found = fit(scenes, column_body(kit, 0.0, kit.column_top_mm(column.height)), np.array([column.x, column.y]))
    x, y = (float(v) for v in found.pose)
    return replace(column, x=x, y=y, sigma=column_sigma(found, pixels_mm(scenes, found.prism.origin)))


def _levels(layout: Layout, kit: Kit) -> dict[str, list[Floats]]:
    """For each road the heights at which its ends may lie: on the table, on its columns, on other sticks there."""
    heights = {column.id: column.height for column in layout.columns}
    borne = [name for road in layout.roads for name in road.columns()]

    def ends(name: str | None) -> Floats:
        if name is None:
            return np.array([kit.road_thickness_mm / 2])
        under = np.arange(min(borne.count(name), MOST_UNDER + 1))
        return np.asarray(kit.lying_z_mm(heights[name]) + under * kit.road_thickness_mm, np.float64)

    return {road.id: [ends(road.from_), ends(road.to)] for road in layout.roads}


def _laid(
    road: Road, scenes: Sequence[Scene], known: Mapping[str, Prism] | None, levels: Sequence[Floats], kit: Kit
) -> Road:
    """A road fitted on what bears it; along itself by its ends where the columns are known well enough."""
    pose = stick_pose(np.array(road.a), np.array(road.b))
    starts = np.array([[*pose[:3], a, b] for a, b in itertools.product(*levels)])
    sigmas = np.tile([np.inf, np.inf, np.inf, REST_SIGMA_MM, REST_SIGMA_MM], (len(starts), 1))
    found = fits(scenes, stick_body(kit), starts, (starts, sigmas))
    best = max(range(len(found)), key=lambda i: _likely(found[i], starts[i]))
    stick, along_mm, doubt = found[best], UNTOLD_MM, None
    if known is not None:
        columns = {name: known[name] for name in road.columns()}
        rest = (starts[best, 3:], np.full(2, REST_SIGMA_MM))
        seen, sigma_mm = placed(scenes, stick, columns, kit, rest, EVEN_MM)
        if sigma_mm is not None and (len(columns) == 2 or sigma_mm < MOST_ALONG_MM) and _rests(seen, road, known, kit):
            doubt = ELSEWHERE if math.dist(seen.pose[:2], stick.pose[:2]) > FAR_MM else None
            if doubt is None or len(columns) == 2:
                stick, along_mm = seen, sigma_mm
            else:
                stick = max(seen, stick, key=lambda one: _told(scenes, one.pose, kit))
        doubt = doubt or (ALONG if along_mm > ALONG_MM else None)
    a, b = (tuple(float(v) for v in tip) for tip in stick_tips(stick.pose, kit.road_length_mm))
    pixel_mm = pixels_mm(scenes, stick.prism.origin)
    sigma = tip_sigmas(stick, kit.road_length_mm, along_mm, pixel_mm)
    return replace(road, a=a, b=b, sigma=sigma, unsure=doubt)


def _rests(stick: Fit, road: Road, known: Mapping[str, Prism], kit: Kit) -> bool:
    """Whether both ends reach what bears them, and neither juts out far."""
    tips = stick_tips(stick.pose, kit.road_length_mm)
    ahead = (tips[1] - tips[0])[:2] / np.hypot(*(tips[1] - tips[0])[:2])
    for name, tip, out in ((road.from_, tips[0], -ahead), (road.to, tips[1], ahead)):
        if name is None:
            continue
        over_mm = float((tip[:2] - known[name].origin[:2]) @ out)
        if not 1.0 - kit.disc_radius_mm < over_mm < kit.disc_radius_mm + OVERHANG_MM:
            return False
    return True


def _told(scenes: Sequence[Scene], pose: Floats, kit: Kit) -> float:
    """What it adds by what pixels were taken for that a stick lies so; 0 where nobody was asked."""
    views = [scene.evidence for scene in scenes]
    return sum(float(stick_odds(v.odds, v.lens, pose[None], kit)[0]) for v in views if v.odds is not None)


def _likely(found: Fit, start: Floats) -> float:
    """The score of a fit, less what it costs that it lies off its levels."""
    return found.score - 0.5 * float(np.square((found.pose[3:] - start[3:]) / REST_SIGMA_MM).sum())
