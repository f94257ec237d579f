"""Pictures so pale, by haze or a lamp in the lens, that cars look like wood: what is new is asked for then."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, with_pieces
from referee.pieces import Kit
from vision.cars import is_claimed
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.solids import solid_of
from vision.stripes import stripes

VIVID = 0.29
"""Chroma distance of middling known cars from their roads below which others may not be told from wood: on all tables
it was 0.46 and more, with half of the colour taken out 0.33; at 0.25 four of 28 turns were wrong and sure."""
SOME = 6
"""How many roads with cars tell enough."""
WASHED_OUT = "colours are washed out: cars and yellow tops cannot be told"


def asked_where_washed_out(overhead: Evidence, layout: Layout, accepted: Layout, kit: Kit) -> Layout:
    """The layout with all that is new asked for where the cars that stand already look pale."""
    carrying = {car.road for car in accepted.cars}
    roads = [road for road in layout.roads if road.id in carrying][:SOME]
    depth = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, overhead.lens)
    seen = stripes(overhead.view, depth, layout, roads, kit)
    known = [stripe for road in roads for stripe in seen[road.id] if is_claimed(stripe, road, accepted, kit)]
    if not known or float(np.median([math.dist(stripe.seen, stripe.plain) for stripe in known])) > VIVID:
        return layout
    old = {piece.id for piece in accepted.pieces()}
    pieces = {piece.id: piece for piece in layout.pieces()}
    new = {name: replace(p, unsure=p.unsure or WASHED_OUT) for name, p in pieces.items() if name not in old}
    return with_pieces(layout, pieces | new)
