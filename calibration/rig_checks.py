"""What can be no rig, each in its own words: one camera, too few tags, nothing in common, names the wrong way round."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.camera import Camera
from calibration.errors import CalibrationError
from calibration.strips import strips_of
from calibration.tags import TagSeen

NAMES = ("overhead", "side")
LEAST_TAGS = 4
SWAPPED_DEG = 15.0

Tags = Mapping[str, Mapping[int, TagSeen]]


def check_both(given: Mapping[str, object], what: str) -> None:
    """Refuse a single camera."""
    for name in NAMES:
        if not given.get(name):
            raise CalibrationError(f"there is no {name} camera: a rig takes {what} of both, overhead and side")


def check_tags(tags: Tags) -> None:
    for name in NAMES:
        if name not in tags:
            raise CalibrationError(f"there is no {name} camera: a rig takes pictures of both, overhead and side")
        count = len(tags[name])
        if count == 0:
            raise CalibrationError(
                f"no tags in the {name} picture: tape the printed strips where both cameras see them"
            )
        if count < LEAST_TAGS:
            seen = ", ".join(str(tag) for tag in sorted(tags[name]))
            raise CalibrationError(
                f"{count} of the needed {LEAST_TAGS} tags in the {name} picture (seen: {seen}): "
                "uncover the strips, light them evenly, or move the camera nearer"
            )
    overhead, side = (set(strips_of(tags[name], f"the {name} picture")) for name in NAMES)
    if not overhead & side:
        raise CalibrationError("no strip is seen by both cameras: move the strips or turn the cameras so that some are")


def check_named(cameras: Mapping[str, Camera]) -> None:
    """Refuse a side camera that looks down much more steeply than the overhead one."""
    overhead, side = (np.degrees(np.arcsin(-cameras[name].R[2][2])) for name in NAMES)
    if side > overhead + SWAPPED_DEG:
        raise CalibrationError(
            f"the side camera looks down by {side:.0f} degrees and the overhead one by {overhead:.0f}: "
            "their files or cameras are swapped"
        )
