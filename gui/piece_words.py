"""Pieces as people at the table call them: nobody there knows which road is r7, but all see green's new road."""

from __future__ import annotations

import re

from referee.layout import Area, Building, Car, Column, Layout, Road

_BEFORE = (
    r"(?:the new )?(?:(?:road|column|car|entrance|exit|junction|building|tower|tree|aeroplane"
    r"|(?:the )?(?:development|green|airport|rainbow)(?: area)?) )?"
)
"""What the referee may say before an id, all of which the name of the piece says itself."""


def named_in(text: str, layout: Layout, fresh: frozenset[str] = frozenset()) -> str:
    """The referee's sentence with every id in it as people call the piece; what is new is called so."""
    names = {piece.id: _name(piece, piece.id in fresh) for piece in (*layout.pieces(), *layout.city())}
    ids = sorted((i for i in names if not i.isdigit()), key=len, reverse=True)
    if not ids:
        return text
    one = "|".join(re.escape(i) for i in ids)
    owners = {column.id: column.owner for column in layout.columns}
    text = re.sub(
        rf"\bstart columns ({one}) and ({one})(?!\w)",
        lambda found: f"the start columns of {owners.get(found[1])} and {owners.get(found[2])}",
        text,
    )
    return re.sub(rf"(?<!\w){_BEFORE}({one})(?!\w)", lambda found: names[found[1]], text)


def _name(piece: Column | Road | Car | Building | Area, new: bool) -> str:
    match piece:
        case Building():
            return f"the {piece.kind}"
        case Area():
            return "the rainbow" if piece.kind == "rainbow" else f"the {piece.kind} area"
        case Column():
            kind = "junction" if piece.junction else "column"
        case Road():
            kind = piece.kind
        case Car():
            kind = "car"
    new_or_not = "new " if new else ""
    return f"{piece.owner}'s {new_or_not}{kind}" if piece.owner is not None else f"the {new_or_not}{kind}"
