"""Pictures that cannot be what they are said to be: black, washed out, twice the same, swapped, mirrored, frozen."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from vision.at_once import at_once
from vision.errors import VisionError
from vision.view import Floats, Picture

DARKEST, BRIGHTEST = 24, 250
WHITE_SHARE = 0.7
FLAT = 2.0
THUMB, HALVED = (96, 54), 2
ALIKE, CLEARER = 0.5, 0.25
"""Correlation with an earlier picture from which a swap or flip explains a pair, and by how much it must be better."""
CAMERAS = ("overhead", "side")


def refuse_unfit(pictures: Mapping[str, Picture], before: Mapping[str, Picture] | None = None) -> None:
    """Raise where a picture shows nothing, or the pair is not of the cameras that it is said to be of."""
    thumbs = _thumbs(pictures)
    for name, thumb in thumbs.items():
        _refuse_empty(name, thumb)
    if len(pictures) == len(CAMERAS) and _same(pictures["overhead"], pictures["side"]):
        raise VisionError("The overhead and the side picture are the same: give one of each camera.")
    if before:
        _refuse_turned(thumbs, _thumbs({name: before[name] for name in pictures if name in before}))
        _refuse_frozen(pictures, before)


def _thumbs(pictures: Mapping[str, Picture]) -> dict[str, Picture]:
    """Pictures so small that all of them is seen at a glance."""
    return dict(zip(pictures, at_once(_thumb, pictures.values()), strict=True))


def _thumb(picture: Picture) -> Picture:
    # To halves OpenCV goes many times as fast as to any other size: the last step is from few pixels.
    for _ in range(HALVED):
        picture = np.asarray(cv2.resize(picture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)
    return np.asarray(cv2.resize(picture, THUMB, interpolation=cv2.INTER_AREA), np.uint8)


def _refuse_empty(name: str, small: Picture) -> None:
    if np.percentile(small, 99) < DARKEST:
        raise VisionError(f"The {name} picture is black: is the lens covered, or the light off? Take it again.")
    if float((small.min(axis=2) >= BRIGHTEST).mean()) > WHITE_SHARE:
        raise VisionError(f"The {name} picture is washed out: lower the camera's exposure and take it again.")
    if float(small.std(axis=(0, 1)).max()) < FLAT:
        raise VisionError(f"The {name} picture shows nothing at all: is the lens covered? Take it again.")


def _refuse_turned(thumbs: Mapping[str, Picture], before: Mapping[str, Picture]) -> None:
    """Against the pair before: other camera, left for right, or upside down."""
    now, was = ({name: _relief(thumb) for name, thumb in some.items()} for some in (thumbs, before))
    if len(was) == len(CAMERAS) and all(
        _better(_alike(now[one], was[other]), _alike(now[one], was[one])) for one, other in (CAMERAS, CAMERAS[::-1])
    ):
        raise VisionError("The overhead and the side picture are swapped: the pair before has them the other way.")
    for name, old in was.items():
        straight = _alike(now[name], old)
        if _better(_alike(now[name][:, ::-1], old), straight):
            raise VisionError(f"The {name} picture is mirrored against the one before: switch mirroring off.")
        if _better(_alike(now[name][::-1, ::-1], old), straight):
            raise VisionError(f"The {name} picture is upside down against the one before: turn it back.")


def _refuse_frozen(pictures: Mapping[str, Picture], before: Mapping[str, Picture]) -> None:
    """A camera's noise never comes twice; where the other one's did change, this one stands still."""
    same = {name: _same(picture, before[name]) for name, picture in pictures.items() if name in before}
    frozen = [name for name, stuck in same.items() if stuck]
    if len(same) == len(CAMERAS) and len(frozen) == 1:
        raise VisionError(
            f"The {frozen[0]} picture is the one before to the last bit, the other is not: "
            "that camera is frozen; start it again."
        )


def _same(one: Picture, other: Picture) -> bool:
    # Nearly always a row tells already.
    return one.shape == other.shape and np.array_equal(one[0], other[0]) and np.array_equal(one, other)


def _better(turned: float, straight: float) -> bool:
    return turned > ALIKE and turned > straight + CLEARER


def _alike(one: Floats, other: Floats) -> float:
    return float((one * other).mean())


def _relief(thumb: Picture) -> Floats:
    """A thumbnail's detail without its light, with mean 0 and spread 1."""
    grey = cv2.cvtColor(thumb, cv2.COLOR_BGR2GRAY).astype(float)
    detail = np.log(grey + 12) - cv2.GaussianBlur(np.log(grey + 12), (0, 0), 8.0)
    relief: Floats = (detail - detail.mean()) / max(float(detail.std()), 1e-6)
    return relief
