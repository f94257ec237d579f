"""What a view says about lines: how strong edges are now, and which of them were not there before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np

from vision.odds import CAR, SIDE, STICK, TIP, odds_of
from vision.once import once
from vision.tensors import BAND_PX, energy, sideways_at, squares, structure_in, summed
from vision.view import Floats, Lens, Singles, View
from vision.windowed import Windowed

LIGHT_GRID_PX = 48
STEP_PX = 0.5
SOFT_BLUR_PX, SOFT_RIM_PX = 1.2, 8
"""How far edges are blurred for a coarse search, and beyond how many pixels nothing is left of them."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """A view, and with history the earlier one brought to the same light."""

    view: View
    before: View | None = None
    told: Singles | None = None
    """What the net takes each pixel for (h, w, 7), where it was asked."""

    @property
    def lens(self) -> Lens:
        return self.view.lens

    @once
    def odds(self) -> Singles | None:
        """Log-odds (h / 2, w / 2, 3) that pixels show a stick, a disc top or a disc side, and not the table."""
        height, width = self.view.picture.shape[:2]
        return None if self.told is None else odds_of(self.told, (height // 2, width // 2))

    @once
    def stick_odds(self) -> Singles | None:
        """The first of these by itself."""
        return None if self.odds is None else np.ascontiguousarray(self.odds[..., 0])

    @once
    def sticks(self) -> Singles | None:
        """Share of each pixel that is taken for a stick or a car, which stands on one."""
        return None if self.told is None else np.ascontiguousarray(self.told[..., STICK] + self.told[..., CAR])

    @once
    def cars(self) -> Singles | None:
        """Share of each pixel that is taken for a car."""
        return None if self.told is None else np.ascontiguousarray(self.told[..., CAR])

    @once
    def bare(self) -> Singles | None:
        """Share of each pixel that is taken for the table or a disc's side: no stick, and nothing on or under one."""
        return None if self.told is None else np.ascontiguousarray(self.told[..., 0] + self.told[..., SIDE])

    @once
    def tips(self) -> Singles | None:
        """How far each pixel is taken for the end of a stick's upper face, 0 to 1."""
        return None if self.told is None else np.ascontiguousarray(self.told[..., TIP])

    @once
    def light_before(self) -> Singles | None:
        """Lightly blurred colours (h, w, 3) of the earlier view, in the light of the later one."""
        return None if self.before is None else same_light(self.before.light, self.view.light)

    @once
    def change(self) -> Singles | None:
        """Colours now less colours before, (h, w, 3), after evening out the light."""
        return None if self.light_before is None else self.view.light - self.light_before

    @once
    def step(self) -> Singles | None:
        """How much the channel that changed most did, (h, w)."""
        return None if self.change is None else largest(self.change)

    @once
    def no_shade(self) -> Singles | None:
        """How much the view changed (h / 2, w / 2) that is neither light nor shade, in grey levels."""
        return None if self.change is None else _no_shade(self.view.light, self.change)

    @once
    def tensors(self) -> tuple[Windowed, ...]:
        """The structure tensors that must all show an edge: of the view, and of how it changed."""
        if self.change is None:
            return (self.view.tensor,)
        return self.view.tensor, Windowed(self.change.shape, partial(structure_in, self.change))

    @once
    def soft_edges(self) -> tuple[Windowed, ...]:
        """The same, blurred for a coarse search."""
        return tuple(Windowed(self.view.picture.shape, partial(_blurred, tensor)) for tensor in self.tensors)

    def work_out(self) -> None:
        """Make ready what a search asks of a picture as a whole: best side by side with the other view."""
        # With history it asks of a small part.
        if self.before is None:
            for tensor in self.soft_edges:
                tensor.whole()
            _ = self.stick_odds

    def strength(self, pixels: Floats, normals: Floats) -> Singles:
        """How strong a (new) edge is at pixels (..., 2) across normals (..., 2), in grey levels per px."""
        return least_across(self.tensors, pixels, normals)

    def strength_apart(self, pixels: Floats) -> Singles:
        """The same across the rows of the view at pixels (n, 2) all over it, none of them at its rim."""
        lights = [self.view.light] if self.change is None else [self.view.light, self.change]
        least: Singles = np.min([sideways_at(light, pixels) for light in lights], axis=0)
        return np.sqrt(np.maximum(least, 0.0))

    def profiles(self, pixels: Floats, normals: Floats, reach_px: float) -> tuple[Floats, Singles]:
        """Offsets (m, 1) along the normals, and the strengths (m, n) there."""
        steps = round(reach_px / STEP_PX)
        offsets: Floats = np.arange(-steps, steps + 1, dtype=np.float64)[:, None] * STEP_PX
        # Offset after offset, not pixel after pixel: NumPy is fast along many numbers in a row.
        return offsets, self.strength(pixels + offsets[:, None] * normals, normals)


def least_across(tensors: Sequence[Windowed], pixels: Floats, normals: Floats) -> Singles:
    """How strongly colours change at pixels (..., 2) along normals (..., 2) in the tensor picture that shows least."""
    spots, counts = pixels.astype(np.float32), squares(normals)
    least = energy(tensors[0].at(spots), *counts)
    for tensor in tensors[1:]:
        np.minimum(least, energy(tensor.at(spots), *counts), out=least)
    return np.sqrt(least, out=least)


def _blurred(tensor: Windowed, rows: slice, columns: slice) -> Singles:
    """Some rows and columns of a blurred tensor picture."""
    top, left = max(rows.start - SOFT_RIM_PX, 0), max(columns.start - SOFT_RIM_PX, 0)
    about = tensor.part(slice(top, rows.stop + SOFT_RIM_PX), slice(left, columns.stop + SOFT_RIM_PX))
    soft = cv2.GaussianBlur(about, (0, 0), SOFT_BLUR_PX)
    return np.asarray(soft[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left], np.float32)


def largest(channels: Singles) -> Singles:
    """The largest size of three channels (h, w, 3) at each pixel, many times as fast as along the last axis."""
    found = np.empty(channels.shape[:2], np.float32)
    # Band by band: channels of a whole picture that are told apart get into each other's way in the cache.
    for first in range(0, len(channels), BAND_PX):
        band = slice(first, first + BAND_PX)
        blue, green, red = (np.abs(channel, out=channel) for channel in cv2.split(channels[band]))
        cv2.max(cv2.max(blue, green, blue), red, found[band])
    return found


def _no_shade(light: Singles, change: Singles) -> Singles:
    """What is left of a change at half the size: that shows a hand as well, in a quarter of the time."""
    height, width = light.shape[:2]
    now, less = (cv2.resize(one, (width // 2, height // 2), interpolation=cv2.INTER_AREA) for one in (light, change))
    was = now - less
    # Shade multiplies all colours by one factor; what is left after the best one is no shade.
    factor = summed(now, was) / np.maximum(summed(was, was), 1.0)
    return largest(np.asarray(cv2.absdiff(now, cv2.multiply(was, cv2.merge([factor] * 3))), np.float32))


def same_light(before: Singles, now: Singles) -> Singles:
    """The earlier picture as it would look in the light of the later one: a slow gain per channel."""
    height, width = before.shape[:2]
    size = (max(width // LIGHT_GRID_PX, 4), max(height // LIGHT_GRID_PX, 4))
    small_before = cv2.resize(before, size, interpolation=cv2.INTER_AREA) + 1.0
    small_now = cv2.resize(now, size, interpolation=cv2.INTER_AREA) + 1.0
    # A median over neighbouring fields passes over those in which a piece was laid.
    gain = np.clip(small_now / small_before, 0.2, 5.0).astype(np.float32)
    usual = np.dstack([cv2.medianBlur(np.ascontiguousarray(gain[..., c]), 5) for c in range(3)])
    smooth = cv2.GaussianBlur(usual, (0, 0), 1.0)
    return before * np.asarray(cv2.resize(smooth, (width, height), interpolation=cv2.INTER_LINEAR), np.float32)
