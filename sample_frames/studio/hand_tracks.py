"""Hands in motion: they come in over the table's edge, do one thing, let go and leave; times run from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from .hand_poses import GRIPS, PALM, POSES, Grip, Pose, Side, blended, varied
from .mesh import Floats

Kind = Literal["column", "stick", "car", "rest", "leave"]
Track = Callable[[float], "list[HandState]"]

HAND_MM = 185.0
"""An adult's hand from the wrist to the tip of the middle finger."""
MODEL_MM = 189.7
OUTSIDE_MM = 240.0
"""How far beyond the edge a track begins and ends."""
MOST_TURN_DEG = 56.0
SHOULDER_MM = (330.0, 190.0, 330.0)
"""A sitting player's shoulder: beyond the edge, to its side, above the table."""
TWEEZERS_REACH_MM = 50.0
TWEEZERS_AHEAD = (0.10, -0.78, -0.62)
GRIP_ABOVE_MM: dict[str, float] = {"column": 8.0, "stick": 0.0, "car": 4.5}
PITCH_DEG: dict[str, float] = {"pinch": 24.0, "grip_column": 22.0, "flat": 0.0}
FLAT_WRIST_MM = 45.0
# When the hand is above its place, has come down, has let go, is above it again.
ABOVE, DOWN, OPEN, UP = 0.38, 0.50, 0.58, 0.68
BELOW_START_MM = 40.0


@dataclass(frozen=True, slots=True, eq=False)
class HandState:
    """One hand at one moment; `table_from_piece` is where the piece of this track is, carried or put down."""

    side: Side
    pose: Pose
    table_from_wrist: Floats
    shoulder_in_table: Floats
    scale: float = HAND_MM / MODEL_MM
    tweezers: bool = False
    table_from_piece: Floats | None = None


def track(
    kind: Kind,
    target_in_table: Floats,
    edge_in_table: Floats,
    rng: np.random.Generator,
    grip_above_mm: float | None = None,
    length_mm: float = 95.0,
) -> Track:
    """The hands of one action at a time of 0 to 1.

    The target is the 4x4 pose of the piece (or of the resting palm), the edge a point of the table's edge where the
    player sits. A column is held `grip_above_mm` over its foot; a stick of `length_mm` across is held at both ends.
    """
    target = np.asarray(target_in_table, dtype=np.float64)
    edge = np.array([edge_in_table[0], edge_in_table[1], 0.0])
    outward = outward_of(target[:3, 3], edge)
    scale = HAND_MM / MODEL_MM * float(rng.uniform(0.90, 1.08))
    above_mm = GRIP_ABOVE_MM.get(kind, 0.0) if grip_above_mm is None else grip_above_mm
    holds = _holds(kind, target, outward, above_mm, length_mm, scale, rng)
    released = [replace(hold, pose=_let_go(kind, hold.pose, rng)) for hold in holds]
    far_mm = float(np.dot(edge - target[:3, 3], outward)) + OUTSIDE_MM + length_mm / 2
    away = outward * far_mm + np.array([0.0, 0.0, BELOW_START_MM])
    hover = np.array([0.0, 0.0, float(rng.uniform(35.0, 60.0))]) + outward * float(rng.uniform(0.0, 12.0))
    swing = np.deg2rad(rng.normal(0.0, 8.0, 2))
    shoulders = [_turned_shoulder(hold, edge, outward, target[:3, 3]) for hold in holds]

    def at(time: float) -> list[HandState]:
        t = float(np.clip(time, 0.0, 1.0))
        moved = _moved(kind, t, away, hover, swing, target[:3, 3])
        open_share = _eased((t - DOWN) / (OPEN - DOWN)) if kind in GRIP_ABOVE_MM else 0.0
        carried = target.copy() if t >= DOWN else moved @ target
        states = []
        for number, (hold, free, shoulder) in enumerate(zip(holds, released, shoulders, strict=True)):
            states.append(
                replace(
                    hold,
                    pose=blended(hold.pose, free.pose, open_share),
                    table_from_wrist=moved @ hold.table_from_wrist,
                    shoulder_in_table=shoulder,
                    table_from_piece=carried if number == 0 and kind in GRIP_ABOVE_MM else None,
                )
            )
        return states

    return at


def wrist_at(grip: Grip, side: Side, point: Floats, heading_rad: float, pitch_deg: float, scale: float) -> Floats:
    """table_from_wrist of a hand that points at `heading_rad`, fingers down by `pitch_deg`, its grip at a point."""
    ahead, pitch = np.array([np.cos(heading_rad), np.sin(heading_rad), 0.0]), np.deg2rad(pitch_deg)
    forward = np.cos(pitch) * ahead - np.array([0.0, 0.0, np.sin(pitch)])
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    pose = np.eye(4)
    pose[:3, :3] = np.stack([right, np.cross(right, forward), -forward], axis=1)
    pose[:3, 3] = point - pose[:3, :3] @ (mirrored(grip.centre_mm, side) * scale)
    return pose


def mirrored(vector: tuple[float, float, float], side: Side) -> Floats:
    """A right hand's vector in the wrist frame of that side."""
    return np.array(vector) * (1.0 if side == "right" else -1.0, 1.0, 1.0)


def outward_of(place: Floats, edge: Floats) -> Floats:
    """The level direction from a place to the player."""
    away = np.array([edge[0] - place[0], edge[1] - place[1], 0.0])
    distance = float(np.linalg.norm(away))
    if distance < 1.0:
        raise ValueError("the target lies on the table's edge: no telling where the player sits")
    unit: Floats = away / distance
    return unit


def shoulder_of(edge: Floats, outward: Floats, side: Side) -> Floats:
    """Where a player's shoulder is who sits at a point of the edge."""
    back, beside, up = SHOULDER_MM
    rightward = np.cross(-outward, (0.0, 0.0, 1.0)) * (1.0 if side == "right" else -1.0)
    place: Floats = np.array([edge[0], edge[1], up]) + outward * back + rightward * beside
    return place


def _holds(
    kind: Kind, target: Floats, outward: Floats, above_mm: float, length_mm: float, scale: float,
    rng: np.random.Generator,
) -> list[HandState]:  # fmt: skip
    """The hands in place, holding the piece where it belongs."""
    inward_rad = float(np.arctan2(-outward[1], -outward[0]))
    middle = target[:3, 3] + target[:3, 2] * above_mm
    side: Side = "right" if rng.random() < 0.75 else "left"
    nowhere = np.zeros(3)
    if kind in ("rest", "leave"):
        point = np.array([middle[0], middle[1], FLAT_WRIST_MM * scale])
        heading = inward_rad + float(rng.normal(0.15 if side == "right" else -0.15, 0.12))
        wrist = wrist_at(PALM, side, point, heading, PITCH_DEG["flat"], scale)
        return [HandState(side, varied("flat", rng, 0.25), wrist, nowhere, scale)]
    name = "grip_column" if kind == "column" else "pinch"
    pitch_deg = PITCH_DEG[name] + float(rng.normal(0.0, 3.0))
    grip = _tweezers_tip(scale) if kind == "car" else GRIPS[name]
    across_rad = float(np.arctan2(target[1, 0], target[0, 0])) + np.pi / 2
    ends = kind == "stick" and abs(float(target[:3, 0] @ outward)) < 0.5 and rng.random() < 0.6
    if ends:
        # Each hand takes the end on its own side, so that the arms do not cross.
        rightward = np.cross(-outward, (0.0, 0.0, 1.0))
        sign = 1.0 if target[:3, 0] @ rightward > 0 else -1.0
        places: list[tuple[Side, Floats]] = [
            ("right", middle + sign * target[:3, 0] * (length_mm / 2 - 9.0)),
            ("left", middle - sign * target[:3, 0] * (length_mm / 2 - 9.0)),
        ]
    else:
        if kind != "column":
            # The hand that need not bend its wrist so much.
            sides: tuple[Side, Side] = ("right", "left")
            side = min(sides, key=lambda s: abs(_heading(grip, s, across_rad, inward_rad, pitch_deg) - inward_rad))
        places = [(side, middle)]
    states = []
    for hand, point in places:
        heading = inward_rad + float(rng.normal(0.0, 0.12))
        if kind != "column":
            heading = _heading(grip, hand, across_rad, inward_rad, pitch_deg)
        wrist = wrist_at(grip, hand, point, heading, pitch_deg, scale)
        states.append(HandState(hand, varied(name, rng), wrist, nowhere, scale, tweezers=kind == "car"))
    return states


def _turned_shoulder(hold: HandState, edge: Floats, outward: Floats, about: Floats) -> Floats:
    """The shoulder of a player who turns half as far as the hand does, to spare the wrist."""
    ahead = -hold.table_from_wrist[:2, 2]
    cross, dot = outward[1] * ahead[0] - outward[0] * ahead[1], -float(outward[:2] @ ahead)
    half = np.arctan2(cross, dot) / 2
    off = shoulder_of(edge, outward, hold.side) - about
    c, s = np.cos(half), np.sin(half)
    place: Floats = about + np.array([c * off[0] - s * off[1], s * off[0] + c * off[1], off[2]])
    return place


def _heading(grip: Grip, side: Side, across_rad: float, inward_rad: float, pitch_deg: float) -> float:
    """The heading nearest to inward at which thumb and finger stand on either side of the piece."""
    level = wrist_at(grip, side, np.zeros(3), 0.0, pitch_deg, 1.0)[:3, :3] @ mirrored(grip.axis, side)
    wanted = across_rad - float(np.arctan2(level[1], level[0]))
    turn = (wanted - inward_rad + np.pi / 2) % np.pi - np.pi / 2
    return inward_rad + float(np.clip(turn, -np.deg2rad(MOST_TURN_DEG), np.deg2rad(MOST_TURN_DEG)))


def _tweezers_tip(scale: float) -> Grip:
    """The tweezers' tips as a grip; they do not grow with the hand."""
    ahead = np.array(TWEEZERS_AHEAD) / np.linalg.norm(TWEEZERS_AHEAD)
    x, y, z = np.array(GRIPS["pinch"].centre_mm) + ahead * TWEEZERS_REACH_MM / scale
    return Grip((float(x), float(y), float(z)), GRIPS["pinch"].axis)


def _let_go(kind: Kind, pose: Pose, rng: np.random.Generator) -> Pose:
    """The pose after letting go: tweezers only open a little."""
    return blended(pose, POSES["open"], 0.04 if kind == "car" else float(rng.uniform(0.3, 0.45)))


def _moved(kind: Kind, t: float, away: Floats, hover: Floats, swing: Floats, about: Floats) -> Floats:
    """The 4x4 that takes the hand from its place to where it is at a time."""
    if kind == "rest":
        out, back, lift = 1 - _eased(t / 0.3), _eased((t - 0.7) / 0.3), 0.0
    elif kind == "leave":
        out, back, lift = 0.0, _eased((t - 0.1) / 0.9), 0.0
    else:
        out, back = 1 - _eased(t / ABOVE), _eased((t - UP) / (1 - UP))
        lift = 1 - _eased((t - ABOVE * 0.8) / (DOWN - ABOVE * 0.8)) if t < DOWN else _eased((t - OPEN) / (UP - OPEN))
    gone = max(out, back)
    # On the way the hand swings over in an arc.
    arc = np.array([0.0, 0.0, 35.0 * np.sin(np.pi * gone)]) * (1.0 if kind in GRIP_ABOVE_MM else 0.6)
    yaw = float(swing[0] * out + swing[1] * back)
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    matrix[:3, 3] = away * gone + hover * lift + arc + about - matrix[:3, :3] @ about
    return matrix


def _eased(share: float) -> float:
    """0 to 1 with no jerk at either end."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)
