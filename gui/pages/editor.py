"""A turn on the plan, and the city: correcting what was accepted or just seen, or entering what no camera saw."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QPointF, pyqtSignal
from PyQt6.QtWidgets import QWidget

from calibration.camera import Rig
from gui.city_parts import CityKind
from gui.city_search import CityReader
from gui.desk import Desk
from gui.draft import Draft
from gui.explaining import Beside
from gui.feed import Pictures
from gui.first_layout import first_layout
from gui.notices import Notice, ruling_notice
from gui.pages.editor_judge import DraftJudge
from gui.pages.editor_side import EditorSide, city_panel
from gui.pages.inspector import Inspector
from gui.reseat import Grip, edits_between
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.banner import Banner
from gui.widgets.parts import button, label, row, shortcut, stack
from gui.widgets.picture import PictureView
from gui.widgets.plan import PlanView
from gui.words import capital

NUDGE_MM, LONG_NUDGE_MM = 1.0, 10.0
TURN_DEG = 5.0
CITY_HOW = "Drag every part where it lies, or a corner of the picked one to its size. R turns it."


class EditorPage(QWidget):
    """The plan, large, with one turn's pieces to move and change; the referee says at once what comes of it."""

    done = pyqtSignal(object)
    """The step to take on the desk; None where nothing is to change."""

    def __init__(
        self,
        theme: Theme,
        desk: Desk,
        turn: int | None,
        rig: Rig | None = None,
        pictures: Pictures | None = None,
        from_seen: bool = False,
        city_reader: Callable[[], CityReader] = Beside,
    ) -> None:
        """A past turn, or (None) the one being played: anew from what was accepted, or from what was seen."""
        super().__init__()
        self.theme, self.desk, self.turn, self.from_seen = theme, desk, turn, from_seen
        self.draft = Draft.of_turn(desk, turn, from_seen)
        self.original = self.draft.layout
        self.banner, self.plan = Banner(theme), PlanView(theme)
        self.camera = rig.cameras.get("overhead") if rig is not None else None
        picture, self.picture = (pictures or {}).get("overhead"), PictureView(theme, "overhead")
        if picture is None or self.camera is None:
            self.picture.hide()  # shown it would be a window of its own for a moment, and take the keys with it
        self.picture.show_picture(picture)
        self.plan.editable = True
        self.plan.turn_as(self.camera)
        by_hand = turn is None and desk.match is not None
        self.inspector = Inspector(theme, desk.setup.players, desk.setup.rules.typed, by_hand)
        self.inspector.changed.connect(self.change)
        shown = desk.layout if turn is None else self.original
        self.city = city_panel(theme, desk.setup, shown, rig, pictures, city_reader)
        self.side = EditorSide(theme, self.inspector, self.city)
        self.side.switched.connect(self.show_city)
        if self.city is not None:
            self.city.changed.connect(self.change)
            self.city.added.connect(self._add_part)
        self.plan.piece_dragged.connect(self._drag)
        self.plan.piece_picked.connect(self._picked)
        self.plan.spot_clicked.connect(self._clicked)
        self.judge = DraftJudge(desk, turn, self.original)
        self.judge.told.connect(self._show_judged)
        self._arrange()
        self._keys()
        self._show()
        if turn is not None and desk.match is not None:
            self.banner.show_notice(ruling_notice(desk.match.rulings[turn], self.original))
        else:
            words = "Whatever is put down is judged at once; Enter hands it to the table."
            who = "Before the first turn" if desk.match is None else f"{capital(self.draft.player)} builds"
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
        self._how, self._how_text = label(how, "dim"), how
        head = row(stack(label(title, "title"), self._how, space=2), None, cancel, self.apply_button)
        middle = row(self.plan, self.picture, self.side)
        middle.setStretch(0, 6)
        middle.setStretch(1, 5)
        whole = stack(head, self.banner, middle, space=STEP, margin=2 * STEP)
        whole.setStretch(2, 1)
        self.setLayout(whole)

    def show_city(self, on: bool, propose: bool = False) -> None:
        """Change the city, or the pieces on it; where wanted the city is looked for at once."""
        if self.city is not None:
            self.plan.holds_city = on
            self.side.show_city(on)
            self._how.setText(CITY_HOW if on else self._how_text)
            self._picked("")
            if propose:
                self.city.propose()

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
        shortcut(self, "V", lambda: self.show_city(not self.plan.holds_city))
        shortcut(self, "S", lambda: self.show_city(True, propose=True))
        for key, way in (("R", -1), ("Shift+R", 1)):
            shortcut(self, key, partial(self._turn, way * math.radians(TURN_DEG)))
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

    def _turn(self, by_rad: float) -> None:
        self.change(partial(Draft.turned, name=self.plan.picked, by_rad=by_rad))

    def _pick_next(self, way: int) -> None:
        """What is new in the turn first, then all that stood there before; or part after part of the city."""
        layout = self.draft.layout
        names = [one.id for one in (layout.city() if self.plan.holds_city else layout.pieces())]
        names.sort(key=lambda name: name in self.draft.before)
        if names:
            here = names.index(self.plan.picked) if self.plan.picked in names else -1 if way > 0 else 0
            self._picked(names[(here + way) % len(names)])

    def _add_part(self, kind: CityKind) -> None:
        """One more part of the city in the middle of the plan, picked, so that it can be taken where it lies."""
        x, y = self.plan.table_at(QPointF(self.plan.rect().center()))
        self.change(partial(Draft.with_part, kind=kind, x=x, y=y))
        self._picked(next(part.id for part in reversed(tuple(self.draft.layout.city())) if part.kind == kind))

    def _build_on(self) -> None:
        """A column ahead of the last one, for those without a mouse; the arrows then take it where it stands."""
        if self.city is not None and self.plan.holds_city:
            self.city.add()
            return
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
        self._show()

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
        if self.plan.holds_city:
            self._picked("")
        elif self._is_set_up:
            self._start_next(x, y)
        elif self.turn is None or self.draft.new_road is None:
            self.change(partial(Draft.ramped if self.inspector.exit_wanted else Draft.built, x=x, y=y))
            self._picked(next((c.id for c in self.draft.layout.columns if c.id not in self.draft.before), ""))

    def _show(self) -> None:
        new = frozenset(p.id for p in self.draft.layout.pieces()) - self.draft.before
        fresh = frozenset({self.plan.picked}) if self.plan.holds_city else new
        doubts = frozenset(p.id for p in self.draft.layout.pieces() if p.unsure is not None)
        scene = Scene(self.draft.layout, self.draft.kit, self.desk.setup.players, fresh, doubts=doubts)
        self.plan.show_scene(scene)
        self.plan.update()
        self.picture.show_scene(scene, self.camera)
        self.inspector.show_piece(self.draft, self.plan.picked)
        if self.city is not None:
            self.city.show_part(self.draft, self.plan.picked)
        self.judge.show_draft(self.draft)

    def _show_judged(self, notice: Notice | None, allowed: bool) -> None:
        self.apply_button.setEnabled(allowed)
        if notice is not None:
            self.banner.show_notice(notice)

    def cancel(self) -> None:
        self.done.emit(None)

    def close_table(self) -> None:
        """Nobody waits for a proposal any more."""
        if self.city is not None:
            self.city.search.cancel()

    def apply(self) -> None:
        """Hand the change to the desk."""
        layout, turn = self.draft.layout, self.turn
        if turn is None:
            self.done.emit(lambda desk: desk.entered(layout))
            return
        edits = edits_between(self.original, layout)
        self.done.emit((lambda desk: desk.correct(turn, *edits)) if edits else None)
