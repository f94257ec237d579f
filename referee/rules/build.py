"""T1 to T7: what is built in a turn, from where, how high, from what, and what may not move meanwhile."""

from __future__ import annotations

from collections.abc import Iterator

from ..layout import Car, Column
from ..measure import above
from ..network import base_points, roads_in, roads_out, ways_out
from ..position import stock
from ..ruling import Violation, by_id, measured, plain
from ..turn import Turn


def t1_order(turn: Turn) -> Iterator[Violation]:
    """Exactly one new column and one new road that ends on it; an exit is a road only."""
    columns, roads = turn.change.columns, turn.change.roads
    ids = by_id(p.id for p in turn.change.new() if not isinstance(p, Car))
    if turn.change.nothing_new:
        if turn.finished:
            yield plain("T1", [], f"{turn.player} did not pass, but nothing was built")
        return
    if not roads:
        if turn.finished or len(columns) != 1 or turn.change.cars:
            missing = "no road was built on it" if columns else "cars were placed, but nothing was built"
            yield plain(
                "T1", ids or by_id(c.id for c in turn.change.cars), f"a turn builds a column and a road: {missing}"
            )
        return
    if len(roads) > 1:
        yield plain("T1", ids, f"{len(roads)} roads were built; a turn builds one")
    if len(columns) > 1:
        yield plain("T1", ids, f"{len(columns)} columns were built; a turn builds one")
    for road in roads:
        if road.kind == "exit" and len(roads) == 1 and columns:
            yield plain("T1", ids, "an exit is a road alone; no column is built with it")
        elif road.kind != "exit" and not columns:
            yield plain("T1", ids, f"road {road.id} was built without a new column to end on")
        elif road.kind != "exit" and len(columns) == 1 and road.to != columns[0].id:
            yield plain("T1", ids, f"road {road.id} does not end on the new column {columns[0].id}")


def t2_base(turn: Turn) -> Iterator[Violation]:
    """The road starts at a base point of the player to move."""
    bases = {c.id for c in base_points(turn.standing, turn.player)}
    for road in turn.change.roads:
        base = turn.columns.get(road.from_ or "")
        if base is None:
            yield plain("T2", [road.id], f"road {road.id} starts at no base point of {turn.player}")
        elif base.owner != turn.player:
            yield plain("T2", [road.id, base.id], f"road {road.id} starts at {base.id}, which belongs to {base.owner}")
        elif base.id not in bases:
            yield plain(
                "T2", [road.id, base.id], f"road {road.id} starts at {base.id}, which is no base point of {turn.player}"
            )
    for piece in turn.change.new():
        if not isinstance(piece, Car) and piece.owner != turn.player:
            yield plain("T2", [piece.id], f"{piece.id} is built for {piece.owner}, but it is {turn.player}'s turn")


def t3_height(turn: Turn) -> Iterator[Violation]:
    """One up or one down from the base, a junction any height; too close where unsure heights do not agree."""
    for column, base in _built_from(turn):
        pieces = [column.id, base.id]
        fits = {_height_fits(c, b) for c in readings(column) for b in readings(base)}
        guess = any(c.unsure is not None and not c.candidates for c in (column, base))
        if guess or len(fits) == 2:
            why = "; ".join(f"{c.id}: {c.unsure}" for c in (column, base) if c.unsure)
            yield plain("T3", pieces, f"too close to call: the height is not sure ({why})", "too_close")
        elif fits == {False}:
            allowed = " or ".join(str(h) for h in (base.height - 1, base.height + 1) if h > 0)
            text = f"column {column.id} is {column.height} high; from {base.id} it must be {allowed}"
            yield plain("T3", pieces, text)


def readings(column: Column) -> list[tuple[int, bool]]:
    """What an unsure column may be: (height, junction); a sure one is what it is."""
    found = [
        (column.height if c.height is None else c.height, column.junction if c.junction is None else c.junction)
        for c in column.candidates
    ]
    return found or [(column.height, column.junction)]


def _height_fits(column: tuple[int, bool], base: tuple[int, bool]) -> bool:
    height, junction = column
    return junction or abs(height - base[0]) == 1


def _built_from(turn: Turn) -> Iterator[tuple[Column, Column]]:
    """New columns with the base that their road starts from."""
    new = {c.id: c for c in turn.change.columns}
    for road in turn.change.roads:
        if road.to in new and road.from_ in turn.columns:
            yield new[road.to], turn.columns[road.from_]


def t4_junction(turn: Turn) -> Iterator[Violation]:
    """A yellow disc only on top of grey."""
    for column in turn.change.columns:
        if column.junction and not turn.options.junctions:
            yield plain("T4", [column.id], f"{column.id} has a yellow disc, but this game is played without junctions")
        elif column.junction and column.height < 2:
            yield plain("T4", [column.id], f"junction {column.id} has no grey disc beneath it")


def t5_branch(turn: Turn) -> Iterator[Violation]:
    """A junction has one road in and two out, a plain column one and one."""
    out, into = roads_out(turn.layout), roads_in(turn.layout)
    for column_id in by_id({r.from_ for r in turn.change.roads if r.from_}):
        column = turn.columns[column_id]
        if out[column_id] > ways_out(column):
            what = "junction" if column.junction else "plain column"
            yield plain("T5", [column_id], f"{out[column_id]} roads leave {column_id}; a {what} has {ways_out(column)}")
    for column_id in by_id({r.to for r in turn.change.roads if r.to}):
        if into[column_id] > 1:
            yield plain("T5", [column_id], f"{into[column_id]} roads arrive at {column_id}; a column has one")


def t6_stock(turn: Turn) -> Iterator[Violation]:
    """Nobody can place what they do not have."""
    after = turn.position.but(layout=turn.layout)
    for player in turn.position.players:
        had, has = stock(turn.position, turn.rules, player), stock(after, turn.rules, player)
        ids = by_id(p.id for p in turn.change.new() if p.owner == player)
        for name, word in (("grey", "grey discs"), ("yellow", "yellow discs"), ("roads", "roads"), ("cars", "cars")):
            left, before = getattr(has, name), getattr(had, name)
            if left < min(before, 0):
                yield plain("T6", ids, f"{player} placed {before - left} {word} but had {max(before, 0)} left")


def t7_hands_off(turn: Turn) -> Iterator[Violation]:
    """Nothing placed in earlier turns may move by more than a nudge, or become something else."""
    excused = {*turn.note.rebuilt, *turn.change.back, *turn.adjusted}
    limit_mm = turn.options.push_mm
    for move in turn.change.moved:
        if move.id not in excused:
            text = f"{move.id} was placed earlier and moved by {{mm}}; up to {limit_mm:g} mm is a nudge"
            yield from measured("T7", [move.id], move.mm, above(move.mm, limit_mm), limit_mm, text)
    for piece_id in by_id(turn.change.altered):
        if piece_id not in {*turn.note.rebuilt, *turn.change.back}:
            yield plain("T7", [piece_id], f"{piece_id} was placed earlier and was changed")


def unsure_roads(turn: Turn) -> Iterator[Violation]:
    """A new road that vision is not sure of leaves the turn to the players."""
    for road in turn.change.roads:
        if road.unsure is not None:
            yield plain("R1", [road.id], f"too close to call: road {road.id} is not sure ({road.unsure})", "too_close")
