"""What people send when something is wrong: both views with the outline of every piece, residuals and odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np

from calibration.camera import Rig
from referee.layout import Car, Column, Layout, Piece, Road
from referee.pieces import Kit
from vision.contours import prisms_of
from vision.evidence import Evidence
from vision.fit import Scene, lines_of, offsets_of, support
from vision.labels import draw_labels, text_panel
from vision.solids import solid_of
from vision.view import Floats, Picture, view_of
from vision.views import scenes_of

OLD, NEW, UNSURE = (200, 200, 200), (90, 220, 90), (40, 170, 255)
RESIDUAL, RESIDUAL_TIMES = (80, 80, 255), 6.0
"""Residuals are drawn this much longer than they are."""
REACH_PX = 3.0
MARGIN_PX, DRAWN_WIDTH_PX, MOST_TIMES = 40, 1500, 3.0
"""How much is shown about the pieces, how wide a view is drawn then, and how much larger at most."""


def debug_picture(
    layout: Layout, pictures: Mapping[str, Picture], rig: Rig, kit: Kit, accepted: Layout | None = None
) -> Picture:
    """Both views of all pieces side by side, new ones green and unsure ones amber, residuals across their outlines, and
    below in words what is new or unsure: how much of what shows of it is seen in each view, and its odds."""
    old = {piece.id for piece in accepted.pieces()} if accepted is not None else set()
    views = {name: view_of(pictures[name], rig.cameras[name], name) for name in pictures}
    scenes = scenes_of([Evidence(view) for view in views.values()], layout, kit)
    drawn = [_drawn(scene, layout, kit, old) for scene in scenes]
    height = max(picture.shape[0] for picture in drawn)
    beside = np.hstack([cv2.copyMakeBorder(p, 0, height - p.shape[0], 0, 0, cv2.BORDER_CONSTANT) for p in drawn])
    lines = [
        (f"{piece.id}  {_fact(piece)}  {_seen_in(piece, scenes, kit)}  {piece.unsure or ''}", _colour(piece, old))
        for piece in layout.pieces()
        if piece.id not in old or piece.unsure is not None
    ]
    lines = [(f"the whole layout: {layout.unsure}", UNSURE), *lines] if layout.unsure else lines
    return np.asarray(np.vstack([beside, text_panel(lines, beside.shape[1])]), np.uint8)


def _colour(piece: Piece, old: set[str]) -> tuple[int, int, int]:
    return UNSURE if piece.unsure is not None else OLD if piece.id in old else NEW


def _drawn(scene: Scene, layout: Layout, kit: Kit, old: set[str]) -> Picture:
    """A view about the pieces, enlarged."""
    view = scene.evidence.view
    prisms = {piece.id: solid_of(piece, kit) for piece in layout.pieces()}
    outlines = {name: lines_of(_alone(scene, name), prisms_of([prism])) for name, prism in prisms.items()}
    left, top, width, height = _window([one.pixels for one in outlines.values()], view.picture)
    times = min(max(DRAWN_WIDTH_PX / width, 1.0), MOST_TIMES)
    part = view.picture[top : top + height, left : left + width]
    canvas = np.asarray(cv2.resize(part, None, fx=times, fy=times, interpolation=cv2.INTER_CUBIC), np.uint8)
    labels = []
    for piece in layout.pieces():
        colour, lines = _colour(piece, old), outlines[piece.id]
        starts = _on_canvas(lines.pixels, (left, top), times)
        for spot in starts:
            cv2.circle(canvas, spot.tolist(), 1, colour, -1, cv2.LINE_AA)
        if piece.id not in old and not isinstance(piece, Car) and len(lines.points):
            offsets, weights = offsets_of(_alone(scene, piece.id), lines, REACH_PX)
            ends = lines.pixels + (RESIDUAL_TIMES * offsets * (weights > 0.2))[:, None] * lines.normals
            for start, end in zip(starts, _on_canvas(ends, (left, top), times), strict=True):
                cv2.line(canvas, start.tolist(), end.tolist(), RESIDUAL, 1, cv2.LINE_AA)
        middle = _on_canvas(view.lens.project(prisms[piece.id].origin)[None], (left, top), times)[0]
        labels.append((_name(piece), (int(middle[0]), int(middle[1])), colour))
    # What is new or unsure first: it gets the best places.
    draw_labels(canvas, sorted(labels, key=lambda one: one[2] == OLD))
    return canvas


def _on_canvas(pixels: Floats, corner: tuple[int, int], times: float) -> np.ndarray:
    """Where pixels (n, 2) of a view are drawn."""
    drawn: np.ndarray = np.rint((pixels - corner + 0.5) * times - 0.5).astype(int)
    return drawn


def _window(outlines: Sequence[Floats], picture: Picture) -> tuple[int, int, int, int]:
    """Left, top, width and height of what the pieces take up; the whole picture where there are none."""
    points = np.concatenate([np.zeros((0, 2)), *outlines])
    limits = np.array(picture.shape[1::-1])
    if not len(points):
        return 0, 0, int(limits[0]), int(limits[1])
    first = np.clip(points.min(axis=0).astype(int) - MARGIN_PX, 0, limits - 1)
    last = np.clip(points.max(axis=0).astype(int) + MARGIN_PX, first + 1, limits)
    return int(first[0]), int(first[1]), int(last[0] - first[0]), int(last[1] - first[1])


def _alone(scene: Scene, name: str) -> Scene:
    """The scene without a piece, as that one meets it."""
    return Scene(scene.evidence, scene.depth.without(name), scene.knee)


def _seen_in(piece: Piece, scenes: Sequence[Scene], kit: Kit) -> str:
    """How much of what shows of a piece's outline is seen in each view, and how much of it shows."""
    shares = [support(_alone(scene, piece.id), solid_of(piece, kit)) for scene in scenes]
    return ", ".join(f"{one.seen:.2f} of {one.visible:.2f}" for one in shares)


def _name(piece: Piece) -> str:
    """What is written beside a piece."""
    return f"{piece.id} {piece.height}{'y' if piece.junction else ''}" if isinstance(piece, Column) else piece.id


def _fact(piece: Piece) -> str:
    """What is told of a piece, with its odds where it is asked."""
    odds = " ".join(f"{c.height or c.type or c.owner}:{c.p}" for c in piece.candidates[:3])
    match piece:
        case Column():
            return f"{piece.height} high{', yellow top' if piece.junction else ''} {odds}".strip()
        case Road():
            return f"{piece.from_ or 'table'} > {piece.to or 'table'}"
        case Car():
            return f"{piece.owner} {piece.type or odds} on {piece.road}"
