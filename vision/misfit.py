"""A whole layout that the pictures bear out badly: rig, kit or pictures are others, and all is asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, with_pieces
from referee.pieces import Kit
from vision.depth import depth_map
from vision.fit import Scene, support
from vision.solids import solids

LEAST_SEEN = 0.62
"""Share of its visible outline that a middling piece shows in each view where rig and kit are right."""
LEAST_LINES = 12
REASON = "the pictures do not fit the rig and the kit"
GONE = "hardly anything is seen where it was"


def asked_on_misfit(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with everything asked for where a view bears out most of it badly."""
    known = solids(layout, kit)
    for scene in scenes:
        whole = dataclasses.replace(scene, depth=depth_map(known, scene.evidence.lens))
        found = []
        for piece in layout.built():
            one = support(dataclasses.replace(whole, depth=whole.depth.without(piece.id)), known[piece.id])
            if one.count >= LEAST_LINES:
                found.append(one.seen)
        if found and float(np.median(found)) < LEAST_SEEN:
            return all_asked(layout, REASON)
    return layout


def all_asked(layout: Layout, why: str) -> Layout:
    """The layout with every piece asked for."""
    return with_pieces(layout, {p.id: p if p.unsure else replace(p, unsure=why) for p in layout.pieces()})
