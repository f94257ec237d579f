"""What a view draws of a table: pieces with owners, what is new, what a ruling is about. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import msgspec

from gui.table_state import TableState
from referee.layout import BARE_TABLE, Column, Layout
from referee.match import Match
from referee.missions import enclosures
from referee.pieces import Kit
from referee.ruling import Ruling


@dataclass(frozen=True)
class Scene:
    """One moment of a table, ready to be drawn by any view."""

    layout: Layout = BARE_TABLE
    kit: Kit = field(default_factory=Kit)
    players: tuple[str, ...] = ()
    fresh: frozenset[str] = frozenset()
    faults: frozenset[str] = frozenset()
    """Pieces that broken rules name."""
    doubts: frozenset[str] = frozenset()
    """Pieces that a ruling or a question hangs on."""
    ghosts: Layout = BARE_TABLE
    """Pieces that fell: where they stood."""
    candidates: tuple[Column, ...] = ()
    """What the column that is asked about may be."""
    ruling: Ruling | None = None
    badged: bool = True
    """Whether crossings carry their words; not while a piece is asked for that they might cover."""
    tallest: frozenset[str] = frozenset()
    """Mission mode: the tallest plain columns (M9)."""
    enclosed: dict[str, tuple[tuple[tuple[float, float], ...], ...]] = field(default_factory=dict)
    """Mission mode: what each player's roads enclose, as rings in mm (M7)."""


def scene_now(desk: TableState) -> Scene:
    """The turn being played, else the last one."""
    ruling = desk.ruling if desk.seen is not None else (desk.match.rulings[-1] if desk.match is not None else None)
    asked = _asked(desk)
    down = desk.fall.down if desk.fall is not None else frozenset()
    ghosts = _only(desk.accepted, down)
    scene = replace(_scene(desk, desk.layout, desk.fresh, ruling, asked, ghosts), candidates=_candidates(desk))
    # As long as something is asked, that alone is loud: faults may vanish with the answer.
    return replace(scene, faults=frozenset(), doubts=asked, badged=False) if asked else scene


def _asked(desk: TableState) -> frozenset[str]:
    """What the question that stands now is about; all that is unsure where people are asked for the whole table."""
    if desk.asks_as_a_whole:
        return frozenset(piece.id for piece in desk.layout.pieces() if piece.unsure is not None)
    return frozenset(question.piece.id for question in desk.questions[:1])


def _candidates(desk: TableState) -> tuple[Column, ...]:
    """The first asked column at each of its heights."""
    for question in () if desk.asks_as_a_whole else desk.questions[:1]:
        if isinstance(question.piece, Column):
            heights = [c.height for c in question.candidates if c.height is not None]
            return tuple(msgspec.structs.replace(question.piece, height=height) for height in heights)
    return ()


def scene_of_turn(desk: TableState, match: Match, turn: int) -> Scene:
    """A turn that was accepted."""
    layout = match.positions[turn].layout
    before = {p.id for p in match.positions[turn - 1].layout.pieces()} if turn else set()
    fresh = frozenset(p.id for p in layout.pieces()) - before
    return _scene(desk, layout, fresh, match.rulings[turn])


def _scene(
    desk: TableState,
    layout: Layout,
    fresh: frozenset[str],
    ruling: Ruling | None,
    asked: frozenset[str] = frozenset(),
    ghosts: Layout = BARE_TABLE,
) -> Scene:
    violations = ruling.violations if ruling is not None else ()
    overruled = ruling is not None and any(event.kind == "overruled" for event in ruling.events)
    faults = frozenset(p for v in violations if v.verdict == "illegal" and not overruled for p in v.pieces)
    open_to_doubt = frozenset(p for v in violations if v.verdict == "too_close" and not overruled for p in v.pieces)
    mission = desk.setup.rules.mission
    return Scene(
        layout=layout,
        kit=desk.setup.kit,
        players=desk.setup.players,
        fresh=fresh,
        faults=faults,
        doubts=asked | open_to_doubt,
        ghosts=ghosts,
        ruling=ruling,
        tallest=_tallest(layout) if mission else frozenset(),
        enclosed={p: _rings(layout, p) for p in desk.setup.players} if mission else {},
    )


def _only(layout: Layout, ids: frozenset[str]) -> Layout:
    return Layout(
        tuple(c for c in layout.columns if c.id in ids),
        tuple(r for r in layout.roads if r.id in ids),
        tuple(c for c in layout.cars if c.id in ids),
    )


def _tallest(layout: Layout) -> frozenset[str]:
    plain: list[Column] = [column for column in layout.columns if not column.junction]
    top = max((column.height for column in plain), default=0)
    return frozenset(column.id for column in plain if column.height == top)


def _rings(layout: Layout, player: str) -> tuple[tuple[tuple[float, float], ...], ...]:
    """The outer rings of what a player's roads enclose in plan."""
    held = enclosures(layout, [road for road in layout.roads if road.owner == player])
    parts = [part for one in held for part in getattr(one, "geoms", [one]) if not part.is_empty]
    return tuple(tuple((float(x), float(y)) for x, y in part.exterior.coords) for part in parts)
