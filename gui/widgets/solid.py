"""The 3D view: the table as bodies that one can turn. Where there is no OpenGL the plan stands alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PyQt6.QtGui import QColor, QGuiApplication, QOpenGLContext, QSurfaceFormat
from PyQt6.QtWidgets import QWidget

from calibration.camera import Camera
from gui.scene import Scene
from gui.theme import STEP, Theme
from gui.widgets.parts import label, stack
from referee.layout import Building, Car, Column, Piece, Road
from vision.solids import Prism, car_size_mm, cylinder, solid_of
from vision.view import Floats

LAMP = np.array([0.35, -0.45, 0.82])


def has_opengl() -> bool:
    """Whether this screen can draw bodies."""
    if QGuiApplication.platformName() in ("offscreen", "minimal", "vnc", "linuxfb"):
        return False
    context = QOpenGLContext()
    context.setFormat(QSurfaceFormat.defaultFormat())
    return context.create()


class SolidView(QWidget):
    """Bodies to scale; drag turns them, the wheel comes closer."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme, self.scene = theme, Scene()
        self._mesh: Any = None
        self.view: Any = None
        self._far_mm: float | None = None
        self._turned = False
        box = stack(margin=0)
        self.setLayout(box)
        if has_opengl():
            from pyqtgraph.opengl import GLViewWidget

            self.view = GLViewWidget()
            self.view.setCameraPosition(elevation=50)
            box.addWidget(self.view)
            theme.changed.connect(self._draw)
        else:
            words = "This screen has no OpenGL: the plan shows the same table."
            box.addStretch(1)
            box.addWidget(label(words, "dim", wrap=True))
            box.addStretch(1)
            box.setContentsMargins(2 * STEP, 2 * STEP, 2 * STEP, 2 * STEP)

    def turn_as(self, camera: Camera | None) -> None:
        """Seen at first from where the foot of the overhead picture is; whoever has turned it since keeps that."""
        if self.view is None or self._turned:
            return
        self._turned = True
        down_x, down_y = (0.0, -1.0) if camera is None else (camera.R[1][0], camera.R[1][1])
        self.view.setCameraPosition(azimuth=math.degrees(math.atan2(down_y, down_x)))

    def show_scene(self, scene: Scene) -> None:
        if scene != self.scene:
            self.scene = scene
            self._draw()

    def _draw(self) -> None:
        if self.view is None:
            return
        from pyqtgraph import Vector
        from pyqtgraph.opengl import GLMeshItem

        self.view.setBackgroundColor(self.theme.colour("panel"))
        if self._mesh is not None:
            self.view.removeItem(self._mesh)
            self._mesh = None
        vertices, faces, colours = mesh_of(self.scene, self.theme)
        if len(faces):
            self._mesh = GLMeshItem(
                vertexes=vertices, faces=faces, faceColors=colours, smooth=False, shader=None, computeNormals=False
            )
            self.view.addItem(self._mesh)
            low, high = vertices.min(0), vertices.max(0)
            self.view.opts["center"] = Vector(*(float(v) for v in (low + high) / 2))
            if self._far_mm is None:
                # Once: whoever has come closer stays there.
                self._far_mm = float(np.linalg.norm(high - low)) * 0.85
                self.view.setCameraPosition(distance=self._far_mm)
            self.view.update()


def mesh_of(scene: Scene, theme: Theme) -> tuple[Floats, np.ndarray, Floats]:
    """All bodies as one mesh: vertices, triangles, a colour for each."""
    vertices: list[Floats] = []
    faces: list[np.ndarray] = []
    colours: list[Floats] = []
    count = 0
    for piece in (*scene.layout.pieces(), *scene.layout.buildings):
        for prism, colour in _bodies(piece, scene, theme):
            points, triangles = _triangles(prism)
            vertices.append(points)
            faces.append(triangles + count)
            colours.append(_lit(points, triangles, prism.origin, np.array(colour.getRgbF(), float)))
            count += len(points)
    if not vertices:
        return np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros((0, 4))
    return np.concatenate(vertices), np.concatenate(faces), np.concatenate(colours)


def _bodies(piece: Piece | Building, scene: Scene, theme: Theme) -> list[tuple[Prism, QColor]]:
    kit = scene.kit
    match piece:
        case Column():
            grey = theme.colour("grey_disc")
            top = theme.colour("yellow_disc") if piece.junction else grey
            owner = theme.player(piece.owner, scene.players)
            bodies = []
            for disc in range(piece.height):
                low, high = kit.column_top_mm(disc), kit.column_top_mm(disc + 1)
                colour = top if disc == piece.height - 1 else grey
                body = cylinder(piece.x, piece.y, low + 0.4, high, kit.disc_radius_mm)
                bodies.append((body, colour.lighter(115) if piece.id in scene.fresh else colour))
            bodies.append((cylinder(piece.x, piece.y, 0.0, 0.6, kit.disc_radius_mm * 1.15), owner))
            return bodies
        case Road():
            colour = theme.player(piece.owner, scene.players)
            return [(solid_of(piece, kit), colour if piece.id in scene.fresh else colour.darker(120))]
        case Car():
            length, width, height = car_size_mm(piece.type, kit)
            if not all((length, width, height)):
                return []
            return [(solid_of(piece, kit), theme.player(piece.owner, scene.players).lighter(125))]
        case Building():
            return [(solid_of(piece, kit), theme.colour("dim"))]


def _lit(points: Floats, triangles: np.ndarray, middle: Floats, colour: Floats) -> Floats:
    """The colour of each triangle of a body in the light of a lamp over the table."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    outward = np.einsum("ij,ij->i", normals, (a + b + c) / 3 - middle) >= 0
    normals = np.where(outward[:, None], normals, -normals)
    light = 0.5 + 0.5 * np.clip(normals @ LAMP, 0.0, 1.0)
    shaded: Floats = np.column_stack([light[:, None] * colour[:3], np.full(len(light), colour[3])])
    return shaded


def _triangles(prism: Prism) -> tuple[Floats, np.ndarray]:
    top, bottom = prism.ring(1.0), prism.ring(-1.0)
    n = len(top)
    i = np.arange(n)
    j = (i + 1) % n
    sides = np.concatenate([np.stack([i, j, i + n], 1), np.stack([j, j + n, i + n], 1)])
    inner = np.arange(1, n - 1)
    lid = np.stack([np.zeros(n - 2, int), inner, inner + 1], 1)
    return np.concatenate([top, bottom]), np.concatenate([sides, lid, lid[:, ::-1] + n])
