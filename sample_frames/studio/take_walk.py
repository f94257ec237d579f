"""How somebody moves the board before the cameras: held poses, smooth ways between them, a little tremor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation, RotationSpline

from calibration.camera import Camera, Rig

from .take_warp import Floats

MOST_TILT_DEG = 45.0
CLEAR_MM = 12.0
"""How near to the table the board comes."""
NEAREST_MM = 170.0
NEAREST_FILLED = 1.35
"""How much larger than the picture's height the board's diagonal gets."""
HELD = 0.45
"""Share of the time that poses are held still."""
NEAR_POSES = 3
TURN_MM = 200.0
"""Turning the board by a radian takes as long as moving it this far."""
# Parts of the view, one beside the last.
CELLS = ((0, 0), (-1, -1), (1, -1), (1, 0), (1, 1), (-1, 1), (-1, 0))


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Where the board is at any time; `phases` tells for whom it is held, from when to when."""

    phases: dict[str, tuple[float, float]]
    place: Callable[[Floats], Floats]
    turn: Callable[[Floats], Rotation]
    corners_mm: Floats
    tremor: Floats

    def table_from_board(self, times_s: Floats) -> Floats:
        """Poses (n, 4, 4) of the board, whose frame is OpenCV's: top-left corner, x right, y down, z into it."""
        shake = np.sin(times_s[:, None] * self.tremor[0] + self.tremor[1]) * self.tremor[2]
        turns = self.turn(times_s) * Rotation.from_rotvec(shake[:, :3] * 0.004)
        poses = np.tile(np.eye(4), (len(times_s), 1, 1))
        poses[:, :3, :3] = turns.as_matrix()
        centre = self.corners_mm.mean(axis=0)
        poses[:, :3, 3] = self.place(times_s) + shake[:, 3:] * 0.5 - turns.apply(centre)
        lowest = (poses[:, None, :3, :] @ np.column_stack([self.corners_mm, np.ones(4)])[..., None])[:, :, 2, 0]
        poses[:, 2, 3] += np.maximum(0.0, CLEAR_MM - lowest.min(axis=1))
        return poses


def random_walk(
    rng: np.random.Generator, rig: Rig, corners_mm: Floats, person_rad: float, grip: Floats, seconds: float
) -> Walk:
    """A walk before the overhead camera, before both, then before the side one.

    `person_rad` is where the person stands, seen from the middle of the table; `grip` points from the board's middle
    to the edge that is held, in the board's frame.
    """
    held = {
        "overhead": _before(rng, rig.overhead, corners_mm, person_rad, grip),
        "both": _before_both(rng, rig, corners_mm, person_rad, grip),
        "side": _before(rng, rig.side, corners_mm, person_rad, grip),
    }
    poses = [pose for part in held.values() for pose in part]
    places, turns = np.stack([place for place, _ in poses]), Rotation.concatenate([turn for _, turn in poses])
    way_mm = np.linalg.norm(np.diff(places, axis=0), axis=1) + TURN_MM * (turns[:-1].inv() * turns[1:]).magnitude()
    each_s, moves_s = HELD * seconds / len(poses), (1 - HELD) * seconds * way_mm / way_mm.sum()
    starts_s = np.concatenate([[0.0], np.cumsum(each_s + moves_s)])
    ends = np.cumsum([len(part) for part in held.values()])
    borders_s = [0.0, *starts_s[ends[:-1]].tolist(), seconds]
    phases = {name: (borders_s[n], borders_s[n + 1]) for n, name in enumerate(held)}
    tremor = np.stack([rng.uniform(4.0, 14.0, 6), rng.uniform(0.0, 6.3, 6), rng.normal(0.0, 1.0, 6)])
    times_s = np.column_stack([starts_s, starts_s + each_s]).ravel()
    smooth = PchipInterpolator(times_s, np.repeat(places, 2, axis=0))
    # A hand turns on while it holds a thing in its place, but slowly.
    share = PchipInterpolator(
        times_s, np.column_stack([np.arange(len(poses)) - 0.04, np.arange(len(poses)) + 0.04]).ravel()
    )
    turning = RotationSpline(np.arange(len(poses)), turns)
    return Walk(
        phases,
        lambda t: np.asarray(smooth(np.clip(t, 0.0, seconds))),
        lambda t: turning(np.clip(share(np.clip(t, 0.0, seconds)), 0.0, len(poses) - 1.0)),
        corners_mm,
        tremor,
    )


def _before(
    rng: np.random.Generator, camera: Camera, corners_mm: Floats, person_rad: float, grip: Floats
) -> list[tuple[Floats, Rotation]]:
    """Poses before one camera: every part of its view, near and far, tilted in all directions."""
    size_mm = float(np.linalg.norm(corners_mm[2] - corners_mm[0]))
    leaning = float(rng.uniform(0.0, 2 * math.pi))
    found = []
    flip = rng.choice([-1.0, 1.0], 2)
    for number, cell in enumerate(CELLS):
        aside = np.array(cell) * flip * rng.uniform(0.5, 0.8, 2) + rng.uniform(-0.12, 0.12, 2)
        filled = rng.uniform(0.8, 1.15) if number < NEAR_POSES else rng.uniform(0.45, 0.8)
        pixel = (aside * 0.5 + 0.5) * [camera.width - 1, camera.height - 1]
        ray = camera.rays_in_table(pixel[None])[0]
        fits_mm = camera.K[0][0] * size_mm / camera.height
        depth_mm, least_mm = max(NEAREST_MM, fits_mm / filled), max(NEAREST_MM, fits_mm / NEAREST_FILLED)
        tilt_rad = math.radians(float(rng.uniform(0.3, 1.0) * MOST_TILT_DEG))
        leaning += 2.4  # the golden angle: no direction is left out
        roll_rad = float(rng.normal(0.0, 0.35))
        turn = _facing(-ray, tilt_rad, leaning, roll_rad, person_rad, grip)
        place = camera.centre_in_table() + ray * depth_mm
        # Nearer if it would dip into the table; what is still too low then is lifted on its way.
        while _lowest_mm(place, turn, corners_mm) < CLEAR_MM and depth_mm > least_mm:
            depth_mm = max(0.96 * depth_mm, least_mm)
            place = camera.centre_in_table() + ray * depth_mm
        found.append((place, turn))
    return found


def _before_both(
    rng: np.random.Generator, rig: Rig, corners_mm: Floats, person_rad: float, grip: Floats, count: int = 3
) -> list[tuple[Floats, Rotation]]:
    """Poses over the table whose print both cameras see, as whole as can be had."""
    eyes = [camera.centre_in_table() for camera in rig.cameras.values()]
    axis = np.array(rig.side.R[2])
    middle = rig.side.centre_in_table() + axis * float(-rig.side.centre_in_table()[2] / axis[2])
    tried: list[tuple[float, Floats, Rotation]] = []
    for _ in range(40 * count):
        place = np.array([*(middle[:2] + rng.normal(0.0, 80.0, 2)), rng.uniform(50.0, 220.0)])
        towards = [(eye - place) / np.linalg.norm(eye - place) for eye in eyes]
        tilt_rad = math.radians(float(rng.uniform(0.0, 18.0)))
        leaning, roll_rad = float(rng.uniform(0.0, 6.3)), float(rng.normal(0.0, 0.3))
        halfway = towards[0] + towards[1]
        turn = _facing(halfway / np.linalg.norm(halfway), tilt_rad, leaning, roll_rad, person_rad, grip)
        seen = min(_seen(camera, place, turn, corners_mm) for camera in rig.cameras.values())
        if _lowest_mm(place, turn, corners_mm) >= CLEAR_MM:
            tried.append((seen + 0.02 * float(rng.random()), place, turn))
    best = sorted(tried, key=lambda found: -found[0])[: 2 * count]
    chosen = rng.permutation(len(best))[:count]
    return [best[int(n)][1:] for n in chosen]


def _facing(
    normal: Floats, tilt_rad: float, leaning_rad: float, roll_rad: float, person_rad: float, grip: Floats
) -> Rotation:
    """table_from_board of a print that looks along `normal` and then leans over, its held edge to the person."""
    person = np.array([math.cos(person_rad), math.sin(person_rad), -0.35])
    outward = person - normal * (person @ normal)
    outward /= np.linalg.norm(outward)
    into = -normal
    held = np.stack([outward, np.cross(into, outward), into], axis=1)
    grip_turn = Rotation.from_euler("z", -math.atan2(grip[1], grip[0]))
    upright = Rotation.from_matrix(held) * grip_turn
    lean = Rotation.from_rotvec(tilt_rad * np.array([math.cos(leaning_rad), math.sin(leaning_rad), 0.0]))
    return upright * lean * Rotation.from_euler("z", roll_rad)


def _corners(place: Floats, turn: Rotation, corners_mm: Floats) -> Floats:
    corners: Floats = place + turn.apply(corners_mm - corners_mm.mean(axis=0))
    return corners


def _lowest_mm(place: Floats, turn: Rotation, corners_mm: Floats) -> float:
    return float(_corners(place, turn, corners_mm)[:, 2].min())


def _seen(camera: Camera, place: Floats, turn: Rotation, corners_mm: Floats) -> float:
    """Share of the board (its corners and points between) that a camera has in its picture."""
    share = np.linspace(0.0, 1.0, 5)
    corners = _corners(place, turn, corners_mm)
    upper = corners[0] + share[:, None] * (corners[1] - corners[0])
    points = (upper[:, None] + share[:, None] * (corners[3] - corners[0])).reshape(-1, 3)
    if camera.depth_mm(points).min() < NEAREST_MM:
        return 0.0
    pixels = camera.project(points)
    inside = (pixels > 4) & (pixels < [camera.width - 5, camera.height - 5])
    return float(inside.all(axis=1).mean())
