"""A whole layout that the pictures bear out badly: rig, kit or pictures are others, and all is asked for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, with_pieces
from referee.pieces import Kit
from vision.at_once import at_once
from vision.fit import Scene
from vision.one_by_one import supports_of
from vision.solids import solids
from vision.views import with_depth

LEAST_SEEN = 0.62
"""Share of its visible outline that a middling piece shows in each view where rig and kit are right."""
LEAST_LINES = 12
REASON = "the pictures do not fit the rig and the kit"
GONE = "hardly anything is seen where it was"


def asked_on_misfit(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with everything asked for where a view bears out most of it badly."""
    known = solids(layout, kit)
    built = {piece.id: known[piece.id] for piece in layout.built()}
    for every in at_once(lambda scene: supports_of(scene, built), with_depth(scenes, known)):
        found = [one.seen for one in every.values() if one.count >= LEAST_LINES]
        if found and float(np.median(found)) < LEAST_SEEN:
            return all_asked(layout, REASON)
    return layout


def all_asked(layout: Layout, why: str) -> Layout:
    """The layout with every piece asked for."""
    return with_pieces(layout, {p.id: p if p.unsure else replace(p, unsure=why) for p in layout.pieces()})
