"""A rig without a printer: known points on the table, clicked in a picture of each camera; coarse, and it says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
import shapely

from calibration.bundle import measured, solve
from calibration.bundle_rows import Bundle, Seen, State
from calibration.camera import Floats
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.play_area import seen_by_both
from calibration.rig_checks import NAMES, check_both
from calibration.rig_quality import SolvedRig, camera_of, quality_of

CLICK_SIGMA_PX = 1.5
LEAST_CLICKS = 4
AROUND_MM = 200.0
"""As far about the clicked points the rig is meant to be used."""

# What webcams and phones have: focal length in picture widths, middle and distortion; none of it is measured.
FOCAL, FOCAL_SIGMA = 0.8, 0.35
MIDDLE_SIGMA = 0.01
SQUARE_SIGMA = 0.002
DISTORTION_SIGMA = (0.06, 0.02, 5e-4, 5e-4, 0.0)
TRIED = np.geomspace(0.45, 2.2, 15)


@dataclass(frozen=True, slots=True)
class Click:
    """A point of the table and where it was clicked."""

    x_mm: float
    y_mm: float
    x_px: float
    y_px: float


def corners_mm(width_mm: float, height_mm: float) -> tuple[tuple[float, float], ...]:
    """The corners of a sheet or card that lies on the table, about its middle, in the order to click them:
    far left, far right, near right, near left, as somebody sees it who sits before it."""
    x, y = width_mm / 2, height_mm / 2
    return ((-x, y), (x, y), (x, -y), (-x, -y))


def assumed_lens(width: int, height: int) -> Lens:
    """What can be said of a lens that nobody calibrated."""
    focal = FOCAL * max(width, height)
    middle = MIDDLE_SIGMA * max(width, height)
    covariance = np.diag([0.0, 0.0, middle**2, middle**2, *np.square(DISTORTION_SIGMA)])
    covariance[:2, :2] = (FOCAL_SIGMA * focal) ** 2
    covariance[1, 1] += (SQUARE_SIGMA * focal) ** 2
    matrix = ((focal, 0.0, (width - 1) / 2), (0.0, focal, (height - 1) / 2), (0.0, 0.0, 1.0))
    rows = tuple(tuple(float(value) for value in row) for row in covariance)
    return Lens(width, height, matrix, (0.0, 0.0, 0.0, 0.0, 0.0), rows, 0.0, 0.0, 0)


def rig_from_clicks(
    clicks: Mapping[str, Sequence[Click]],
    sizes: Mapping[str, tuple[int, int]],
    lenses: Mapping[str, Lens] | None = None,
) -> SolvedRig:
    """A rig from four or more clicks in a picture of each camera, whose sizes are width and height."""
    check_both(clicks, "clicks")
    check_both(sizes, "pictures")
    known = {name: (lenses or {}).get(name) or assumed_lens(*sizes[name]) for name in NAMES}
    for name in NAMES:
        _check(name, clicks[name], sizes[name], known[name])
    starts = {name: _start(clicks[name], known[name], name) for name in NAMES}
    points = np.array([(click.x_mm, click.y_mm) for name in NAMES for click in clicks[name]])
    seen, at = [], 0
    for name in NAMES:
        count = len(clicks[name])
        pixels = np.array([(click.x_px, click.y_px) for click in clicks[name]])
        sigma, none = np.full(count, CLICK_SIGMA_PX), np.zeros((count, 2))
        seen.append(Seen(at + np.arange(count), pixels, sigma, none, np.zeros((count, 1))))
        at += count
    # All points hang together like the tags of one strip, whose place is the table frame.
    whole = np.zeros(len(points), dtype=int)
    bundle = Bundle([known[name] for name in NAMES], seen, points, whole, np.empty((0, 3)), np.empty(0, dtype=int))
    start = State(
        [starts[name][0] for name in NAMES],
        [starts[name][1] for name in NAMES],
        [np.zeros(1)] * 2,
        np.zeros((1, 3)),
        [],
    )
    found = measured(bundle, solve(bundle, start))
    cameras = {
        name: camera_of(sizes[name], found.state.lenses[n], *found.state.cameras[n]) for n, name in enumerate(NAMES)
    }
    area = seen_by_both(cameras, shapely.MultiPoint(points).convex_hull.buffer(AROUND_MM))
    if area is None:
        raise CalibrationError("the cameras do not look at the same part of the table: turn them towards it")
    rows = tuple(tuple(float(value) for value in row) for row in found.covariance)
    rig = SolvedRig(cameras, area, covariance=rows, reprojection_px=found.reprojection_px)
    return SolvedRig(
        cameras, area, covariance=rows, reprojection_px=found.reprojection_px, quality=quality_of(rig, area)
    )


def _check(name: str, clicks: Sequence[Click], size: tuple[int, int], lens: Lens) -> None:
    if (lens.width, lens.height) != size:
        raise CalibrationError(
            f"the {name} picture has {size[0]} x {size[1]} pixels and its lens was solved at {lens.width} x "
            f"{lens.height}: take both at the same size"
        )
    if len(clicks) < LEAST_CLICKS:
        raise CalibrationError(f"{len(clicks)} points are clicked in the {name} picture: it takes {LEAST_CLICKS}")
    for click in clicks:
        if not (-0.5 <= click.x_px <= size[0] - 0.5 and -0.5 <= click.y_px <= size[1] - 0.5):
            raise CalibrationError(
                f"the click at ({click.x_px:g}, {click.y_px:g}) is outside the {name} picture of {size[0]} x {size[1]}"
            )
    hull = shapely.MultiPoint([(click.x_mm, click.y_mm) for click in clicks]).convex_hull
    if hull.area < 100.0:
        raise CalibrationError(f"the points of the {name} picture lie on a line: click corners of something wide")


def _start(clicks: Sequence[Click], lens: Lens, name: str) -> tuple[tuple[Floats, Floats], Floats]:
    """The pose, and the lens with the focal length among many that fits the clicks best."""
    points = np.array([(click.x_mm, click.y_mm, 0.0) for click in clicks])
    pixels = np.array([(click.x_px, click.y_px) for click in clicks])
    numbers = lens.parameters()
    trusted = lens.covariance[0][0] < (0.05 * numbers[0]) ** 2
    best: tuple[float, tuple[Floats, Floats], Floats] | None = None
    for focal in [numbers[0]] if trusted else TRIED * max(lens.width, lens.height):
        tried = numbers.copy()
        tried[:2] *= focal / numbers[0]
        matrix = np.array([[tried[0], 0.0, tried[2]], [0.0, tried[1], tried[3]], [0.0, 0.0, 1.0]])
        _, turns, shifts, errors = cv2.solvePnPGeneric(points, pixels, matrix, tried[4:], flags=cv2.SOLVEPNP_IPPE)
        for turned, shift, error in zip(turns, shifts, np.ravel(errors), strict=True):
            R, t = np.array(cv2.Rodrigues(turned)[0], dtype=np.float64), np.array(shift, dtype=np.float64).ravel()
            unlikely = np.log(focal / numbers[0]) / FOCAL_SIGMA
            cost = 2 * len(clicks) * (float(error) / CLICK_SIGMA_PX) ** 2 + (0.0 if trusted else unlikely**2)
            if np.isfinite(R).all() and -(R.T @ t)[2] > 0 and (best is None or cost < best[0]):
                best = cost, (R, t), tried
    if best is None:
        raise CalibrationError(
            f"the clicks in the {name} picture show the table from below: click the points in their order, "
            "and switch mirroring off"
        )
    return best[1], best[2]
