"""Strips on the table: which tags hang together, and a first guess of where strips and cameras are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

from calibration.camera import Floats
from calibration.errors import CalibrationError
from calibration.kit_card import KIT_IDS
from calibration.lens import Lens
from calibration.page import tag_corners_mm
from calibration.sheets import TAGS_PER_STRIP, page_of_tag
from calibration.tag_looks import straight
from calibration.tags import TagSeen

SEEDS, SEED_ROUNDS = 3, 3


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """Tags on one piece of paper: a strip that was cut out, or the kit card."""

    first: int
    """The lowest of its ids."""
    corners_mm: Mapping[int, Floats]
    """Tag id -> corners (4, 2) about the strip's middle, x along its words and y up."""
    card: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a strip lies: its middle, and how its words are turned."""

    x_mm: float
    y_mm: float
    yaw_rad: float

    def in_table(self, on_strip_mm: Floats) -> Floats:
        """Plan points (n, 2) of points on the strip."""
        turned: Floats = on_strip_mm @ turn(self.yaw_rad).T + np.array([self.x_mm, self.y_mm])
        return turned


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """Poses to start from: of each camera (R, t), and of each strip by its first tag."""

    cameras: Mapping[str, tuple[Floats, Floats]]
    places: Mapping[int, Placed]


def turn(yaw_rad: float) -> Floats:
    """The rotation in plan."""
    cos, sin = np.cos(yaw_rad), np.sin(yaw_rad)
    return np.array([[cos, -sin], [sin, cos]])


@cache
def strip_of(tag_id: int) -> Strip | None:
    """The strip that a tag is on; None for a tag of nobody's."""
    page = page_of_tag(tag_id)
    if page is None:
        return None
    ids = sorted(tag.id for tag in page.tags)
    card = ids[0] % 100 in KIT_IDS
    if not card:
        at = ids.index(tag_id) // TAGS_PER_STRIP * TAGS_PER_STRIP
        ids = ids[at : at + TAGS_PER_STRIP]
    corners = tag_corners_mm(page)
    middle = np.mean([corners[tag] for tag in ids], axis=(0, 1))
    return Strip(ids[0], {tag: (corners[tag] - middle) * [1.0, -1.0] for tag in ids}, card)


def strips_of(tags: Mapping[int, TagSeen], where: str) -> dict[int, Strip]:
    """The strips in a view by their first tags; a tag of nobody's is refused."""
    strips = {}
    for tag in tags:
        strip = strip_of(tag)
        if strip is None:
            raise CalibrationError(
                f"tag {tag} in {where} is on none of our sheets: take it off the table, or print the sheets again"
            )
        strips[strip.first] = strip
    return strips


def first_guess(seen: Mapping[str, Mapping[int, TagSeen]], lenses: Mapping[str, Lens]) -> Guess:
    """One camera from its best strip, all strips from it, the other camera from the strips that both see."""
    rays = {
        name: {tag: _on_unit_plane(one.corners_px, lenses[name]) for tag, one in tags.items()}
        for name, tags in seen.items()
    }
    best: tuple[float, Guess] | None = None
    for first in rays:
        pose, places = _seed(rays[first])
        cameras = {first: pose}
        for other in rays:
            if other != first:
                common = {tag: at for tag, at in rays[other].items() if _first(tag) in places}
                poses = _poses(common, places)
                if not poses:
                    continue
                cameras[other] = min(poses, key=lambda pose: _misfit(common, pose, places))
                places = _place(rays[other], cameras[other]) | places
        guess = Guess(cameras, places)
        cost = float(np.mean([_misfit(rays[name], cameras[name], places) * lenses[name].K[0][0] for name in rays]))
        if best is None or cost < best[0]:
            best = cost, guess
    assert best is not None
    return _centred(best[1])


def _centred(guess: Guess) -> Guess:
    """The same with the table's origin amid the strips and x along the words of the lowest one."""
    origin = np.mean([[place.x_mm, place.y_mm] for place in guess.places.values()], axis=0)
    yaw = guess.places[min(guess.places)].yaw_rad
    return moved(guess, origin, yaw)


def moved(guess: Guess, origin_mm: Floats, yaw_rad: float) -> Guess:
    """The same in a table frame that has its origin and x axis there."""
    back = turn(-yaw_rad)
    places = {}
    for first, place in guess.places.items():
        x, y = back @ (np.array([place.x_mm, place.y_mm]) - origin_mm)
        places[first] = Placed(float(x), float(y), place.yaw_rad - yaw_rad)
    old_from_new = np.eye(3)
    old_from_new[:2, :2] = turn(yaw_rad)
    shift = np.array([*origin_mm, 0.0])
    cameras = {name: (R @ old_from_new, t + R @ shift) for name, (R, t) in guess.cameras.items()}
    return Guess(cameras, places)


def _seed(rays: Mapping[int, Floats]) -> tuple[tuple[Floats, Floats], dict[int, Placed]]:
    """A camera and the strips it sees, from the strip that explains the others best."""
    best: tuple[float, tuple[Floats, Floats], dict[int, Placed]] | None = None
    strips: dict[int, dict[int, Floats]] = {}
    for tag, at in rays.items():
        strips.setdefault(_first(tag), {})[tag] = at
    largest = sorted(strips, key=lambda first: -sum(np.ptp(at, axis=0).prod() for at in strips[first].values()))
    for first in largest[:SEEDS]:
        alone = strips[first]
        for start in _poses(alone, {first: Placed(0.0, 0.0, 0.0)}):
            pose, places = start, _place(rays, start)
            for _ in range(SEED_ROUNDS):
                pose = min(_poses(rays, places), key=lambda pose: _misfit(rays, pose, places), default=pose)
                places = _place(rays, pose)
            misfit = _misfit(rays, pose, places)
            if np.isfinite(misfit) and (best is None or misfit < best[0]):
                best = misfit, pose, places
    if best is None:
        raise CalibrationError("the tags in a picture fit no table: lay the strips flat, and take the pictures again")
    return best[1], best[2]


def _first(tag: int) -> int:
    strip = strip_of(tag)
    assert strip is not None
    return strip.first


def _on_strip(tag: int) -> Floats:
    strip = strip_of(tag)
    assert strip is not None
    return strip.corners_mm[tag]


def _on_unit_plane(corners_px: Floats, lens: Lens) -> Floats:
    (fx, _, cx), (_, fy, cy), _ = lens.K
    unit: Floats = (straight(corners_px, lens) - np.array([cx, cy])) / np.array([fx, fy])
    return unit


def _poses(rays: Mapping[int, Floats], places: Mapping[int, Placed]) -> list[tuple[Floats, Floats]]:
    """Camera poses that see tags of placed strips so, from above the table; a plane allows two."""
    plan = np.concatenate([places[_first(tag)].in_table(_on_strip(tag)) for tag in rays])
    points = np.column_stack([plan, np.zeros(len(plan))])
    seen = np.concatenate(list(rays.values()))
    _, rotations, shifts, _ = cv2.solvePnPGeneric(points, seen, np.eye(3), np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    poses = [
        (np.array(cv2.Rodrigues(r)[0], dtype=np.float64), np.array(t, dtype=np.float64).ravel())
        for r, t in zip(rotations, shifts, strict=True)
    ]
    return [(R, t) for R, t in poses if np.isfinite(R).all() and -(R.T @ t)[2] > 0]


def _place(rays: Mapping[int, Floats], pose: tuple[Floats, Floats]) -> dict[int, Placed]:
    """Where the strips lie that a camera of this pose sees so: rays meet the table, and paper keeps its size."""
    R, t = pose
    centre = -R.T @ t
    on_strip: dict[int, list[Floats]] = {}
    on_table: dict[int, list[Floats]] = {}
    for tag, at in rays.items():
        along = np.column_stack([at, np.ones(4)]) @ R
        reach = -centre[2] / np.minimum(along[:, 2], -1e-3)
        on_strip.setdefault(_first(tag), []).append(_on_strip(tag))
        on_table.setdefault(_first(tag), []).append(centre[:2] + along[:, :2] * reach[:, None])
    return {first: laid(np.concatenate(on_strip[first]), np.concatenate(on_table[first])) for first in on_strip}


def laid(source_mm: Floats, target_mm: Floats) -> Placed:
    """The rigid motion in plan that takes points (n, 2) to others."""
    a, b = source_mm - source_mm.mean(axis=0), target_mm - target_mm.mean(axis=0)
    yaw = float(np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum()))
    x, y = target_mm.mean(axis=0) - turn(yaw) @ source_mm.mean(axis=0)
    return Placed(float(x), float(y), yaw)


def _misfit(rays: Mapping[int, Floats], pose: tuple[Floats, Floats], places: Mapping[int, Placed]) -> float:
    """Median distance on the unit plane between tags as seen and as the pose has them; without end behind it."""
    plan = np.concatenate([places[_first(tag)].in_table(_on_strip(tag)) for tag in rays])
    points = np.column_stack([plan, np.zeros(len(plan))]) @ pose[0].T + pose[1]
    if (points[:, 2] <= 0).any():
        return float("inf")
    off = points[:, :2] / points[:, 2:] - np.concatenate(list(rays.values()))
    return float(np.median(np.hypot(off[:, 0], off[:, 1])))
