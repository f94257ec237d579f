"""How far places along a road look as if a car stood there, in one view: log-odds of points that any car would fill.

Of a point that a car fills the view shows the car, unless something known hides it; where no car is it shows the road
or what lies behind. Hidden points say nothing.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from referee.layout import Road
from referee.pieces import Kit
from vision.depth import DepthMap
from vision.evidence import Evidence
from vision.once import once
from vision.paint import LAMPS, chroma, is_neutral, lightness_of, paint_of
from vision.solids import solid_of
from vision.stripes import FAR, LEAST_TINTED, commonest
from vision.view import Floats, Singles, is_within, sampled

STEP_MM = 0.5
ACROSS, UP = np.linspace(-0.4, 0.4, 6), np.array([0.2, 0.5, 0.8])
"""Where points lie in a car: in shares of the least width and height of any, across its middle and above the road."""
NET_ZERO, NET_LIMITS = -1.4, (-2.0, 1.5)
"""Log-odds of the net's share for cars at which it tells nothing (a fifth), and how much it tells at most."""
TINT_ZERO, TINT_SCALE, TINT_LIMITS = 0.22, 0.1, (-2.5, 3.0)
"""Chroma distance from what is there without a car at which it tells nothing, and what makes a unit of log-odds."""
STRANGE_RAD, STRANGE_SCALE, STRANGE_MOST = 0.8, 0.15, 3.0
"""How far a hue may be from every player's paint; true cars' are up to 0.8 mostly, cloth and wood 1.2 and more."""
PAST_MOST = 1.0
"""What a chroma tells at most where one looks past the road, at prints and things that are not known."""
LIGHT, DARK = 0.7, 0.3
"""How light paint without a hue is that is lighter than any road, or darker; any other may be either."""
STEP_ZERO, STEP_SCALE, STEP_LIMITS = 0.12, 0.12, (-0.5, 2.0)
"""Logarithm of how much lighter than the road such paint is at which it tells nothing, what makes a unit of log-odds,
and how much it tells: a flank in shade is as dark as a road in the light."""
NEUTRAL_ZERO = 0.18
"""Chroma distance from all that such paint may have under a lamp that speaks against it."""
ODDS_LIMITS = (-2.0, 3.0)
RIM_PX = 1.0
"""How near to a known piece a pixel may be that shows it too."""
SLACK_MM = 1.0
COARSE_PX = 8

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows across a road: how far along they are, and for the points (rows, m) of each what they show and tell."""

    along_mm: Floats
    pixels: Floats
    tints: Floats
    plain: Floats
    odds: Floats
    free: NDArray[np.bool_]

    @once
    def gain(self) -> Floats:
        """What each row tells for a car, as log-odds times mm; nothing where it is hidden."""
        gain: Floats = STEP_MM * (self.odds * self.free).mean(axis=1)
        return gain

    @once
    def shown(self) -> Floats:
        """The share of each row that nothing hides."""
        shown: Floats = self.free.mean(axis=1)
        return shown

    def but_against(self) -> Rows:
        """The same where nothing speaks against a car."""
        return dataclasses.replace(self, odds=np.maximum(self.odds, 0.0))

    def without(self, claimed: NDArray[np.bool_]) -> Rows:
        """The same where other cars account for some of the view's pixels (h, w)."""
        taken = at_pixels(claimed, self.pixels) & self.free
        return dataclasses.replace(self, free=self.free & ~taken) if taken.any() else self


def rows_of(
    view: Evidence, depth: DepthMap, roads: Sequence[Road], players: Sequence[str], kit: Kit
) -> dict[str, Rows]:
    """Every road's rows in a view; `depth` holds the columns and roads that are known."""
    every = {player: paint_of(player, kit) for player in players}
    paints = [paint for paint in every.values() if not is_neutral(paint)]
    neutral = [lightness_of(player, kit) for player, paint in every.items() if is_neutral(paint)]
    spots = {road.id: _spots(view, depth, road, view.cars, kit) for road in roads}
    plains = _plains(spots)
    table = _table_tint(view, depth)
    found = {}
    for name, one in spots.items():
        odds = tint_odds(one.tints, plains[name], paints)
        past = np.minimum(np.minimum(odds, tint_odds(one.tints, table, paints)), PAST_MOST)
        odds = np.where(one.on_road, odds, past)
        pale = None if not neutral else neutral_odds(one.tints, one.lights, plains[name], _plain_light(one), neutral)
        if one.shares is not None:
            net = net_odds(one.shares)
            odds = odds + net
            if pale is not None:
                # Of some woods the net takes all for cars: then it tells where there is more than that.
                pale += net - max(float(np.median(net[one.free & one.on_road])) if one.on_road.any() else 0.0, 0.0)
        odds = odds if pale is None else np.maximum(odds, pale)
        limited = np.clip(odds, *ODDS_LIMITS)
        found[name] = Rows(one.along_mm, one.pixels, one.tints, plains[name], limited, one.free)
    return found


def net_odds(shares: Floats | Singles) -> Floats:
    """What it tells for a car that the net takes pixels for one by so much."""
    odds: Floats = np.clip(np.log((shares + 0.02) / (1.02 - shares)) - NET_ZERO, *NET_LIMITS)
    return odds


def tint_odds(tints: Floats, plain: Floats, paints: Sequence[Floats]) -> Floats:
    """What chromas (..., 2) tell for a car of any of the paints where the plain one is without it."""
    apart = np.hypot(*np.moveaxis(tints - plain, -1, 0))
    odds = np.clip((apart - TINT_ZERO) / TINT_SCALE, *TINT_LIMITS)
    # Half of the road's tint is the lamp's, half its own.
    own = tints - plain / 2
    if not paints:
        return np.full(apart.shape, TINT_LIMITS[0])
    hue = np.arctan2(own[..., 1], own[..., 0])
    away = [np.abs((hue - math.atan2(paint[1], paint[0]) + np.pi) % (2 * np.pi) - np.pi) for paint in paints]
    strange = np.clip((np.min(away, axis=0) - STRANGE_RAD) / STRANGE_SCALE, 0.0, STRANGE_MOST)
    told: Floats = np.where(apart > FAR, odds - strange, odds)
    return told


def neutral_odds(tints: Floats, lights: Floats, plain: Floats, plain_light: float, wanted: Sequence[float]) -> Floats:
    """What chromas (..., 2) and logarithms of light (...) tell for a car of a paint without a hue, of any of some
    lightnesses, on a road of its own chroma and light; where it is as light as that, only the net can tell."""
    strange = np.min([np.hypot(*np.moveaxis(tints - lamp * plain, -1, 0)) for lamp in LAMPS], axis=0)
    lighter = lights - plain_light
    steps = [abs(lighter) if DARK < one < LIGHT else lighter if one >= LIGHT else -lighter for one in wanted]
    odds = np.clip((np.max(steps, axis=0) - STEP_ZERO) / STEP_SCALE, *STEP_LIMITS)
    told: Floats = odds - np.clip((strange - NEUTRAL_ZERO) / TINT_SCALE, 0.0, STRANGE_MOST)
    return told


@dataclass(frozen=True, eq=False)
class _Spots:
    """The points of a road's rows in a view: which nothing hides, and which show the road if no car is there."""

    along_mm: Floats
    pixels: Floats
    tints: Floats
    lights: Floats
    """How light they are, as logarithms."""
    shares: Singles | None
    free: NDArray[np.bool_]
    on_road: NDArray[np.bool_]


def _spots(view: Evidence, depth: DepthMap, road: Road, told: Singles | None, kit: Kit) -> _Spots:
    stick = solid_of(road, kit)
    u, v, up = stick.axes
    length = math.dist(road.a, road.b)
    _, width, height = np.array(list(kit.cars.values())).min(axis=0)
    along = np.arange(STEP_MM / 2, length, STEP_MM)
    section = (ACROSS * width)[:, None, None] * v + (stick.half_mm + UP * height)[:, None] * up
    points = stick.origin + (along - length / 2)[:, None, None] * u + section.reshape(-1, 3)
    pixels, depth_mm = view.lens.project(points), view.lens.depth_mm(points)
    known = depth.without(road.id)
    free = is_within(pixels, depth.shape, 1)
    for shift in ((0.0, 0.0), (RIM_PX, 0.0), (-RIM_PX, 0.0), (0.0, RIM_PX), (0.0, -RIM_PX)):
        free &= ~known.hides(pixels + shift, depth_mm, SLACK_MM)
    on_road = at_pixels(depth.number, pixels) == depth.names.index(road.id)
    colours = sampled(view.view.light, pixels)
    lights = np.log(colours.mean(axis=-1, dtype=np.float64) + 1.0)
    return _Spots(
        along, pixels, chroma(colours), lights, None if told is None else sampled(told, pixels), free, on_road
    )


def at_pixels(values: NDArray[Number], pixels: Floats) -> NDArray[Number]:
    """Values (h, w) of a view at the nearest of its pixels."""
    x, y = np.rint(np.moveaxis(pixels, -1, 0)).astype(int)
    height, width = values.shape
    nearest: NDArray[Number] = values[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return nearest


def _plains(spots: Mapping[str, _Spots]) -> dict[str, Floats]:
    """Each road's own chroma: the commonest of what is taken for no car; that of all roads where too little shows."""
    bare = {}
    for name, one in spots.items():
        shown = one.free & one.on_road
        own = one.tints[shown if one.shares is None else shown & (one.shares < 0.5)]
        if len(own) >= LEAST_TINTED:
            bare[name] = commonest(own)
    usual = np.median(list(bare.values()), axis=0) if bare else np.zeros(2)
    return {name: bare.get(name, usual) for name in spots}


def _plain_light(one: _Spots) -> float:
    """How light a road is by itself, as a logarithm: the middle of what shows of it, less what is taken for a car."""
    own = one.lights[one.free & one.on_road if one.shares is None else one.free & one.on_road & (one.shares < 0.5)]
    return float(np.median(own)) if len(own) >= LEAST_TINTED else math.inf


def _table_tint(view: Evidence, depth: DepthMap) -> Floats:
    """The commonest chroma of what no piece covers."""
    bare = view.view.light[::COARSE_PX, ::COARSE_PX][depth.number[::COARSE_PX, ::COARSE_PX] < 0]
    return commonest(chroma(bare)) if len(bare) else np.zeros(2)
