"""Many frames of one camera with its exposure locked: what `lens.photograph` does, fast enough for video."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from .lens import Light, Picture, Sensor, develop

_STEPS = 4096
_BRIGHTEST = 2.0
_SPARE_PX = 96
_SHARPEN_PX = 1.1


@dataclass(frozen=True, slots=True, eq=False)
class Film:
    """One camera's exposure, tone curve and grain."""

    sensor: Sensor
    gain: Light
    """By pixel and channel: exposure, white balance, vignetting."""
    tone: Light
    """Developed grey of light in steps of _BRIGHTEST / _STEPS, saturation left out."""
    grain: Light
    """Noise of unit strength, larger than a picture; each frame takes another part of it."""

    def picture(self, light: Light, rng: np.random.Generator) -> Picture:
        """The frame (BGR) that linear light (h, w, 3 RGB) makes."""
        height, width, _ = light.shape
        signal: Light = np.asarray(cv2.GaussianBlur(light * self.gain, (0, 0), self.sensor.blur_px), dtype=np.float32)
        if self.sensor.noise:
            y, x = rng.integers(0, _SPARE_PX, 2)
            strength = np.sqrt(signal * np.float32(0.8) + np.float32(0.04))
            strength *= self.grain[y : y + height, x : x + width]
            signal += strength
        signal *= np.float32(_STEPS / _BRIGHTEST)
        tones = self.tone[np.clip(signal, 0, _STEPS - 1, out=signal).astype(np.uint16)]
        grey = np.array([0.299, 0.587, 0.114])
        mix = self.sensor.saturation * np.eye(3) + (1 - self.sensor.saturation) * np.tile(grey, (3, 1))
        picture: Light = np.asarray(cv2.transform(tones, mix[::-1] * 255.0), dtype=np.float32)
        if self.sensor.sharpening:
            soft = cv2.GaussianBlur(picture, (0, 0), _SHARPEN_PX)
            picture += np.float32(self.sensor.sharpening) * (picture - soft)
        picture += np.float32(0.5)
        levels: Picture = np.clip(picture, 0, 255, out=picture).astype(np.uint8)
        return levels


def film_of(sensor: Sensor, size: tuple[int, int], gain: float, rng: np.random.Generator) -> Film:
    """The film of a sensor for pictures of a size (width, height)."""
    width, height = size
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    vignette = 1 - sensor.vignetting * ((x**2 + y**2) / 2) ** 1.5
    by_pixel = gain * vignette[..., None] * np.array(sensor.white_balance)
    noise = rng.standard_normal((height + _SPARE_PX, width + _SPARE_PX, 3)).astype(np.float32)
    noise = 0.75 * noise + 0.6 * cv2.GaussianBlur(noise, (0, 0), 0.8)
    return Film(sensor, by_pixel.astype(np.float32), _tone(sensor), noise * np.float32(sensor.noise / 255.0 * 0.9))


def _tone(sensor: Sensor) -> Light:
    """The tone curve, as the lens's own development gives it for a grey ramp."""
    ramp = (np.arange(_STEPS, dtype=np.float32) + 0.5) * np.float32(_BRIGHTEST / _STEPS)
    return np.ascontiguousarray(develop(np.repeat(ramp[None, :, None], 3, axis=2), sensor)[0, :, 0])
