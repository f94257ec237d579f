"""What the net takes the pixels about one stick for: sticks, and their ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
from scipy.special import expit

from referee.pieces import Kit
from vision.evidence import Evidence
from vision.fit import Scene
from vision.odds import CAR, STICK, TIP
from vision.solids import Prism
from vision.tip_costs import END_USUAL
from vision.told import is_asked, shares_of
from vision.view import Floats, Singles, cut_to, sampled
from vision.windowed import Windowed

RIM_MM, ACROSS = 1.2, 9
"""How far about a stick's end it is marked, and at how many spots across it is looked whether it shows."""
TELLS_NOTHING = float(expit(END_USUAL))
MARGIN_MM = 25.0
"""How far about a stick is looked: the net must see what it lies on."""


@dataclass(frozen=True, eq=False)
class Ends:
    """Shares of pixels that are a stick or a car on one, and that are the end of a stick, from a corner (2,) on."""

    corner_px: Floats
    sticks: Singles
    tips: Singles | Windowed

    def at(self, pixels: Floats) -> tuple[Singles, Singles]:
        """Both shares at pixels (..., 2) of the view."""
        within = pixels - self.corner_px
        tips = self.tips.at(within) if isinstance(self.tips, Windowed) else sampled(self.tips, within)
        return sampled(self.sticks, within), tips


@dataclass(frozen=True, slots=True)
class _Mark:
    """A line across the end of a stick, from one pixel to another."""

    a: tuple[int, int]
    b: tuple[int, int]
    width_px: int

    def is_near(self, rows: slice, columns: slice) -> bool:
        """Whether some of it may lie in rows and columns."""
        (ax, ay), (bx, by), far = self.a, self.b, self.width_px + 2
        beside = max(ax, bx) <= columns.start - far or min(ax, bx) >= columns.stop + far
        return not (beside or max(ay, by) <= rows.start - far or min(ay, by) >= rows.stop + far)


def but_for(ends: Ends, scene: Scene, others: Sequence[Floats]) -> Ends:
    """The shares with those of other sticks' ends taken out: lines (2, 3) across upper faces, where they show."""
    lens, tips = scene.evidence.lens, ends.tips
    marks: list[_Mark] = []
    for line in others:
        spots = line[0] + np.linspace(0, 1, ACROSS)[:, None] * (line[1] - line[0])
        pixels = lens.project(spots)
        shows = ~scene.depth.hides(pixels, lens.depth_mm(spots))
        px_per_mm = float(np.hypot(*(pixels[-1] - pixels[0])) / np.linalg.norm(line[1] - line[0]))
        width_px = max(round(2 * RIM_MM * px_per_mm), 1)
        for i in np.flatnonzero(shows[1:] & shows[:-1]):
            (ax, ay), (bx, by) = np.rint(pixels[i : i + 2] - ends.corner_px).astype(int).tolist()
            marks.append(_Mark((ax, ay), (bx, by), width_px))
    # Little of it is asked for: the surroundings of one stick.
    whole = tips.whole() if isinstance(tips, Windowed) else tips
    return dataclasses.replace(ends, tips=Windowed(whole.shape, partial(_marked, whole, marks)))


def _marked(tips: Singles, marks: Sequence[_Mark], rows: slice, columns: slice) -> Singles:
    """Some rows and columns of the shares of ends, with nothing told at some lines."""
    part = tips[rows, columns].copy()
    left, top = columns.start, rows.start
    for mark in marks:
        # Nearly all are the ends of sticks elsewhere.
        if mark.is_near(rows, columns):
            a, b = (mark.a[0] - left, mark.a[1] - top), (mark.b[0] - left, mark.b[1] - top)
            cv2.line(part, a, b, TELLS_NOTHING, mark.width_px)
    return part


def ends_in(view: Evidence) -> Ends | None:
    """The shares of a whole view of which the net was asked."""
    if view.sticks is None or view.tips is None:
        return None
    return Ends(np.zeros(2), view.sticks, view.tips)


def ends_about(view: Evidence, stick: Prism, kit: Kit) -> Ends | None:
    """The same for the surroundings of one stick, of which the net is asked now."""
    if not is_asked():
        return None
    half_mm = kit.road_length_mm / 2 + MARGIN_MM
    corners = np.array([(x, y) for x in (-half_mm, half_mm) for y in (-MARGIN_MM, MARGIN_MM)])
    part = cut_to(view.view, stick.origin + corners @ stick.axes[:2])
    shares = shares_of(part, stick.origin, kit)
    sticks = np.ascontiguousarray(shares[..., STICK] + shares[..., CAR])
    return Ends(part.lens.corner_px - view.lens.corner_px, sticks, np.ascontiguousarray(shares[..., TIP]))
