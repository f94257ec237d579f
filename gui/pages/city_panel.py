"""The city in the editor: proposed from the pictures, or put down by hand; and what can be changed of one part."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QProgressBar

from gui.city_parts import AREA_KINDS, BUILDING_KINDS, KIND_WORDS, CityKind
from gui.city_search import CityReader, CitySearch
from gui.draft import Draft
from gui.explaining import Answer, CityQuestion
from gui.theme import STEP, Theme
from gui.widgets.choice import Choice
from gui.widgets.parts import Button, button, clear, label, row, stack
from gui.words import capital
from referee.layout import Area, Building, CityPart

TURNS_DEG = (-15, -1, 1, 15)
HEIGHTS_MM = (-10, -1, 1, 10)
BUSY = "Looking for cards and buildings\u2026 That takes 5 to 40 seconds."
FOUND = "Look over what was proposed and put it right."
NEVER_FOUND = "Trees, aeroplanes and the rainbow are yours to add."
NOT_FOUND = "Nothing was found in these pictures. Put it down by hand."
HOW = "Pick a part on the plan, or go through them with N and B."


class CityPanel(QFrame):
    """Buttons for the city as a whole, and for the picked part."""

    changed = pyqtSignal(object)
    """A step on the draft."""
    added = pyqtSignal(str)
    """One more of this kind is wanted on the plan."""

    def __init__(
        self, theme: Theme, kinds: Sequence[CityKind], reader: Callable[[], CityReader], question: CityQuestion | None
    ) -> None:
        """Without a question there are no pictures to look at."""
        super().__init__()
        self.theme, self.kinds, self.question = theme, tuple(kinds), question
        self.search = CitySearch(reader)
        self.search.answered.connect(self._answered)
        self.setProperty("role", "panel")
        self._body = stack(margin=2 * STEP)
        self.setLayout(self._body)
        self._kind, self._words = 0, ""
        self._shown: tuple[object, ...] = ()
        self._draft: Draft | None = None
        self._picked = ""

    @property
    def name(self) -> str:
        """What this edition calls it: some have buildings and no cards."""
        return "city" if "development" in self.kinds else "buildings"

    def propose(self) -> None:
        """Look for the city in the pictures; what is drawn stays until it is found."""
        if self.question is not None and not self.search.is_on:
            self.search.begin(self.question)
            self._words = ""
            self._refresh()

    def stop(self) -> None:
        """Nobody waits for a proposal any more."""
        self.search.cancel()
        self._refresh()

    def add(self) -> None:
        """One more of the kind that is chosen."""
        self.added.emit(self.kinds[self._kind])

    def _answered(self, answer: Answer) -> None:
        found = tuple(part for part in answer.layout.city() if part.kind in self.kinds) if answer.layout else ()
        self._words = capital(answer.trouble) if answer.trouble else NOT_FOUND
        if found:
            self._words = f"{FOUND} {NEVER_FOUND}" if "rainbow" in self.kinds else FOUND
            self.changed.emit(partial(Draft.with_city, parts=found))
        self._refresh()

    def show_part(self, draft: Draft, name: str) -> None:
        """The city of a draft, and the buttons of the part that is picked."""
        self._draft, self._picked = draft, name
        self._refresh()

    def _refresh(self) -> None:
        draft = self._draft
        if draft is None:
            return
        part = draft.part(self._picked)
        kinds = tuple(one.kind for one in draft.layout.city())
        facts = (_facts(part), kinds, self.search.is_on, self._words, self._kind)
        if facts == self._shown:
            return  # dragging changes places only; the buttons stay as they are
        self._shown = facts
        clear(self._body)
        if self.search.is_on:
            self._busy()
        else:
            self._whole(kinds, part is None)
        self._body.addSpacing(2 * STEP)
        if part is not None:
            self._part(part)
        elif kinds:
            self._body.addWidget(label(HOW, "dim", wrap=True))
        self._body.addStretch(1)
        if not self.search.is_on:
            self._add_row()

    def _busy(self) -> None:
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        self._body.addWidget(label(f"The {self.name}", "large"))
        self._body.addWidget(label(BUSY, "dim", wrap=True))
        self._body.addWidget(bar)
        self._body.addWidget(button(self.theme, "Stop looking", self.stop, "x"))

    def _whole(self, kinds: tuple[str, ...], with_words: bool) -> None:
        """What there is, or that nothing is known yet; and the way to a proposal. Beside a part words find no room."""
        if kinds:
            self._body.addWidget(label(f"The {self.name}", "large"))
            counts = Counter(kinds)
            told = [_counted(kind, counts[kind]) for kind in self.kinds if counts[kind]]
            self._body.addWidget(label(", ".join(told), wrap=True))
        else:
            self._body.addWidget(label(f"No {self.name} known yet", "large"))
        words = self._words or ("" if kinds else self._empty())
        if words and with_words:
            self._body.addWidget(label(words, "dim", wrap=True))
        if self.question is not None:
            text = "Propose anew" if kinds else "Propose from the pictures"
            made = button(self.theme, text, self.propose, "search", "" if kinds else "primary", "S")
            made.setToolTip(f"{text} (S); it takes the place of what is drawn")
            self._body.addWidget(made)

    def _empty(self) -> str:
        by_hand = "put the parts down one by one below; they never move again in this game"
        if self.question is None:
            return f"No camera watches: {by_hand}."
        return f"Take a proposal from the pictures and put it right, or {by_hand}."

    def _part(self, part: CityPart) -> None:
        self._body.addWidget(label(capital(KIND_WORDS[part.kind]), "large"))
        kinds = [kind for kind in (AREA_KINDS if isinstance(part, Area) else BUILDING_KINDS) if kind in self.kinds]
        if len(kinds) > 1:
            choice = self._choice("Kind", kinds, kinds.index(part.kind) if part.kind in kinds else -1)
            choice.chosen.connect(lambda i: self.changed.emit(partial(Draft.of_kind, name=part.id, kind=kinds[i])))
            self._body.addWidget(choice)
        self._body.addWidget(label("Turn with the clock, in degrees", "dim"))
        self._body.addLayout(row(*(self._turn(part.id, by_deg) for by_deg in TURNS_DEG), space=STEP // 2))
        if isinstance(part, Building):
            self._body.addWidget(label(f"{part.height_mm:.0f} mm high", "dim"))
            self._body.addLayout(row(*(self._height(part.id, by_mm) for by_mm in HEIGHTS_MM), space=STEP // 2))
        remove = partial(Draft.dropped, name=part.id)
        self._body.addWidget(button(self.theme, "Remove", lambda: self.changed.emit(remove), "trash-2", key="Delete"))

    def _turn(self, name: str, by_deg: int) -> Button:
        step = partial(Draft.turned, name=name, by_rad=-math.radians(by_deg))
        made = button(self.theme, _signed(by_deg), lambda: self.changed.emit(step))
        made.setToolTip(f"Turn by {abs(by_deg)} degrees (R, Shift+R: 5)")
        return made

    def _height(self, name: str, by_mm: int) -> Button:
        step = partial(Draft.heightened, name=name, by=by_mm)
        made = button(self.theme, _signed(by_mm), lambda: self.changed.emit(step))
        made.setToolTip(f"{'Taller' if by_mm > 0 else 'Lower'} by {abs(by_mm)} mm (+, -: 1)")
        return made

    def _add_row(self) -> None:
        add = button(self.theme, "Add", self.add, "plus", key="A")
        if len(self.kinds) == 1:
            add.setText(f" Add a {KIND_WORDS[self.kinds[0]]}")
            self._body.addWidget(add)
            return
        choice = self._choice("What to add", self.kinds, self._kind)
        choice.chosen.connect(self._choose)
        pair = row(choice, add)
        pair.setStretch(0, 1)
        self._body.addLayout(pair)

    def _choose(self, index: int) -> None:
        self._kind = index

    def _choice(self, name: str, kinds: Sequence[str], index: int) -> Choice:
        return Choice(self.theme, name, [(KIND_WORDS[kind], kind) for kind in kinds], index)


def _facts(part: CityPart | None) -> tuple[object, ...]:
    match part:
        case Building():
            return part.id, part.kind, part.height_mm
        case Area():
            return part.id, part.kind
    return ()


def _counted(kind: str, count: int) -> str:
    return f"{count}\u00a0{KIND_WORDS[kind]}{'s' if count > 1 else ''}"


def _signed(number: int) -> str:
    return f"+{number}" if number > 0 else f"\u2212{-number}"
