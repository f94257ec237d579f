"""Mitsuba at work: light, and for each pixel which piece it shows and how far away that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import drjit as dr
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera

from .lens import Light
from .scene import Part, Stage
from .sensor import sensor

TABLE_ID = 0


@dataclass(frozen=True, slots=True)
class Truth:
    """For each pixel's centre: the index of what it shows (0: nothing of the game) and its depth along the axis."""

    ids: NDArray[np.uint16]
    depth_mm: NDArray[np.float32]
    names: tuple[str, ...]
    """names[id] is the piece's id; names[0] is empty."""


class Renderer:
    """One stage, ready to be seen by cameras."""

    def __init__(self, stage: Stage) -> None:
        self.names = ("", *dict.fromkeys(part.piece for part in stage.parts if part.piece))
        shapes = {f"part{number}": _mesh(part) for number, part in enumerate(stage.parts)}
        self.scene = mi.load_dict({"type": "scene", "integrator": INTEGRATOR, **stage.emitters, **shapes})
        self._index = {
            int(dr.reinterpret_array(mi.UInt32, mi.ShapePtr(shapes[f"part{number}"]))[0]): self.names.index(part.piece)
            for number, part in enumerate(stage.parts)
        }

    def light(
        self, camera: Camera, samples: int, seed: int, aperture_mm: float, focus_mm: float, scale: float
    ) -> Light:
        """Linear RGB of what the camera sees (h, w, 3)."""
        seen = sensor(camera, "camera", samples, aperture_mm, focus_mm, scale)
        return np.array(mi.render(self.scene, sensor=seen, spp=samples, seed=seed), dtype=np.float32)

    def truth(self, camera: Camera) -> Truth:
        """Ids and depths at pixel centres, exact: one ray each, no filter."""
        rows, columns = np.mgrid[: camera.height, : camera.width]
        pixels = np.stack([columns.ravel(), rows.ravel()], axis=1).astype(np.float64)
        rays = camera.rays_in_table(pixels)
        eye = camera.centre_in_table()
        origin = mi.Point3f(*(mi.Float(float(c)) for c in eye))
        hit = self.scene.ray_intersect_preliminary(mi.Ray3f(origin, mi.Vector3f(*(mi.Float(r) for r in rays.T))))
        shape = np.array(dr.reinterpret_array(mi.UInt32, hit.shape))
        distance = np.where(np.array(hit.is_valid()), np.array(hit.t), 0.0)
        lookup = np.zeros(int(shape.max()) + 1, dtype=np.uint16)
        for pointer, index in self._index.items():
            if pointer < len(lookup):
                lookup[pointer] = index
        depth = distance * (rays @ np.array(camera.R[2]))
        size = (camera.height, camera.width)
        return Truth(lookup[shape].reshape(size), depth.astype(np.float32).reshape(size), self.names)


INTEGRATOR = {"type": "path", "max_depth": 7}


def _mesh(part: Part) -> Any:
    """A part as a Mitsuba mesh."""
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(part.bsdf)
    mesh = part.mesh
    shape = mi.Mesh(
        part.piece or "stage", vertex_count=len(mesh.vertices), face_count=len(mesh.faces),
        has_vertex_normals=True, has_vertex_texcoords=mesh.uvs is not None, props=props,
    )  # fmt: skip
    fields = mi.traverse(shape)
    fields["vertex_positions"] = np.ravel(mesh.vertices).astype(np.float32)
    fields["vertex_normals"] = np.ravel(mesh.normals).astype(np.float32)
    if mesh.uvs is not None:
        fields["vertex_texcoords"] = np.ravel(mesh.uvs).astype(np.float32)
    fields["faces"] = np.ravel(mesh.faces).astype(np.uint32)
    fields.update()
    return shape
