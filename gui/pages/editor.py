"""A turn on the plan: correcting one that was accepted, or entering one that no camera saw."""

from __future__ import annotations

import threading
from functools import partial

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from calibration.camera import Camera
from gui.desk import Desk
from gui.draft import Draft
from gui.notices import Notice, ruling_notice
from gui.pages.inspector import Inspector
from gui.reseat import edits_between
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.banner import Banner
from gui.widgets.parts import button, label, row, shortcut, stack
from gui.widgets.plan import PlanView
from gui.words import capital
from referee.errors import BadGame
from referee.layout import BARE_TABLE
from referee.match import differences
from referee.ruling import Ruling

JUDGE_AFTER_MS = 150


class EditorPage(QWidget):
    """The plan, large, with one turn's pieces to move and change; the referee says at once what comes of it."""

    done = pyqtSignal(object)
    """The step to take on the desk; None where nothing is to change."""
    judged = pyqtSignal(object, object)

    def __init__(self, theme: Theme, desk: Desk, turn: int | None, camera: Camera | None = None) -> None:
        super().__init__()
        self.theme, self.desk, self.turn = theme, desk, turn
        match = desk.match
        if match is None:
            raise BadGame("there is no turn to enter before the set-up")
        if turn is None:
            before, layout, player = desk.accepted, desk.accepted, desk.mover
        else:
            before = match.positions[turn - 1].layout if turn else BARE_TABLE
            layout, player = match.positions[turn].layout, match.rulings[turn].player or desk.setup.first
        self.original = layout
        self.draft = Draft.of(layout, desk.setup.kit, player, before)
        self.banner, self.plan = Banner(theme), PlanView(theme)
        self.plan.editable = True
        self.plan.turn_as(camera)
        self.inspector = Inspector(theme, desk.setup.players, desk.setup.rules.typed, by_hand=turn is None)
        self.inspector.changed.connect(self.change)
        self.plan.column_dragged.connect(lambda name, x, y: self.change(partial(Draft.moved, name=name, x=x, y=y)))
        self.plan.column_picked.connect(self._picked)
        self.plan.spot_clicked.connect(self._clicked)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._judge)
        self.judged.connect(self._show_judged)
        self._arrange()
        self._show()
        if turn is None:
            words = "Whatever is put down is judged at once; Enter hands it to the table."
            self.banner.show_notice(Notice("quiet", "hand", f"{capital(player)} builds", words))
        else:
            self.banner.show_notice(ruling_notice(match.rulings[turn], layout))

    def _arrange(self) -> None:
        if self.turn is None:
            title = f"Turn {self.desk.turn}, entered by hand"
            how = "Click where the column goes; its road lies from the nearest base point. Lengths are nominal."
        else:
            title = "Correct the set-up" if self.turn == 0 else f"Correct turn {self.turn}"
            how = "Drag a column, or pick one and change it. What stands on it comes along."
        cancel = button(self.theme, "Cancel", self.cancel, "x", "flat", "Esc")
        self.apply_button = button(self.theme, "Apply", self.apply, "check", "primary", "Enter")
        head = row(stack(label(title, "title"), label(how, "dim"), space=2), None, cancel, self.apply_button)
        self.inspector.setFixedWidth(self.theme.px(320))
        middle = row(self.plan, self.inspector)
        middle.setStretch(0, 1)
        whole = stack(head, self.banner, middle, space=STEP, margin=2 * STEP)
        whole.setStretch(2, 1)
        self.setLayout(whole)
        for key, act in (("Escape", self.cancel), ("Return", self.apply), ("Enter", self.apply)):
            shortcut(self, key, act)
        for key, by in (("+", 1), ("=", 1), ("-", -1)):
            shortcut(self, key, partial(self._heighten, by))
        shortcut(self, "Y", lambda: self.change(partial(Draft.topped, name=self.plan.picked)))
        shortcut(self, "E", self.inspector.toggle_exit)
        shortcut(self, "Delete", lambda: self.change(partial(Draft.dropped, name=self.plan.picked)))

    def change(self, step: partial[Draft]) -> None:
        """One change of the draft."""
        self.draft = step(self.draft)
        self._show()

    def _heighten(self, by: int) -> None:
        self.change(partial(Draft.heightened, name=self.plan.picked, by=by))

    def _picked(self, name: str) -> None:
        self.plan.picked = name
        self.inspector.show_piece(self.draft, name)

    def _clicked(self, x: float, y: float) -> None:
        if self.turn is None:
            self.change(partial(Draft.ramped if self.inspector.exit_wanted else Draft.built, x=x, y=y))
            column = next((c.id for c in self.draft.layout.columns if c.id not in self.draft.before), "")
            self._picked(column)

    def _show(self) -> None:
        fresh = frozenset(p.id for p in self.draft.layout.pieces()) - self.draft.before
        scene = Scene(self.draft.layout, self.draft.kit, self.desk.setup.players, fresh)
        self.plan.show_scene(scene)
        self.inspector.show_piece(self.draft, self.plan.picked)
        self._timer.start(JUDGE_AFTER_MS)

    def _judge(self) -> None:
        """Ask the referee in the background; only the answer to the newest draft is shown."""
        threading.Thread(target=self._judge_draft, args=(self.draft,), daemon=True).start()

    def _judge_draft(self, draft: Draft) -> None:
        try:
            if self.turn is None:
                ruling = self.desk.entered(draft.layout).ruling
                self.judged.emit(draft, ruling)
                return
            match, edits = self.desk.match, edits_between(self.original, draft.layout)
            if match is not None and edits:
                self.judged.emit(draft, differences(match, match.correct(self.turn, *edits)))
        except BadGame as error:
            self.judged.emit(draft, str(error))

    def _show_judged(self, draft: Draft, said: object) -> None:
        if draft is not self.draft:
            return
        self.apply_button.setEnabled(not isinstance(said, str))
        match said:
            case str():
                self.banner.show_notice(Notice("too_close", "triangle-alert", "That cannot be", said))
            case Ruling():
                self.banner.show_notice(ruling_notice(said, draft.layout))
            case tuple():
                more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
                text = f"{said[0]}{more}" if said else "No ruling changes"
                self.banner.show_notice(Notice("quiet", "rotate-ccw", "Judged again", capital(text)))

    def cancel(self) -> None:
        self.done.emit(None)

    def apply(self) -> None:
        """Hand the change to the desk."""
        layout, turn = self.draft.layout, self.turn
        if turn is None:
            self.done.emit(lambda desk: desk.entered(layout))
            return
        edits = edits_between(self.original, layout)
        self.done.emit((lambda desk: desk.correct(turn, *edits)) if edits else None)
