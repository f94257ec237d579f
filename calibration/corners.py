"""Chessboard corners to a few hundredths of a pixel: two blurred edges crossing, fitted to the grey around them.

Only a cross along the edges is looked at: a ChArUco board's markers stand so near that OpenCV's window takes them in.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from calibration.camera import Floats

ARM = 0.42  # of a square: how far along the edges
LONGEST_ARM_PX = 10.0  # a lens bends longer ones
LEAST_HALF_WIDTH_PX = 1.3
CLEAR_PX = 1.0  # from the markers, which blur
ROUNDS = 6
WORST_MISFIT = 0.3  # RMS, as a share of the contrast
LEAST_CONTRAST = 5.0  # RMS grey levels
LEAST_PIXELS = 24
MOST_MOVED = 0.12  # of a square
MOST_BLURRED = 0.12
BORDER_PX = 4.0  # nearer to the picture's border a corner has no far side to be told by


class Fitted(NamedTuple):
    """Corners (n, 2) after the fit, the wider of the two edges' blur (n,) in px, and which (n,) fitted well."""

    corners_px: Floats
    blur_px: Floats
    good: NDArray[np.bool_]


def fit_corners(grey: NDArray[np.uint8], corners_px: Floats, px_from_squares: Floats, margin: float) -> Fitted:
    """Corners found roughly, with the pixels (n, 2, 2) of a step along each of the board's axes at each of them.

    The margin is the white between a square's side and its marker, in squares.
    """
    pixels, used = _cross(grey.shape, corners_px, px_from_squares, margin)
    light = grey[pixels[..., 1], pixels[..., 0]].astype(np.float64)
    count = used.sum(axis=1)
    mean = (light * used).sum(axis=1) / np.maximum(count, 1)
    state = np.column_stack([corners_px, _edge_angles(px_from_squares), np.full((len(corners_px), 2), 1.0)])
    contrast = np.sqrt((used * (light - mean[:, None]) ** 2).sum(axis=1) / np.maximum(count, 1))
    sign = np.sign(_model(state, pixels, used * (light - mean[:, None])))
    state = np.column_stack([state, mean, sign * contrast])
    damping = 1e-3
    for _ in range(ROUNDS):
        rest, slope = _residuals(state, pixels, light)
        slope *= used[..., None]
        normal = np.swapaxes(slope, 1, 2) @ slope
        diagonal = np.einsum("nii->ni", normal)
        diagonal += damping * diagonal + 1e-9
        step = np.linalg.solve(normal, np.einsum("npk,np->nk", slope, rest)[..., None])[..., 0]
        step[:, :2] = np.clip(step[:, :2], -1.0, 1.0)
        step[:, 2:4] = np.clip(step[:, 2:4], -0.2, 0.2)
        step[:, 4:6] = np.clip(step[:, 4:6], -0.5 * state[:, 4:6], 1.0)
        state = state + step
    rest, _ = _residuals(state, pixels, light)
    misfit = np.sqrt((used * rest**2).sum(axis=1) / np.maximum(count, 1)) / np.maximum(contrast, 1e-9)
    square_px = np.linalg.norm(px_from_squares, axis=1).min(axis=1)
    moved = np.linalg.norm(state[:, :2] - corners_px, axis=1)
    good = (misfit < WORST_MISFIT) & (contrast > LEAST_CONTRAST) & (count >= LEAST_PIXELS)
    good &= moved < np.maximum(1.5, MOST_MOVED * square_px)
    good &= state[:, 4:6].max(axis=1) < np.maximum(1.5, MOST_BLURRED * square_px)
    height, width = grey.shape
    good &= ((state[:, :2] > BORDER_PX) & (state[:, :2] < np.array([width, height]) - 1 - BORDER_PX)).all(axis=1)
    return Fitted(state[:, :2], state[:, 4:6].max(axis=1), good)


def _edge_angles(px_from_squares: Floats) -> Floats:
    """The directions (n, 2) across the board's two families of edges."""
    along = np.arctan2(px_from_squares[:, 1], px_from_squares[:, 0])
    across: Floats = along[:, ::-1] + math.pi / 2
    return across


def _cross(
    shape: tuple[int, ...], corners_px: Floats, px_from_squares: Floats, margin: float
) -> tuple[NDArray[np.intp], Floats]:
    """The pixels (n, p, 2) around each corner, and which of them (n, p) lie along its edges, as ones and zeros."""
    sides_px = np.linalg.norm(px_from_squares, axis=1)
    arm = np.minimum(ARM, LONGEST_ARM_PX / sides_px.max(axis=1))[:, None]
    reach = min(math.ceil(LONGEST_ARM_PX), math.ceil(ARM * sides_px.max()))
    span = np.arange(-reach, reach + 1)
    offsets = np.stack(np.meshgrid(span, span), axis=-1).reshape(-1, 2)
    pixels = np.rint(corners_px).astype(np.intp)[:, None] + offsets
    from_corner = pixels - corners_px[:, None]
    squares = np.abs(np.einsum("nij,npj->npi", np.linalg.inv(px_from_squares), from_corner))
    height_px = np.abs(np.linalg.det(px_from_squares))[:, None] / sides_px[:, ::-1]  # from side to side of a square
    half = np.maximum(margin - CLEAR_PX / height_px, LEAST_HALF_WIDTH_PX / height_px)[:, None]
    near_edge = (squares < half).any(axis=-1)
    inside = ((pixels >= 0) & (pixels < [shape[1], shape[0]])).all(axis=-1)
    used = near_edge & (squares.max(axis=-1) < arm) & inside
    first = np.argsort(~used, axis=1, kind="stable")[:, : max(1, int(used.sum(axis=1).max()))]
    pixels = np.clip(np.take_along_axis(pixels, first[..., None], axis=1), 0, [shape[1] - 1, shape[0] - 1])
    return pixels, np.take_along_axis(used, first, axis=1).astype(np.float64)


def _model(state: Floats, pixels: NDArray[np.intp], weight: Floats) -> Floats:
    first, second, *_ = _edges(state, pixels)
    total: Floats = (first * second * weight).sum(axis=1)
    return total


def _edges(state: Floats, pixels: NDArray[np.intp]) -> tuple[Floats, ...]:
    """Both edges' steps from -1 to 1, then their slopes, the distances to them, and the way there and along."""
    offset = pixels - state[:, None, :2]
    cos, sin = np.cos(state[:, 2:4]), np.sin(state[:, 2:4])
    to, along, step, slope = [], [], [], []
    for edge in (0, 1):
        distance = offset[..., 0] * cos[:, edge, None] + offset[..., 1] * sin[:, edge, None]
        scaled = distance / state[:, 4 + edge, None]
        to.append(scaled)
        along.append(offset[..., 1] * cos[:, edge, None] - offset[..., 0] * sin[:, edge, None])
        step.append(erf(scaled * math.sqrt(0.5)))
        slope.append(math.sqrt(2 / math.pi) * np.exp(-0.5 * scaled**2) / state[:, 4 + edge, None])
    return step[0], step[1], slope[0], slope[1], to[0], to[1], along[0], along[1]


def _residuals(state: Floats, pixels: NDArray[np.intp], light: Floats) -> tuple[Floats, Floats]:
    """Seen less predicted grey (n, p), and the prediction's derivatives (n, p, 8)."""
    one, two, slope_one, slope_two, to_one, to_two, along_one, along_two = _edges(state, pixels)
    height = state[:, 7, None]
    by_one, by_two = height * slope_one * two, height * slope_two * one
    cos, sin = np.cos(state[:, 2:4]), np.sin(state[:, 2:4])
    slopes = np.stack(
        [
            -by_one * cos[:, :1] - by_two * cos[:, 1:],
            -by_one * sin[:, :1] - by_two * sin[:, 1:],
            by_one * along_one,
            by_two * along_two,
            -by_one * to_one,
            -by_two * to_two,
            np.ones_like(one),
            one * two,
        ],
        axis=-1,
    )
    return light - (state[:, 6, None] + height * one * two), slopes
