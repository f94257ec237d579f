"""Change that nothing in the layout explains: a hand, a cup, a missed piece. What stands there is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, with_pieces
from referee.pieces import Kit
from vision.at_once import at_once
from vision.change import large_patches
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.solids import Prism, faces, solid_of, solids
from vision.view import Lens, Picture

CLEAR = 14.0
"""Grey levels, after the light was evened out, from which a change needs a reason."""
LEAST_MM2 = 180.0
"""Less than the smallest piece shows of itself."""
SLACK_MM = 4.0
NEAR_MM = 8.0
COVERED = 0.1
TILES = (16, 9)
LAMP_SHARE = 0.16
REASON = "something beside it or over it is not explained"


def asked_where_unexplained(layout: Layout, accepted: Layout, views: Sequence[Evidence], kit: Kit) -> Layout:
    """The layout with every piece asked for that stands in or beside a change without a reason."""
    doubtful: set[str] = set()
    for evidence, odd in zip(views, at_once(lambda one: unexplained(one, layout, accepted, kit), views), strict=True):
        if odd is None:
            continue
        seen = depth_map(solids(layout, kit), evidence.lens)
        numbers = seen.number[seen.number >= 0]
        whole = np.bincount(numbers, minlength=len(seen.names))
        inside = np.bincount(seen.number[(seen.number >= 0) & (odd > 0)], minlength=len(seen.names))
        doubtful |= {name for name, n, m in zip(seen.names, whole, inside, strict=True) if m > COVERED * max(n, 1)}
    if not doubtful:
        return layout
    pieces = {piece.id: piece for piece in layout.pieces()}
    for name in doubtful & set(pieces):
        if pieces[name].unsure is None:
            pieces[name] = replace(pieces[name], unsure=REASON)
    return with_pieces(layout, pieces)


def unexplained(evidence: Evidence, layout: Layout, accepted: Layout, kit: Kit) -> Picture | None:
    """Where a view changed and neither a piece nor light and shade account for it, grown a little; None: nowhere."""
    if evidence.no_shade is None:
        return None
    height, width = evidence.view.picture.shape[:2]
    scale = _px_per_mm(evidence.lens, layout, accepted) / 2
    mask: Any = (evidence.no_shade > CLEAR).astype(np.uint8)
    # A lamp that went on or off tints shadows all over the table; a hand or a cup is in one place.
    if float((cv2.resize(mask * 255, TILES, interpolation=cv2.INTER_AREA) > 12).mean()) > LAMP_SHARE:
        return None
    known = _changed_pieces(evidence.lens, layout, accepted, kit, _odd(4 * SLACK_MM * scale))
    mask[cv2.resize(known, (width // 2, height // 2), interpolation=cv2.INTER_NEAREST) > 0] = 0
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((_odd(1.5 * scale),) * 2, np.uint8))
    large = large_patches(mask, LEAST_MM2 * scale**2)
    if large is None:
        return None
    size = _odd(2 * NEAR_MM * scale)
    shape = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    grown = cv2.dilate(large, shape)
    return np.asarray(cv2.resize(grown, (width, height), interpolation=cv2.INTER_NEAREST), np.uint8)


def _changed_pieces(lens: Lens, layout: Layout, accepted: Layout, kit: Kit, size: int) -> Picture:
    """Where pieces are now that were not there, or were and are not, with the rims that a change has."""
    old, new = ({piece.id: piece for piece in one.pieces()} for one in (accepted, layout))
    prisms = [solid_of(p, kit) for name, p in new.items() if old.get(name) != p]
    prisms += [solid_of(p, kit) for name, p in old.items() if new.get(name) != p]
    mask = np.zeros((lens.camera.height, lens.camera.width), np.uint8)
    for prism in prisms:
        _fill(mask, prism, lens)
    return np.asarray(cv2.dilate(mask, np.ones((size, size), np.uint8)), np.uint8)


def _fill(mask: Picture, prism: Prism, lens: Lens) -> None:
    for face in faces(prism, lens.eye):
        cv2.fillConvexPoly(mask, np.rint(lens.project(face)).astype(np.int32), 1)


def _px_per_mm(lens: Lens, layout: Layout, accepted: Layout) -> float:
    spots = [(c.x, c.y, 20.0) for one in (layout, accepted) for c in one.columns] or [(0.0, 0.0, 20.0)]
    return lens.camera.K[0][0] / float(np.median(lens.depth_mm(np.array(spots))))


def _odd(size: float) -> int:
    return 2 * int(size / 2) + 1
