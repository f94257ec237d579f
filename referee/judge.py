"""The referee: from a position and the next layout to a ruling and the next position."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from .change import compare
from .crossings import Earned, earned
from .edition import Rules
from .ending import advance
from .layout import BARE_TABLE, Layout
from .measure import Places, Verdict, above, decide
from .missions import score
from .notes import NO_NOTE, Note
from .owners import deal_owners, owned
from .passing import pass_faults, take_pass
from .penalties import penalise, same_type
from .pieces import Kit
from .position import Position, stock, types_left
from .rules import build, cars, city, road, setup
from .ruling import Event, Penalty, PlayerState, Ruling, State, Violation, by_id, natural, plain, worst
from .turn import Turn

Rule = Callable[[Turn], Iterator[Violation]]

SETUP_RULES: tuple[Rule, ...] = (
    setup.s2_entrances,
    setup.s3_spacing,
    setup.s5_buildings,
    setup.s6_city,
    road.r1_rests,
    road.r2_overhang,
    road.r3_over_columns,
    road.r5_no_touch,
    city.r6_obstacles,
    city.r7_areas,
)
TURN_RULES: tuple[Rule, ...] = (
    build.t1_order,
    build.t2_base,
    build.t3_height,
    build.t4_junction,
    build.t5_branch,
    build.t6_stock,
    build.t7_hands_off,
    road.r1_rests,
    build.unsure_roads,
    road.r2_overhang,
    road.r3_over_columns,
    road.r4_no_loop,
    road.r5_no_touch,
    city.r6_obstacles,
    city.r7_areas,
    cars.c4_new_road_only,
    cars.c7_own_colour,
    cars.e1_exit,
    cars.e3_closed,
)
EARNING_RULES: tuple[Callable[[Turn, Earned], Iterator[Violation]], ...] = (cars.c6_must_place, cars.c8_not_more)


def judge_setup(
    rules: Rules, kit: Kit, players: tuple[str, ...], first: str, layout: Layout
) -> tuple[Ruling, Position]:
    """Turn 0: whose the first pieces are, and whether they stand as they should."""
    layout = deal_owners(layout, players)
    empty = Position(players=players, first=first, turn=0, to_move=first, layout=BARE_TABLE)
    places = Places(layout)
    change = compare(BARE_TABLE, layout, frozenset(), rules.options.push_mm)
    turn = Turn(rules, kit, empty, first, places, change, NO_NOTE, finished=True)
    position = _settled(turn, empty.but(layout=layout), frozenset())
    violations = _ordered(v for rule in SETUP_RULES for v in rule(turn))
    return _ruling(turn, position, None, violations), position


def judge_turn(
    rules: Rules, kit: Kit, position: Position, layout: Layout, note: Note = NO_NOTE, finished: bool = True
) -> tuple[Ruling, Position]:
    """One turn. `finished=False` judges a state that people may still be building on."""
    player = note.player or position.to_move or position.after(position.first) or position.first
    layout = owned(position, layout, player)
    places = Places(layout)
    change = compare(position.layout, layout, position.seen, rules.options.push_mm)
    turn = Turn(rules, kit, position, player, places, change, note, finished)
    won = earned(turn)
    violations = [*_after_the_end(position)]
    passing = (change.nothing_new and finished) if note.pass_ is None else note.pass_
    if passing:
        violations += pass_faults(turn)
    if not (passing and change.nothing_new):
        violations += [v for rule in TURN_RULES for v in rule(turn)]
        violations += [v for earning_rule in EARNING_RULES for v in earning_rule(turn, won)]
    else:
        violations += build.t7_hands_off(turn)
    after = _settled(turn, position.but(layout=layout, turn=position.turn + 1), _lies(turn, won))
    after, penalties, fall_events, faults = penalise(turn, after)
    after, type_events, type_faults = same_type(turn, after, won)
    violations += [*faults, *type_faults]
    events = [*fall_events, *_moves(turn), *type_events]
    if passing:
        after, pass_events = take_pass(turn, after)
        events += pass_events
    else:
        after = after.but(passes=0, waiting=after.waiting - {player})
    if not position.over:
        after, end_events = advance(after, rules, kit, player)
        events += end_events
    else:
        after = after.but(to_move=None)
    return _ruling(turn, after, player, _ordered(_hedged(turn, violations)), won, penalties, tuple(events)), after


def _lies(turn: Turn, won: Earned) -> frozenset[tuple[str, str, str]]:
    """Which roads the new one came to lie over and under, for tables that count what ever lay there."""
    found = set()
    for new in turn.change.roads:
        for crossing in won.crossings:
            found.add((crossing.road, crossing.side, new.id))
            found.add((new.id, "under" if crossing.side == "over" else "over", crossing.road))
    return frozenset(found)


def _settled(turn: Turn, position: Position, crossed: frozenset[tuple[str, str, str]]) -> Position:
    """The position with what this turn made known: owners, pieces seen, what is fresh."""
    owners = {p.id: p.owner for p in turn.layout.built() if p.owner is not None}
    return position.but(
        owners={**position.owners, **owners},
        seen=position.seen | {p.id for p in turn.layout.pieces()},
        # A pass builds no column, so what the turn before it placed may still be adjusted (T7).
        fresh=position.fresh if turn.change.nothing_new else turn.change.new_ids(),
        crossed=position.crossed | crossed,
    )


def _after_the_end(position: Position) -> Iterator[Violation]:
    if position.over:
        yield plain("W1", [], "the game was over before this turn")


def _moves(turn: Turn) -> Iterator[Event]:
    """Pieces that were nudged, pushed or put back."""
    rebuilt = by_id({*turn.note.rebuilt, *turn.change.back})
    for move in turn.change.moved:
        if move.noticed and move.id not in rebuilt and move.id not in turn.adjusted:
            pushed = decide(above(move.mm, turn.options.push_mm)) == "illegal"
            yield Event("pushed" if pushed else "nudged", pieces=(move.id,), mm=round(float(move.mm[0]), 3))
    if rebuilt:
        yield Event("rebuilt", pieces=rebuilt)


def _hedged(turn: Turn, violations: list[Violation]) -> Iterator[Violation]:
    """A fault that hangs on a piece vision is not sure of is for the players to decide; T3 weighs that itself."""
    unsure = {p.id for p in turn.layout.pieces() if p.unsure is not None}
    for violation in violations:
        doubtful = by_id(unsure.intersection(violation.pieces))
        if violation.verdict == "illegal" and violation.rule != "T3" and doubtful:
            text = f"too close to call, {', '.join(doubtful)} is not sure: {violation.text}"
            yield msgspec.structs.replace(violation, verdict="too_close", text=text)
        else:
            yield violation


def _ordered(violations: Iterator[Violation] | list[Violation]) -> tuple[Violation, ...]:
    """As the rules found them, but pieces of one rule by id, whatever order the layout lists them in."""
    found = list(dict.fromkeys(violations))
    order = list(dict.fromkeys(v.rule for v in found))
    return tuple(sorted(found, key=lambda v: (order.index(v.rule), [natural(p) for p in v.pieces], v.text)))


def _complete(turn: Turn, won: Earned | None) -> bool:
    """False while the turn only lacks its road or earned cars (the contract's unfinished turn)."""
    if turn.finished or won is None:
        return True
    lacks_road = not turn.change.roads and not turn.note.pass_
    return not lacks_road and not cars.fewer_than_owed(turn, won, every=True)[0]


def _ruling(
    turn: Turn,
    after: Position,
    player: str | None,
    violations: tuple[Violation, ...],
    won: Earned | None = None,
    penalties: tuple[Penalty, ...] = (),
    events: tuple[Event, ...] = (),
) -> Ruling:
    verdict: Verdict = worst(v.verdict for v in violations)
    if turn.note.overruled is not None and player is not None:
        events = (*events, Event("overruled", player=player, was=verdict, verdict=turn.note.overruled))
        verdict = turn.note.overruled
    return Ruling(
        turn=after.turn,
        player=player,
        verdict=verdict,
        complete=_complete(turn, won),
        violations=violations,
        crossings=won.crossings if won else (),
        earned=won.total if won else 0,
        placed=len(turn.change.cars) if player is not None else 0,
        penalties=penalties,
        events=events,
        state=state_of(after, turn.rules, turn.kit),
    )


def state_of(position: Position, rules: Rules, kit: Kit) -> State:
    """The score board at a position."""
    players = {}
    for player in position.players:
        has = stock(position, rules, player)
        missions = score(position, rules, kit, player) if rules.mission else None
        players[player] = PlayerState(
            cars=has.cars,
            grey=has.grey,
            yellow=has.yellow,
            roads=has.roads,
            put_away=position.put_away.get(player, 0),
            types=types_left(position, rules, player),
            points=None if missions is None else sum(missions.values()),
            missions=missions,
            out=player in position.out,
            rank=position.ranks.get(player),
        )
    single = position.winners[0] if len(position.winners) == 1 else None
    return State(players, position.to_move, position.over, single, position.winners)
