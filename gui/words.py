"""Rulings and states of the desk in words; the command line and the dashboard say the same."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gui.piece_words import named_in
from gui.table_state import TableState
from referee.layout import Column, Layout, Road
from referee.ruling import Crossing, Event, Ruling, Violation

_OPEN = {
    "R1": "Does this end of the road rest where it should?",
    "R2": "Does the road stick out past its column?",
    "R3": "Does the road cover part of a column, seen from above?",
    "R5": "Does the road touch anything?",
    "R6": "Does the road touch a building?",
    "R7": "Does it stand clear of the city areas?",
    "T7": "Was something moved too far?",
    "C4": "Does the car stand over a column?",
    "S3": "Are the start columns one road length apart?",
    "S6": "Are the areas far enough apart?",
}  # fmt: skip
"""What the players are to look at where a measurement cannot tell."""


def built_words(before: Layout, after: Layout) -> str:
    """What is new in a layout."""
    old = {p.id for p in before.pieces()}
    said = []
    for piece in after.pieces():
        if piece.id in old:
            continue
        if isinstance(piece, Column):
            said.append(f"{'junction' if piece.junction else 'column'} {piece.id}, {piece.height} high")
        elif isinstance(piece, Road):
            ends = " to ".join(e or "the table" for e in (piece.from_, piece.to))
            said.append(f"{piece.kind} {piece.id} from {ends}")
        else:
            said.append(f"{(piece.type or 'car').replace('_', ' ')} {piece.id}")
    return "; ".join(said) or "nothing built"


def event_words(event: Event) -> str:
    """One event in words."""
    pieces = ", ".join(event.pieces)
    match event.kind:
        case "nudged" | "pushed":
            return f"{pieces} {event.kind} by {event.mm} mm"
        case "fallen":
            return f"{pieces or 'pieces'} of {event.owner} fell, by {event.by}"
        case "rebuilt":
            return f"{pieces} rebuilt"
        case "same_type":
            colour = "yellow" if event.yellow else "grey"
            return f"V1 same type ({event.type}): {event.player} takes a {colour} disc from {event.owner}"
        case "pass":
            return f"{event.player} passes"
        case "out":
            return f"{event.player} is out (W2), rank {event.rank}"
        case "finished":
            rank = f", rank {event.rank}" if event.rank else ""
            return f"{event.player} has placed all cars (W1){rank}"
        case "road_put_away":
            return f"{event.player} puts a road away (W3)"
        case "overruled" if event.was == "too_close":
            return f"too close to call, and {event.verdict} by the players' word"
        case "overruled":
            return f"overruled by the players: {event.was} became {event.verdict}"
        case "game_over":
            return "the game is over"


def event_told(event: Event, layout: Layout) -> str:
    """One event as people at the table call things; what fell may stand nowhere any more and is counted."""
    if event.kind == "fallen":
        count = len(event.pieces)
        pieces = f"{count} pieces" if count > 1 else "a piece" if count else "pieces"
        return f"{pieces} of {event.owner} fell, by {event.by}"
    return named_in(event_words(event), layout)


def crossing_told(crossing: Crossing, layout: Layout) -> tuple[str, str]:
    """What a crossing earned, and why."""
    gain = "earns a car" if crossing.earns else "earns nothing"
    blocked = f" ({', '.join(crossing.by)})" if crossing.by else ""
    told = (f"{crossing.side} {crossing.road}: {gain}", f"{crossing.why}{blocked}")
    return named_in(told[0], layout), named_in(told[1], layout)


def named(piece_type: str | None) -> str:
    """A car's type as people say it."""
    return (piece_type or "car").replace("_", " ")


def crossing_badge(crossing: Crossing) -> str:
    """What stands on a crossing in the picture."""
    if not crossing.sure:
        return f"{crossing.side}?"
    return f"1st {crossing.side}" if crossing.earns else "not first" if "not first" in crossing.why else "no car"


def sentence(ruling: Ruling, layout: Layout, fresh: frozenset[str] = frozenset()) -> str:
    """The one sentence under a verdict: the worst fault, else what the turn brought."""
    faults = [v for v in ruling.violations if v.verdict == ruling.verdict] or list(ruling.violations)
    if faults and ruling.verdict != "legal":
        more = len(ruling.violations) - 1
        return capital(named_in(fault_or_question(faults[0]), layout, fresh)) + (f" (and {more} more)" if more else "")
    owners = {road.id: road.owner for road in layout.roads}
    said = [f"first {c.side} {owners.get(c.road) or 'a'}'s road" for c in ruling.crossings if c.earns]
    if ruling.earned > len(said):
        said.append("an exit's bonus car")
    said += [event_told(e, layout) for e in ruling.events if e.kind not in ("rebuilt", "fallen")]
    said += [penalty_words(p.by, p.owner, p.grey, p.yellow, p.roads) for p in ruling.penalties]
    if not said:
        said = ["no car this time" if ruling.crossings else "built as the rules say"]
    return capital(" \u00b7 ".join(said))


def fault_words(violation: Violation) -> str:
    """A violation's sentence; what was measured is told apart from it."""
    return re.sub(r"^too close to call(?: \(measured .*?\))?: ", "", violation.text)


def fault_or_question(violation: Violation) -> str:
    """A fault as a fact; what a measurement cannot tell as the question that it leaves open."""
    if violation.verdict == "too_close" and violation.measured_mm is not None and violation.rule in _OPEN:
        return _OPEN[violation.rule]
    return fault_words(violation)


def measured_words(violation: Violation) -> str:
    """The measured value, its error and the limit; nothing where it is no matter of millimetres."""
    if violation.measured_mm is None:
        return ""
    error = f" \u00b1 {violation.sigma_mm:.1f}" if violation.sigma_mm else ""
    limit = f", limit {violation.limit_mm:g} mm" if violation.limit_mm is not None else ""
    return f"measured {violation.measured_mm:.1f}{error} mm{limit}".replace(" -", " \u2212")


def penalty_words(by: str, owner: str, grey: int, yellow: int, roads: int) -> str:
    """A payment in words."""
    amounts = ((grey, "grey disc"), (yellow, "yellow disc"), (roads, "road"))
    paid = [f"{count} {name}{'s' if count > 1 else ''}" for count, name in amounts if count]
    return f"{by} pays {' and '.join(paid) or 'nothing (has none)'} to {owner}"


def phase_words(desk: TableState) -> tuple[str, str]:
    """A title and a sentence for what the desk is waiting for."""
    mover = desk.mover
    match desk.phase:
        case "setting_up":
            return "Setting up", "Put the entrances down: a disc, a road up to it, a car on the road."
        case "waiting":
            return f"{capital(mover)} to build", "Column, road, then the cars it earns."
        case "hands":
            return "Hands at work", "Judging waits until they are gone."
        case "reading":
            return "Reading the table\u2026", "Both cameras have it; the ruling comes in a moment."
        case "building":
            return "Building\u2026", f"{capital(mover)} is not done yet. Enter ends the turn as it stands."
        case "asked" if desk.asks_as_a_whole:
            return whole_question(desk)
        case "asked":
            question = desk.questions[0]
            return question.text, f"Not sure: {question.piece.unsure or 'its type'}. One key answers."
        case "fallen":
            return "Something fell", "Put it back as it was. Judging goes on when all stands again."
        case "paused":
            return "Judging is paused", lost_words(desk)
        case "over":
            state = desk.state
            winners = state.winners if state is not None else ()
            return wins_words(winners), "The game is over."
        case "proposed":
            return "", ""


def wins_words(winners: Sequence[str]) -> str:
    """Who has won, one or several."""
    return f"{capital(' and '.join(winners) or 'nobody')} {'win' if len(winners) > 1 else 'wins'}"


def lost_words(desk: TableState) -> str:
    """Why the cameras cannot see, as a sentence without its full stop."""
    return capital(re.sub(r"^(overhead|side): ", r"the \1 camera: ", desk.lost or ""))


def whole_question(desk: TableState) -> tuple[str, str]:
    """What is asked of a table as a whole, and what to do about it."""
    title = "Is this the set-up?" if desk.match is None else "Is this all that stands there?"
    count = len(desk.questions)
    why = desk.doubt or f"{count} of its pieces could be otherwise"
    return title, f"{capital(why)}. Enter takes it as drawn, C puts it right on the plan."


def capital(text: str) -> str:
    """Begins like a sentence; a path or an address stays as it is."""
    first = text.split(" ", 1)[0]
    return text if "/" in first or "\\" in first else text[:1].upper() + text[1:]
