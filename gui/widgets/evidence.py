"""Evidence: every rule that was looked at with a fault, every crossing, everything else that happened in a turn."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QLabel, QScrollArea, QWidget

from gui.look_palette import SIGNS
from gui.notices import fact_of
from gui.piece_words import named_in
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.parts import clear, label, panel, row, stack
from gui.words import capital, crossing_told, event_told, fault_or_question, penalty_words


class EvidenceView(QScrollArea):
    """The crop of the picture a ruling is about, and the facts behind it, line by line."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        self._body = stack(space=STEP, margin=0)
        body.setLayout(self._body)
        self.setWidget(body)
        self._shown: object = None

    def show_scene(self, scene: Scene, crop: QPixmap | None) -> None:
        if self._shown is scene.ruling and crop is None:
            return
        self._shown = scene.ruling
        clear(self._body)
        if crop is not None:
            picture = QLabel()
            picture.setPixmap(crop)
            picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
            self._body.addWidget(picture)
        ruling = scene.ruling
        if ruling is None:
            self._body.addWidget(label("Nothing to judge yet", "dim"))
            self._body.addStretch(1)
            return
        for violation in ruling.violations:
            fault = named_in(fault_or_question(violation), scene.layout, scene.fresh)
            self._card(SIGNS[violation.verdict].icon, fault, fact_of(violation))
        for crossing in ruling.crossings:
            self._card("route", *crossing_told(crossing, scene.layout))
        if ruling.earned or ruling.placed:
            self._card("car", f"{ruling.earned} earned, {ruling.placed} placed", "")
        for penalty in ruling.penalties:
            paid = penalty_words(penalty.by, penalty.owner, penalty.grey, penalty.yellow, penalty.roads)
            self._card("gavel", paid, "Rule P1")
        for event in ruling.events:
            self._card("info", event_told(event, scene.layout), "")
        if not (ruling.violations or ruling.crossings or ruling.events):
            self._card("check", "Every rule was looked at; nothing to say against it", "")
        self._body.addStretch(1)

    def _card(self, icon: str, text: str, fact: str) -> None:
        card = panel("raised")
        sign = QLabel()
        sign.setPixmap(self.theme.pixmap(icon, self.theme.colour("text"), 20))
        sign.setAlignment(Qt.AlignmentFlag.AlignTop)
        words = [label(capital(text), wrap=True)] + ([label(fact, "small", wrap=True)] if fact else [])
        inside = row(sign, stack(*words, space=2), space=STEP, margin=STEP)
        inside.setStretch(1, 1)
        card.setLayout(inside)
        self._body.addWidget(card)
