"""P1 to P3 and V1: discs that change hands for fallen pieces and for cars of the same type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .crossings import Earned
from .layout import Column, Piece, Road
from .measure import above, decide
from .notes import Knock, Payment
from .position import Position, give, stock
from .ruling import Event, Penalty, Violation, by_id, plain
from .turn import Turn


@dataclass(frozen=True, slots=True)
class Fall:
    """Pieces of one owner that one player brought down in one incident."""

    by: str
    owner: str
    pieces: tuple[str, ...]
    discs: int
    roads: int
    cars: int
    yellow: int = 0
    """How many of the discs are known to be yellow."""


def falls(turn: Turn) -> tuple[Fall, ...]:
    """What fell: as people told it, else everything that is gone, by the player to move."""
    if turn.note.knocked is not None:
        return tuple(_told(turn, knock) for knock in turn.note.knocked)
    lost: dict[str, list[tuple[Piece, int, int]]] = {}
    for piece in turn.change.gone:
        discs = piece.height if isinstance(piece, Column) else 0
        yellow = int(isinstance(piece, Column) and piece.junction)
        lost.setdefault(_owner(turn, piece), []).append((piece, discs, yellow))
    for before, after in turn.change.shrunk:
        yellow = int(before.junction and not after.junction)
        lost.setdefault(_owner(turn, before), []).append((before, before.height - after.height, yellow))
    if turn.options.push_penalty:
        for piece in _pushed(turn):
            lost.setdefault(_owner(turn, piece), []).append((piece, int(isinstance(piece, Column)), 0))
    return tuple(
        Fall(
            turn.player,
            owner,
            by_id(p.id for p, _, _ in pieces),
            discs=sum(d for _, d, _ in pieces),
            roads=sum(isinstance(p, Road) for p, _, _ in pieces),
            cars=sum(not isinstance(p, Column | Road) for p, _, _ in pieces),
            yellow=sum(y for _, _, y in pieces),
        )
        for owner, pieces in sorted(lost.items())
        if owner
    )


def _told(turn: Turn, knock: Knock) -> Fall:
    touched = {*(p.id for p in turn.change.gone), *turn.note.rebuilt}
    ids = by_id(p.id for p in turn.position.layout.pieces() if p.id in touched and _owner(turn, p) == knock.owner)
    return Fall(knock.by, knock.owner, ids, knock.discs, knock.roads, knock.cars)


def _pushed(turn: Turn) -> Iterator[Piece]:
    excused = {*turn.note.rebuilt, *turn.change.back, *turn.adjusted}
    far = {m.id for m in turn.change.moved if decide(above(m.mm, turn.options.push_mm)) == "illegal"}
    yield from (p for p in turn.position.layout.pieces() if p.id in far - excused)


def _owner(turn: Turn, piece: Piece) -> str:
    return turn.position.owners.get(piece.id) or piece.owner or ""


def penalise(
    turn: Turn, position: Position
) -> tuple[Position, tuple[Penalty, ...], tuple[Event, ...], list[Violation]]:
    """Pay for what fell (P1, P2); the position after it, the payments, the events, and payments that are off."""
    penalties: list[Penalty] = []
    events: list[Event] = []
    faults: list[Violation] = []
    unpaid = list(turn.note.paid)
    charged: set[str] = set()
    for fall in falls(turn):
        if fall.pieces or fall.discs or fall.roads or fall.cars:
            events.append(Event("fallen", pieces=fall.pieces, by=fall.by, owner=fall.owner))
        if fall.owner == fall.by or (turn.options.penalty_owners == "first" and fall.by in charged):
            continue
        charged.add(fall.by)
        grey, yellow, roads = _due(turn, position, fall)
        paid = next((p for p in unpaid if (p.from_, p.to) == (fall.by, fall.owner)), None)
        if paid is not None:
            unpaid.remove(paid)
            faults += _wrong_payment(turn, position, fall, paid, (grey, yellow, roads))
            grey, yellow, roads = _at_most(turn, position, paid)
        position = give(position, fall.by, fall.owner, grey, yellow, roads)
        penalties.append(Penalty(fall.by, fall.owner, fall.pieces, grey, yellow, roads))
    for paid in unpaid:
        # People paid for something that no layout shows; V1's gains go the other way and are settled there.
        if not (turn.options.same_type and paid.to == turn.player):
            grey, yellow, roads = _at_most(turn, position, paid)
            position = give(position, paid.from_, paid.to, grey, yellow, roads)
            penalties.append(Penalty(paid.from_, paid.to, (), grey, yellow, roads))
    return position, tuple(penalties), tuple(events), faults


def _due(turn: Turn, position: Position, fall: Fall) -> tuple[int, int, int]:
    """Grey discs, yellow discs and roads to pay, grey first; whoever has too little gives what there is."""
    has = stock(position, turn.rules, fall.by)
    grey, yellow, roads = max(has.grey, 0), max(has.yellow, 0), max(has.roads, 0)
    if turn.options.penalty == "like":
        due_grey = fall.discs - fall.yellow
        return min(grey, due_grey), min(yellow, fall.yellow), min(roads, fall.roads)
    due = 1 if turn.options.penalty == "incident" else fall.discs + fall.roads + fall.cars
    in_grey = min(grey, due)
    return in_grey, min(yellow, due - in_grey), 0


def _wrong_payment(
    turn: Turn, position: Position, fall: Fall, paid: Payment, due: tuple[int, int, int]
) -> Iterator[Violation]:
    discs_due, discs_paid = due[0] + due[1], paid.grey + paid.yellow
    has = stock(position, turn.rules, fall.by)
    if discs_paid != discs_due or paid.roads != due[2] or paid.grey > has.grey or paid.yellow > has.yellow:
        roads = f" and {due[2]} roads" if due[2] or paid.roads else ""
        text = f"{fall.by} pays {discs_paid} discs to {fall.owner}; due are {discs_due}{roads}"
        yield plain("P1", fall.pieces, text)


def _at_most(turn: Turn, position: Position, paid: Payment) -> tuple[int, int, int]:
    has = stock(position, turn.rules, paid.from_)
    return (
        min(paid.grey, max(has.grey, 0)),
        min(paid.yellow, max(has.yellow, 0)),
        min(paid.roads, max(has.roads, 0)),
    )


def same_type(turn: Turn, position: Position, earned: Earned) -> tuple[Position, list[Event], list[Violation]]:
    """A placed car of a type that a crossed road carries takes a disc from that road's owner (V1)."""
    if not turn.options.same_type:
        return position, [], []
    events: list[Event] = []
    faults: list[Violation] = []
    taken: set[str] = set()
    counted = [c for c in earned.crossings if c.earns or turn.options.same_type_roads == "crossed"]
    rivals = [turn.roads[c.road] for c in counted if turn.roads[c.road].owner not in (None, turn.player)]
    for car in sorted(turn.change.cars, key=lambda c: c.id):
        for road in rivals:
            owner = road.owner or ""
            full = owner in taken or (taken and turn.options.same_type_limit == "turn")
            theirs = [c for c in turn.layout.cars if c.road == road.id and c.owner == owner]
            if full or car.owner != turn.player or not theirs:
                continue
            twin = next((c for c in theirs if c.type is not None and c.type == car.type), None)
            if twin is not None:
                position, event = _take_disc(turn, position, owner, (car.id, twin.id), car.type)
                events += event
                taken |= {owner} if event else set()
            elif car.type is None or any(c.type is None for c in theirs):
                text = f"too close to call: cannot tell whether car {car.id} is of a type that {road.id} carries"
                faults.append(plain("V1", [car.id, road.id], text, "too_close"))
    if len(taken) and turn.options.same_type_limit == "turn":
        faults = []
    return position, events, faults


def _take_disc(
    turn: Turn, position: Position, giver: str, cars: tuple[str, ...], car_type: str | None
) -> tuple[Position, list[Event]]:
    """One disc, grey unless the giver chose otherwise; nothing where there is none."""
    has = stock(position, turn.rules, giver)
    chosen = next((p for p in turn.note.paid if (p.from_, p.to) == (giver, turn.player)), None)
    in_yellow = has.yellow > 0 and (has.grey <= 0 or (chosen is not None and chosen.yellow > 0))
    if has.grey <= 0 and not in_yellow:
        return position, []
    grey, yellow = (0, 1) if in_yellow else (1, 0)
    position = give(position, giver, turn.player, grey, yellow)
    event = Event("same_type", pieces=cars, player=turn.player, owner=giver, type=car_type, grey=grey, yellow=yellow)
    return position, [event]
