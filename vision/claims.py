"""Lines that a piece accounts for: they speak for no other piece."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from vision.contours import contour
from vision.depth import with_solids
from vision.fit import Scene
from vision.odds import LEAST_CAR
from vision.seek import GRID_MM, Field
from vision.solids import Prism
from vision.view import Lens

WIDE_PX = 5
MASK_MM = 2.0


def with_claimed(scene: Scene, parts: Mapping[str, Prism]) -> Scene:
    """The scene with further pieces in it, which hide what is behind them and claim their own lines."""
    lens = scene.evidence.lens
    depth = with_solids(scene.depth, parts, lens)
    width, height = lens.camera.width, lens.camera.height
    mask = np.zeros((height, width), np.uint8)
    for prism in parts.values():
        pixels = np.rint(lens.project(contour(prism, lens.eye).points)).astype(int)
        inside = ((pixels >= 0) & (pixels < (width, height))).all(axis=1)
        mask[pixels[inside, 1], pixels[inside, 0]] = 1
    wide = np.asarray(cv2.dilate(mask, np.ones((WIDE_PX, WIDE_PX), np.uint8)), np.uint8)
    return dataclasses.replace(scene, depth=depth, claimed=wide if scene.claimed is None else wide | scene.claimed)


def but_for_cars(scene: Scene) -> Scene:
    """The scene with the lines of what the net takes for cars claimed: they run along the edges of the roads below."""
    if scene.evidence.cars is None:
        return scene
    is_car = (scene.evidence.cars > LEAST_CAR).astype(np.uint8)
    cars = np.asarray(cv2.dilate(is_car, np.ones((3, 3), np.uint8)), np.uint8)
    return dataclasses.replace(scene, claimed=cars if scene.claimed is None else cars | scene.claimed)


def masked(where: Field, lens: Lens, parts: Sequence[Prism]) -> Field:
    """The field without the edges of pieces that are explained."""
    mask = np.zeros(where.tensors[0].shape[:2], np.uint8)
    for prism in parts:
        pixels = lens.project(np.concatenate([prism.ring(1.0), prism.ring(-1.0)]))
        spots = lens.on_plane(pixels, where.z_mm)[:, :2]
        hull = cv2.convexHull(((spots - (where.box.left, where.box.bottom)) / GRID_MM).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull).astype(np.int32), 1)
    size = 2 * round(MASK_MM / GRID_MM) + 1
    return where.only(cv2.dilate(mask, np.ones((size, size), np.uint8)) == 0)
