"""Who looks at the frames: the app, the app with less to go by, and a plain baseline."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from gui.bench_baseline import baseline_change, baseline_single
from gui.bench_frames import Table
from referee.layout import Layout
from vision.set_up import table_of
from vision.told import without_net
from vision.view import Picture
from vision.watch import explain

Pair = dict[str, Picture]
Timed = tuple[Layout, float, float]


@dataclass(frozen=True)
class Seer:
    """A way to see, with what it makes of the pictures first."""

    name: str
    shown: Callable[[Pair], Pair]
    change: Callable[..., Layout] = explain
    alone: Callable[..., Layout] = table_of

    def explain(self, table: Table, accepted: Layout, was: int, now: int) -> Timed:
        """The layout after a change, with wall and CPU seconds."""
        before, after = self.shown(table.pair(was)), self.shown(table.pair(now))
        mover = table.movers[now]
        return _timed(lambda: self.change(accepted, before, after, table.rig, table.kit, table.players, mover))

    def single(self, table: Table, turn: int) -> Timed:
        """The layout of one pair alone, with wall and CPU seconds."""
        pair = self.shown(table.pair(turn))
        return _timed(lambda: self.alone(pair, table.rig, table.kit, table.players))


def _timed(look: Callable[[], Layout]) -> Timed:
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    seen = look()
    return seen, time.perf_counter() - wall_s, time.process_time() - cpu_s


def _grey(pair: Mapping[str, Picture]) -> Pair:
    grey = {name: cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY) for name, picture in pair.items()}
    return {name: np.asarray(cv2.cvtColor(one, cv2.COLOR_GRAY2BGR), np.uint8) for name, one in grey.items()}


APP = Seer("app", lambda pair: pair)
OTHERS = (
    Seer("no side camera", lambda pair: {"overhead": pair["overhead"]}),
    Seer("no overhead camera", lambda pair: {"side": pair["side"]}),
    Seer("no colour", _grey),
    Seer("no net", lambda pair: pair, without_net()(explain), without_net()(table_of)),
    Seer("baseline", lambda pair: pair, baseline_change, baseline_single),
)
