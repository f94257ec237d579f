"""Watching the tags during play: did a camera move, did a tag, or can nobody tell?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.bundle_rows import CAMERA, PAPER_MM
from calibration.camera import Camera, Floats, Rig
from calibration.errors import CalibrationError
from calibration.kit_card import KIT_IDS
from calibration.rig_quality import SolvedRig, camera_of, lens_numbers, project
from calibration.strips import laid
from calibration.tag_sides import QUICK, module_px
from calibration.tags import TagSeen, find_tags, fit_tags

LEAST_TAGS = 3
LEAST_MODULE_PX = 1.2
STILL_PX = 0.08
"""Less than this, on the mean of the tags, is noise and not a bump."""
REFIT_PX = 0.5
"""After a shift by more, tags are fitted again from where they are now."""
SMALL_MM = 2.0
"""A camera that is off by less on the table is put right without a word."""
MOVED_PX, MOVED_SIGMAS = 0.35, 6.0
STIFF_MM = 0.5
"""A moved tag keeps its shape to within this; what does not is half hidden."""
SCALES_PX = (6.0, 3.0, 1.5, 0.7, 0.4, 0.4, 0.4)


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
class _Look:
    """One camera's tags against where they belong: the camera as it is now, and the tags that do not fit it."""

    camera: Camera
    shift_px: float
    shift_mm: float
    turn_deg: float
    strays: Mapping[int, float]
    steady: frozenset[int]
    covariance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Watcher:
    """A rig and the tags it is watched by; each look makes the watcher for the next."""

    rig: Rig
    tags: Mapping[int, Floats]
    """Corners (4, 3) in the table frame."""

    @classmethod
    def of(cls, rig: SolvedRig) -> Watcher:
        """By all strips that the rig was solved from; the kit card does not stay on the table."""
        tags = {tag: np.array(corners) for tag, corners in rig.tags.items() if tag % 100 not in KIT_IDS}
        if len(tags) < LEAST_TAGS:
            raise CalibrationError(
                f"the rig knows {len(tags)} tags: it takes {LEAST_TAGS} on the table to see whether a camera moved"
            )
        return cls(rig, tags)

    def check(self, pictures: Mapping[str, NDArray[np.uint8]]) -> DriftReport:
        """Look at the tags in grey pictures by camera."""
        looks: dict[str, _Look] = {}
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
            look = _compare(camera, self.tags, seen)
            if look.shift_px > REFIT_PX:
                look = _compare(camera, self.tags, self._find(gray, look.camera) or seen)
            if len(look.steady) < max(LEAST_TAGS, len(seen) / 2):
                return self._lost(f"the tags in the {name} picture do not lie as they did: calibrate again")
            looks[name] = look
        return self._report(looks)

    def _find(self, gray: NDArray[np.uint8], camera: Camera) -> dict[int, TagSeen]:
        """Tags near where they were; where too many are gone, anywhere in the picture."""
        starts = {}
        for tag, corners in self.tags.items():
            pixels = camera.project(corners)
            whole = (pixels > 1.0).all() and (pixels < [camera.width - 2.0, camera.height - 2.0]).all()
            if whole and (camera.depth_mm(corners) > 0).all() and module_px(pixels[None]).min() > LEAST_MODULE_PX:
                starts[tag] = pixels
        seen = fit_tags(gray, starts, camera, QUICK)
        if 2 * len(seen) < len(starts) or len(seen) < LEAST_TAGS:
            return {tag: one for tag, one in find_tags(gray, camera).items() if tag in self.tags}
        return seen

    def _lost(self, words: str) -> DriftReport:
        return DriftReport(State.LOST, words, self.rig, self, {})

    def _report(self, looks: Mapping[str, _Look]) -> DriftReport:
        moved = _moved(looks)
        tags = {tag: corners for tag, corners in self.tags.items() if tag not in moved}
        bumped = {name: look for name, look in looks.items() if look.shift_px > STILL_PX}
        rig = self._corrected(bumped)
        state, words = State.STEADY, "the cameras are where they were"
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
        return DriftReport(state, words, rig, replace(self, rig=rig, tags=tags), moved)

    def _corrected(self, bumped: Mapping[str, _Look]) -> Rig:
        if not bumped:
            return self.rig
        cameras = {name: bumped[name].camera if name in bumped else old for name, old in self.rig.cameras.items()}
        if not isinstance(self.rig, SolvedRig) or not self.rig.covariance:
            return msgspec.structs.replace(self.rig, cameras=cameras)
        covariance = np.array(self.rig.covariance)
        for name, look in bumped.items():
            at = CAMERA * ("overhead", "side").index(name)
            covariance[at : at + 6, at : at + 6] += look.covariance
        rows = tuple(tuple(float(value) for value in row) for row in covariance)
        return msgspec.structs.replace(self.rig, cameras=cameras, covariance=rows)


def _compare(camera: Camera, tags: Mapping[int, Floats], seen: Mapping[int, TagSeen]) -> _Look:
    """The camera's pose that most tags agree with, starting from how most of them shifted."""
    ids = list(seen)
    points = np.concatenate([tags[tag] for tag in ids])
    pixels = np.concatenate([seen[tag].corners_px for tag in ids])
    sigma = np.array([seen[tag].sigma_px for tag in ids])
    start = camera.project(points)
    shifts = (pixels - start).reshape(-1, 4, 2).mean(axis=1)
    off = np.linalg.norm(shifts - np.median(shifts, axis=0), axis=1)
    middle = (start.reshape(-1, 4, 2) - start.reshape(-1, 4, 2).mean(axis=1, keepdims=True)).reshape(-1, 2)
    now, covariance = camera, np.zeros((6, 6))
    for scale in SCALES_PX:
        weight = 1 / (1 + (off / scale) ** 2) ** 2 / sigma**2
        predicted, slopes = project(now, points)
        # A seventh unknown, how much larger tags look than they are: blur and exposure change that, not the pose.
        full = np.column_stack([slopes[:, :6], middle.reshape(-1, 1) / 20.0])
        weighed = full * np.repeat(weight, 8)[:, None]
        information = weighed.T @ full
        unit = 1 / np.sqrt(np.diag(information))
        covariance = np.linalg.inv(information * np.outer(unit, unit)) * np.outer(unit, unit)
        change = covariance @ (weighed.T @ (pixels - predicted).ravel())
        R = cv2.Rodrigues(change[:3])[0] @ np.array(now.R)
        now = camera_of((now.width, now.height), lens_numbers(now), R, np.array(now.t) + change[3:6])
        left = (pixels - now.project(points) - change[6] * middle / 20.0).reshape(-1, 4, 2)
        off = np.sqrt((left**2).sum(axis=2).mean(axis=1))
    stray = off > np.maximum(MOVED_PX, MOVED_SIGMAS * sigma)
    strays = {tag: _moved_mm(now, tags[tag], seen[tag].corners_px) for tag, out in zip(ids, stray, strict=True) if out}
    before, after = start, now.project(points)
    on_table = _on_table(camera, after)
    turned, _ = cv2.Rodrigues(np.array(now.R) @ np.array(camera.R).T)
    return _Look(
        now,
        float(np.sqrt(((after - before) ** 2).sum(axis=1).mean())),
        float(np.sqrt(((on_table - points[:, :2]) ** 2).sum(axis=1).mean())),
        float(np.degrees(np.linalg.norm(turned))),
        strays,
        frozenset(tag for tag in ids if tag not in strays),
        covariance[:6, :6],
    )


def _on_table(camera: Camera, pixels: Floats) -> Floats:
    """Where on the strips' plane (n, 2) pixels (n, 2) look."""
    centre, rays = camera.centre_in_table(), camera.rays_in_table(pixels)
    plan: Floats = centre[:2] + rays[:, :2] * ((PAPER_MM - centre[2]) / np.minimum(rays[:, 2], -1e-3))[:, None]
    return plan


def _moved_mm(camera: Camera, corners: Floats, pixels: Floats) -> float:
    """How far a tag was moved on the table; not a number where it lost its shape, being half hidden."""
    there = _on_table(camera, pixels)
    stiff = laid(corners[:, :2], there).in_table(corners[:, :2])
    if np.abs(stiff - there).max() > STIFF_MM:
        return float("nan")
    return float(np.linalg.norm((stiff - corners[:, :2]).mean(axis=0)))


def _moved(looks: Mapping[str, _Look]) -> dict[int, float]:
    """Tags that moved in every view that sees them; one that only one view misses is half hidden there."""
    moved = {}
    for tag in {tag for look in looks.values() for tag in look.strays}:
        told = [look.strays.get(tag) for look in looks.values() if tag in look.strays or tag in look.steady]
        distances = [by_mm for by_mm in told if by_mm is not None and np.isfinite(by_mm)]
        if len(distances) == len(told):
            moved[tag] = float(np.mean(distances))
    return moved
