"""Lines that a piece accounts for: they speak for no other piece."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import cv2
import numpy as np

from vision.contours import contour
from vision.depth import with_solids
from vision.fit import Scene
from vision.solids import Prism

WIDE_PX = 5


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
