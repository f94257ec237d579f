"""Old pieces that the pictures bear out less than before: asked for, where they would be taken for what they were."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from calibration.camera import Rig
from referee.layout import Column, Layout, Road, with_pieces
from vision.foreign import COMPARED_WIDTH_PX, foreign, log_light
from vision.kept import LEAST_LINES, Check
from vision.play_masks import play_mask, smaller
from vision.view import Picture

LESS_SEEN = 0.65
"""Share of its earlier lines that must still be seen for an old piece to be sure: in turns without a hand, a fall or
another lamp all of them keep more."""
CLEARLY_SEEN = 0.85
"""The same where one view alone tells."""
MOST_LEFT = 0.3
"""Edges that may be gone along the outline of a thing that has come, of those that are new: a heap of pieces that fell
leaves many."""
LESS = "less of it is seen than before"
NOT_SEEN = "pieces beside it are gone, and it is not seen itself"
ONE_VIEW = "only one camera sees the table"
BUMPED = "a camera was moved"
"""Then its rig is off: what is new may be measured wrong."""


def is_weak(found: Check) -> bool:
    """Whether a piece that could be seen shows less of itself than before."""
    return found.lines >= LEAST_LINES and found.kept < LESS_SEEN


def missing(accepted: Layout, checked: Mapping[str, Check]) -> set[str]:
    """Old pieces that are not seen any more, and roads hardly seen whose column is not: those cannot lie there."""
    gone = {name for name, found in checked.items() if found.is_missing}
    weak = {name for name, found in checked.items() if is_weak(found)}
    return gone | {road.id for road in accepted.roads if road.id in weak and gone & set(road.columns())}


def asked_where_unverified(layout: Layout, accepted: Layout, checked: Mapping[str, Check]) -> Layout:
    """The layout with old pieces asked for that are left where they were though the pictures do not say so."""
    pieces = {piece.id: piece for piece in layout.pieces()}
    lost = [road for road in accepted.roads if road.id not in pieces]
    shaken = {name for road in lost for name in road.columns()}
    for piece in accepted.built():
        found = checked.get(piece.id)
        if found is None or pieces.get(piece.id) != piece:
            continue
        if is_weak(found):
            pieces[piece.id] = replace(piece, unsure=LESS)
        elif found.lines < LEAST_LINES and _names(piece) & shaken:
            pieces[piece.id] = replace(piece, unsure=NOT_SEEN)
    return with_pieces(layout, pieces)


def asked_with_one_view(layout: Layout, accepted: Layout, checked: Mapping[str, Check]) -> Layout:
    """The layout where a camera fails: what is new or changed is asked for, and whether that is all."""
    there = {piece.id for piece in layout.pieces()}
    fell = any(piece.id not in there for piece in accepted.built())
    faded = {name for name, found in checked.items() if fell or found.kept < CLEARLY_SEEN}
    return replace(asked_where_changed(layout, accepted, ONE_VIEW, faded), unsure=layout.unsure or ONE_VIEW)


def asked_where_changed(layout: Layout, accepted: Layout, why: str, also: Collection[str] = ()) -> Layout:
    """The layout with all that is new or changed asked for, and some other pieces."""
    old = {piece.id: piece for piece in accepted.pieces()}
    pieces = {
        piece.id: replace(piece, unsure=piece.unsure or why)
        if piece.id in also or old.get(piece.id) != piece
        else piece
        for piece in layout.pieces()
    }
    return with_pieces(layout, pieces)


def _names(piece: Column | Road) -> set[str]:
    """The columns that a piece is, or lies on."""
    return {piece.id} if isinstance(piece, Column) else set(piece.columns())


def has_large_thing(before: Mapping[str, Picture], now: Mapping[str, Picture], rig: Rig) -> bool:
    """Whether something larger than pieces has come onto the table: what it covers is not gone."""
    for name in before.keys() & now.keys():
        height, width = now[name].shape[:2]
        mask = play_mask((width, height), rig, name, COMPARED_WIDTH_PX)
        was, is_ = (log_light(smaller(one[name], COMPARED_WIDTH_PX)) for one in (before, now))
        if any(thing.left < MOST_LEFT * thing.sharp for thing in foreign(was, is_, mask, name == "overhead")):
            return True
    return False
