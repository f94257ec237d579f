"""What the players are asked at each moment of a match, and what each answer does."""

from __future__ import annotations

from typing import Protocol

from gui.city_parts import city_kinds
from gui.desk import Desk
from gui.host import Host
from gui.piece_words import named_in
from gui.questions import candidate_words
from gui.table_state import TableState
from gui.widgets.prompt import Ask, Option
from gui.words import (
    capital,
    fault_or_question,
    lost_words,
    measured_words,
    penalty_words,
    whole_question,
    wins_words,
)
from referee.layout import Candidate, Column
from referee.ruling import Penalty, Ruling, Violation

PAY_KEYS = "YUIJK"
"""A key for each owner whose pieces fell: five others at the most."""


class Actions(Protocol):
    """What a match page can do besides telling the desk."""

    def back_to_now(self) -> None: ...
    def correct(self) -> None: ...
    def by_hand(self) -> None: ...
    def put_city(self, propose: bool = False) -> None: ...
    def leave(self) -> None: ...


def ask_now(desk: TableState, host: Host, page: Actions) -> Ask | None:
    """The card for the turn being played; None where the sign says it all."""
    match desk.phase:
        case "asked" if desk.asks_as_a_whole:
            return _asked_whole(desk, host, page)
        case "asked":
            return _asked(desk, host, page)
        case "fallen":
            return _fallen(desk, host)
        case "paused":
            entered = Option("H", "Enter the turn by hand", page.by_hand)
            return Ask(
                "Judging is paused",
                f"{lost_words(desk)}. It goes on by itself when the picture is back.",
                (),
                (entered,),
            )
        case "over":
            return _over(desk, page)
        case "proposed" | "waiting" if _wants_city(desk, host):
            return _without_city(desk, host, page)
        case "proposed" if desk.ruling is not None and desk.ruling.verdict != "legal":
            return _proposed(desk, desk.ruling, host)
    return None


def ask_past(turn: int, page: Actions) -> Ask:
    """The card under a turn that is looked at again."""
    options = (
        Option("C", "Correct this turn", page.correct),
        Option("Esc", "Back to now", page.back_to_now, "primary"),
    )
    return Ask("The set-up" if turn == 0 else f"Turn {turn}, as accepted", options=options)


def ask_differences(lines: tuple[str, ...], page: Actions, corrected: bool) -> Ask:
    """What a correction, or judging by another edition, changed; in the latter case the first line says so."""
    said = tuple(capital(line) for line in lines)
    title = "Corrected, and everything after it judged again" if corrected else said[0]
    return Ask(title, "", said if corrected else said[1:], (Option("Esc", "Good", page.back_to_now, "primary"),))


def _asked(desk: TableState, host: Host, page: Actions) -> Ask:
    question = desk.questions[0]
    options = []
    for number, candidate in enumerate(question.candidates[:9], start=1):
        key = str(candidate.height) if candidate.height is not None and candidate.height < 10 else str(number)
        odds = f" ({candidate.p:.0%})" if candidate.p is not None else ""
        options.append(
            _answer(host, question.piece.id, candidate, key, candidate_words(question.piece, candidate) + odds)
        )
    if not options:
        options.append(_answer(host, question.piece.id, None, "1", "Yes, as drawn"))
    name = question.piece.id
    if question.piece.unsure is None:
        options.append(_answer(host, name, None, "G", "Leave it open"))
    options.append(Option("0", "It is not there", lambda: host.do(lambda d: d.not_there(name))))
    if len(desk.questions) > 1:
        options.append(Option("A", f"All {len(desk.questions)} as drawn", lambda: host.do(Desk.as_drawn)))
    options.append(Option("C", "Put it right on the plan", page.correct))
    more = len(desk.questions) - 1
    rest = f" {more} more question{'s' if more > 1 else ''} after this one." if more else ""
    lines = (host.aside,) if host.aside else ()
    why = question.piece.unsure or "its type does not show"
    text = f"The cameras cannot tell: {why}.{rest}"
    return Ask(question.text, text, lines, tuple(options), desk.setup.players)


def _asked_whole(desk: TableState, host: Host, page: Actions) -> Ask:
    title, _ = whole_question(desk)
    why = f"{capital(desk.doubt)}. " if desk.doubt is not None else ""
    text = f"{why}What the cameras are not sure of is outlined in amber; what is otherwise is put right on the plan."
    options = [
        Option("Enter", "Yes, as drawn", lambda: host.do(taken_as_drawn), "primary"),
        Option("C", "Put it right on the plan", page.correct),
    ]
    if desk.match is None:
        options.append(Option("H", "Start from the rulebook's", page.by_hand))
    return Ask(title, text, (host.aside,) if host.aside else (), tuple(options))


def taken_as_drawn(desk: Desk) -> Desk:
    """All of it is as drawn; a set-up begins the match with that, once its city is known."""
    drawn = desk.as_drawn()
    return drawn.accept() if desk.match is None and not drawn.lacks_city else drawn


def _wants_city(desk: TableState, host: Host) -> bool:
    """Whether nobody has told the city yet: before the match or, where no camera watches, before its first turn."""
    unwatched = host.feed is None and desk.turn == 1 and bool(city_kinds(desk.setup)) and not any(desk.layout.city())
    return desk.lacks_city or unwatched


def _without_city(desk: TableState, host: Host, page: Actions) -> Ask:
    """An edition with a city of which nothing is known: proposed, put down by hand, or played without."""
    cards = desk.setup.rules.options.city
    name, parts = ("city", "cards and buildings") if cards else ("buildings", "buildings")
    by_hand = Option("C", f"Put {'it' if cards else 'them'} down by hand", page.put_city)
    text = f"This edition is played with {parts} that never move, and the referee knows of none on this table."
    if desk.match is not None:
        play = Option("H", "Enter the first turn without", page.by_hand)
        return Ask(f"No {name} known yet", text, (), (by_hand, play))
    lines = tuple(_looked_at(desk, violation) for violation in desk.ruling.violations) if desk.ruling else ()
    propose = Option("1", "Propose from the pictures", lambda: page.put_city(propose=True), "primary")
    begin = Option("Enter", "Begin without", lambda: host.do(Desk.accept))
    ways = (propose, by_hand, begin) if host.feed is not None else (by_hand, begin)
    return Ask(f"No {name} known yet", text, (*lines, *((host.aside,) if host.aside else ())), ways)


def _answer(host: Host, piece_id: str, candidate: Candidate | None, key: str, text: str) -> Option:
    owner = candidate.owner if candidate is not None else None
    return Option(key, text, lambda: host.do(lambda desk: desk.answer(piece_id, candidate)), player=owner)


def _fallen(desk: TableState, host: Host) -> Ask:
    fall = desk.fall
    if fall is None:
        return Ask("Something fell")
    words = []
    for piece in fall.pieces:
        kind = f"column, {piece.height} high" if isinstance(piece, Column) else type(piece).__name__.lower()
        standing = "" if piece.id in fall.down else "  (stands again)"
        words.append(capital(f"{piece.owner}'s {kind}{standing}"))
    for penalty in desk.penalties:
        paid = penalty_words(penalty.by, penalty.owner, penalty.grey, penalty.yellow, penalty.roads)
        words.append(f"By this edition {paid}")
    options = []
    for number, player in enumerate(desk.setup.players, start=1):
        role = "primary" if player == fall.by else ""
        options.append(_blame(host, str(number), player, role))
    for key, penalty in zip(PAY_KEYS, desk.penalties, strict=False):
        most = desk.may_pay_yellow(penalty.owner)
        if most:
            options.append(_pay(host, key, penalty, most))
    options.append(Option("G", "Go on as it lies", lambda: host.do(lambda d: d.go_on())))
    words += [host.aside] if host.aside else []
    how = "It goes on by itself when all stands again."
    return Ask("Something fell. Who was it?", how, tuple(words), tuple(options), desk.setup.players)


def _blame(host: Host, key: str, player: str, role: str) -> Option:
    return Option(key, capital(player), lambda: host.do(lambda desk: desk.blamed(player)), role, player)


def _pay(host: Host, key: str, penalty: Penalty, most: int) -> Option:
    """Each press pays one disc more in yellow, then all in grey again."""
    yellow = penalty.yellow + 1 if penalty.yellow < most else 0
    text = f"Pay {penalty.owner} {yellow} in yellow" if yellow else f"Pay {penalty.owner} in grey"
    return Option(key, text, lambda: host.do(lambda desk: desk.pays_yellow(penalty.owner, yellow)))


def _proposed(desk: TableState, ruling: Ruling, host: Host) -> Ask:
    """What is not plainly legal: the players mend it, or say that it stands."""
    aside = (host.aside,) if host.aside else ()
    stands = Option("Enter", "It stands", lambda: host.do(Desk.accept), "primary")
    several = len(ruling.violations) > 1
    lines = tuple(_looked_at(desk, violation) for violation in ruling.violations) if several else ()
    if desk.match is None:
        text = "A set-up is yours to say: put it right and the referee looks again, or play with it as it is."
        begins = Option("Enter", "Begin with it", lambda: host.do(Desk.accept), "primary")
        title = "Not quite as the rules have it" if ruling.verdict == "illegal" else "Is it as the rules have it?"
        return Ask(title, text, (*lines, *aside), (begins,))
    if ruling.verdict == "illegal":
        overrule = Option("O", "Overrule: it stands", lambda: host.do(lambda d: d.overrule()))
        text = "Mend it on the table and the referee looks again, or decide against the referee."
        return Ask("This turn breaks a rule", text, (*lines, *aside), (overrule,))
    text = "That is as close as the cameras come. Let it stand, or move it and the referee looks again."
    return Ask("You decide", text, (*lines, *aside), (stands,))


def _looked_at(desk: TableState, violation: Violation) -> str:
    told, fault = measured_words(violation), named_in(fault_or_question(violation), desk.layout, desk.fresh)
    return f"{violation.rule}  {capital(fault)}" + (f"  {capital(told)}." if told else "")


def _over(desk: TableState, page: Actions) -> Ask:
    state = desk.state
    if state is None:
        return Ask("The game is over")
    ranked = sorted(state.players.items(), key=lambda one: one[1].rank or 99)
    lines = []
    for player, has in ranked:
        points = f", {has.points} points" if has.points is not None else ""
        cars = f"{has.cars} car{'s' if has.cars != 1 else ''} left"
        lines.append(f"{has.rank or '-'}.  {player}{points}, {cars}")
        if has.missions:
            lines.append("      " + ", ".join(f"{m} {n}" for m, n in has.missions.items() if n))
    return Ask(wins_words(state.winners), "", tuple(lines), (Option("H", "Home", page.leave, "primary"),))
