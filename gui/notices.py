"""What the sign at the top says of a desk or of a past turn. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

from gui.look_palette import SIGNS
from gui.table_state import TableState
from gui.words import capital, measured_words, phase_words, sentence
from referee.layout import Layout
from referee.ruling import Ruling, Violation

_ICONS = {
    "setting_up": "route", "waiting": "hourglass", "hands": "hand", "reading": "eye", "building": "layers",
    "over": "trophy", "asked": "circle-question-mark", "fallen": "triangle-alert", "paused": "camera-off",
}  # fmt: skip
_AMBER = ("asked", "fallen", "paused")


@dataclass(frozen=True, slots=True)
class Notice:
    """What the sign says."""

    kind: str = "quiet"
    icon: str = "info"
    word: str = ""
    text: str = ""
    fact: str = ""
    pieces: tuple[str, ...] = ()
    """What it is about."""


def notice_now(desk: TableState) -> Notice:
    """The sign for the turn being played."""
    if desk.trouble is not None and desk.phase in ("waiting", "building", "proposed"):
        return Notice("quiet", "info", "Not so fast", capital(desk.trouble))
    if desk.phase == "proposed" and desk.ruling is not None:
        return ruling_notice(desk.ruling, desk.layout, desk.fresh)
    if desk.phase == "waiting" and desk.match is not None and desk.turn > 1:
        return _handed_on(desk, desk.match.rulings[-1])
    title, text = phase_words(desk)
    asks_one = desk.phase == "asked" and not desk.asks_as_a_whole
    pieces = tuple(question.piece.id for question in desk.questions[:1]) if asks_one else ()
    kind = "too_close" if desk.phase in _AMBER else "legal" if desk.phase == "over" else "quiet"
    return Notice(kind, _ICONS[desk.phase], title, text, "", pieces)


def counting_notice() -> Notice:
    """While the final scoring is counted out: nobody has won yet."""
    return Notice("quiet", "trophy", "The last turn is played", "The missions are counted, one after the other.")


def _handed_on(desk: TableState, last: Ruling) -> Notice:
    """The last turn's ruling stays while the next player thinks."""
    title, _ = phase_words(desk)
    notice = ruling_notice(last, desk.accepted, desk.fresh)
    return Notice(
        "quiet", _ICONS["waiting"], title, f"Turn {last.turn}: {notice.word.lower()}. {notice.text}", notice.fact
    )


def ruling_notice(ruling: Ruling, layout: Layout, fresh: frozenset[str] = frozenset()) -> Notice:
    """The sign of a ruling."""
    sign = SIGNS[ruling.verdict]
    fault = next((v for v in ruling.violations if v.verdict == ruling.verdict), None)
    if fault is None and ruling.violations:  # the players let it stand: what they decided about
        fault = min(ruling.violations, key=lambda violation: violation.verdict != "illegal")
    word = sign.word
    if ruling.verdict == "legal" and ruling.earned:
        word += f"  \u00b7  {ruling.earned} car{'s' if ruling.earned > 1 else ''}"
    pieces = fault.pieces if fault is not None else tuple(sorted(fresh))
    return Notice(ruling.verdict, sign.icon, word, sentence(ruling, layout, fresh), fact_of(fault), pieces)


def fact_of(violation: Violation | None) -> str:
    """The rule, the measured value, its error and the limit."""
    if violation is None:
        return ""
    told = measured_words(violation)
    return f"Rule {violation.rule}" + (f"  \u00b7  {told}" if told else "")
