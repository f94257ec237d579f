"""How a hand is held: angles of the WebXR joints for each pose, blended, varied by a seed, made into rotations.

A joint's own frame is WebXR's: -z runs on to the fingertip, y out of the back of the hand, x to the right. Angles are a
right hand's: a left one is its mirror image.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from .mesh import Floats

Side = Literal["left", "right"]
FINGERS = ("index", "middle", "ring", "pinky")
BONES = ("metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip")
CHAINS: dict[str, tuple[str, ...]] = {
    "thumb": ("thumb-metacarpal", "thumb-phalanx-proximal", "thumb-phalanx-distal", "thumb-tip"),
    **{finger: tuple(f"{finger}-finger-{bone}" for bone in BONES) for finger in FINGERS},
}
PARENTS: dict[str, str] = {
    joint: ("wrist", *chain)[i] for chain in CHAINS.values() for i, joint in enumerate(chain)
}  # fmt: skip
JOINTS = ("wrist", *PARENTS)
DISTAL_SHARE = 0.55
"""A fingertip's joint bends by this share of the one before it: they hang on one tendon."""
TWIST_JITTER_DEG = 4.0

Angles = tuple[float, float, float]
"""Degrees: bend towards the palm, aside (a right hand's positive is towards the thumb), twist about the bone."""
Pose = dict[str, Angles]


@dataclass(frozen=True, slots=True)
class Grip:
    """Where a pose holds something, in the right hand's wrist frame, mm of the model; `axis` runs thumb to finger."""

    centre_mm: tuple[float, float, float]
    axis: tuple[float, float, float]


def _finger(finger: str, knuckle_deg: float, middle_deg: float, aside_deg: float = 0.0) -> Pose:
    _, proximal, intermediate, distal, _ = CHAINS[finger]
    bends = {intermediate: (middle_deg, 0.0, 0.0), distal: (DISTAL_SHARE * middle_deg, 0.0, 0.0)}
    return {proximal: (knuckle_deg, aside_deg, 0.0), **bends}


def _thumb(root: Angles, proximal_deg: float, distal_deg: float) -> Pose:
    metacarpal, proximal, distal, _ = CHAINS["thumb"]
    return {metacarpal: root, proximal: (proximal_deg, 0.0, 0.0), distal: (distal_deg, 0.0, 0.0)}


def _curled(fingers: tuple[str, ...], knuckle_deg: float, middle_deg: float) -> Pose:
    found: Pose = {}
    for number, finger in enumerate(fingers):
        found |= _finger(finger, knuckle_deg + 3.0 * number, middle_deg + 2.0 * number)
    return found


# The two grips are solved so that pads face each other 9 mm and 17 mm apart; flat so that all fingertips touch.
POSES: dict[str, Pose] = {
    "open": {**_thumb((0.0, 0.0, 0.0), 8.0, 8.0), **_curled(FINGERS, 12.0, 16.0)},
    "flat": {
        **_thumb((0.3, -9.5, -25.7), -9.9, -1.0),
        **_finger("index", 13.0, 8.0, 2.0),
        **_finger("middle", 13.0, 8.0),
        **_finger("ring", 10.0, 8.0),
        **_finger("pinky", 9.0, 8.0, -2.0),
    },
    "fist": {**_thumb((30.0, 26.0, 20.0), 38.0, 45.0), **_curled(FINGERS, 76.0, 96.0)},
    "point": {
        **_thumb((30.0, 24.0, 20.0), 32.0, 40.0),
        **_finger("index", 4.0, 8.0),
        **_curled(("middle", "ring", "pinky"), 72.0, 92.0),
    },
    "pinch": {
        **_thumb((34.3, 23.6, 18.8), 4.9, -5.1),
        **_finger("index", 49.1, 39.6, -2.7),
        **_curled(("middle", "ring", "pinky"), 40.0, 34.0),
    },
    "grip_column": {
        **_thumb((38.8, 29.0, 28.4), 2.5, -5.3),
        **_finger("index", 50.8, 30.4, -2.3),
        **_finger("middle", 54.8, 34.8, -1.1),
        **_curled(("ring", "pinky"), 46.0, 40.0),
    },
}
GRIPS: dict[str, Grip] = {
    "pinch": Grip((-19.7, -82.5, -99.5), (0.57, -0.03, -0.82)),
    "grip_column": Grip((-12.9, -86.3, -98.1), (0.41, 0.0, -0.91)),
}
PALM = Grip((0.0, 0.0, -80.0), (1.0, 0.0, 0.0))
"""The middle of the hand, for poses that hold nothing."""
HOLDING: dict[str, tuple[str, ...]] = {"pinch": ("thumb", "index"), "grip_column": ("thumb", "index", "middle")}


def blended(a: Pose, b: Pose, share: float) -> Pose:
    """Between two poses; joints that one of them leaves out are straight there."""
    straight: Angles = (0.0, 0.0, 0.0)
    found: Pose = {}
    for joint in {**a, **b}:
        (a0, a1, a2), (b0, b1, b2) = a.get(joint, straight), b.get(joint, straight)
        found[joint] = (a0 + share * (b0 - a0), a1 + share * (b1 - a1), a2 + share * (b2 - a2))
    return found


def varied(name: str, rng: np.random.Generator, amount: float = 1.0) -> Pose:
    """A pose as another hand would hold it: fingers that hold something stay where they are."""
    found = dict(POSES[name])
    for finger, chain in CHAINS.items():
        if finger in HOLDING.get(name, ()):
            continue
        bend, aside = amount * rng.normal(0.0, TWIST_JITTER_DEG, 2)
        for joint in chain:
            if joint in found:
                flex, spread, twist = found[joint]
                root = joint.endswith("proximal") and finger != "thumb"
                found[joint] = (flex + float(bend), spread + float(aside) / 2 * root, twist)
    return found


def rotations(pose: Pose, side: Side) -> dict[str, Floats]:
    """A pose as 3x3 rotations in the joints' own frames."""
    unknown = sorted(set(pose) - set(JOINTS))
    if unknown:
        raise ValueError(f"no joints of a hand: {', '.join(unknown)}")
    mirror = 1.0 if side == "right" else -1.0
    return {j: turned(-flex, mirror * aside, mirror * twist) for j, (flex, aside, twist) in pose.items()}


def turned(x_deg: float, y_deg: float, z_deg: float) -> Floats:
    """The rotation about z, then x, then y."""
    x, y, z = np.deg2rad([x_deg, y_deg, z_deg])
    about_x = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_z = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    product: Floats = about_y @ about_x @ about_z
    return product
