"""Binary glTF files with one skinned mesh: read whole, checked, and bent at the joints by linear blend skinning."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .assets import StudioError
from .mesh import Floats, Ints, Mesh

MAGIC, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
MM_PER_UNIT = 1_000.0
"""glTF is in metres."""
NUMBERS = {5120: "i1", 5121: "u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


@dataclass(frozen=True, slots=True, eq=False)
class Skinned:
    """A mesh in its bind pose (mm) and the joints that carry it; `parents[i]` is a joint's index or -1."""

    rest: Mesh
    names: tuple[str, ...]
    parents: tuple[int, ...]
    mesh_from_joint: Floats
    """(j,4,4) in the bind pose, translations in mm."""
    weights: Floats
    """(n,j): how much of each vertex each joint carries; rows sum to 1."""

    def chained(self, parent_of: Mapping[str, str]) -> Skinned:
        """The same model with its joints hung on one another by name, for files that list them side by side."""
        index = {name: i for i, name in enumerate(self.names)}
        missing = sorted((set(parent_of) | set(parent_of.values())) - set(index))
        if missing:
            raise StudioError(f"the model has no joint {', '.join(missing)}")
        return replace(self, parents=tuple(index[parent_of[n]] if n in parent_of else -1 for n in self.names))


def read_skinned(file: Path) -> Skinned:
    """The one skinned mesh of a .glb file."""
    try:
        head, binary = _chunks(file.read_bytes())
        return _skinned(head, binary)
    except OSError as error:
        raise StudioError(f"cannot read {file.name}: {error}") from error
    except (KeyError, IndexError, TypeError, ValueError, struct.error, np.linalg.LinAlgError) as error:
        raise StudioError(f"{file.name} is no glTF with one skinned mesh: {error!r}") from error


def joints_posed(model: Skinned, joint_rotations: Mapping[str, Floats]) -> Floats:
    """mesh_from_joint (j,4,4) with each named joint turned by a 3x3 in its own frame, its children following."""
    unknown = sorted(set(joint_rotations) - set(model.names))
    if unknown:
        raise StudioError(f"the model has no joint {', '.join(unknown)}")
    found: dict[int, Floats] = {}

    def place(i: int) -> Floats:
        if i not in found:
            parent = model.parents[i]
            bind = model.mesh_from_joint[i]
            above = np.eye(4) if parent < 0 else place(parent) @ np.linalg.inv(model.mesh_from_joint[parent])
            turn = np.eye(4)
            turn[:3, :3] = joint_rotations.get(model.names[i], np.eye(3))
            found[i] = above @ bind @ turn
        return found[i]

    return np.stack([place(i) for i in range(len(model.names))])


def posed(model: Skinned, joint_rotations: Mapping[str, Floats]) -> Mesh:
    """The mesh in mm with its joints turned; without turns it is the rest mesh exactly."""
    turned = {name: matrix for name, matrix in joint_rotations.items() if not np.array_equal(matrix, np.eye(3))}
    places = joints_posed(model, joint_rotations)
    if not turned:
        return model.rest
    moved = places @ np.linalg.inv(model.mesh_from_joint)
    blended = np.einsum("nj,jab->nab", model.weights, moved)
    vertices = np.einsum("nab,nb->na", blended[:, :3, :3], model.rest.vertices) + blended[:, :3, 3]
    normals = np.einsum("nab,nb->na", blended[:, :3, :3], model.rest.normals)
    # What no turned joint carries keeps its place bit by bit.
    still = (model.weights[:, _moving(model, set(turned))] == 0).all(axis=1)
    vertices[still], normals[still] = model.rest.vertices[still], model.rest.normals[still]
    return replace(model.rest, vertices=vertices, normals=normals / np.linalg.norm(normals, axis=1, keepdims=True))


def _moving(model: Skinned, turned: set[str]) -> list[int]:
    """The joints that are turned themselves or hang on one that is."""

    def moves(i: int) -> bool:
        return i >= 0 and (model.names[i] in turned or moves(model.parents[i]))

    return [i for i in range(len(model.names)) if moves(i)]


def _chunks(data: bytes) -> tuple[dict[str, Any], bytes]:
    magic, version, length = struct.unpack_from("<3I", data)
    if magic != MAGIC or version != 2:
        raise ValueError("not a binary glTF of version 2")
    if length > len(data):
        raise ValueError(f"cut short: {len(data)} of {length} bytes")
    size, kind = struct.unpack_from("<2I", data, 12)
    if kind != JSON_CHUNK:
        raise ValueError("its first chunk is not JSON")
    head: dict[str, Any] = json.loads(data[20 : 20 + size])
    start = 20 + size
    size, kind = struct.unpack_from("<2I", data, start)
    if kind != BINARY_CHUNK:
        raise ValueError("its second chunk is not binary")
    return head, data[start + 8 : start + 8 + size]


def _skinned(head: dict[str, Any], binary: bytes) -> Skinned:
    nodes, skins = head["nodes"], head["skins"]
    bodies = [node for node in nodes if "mesh" in node and "skin" in node]
    if len(bodies) != 1 or len(head["meshes"][bodies[0]["mesh"]]["primitives"]) != 1:
        raise ValueError("it does not hold exactly one skinned mesh")
    primitive = head["meshes"][bodies[0]["mesh"]]["primitives"][0]
    if primitive.get("mode", 4) != 4:
        raise ValueError("its mesh is not made of triangles")
    skin, names = skins[bodies[0]["skin"]], primitive["attributes"]
    joints = [int(j) for j in skin["joints"]]
    points = _numbers(head, binary, names["POSITION"]) * MM_PER_UNIT
    uvs = _numbers(head, binary, names["TEXCOORD_0"]) if "TEXCOORD_0" in names else None
    faces: Ints = _numbers(head, binary, primitive["indices"]).astype(np.int64).reshape(-1, 3)
    # Matrices are stored column by column.
    joint_from_mesh = _numbers(head, binary, skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
    mesh_from_joint: Floats = np.linalg.inv(joint_from_mesh).astype(np.float64)
    mesh_from_joint[:, :3, 3] *= MM_PER_UNIT
    if len(mesh_from_joint) != len(joints):
        raise ValueError(f"{len(mesh_from_joint)} bind matrices for {len(joints)} joints")
    bound = _numbers(head, binary, names["JOINTS_0"]).astype(np.int64)
    share = _numbers(head, binary, names["WEIGHTS_0"])
    weights = np.zeros((len(points), len(joints)))
    np.add.at(weights, (np.arange(len(points))[:, None], bound), share)
    if not np.allclose(weights.sum(axis=1), 1.0, atol=1e-3):
        raise ValueError("its weights do not sum to 1")
    above = {int(child): i for i, node in enumerate(nodes) for child in node.get("children", ())}
    parents = tuple(joints.index(above[j]) if above.get(j) in joints else -1 for j in joints)
    normals = _numbers(head, binary, names["NORMAL"])
    rest = Mesh(points, faces, normals / np.linalg.norm(normals, axis=1, keepdims=True), uvs)
    labels = tuple(str(nodes[j].get("name", j)) for j in joints)
    return Skinned(rest, labels, parents, mesh_from_joint, weights / weights.sum(axis=1, keepdims=True))


def _numbers(head: dict[str, Any], binary: bytes, accessor: int) -> Floats:
    """An accessor's values (count, width), integers that stand for fractions scaled."""
    what = head["accessors"][accessor]
    if "sparse" in what:
        raise ValueError("sparse accessors are not read")
    view = head["bufferViews"][what["bufferView"]]
    kind, width, count = np.dtype(NUMBERS[what["componentType"]]), WIDTHS[what["type"]], int(what["count"])
    start = view.get("byteOffset", 0) + what.get("byteOffset", 0)
    step = view.get("byteStride", width * kind.itemsize)
    if start + step * (count - 1) + width * kind.itemsize > len(binary):
        raise ValueError("an accessor reaches beyond the data")
    raw = np.ndarray((count, width), kind, binary, start, (step, kind.itemsize))
    values = raw.astype(np.float64)
    return values / np.iinfo(kind).max if what.get("normalized") and kind.kind in "iu" else values
