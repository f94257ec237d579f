"""A layout that was read without history, measured: every piece fitted to both views, with all that hides it known."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road
from referee.pieces import Kit
from vision.at_once import at_once
from vision.bodies import stick_tips
from vision.bridges import OVERHANG_MM
from vision.fit import Fit, Scene
from vision.odds import stick_odds
from vision.placed import placed
from vision.refit import REST_SIGMA_MM, UNTOLD_MM, levels_of, lying, road_of, stood, without
from vision.roads import ALONG_MM, ELSEWHERE
from vision.solids import Prism, solids
from vision.told_ends import ends_in
from vision.view import Floats
from vision.views import with_depth

MOST_ALONG_MM = 1.5
"""How well a stick's place along itself must be seen to be believed."""
ALONG = "how far along itself it lies"
FAR_MM = 5.0
"""Where its ends speak for another place than its sides and all else, by so much, a stick is asked for."""
EVEN_MM = 3.0
"""How far a stick lies as a rule from where both ends reach as far past their columns' middles."""


def measured(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """A fitted layout with every road's place along itself measured too, and all errors."""
    known, levels = solids(layout, kit), levels_of(layout, kit)
    whole = with_depth(scenes, known)
    maps = [scene.depth for scene in whole]
    columns = stood([(one, without(maps, one.id)) for one in layout.columns], scenes, kit)
    roads = [(one, without(maps, one.id)) for one in layout.roads]
    sticks = lying(roads, [levels[one.id] for one in layout.roads], scenes, kit)
    laid = at_once(
        lambda way: _laid(way[0], alone(whole, way[0].id), *way[1], known, kit),
        list(zip(layout.roads, sticks, strict=True)),
    )
    return replace(layout, columns=tuple(columns), roads=tuple(laid))


def alone(scenes: Sequence[Scene], name: str) -> list[Scene]:
    """The scenes without a piece."""
    return [dataclasses.replace(scene, depth=scene.depth.without(name)) for scene in scenes]


def _laid(
    road: Road, scenes: Sequence[Scene], stick: Fit, levels: Floats, known: Mapping[str, Prism], kit: Kit
) -> Road:
    """A road that was fitted on what bears it, along itself by its ends where the columns are known well enough."""
    along_mm, doubt = UNTOLD_MM, None
    columns = {name: known[name] for name in road.columns()}
    told = [ends_in(scene.evidence) for scene in scenes]
    seen, sigma_mm = placed(scenes, stick, columns, kit, (levels, np.full(2, REST_SIGMA_MM)), told, EVEN_MM)
    if sigma_mm is not None and (len(columns) == 2 or sigma_mm < MOST_ALONG_MM) and _rests(seen, road, known, kit):
        doubt = ELSEWHERE if math.dist(seen.pose[:2], stick.pose[:2]) > FAR_MM else None
        if doubt is None or len(columns) == 2:
            stick, along_mm = seen, sigma_mm
        else:
            stick = max(seen, stick, key=lambda one: _told(scenes, one.pose, kit))
    return road_of(road, stick, along_mm, scenes, kit, doubt or (ALONG if along_mm > ALONG_MM else None))


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
    odds = [(view.stick_odds, view.lens) for view in views]
    return sum(float(stick_odds(one, lens, pose[None], kit)[0]) for one, lens in odds if one is not None)
