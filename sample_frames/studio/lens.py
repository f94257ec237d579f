"""From light to the file a webcam or phone writes: exposure, colour errors, vignetting, noise, sharpening, JPEG."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Light = NDArray[np.float32]
Picture = NDArray[np.uint8]

SHOULDER = 0.7
"""Where highlights begin to be held back, as a share of white."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """How one camera turns light into bytes."""

    exposure: float
    """What becomes mid grey, as a multiple of what an automatic exposure would choose."""
    white_balance: tuple[float, float, float]
    """Error of the white balance: gains of red, green, blue."""
    vignetting: float
    noise: float
    """Standard deviation at mid grey, in grey levels of 255."""
    blur_px: float
    sharpening: float
    contrast: float
    saturation: float
    jpeg_quality: int

    def drifted(self, rng: np.random.Generator) -> Sensor:
        """The same camera after its automatic exposure and white balance took a step."""
        gains = np.array(self.white_balance) * np.exp(rng.normal(0.0, 0.04, 3))
        red, green, blue = (float(g) for g in gains)
        exposure = self.exposure * float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.12, 0.35)))
        return replace(self, exposure=exposure, white_balance=(red, green, blue))


def random_sensor(rng: np.random.Generator) -> Sensor:
    """A camera of some quality."""
    warm = float(rng.normal(0.0, 0.09))
    tint = float(rng.normal(0.0, 0.03))
    return Sensor(
        exposure=float(np.exp(rng.normal(0.0, 0.22))),
        white_balance=(1 + warm, 1 + tint, 1 - warm),
        vignetting=float(rng.uniform(0.0, 0.45)),
        noise=float(rng.uniform(0.6, 4.0)),
        blur_px=float(rng.uniform(0.3, 0.8)),
        sharpening=float(rng.uniform(0.0, 0.9)),
        contrast=float(rng.uniform(0.9, 1.2)),
        saturation=float(rng.uniform(0.85, 1.2)),
        jpeg_quality=int(rng.integers(78, 96)),
    )


def expose(light: Light, sensor: Sensor) -> float:
    """The gain that an automatic exposure would choose for this light, times the sensor's own error."""
    luminance = light @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)
    middle = float(np.exp(np.mean(np.log(np.maximum(luminance, 1e-4)))))
    bright = float(np.percentile(luminance, 99.6))
    return sensor.exposure * min(0.2 / max(middle, 1e-4), 1.1 / max(bright, 1e-4))


def photograph(light: Light, sensor: Sensor, rng: np.random.Generator, gain: float | None = None) -> Picture:
    """The picture (BGR) that a camera makes of linear light (h, w, 3 RGB); `gain` keeps an exposure locked."""
    signal = exposed(light, sensor, expose(light, sensor) if gain is None else gain)
    signal += grains(signal.shape, rng) * grain_of(signal) * np.float32(sensor.noise / 255.0 * 0.9)
    picture = develop(signal, sensor)
    if sensor.sharpening:
        picture = picture + sensor.sharpening * (picture - cv2.GaussianBlur(picture, (0, 0), 1.1))
    levels: Picture = np.clip(picture[:, :, ::-1] * 255.0 + 0.5, 0, 255).astype(np.uint8)
    return levels


def exposed(light: Light, sensor: Sensor, gain: float) -> Light:
    """What falls on the sensor: through the lens's falloff and blur."""
    height, width, _ = light.shape
    signal: Light = light * np.array([gain * g for g in sensor.white_balance], dtype=np.float32)
    signal *= (1 - np.float32(sensor.vignetting) * _off_axis(width, height))[..., None]
    return np.asarray(cv2.GaussianBlur(signal, (0, 0), sensor.blur_px), dtype=np.float32)


def grain_of(signal: Light) -> Light:
    """How the noise grows with the light: shot noise with its root, read noise not at all."""
    return np.asarray(np.sqrt(np.maximum(signal, 0.0) * np.float32(0.8) + np.float32(0.04)), dtype=np.float32)


def grains(shape: tuple[int, ...], rng: np.random.Generator) -> Light:
    """Noise of about unit spread, finer than a pixel's blur."""
    noise = rng.standard_normal(shape, dtype=np.float32)
    return 0.75 * noise + 0.6 * np.asarray(cv2.GaussianBlur(noise, (0, 0), 0.8), dtype=np.float32)


@lru_cache(maxsize=4)
def _off_axis(width: int, height: int) -> Light:
    """How far each pixel is from the middle, cubed; 1 in the corners."""
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    return np.asarray(((x**2 + y**2) / 2) ** 1.5, dtype=np.float32)


def develop(signal: Light, sensor: Sensor) -> Light:
    """Tone and colour as cameras make them: sRGB with a soft shoulder."""
    signal = np.maximum(signal, 0.0)
    bright = signal > SHOULDER
    signal[bright] = SHOULDER + (1 - SHOULDER) * np.tanh((signal[bright] - SHOULDER) / (1 - SHOULDER))
    curve = 1.055 * np.asarray(cv2.pow(signal, 1 / 2.4), dtype=np.float32) - 0.055
    srgb = 0.5 + (np.where(signal <= 0.0031308, 12.92 * signal, curve) - 0.5) * sensor.contrast
    grey = cv2.transform(srgb, np.array([[0.299, 0.587, 0.114]], dtype=np.float32))[..., None]
    return np.asarray(grey + (srgb - grey) * sensor.saturation, dtype=np.float32)


def jpeg(picture: Picture, quality: int) -> bytes:
    """The bytes of a JPEG file."""
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not done:
        raise ValueError("the picture could not be written as JPEG")
    return data.tobytes()
