"""Whether a table read without history is read whole: where much is unclear or left over, all of it is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import shapely
from msgspec.structs import replace

from referee.layout import Layout
from referee.pieces import Kit
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.flat import Flat
from vision.found import BORNE, SUNK
from vision.lineage import UNTOLD, WHOSE
from vision.marks import UNTOLD_TOP
from vision.measured import ALONG
from vision.misfit import all_asked
from vision.solids import solids
from vision.strips import Strip
from vision.told import told_sticks
from vision.view import Floats

ASK_ALL = 0.22
"""Share of columns and roads in doubt from which the others are too: 0.2 at most on most tables read right; of 25
tables the one that would have been wrong and sure otherwise had 0.25."""
LEFT_OVER, LEFT_ON_BARE = 0.45, 0.3
"""How clear a strip is that must be a piece: up to 0.44 are left over on tables read right, 0.5 and more on others."""
TAKEN = 0.5
"""How much of such a strip must be taken for a stick."""
MOST_LEFT, MOST_BARE, ABOUT_PX = (0.05, 0.03), 0.2, 20
"""What may be left in the overhead and in the side view, and speak against pieces: 0.023, 0.008 and 0.11 at most on
tables read right, mostly 0.06, 0.02 and 0.12 and more on others."""
BESIDE, TURNED = 1.0, 0.5
"""How far from a road a strip may lie that is the same stick: in widths aside, in lengths along."""
UNCLEAR = "much of this table is not clear"
MORE = "more lies on this table than could be read"


@dataclass(frozen=True, slots=True)
class Read:
    """How well a layout accounts for what the net takes a view's pixels for."""

    left: float
    """The share of what is taken for pieces that no piece is."""
    bare: float
    """Log-odds against pieces where the layout has them."""


def read_in(layout: Layout, view: Evidence, kit: Kit, area: shapely.Polygon | None) -> Read:
    """How well a view's pixels are read: those over the play area, or where there is none those about the layout."""
    if view.odds is None:
        return Read(0.0, 0.0)
    lens, odds = view.lens.halved(), view.odds.max(axis=-1)
    covered = (depth_map(solids(layout, kit), lens).number >= 0).astype(np.uint8)
    if area is None:
        near = cv2.dilate(covered, np.ones((2 * ABOUT_PX + 1, 2 * ABOUT_PX + 1), np.uint8))
    else:
        rim = np.array(area.exterior.coords)
        pixels = lens.project(np.column_stack([rim, np.full(len(rim), kit.disc_height_mm)]))
        near = cv2.fillPoly(np.zeros_like(covered), [np.rint(pixels).astype(np.int32)], (1,))
    taken, away = np.maximum(odds, 0.0), np.maximum(-odds, 0.0)
    beside = near.astype(bool) & (cv2.dilate(covered, np.ones((5, 5), np.uint8)) == 0)
    whole = float(taken[near > 0].sum())
    bare = float(away[covered > 0].mean()) if covered.any() else 0.0
    return Read(float(taken[beside].sum()) / whole if whole > 0 else 0.0, bare)


def left_over(layout: Layout, found: Sequence[Strip], flat: Flat, view: Evidence, kit: Kit) -> list[Strip]:
    """Strips that the net takes for sticks and no road of the layout is."""
    roads = [flat.seen_at(np.array([road.a, road.b])) for road in layout.roads]
    left = [strip for strip in found if not any(_is(strip, line, kit) for line in roads)]
    lines = np.array([np.pad(strip.line(kit), ((0, 0), (0, 1)), constant_values=flat.z_mm) for strip in left])
    taken = told_sticks(view, lines.reshape(-1, 2, 3))
    return [strip for strip, share in zip(left, taken, strict=True) if share > TAKEN]


def asked_where_untrusted(layout: Layout, left: Sequence[Strip], read: Sequence[Read] = ()) -> Layout:
    """The layout as it is where nothing speaks against it, else with everything asked for, the layout itself too."""
    built = list(layout.built())
    if built and any(one.left > most or one.bare > MOST_BARE for one, most in zip(read, MOST_LEFT, strict=False)):
        return replace(all_asked(layout, UNCLEAR), unsure=UNCLEAR)
    if any(strip.sides > (LEFT_OVER if built else LEFT_ON_BARE) for strip in left):
        return replace(all_asked(layout, MORE), unsure=MORE)
    doubtful = [piece for piece in built if piece.unsure not in (None, UNTOLD, WHOSE, UNTOLD_TOP, ALONG, SUNK, BORNE)]
    if len(doubtful) > ASK_ALL * len(built):
        return replace(all_asked(layout, UNCLEAR), unsure=UNCLEAR)
    return layout


def _is(strip: Strip, road: Floats, kit: Kit) -> bool:
    """Whether a strip is a road that is seen from tip to tip (2, 2) on the plane."""
    along = road[1] - road[0]
    length = float(np.hypot(*along))
    u = along / length
    tips = strip.line(kit) - road[0]
    aside, middle = tips @ (-u[1], u[0]), float((tips @ u).mean())
    return float(np.abs(aside).max()) < BESIDE * kit.road_width_mm and abs(middle - length / 2) < TURNED * length
