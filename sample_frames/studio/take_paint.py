"""Quads painted into a picture from far to near: fast, and as exact as a hand or a card's edge needs."""

from __future__ import annotations

import cv2
import numpy as np

from .take_hand import Quads
from .take_light import Lights
from .take_warp import MIDDLE, Box, Floats, Light, View

NEAREST_MM = 40.0
_SHIFT = 4
_WIDER = 1.4
"""How far outside the view points are still projected; beyond, a lens's polynomial may fold back."""
_SOFTEN_PX = 0.6
_SKIN_GLOSS = 0.03


def paint(view: View, lights: Lights, moments: list[Quads]) -> tuple[Box, Light] | None:
    """Quads (table frame) at some moments of an exposure, averaged: RGBA, premultiplied; None if nothing is seen."""
    ready = [found for quads in moments if (found := _visible(view, lights, quads)) is not None]
    if not ready:
        return None
    outer = np.concatenate([pixels.reshape(-1, 2) for pixels, _ in ready])
    left, top = np.maximum(np.floor(outer.min(axis=0)).astype(int) - 3, 0)
    right, bottom = np.minimum(np.ceil(outer.max(axis=0)).astype(int) + 4, [view.camera.width, view.camera.height])
    if right <= left or bottom <= top:
        return None
    total = np.zeros((bottom - top, right - left, 4), dtype=np.float32)
    for pixels, colours in ready:
        layer = np.zeros_like(total)
        corners = np.rint((pixels - [left, top]) * 2**_SHIFT).astype(np.int32)
        for quad, colour in zip(corners, colours.tolist(), strict=True):
            cv2.fillConvexPoly(layer, quad, colour, cv2.LINE_8, _SHIFT)
        total += layer
    total /= len(moments)
    return (slice(top, bottom), slice(left, right)), np.asarray(cv2.GaussianBlur(total, (0, 0), _SOFTEN_PX))


def _visible(view: View, lights: Lights, quads: Quads) -> tuple[Floats, Floats] | None:
    """Corners in px (n, 4, 2) of the faces that look here, from far to near, and their RGBA (n, 4)."""
    camera = view.camera
    seen = quads.points @ np.array(camera.R).T + np.array(camera.t)
    straight = seen[:, :2] / np.maximum(seen[:, 2:], NEAREST_MM)
    rim = view.rays[MIDDLE, :: view.camera.height - 1]
    reach = _WIDER * np.abs(rim).max(axis=(0, 1))
    fine = (seen[:, 2] > NEAREST_MM) & (np.abs(straight) < reach).all(axis=1)
    middles = quads.points[quads.faces].mean(axis=1)
    eye = camera.centre_in_table()
    here = ((eye - middles) * quads.normals).sum(axis=1) > 0
    keep = np.flatnonzero(here & fine[quads.faces].all(axis=1))
    if not len(keep):
        return None
    keep = keep[np.argsort(-seen[quads.faces[keep], 2].mean(axis=1))]
    pixels = camera.project(quads.points)[quads.faces[keep]]
    normals, middles = quads.normals[keep], middles[keep]
    # Light goes a little way into skin and cloth: the edge between light and dark is soft.
    soft = normals + 0.25 * (eye - middles) / np.linalg.norm(eye - middles, axis=1, keepdims=True)
    soft /= np.linalg.norm(soft, axis=1, keepdims=True)
    light = quads.colours[keep] * lights.on(middles, soft) + _SKIN_GLOSS * lights.gloss(middles, normals, eye, 12.0)
    return pixels, np.column_stack([light, np.ones(len(light))])
