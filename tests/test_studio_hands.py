"""The studio's hands: skinned models read and bent, poses of the known joints, tracks that put pieces down exactly."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray

from sample_frames.studio.arms import bones, limb, sleeve, tweezers
from sample_frames.studio.assets import StudioError
from sample_frames.studio.gltf import joints_posed, posed, read_skinned
from sample_frames.studio.hand_poses import GRIPS, HOLDING, JOINTS, POSES, Side, blended, rotations, turned, varied
from sample_frames.studio.hand_tracks import HandState, Kind, track
from sample_frames.studio.skin import TONES, random_tone

Floats = NDArray[np.float64]
EDGE = np.array([40.0, -380.0, 0.0])
STEPS = 400
MOST_STEP_MM = 12.0
"""Within a 400th of a track of some two seconds: under 2.5 m/s."""
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def glb(head: dict[str, Any], binary: bytes) -> bytes:
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<2I", len(text), 0x4E4F534A) + text + struct.pack("<2I", len(binary), 0x004E4942) + binary
    return struct.pack("<3I", 0x46546C67, 2, 12 + len(chunks)) + chunks


def finger() -> tuple[dict[str, Any], bytes]:
    """Two triangles in metres: one carried by `root`, one 0.1 m up by `tip`, which hangs on it."""
    points = np.array([[0, 0, 0], [0.01, 0, 0], [0, 0.01, 0], [0, 0, 0.1], [0.01, 0, 0.1], [0, 0.01, 0.1]], "<f4")
    binds = np.tile(np.eye(4, dtype="<f4"), (2, 1, 1))
    binds[1, 2, 3] = -0.1
    arrays: list[tuple[str, int, NDArray[Any]]] = [
        ("VEC3", 5126, points),
        ("VEC3", 5126, np.tile(np.array([0, 0, 1], "<f4"), (6, 1))),
        ("VEC2", 5126, points[:, :2].copy()),
        ("VEC4", 5121, np.array([[0, 0, 0, 0]] * 3 + [[1, 0, 0, 0]] * 3, "u1")),
        ("VEC4", 5126, np.tile(np.array([1, 0, 0, 0], "<f4"), (6, 1))),
        ("SCALAR", 5123, np.arange(6, dtype="<u2")),
        ("MAT4", 5126, binds.transpose(0, 2, 1).copy()),
    ]
    binary = b""
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []
    for kind, number, array in arrays:
        accessors.append({"bufferView": len(views), "componentType": number, "type": kind})
        accessors[-1]["count"] = array.size // WIDTHS[kind]
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes})
        binary += array.tobytes()
    names = {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "JOINTS_0": 3, "WEIGHTS_0": 4}
    head = {
        "asset": {"version": "2.0"},
        "nodes": [{"name": "root", "children": [1]}, {"name": "tip"}, {"name": "body", "mesh": 0, "skin": 0}],
        "meshes": [{"primitives": [{"attributes": names, "indices": 5}]}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": 6}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    }
    return head, binary


def written(folder: Path, data: bytes) -> Path:
    file = folder / "finger.glb"
    file.write_bytes(data)
    return file


def test_the_bind_pose_is_the_rest_mesh(tmp_path: Path) -> None:
    model = read_skinned(written(tmp_path, glb(*finger())))
    assert model.names == ("root", "tip")
    assert model.parents == (-1, 0)
    assert np.array_equal(posed(model, {}).vertices, model.rest.vertices)
    assert np.array_equal(posed(model, {"tip": np.eye(3)}).vertices, model.rest.vertices)
    assert np.allclose(model.rest.vertices[3], (0.0, 0.0, 100.0), atol=1e-5)


def test_a_joint_moves_only_what_it_carries(tmp_path: Path) -> None:
    model = read_skinned(written(tmp_path, glb(*finger())))
    bent = posed(model, {"tip": turned(90.0, 0.0, 0.0)})
    assert np.array_equal(bent.vertices[:3], model.rest.vertices[:3])
    assert np.allclose(bent.vertices[3:], [(0, 0, 100), (10, 0, 100), (0, 0, 110)], atol=1e-4)
    assert np.allclose(bent.normals[3:], (0, -1, 0), atol=1e-6)


def test_children_follow_their_parents(tmp_path: Path) -> None:
    model = read_skinned(written(tmp_path, glb(*finger())))
    assert np.allclose(joints_posed(model, {"root": turned(90.0, 0.0, 0.0)})[1][:3, 3], (0, -100, 0), atol=1e-4)
    with pytest.raises(StudioError, match="no joint"):
        model.chained({"tip": "elbow"})
    with pytest.raises(StudioError, match="no joint toe"):
        posed(model, {"toe": np.eye(3)})
    alone = model.chained({})
    assert np.array_equal(posed(alone, {"root": turned(90, 0, 0)}).vertices[3:], alone.rest.vertices[3:])


@pytest.mark.parametrize("keep", [0, 3, 11, 30, -40])
def test_files_cut_short_are_refused(tmp_path: Path, keep: int) -> None:
    with pytest.raises(StudioError):
        read_skinned(written(tmp_path, glb(*finger())[:keep]))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("nodes", 2), {"name": "body", "mesh": 0}),
        (("accessors", 0, "bufferView"), 99),
        (("accessors", 0, "count"), 10_000),
        (("accessors", 0, "componentType"), 1),
        (("accessors", 0, "sparse"), {}),
        (("accessors", 6, "count"), 1),
        (("meshes", 0, "primitives", 0, "mode"), 1),
        (("skins", 0, "joints"), [0]),
        (("skins",), []),
    ],
)
def test_broken_files_are_refused(tmp_path: Path, path: tuple[Any, ...], value: object) -> None:
    head, binary = finger()
    inner: Any = head
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    with pytest.raises(StudioError):
        read_skinned(written(tmp_path, glb(head, binary)))
    with pytest.raises(StudioError):
        read_skinned(tmp_path / "absent.glb")


@pytest.mark.parametrize("side", get_args(Side))
@pytest.mark.parametrize("name", POSES)
def test_poses_are_rotations_of_known_joints(name: str, side: Side) -> None:
    for pose in (POSES[name], varied(name, np.random.default_rng(4)), blended(POSES[name], POSES["open"], 0.3)):
        found = rotations(pose, side)
        assert set(found) <= set(JOINTS)
        for matrix in found.values():
            assert np.allclose(matrix @ matrix.T, np.eye(3))
            assert np.linalg.det(matrix) == pytest.approx(1.0)


def test_variation_is_seeded_and_leaves_the_grip_alone() -> None:
    first, again, other = (varied("pinch", np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other
    for joint, angles in POSES["pinch"].items():
        if joint.startswith(HOLDING["pinch"]):
            assert first[joint] == angles
    assert set(GRIPS) == set(HOLDING)
    with pytest.raises(ValueError, match="no joints"):
        rotations({"toe": (0.0, 0.0, 0.0)}, "left")


def target(kind: Kind, yaw_deg: float) -> Floats:
    pose = np.eye(4)
    pose[:3, :3] = turned(0.0, 0.0, yaw_deg)
    pose[:3, 3] = (25.0, -30.0, 0.0) if kind in ("column", "rest", "leave") else (25.0, -30.0, 31.0)
    return pose


def corners(state: HandState) -> Floats:
    """The wrist, where the longest finger ends when stretched, and the piece."""
    reach = np.array([[0, 0, 0, 1], [0, 0, -120.0, 1], [30, -80, -130, 1], [-30, -80, -130, 1]], dtype=np.float64)
    points = (reach @ state.table_from_wrist.T)[:, :3]
    return points if state.table_from_piece is None else np.vstack([points, state.table_from_piece[:3, 3]])


@pytest.mark.parametrize("yaw_deg", [0.0, 35.0, 90.0, -60.0])
@pytest.mark.parametrize("kind", get_args(Kind))
def test_tracks_run_smoothly_from_the_edge_and_back(kind: Kind, yaw_deg: float) -> None:
    for seed in range(4):
        run = track(kind, target(kind, yaw_deg), EDGE, np.random.default_rng(seed))
        states = [run(i / STEPS) for i in range(STEPS + 1)]
        for before, after in pairwise(states):
            for a, b in zip(before, after, strict=True):
                assert np.linalg.norm(corners(b) - corners(a), axis=1).max() < MOST_STEP_MM
                assert max(abs(a.pose[j][0] - b.pose[j][0]) for j in a.pose) < 5.0
        outward = EDGE[:2] - target(kind, 0.0)[:2, 3]
        ends = [states[-1]] if kind == "leave" else [states[0], states[-1]]
        for state in (hand for end in ends for hand in end):
            points = corners(state) if state is not states[-1][0] else corners(state)[:4]
            assert ((points[:, :2] - EDGE[:2]) @ outward > 0).all()


@pytest.mark.parametrize("kind", ["column", "stick", "car"])
def test_pieces_are_carried_exactly_to_their_place(kind: Kind) -> None:
    for seed in range(6):
        place = target(kind, 20.0 * seed)
        run = track(kind, place, EDGE, np.random.default_rng(seed))
        grips = []
        for time in np.linspace(0.0, 1.0, 101):
            states = run(float(time))
            assert sum(state.table_from_piece is not None for state in states) == 1
            held = states[0].table_from_piece
            assert held is not None
            if time >= 0.5:
                assert np.array_equal(held, place)
            else:
                grips.append(np.linalg.inv(states[0].table_from_wrist) @ held)
        assert np.allclose(grips, grips[0], atol=1e-9)


def test_tracks_are_seeded() -> None:
    first, again = (track("stick", target("stick", 0.0), EDGE, np.random.default_rng(9))(0.4) for _ in range(2))
    assert np.array_equal(first[0].table_from_wrist, again[0].table_from_wrist)
    with pytest.raises(ValueError, match="edge"):
        track("rest", target("rest", 0.0), target("rest", 0.0)[:3, 3], np.random.default_rng(1))


def test_arms_sleeves_and_tweezers_are_closed_and_look_outward() -> None:
    rng = np.random.default_rng(2)
    wrist = track("car", target("car", 10.0), EDGE, rng)(0.5)[0].table_from_wrist
    arm = bones(wrist, np.array([0.0, 0.0, 18.0]), np.array([200.0, -700.0, 330.0]), wrist[:3, 0], 1.0)
    angles = np.arange(40) * (2 * np.pi / 40)
    rim = np.column_stack([25 * np.cos(angles), 18 * np.sin(angles), 3 * np.sin(angles)])
    bare = limb(arm, rim, 1.0)
    assert 1e6 < bare.volume_mm3 < sleeve(arm, 0.0, 6.0, rng).volume_mm3
    gap = np.linalg.norm(bare.vertices[:, None] - (arm.points[0] + rim @ wrist[:3, :3].T)[None], axis=2).min(axis=0)
    assert gap.max() < 2.0
    steel = tweezers(wrist, np.zeros(3), np.array([0.0, -1.0, -1.0]), np.array([1.0, 0.0, 0.0]), 8.0)
    assert steel.volume_mm3 > 500


def test_skin_runs_from_light_to_very_dark() -> None:
    tones = np.array([random_tone(np.random.default_rng(seed)) for seed in range(200)])
    assert (tones[:, 0] > tones[:, 1]).all()
    assert (tones[:, 1] > tones[:, 2]).all()
    assert tones[:, 0].min() < 0.1 < 0.55 < tones[:, 0].max()
    assert [sum(tone) for tone in TONES] == sorted((sum(tone) for tone in TONES), reverse=True)
