"""A recorded game judged again: by its own rules, another edition, house rules, or by what vision sees today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from gui.looking_again import AsRecorded, Eyes, Known, Look, ManyEyes, OwnEyes, Spot
from gui.session import Begun, Head, Recorded, Settled, Step
from referee.errors import BadGame
from referee.layout import Layout, with_city
from referee.match import Corrected, Match, Played, Redone, Undone, ruling_differences
from vision.errors import BadSession
from vision.session_file import SessionFile
from vision.session_scan import Progress


@dataclass(frozen=True, slots=True)
class Rejudged:
    """The game as it is judged now, and how that differs from the record."""

    match: Match
    differences: tuple[str, ...]


def other_rules(head: Head, edition: str | None, options: dict[str, Any] | None) -> Head:
    """The set-up with another edition; house rules are added to those of the record, or to none in another edition."""
    kept = {} if edition and edition != head.edition else head.options
    return msgspec.structs.replace(head, edition=edition or head.edition, options={**kept, **(options or {})})


def rejudge(
    file: SessionFile,
    recorded: Recorded,
    head: Head | None = None,
    vision: bool = False,
    workers: int | None = 1,
    progress: Progress | None = None,
) -> Rejudged:
    """Judge the game again, from the recorded layouts or, in so many processes (None: all cores), from the stills."""
    skipped: tuple[str, ...] = ()
    if vision:
        match, skipped = _looked_at_again(file, recorded, head or recorded.head, workers, progress)
    else:
        match = recorded.match(head)
    if match is None:
        raise BadSession(f"{file.path}: no turn was accepted in it, there is nothing to judge")
    return Rejudged(match, (*skipped, *ruling_differences(recorded.rulings, match.rulings)))


def _looked_at_again(
    file: SessionFile, recorded: Recorded, head: Head, workers: int | None, progress: Progress | None
) -> tuple[Match | None, tuple[str, ...]]:
    """The match on layouts that vision sees in the stills now, with what no longer fits.

    With many workers the record is played first as it was, so that every look can begin that would follow from it.
    """
    if head.rig is None:
        raise BadSession(f"{file.path}: was recorded without cameras, so vision has nothing to look at")
    if workers == 1:
        return _seen_again(recorded, head, OwnEyes(file, head), progress)
    with ManyEyes(file, head, workers) as eyes:
        states = {state.number: state for _, state in recorded.settled}
        _seen_again(recorded, head, AsRecorded(states, eyes.expect), None)
        return _seen_again(recorded, head, eyes, progress)


def _seen_again(
    recorded: Recorded, head: Head, eyes: Eyes, progress: Progress | None
) -> tuple[Match | None, tuple[str, ...]]:
    """The match on layouts that these eyes see; what people entered or corrected stays as they said."""
    settled = {one.number: (time_ns, one) for time_ns, one in recorded.settled}
    match: Match | None = None
    seen: list[int | None] = []  # the settled pair behind each version of the timeline's last turn
    said: list[str] = []
    for number, (_, step) in enumerate(recorded.steps):
        there = settled.get(step.settled) if step.settled is not None else None
        try:
            match = _again(eyes, head, match, step, there, settled.get(_last(seen)) if seen else None)
        except BadGame as error:
            said.append(f"event {number} ({type(step.event).__name__.lower()}) no longer fits: {error}")
            continue
        if isinstance(step.event, Begun | Played):
            seen.append(step.settled)
        elif isinstance(step.event, Undone) and len(seen) > 1:
            seen.pop()
        elif isinstance(step.event, Corrected | Redone):
            seen.append(_last(seen))
        if progress is not None:
            progress((number + 1) / len(recorded.steps))
    return match, tuple(said)


def _last(seen: list[int | None]) -> int:
    return -1 if seen[-1] is None else seen[-1]


def _again(
    eyes: Eyes,
    head: Head,
    match: Match | None,
    step: Step,
    now: tuple[int, Settled] | None,
    before: tuple[int, Settled] | None,
) -> Match:
    match step.event:
        case Begun(layout):
            return Match.begin(head.setup(_look(eyes, None, layout, now, None)))
        case Played(layout, note) if match is not None:
            return match.play(_look(eyes, match, layout, now, before), note)
        case event if match is not None and not isinstance(event, Begun):
            return match.apply(event)
    raise BadGame("the match has not begun")


def _look(
    eyes: Eyes,
    match: Match | None,
    accepted: Layout,
    now: tuple[int, Settled] | None,
    before: tuple[int, Settled] | None,
) -> Layout:
    """The layout of a turn as vision sees it now; where it sees the same as then, what was accepted then."""
    if now is None or now[1].said or (match is not None and before is None):
        return accepted
    known = None
    if match is not None and before is not None:
        known = Known(match.position.layout, Spot.of(before), match.position.to_move)
    answer = eyes.see(Look(Spot.of(now), known))
    if answer is None:
        return accepted
    if answer.layout is None:
        raise BadGame(answer.trouble or "nothing can be told from its pictures")
    # Vision alone sees no city: people told it.
    return accepted if answer.layout == now[1].layout else with_city(answer.layout, accepted.city())
