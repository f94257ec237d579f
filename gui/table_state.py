"""Where a table stands between two words of anybody: what views and recordings read of the desk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from gui.city_parts import city_kinds
from gui.falls import Fall, due
from gui.questions import Question, questions
from referee.layout import Candidate, Car, Layout
from referee.match import Match, Setup
from referee.notes import NO_NOTE, Note
from referee.owners import deal_owners, owned
from referee.ruling import Penalty, Ruling, State

Phase = Literal[
    "setting_up", "waiting", "hands", "reading", "building", "proposed", "asked", "fallen", "paused", "over"
]


@dataclass(frozen=True, slots=True)
class TableState:
    """The match so far, and the turn that is being played on top of it."""

    setup: Setup
    match: Match | None
    """None until the first layout, the set-up, is accepted."""
    hands: bool = False
    reading: bool = False
    """The table is still, and vision is looking at it."""
    lost: str | None = None
    """Why the cameras cannot see, as long as they cannot."""
    seen: Layout | None = None
    """The settled layout that is not accepted yet; None where the table stands as accepted."""
    ruling: Ruling | None = None
    """What the referee says of `seen`."""
    note: Note = NO_NOTE
    """What players said of the turn being played; a fall adds its own."""
    fall: Fall | None = None
    answers: Mapping[str, Candidate | None] = field(default_factory=dict)
    absent: frozenset[str] = frozenset()
    """Unsure pieces that people say are not there."""
    whole: bool = False
    """People say that what is drawn is all that stands there, however little vision trusts itself."""
    by_hand: bool = False
    """People entered what is `seen`: no camera has to see it."""
    held: bool = False
    """People took something back: what they look at is not accepted by itself."""
    trouble: str | None = None
    """Why what was seen, or asked for, makes no turn; in plain words."""
    differences: tuple[str, ...] = ()
    """What the last correction changed in the rulings."""

    @property
    def phase(self) -> Phase:
        if self.lost is not None and not self.by_hand:
            return "paused"
        if self.hands:
            return "hands"
        if self.reading:
            return "reading"
        if self.fall is not None and not self.fall.settled:
            return "fallen"
        if self.seen is None:
            if self.match is None:
                return "setting_up"
            return "over" if self.match.position.over else "waiting"
        if self.questions or self.doubt is not None:
            return "asked"
        return "proposed" if self.ruling is not None and self.ruling.complete else "building"

    @property
    def sure(self) -> bool:
        """Whether the turn may be accepted by itself: complete, legal, nothing asked, nobody took it back."""
        return self.phase == "proposed" and self.ruling is not None and self.ruling.verdict == "legal" and not self.held

    @property
    def questions(self) -> tuple[Question, ...]:
        """Pieces that vision is not sure of and the rules hang on, the first one to be asked first."""
        if self.seen is None:
            return ()
        return questions(self.accepted, self.seen, self.setup.rules.typed, self._untyped)

    @property
    def doubt(self) -> str | None:
        """Why there may be more on the table than is drawn."""
        return self.seen.unsure if self.seen is not None else None

    @property
    def asks_as_a_whole(self) -> bool:
        """Whether people are better asked for all of it at once: a set-up, or a table that vision could not read."""
        return self.doubt is not None or (self.match is None and len(self.questions) > 1)

    @property
    def _untyped(self) -> frozenset[str]:
        """Cars whose unknown type the ruling hangs on (C7, V1)."""
        violations = self.ruling.violations if self.ruling is not None else ()
        doubted = {name for v in violations if v.rule in ("C7", "V1") and v.verdict == "too_close" for name in v.pieces}
        cars = self.seen.cars if doubted and self.seen is not None else ()
        return frozenset(car.id for car in cars if car.id in doubted and _open(car) and car.id not in self.answers)

    @property
    def accepted(self) -> Layout:
        """What stands on the table by the last accepted turn, or the city alone before the first one."""
        return self.match.position.layout if self.match is not None else self.setup.layout

    @property
    def layout(self) -> Layout:
        """What to draw: what is seen, with owners, else what was accepted."""
        if self.seen is None:
            return self.accepted
        if self.match is None:
            return deal_owners(self.seen, self.setup.players)
        return owned(self.match.position, self.seen, self.mover)

    @property
    def turn(self) -> int:
        """The number of the turn being played; 0 is the set-up."""
        return len(self.match.timeline) if self.match is not None else 0

    @property
    def mover(self) -> str:
        """Whose turn it is (who was last, once the game is over)."""
        to_move = self.match.position.to_move if self.match is not None else None
        last = self.match.rulings[-1].player if self.match is not None else None
        return self.note.player or to_move or last or self.setup.first

    @property
    def fresh(self) -> frozenset[str]:
        """Ids of what is new in the turn that is shown."""
        if self.seen is None:
            return self.match.position.fresh if self.match is not None else frozenset()
        return frozenset(p.id for p in self.seen.pieces()) - {p.id for p in self.accepted.pieces()}

    @property
    def lacks_city(self) -> bool:
        """Whether the match is about to begin without the city that its edition has, because nobody has told it."""
        return self.match is None and bool(city_kinds(self.setup)) and not any(self.layout.city())

    @property
    def penalties(self) -> tuple[Penalty, ...]:
        """What the fall costs by this edition and the players' choice of discs."""
        return due(self.match, self.fall, self.note) if self.match is not None and self.fall is not None else ()

    def may_pay_yellow(self, owner: str) -> int:
        """How many of the discs due to an owner can be yellow: what the payer has, less what others get of it."""
        state = self.state
        if self.fall is None or state is None:
            return 0
        has = max(state.players[self.fall.by].yellow, 0)
        others = sum(penalty.yellow for penalty in self.penalties if penalty.owner != owner)
        discs = sum(penalty.grey + penalty.yellow for penalty in self.penalties if penalty.owner == owner)
        return max(min(has - others, discs), 0)

    @property
    def state(self) -> State | None:
        """The score as accepted."""
        return self.match.rulings[-1].state if self.match is not None else None

    @property
    def full_note(self) -> Note:
        """The players' note with what fell and was rebuilt."""
        if self.fall is None:
            return self.note
        standing = {p.id for p in self.seen.pieces()} if self.seen is not None else set()
        rebuilt = tuple(i for i in self.fall.rebuilt if i in standing)
        return msgspec.structs.replace(self.note, knocked=self.fall.knocks(), rebuilt=rebuilt)


def _open(car: Car) -> bool:
    """Whether a car's type is not known for sure."""
    return car.type is None or bool(car.candidates)
