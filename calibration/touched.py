"""A stick put down on the calibrated table, measured: a test of the calibration that anybody can hold a ruler to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats, Rig
from calibration.card_pose import CardView
from calibration.errors import CalibrationError
from calibration.piece_fit import FIRST_REACHES_PX, Fitted, fit_piece, lights_of
from calibration.piece_shapes import StickShape
from calibration.piece_start import Blob, stick_starts
from referee.pieces import Kit

Picture = NDArray[np.uint8]
Pictures = Mapping[str, Picture]

LEAST_STEP = 14
"""Grey levels that count as a change, at the least."""
LEAST_SHARE, MOST_SHARE = 0.5, 2.0
"""How long a changed spot may be, as shares of the stick that was expected."""
LEAST_SEEN = 0.4
USUAL_BLUR_PX, USUAL_WHITE = 0.9, 0.8
TRUST_MM = 0.1
"""What no length is known better than: a stick's ends are sawn."""
GOOD_MM, FAIR_MM = 0.5, 1.0


@dataclass(frozen=True, slots=True)
class TouchedStick:
    """A stick lying flat on the table, its length taken from both pictures alone."""

    length_mm: float
    sigma_mm: float
    centre_mm: tuple[float, float]
    yaw_rad: float

    def words(self, expected_mm: float) -> str:
        """The length, how far it is from what it should be, and what that says."""
        off_mm = self.length_mm - expected_mm
        said = f"{self.length_mm:.1f} mm (± {self.sigma_mm:.1f}); {expected_mm:.1f} mm by the kit, {off_mm:+.1f} mm"
        if abs(off_mm) <= GOOD_MM:
            return f"{said}: good"
        if abs(off_mm) <= FAIR_MM:
            return f"{said}: fair. Try another spot; if it stays, calibrate the table anew"
        return f"{said}: too far off. Calibrate the table anew, or check the kit's length with a ruler"

    @property
    def tips_mm(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Both ends on the table."""
        half = np.array([np.cos(self.yaw_rad), np.sin(self.yaw_rad)]) * self.length_mm / 2
        (ax, ay), (bx, by) = np.array(self.centre_mm) - half, np.array(self.centre_mm) + half
        return (float(ax), float(ay)), (float(bx), float(by))


def touched_stick(before: Pictures, after: Pictures, rig: Rig, kit: Kit) -> TouchedStick:
    """The stick that lies flat in the pictures after, and not in those before; its length is left free."""
    views = {
        name: CardView(after[name], camera, USUAL_BLUR_PX, USUAL_WHITE, 1.0) for name, camera in rig.cameras.items()
    }
    lights = lights_of(views)
    tried = [
        fit_piece(StickShape, start, views, lights, FIRST_REACHES_PX)
        for blob in _changed(before["overhead"], after["overhead"], rig.overhead, kit)
        for start in (*stick_starts(blob, views, lights), _usual(blob, kit))
    ]
    clear = [fit for fit in tried if _is_stick(fit, kit)]
    if not clear:
        raise CalibrationError("no stick is seen that was not there before: lay one flat where both cameras see it")
    best = min(clear, key=lambda fit: fit.off_px / fit.seen)
    fit = fit_piece(StickShape, best.numbers, views, lights)
    if not _is_stick(fit, kit):
        raise CalibrationError("the stick's ends are not clear: lay it where nothing hides it and the light is even")
    x, y, yaw, length = (float(v) for v in fit.numbers[:4])
    sigma = float(np.hypot(np.sqrt(fit.covariance[3, 3]), TRUST_MM))
    return TouchedStick(length, sigma, (x, y), yaw)


def _is_stick(fit: Fitted, kit: Kit) -> bool:
    length, width = fit.numbers[3:5]
    long = LEAST_SHARE * kit.road_length_mm < length < MOST_SHARE * kit.road_length_mm
    return bool(np.isfinite(fit.numbers).all() and fit.seen > LEAST_SEEN and long and 0 < width < length / 3)


def _usual(blob: Blob, kit: Kit) -> Floats:
    """A stick of the kit in the middle of what changed."""
    return np.array([*blob.centre_mm, blob.yaw_rad, kit.road_length_mm, kit.road_width_mm, kit.road_thickness_mm, 0.4])


def _changed(before: Picture, after: Picture, camera: Camera, kit: Kit) -> list[Blob]:
    """Long spots that changed from above, laid flat at the height of a stick; those most like one first."""
    step = cv2.GaussianBlur(cv2.absdiff(before, after).max(axis=2), (0, 0), 1.0)
    limit = max(LEAST_STEP, float(np.median(step)) + 6.0)
    spots, _ = cv2.findContours((step > limit).astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    found = []
    for spot in sorted(spots, key=len, reverse=True)[:8]:
        plan = _on_table(spot.reshape(-1, 2).astype(np.float64), camera, kit.road_thickness_mm)
        (x, y), (wide, tall), angle = cv2.minAreaRect(plan.astype(np.float32))
        long, short = max(wide, tall), min(wide, tall)
        if not LEAST_SHARE < long / kit.road_length_mm < MOST_SHARE or short > long / 2:
            continue
        yaw = np.radians(angle if wide >= tall else angle + 90.0)
        found.append(Blob(np.array([x, y]), (long, short), float(yaw), long * short, True))
    return sorted(found, key=lambda blob: abs(blob.size_mm[0] - kit.road_length_mm))[:2]


def _on_table(pixels: Floats, camera: Camera, z_mm: float) -> Floats:
    """Where the rays of pixels meet a plane over the table (n, 2)."""
    eye, rays = camera.centre_in_table(), camera.rays_in_table(pixels)
    share = (z_mm - eye[2]) / rays[:, 2]
    plan: Floats = eye[:2] + rays[:, :2] * share[:, None]
    return plan
