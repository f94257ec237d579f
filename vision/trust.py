"""Whether a table read without history is read whole: where much is unclear or left over, all of it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout
from referee.pieces import Kit
from vision.flat import Flat
from vision.lineage import UNTOLD, WHOSE
from vision.marks import UNTOLD_TOP
from vision.misfit import all_asked
from vision.strips import Strip
from vision.view import Floats

ASK_ALL = 0.15
"""Share of columns and roads in doubt from which the others are too: mostly 0.12 at most on tables read right."""
LEFT_OVER, LEFT_ON_BARE = 0.45, 0.3
"""How clear a strip is that must be a piece: up to 0.44 are left over on tables read right, 0.5 and more on others."""
BESIDE, TURNED = 1.0, 0.5
"""How far from a road a strip may lie that is the same stick: in widths aside, in lengths along."""
UNCLEAR = "much of this table is not clear"
MORE = "more lies on this table than could be read"


def left_over(layout: Layout, found: Sequence[Strip], flat: Flat, kit: Kit) -> list[Strip]:
    """Strips that no road of the layout is."""
    roads = [flat.seen_at(np.array([road.a, road.b])) for road in layout.roads]
    return [strip for strip in found if not any(_is(strip, line, kit) for line in roads)]


def asked_where_untrusted(layout: Layout, left: Sequence[Strip]) -> Layout:
    """The layout as it is where nothing speaks against it, else with everything asked for, the layout itself too."""
    built = list(layout.built())
    if any(strip.sides > (LEFT_OVER if built else LEFT_ON_BARE) for strip in left):
        return replace(all_asked(layout, MORE), unsure=MORE)
    doubtful = [piece for piece in built if piece.unsure not in (None, UNTOLD, WHOSE, UNTOLD_TOP)]
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
