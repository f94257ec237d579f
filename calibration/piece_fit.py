"""A piece measured in both views at once: its few numbers fitted to where its outlines are seen to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera, Floats
from calibration.card_pose import CardView
from calibration.edge_offsets import LOOKS, OUT_PX, Beside, edge_offset, light_and_colour, looks_beside, profiles
from calibration.exposure import unclipped
from calibration.piece_shapes import Shape
from calibration.solid_outline import Outline, RoundedSolid, flat, outline, reach, walk

SPACING_PX = 4.0
FIRST_REACHES_PX, REACHES_PX = (3.0, 2.5), (2.5, 2.0, 2.0, 1.5, 1.5, 1.5)
"""How far from the outline its edge is looked for, round by round: to choose between starts, and after that."""
DOUBTED = 1.5
OUTLINE_PX = 0.08
FOOT_MM = (0.15, 0.25)
FOOT_OUT_MM = 0.1
THIN_MM, THIN_PX = 5.0, 0.2
BENT_PX, BENT_RAD = 0.4, 0.2
"""Beside thin pieces shades are as narrow as the blur, and where their outline bends its profiles mix."""
STEEP = 0.8
MOST_TOGETHER = 12
WAYS = 8
"""Directions by which an outline is parted: what is wrong on one side is not wrong on the others."""
NOTHING_BESIDE = Beside(1.0, False, 0.1, 100.0)
CLEAR_PX = 3.5
BEYOND_PX = np.array([0.5, 2.0, 3.5, OUT_PX + 1.0])
RIDGE_MM = 0.12
"""How well the place of a rounded edge is known."""


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """A piece's numbers with their covariance, and how well its outlines are met."""

    numbers: Floats
    covariance: Floats
    off_px: float
    """Median distance of edges from the outline."""
    seen: float
    """Share of the outline at which there is an edge, in the worse of both views."""


def lights_of(views: Mapping[str, CardView]) -> dict[str, NDArray[np.float32]]:
    """The pictures as light."""
    lights = {name: light_and_colour(view.picture) for name, view in views.items()}
    for name, view in views.items():
        lights[name][..., 0] = unclipped(lights[name][..., 0], view.white, view.clipped)
    return lights


def fit_piece(
    shape: type[Shape],
    start: Floats,
    views: Mapping[str, CardView],
    lights: Mapping[str, NDArray[np.float32]],
    reaches_px: Sequence[float] = REACHES_PX,
    field: Floats | None = None,
) -> Fitted:
    """Gauss-Newton from a start that is about a millimetre off; `field` is black paper (low and high corner) below."""
    numbers = np.array(start, dtype=np.float64)
    usual = np.array(shape.usual)
    mean, sigma = (np.array(part) for part in shape.prior)
    for reach_px in reaches_px:
        edges = [
            edge for name, view in views.items() for edge in _edges(shape, numbers, view, lights[name], reach_px, field)
        ]
        seen = [edge for edge in edges if np.isfinite(edge.sigma_px)]
        off, px = np.array([edge.off_px for edge in seen]), np.array([edge.sigma_px for edge in seen])
        slopes = np.array([edge.slopes for edge in seen]).reshape(-1, len(numbers))
        weight = 1 / (px**2 * (1 + (off / (DOUBTED * px)) ** 2))
        normal = (slopes * weight[:, None]).T @ slopes + np.diag(1 / sigma**2) + 1e-9 * np.eye(len(numbers))
        right = (slopes * weight[:, None]).T @ off + (mean - numbers) / sigma**2
        numbers = numbers + np.clip(np.linalg.solve(normal, right), -4 * usual, 4 * usual)
    chi2 = float((weight * off**2).sum()) / max(len(off) - len(numbers), 1)
    middle = float(np.median(np.abs(off))) if len(off) else np.inf
    return Fitted(numbers, np.linalg.inv(normal) * max(chi2, 1.0), middle, len(seen) / max(len(edges), 1))


@dataclass(frozen=True, slots=True, eq=False)
class Edge:
    """A run of an outline: how far off it is seen to be, how sure that is, how it moves with each number."""

    off_px: float
    sigma_px: float
    slopes: Floats
    kind: str
    at_px: Floats


def _edges(
    shape: type[Shape],
    numbers: Floats,
    view: CardView,
    light: NDArray[np.float32],
    reach_px: float,
    field: Floats | None = None,
) -> Iterator[Edge]:
    """The outline of a piece in one view run by run, its foot apart, and the rim of its top."""
    camera = view.camera
    solid = shape.solid(numbers)
    seen = outline(solid, camera)
    per_mm = camera.K[0][0] / float(camera.depth_mm(solid.points).mean())
    bevel_px = solid.round_mm * per_mm
    # From above the foot is seen beside lit paper, from the side where it stands in its own shade.
    steep = abs(camera.R[2][2])
    foot_px = FOOT_MM[0 if steep > STEEP else 1] * per_mm
    places, normals, low = walk(seen, SPACING_PX)
    inner = -reach(flat(solid.top, camera), places, normals)
    # On white the shade beside a piece hides more than its bends do.
    looks = looks_beside(places, normals, SPACING_PX) if field is None else walk(seen, SPACING_PX, LOOKS)[:2]
    across = profiles(light, *looks)
    slopes = _slopes(places, normals, numbers, shape, lambda solid: outline(solid, camera).corners_px)
    black, mixed = _ground(places, normals, camera, field)
    good = np.asarray(np.isfinite(slopes).all(axis=1)) & ~mixed
    tall_px = float(solid.top[:, 2].max()) * per_mm * steep
    hidden = -reach(flat(solid.points[: len(solid.top)], camera), places, normals) - bevel_px
    thin = float(solid.top[:, 2].max()) < THIN_MM
    bends = _bends(normals)
    for run, count in _runs(normals, low + 2 * black, good):
        foot, on_black = bool(low[run[0]]), bool(black[run[0]])
        wide_px = float(np.median(inner[run])) if foot else bevel_px
        side = foot and np.isfinite(wide_px) and wide_px > 1.3 * bevel_px
        hidden_px = 0.0 if foot else float(np.nan_to_num(np.median(hidden[run]), nan=20.0))
        beside = Beside(min(wide_px, 6.0) if side else bevel_px, side, tall_px, min(hidden_px, 20.0), on_black)
        off, sigma = edge_offset(across[run].mean(axis=0), len(run) * 2, beside, view.blur_px, reach_px, view.clipped)
        bend_rad = float(np.std(np.unwrap(np.arctan2(normals[run, 1], normals[run, 0]))))
        shaky_px = BENT_PX * min(bend_rad / BENT_RAD, 1.0) + THIN_PX if thin and not on_black else 0.0
        common_px = float(np.hypot(shaky_px, foot_px if foot else OUTLINE_PX))
        if on_black:
            off += float(bends[run].mean()) * view.blur_px**2 / 2  # blur draws a round edge inward
        elif foot and steep < STEEP:
            off -= FOOT_OUT_MM * per_mm
        kind = "foot" if foot else "outline"
        # What is wrong about one run of a side is wrong about all of them.
        yield Edge(
            off,
            float(np.hypot(sigma, common_px) * np.sqrt(count)),
            slopes[run].mean(axis=0),
            kind,
            places[run].mean(axis=0),
        )
    places, normals, low = walk(Outline(flat(solid.rim, camera), np.zeros(len(solid.rim), dtype=bool)), SPACING_PX)
    clear = np.asarray(reach(seen.corners_px, places, normals) > max(CLEAR_PX, 4 * view.blur_px))
    if not clear.any():
        return
    across = profiles(light, *looks_beside(places, normals, SPACING_PX))
    blur_px = float(np.hypot(view.blur_px, bevel_px / 3))
    slopes = _slopes(places, normals, numbers, shape, lambda solid: flat(solid.rim, camera))
    for run, count in _runs(normals, low.astype(int), clear & np.isfinite(slopes).all(axis=1)):
        off, sigma = edge_offset(across[run].mean(axis=0), len(run) * 2, NOTHING_BESIDE, blur_px, min(reach_px, 2.0))
        yield Edge(
            off,
            float(np.hypot(sigma, RIDGE_MM * per_mm) * np.sqrt(count)),
            slopes[run].mean(axis=0),
            "rim",
            places[run].mean(axis=0),
        )


def _bends(normals: Floats) -> Floats:
    """How much a closed outline turns at each of its places, in rad per px."""
    turned = np.roll(normals, -1, axis=0), np.roll(normals, 1, axis=0)
    cross = turned[1][:, 0] * turned[0][:, 1] - turned[1][:, 1] * turned[0][:, 0]
    bends: Floats = np.abs(np.arctan2(cross, np.sum(turned[0] * turned[1], axis=1))) / (2 * SPACING_PX)
    return bends


def _ground(
    places: Floats, normals: Floats, camera: Camera, field: Floats | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether what is seen beyond an outline is black paper, and where it is only so in part."""
    if field is None:
        return np.zeros(len(places), dtype=bool), np.zeros(len(places), dtype=bool)
    pixels = (places[:, None] + normals[:, None] * BEYOND_PX[None, :, None]).reshape(-1, 2)
    rays, eye = camera.rays_in_table(pixels), camera.centre_in_table()
    plan = (eye + rays * (eye[2] / np.maximum(-rays[:, 2:], 1e-6)))[:, :2]
    inside = ((plan > field[0]) & (plan < field[1])).all(axis=1).reshape(len(places), -1)
    black = np.asarray(inside.all(axis=1))
    return black, np.asarray(inside.any(axis=1) & ~black)


def _runs(normals: Floats, sort: NDArray[np.int_], good: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], float]]:
    """Places that are looked at together, neighbours of one sort that face about the same way; how many make a side."""
    way = np.round(np.arctan2(normals[:, 1], normals[:, 0]) / (2 * np.pi / WAYS)).astype(int) % WAYS
    key = np.where(good, way + WAYS * sort, -1)
    start = int(np.argmax(key != np.roll(key, 1)))
    order = np.roll(np.arange(len(key)), -start)
    for run in np.split(order, np.flatnonzero(np.diff(key[order])) + 1):
        if key[run[0]] >= 0:
            count = -(-len(run) // MOST_TOGETHER)
            for part in np.array_split(run, count):
                yield part, float(count)


def _slopes(
    places: Floats, normals: Floats, numbers: Floats, shape: type[Shape], line: Callable[[RoundedSolid], Floats]
) -> Floats:
    """How far a line in the picture moves along normals (n, numbers) with each number."""
    slopes = np.empty((len(places), len(numbers)))
    for n, step in enumerate(np.array(shape.usual) * 0.1):
        change = np.zeros(len(numbers))
        change[n] = step
        more, less = (reach(line(shape.solid(numbers + d)), places, normals) for d in (change, -change))
        slopes[:, n] = (more - less) / (2 * step)
    return slopes
