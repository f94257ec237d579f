"""Noise for moving pictures: fresh in every frame, but what lies under it is developed only when it changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from .lens import Light, Picture, Sensor, develop, exposed, grain_of, grains

ROOM_PX = 192
"""How much larger the sheet of noise is than a frame: every frame takes another part of it."""


def filmed(
    lights: Sequence[Light], gains: Sequence[float], sensor: Sensor, rng: np.random.Generator
) -> Iterator[Picture]:
    """Frames (BGR) of one turn as a camera makes them of linear light."""
    height, width, _ = lights[0].shape
    sheet = _sharpened(grains((height + ROOM_PX, width + ROOM_PX, 3), rng), sensor)
    spread = _spread(exposed(lights[0], sensor, gains[0]), sensor)
    clear: Light | None = None
    for number, (light, gain) in enumerate(zip(lights, gains, strict=True)):
        if clear is None or light is not lights[number - 1] or gain != gains[number - 1]:
            clear = _sharpened(develop(exposed(light, sensor, gain), sensor), sensor)
        top, left = (int(v) for v in rng.integers(ROOM_PX, size=2))
        noise = sheet[top : top + height, left : left + width]
        levels = clear + noise[:: int(rng.choice([-1, 1])), :: int(rng.choice([-1, 1]))] * spread
        yield cv2.convertScaleAbs(np.maximum(levels, 0.0)[:, :, ::-1], alpha=255.0).astype(np.uint8)


def _sharpened(picture: Light, sensor: Sensor) -> Light:
    if not sensor.sharpening:
        return picture
    blurred = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.1), dtype=np.float32)
    return picture + np.float32(sensor.sharpening) * (picture - blurred)


def _spread(signal: Light, sensor: Sensor) -> Light:
    """How much one standard deviation of noise changes the developed picture, pixel by pixel."""
    noisy = signal + grain_of(signal) * np.float32(sensor.noise / 255.0 * 0.9)
    return np.asarray(develop(noisy, sensor) - develop(signal, sensor), dtype=np.float32)
