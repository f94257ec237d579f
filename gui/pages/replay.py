"""The replay page: the match view on a recorded session, with time in hand, and any edition to judge it by."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from gui.feed import Judged, Shown
from gui.host import Host
from gui.pages.match import MatchPage
from gui.replay import SPEEDS
from gui.replay_feed import ReplayFeed
from gui.theme import STEP, Theme
from gui.widgets.choice import Choice
from gui.widgets.parts import button, label, row, shortcut, stack
from gui.widgets.scrubber import Scrubber
from referee.edition import editions


class ReplayPage(QWidget):
    """A match view whose table is a recording."""

    left = pyqtSignal()

    def __init__(self, theme: Theme, feed: ReplayFeed) -> None:
        super().__init__()
        self.theme, self.feed = theme, feed
        self.host = Host(feed.desk, feed)
        self.match = MatchPage(theme, self.host)
        self.setFocusProxy(self.match)  # its keys work here too
        self.match.bar.hide()
        self.match.left.connect(self.left)
        self.match.timeline.turn_chosen.connect(self._go_to)
        self.scrubber = Scrubber(theme, feed.duration_s, feed.turn_times_s)
        self.scrubber.sought.connect(feed.seek_s)
        self.host.shown.connect(self._show_time)
        self.host.judged.connect(self._show_judged)
        self._time = label("0:00", "dim")
        self._arrange()
        self.host.start()

    def _arrange(self) -> None:
        theme, feed = self.theme, self.feed
        self.play = button(theme, "", self.pause, "pause", "flat", "Space")
        back = button(theme, "", lambda: feed.step(-1), "chevron-left", "flat", ",")
        on = button(theme, "", lambda: feed.step(1), "chevron-right", "flat", ".")
        back.setToolTip("One picture back (,)")
        on.setToolTip("One picture on (.)")
        self.speed = Choice(theme, "Speed", [(f"{speed:g} x", speed) for speed in SPEEDS], SPEEDS.index(1.0))
        self.speed.chosen.connect(lambda i: feed.set_speed(SPEEDS[i]))
        players = len(feed.desk.setup.players)
        fitting = [(e.title, name) for name, e in editions().items() if e.players[0] <= players <= e.players[1]]
        self.edition = Choice(theme, "Judge by another edition", [("judge by another edition\u2026", ""), *fitting])
        self.edition.chosen.connect(self._judge)
        bar = row(self.play, back, on, self._time, self.scrubber, self.speed, self.edition, space=STEP // 2)
        bar.setStretch(4, 1)
        bar.setContentsMargins(STEP, 0, STEP, STEP)
        whole = stack(self.match, bar, space=0)
        whole.setStretch(0, 1)
        self.setLayout(whole)
        for key, act in ((",", lambda: feed.step(-1)), (".", lambda: feed.step(1))):
            shortcut(self, key, act)
        self.match.pause = self.pause  # type: ignore[method-assign]

    def pause(self) -> None:
        """Hold, or go on; from the end it begins again."""
        if not self.feed.playing and self.scrubber.time_s >= self.feed.duration_s - 0.01:
            self.feed.seek_s(0.0)
        self.feed.pause(self.feed.playing)
        self._show_playing()

    def _show_playing(self) -> None:
        self.play.icon_name = "pause" if self.feed.playing else "play"
        self.play.draw()

    def _go_to(self, turn: int) -> None:
        """A turn of the time line is a moment of the recording."""
        self.feed.pause(True)
        self._show_playing()
        if turn >= 0:
            self.feed.seek_turn(turn)
        self.match.back_to_now()

    def _show_time(self, shown: Shown) -> None:
        self.scrubber.show_time(shown.time_s)
        minutes, seconds = divmod(int(shown.time_s), 60)
        self._time.setText(f"{minutes}:{seconds:02d}")
        self._show_playing()

    def _judge(self, index: int) -> None:
        name = self.edition.items[index][1]
        if isinstance(name, str) and name:
            self.feed.judge_by(name)

    def _show_judged(self, judged: Judged) -> None:
        self.edition.show_index(0)
        self.match.show_differences(judged.differences, editions()[judged.edition].title)

    def close_table(self) -> Host:
        return self.match.close_table()
