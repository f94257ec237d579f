"""A Mitsuba sensor that sees exactly what a calibrated camera sees: its lens distortion and defocus included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import drjit as dr
import mitsuba as mi
import numpy as np

from calibration.camera import Camera

UNDISTORT_ROUNDS = 12


@dataclass(frozen=True, slots=True)
class View:
    """What is rendered of a camera's picture; an aperture above zero blurs what is off the focus distance."""

    camera: Camera
    aperture_mm: float = 0.0
    focus_mm: float = 1_000.0
    window_px: tuple[int, int, int, int] | None = None
    """Left, top, width, height of the part that is wanted; None for all of it."""
    scale: float = 1.0
    """Below 1 makes fewer, larger pixels of the same part."""

    @property
    def window(self) -> tuple[int, int, int, int]:
        return self.window_px or (0, 0, self.camera.width, self.camera.height)

    @property
    def film_px(self) -> tuple[int, int]:
        """Width and height of what is rendered."""
        _, _, width, height = self.window
        return round(width * self.scale), round(height * self.scale)


class _Numbers:
    """A view's numbers; opaque, since those that Dr.Jit builds into a kernel have it compiled anew for each view."""

    def __init__(self, view: View) -> None:
        camera = view.camera
        (fx, _, cx), (_, fy, cy), _ = camera.K
        numbers = [fx, fy, cx, cy, *camera.dist, *view.window, *np.ravel(camera.R), *camera.centre_in_table()]
        self.all = [dr.opaque(mi.Float, float(v)) for v in (*numbers, view.aperture_mm, view.focus_mm)]


class TableCamera(mi.Sensor):  # type: ignore[misc]
    """Rays of calibrated cameras, whose views lie side by side on one film."""

    def __init__(self, props: Any) -> None:
        super().__init__(props)
        views = _VIEWS[props["views"]]
        self.in_focus = all(view.aperture_mm == 0.0 for view in views)
        self.numbers = [_Numbers(view).all for view in views]

    def sample_ray(
        self, time: Any, wavelength_sample: Any, position_sample: Any, aperture_sample: Any, active: Any = True
    ) -> tuple[Any, Any]:
        count = len(self.numbers)
        across = position_sample.x * count
        chosen = self.numbers[0]
        for which in range(1, count):
            chosen = [
                dr.select(across >= which, new, old) for new, old in zip(self.numbers[which], chosen, strict=True)
            ]
        fx, fy, cx, cy, *rest = chosen
        dist, (left, top, width, height), turn = rest[:5], rest[5:9], rest[9:18]
        right, down, ahead = turn[:3], turn[3:6], turn[6:]
        centre, aperture_mm, focus_mm = rest[18:21], rest[21], rest[22]
        # A film position of 0 is the left border of the window's first pixel, whose centre has a whole number.
        x_seen = ((across - dr.floor(across)) * width + left - 0.5 - cx) / fx
        y_seen = (position_sample.y * height + top - 0.5 - cy) / fy
        x, y = _undistorted(x_seen, y_seen, dist)
        direction = mi.Vector3f(*(right[i] * x + down[i] * y + ahead[i] for i in range(3)))
        origin = mi.Point3f(*centre)
        if not self.in_focus:
            disc = mi.warp.square_to_uniform_disk_concentric(aperture_sample) * aperture_mm
            sharp = origin + direction * focus_mm
            origin = origin + mi.Vector3f(*(right[i] * disc.x + down[i] * disc.y for i in range(3)))
            direction = sharp - origin
        return mi.Ray3f(origin, dr.normalize(direction), time, mi.Color0f()), mi.Color3f(1.0)

    def sample_ray_differential(
        self, time: Any, wavelength_sample: Any, position_sample: Any, aperture_sample: Any, active: Any = True
    ) -> tuple[Any, Any]:
        ray, weight = self.sample_ray(time, wavelength_sample, position_sample, aperture_sample, active)
        return mi.RayDifferential3f(ray), weight

    def to_string(self) -> str:
        return "TableCamera[]"


def _undistorted(x_seen: Any, y_seen: Any, dist: list[Any]) -> tuple[Any, Any]:
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


_VIEWS: dict[str, tuple[View, ...]] = {}
"""Views by the name that the sensor's properties carry: Mitsuba passes on only plain values."""

mi.register_sensor("table_camera", TableCamera)


def sensor(views: tuple[View, ...], samples: int) -> Any:
    """The Mitsuba sensor of some views of one size: tracing them together spares building the kernel's code twice."""
    _VIEWS["views"] = views
    width, height = views[0].film_px
    if any(view.film_px != (width, height) for view in views):
        raise ValueError("views on one film have to be of one size")
    # With a box no sample counts for two pixels, so that sums come out alike every time.
    size = {"width": width * len(views), "height": height}
    film = {"type": "hdrfilm", **size, "rfilter": {"type": "box"}, "pixel_format": "rgb"}
    sampler = {"type": "independent", "sample_count": samples}
    return mi.load_dict({"type": "table_camera", "views": "views", "film": film, "sampler": sampler})
