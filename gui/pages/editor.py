"""A turn on the plan: correcting one that was accepted or just seen, or entering one that no camera saw."""

from __future__ import annotations

import math
import threading
from functools import partial

from PyQt6.QtCore import QTimer, pyqtSignal
from PyQt6.QtWidgets import QWidget

from calibration.camera import Camera
from gui.desk import Desk
from gui.draft import Draft
from gui.feed import Picture
from gui.first_layout import first_layout
from gui.notices import Notice, ruling_notice
from gui.pages.inspector import Inspector
from gui.reseat import Grip, edits_between
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.banner import Banner
from gui.widgets.parts import button, label, row, shortcut, stack
from gui.widgets.picture import PictureView
from gui.widgets.plan import PlanView
from gui.words import capital, sentence
from referee.errors import BadGame
from referee.layout import BARE_TABLE, Layout
from referee.match import differences
from referee.ruling import Ruling

JUDGE_AFTER_MS = 150
NUDGE_MM, LONG_NUDGE_MM = 1.0, 10.0


class EditorPage(QWidget):
    """The plan, large, with one turn's pieces to move and change; the referee says at once what comes of it."""

    done = pyqtSignal(object)
    """The step to take on the desk; None where nothing is to change."""
    judged = pyqtSignal(object, object)

    def __init__(
        self,
        theme: Theme,
        desk: Desk,
        turn: int | None,
        camera: Camera | None = None,
        picture: Picture | None = None,
        from_seen: bool = False,
    ) -> None:
        """A past turn, or (None) the one being played: anew from what was accepted, or from what was seen."""
        super().__init__()
        self.theme, self.desk, self.turn, self.from_seen = theme, desk, turn, from_seen
        before, self.original, player = _layouts(desk, turn, from_seen)
        self.draft = Draft.of(self.original, desk.setup.kit, player, before)
        self.banner, self.plan = Banner(theme), PlanView(theme)
        self.camera, self.picture = camera, PictureView(theme, "overhead")
        self.picture.setVisible(picture is not None and camera is not None)
        self.picture.show_picture(picture)
        self.plan.editable = True
        self.plan.turn_as(camera)
        self.inspector = Inspector(
            theme, desk.setup.players, desk.setup.rules.typed, by_hand=turn is None and desk.match is not None
        )
        self.inspector.changed.connect(self.change)
        self.plan.piece_dragged.connect(self._drag)
        self.plan.piece_picked.connect(self._picked)
        self.plan.spot_clicked.connect(self._clicked)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._judge)
        self.judged.connect(self._show_judged)
        self._arrange()
        self._keys()
        self._show()
        if turn is not None and desk.match is not None:
            self.banner.show_notice(ruling_notice(desk.match.rulings[turn], self.original))
        else:
            words = "Whatever is put down is judged at once; Enter hands it to the table."
            who = "Before the first turn" if desk.match is None else f"{capital(player)} builds"
            self.banner.show_notice(Notice("quiet", "hand", who, words))

    def _arrange(self) -> None:
        how = "Drag columns, roads by a tip or whole, and cars; or pick one and change it."
        if self.turn is not None or self.from_seen or self.desk.match is None:
            turn = self.desk.turn if self.turn is None else self.turn
            title = "The set-up" if turn == 0 else f"Correct turn {turn}"
            if turn == 0:
                how = "Drag pieces where they stand. A click, or A, puts down the entrance of whoever has none yet."
        else:
            title = f"Turn {self.desk.turn}, entered by hand"
            how = "Click where the column goes, or press A; its road lies from the nearest base point."
        cancel = button(self.theme, "Cancel", self.cancel, "x", "flat", "Esc")
        self.apply_button = button(self.theme, "Apply", self.apply, "check", "primary", "Enter")
        head = row(stack(label(title, "title"), label(how, "dim"), space=2), None, cancel, self.apply_button)
        self.inspector.setFixedWidth(self.theme.px(300))
        middle = row(self.plan, self.picture, self.inspector)
        middle.setStretch(0, 6)
        middle.setStretch(1, 5)
        whole = stack(head, self.banner, middle, space=STEP, margin=2 * STEP)
        whole.setStretch(2, 1)
        self.setLayout(whole)

    def _keys(self) -> None:
        for key, act in (("Escape", self.cancel), ("Return", self.apply), ("Enter", self.apply)):
            shortcut(self, key, act)
        for key, by in (("+", 1), ("=", 1), ("-", -1)):
            shortcut(self, key, partial(self._heighten, by))
        shortcut(self, "Y", lambda: self.change(partial(Draft.topped, name=self.plan.picked)))
        shortcut(self, "E", self.inspector.toggle_exit)
        shortcut(self, "A", self._build_on)
        for key, way in (("N", 1), ("B", -1)):
            shortcut(self, key, partial(self._pick_next, way))
        shortcut(self, "Delete", lambda: self.change(partial(Draft.dropped, name=self.plan.picked)))
        for key, across, down in (("Left", -1, 0), ("Right", 1, 0), ("Up", 0, -1), ("Down", 0, 1)):
            shortcut(self, key, partial(self._nudge, across * NUDGE_MM, down * NUDGE_MM))
            shortcut(self, f"Shift+{key}", partial(self._nudge, across * LONG_NUDGE_MM, down * LONG_NUDGE_MM))

    def change(self, step: partial[Draft]) -> None:
        """One change of the draft."""
        self.draft = step(self.draft)
        self._show()

    def _drag(self, name: str, grip: Grip, dx: float, dy: float) -> None:
        self.change(partial(Draft.dragged, name=name, grip=grip, dx=dx, dy=dy))

    def _heighten(self, by: int) -> None:
        self.change(partial(Draft.heightened, name=self.plan.picked, by=by))

    def _nudge(self, across_mm: float, down_mm: float) -> None:
        """So far over the plan as it is shown, whichever way it is turned."""
        dx, dy = self.plan.table_way(across_mm, down_mm)
        self._drag(self.plan.picked, "", dx, dy)

    def _pick_next(self, way: int) -> None:
        """What is new in the turn first, then all that stood there before."""
        names = [p.id for p in self.draft.layout.pieces()]
        names = [n for n in names if n not in self.draft.before] + [n for n in names if n in self.draft.before]
        if names:
            here = names.index(self.plan.picked) if self.plan.picked in names else -1 if way > 0 else 0
            self._picked(names[(here + way) % len(names)])

    def _build_on(self) -> None:
        """A column ahead of the last one, for those without a mouse; the arrows then take it where it stands."""
        if self._is_set_up:
            self._start_next()
            return
        tip = next((r for r in reversed(self.draft.layout.roads) if r.owner == self.draft.player), None)
        if tip is not None:
            heading = math.atan2(tip.b[1] - tip.a[1], tip.b[0] - tip.a[0])
            reach = self.draft.kit.road_length_mm
            self._clicked(tip.b[0] + reach * math.cos(heading), tip.b[1] + reach * math.sin(heading))

    def _picked(self, name: str) -> None:
        self.plan.picked = name
        self.plan.update()
        self.inspector.show_piece(self.draft, name)

    @property
    def _is_set_up(self) -> bool:
        return self.desk.match is None or self.turn == 0

    def _start_next(self, x: float | None = None, y: float | None = None) -> None:
        """The entrance of whoever has none: where people click, else where the rulebooks draw it."""
        setup = self.desk.setup
        player = self.draft.unstarted(setup.players)
        if player is None:
            return
        if x is None or y is None:
            drawn = first_layout(setup.rules, setup.kit, setup.players)
            x, y = next((c.x, c.y) for c in drawn.columns if c.owner == player)
        self.change(partial(Draft.started, rules=setup.rules, players=setup.players, x=x, y=y))
        self._picked(f"{player}_c0")

    def _clicked(self, x: float, y: float) -> None:
        if self._is_set_up:
            self._start_next(x, y)
        elif self.turn is None or self.draft.new_road is None:
            self.change(partial(Draft.ramped if self.inspector.exit_wanted else Draft.built, x=x, y=y))
            column = next((c.id for c in self.draft.layout.columns if c.id not in self.draft.before), "")
            self._picked(column)

    def _show(self) -> None:
        fresh = frozenset(p.id for p in self.draft.layout.pieces()) - self.draft.before
        doubts = frozenset(p.id for p in self.draft.layout.pieces() if p.unsure is not None)
        scene = Scene(self.draft.layout, self.draft.kit, self.desk.setup.players, fresh, doubts=doubts)
        self.plan.show_scene(scene)
        self.picture.show_scene(scene, self.camera)
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
            case Ruling(complete=False):
                self.banner.show_notice(Notice("quiet", "layers", "Not all there yet", sentence(said, draft.layout)))
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


def _layouts(desk: Desk, turn: int | None, from_seen: bool) -> tuple[Layout, Layout, str]:
    """What stood before the turn, what is to be changed, and who builds."""
    match, setup = desk.match, desk.setup
    if match is None:
        drawn = first_layout(setup.rules, setup.kit, setup.players)
        return BARE_TABLE, desk.layout if from_seen and desk.seen is not None else drawn, setup.first
    if turn is None:
        return desk.accepted, desk.layout if from_seen else desk.accepted, desk.mover
    before = match.positions[turn - 1].layout if turn else BARE_TABLE
    return before, match.positions[turn].layout, match.rulings[turn].player or setup.first
