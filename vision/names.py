"""Ids for pieces that are new."""

from __future__ import annotations

from referee.layout import Layout


def next_id(letter: str, layout: Layout) -> str:
    """The first id of a letter and a number that no piece of the layout has, above those in use."""
    used = [piece.id[1:] for piece in layout.pieces() if piece.id[:1] == letter]
    return f"{letter}{max((int(n) for n in used if n.isdigit()), default=0) + 1}"
