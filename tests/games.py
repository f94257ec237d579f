"""Random games, legal and not: players of sample_frames who now and then do what people do."""

from __future__ import annotations

import msgspec
import numpy as np
from hypothesis import strategies as st

from referee.edition import editions, rules_for
from referee.game import Game
from referee.layout import Area, Building, Car, Layout, Piece, with_pieces
from referee.match import Match, Setup
from referee.notes import NO_NOTE, Knock, Note, Payment
from referee.pieces import CAR_TYPES, Kit
from sample_frames.players import entrances, proposals

COLOURS = ("purple", "green", "orange", "blue", "pink", "white")


def city() -> tuple[tuple[Building, ...], tuple[Area, ...]]:
    """A small Rainbow City well away from the start columns."""
    areas = tuple(
        Area(f"dev{i}", "development", ((x, y), (x + 60.0, y), (x + 60.0, y + 60.0), (x, y + 60.0)))
        for i, (x, y) in enumerate(((160.0, 40.0), (160.0, -160.0), (-260.0, 40.0)))
    )
    rainbow = Area("rain", "rainbow", ((-20.0, 200.0), (20.0, 200.0), (20.0, 215.0), (-20.0, 215.0)))
    green = Area("park", "green", ((-60.0, -260.0), (60.0, -260.0), (60.0, -200.0), (-60.0, -200.0)))
    block = Building("b0", "building", ((180.0, 60.0), (200.0, 60.0), (200.0, 80.0), (180.0, 80.0)), 35.0)
    return (block,), (*areas, rainbow, green)


def setup_for(edition: str, count: int, mission: bool) -> Setup:
    rules = rules_for(edition, count, mission)
    kit, players = Kit(), COLOURS[:count]
    layout = entrances(kit, players, rules.options.start == "column", rules.typed)
    if rules.options.city:
        buildings, areas = city()
        layout = msgspec.structs.replace(layout, buildings=buildings, areas=areas)
    return Setup(rules, kit, players, players[count // 2], layout)


def random_match(edition: str, count: int, mission: bool, seed: int, turns: int) -> Match:
    """A game of random turns; about half are as proposed, the rest are meddled with."""
    rng = np.random.default_rng(seed)
    match = Match.begin(setup_for(edition, count, mission))
    for _ in range(turns):
        if match.position.over:
            break
        offered = list(proposals(match, rng, 3))
        layout = offered[-1][0] if offered else match.position.layout
        legal = [proposal for proposal, ruling in offered if ruling.verdict == "legal"]
        if legal and rng.random() < 0.6:
            layout = legal[0]
        note = NO_NOTE
        if rng.random() < 0.4:
            layout, note = _meddle(match, layout, rng)
        match = match.play(layout, note)
    return match


def _meddle(match: Match, layout: Layout, rng: np.random.Generator) -> tuple[Layout, Note]:
    """One of the things that go wrong at a table."""
    pieces: dict[str, Piece] = {p.id: p for p in layout.pieces()}
    players = match.setup.players
    kind = int(rng.integers(7))
    if kind == 0 and layout.cars:
        del pieces[layout.cars[int(rng.integers(len(layout.cars)))].id]
    elif kind == 1:
        column = layout.columns[int(rng.integers(len(layout.columns)))]
        pieces[column.id] = msgspec.structs.replace(column, x=column.x + float(rng.normal(0, 4)))
    elif kind == 2:
        column = layout.columns[-1]
        pieces[column.id] = msgspec.structs.replace(column, height=column.height + 1)
    elif kind == 3:
        road = layout.roads[int(rng.integers(len(layout.roads)))]
        owner = players[int(rng.integers(len(players)))]
        car = Car(f"x{match.position.turn}", *road.a, 0.0, road.id, owner, CAR_TYPES[int(rng.integers(10))])
        pieces[car.id] = car
    elif kind == 4:
        return match.position.layout, NO_NOTE
    elif kind == 5:
        knock = Knock(players[0], players[-1], discs=int(rng.integers(4)), roads=1, cars=0)
        paid = (Payment(players[0], players[-1], grey=int(rng.integers(3)), yellow=int(rng.integers(2))),)
        return layout, Note(knocked=(knock,), paid=paid, rebuilt=(layout.columns[0].id,))
    else:
        return layout, Note(overruled="legal", player=players[int(rng.integers(len(players)))])
    return with_pieces(layout, pieces), NO_NOTE


def game_of(match: Match) -> Game:
    """The game.json of a match."""
    setup = match.setup
    return Game(
        edition=setup.rules.edition,
        players=setup.players,
        layouts=tuple(record.layout for record in match.timeline),
        first=setup.first,
        mission=setup.rules.mission,
        turns=tuple(record.note for record in match.timeline[1:]),
    )


@st.composite
def matches(draw: st.DrawFn, most_turns: int = 7) -> Match:
    """Random matches of all editions."""
    edition = draw(st.sampled_from(sorted(editions())))
    low, high = editions()[edition].players
    mission = draw(st.booleans()) and editions()[edition].mission is not None
    count = draw(st.integers(low, high))
    return random_match(edition, count, mission, draw(st.integers(0, 2**31)), draw(st.integers(1, most_turns)))
