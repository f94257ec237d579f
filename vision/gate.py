"""The gate: only pairs that are still in both views, free of hands, with cameras where they were, come through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import cv2
import numpy as np

from calibration.camera import Rig
from calibration.drift import State, Watcher
from calibration.tags import find_tags
from vision.frame import FramePair
from vision.gate_view import GateView
from vision.hands import WHOLE, Box, HandFinder
from vision.median import median
from vision.still import Still
from vision.view import Picture

CAMERAS = ("overhead", "side")
STILL_S = 0.7
AGAIN_S = 0.5
"""So often a still table with a hand on it is looked at again, and moving pictures are searched for hands."""
HANDS_STAY_S = 1.0
PATIENCE_S = 30.0
"""After so long without the slightest movement, what MediaPipe calls no hand is part of the scene: a cup, a box lid."""
FEWEST = 3


class GateState(Enum):
    """What the gate says of the table."""

    PAUSED = "paused"
    """A camera sends nothing fresh: nothing is judged."""
    MOVING = "moving"
    HANDS = "hands"
    CAMERA_MOVED = "camera moved"
    SETTLING = "settling"
    OPEN = "open"


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """A still table, free of hands: a picture per camera, and the rig as it is now."""

    pictures: Mapping[str, Picture]
    time_s: float
    rig: Rig | None
    kept: Mapping[str, bytes] = field(default_factory=dict)
    """The bytes that the pictures were read from, recorded as they are; without them a lossless copy is."""


@dataclass(frozen=True, slots=True, eq=False)
class GateReport:
    """What the gate says, in words, with the settled pair at the moment when it opens."""

    state: GateState
    words: str
    settled: Settled | None = None


class Gate:
    """Feed it pairs as they come; each stillness opens it once.

    `hands` is MediaPipe's voice, `watcher` the tags' (None: drift goes unseen), `cameras` those that must be there.
    """

    def __init__(
        self,
        rig: Rig | None = None,
        watcher: Watcher | None = None,
        hands: HandFinder | None = None,
        cameras: Sequence[str] = CAMERAS,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._rig, self._watcher, self._hands = rig, watcher, hands
        self._patience_s = patience_s
        self._views = {name: GateView(rig, name) for name in cameras}
        self._has_opened = False
        self._report = GateReport(GateState.SETTLING, "starting")
        self._again_s = self._hands_until_s = float("-inf")

    def look(self, pair: FramePair) -> GateReport:
        """What the newest pair says."""
        missing = [name for name in self._views if name not in pair.frames]
        if missing:
            for view in self._views.values():
                view.forget_motion()
            words = "; ".join(f"{name}: {pair.troubles.get(name, 'no picture')}" for name in missing)
            return self._told(GateState.PAUSED, words)
        # What opened it is told, and every frame that is kept makes the camera's next one wait for fresh memory.
        is_open = self._report.state is GateState.OPEN
        moved = [name for name, view in self._views.items() if view.feed(pair.frames[name], is_open)]
        if moved:
            return self._moving(pair, moved)
        if is_open:
            return replace(self._report, settled=None)
        still_s = min(view.still_s for view in self._views.values())
        if still_s < STILL_S or any(len(view.recent) < FEWEST for view in self._views.values()):
            return self._told(GateState.SETTLING, "settling")
        if pair.time_s < self._again_s:
            return self._report
        self._again_s = pair.time_s + AGAIN_S
        return self._opening(pair.time_s, still_s)

    @property
    def watches_drift(self) -> bool:
        """Whether a camera that moves would be noticed: not without tags, on the rig or in view."""
        return self._watcher is not None

    def forget_scene(self) -> None:
        """What lies on the table belongs there: the next still pair is compared with nothing."""
        for view in self._views.values():
            view.reference = None
        self._again_s = float("-inf")

    def _told(self, state: GateState, words: str, settled: Settled | None = None) -> GateReport:
        self._report = GateReport(state, words, settled)
        return self._report

    def _moving(self, pair: FramePair, moved: Sequence[str]) -> GateReport:
        """Moving, and perhaps by hands: that is looked up only so often, and only for people to read."""
        if self._hands is not None and pair.time_s >= self._again_s:
            self._again_s = pair.time_s + AGAIN_S
            if any(self._hands.find(pair.frames[name].picture) for name in moved):
                self._hands_until_s = pair.time_s + HANDS_STAY_S
        if pair.time_s < self._hands_until_s:
            return self._told(GateState.HANDS, "hands in")
        return self._told(GateState.MOVING, f"something moves ({' and '.join(moved)})")

    def _opening(self, time_s: float, still_s: float) -> GateReport:
        """Still for long enough: one thorough look."""
        stills = {name: Still.of(median([f.picture for f in view.recent])) for name, view in self._views.items()}
        pictures = {name: still.picture for name, still in stills.items()}
        if self._watcher is not None:
            grey = {name: np.asarray(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), np.uint8) for name, p in pictures.items()}
            drift = self._watcher.check(grey)
            if drift.state is not State.LOST:
                for name, view in self._views.items():
                    view.camera_moved(self._watcher.rig.cameras[name], drift.rig.cameras[name])
                self._watcher, self._rig = drift.watcher, drift.rig
            elif self._has_opened or any(find_tags(grey[name], self._watcher.rig.cameras[name]) for name in grey):
                return self._told(GateState.CAMERA_MOVED, drift.words)
            else:
                self._watcher = None  # the strips are not on this table
        for name, view in self._views.items():
            words = self._in_the_way(name, view, pictures[name], still_s)
            if words is not None:
                return self._told(GateState.HANDS, words)
        for name, view in self._views.items():
            view.accept(pictures[name])
        self._has_opened = True
        kept = {name: still.data for name, still in stills.items()}
        return self._told(GateState.OPEN, "settled", Settled(pictures, time_s, self._rig, kept))

    def _in_the_way(self, name: str, view: GateView, picture: Picture, still_s: float) -> str | None:
        """What keeps the gate shut in one view."""
        things = view.foreign(picture)
        windows: list[Box] = [WHOLE, *(thing.box for thing in things), *view.changed_windows(picture)]
        if self._hands is not None and any(
            view.may_be_hand(picture, box) for box in self._hands.find(picture, windows)
        ):
            return f"a hand rests in the {name} view"
        if things and still_s < self._patience_s:
            return f"something large lies in the {name} view: a hand, a sleeve? take it away"
        return None
