"""Where a piece really ends: steps of light and of colour across its outline, told from bevels and from shadows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from calibration.camera import Floats
from calibration.tag_sides import decoded, encoded

IN_PX, OUT_PX, STEP_PX = 4.5, 5.0, 0.25
LOOKS = 5
"""Looks along the outline that are averaged to one."""
TRY_PX = 0.1
SHADOWS_PX = (0.0, 0.8, 1.6, 2.6, 4.0)
"""How wide a shadow with an end of its own may be."""
SHADOW_COST = 2.0
"""Such a shadow has to explain so much more than none."""
MISFIT = 0.015
"""What the model gets wrong anyway, as a share of the step."""
LIGHT_NOISE, COLOUR_NOISE = 0.006, 0.008
LEAST_LIGHT, STRONG_COLOUR = 0.04, 0.09
COLOUR_BLUR_PX, COLOUR_GRAIN_PX, COLOUR_OUT_PX = 1.1, 2.2, 0.25
"""JPEG keeps colour at half the size; the last is what its edges lie further out than they seem, on rendered cards."""
SIDE_SHARE, SIDE_ON_BLACK = 0.4, 0.8
LEAST_SIDE = 0.08
"""On black the side of a piece is lighter than the print, by that share of the step at least."""
LEAST_JUMP, NO_JUMP_COST = -0.4, 1_000.0
"""Paper in a shade may be darker than a light piece, but not by more than that share of the step."""


class Usual(NamedTuple):
    """How much a bevel and a shadow with an end usually differ from what is beside them, as shares of the step."""

    bevel: float
    shadow: float


LIT, SHADED, COLOURED = Usual(0.1, 0.05), Usual(0.3, 0.5), Usual(0.001, 0.001)
ON_BLACK = Usual(0.2, 0.001)
SHADED_SHARE = 0.3
INNERMOST = 5.0
SHADED_COST = 30.0
"""How much better shadows have to explain a profile than none before they are believed in."""
SKY, SKY_SPREAD = 0.6, 0.3
"""How much of the paper's light usually comes from all around, so that a piece beside it takes some away."""


class Beside(NamedTuple):
    """What a piece is like where it ends, in px across its outline."""

    bevel_px: float
    """How much of it looks unlike the rest there: a bevel, or a side."""
    is_side: bool
    tall_px: float
    """Its height, laid over on the paper."""
    hidden_px: float
    """How much paper behind it is not seen."""
    on_black: bool = False
    """Whether it lies on black print, where no shade is seen."""


def light_and_colour(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(h, w, 3): how much light fell on each pixel, and two differences of colour as the file keeps them."""
    light = decoded(picture) @ np.array([0.0722, 0.7152, 0.2126])
    coded = cv2.cvtColor(picture, cv2.COLOR_BGR2YCrCb).astype(np.float32)[..., 1:] / 255.0
    return np.dstack([light.astype(np.float32), coded])


def looks_beside(places: Floats, normals: Floats, spacing_px: float) -> tuple[Floats, Floats]:
    """LOOKS for each place of an outline that is nearly straight, and their normals."""
    along = np.column_stack([-normals[:, 1], normals[:, 0]])
    shift = (np.arange(LOOKS) - (LOOKS - 1) / 2) / LOOKS * spacing_px
    at = places[:, None] + along[:, None] * shift[None, :, None]
    return at.reshape(-1, 2), np.repeat(normals, LOOKS, axis=0)


def profiles(light: NDArray[np.float32], places: Floats, normals: Floats) -> Floats:
    """Light and colour (n, t, 3) across an outline; LOOKS that follow each other make one."""
    flat = (places[:, None] + normals[:, None] * ACROSS_PX[None, :, None]).astype(np.float32)
    seen = cv2.remap(light, flat[..., 0], flat[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    across: Floats = seen.reshape(-1, LOOKS, len(ACROSS_PX), 3).mean(axis=1).astype(np.float64)
    return across


ACROSS_PX = np.arange(-IN_PX, OUT_PX + STEP_PX / 2, STEP_PX)
"""Where profiles are looked at, outward."""


def edge_offset(
    across: Floats, looks: int, beside: Beside, blur_px: float, reach_px: float, clipped: float = 1.0
) -> tuple[float, float]:
    """How far beyond the outline the edge of a profile (t, 3) lies, and its sigma: by colour where that tells.

    `clipped` is how many times lighter than the picture's white the paper is.
    """
    inside, outside = across[ACROSS_PX < -2.0].mean(axis=0), across[ACROSS_PX > 2.0].mean(axis=0)
    lean = outside - inside
    colour_step, light_step = float(np.hypot(lean[1], lean[2])), abs(float(lean[0]))
    blur_px, reach_px = round(blur_px, 2), round(reach_px, 1)
    if colour_step > STRONG_COLOUR and not beside.on_black:
        scaled = (across[:, 1:] - inside[1:]) @ lean[1:] / colour_step**2
        noise = np.hypot(COLOUR_NOISE / colour_step, MISFIT) ** 2 * COLOUR_GRAIN_PX / STEP_PX
        blurred_px = round(float(np.hypot(blur_px, COLOUR_BLUR_PX)), 2)
        basis = _solved(blurred_px, reach_px, Beside(1.0, False, 1.0, 0.0), COLOURED, 0.0)
        off, sigma, _ = _lowest(basis, scaled, noise, 0.0)
        return off - _colour_bias(inside, outside, blur_px, clipped) + COLOUR_OUT_PX, sigma
    if light_step < LEAST_LIGHT:
        return 0.0, np.inf
    scaled = (across[:, 0] - inside[0]) / lean[0]
    noise = np.hypot(LIGHT_NOISE / light_step / np.sqrt(looks), MISFIT) ** 2 / STEP_PX
    if beside.on_black:
        rough = Beside(round(beside.bevel_px, 1), beside.is_side, 1.0, 0.0, True)
        off, sigma, _ = _lowest(
            _solved(blur_px, reach_px, rough, ON_BLACK, 0.0), scaled, noise, 0.0, lighter=LEAST_SIDE
        )
        return off, sigma
    # Beside a dark piece paper loses less of the step than beside one that is nearly as light.
    paper = round(float(np.clip(outside[0] / lean[0], -4.0, 4.0)), 1)
    rough = Beside(
        round(beside.bevel_px, 1), beside.is_side, round(beside.tall_px, 1), round(max(beside.hidden_px, 0.0), 1)
    )
    off, sigma, cost = _lowest(_solved(blur_px, reach_px, rough, LIT, abs(paper)), scaled, noise, SKY * paper)
    basis = _solved(blur_px, reach_px, rough, SHADED, abs(paper))
    shaded_off, shaded_sigma, shaded_cost = _lowest(basis, scaled, noise, SKY * paper, INNERMOST)
    if cost - shaded_cost > SHADED_COST:
        return shaded_off, float(np.hypot(shaded_sigma, SHADED_SHARE * beside.tall_px / 2))
    return off, sigma


_Basis = tuple[Floats, Floats, Floats]


def _lowest(
    basis: _Basis, scaled: Floats, noise: float, shade: float, innermost: float = 0.0, lighter: float = -np.inf
) -> tuple[float, float, float]:
    """The place that explains a profile best, weighed with all others that do so about as well, its sigma and cost."""
    tries, columns, solved = basis
    # The shade that is usual is taken off first; what is left of it is then expected to be nothing.
    rest = scaled + shade * columns[..., SHADE]
    right = np.einsum("weti,wet->wei", columns, rest)
    levels = np.einsum("weij,wej->wei", solved, right)
    left = np.einsum("wet,wet->we", rest, rest) - np.einsum("wei,wei->we", levels, right)
    jump = levels[..., 1] + levels[..., SHADOW] + (levels[..., SHADE] - shade) * HALF_SKY
    cost = np.maximum(left, 0.0) / noise + NO_JUMP_COST * (jump < LEAST_JUMP)
    cost += NO_JUMP_COST * (levels[..., 1] - levels[..., BEVEL] < lighter)
    cost[1:] += SHADOW_COST
    curve = cost.min(axis=0)
    if curve.argmin() in (0, len(curve) - 1):
        return 0.0, np.inf, float(curve.min())
    freedom = IN_PX + OUT_PX - 4
    # Shadows make edges outside a piece's own, nothing makes any inside it.
    curve = curve + innermost * (tries - tries[0])
    weight = np.exp(-(curve - curve.min()) / 2 / max(curve.min() / freedom, 1.0))
    weight /= weight.sum()
    off = float(weight @ tries)
    return off, float(np.sqrt(weight @ (tries - off) ** 2 + 0.02**2)), float(curve.min())


BEVEL, SHADOW, SHADE = 2, 3, 4
HALF_SKY = 0.5
"""At the foot of a wall half of the sky is hidden."""


@lru_cache(maxsize=64)
def _solved(blur_px: float, reach_px: float, beside: Beside, usual: Usual, paper: float) -> _Basis:
    """Levels of a profile for every width of a shadow and every place of the edge, solved for all profiles at once."""
    tries = np.arange(-reach_px, reach_px + TRY_PX / 2, TRY_PX)
    widths = np.array(SHADOWS_PX if usual.shadow > 0.01 else SHADOWS_PX[:1])
    x = np.broadcast_to(ACROSS_PX[None, None, :] - tries[None, :, None], (len(widths), len(tries), len(ACROSS_PX)))
    step = ndtr(x / blur_px)
    bevel = ndtr((x + beside.bevel_px) / blur_px) - step
    shadow = step - ndtr((x - widths[:, None, None]) / blur_px)
    hidden_sky = _blurred_shade(x, blur_px, beside)
    columns = np.stack([np.ones_like(step), step, bevel, shadow, hidden_sky], axis=3)
    bevelled = (SIDE_ON_BLACK if beside.on_black else SIDE_SHARE) if beside.is_side else usual.bevel
    shares = np.array([np.inf, np.inf, bevelled, usual.shadow, max(SKY_SPREAD * paper, 1e-3)])
    normal = np.einsum("weti,wetj->weij", columns, columns)
    normal += MISFIT**2 / STEP_PX * np.diag(1 / shares**2) + 1e-9 * np.eye(5)
    return tries, columns, np.linalg.inv(normal)


def _blurred_shade(x: Floats, blur_px: float, beside: Beside) -> Floats:
    """How much of the sky a long wall at 0 hides from the paper beyond it, blurred."""
    fine = np.arange(-12.0, 12.01, 0.05)
    away = np.maximum(fine, 0.0) + beside.hidden_px
    sharp = np.where(fine >= 0.0, HALF_SKY * (1 - away / np.hypot(away, max(beside.tall_px, 0.1))), 0.0)
    sharp[np.abs(fine) < 0.01] /= 2
    kernel = np.exp(-0.5 * (np.arange(-4.0, 4.01, 0.05) / blur_px) ** 2)
    return np.interp(x, fine, np.convolve(sharp, kernel / kernel.sum(), mode="same"))


def _colour_bias(inside: Floats, outside: Floats, blur_px: float, clipped: float) -> float:
    """Where a step of colour seems to be that truly is at 0: light blurs before it is coded, colour once more after."""
    ends = []
    for level, lighter in ((inside, 1.0), (outside, clipped)):
        grey = encoded(np.clip(level[:1], 0.0, 1.0))[0]
        red, blue = grey + 1.403 * (level[1] - 0.5), grey + 1.773 * (level[2] - 0.5)
        green = (grey - 0.299 * red - 0.114 * blue) / 0.587
        coded = np.clip([blue, green, red], 0.0, 1.0)
        ends.append(np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4) * lighter)
    t = np.arange(-6.0, 6.01, 0.1)
    mixed = encoded(np.clip(ends[0] + (ends[1] - ends[0]) * ndtr(t / blur_px)[:, None], 0.0, 1.0))
    grey = mixed @ np.array([0.114, 0.587, 0.299])
    colour = np.column_stack([mixed[:, 2] - grey, mixed[:, 0] - grey]) * [0.713, 0.564]
    kernel = np.exp(-0.5 * (np.arange(-3.0, 3.01, 0.1) / COLOUR_BLUR_PX) ** 2)
    lean = colour[-1] - colour[0]
    share = (colour - colour[0]) @ lean / max(float(lean @ lean), 1e-9)
    padded = np.pad(share, len(kernel) // 2, mode="edge")
    smooth = np.convolve(padded, kernel / kernel.sum(), mode="valid")
    return float(t[0] + 0.1 * np.sum(smooth < 0.5))
