"""What of an accepted turn deserves a moment: discs that change hands, passes, who is out or has won. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

from gui.words import capital, named, penalty_words, wins_words
from referee.ruling import Event, Ruling


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something to be told in large letters, once."""

    icon: str
    title: str
    text: str
    player: str | None = None


def occasions(ruling: Ruling) -> tuple[Occasion, ...]:
    """The moments of a turn in the order they happened."""
    told = [
        Occasion("scale", "A penalty", capital(penalty_words(p.by, p.owner, p.grey, p.yellow, p.roads)), p.by)
        for p in ruling.penalties
    ]
    told += [one for event in ruling.events if (one := _of(event)) is not None]
    if ruling.state.over:
        winners = ruling.state.winners
        told.append(
            Occasion("trophy", wins_words(winners), "The game is over.", winners[0] if len(winners) == 1 else None)
        )
    return tuple(told)


def _of(event: Event) -> Occasion | None:
    who = capital(event.player or "")
    match event.kind:
        case "same_type":
            disc = "yellow" if event.yellow else "grey"
            text = f"{who}'s {named(event.type)} meets one on {event.owner}'s road and takes a {disc} disc."
            return Occasion("car", "Same type", text, event.player)
        case "pass":
            return Occasion("skip-forward", f"{who} passes", "Nothing was built this turn.", event.player)
        case "out":
            return Occasion("flag", f"{who} is out", "No more turns for this player.", event.player)
        case "finished":
            return Occasion("flag", f"{who} has placed every car", "The road is done.", event.player)
        case "road_put_away":
            return Occasion("layers", f"{who} puts a road away", "There was nothing else to build.", event.player)
        case "overruled" if event.was == "illegal":
            return Occasion(
                "gavel", "Overruled", f"The players say {event.verdict}; it was {event.was}.".replace("_", " ")
            )
    return None
