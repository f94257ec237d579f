"""A Mitsuba sensor that sees exactly what a calibrated camera sees: its lens distortion and defocus included."""

from __future__ import annotations

from typing import Any

import drjit as dr
import mitsuba as mi

from calibration.camera import Camera

UNDISTORT_ROUNDS = 12


class TableCamera(mi.Sensor):  # type: ignore[misc]
    """Rays of a `calibration.camera.Camera`; an aperture above zero blurs what is off the focus distance."""

    def __init__(self, props: Any) -> None:
        super().__init__(props)
        self.camera: Camera = _CAMERAS[props["camera"]]
        self.aperture_mm = float(props.get("aperture_mm", 0.0))
        self.focus_mm = float(props.get("focus_mm", 1_000.0))

    def sample_ray(
        self, time: Any, wavelength_sample: Any, position_sample: Any, aperture_sample: Any, active: Any = True
    ) -> tuple[Any, Any]:
        camera = self.camera
        (fx, _, cx), (_, fy, cy), _ = camera.K
        # A film position of 0 is the left border of pixel 0, whose centre is at 0.
        x_seen = (position_sample.x * camera.width - 0.5 - cx) / fx
        y_seen = (position_sample.y * camera.height - 0.5 - cy) / fy
        x, y = _undistorted(x_seen, y_seen, camera.dist)
        rows = camera.R
        centre = camera.centre_in_table()
        along = [rows[0][i] * x + rows[1][i] * y + rows[2][i] for i in range(3)]
        origin = mi.Point3f(*(mi.Float(float(c)) for c in centre))
        direction = mi.Vector3f(*along)
        if self.aperture_mm > 0:
            disc = mi.warp.square_to_uniform_disk_concentric(aperture_sample) * self.aperture_mm
            aside = mi.Vector3f(*(rows[0][i] * disc.x + rows[1][i] * disc.y for i in range(3)))
            sharp = origin + direction * self.focus_mm
            origin = origin + aside
            direction = sharp - origin
        return mi.Ray3f(origin, dr.normalize(direction), time, mi.Color0f()), mi.Color3f(1.0)

    def sample_ray_differential(
        self, time: Any, wavelength_sample: Any, position_sample: Any, aperture_sample: Any, active: Any = True
    ) -> tuple[Any, Any]:
        ray, weight = self.sample_ray(time, wavelength_sample, position_sample, aperture_sample, active)
        return mi.RayDifferential3f(ray), weight

    def to_string(self) -> str:
        return "TableCamera[]"


def _undistorted(x_seen: Any, y_seen: Any, dist: tuple[float, ...]) -> tuple[Any, Any]:
    """Straight coordinates of distorted ones, by fixed-point rounds as OpenCV does it."""
    k1, k2, p1, p2, k3 = dist
    x, y = x_seen, y_seen
    for _ in range(UNDISTORT_ROUNDS):
        r2 = x * x + y * y
        radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        dx = 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
        dy = p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        x, y = (x_seen - dx) / radial, (y_seen - dy) / radial
    return x, y


_CAMERAS: dict[str, Camera] = {}
"""Cameras by the name that the sensor's properties carry: Mitsuba passes on only plain values."""

mi.register_sensor("table_camera", TableCamera)


def sensor(
    camera: Camera, name: str, samples: int, aperture_mm: float = 0.0, focus_mm: float = 1_000.0, scale: float = 1.0
) -> Any:
    """The Mitsuba sensor of a camera; a `scale` below 1 makes a smaller picture of the same view."""
    _CAMERAS[name] = camera
    film = {
        "type": "hdrfilm",
        "width": round(camera.width * scale),
        "height": round(camera.height * scale),
        "rfilter": {"type": "box"},  # no sample counts for two pixels, so that sums come out alike every time
        "pixel_format": "rgb",
    }
    return mi.load_dict(
        {
            "type": "table_camera",
            "camera": name,
            "aperture_mm": aperture_mm,
            "focus_mm": focus_mm,
            "film": film,
            "sampler": {"type": "independent", "sample_count": samples},
        }
    )
