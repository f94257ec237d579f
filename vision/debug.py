"""What people send when something is wrong: both views with the outline of every piece, residuals and odds."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np

from calibration.camera import Rig
from referee.layout import Car, Column, Layout, Piece, Road
from referee.pieces import Kit
from vision.contours import prisms_of
from vision.evidence import Evidence
from vision.fit import Scene, lines_of, offsets_of, support
from vision.solids import solid_of
from vision.view import Picture, View, view_of
from vision.views import scenes_of

OLD, NEW, UNSURE = (200, 200, 200), (90, 220, 90), (40, 170, 255)
RESIDUAL_TIMES = 6.0
"""Residuals are drawn this much longer than they are."""
REACH_PX = 3.0


def debug_picture(
    layout: Layout, pictures: Mapping[str, Picture], rig: Rig, kit: Kit, accepted: Layout | None = None
) -> Picture:
    """Both views side by side, new pieces green and unsure ones amber, with residuals across their outlines."""
    old = {piece.id for piece in accepted.pieces()} if accepted is not None else set()
    views = {name: view_of(pictures[name], rig.cameras[name], name) for name in pictures}
    scenes = scenes_of([Evidence(view) for view in views.values()], layout, kit)
    drawn = [_drawn(scene, layout, kit, old) for scene in scenes]
    height = max(picture.shape[0] for picture in drawn)
    padded = [cv2.copyMakeBorder(p, 0, height - p.shape[0], 0, 0, cv2.BORDER_CONSTANT) for p in drawn]
    return np.asarray(np.hstack(padded), np.uint8)


def _drawn(scene: Scene, layout: Layout, kit: Kit, old: set[str]) -> Picture:
    view: View = scene.evidence.view
    canvas = view.picture.copy()
    for piece in layout.pieces():
        colour = UNSURE if piece.unsure is not None else OLD if piece.id in old else NEW
        alone = Scene(scene.evidence, scene.depth.without(piece.id), scene.knee)
        prism = solid_of(piece, kit)
        lines = lines_of(alone, prisms_of([prism]))
        for x, y in np.rint(lines.pixels).astype(int):
            cv2.circle(canvas, (int(x), int(y)), 1, colour, -1, cv2.LINE_AA)
        if piece.id not in old and not isinstance(piece, Car) and len(lines.points):
            offsets, weights = offsets_of(alone, lines, REACH_PX)
            ends = lines.pixels + (RESIDUAL_TIMES * offsets * (weights > 0.2))[:, None] * lines.normals
            for start, end in zip(np.rint(lines.pixels).astype(int), np.rint(ends).astype(int), strict=True):
                cv2.line(canvas, start.tolist(), end.tolist(), (80, 80, 255), 1, cv2.LINE_AA)
        spot = np.rint(view.lens.project(prism.origin)).astype(int)
        share = support(alone, prism)
        label = f"{piece.id} {_fact(piece)} {share.seen:.2f}/{share.visible:.2f}"
        for thickness, ink in ((3, (0, 0, 0)), (1, colour)):
            cv2.putText(canvas, label, spot.tolist(), cv2.FONT_HERSHEY_SIMPLEX, 0.4, ink, thickness, cv2.LINE_AA)
    return canvas


def _fact(piece: Piece) -> str:
    """What is told of a piece, with its odds where it is asked."""
    odds = " ".join(f"{c.height or c.type or c.owner}:{c.p}" for c in piece.candidates[:3])
    match piece:
        case Column():
            return f"{piece.height}{'y' if piece.junction else ''} {odds}".strip()
        case Road():
            return f"{piece.from_}>{piece.to}"
        case Car():
            return f"{piece.owner} {piece.type or odds}"
