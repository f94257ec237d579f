"""What wood looks like on this table in this light: all sticks look alike, so that a shadow or a sleeve does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.layout import Layout
from referee.pieces import Kit
from vision.depth import DepthMap
from vision.evidence import Evidence
from vision.odds import LEAST_CAR
from vision.paint import chroma
from vision.solids import Prism, solid_of
from vision.view import Floats, Singles, View, sampled

ALONG = np.linspace(-0.45, 0.45, 31)
ACROSS = np.array([-0.25, 0.0, 0.25])
LEAST_SPOTS, LEAST_SPOTS_ASIDE = 12, 40
"""How many of 93 spots of a face must show, or they tell nothing; from aside a car hides the road behind it too."""
LEAST_ROADS = 2
LEAST_SHARE, LEAST_ASIDE = 0.3, 0.15
"""Share of a face, cars left out, that must look like wood from above and from aside: true ones have 0.5 and 0.4 and
more, false ones that were told apart by one or the other 0.25 and 0.11 at most."""
LEAST_TAKEN, LEAST_DOWN = 0.4, 0.3
"""Share of a face that must be taken for a stick in all views, and from aside where it leads down to the table: of 718
true ones the least was 0.5 and 0.33, of 64 others every fourth had less."""
LEAST_BARE = 0.3
"""Share of a face that must be free of cars for its tint to tell: close about them it is their shade."""
FLOOR = 0.07
SPREADS = 5.0


@dataclass(frozen=True, eq=False)
class Wood:
    """The usual tint (2,) of the sticks that are known, and how far they stray from it."""

    tint: Floats
    spread: float

    @classmethod
    def of(cls, faces: Sequence[Floats], least: int) -> Wood | None:
        """What faces of tints (n, 2) look like as a rule; None where fewer show enough."""
        known = np.array([np.median(tints, axis=0) for tints in faces if len(tints) >= LEAST_SPOTS])
        if len(known) < least:
            return None
        usual: Floats = np.median(known, axis=0)
        return cls(usual, float(np.median(np.hypot(*(known - usual).T))) * 1.5)

    def is_like(self, tints: Floats) -> bool:
        """Whether a face of these tints (n, 2) may be a stick's, cars on it or not; too few tell nothing."""
        return may_be_wood(self.near(tints))

    def near(self, tints: Floats) -> NDArray[np.bool_]:
        """Which tints (n, 2) are near enough to the usual one."""
        is_near: NDArray[np.bool_] = np.hypot(*(tints - self.tint).T) < max(FLOOR, SPREADS * self.spread)
        return is_near


def may_be_wood(overhead: NDArray[np.bool_], *aside: NDArray[np.bool_]) -> bool:
    """Whether a face of which some spots (n,) in each view are near the usual tint there may be a stick's: enough from
    above and in all views together; from aside others are often taken for it, and little may be enough."""
    every = np.concatenate([overhead, *aside])
    parts = [(overhead, LEAST_SPOTS, LEAST_SHARE), (every, LEAST_SPOTS_ASIDE, LEAST_SHARE)]
    parts += [(near, LEAST_SPOTS_ASIDE, LEAST_ASIDE) for near in aside]
    return all(len(near) < spots or float(near.mean()) > least for near, spots, least in parts)


@dataclass(frozen=True, eq=False)
class Face:
    """What a view shows of a stick's upper face: which spots are near the usual tint, of those that are not taken for a
    car, and how far each is taken for a stick or a car; nothing of the latter where nobody was asked."""

    near: NDArray[np.bool_]
    taken: Singles

    @classmethod
    def of(cls, wood: Wood, view: Evidence, depth: DepthMap, stick: Prism) -> Face:
        spots = shown_spots(view.view, depth, stick)
        near = wood.near(chroma(sampled(view.view.light, spots)))
        if view.cars is None or view.sticks is None:
            return cls(near, np.zeros(0, np.float32))
        is_bare = sampled(view.cars, spots) < LEAST_CAR
        tells = is_bare.sum() > LEAST_BARE * len(spots)
        return cls(near[is_bare] if tells else near[:0], sampled(view.sticks, spots))


def may_be_stick(overhead: Face, *aside: Face, leads_down: bool) -> bool:
    """Whether a stick that was found may be one by its tint and by what its face is taken for in all views together;
    one that leads down to the table fits many things, and must look like one from aside too."""
    parts = [(np.concatenate([face.taken for face in (overhead, *aside)]), LEAST_TAKEN)]
    parts += [(face.taken, LEAST_DOWN) for face in aside if leads_down]
    if any(len(taken) >= LEAST_SPOTS_ASIDE and float(taken.mean()) < least for taken, least in parts):
        return False
    return may_be_wood(overhead.near, *(face.near for face in aside))


def wood_of(view: View, depth: DepthMap, layout: Layout, kit: Kit) -> Wood | None:
    """What the known roads look like from above; None where too few are."""
    return Wood.of([tints_of(view, depth.without(road.id), solid_of(road, kit)) for road in layout.roads], LEAST_ROADS)


def discs_of(view: View, depth: DepthMap, layout: Layout, kit: Kit) -> tuple[Wood | None, Wood | None]:
    """What the tops of the known columns look like from above, plain and yellow ones; None where too few are known."""
    sure = [column for column in layout.columns if column.unsure is None]
    tints = {column: tints_of(view, depth.without(column.id), solid_of(column, kit)) for column in sure}
    plain, yellow = ([tints[column] for column in sure if column.junction is is_yellow] for is_yellow in (False, True))
    return Wood.of(plain, LEAST_ROADS), Wood.of(yellow, 1)


def tints_of(view: View, depth: DepthMap, piece: Prism) -> Floats:
    """Tints (n, 2) of a piece's upper face where nothing hides it."""
    return chroma(sampled(view.light, shown_spots(view, depth, piece)))


def shown_spots(view: View, depth: DepthMap, piece: Prism) -> Floats:
    """Pixels (n, 2) spread over a piece's upper face where nothing hides it."""
    length, width = np.ptp(piece.outline, axis=0)
    along = ALONG[:, None, None] * length * piece.axes[0]
    across = ACROSS[:, None] * width * piece.axes[1]
    points = (piece.origin + piece.half_mm * piece.axes[2] + along + across).reshape(-1, 3)
    pixels = view.lens.project(points)
    free = ~depth.hides(pixels, view.lens.depth_mm(points), slack_mm=1.0)
    height, width_px = view.picture.shape[:2]
    free &= ((pixels > 0) & (pixels < (width_px - 1, height - 1))).all(axis=1)
    shown: Floats = pixels[free]
    return shown
