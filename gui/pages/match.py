"""The match view: the table's picture, the ruling as a sign, scores, views and turns; all of it by keyboard too."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QSplitter, QWidget

from gui.album import Album
from gui.desk import Desk
from gui.feed import Pictures, Settled, Shown
from gui.host import Host
from gui.moments import occasions
from gui.notices import Notice, counting_notice, notice_now, ruling_notice
from gui.pages.match_bar import ActionBar, TurnTitle
from gui.pages.prompts import ask_differences, ask_now, ask_past
from gui.scene import scene_now, scene_of_turn
from gui.theme import STEP, Theme
from gui.widgets.banner import Banner
from gui.widgets.moment import MomentSign
from gui.widgets.parts import row, shortcut, stack
from gui.widgets.picture import PictureView
from gui.widgets.plan import PlanView
from gui.widgets.prompt import Ask, Prompt
from gui.widgets.scores import ScoreBoard
from gui.widgets.timeline import NOW, Timeline
from gui.widgets.views import Views
from gui.words import capital
from referee.ruling import State

HANDS_WORDS = "hands at work \u00b7 judging waits"


class MatchPage(QWidget):
    """One table being played, filmed or replayed."""

    left = pyqtSignal()
    editing = pyqtSignal(int)
    """A past turn is to be corrected; NOW: the turn being played is to be entered by hand."""

    def __init__(self, theme: Theme, host: Host) -> None:
        super().__init__()
        self.theme, self.host, self.desk = theme, host, host.desk
        self.selected, self.album = NOW, Album()
        self.wants_seen = False
        """Whether the turn being played is to be corrected from what was seen, or entered anew."""
        self.wants_city: Literal["", "by hand", "proposed"] = ""
        """Whether the city is to be put down, and how."""
        self._live: Pictures = {}
        self._pending: Pictures = {}
        self._told: tuple[str, ...] = ()
        self._turn_began_s = time.monotonic()
        self.title, self.banner = TurnTitle(theme, self.leave), Banner(theme)
        self.picture = PictureView(theme, "overhead")
        self.table = PlanView(theme)
        """Takes the picture's place where no camera watches."""
        self.hero: QWidget = self.picture if host.feed is not None and host.feed.rig is not None else self.table
        self.prompt = Prompt(theme, self.hero)
        if self.hero is self.picture:
            self.prompt.about = self.picture.loud_box
        self.moment = MomentSign(theme, self.hero)
        self.scores = ScoreBoard(theme)
        self.views = Views(theme, self.desk.setup.rules.mission)
        if self.views.missions is not None:
            self.views.missions.counted_out.connect(self._counted_out)
        self.timeline, self.bar = Timeline(theme), ActionBar(theme, self)
        self._arrange()
        self._keys()
        host.desk_changed.connect(self.show_desk)
        host.shown.connect(self._show_live)
        host.settled.connect(self._keep_settled)
        host.refused.connect(self.banner_refusal)
        self.timeline.turn_chosen.connect(self.select)
        theme.changed.connect(self.refresh)
        self._clock = QTimer(self)
        self._clock.timeout.connect(self._tick)
        self._clock.start(1000)
        self.refresh()

    def _arrange(self) -> None:
        beside = QWidget()
        beside.setLayout(stack(self.scores, self.views))
        self.split = split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(STEP)
        split.addWidget(self.hero)
        split.addWidget(beside)
        split.setStretchFactor(0, 66)
        split.setStretchFactor(1, 34)
        split.setSizes([660, 340])
        head = row(self.title, self.banner)
        head.setStretch(1, 1)
        foot = row(self.timeline, self.bar)
        foot.setStretch(0, 1)
        whole = stack(head, split, foot, space=STEP, margin=STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)

    def _keys(self) -> None:
        keys: dict[str, Callable[[], object]] = {
            "Return": self.accept, "Enter": self.accept, "Backspace": self.undo, "Shift+Backspace": self.redo,
            "Left": lambda: self.step(-1), "Right": lambda: self.step(1), "Home": lambda: self.select(0),
            "End": self.back_to_now, "Space": lambda: self.pause(), "V": self.views.next_page, "Escape": self.escape,
            "P": self.pass_turn, "Alt+Left": self.leave,
        }  # fmt: skip
        for key, act in keys.items():
            shortcut(self, key, act)
        for key in "0123456789ACGHOYUIJK":
            shortcut(self, key, partial(self.press, key))
        for number, name in enumerate(self.views.names, start=1):
            shortcut(self, f"Alt+{number}", partial(self.views.show_page, name))

    # --- what people do ---

    def accept(self) -> None:
        if not self.prompt.press("Enter"):
            self.host.do(Desk.accept)

    def undo(self) -> None:
        if self.host.feed is not None:
            self.bar.paused = True
            self.host.feed.pause(True)
        self.host.do(Desk.undo)

    def redo(self) -> None:
        self.host.do(Desk.redo)

    def pass_turn(self) -> None:
        self.host.do(Desk.passed)

    def correct(self) -> None:
        """The turn that is looked at; now, what was seen of it, or else the last one."""
        if self.selected == NOW and (self.desk.seen is not None or self.desk.match is None):
            self.wants_seen = True
            self.editing.emit(NOW)
        elif self.desk.match is not None:
            self.editing.emit(self.selected if self.selected != NOW else len(self.desk.match.rulings) - 1)

    def by_hand(self) -> None:
        self.wants_seen = False
        self.editing.emit(NOW)

    def put_city(self, propose: bool = False) -> None:
        """Put the city down on the set-up: by hand, or proposed from the pictures first."""
        self.wants_seen, self.wants_city = True, "proposed" if propose else "by hand"
        self.editing.emit(NOW if self.desk.match is None else 0)

    def pictures_of(self, turn: int) -> Pictures:
        """The pictures of a turn."""
        return (self._pending or self._live) if turn == NOW else self.album.pictures(turn)

    def leave(self) -> None:
        self.left.emit()

    def pause(self) -> None:
        if self.host.feed is not None:
            self.bar.paused = not self.bar.paused
            self.host.feed.pause(self.bar.paused)
            self.refresh()

    def hold(self, held: bool) -> None:
        """A film waits while people look elsewhere, and goes on where it did before."""
        if self.host.feed is not None and not self.bar.paused:
            self.host.feed.pause(held)

    def press(self, key: str) -> None:
        """A key answers what is asked; else C corrects and H enters by hand."""
        if not self.prompt.press(key) and key in "CH":
            (self.correct if key == "C" else self.by_hand)()

    def escape(self) -> None:
        if self._told or self.selected != NOW:
            self.back_to_now()

    def step(self, way: int) -> None:
        """One turn back or on."""
        last = len(self.desk.match.rulings) - 1 if self.desk.match is not None else 0
        here = last + 1 if self.selected == NOW else self.selected
        there = min(max(here + way, 0), last + 1)
        self.select(NOW if there > last else there)

    def select(self, turn: int) -> None:
        self.selected = turn
        self.refresh()

    def back_to_now(self) -> None:
        self._told = ()
        self.select(NOW)

    # --- what is shown ---

    def show_desk(self, desk: Desk) -> None:
        before, self.desk = self.desk, desk
        if desk.turn != before.turn:
            self._turn_began_s = time.monotonic()
            self._told = ()
            if desk.turn > before.turn and self._pending:
                keep = (desk.turn - 1, self._pending)
                threading.Thread(target=self.album.keep, args=keep, daemon=True).start()  # packing takes a while
            if desk.phase == "over" and before.phase != "over" and self.views.missions is not None:
                self.views.show_page("Missions")
                self.views.missions.count_out()
            self._tell_moment(before, desk)
        if desk.differences != before.differences:
            self._told = desk.differences
        if desk.match is None or self.selected >= len(desk.match.rulings):
            self.selected = NOW
        self.refresh()

    def _tell_moment(self, before: Desk, desk: Desk) -> None:
        """What happened with the turn that was just accepted; a turn taken back tells nothing."""
        if desk.match is not None and desk.turn == before.turn + 1:
            told = occasions(desk.match.rulings[-1])
            self.moment.tell(told[:-1] if self._is_counting else told, desk.setup.players)
        else:
            self.moment.forget()

    @property
    def _is_counting(self) -> bool:
        """Whether the missions of a finished game are being counted out: who has won comes last."""
        return self.desk.phase == "over" and self.views.missions is not None and self.views.missions.is_counting

    def _counted_out(self) -> None:
        if self.desk.match is not None and self.desk.phase == "over":
            self.moment.tell(occasions(self.desk.match.rulings[-1])[-1:], self.desk.setup.players)
        self.refresh()

    def refresh(self) -> None:
        desk, match = self.desk, self.desk.match
        state: State | None
        ask: Ask | None
        if self.selected != NOW and match is not None:
            scene, state = scene_of_turn(desk, match, self.selected), match.rulings[self.selected].state
            notice = ruling_notice(match.rulings[self.selected], scene.layout, scene.fresh)
            pictures, ask, turn = self.album.pictures(self.selected), ask_past(self.selected, self), self.selected
            mover = match.rulings[self.selected].player
        else:
            scene, state, notice = scene_now(desk), desk.state, notice_now(desk)
            pictures, ask, turn = self._live, ask_now(desk, self.host, self), desk.turn - (desk.phase == "over")
            mover = None if desk.phase == "over" or match is None else desk.mover
            if self._is_counting:
                notice, ask = counting_notice(), None
        if self._told:
            ask = ask_differences(self._told, self, corrected=self._told is desk.differences)
        self._show_pictures(pictures)
        rig = self.host.feed.rig if self.host.feed is not None else None
        self.picture.show_scene(scene, rig.cameras.get("overhead") if rig is not None else None)
        self.picture.show_veil(HANDS_WORDS if desk.phase == "hands" and self.selected == NOW else "")
        self.table.show_scene(scene)
        self.title.show_turn(turn, mover, desk.setup.players)
        self.banner.show_notice(notice, self.picture.crop(notice.pieces, 84))
        if not self._is_counting:
            self.scores.show_state(state, desk.setup.players, mover)
        self.views.show_scene(scene, rig, self.picture.crop(notice.pieces, 200), state)
        rulings = match.rulings if match is not None else ()
        playing = None if desk.phase == "over" else desk.mover
        self.timeline.show_turns(rulings, desk.setup.players, playing, self.selected)
        self.prompt.show_ask(ask)
        self.bar.show_desk(desk, self.selected == NOW)

    def show_differences(self, lines: tuple[str, ...], title: str) -> None:
        """What another edition says of this game; that it measures otherwise alone is no news."""
        told = tuple(line for line in lines if not line.endswith(": measurements"))
        self._told = (f"By {title}, turns judged otherwise: {len(told) or 'none'}", *told)
        self.refresh()

    def banner_refusal(self, why: str) -> None:
        """What was asked for cannot be; the sign says why."""
        self.show_desk(self.desk)
        self.banner.show_notice(Notice("too_close", "triangle-alert", "That cannot be", capital(why)))

    def _show_live(self, shown: Shown) -> None:
        first, self._live = not self._live, shown.pictures
        self.bar.show_time(shown.time_s, shown.length_s)
        self.picture.show_doubt("; ".join(f"{camera}: {words}" for camera, words in shown.doubts.items()))
        if first:
            self.refresh()  # what a ruling is about can be cut out of the picture now
        elif self.selected == NOW:
            self._show_pictures(shown.pictures)

    def _keep_settled(self, report: Settled) -> None:
        self._pending = report.pictures

    def _show_pictures(self, pictures: Pictures) -> None:
        now = self.selected == NOW
        self.picture.empty = "The picture comes in a moment" if now else "No picture was kept of this turn"
        self.picture.show_picture(pictures.get("overhead"))
        self.views.show_pictures(pictures)

    def _tick(self) -> None:
        self.title.show_clock(time.monotonic() - self._turn_began_s)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        QTimer.singleShot(0, self.prompt.place)
        QTimer.singleShot(0, self.moment.place)

    def close_table(self) -> Host:
        """Stop watching; what still ends in the background."""
        self._clock.stop()
        self.host.stop()
        return self.host
