"""Watching the tags during play: did a camera move, did a tag, or can nobody tell?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.bundle_rows import CAMERA
from calibration.camera import Camera, Floats, Rig
from calibration.drift_look import Look, compare
from calibration.errors import CalibrationError
from calibration.kit_card import KIT_IDS
from calibration.rig_checks import NAMES
from calibration.rig_quality import SolvedRig
from calibration.tag_looks import QUICK, Looks, looks_at, module_px, straight
from calibration.tags import TagSeen, find_tags, fit_looks

LEAST_TAGS = 3
LEAST_MODULE_PX = 1.2
STILL_PX, STILL_SIGMAS = 0.03, 3.0
"""Less than this, over all tags, is light and noise and not a bump; 0.01 degrees are 0.04 px and more."""
REFIT_PX = 0.5
"""After a shift by more, tags are fitted again from where they are now."""
SMALL_MM = 2.0
"""A camera that is off by less on the table is put right without a word."""


class State(Enum):
    """What a look at the tags says."""

    STEADY = "steady"
    CORRECTED = "corrected"
    """A camera moved a little and is put right; nobody needs to be told."""
    TAG_MOVED = "tag moved"
    BUMPED = "bumped"
    """A camera moved much and is put right; people should look."""
    LOST = "lost"
    """Nobody can tell: no judging until it ends."""


@dataclass(frozen=True, slots=True)
class DriftReport:
    """What was found, in words, and what to go on with."""

    state: State
    words: str
    rig: Rig
    watcher: Watcher
    moved: Mapping[int, float]
    """Tags that are not used from here on, and how far they moved, in mm."""


@dataclass(frozen=True, slots=True, eq=False)
class Watcher:
    """A rig and the tags it is watched by; each look makes the watcher for the next."""

    rig: Rig
    tags: Mapping[int, Floats]
    """Corners (4, 3) in the table frame."""
    calibrated: Rig
    """Before any bump: what a new pose is not better known than."""
    windows: dict[Camera, Looks] = field(default_factory=dict)
    """Where a camera's tags are looked at: worked out once, good until it moves."""

    @classmethod
    def of(cls, rig: SolvedRig) -> Watcher:
        """By all strips that the rig was solved from; the kit card does not stay on the table."""
        tags = {tag: np.array(corners) for tag, corners in rig.tags.items() if tag % 100 not in KIT_IDS}
        if len(tags) < LEAST_TAGS:
            raise CalibrationError(
                f"the rig knows {len(tags)} tags: it takes {LEAST_TAGS} on the table to see whether a camera moved"
            )
        return cls(rig, tags, rig)

    def check(self, pictures: Mapping[str, NDArray[np.uint8]]) -> DriftReport:
        """Look at the tags in grey pictures by camera."""
        looks: dict[str, Look] = {}
        for name, gray in pictures.items():
            camera = self.rig.cameras[name]
            if gray.shape != (camera.height, camera.width):
                size = f"{gray.shape[1]} x {gray.shape[0]}"
                raise CalibrationError(
                    f"the {name} picture has {size} pixels, the rig {camera.width} x {camera.height}: calibrate again"
                )
            seen = self._find(gray, camera)
            if len(seen) < LEAST_TAGS:
                words = f"{len(seen)} tags are seen in the {name} picture: too few to tell whether the camera moved"
                return self._lost(f"{words}; uncover the strips or turn up the light")
            look = compare(camera, self.tags, seen)
            if look.shift_px > REFIT_PX:
                look = compare(camera, self.tags, self._find(gray, look.camera) or seen)
            if len(look.steady) < max(LEAST_TAGS, len(seen) / 2):
                return self._lost(f"the tags in the {name} picture do not lie as they did: calibrate again")
            looks[name] = look
        return self._report(looks)

    def _find(self, gray: NDArray[np.uint8], camera: Camera) -> dict[int, TagSeen]:
        """Tags near where they were; where too many are gone, anywhere in the picture."""
        if camera not in self.windows:
            self.windows[camera] = self._looks(camera)
        looks = self.windows[camera]
        seen = fit_looks(gray, looks, camera) if looks.ids else {}
        if 2 * len(seen) < len(looks.ids) or len(seen) < LEAST_TAGS:
            return {tag: one for tag, one in find_tags(gray, camera).items() if tag in self.tags}
        return seen

    def _looks(self, camera: Camera) -> Looks:
        """At the tags that are whole in the picture and large enough."""
        ids = np.array(list(self.tags))
        corners = np.stack(list(self.tags.values()))
        pixels = camera.project(corners.reshape(-1, 3)).reshape(-1, 4, 2)
        whole = ((pixels > 1.0) & (pixels < [camera.width - 2.0, camera.height - 2.0])).all(axis=(1, 2))
        before = (camera.depth_mm(corners.reshape(-1, 3)).reshape(-1, 4) > 0).all(axis=1)
        shown = whole & before & (module_px(pixels).min(axis=1) > LEAST_MODULE_PX)
        return looks_at(ids[shown].tolist(), straight(pixels[shown], camera), camera, QUICK)

    def _lost(self, words: str) -> DriftReport:
        return DriftReport(State.LOST, words, self.rig, self, {})

    def _report(self, looks: Mapping[str, Look]) -> DriftReport:
        moved = _moved(looks)
        tags = {tag: corners for tag, corners in self.tags.items() if tag not in moved}
        bumped = {
            name: look for name, look in looks.items() if look.shift_px > max(STILL_PX, STILL_SIGMAS * look.noise_px)
        }
        if not bumped and not moved:
            return DriftReport(State.STEADY, "the cameras are where they were", self.rig, self, {})
        rig = self._corrected(bumped)
        state, words = State.TAG_MOVED, ""
        if bumped:
            state = State.CORRECTED if all(look.shift_mm < SMALL_MM for look in bumped.values()) else State.BUMPED
            words = "; ".join(
                f"the {name} camera moved (by {look.shift_mm:.1f} mm on the table, {look.turn_deg:.2f} degrees)"
                f" and was solved again from {len(look.steady)} tags"
                for name, look in bumped.items()
            )
        if moved:
            state = State.BUMPED if state is State.BUMPED else State.TAG_MOVED
            told = ", ".join(f"tag {tag} by {by_mm:.1f} mm" for tag, by_mm in sorted(moved.items()))
            words = f"{told}: moved, and no longer used" + (f"; {words}" if bumped else "")
        return DriftReport(state, words, rig, Watcher(rig, tags, self.calibrated), moved)

    def _corrected(self, bumped: Mapping[str, Look]) -> Rig:
        if not bumped:
            return self.rig
        cameras = {name: bumped[name].camera if name in bumped else old for name, old in self.rig.cameras.items()}
        if not isinstance(self.rig, SolvedRig) or not isinstance(self.calibrated, SolvedRig) or not self.rig.covariance:
            return msgspec.structs.replace(self.rig, cameras=cameras)
        covariance = np.array(self.rig.covariance)
        for name, look in bumped.items():
            at = CAMERA * NAMES.index(name)
            pose = slice(at, at + 6)
            covariance[pose, pose] = np.array(self.calibrated.covariance)[pose, pose] + look.covariance
        rows = tuple(tuple(float(value) for value in row) for row in covariance)
        return msgspec.structs.replace(self.rig, cameras=cameras, covariance=rows)


def _moved(looks: Mapping[str, Look]) -> dict[int, float]:
    """Tags that moved in every view that sees them; one that only one view misses is half hidden there."""
    moved = {}
    for tag in {tag for look in looks.values() for tag in look.strays}:
        told = [look.strays.get(tag) for look in looks.values() if tag in look.strays or tag in look.steady]
        distances = [by_mm for by_mm in told if by_mm is not None and np.isfinite(by_mm)]
        if len(distances) == len(told):
            moved[tag] = float(np.mean(distances))
    return moved
