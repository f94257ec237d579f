"""A stick in space, what its tips rest on, and the new columns under them: fitted, and whether all of that can be."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.layout import Layout, Point2
from referee.pieces import Kit
from vision.along import Place
from vision.bodies import column_body, stick_body, stick_tips
from vision.columns import feet_mm, place_near
from vision.depth import patch_of
from vision.fit import Fit, Over, Scene, fits, is_aslant, tell_heights
from vision.placed import Lying, placed
from vision.rests import Rest
from vision.sigmas import SETTLED, pixel_mm_at
from vision.told_ends import ends_about
from vision.view import Floats

REST_SIGMA_MM = 1.0
"""How far a tip lies from the level of what bears it: overhang times slope, warp, play."""
APART_MM = 4.0
"""A tip that is seen this far above a thing does not lie on it."""
SUNK_MM, ASK_SUNK_MM = 2.8, 2.0
"""Nor one this far below its level, sunk into what bears it; from the second on it is asked for."""
FREE = math.inf
CLEAR = 0.92
"""How near the middles of two columns can be, in diameters, as measured."""
COLUMN_COST = 12.0
"""What a new column must be worth: true ones have 32 and more, where none is up to 9 is found."""
BORNE = "what bears it is asked for"
SUNK = "how high it lies"
Way = tuple[Floats, tuple[Rest, Rest]]
"""A stick's pose, and what its tips would rest on."""


@dataclass(frozen=True, eq=False)
class Found:
    """A stick in space, what its tips rest on, and the fits of the columns that came with it."""

    stick: Fit
    rests: tuple[Rest, Rest]
    columns: tuple[Fit | None, Fit | None]
    doubt: str | None = None
    along: Place | None = None
    """The stick's place along itself, where it was measured apart."""
    pixel_mm: float = 0.0
    """How wide a pixel is where it lies."""
    open_mm: Point2 = SETTLED
    """How far off both tips' heights may be since other levels are about as likely."""
    beside: float = 0.0
    """What one view alone says beside its lines, in points of score."""
    heights: tuple[Mapping[int, float], ...] = ()
    """By end the odds of how high its new column is, where one view alone tells."""
    told: float | None = None
    """How much likelier what the net takes pixels of one view for is with it than without; None where nobody asked."""

    @property
    def score(self) -> float:
        columns = sum(column.score - COLUMN_COST for column in self.columns if column is not None)
        return self.stick.score + columns + sum(rest.log_odds for rest in self.rests) + self.beside


def is_apt(found: Found, layout: Layout, kit: Kit) -> bool:
    """Whether both tips lie on what is said to bear them, and new columns beside those that stand."""
    return touches(found) and not _collides(found, layout, kit)


def touches(found: Found) -> bool:
    """Whether both tips, as they are seen, lie at the level of what is said to bear them."""
    gaps_mm = _gaps_mm(found)
    return max(gaps_mm) < APART_MM and min(gaps_mm) > -SUNK_MM


def _gaps_mm(found: Found) -> list[float]:
    """How far above the level of what is said to bear it each tip is seen."""
    return [float(z) - rest.z_mm for z, rest in zip(found.stick.pose[3:], found.rests, strict=True)]


def _collides(found: Found, layout: Layout, kit: Kit) -> bool:
    """Whether a new column would stand in another one."""
    new = [column.pose for column in found.columns if column is not None]
    old = [(column.x, column.y) for column in layout.columns]
    return any(math.dist(place, other) < CLEAR * kit.disc_diameter_mm for place in new for other in old)


def laid(scenes: Sequence[Scene], ways: Sequence[Way], kit: Kit) -> list[Found]:
    """Sticks fitted with their tips held near what bears them."""
    if not ways:
        return []
    starts = np.array([[*pose[:3], rests[0].z_mm, rests[1].z_mm] for pose, rests in ways])
    sigmas = np.tile([FREE, FREE, FREE, REST_SIGMA_MM, REST_SIGMA_MM], (len(ways), 1))
    sticks = fits(scenes, stick_body(kit), starts, (starts, sigmas))
    return [Found(stick, rests, (None, None)) for stick, (_, rests) in zip(sticks, ways, strict=True)]


def borne_by(found: Found) -> list[tuple[str | None, int | None]]:
    """What the tips rest on, however high they lie there."""
    return [(rest.column, rest.height) for rest in found.rests]


def with_columns(scenes: Sequence[Scene], every: Sequence[Found], kit: Kit) -> list[Found]:
    """The same with a column fitted under each tip that rests on a new one, where the stick may hide it."""
    wanted = [(i, end) for i, found in enumerate(every) for end in (0, 1) if found.rests[end].is_new]
    if not wanted:
        return list(every)
    over = [[patch_of(every[i].stick.prism, scene.evidence.lens) for i, _ in wanted] for scene in scenes]
    tops_mm = np.array([kit.column_top_mm(every[i].rests[end].height or 0) for i, end in wanted])
    tips = [stick_tips(every[i].stick.pose, kit.road_length_mm)[end][:2] for i, end in wanted]
    jobs = zip(tips, tops_mm.tolist(), zip(*over, strict=True), strict=True)
    starts = np.array([place_near(scenes, *job, kit) for job in jobs])
    found = _columns(scenes, tops_mm, starts, over, kit)
    if is_aslant(scenes):
        # From aside a coarse look is often drawn to seams and to what stands before a column.
        under = _columns(scenes, tops_mm, np.array(tips), over, kit)
        found = [max(pair, key=lambda one: one.score) for pair in zip(found, under, strict=True)]
    fitted = dict(zip(wanted, found, strict=True))
    columns = [(fitted.get((i, 0)), fitted.get((i, 1))) for i in range(len(every))]
    return [dataclasses.replace(found, columns=both) for found, both in zip(every, columns, strict=True)]


def _columns(scenes: Sequence[Scene], tops_mm: Floats, starts: Floats, over: Sequence[Over], kit: Kit) -> list[Fit]:
    """Columns with tops at heights, fitted near starts (m, 2)."""
    found = fits(scenes, column_body(kit, feet_mm(scenes, tops_mm), tops_mm), starts, over=over)
    if tell_heights(scenes):
        return found
    whole = column_body(kit, 0.0, tops_mm).prisms(np.array([rim.pose for rim in found]))
    return [dataclasses.replace(rim, prism=whole[i]) for i, rim in enumerate(found)]


def placed_along(scenes: Sequence[Scene], found: Found, kit: Kit) -> Found:
    """The same with the stick's place along itself measured by where its colour ends."""
    columns = {f"new {i}": column.prism for i, column in enumerate(found.columns) if column is not None}
    levels_mm = np.array([rest.z_mm for rest in found.rests])
    told = [ends_about(scene.evidence, found.stick.prism, kit) for scene in scenes]
    lying = Lying(scenes, found.stick, columns, (levels_mm, np.full(2, REST_SIGMA_MM)), told)
    ((stick, place),) = placed([lying], kit)
    pixel_mm = pixel_mm_at(scenes, stick.prism.origin)
    whole = dataclasses.replace(found, stick=stick, along=place, pixel_mm=pixel_mm)
    sunk = min(_gaps_mm(whole)) < -ASK_SUNK_MM
    return dataclasses.replace(whole, doubt=found.doubt or (SUNK if sunk else None))
