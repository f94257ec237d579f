"""Many poses at once, coarsely: how well edges bear out sticks and columns at each of them."""

from __future__ import annotations

import math

import numpy as np

from referee.pieces import Kit
from vision.contours import contour
from vision.depth import Patch
from vision.evidence import least_across
from vision.fit import NEXT_MM, Scene
from vision.solids import cylinder
from vision.view import Floats, is_within

SIDE_SAMPLES = 30
END_SHARES = (-0.15, 0.0, 0.15)
END_WEIGHT = 1.5


def stick_scores(scene: Scene, poses: Floats, kit: Kit, samples: int = SIDE_SAMPLES) -> Floats:
    """Log-odds scores (m,) of stick poses (m, 5) in one view; fewer samples are quicker and weigh more each."""
    lens = scene.evidence.lens
    yaw, za, zb = poses[:, 2], poses[:, 3], poses[:, 4]
    flat = np.sqrt(np.maximum(kit.road_length_mm**2 - (zb - za) ** 2, 1.0))
    u = np.stack([np.cos(yaw) * flat, np.sin(yaw) * flat, zb - za], axis=-1)
    v = np.stack([-np.sin(yaw), np.cos(yaw), np.zeros_like(yaw)], axis=-1) * kit.road_width_mm
    w = np.array([0, 0, kit.road_thickness_mm / 2])
    middle = np.column_stack([poses[:, :2], (za + zb) / 2])
    along = np.linspace(-0.46, 0.46, samples)
    # A side that faces the camera ends in its lower edge, one that is turned away in its upper edge.
    lines = []
    for side in (-0.5, 0.5):
        facing = np.einsum("mi,mi->m", lens.eye - middle, side * v) > 0
        edge = middle + side * v + np.where(facing, -1.0, 1.0)[:, None] * w
        lines.append((edge, u, along, kit.road_length_mm, SIDE_SAMPLES / samples))
        facing = np.einsum("mi,mi->m", lens.eye - middle - side * u, side * u) > 0
        edge = middle + side * u + np.where(facing, -1.0, 1.0)[:, None] * w
        lines.append((edge, v, np.array(END_SHARES), kit.road_width_mm, END_WEIGHT))
    return sum((weight * _line_score(scene, *line) for *line, weight in lines), np.zeros(len(poses)))


def _line_score(scene: Scene, middles: Floats, runs: Floats, shares: Floats, length_mm: float) -> Floats:
    """Summed log-odds (m,) of points at shares (n,) of straight lines, runs (m, 3) of a length about middles (m, 3)."""
    # One more point, a little past the first: it tells which way the line runs in the picture.
    pixels, depth_mm = scene.evidence.lens.project_lines(
        middles, runs, np.append(shares, shares[0] + NEXT_MM / length_mm)
    )
    run, pixels = pixels[:, -1] - pixels[:, 0], pixels[:, :-1]
    normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.hypot(*run.T), 1e-9)[:, None]
    return _score(scene, pixels, normals[:, None], depth_mm[:, :-1])


def column_scores(
    scene: Scene, places: Floats, bottom_mm: float, top_mm: float, kit: Kit, over: Patch | None = None
) -> Floats:
    """Log-odds scores (m,) of columns at nearby places (m, 2) in one view; `over` is one more piece that hides."""
    lens = scene.evidence.lens
    x, y = places.mean(axis=0)
    whole = contour(cylinder(float(x), float(y), bottom_mm, top_mm, kit.disc_radius_mm), lens.eye)
    shape, tangents = whole.points[whole.bounds], whole.tangents[whole.bounds]
    pixels, depth_mm = lens.project_moved(shape, places - (x, y))
    here, ahead = lens.project(np.stack([shape, shape + NEXT_MM * tangents]))
    run = ahead - here
    normals = np.stack([run[:, 1], -run[:, 0]], axis=-1) / np.maximum(np.linalg.norm(run, axis=-1), 1e-9)[:, None]
    return _score(scene, pixels, normals, depth_mm, over)


def _score(scene: Scene, pixels: Floats, normals: Floats, depth_mm: Floats, over: Patch | None = None) -> Floats:
    strength = least_across(scene.evidence.soft_edges, pixels, normals)
    free = is_within(pixels, scene.depth.shape, 1) & ~scene.depth.hides(pixels, depth_mm)
    if over is not None:
        free &= ~over.hides(pixels, depth_mm)
    scores: Floats = (free * (strength / (strength + scene.knee) - 0.5)).sum(axis=-1)
    return scores


def grid_mm(reach_mm: float, step_mm: float) -> Floats:
    """Places (m, 2) on a square grid within a circle about the origin."""
    steps = np.arange(-math.floor(reach_mm / step_mm), math.floor(reach_mm / step_mm) + 1) * step_mm
    places = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    within: Floats = places[np.hypot(*places.T) <= reach_mm]
    return within
