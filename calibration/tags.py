"""Printed tags in a picture: found by OpenCV, then each of their four sides fitted to the light across it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.markers import TAG_DICTIONARY, marker_dictionary
from calibration.tag_looks import CAREFUL, Looks, bent, looks_at, straight
from calibration.tag_sides import FLOOR_PX, fit_sides, meet

STRETCH = 3.0
"""Tags that lie flat before a low camera are found in a picture drawn out this much."""
SETTLED_PX = 0.75


@dataclass(frozen=True, slots=True, eq=False)
class TagSeen:
    """A tag in a picture."""

    corners_px: Floats
    """(4, 2), clockwise from the tag's own top left."""
    sigma_px: float
    """One standard deviation of a corner's x or y."""


def find_tags(
    gray: NDArray[np.uint8], lens: Lens | Camera | None = None, where: str = "the picture"
) -> dict[int, TagSeen]:
    """Every tag in sight by its id; a mirrored picture is refused."""
    check_size(gray, lens, where)
    found = _detect(gray)
    if len(found) < 2 and len(_detect(np.ascontiguousarray(gray[:, ::-1]))) > len(found):
        raise CalibrationError(f"{where} is mirrored: switch the camera's mirror or selfie mode off and take it again")
    # Once from OpenCV's corners, which are some pixels off, and once from there, where it has to stay.
    rough = {tag: seen.corners_px for tag, seen in fit_tags(gray, found, lens).items()}
    fine = fit_tags(gray, rough, lens)
    return {tag: seen for tag, seen in fine.items() if np.abs(seen.corners_px - rough[tag]).max() < SETTLED_PX}


def rough_tags(gray: NDArray[np.uint8]) -> dict[int, Floats]:
    """Corners (4, 2) of the tags that lie well in sight, to some pixels: enough to know where paper is."""
    corners, ids, _ = _detector().detectMarkers(gray)
    places = np.array(corners, dtype=np.float64).reshape(-1, 4, 2)
    return {int(tag): place for tag, place in zip(np.ravel(ids) if corners else (), places, strict=True)}


def check_size(gray: NDArray[np.uint8], lens: Lens | Camera | None, where: str) -> None:
    """Refuse a picture of another size than the lens was solved at."""
    height, width = gray.shape[:2]
    if lens is not None and (lens.width, lens.height) != (width, height):
        raise CalibrationError(
            f"{where} has {width} x {height} pixels and its lens was solved at {lens.width} x {lens.height}: "
            "take both at the same size"
        )


def mean_tags(looks: Sequence[Mapping[int, TagSeen]]) -> dict[int, TagSeen]:
    """Tags over several pictures of a still table; one that is seen in less than half of them is left out."""
    together: dict[int, TagSeen] = {}
    for tag in sorted({tag for look in looks for tag in look}):
        seen = [look[tag] for look in looks if tag in look]
        if 2 * len(seen) >= len(looks):
            noise = np.median([one.sigma_px for one in seen]) ** 2 - FLOOR_PX**2
            sigma = float(np.sqrt(noise / len(seen) + FLOOR_PX**2))
            together[tag] = TagSeen(np.median([one.corners_px for one in seen], axis=0), sigma)
    return together


def fit_tags(
    gray: NDArray[np.uint8], starts: Mapping[int, Floats], lens: Lens | Camera | None = None
) -> dict[int, TagSeen]:
    """Tags near corners (4, 2) that are known to a pixel or so; those that are not there are left out."""
    if not starts:
        return {}
    corners = straight(np.stack(list(starts.values())), lens)
    return fit_looks(gray, looks_at(list(starts), corners, lens, CAREFUL), lens)


def fit_looks(gray: NDArray[np.uint8], looks: Looks, lens: Lens | Camera | None = None) -> dict[int, TagSeen]:
    """Tags by looks at them that may serve for many pictures."""
    fitted, sigma, good = meet(looks.corners, fit_sides(gray, looks))
    seen = bent(fitted, lens)
    good &= ((seen > -0.5) & (seen < np.array(gray.shape[1::-1]) - 0.5)).all(axis=(1, 2))
    return {tag: TagSeen(seen[n], float(sigma[n])) for n, tag in enumerate(looks.ids) if good[n]}


def _detect(gray: NDArray[np.uint8]) -> dict[int, Floats]:
    """OpenCV's tags, without its refinement: that leans inward on lone tags or is half a pixel off."""
    found: dict[int, Floats] = {}
    half = np.array([0.0, 0.5])  # a picture is stretched about its pixels' borders, coordinates count from centres
    for stretch in (1.0, STRETCH):
        picture = gray if stretch == 1.0 else cv2.resize(gray, None, fx=1.0, fy=stretch, interpolation=cv2.INTER_CUBIC)
        corners, ids, _ = _detector().detectMarkers(picture)
        if corners:
            places = (np.array(corners, dtype=np.float64).reshape(-1, 4, 2) + half) / [1.0, stretch] - half
            found = {int(tag): place for tag, place in zip(np.ravel(ids), places, strict=True)} | found
    return found


@cache
def _detector() -> cv2.aruco.ArucoDetector:
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
    parameters.adaptiveThreshWinSizeMax = 43
    parameters.adaptiveThreshWinSizeStep = 20
    parameters.minMarkerPerimeterRate = 0.015
    parameters.minDistanceToBorder = 1
    parameters.perspectiveRemovePixelPerCell = 8
    parameters.perspectiveRemoveIgnoredMarginPerCell = 0.25
    return cv2.aruco.ArucoDetector(marker_dictionary(TAG_DICTIONARY), parameters)
