"""Mitsuba at work: light, and for each pixel which piece it shows and how far away that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import drjit as dr
import mitsuba as mi
import numpy as np
from numpy.typing import NDArray

from .lens import Light
from .mesh import Mesh
from .parts import Part
from .scene import Stage
from .sensor import View, sensor

DEPTH, DRAFT_DEPTH = 7, 4
"""Longest paths of light."""


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
        shapes = [_mesh(part) for part in stage.parts]
        named = {
            part.slot or f"part{n}": shape for n, (part, shape) in enumerate(zip(stage.parts, shapes, strict=True))
        }
        self.scene = mi.load_dict({"type": "scene", "integrator": {"type": "path"}, **stage.emitters, **named})
        self._index = {
            int(dr.reinterpret_array(mi.UInt32, mi.ShapePtr(shape))[0]): self.names.index(part.piece)
            for shape, part in zip(shapes, stage.parts, strict=True)
        }

    def move(self, parts: Sequence[Part]) -> bool:
        """Give the parts of these slots another form, in the same scene: in a new one kernels are compiled anew.

        False, and nothing moved, where a form has not as many vertices as before.
        """
        fields = mi.traverse(self.scene)
        forms = {f"{part.slot}.{name}": value for part in parts for name, value in _form(part.mesh).items()}
        if any(key not in fields or len(fields[key]) != len(value) for key, value in forms.items()):
            return False
        for key, value in forms.items():
            fields[key] = value
        fields.update()
        return True

    def light(self, view: View, samples: int, seed: int, clean: bool = True) -> Light:
        """Linear RGB of what a view shows (h, w, 3); a clean one has the noise of few samples taken off again."""
        return self.lights((view,), samples, seed, clean)[0]

    def lights(
        self, views: tuple[View, ...], samples: int, seed: int, clean: bool = True, draft: bool = False
    ) -> list[Light]:
        """Views of one size, traced together; a draft follows light over fewer bounces, for what moves."""
        paths = self._rendered(_paths(DRAFT_DEPTH if draft else DEPTH), views, samples, seed)
        colours = np.split(paths, len(views), axis=1)
        if not clean:
            return colours
        # Two runs: in one, Mitsuba's `aov` integrator traces every path twice.
        guides = np.split(self._rendered(_guides(), views, max(4, samples // 2), seed), len(views), axis=1)
        return [_cleaned(colour, guide, draft) for colour, guide in zip(colours, guides, strict=True)]

    def _rendered(self, integrator: Any, views: tuple[View, ...], samples: int, seed: int) -> Light:
        seen = sensor(views, samples)
        picture = mi.render(self.scene, sensor=seen, integrator=integrator, spp=samples, seed=seed)
        return np.array(picture, dtype=np.float32)

    def truth(self, view: View) -> Truth:
        """Ids and depths at pixel centres: one ray each, no filter, all in focus."""
        camera, (left, top, _, _), (width, height) = view.camera, view.window, view.film_px
        rows, columns = (np.mgrid[:height, :width] + 0.5) / view.scale - 0.5
        pixels = np.stack([columns.ravel() + left, rows.ravel() + top], axis=1)
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
        size = (height, width)
        return Truth(lookup[shape].reshape(size), depth.astype(np.float32).reshape(size), self.names)


def _cleaned(colour: Light, guide: Light, draft: bool) -> Light:
    import pyoidn

    albedo, normal = (np.ascontiguousarray(guide[..., i : i + 3]) for i in (0, 3))
    cleaned: Light = pyoidn.denoise(
        np.ascontiguousarray(colour), albedo=np.clip(albedo, 0.0, 1.0), normal=normal, hdr=True,
        quality="fast" if draft else "high",
    )  # fmt: skip
    return cleaned


@cache
def _paths(depth: int) -> Any:
    return mi.load_dict({"type": "path", "max_depth": depth})


@cache
def _guides() -> Any:
    """The paint and the surface's direction at each pixel, which guide the cleaning."""
    return mi.load_dict({"type": "aov", "aovs": "albedo:albedo,normal:sh_normal"})


_MESHES: WeakKeyDictionary[Part, Any] = WeakKeyDictionary()


def _mesh(part: Part) -> Any:
    """A part as a Mitsuba mesh, made once."""
    if part not in _MESHES:
        _MESHES[part] = _made(part)
    return _MESHES[part]


def _made(part: Part) -> Any:
    props = mi.Properties()
    props["bsdf"] = mi.load_dict(part.bsdf)
    mesh = part.mesh
    shape = mi.Mesh(
        part.piece or "stage", vertex_count=len(mesh.vertices), face_count=len(mesh.faces),
        has_vertex_normals=True, has_vertex_texcoords=mesh.uvs is not None, props=props,
    )  # fmt: skip
    fields = mi.traverse(shape)
    for name, value in _form(mesh).items():
        fields[name] = value
    fields.update()
    return shape


def _form(mesh: Mesh) -> dict[str, Any]:
    """A mesh's numbers by Mitsuba's names."""
    form = {
        "vertex_positions": np.ravel(mesh.vertices).astype(np.float32),
        "vertex_normals": np.ravel(mesh.normals).astype(np.float32),
        "faces": np.ravel(mesh.faces).astype(np.uint32),
    }
    if mesh.uvs is not None:
        form["vertex_texcoords"] = np.ravel(mesh.uvs).astype(np.float32)
    return form
