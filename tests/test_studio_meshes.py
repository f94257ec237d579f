"""The studio's meshes: closed, outward, exactly as large as told, the same for the same seed, and tellable apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from referee.pieces import CAR_TYPES, DEFAULT_CAR_SIZES_MM, Kit
from sample_frames.studio import city
from sample_frames.studio.cars import car
from sample_frames.studio.mesh import Floats, Mesh, merged, moved
from sample_frames.studio.pieces import disc, stick
from sample_frames.studio.solids import box, extruded

KITS = (
    Kit(),
    Kit(disc_diameter_mm=15.4, disc_height_mm=11.2, road_length_mm=108.0, road_width_mm=7.8, road_thickness_mm=2.1),
)
QUAD = [(0.0, 0.0), (30.0, 5.0), (26.0, 30.0), (-4.0, 24.0)]
ELL = [(0.0, 0.0), (0.0, 35.0), (20.0, 35.0), (20.0, 20.0), (40.0, 20.0), (40.0, 0.0)]
ROUND = [(12 * np.cos(a), 12 * np.sin(a)) for a in np.linspace(0, 2 * np.pi, 20, endpoint=False)]
OUTLINES = {"quad": QUAD, "ell": ELL, "round": ROUND}
GRID_MM = 0.25
SMALL, LARGE = 0.85, 1.15


def seeded(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def kit_meshes(kit: Kit) -> dict[str, Mesh]:
    return {
        "disc": disc(kit, seeded()),
        "stick": stick(kit, kit.road_length_mm, seeded()),
        "bowed": stick(kit, 60.0, seeded(), bow_mm=0.4, width_spread_mm=-0.3, end_roundness=0.5),
    }


def car_meshes(name: str, scale: float) -> dict[str, Mesh]:
    length, width, height = DEFAULT_CAR_SIZES_MM[name]
    return car(name, (length * scale, width * scale, height * scale), seeded())


MAKERS: dict[str, Callable[[], dict[str, Mesh]]] = {
    **{f"kit {k}": partial(kit_meshes, kit) for k, kit in enumerate(KITS)},
    **{f"{name} {scale}": partial(car_meshes, name, scale) for name in CAR_TYPES for scale in (SMALL, LARGE)},
    **{
        f"{kind} {shape}": partial(city.building, kind, outline, 31.0, seeded())
        for kind in city.MAKERS
        for shape, outline in OUTLINES.items()
    },
    **{f"rainbow {shape}": partial(city.rainbow, outline) for shape, outline in OUTLINES.items()},
    "areas": lambda: {shape: city.area(outline) for shape, outline in OUTLINES.items()},
}


def bounds_of(parts: dict[str, Mesh]) -> Floats:
    return merged(parts.values()).bounds_mm


@pytest.mark.parametrize("made", MAKERS)
def test_meshes_are_closed_outward_and_rightly_shaded(made: str) -> None:
    for part, mesh in MAKERS[made]().items():
        _, same = np.unique(np.round(mesh.vertices * 1e7).astype(np.int64), axis=0, return_inverse=True)
        faces = same.reshape(-1)[mesh.faces]
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        assert np.all(np.unique(edges, axis=0, return_counts=True)[1] == 1), f"{part}: two faces run one way on an edge"
        pairs = np.unique(np.sort(edges, axis=1), axis=0, return_counts=True)[1]
        assert np.all(pairs == 2), f"{part}: an edge lacks its other face"
        assert mesh.volume_mm3 > 0, part
        assert np.allclose(np.linalg.norm(mesh.normals, axis=1), 1, atol=1e-9), part
        a, b, c = (mesh.vertices[mesh.faces[:, i]] for i in range(3))
        flat = np.cross(b - a, c - a)
        flat /= np.linalg.norm(flat, axis=1, keepdims=True)
        assert np.einsum("fcj,fj->fc", mesh.normals[mesh.faces], flat).min() > 0.3, part


@pytest.mark.parametrize("kit", KITS)
def test_a_disc_is_exact_at_its_widest_and_nearly_so_elsewhere(kit: Kit) -> None:
    mesh = disc(kit, seeded())
    radius, height = kit.disc_radius_mm, kit.disc_height_mm
    assert np.allclose(mesh.bounds_mm, [[-radius, -radius, 0], [radius, radius, height]], atol=1e-6)
    radii, z = np.linalg.norm(mesh.vertices[:, :2], axis=1), mesh.vertices[:, 2]
    assert np.allclose(radii[np.abs(z - height / 2) < 1e-6], radius, atol=1e-6)
    assert radii[np.abs(z - height / 2) < 0.7 * (height / 2 - 0.8)].min() > radius - 0.05
    assert radii.max() < radius + 1e-9
    assert z[(radii < 0.9 * radius) & (z > height / 2)].min() > height - 0.05


@pytest.mark.parametrize("kit", KITS)
def test_a_stick_is_as_large_as_the_kit_says(kit: Kit) -> None:
    half = np.array([40.0, kit.road_width_mm / 2, kit.road_thickness_mm / 2])
    assert np.allclose(stick(kit, 80.0, seeded()).bounds_mm, [-half, half], atol=1e-6)
    bowed = stick(kit, 80.0, seeded(), bow_mm=0.4, width_spread_mm=0.2).bounds_mm
    assert np.allclose(bowed[1], half + np.array([0, 0.1, 0.4]), atol=1e-6)


@pytest.mark.parametrize("name", CAR_TYPES)
def test_a_car_fills_its_box(name: str) -> None:
    size = np.array(DEFAULT_CAR_SIZES_MM[name]) * [1.1, 0.9, 1.15]
    half = np.array([size[0] / 2, size[1] / 2, 0.0])
    parts = car(name, (size[0], size[1], size[2]), seeded())
    assert set(parts) == {"paint", "glass", "dark", "light"}
    assert np.allclose(bounds_of(parts), [-half, half + np.array([0, 0, size[2]])], atol=1e-6)
    assert abs(parts["dark"].bounds_mm[0, 2]) < 1e-6, "it stands on its tyres"


@pytest.mark.parametrize("outline", [QUAD, ELL, ROUND])
@pytest.mark.parametrize("kind", ["building", "tower", "tree"])
def test_a_building_fills_its_outline(kind: str, outline: list[tuple[float, float]]) -> None:
    plan = np.array(outline)
    low, high = bounds_of(city.building(kind, outline, 44.0, seeded()))
    assert np.allclose(low, [*plan.min(axis=0), 0], atol=1e-6)
    assert np.allclose(high, [*plan.max(axis=0), 44.0], atol=1e-6)


def test_an_aeroplane_fills_a_turned_rectangle() -> None:
    table_from_plane = moved(5.0, -7.0, 0.0, 0.6)
    corners = np.array([(-20, -15), (20, -15), (20, 15), (-20, 15)], dtype=np.float64)
    outline = corners @ table_from_plane[:2, :2].T + table_from_plane[:2, 3]
    parts = city.building("aeroplane", outline, 13.0, seeded())
    plane_from_table = np.linalg.inv(table_from_plane).astype(np.float64)
    level = {part: mesh.transformed(plane_from_table) for part, mesh in parts.items()}
    assert np.allclose(bounds_of(level), [[-20, -15, 0], [20, 15, 13]], atol=1e-6)


def test_the_rainbow_stands_over_its_area_and_lets_roads_through() -> None:
    bands = city.rainbow([(0, 0), (60, 0), (60, 14), (0, 14)])
    assert list(bands) == [f"band{k}" for k in range(7)]
    assert np.allclose(bounds_of(bands)[:, [0, 2]], [[0, 0], [60, 30]], atol=1e-6)
    inner = bands["band6"].vertices
    assert np.hypot(inner[:, 0] - 30, inner[:, 2]).min() > 15


def test_area_cards_carry_their_print() -> None:
    card = city.area(ELL)
    assert card.uvs is not None
    assert np.allclose([card.uvs.min(axis=0), card.uvs.max(axis=0)], [[0, 0], [1, 1]])
    assert card.bounds_mm[:, 2].tolist() == [0.0, 0.8]


def test_one_seed_makes_one_piece() -> None:
    def made(seed: int) -> list[Mesh]:
        rng = seeded(seed)
        size = DEFAULT_CAR_SIZES_MM["sedan"]
        pieces = [disc(Kit(), rng), stick(Kit(), 95.0, rng), *car("sedan", size, rng).values()]
        return [*pieces, *city.building("tree", ROUND, 20.0, rng).values()]

    for one, again in zip(made(1), made(1), strict=True):
        assert np.array_equal(one.vertices, again.vertices)
        assert np.array_equal(one.faces, again.faces)
        assert np.array_equal(one.normals, again.normals)
        if one.uvs is not None and again.uvs is not None:
            assert np.array_equal(one.uvs, again.uvs)
    assert not np.array_equal(made(1)[0].vertices, made(2)[0].vertices), "two discs are never quite alike"


def silhouette(name: str) -> Floats:
    """Which cells of a grid over 30 x 10 mm the car covers, seen from its right."""
    mesh = merged(car(name, DEFAULT_CAR_SIZES_MM[name], seeded()).values())
    covered = np.zeros((int(10 / GRID_MM), int(30 / GRID_MM)))
    for corners in (mesh.vertices[mesh.faces][:, :, [0, 2]] + (15, 0)) / GRID_MM - 0.5:
        (left, low), (right, high) = np.ceil(corners.min(axis=0)).astype(int), np.floor(corners.max(axis=0)).astype(int)
        if left > right or low > high:
            continue
        x, z = np.meshgrid(np.arange(left, right + 1), np.arange(low, high + 1))
        inside = np.ones(x.shape, dtype=bool)
        for p, q in ((0, 1), (1, 2), (2, 0)):
            side = corners[q] - corners[p]
            inside &= side[0] * (z - corners[p, 1]) - side[1] * (x - corners[p, 0]) >= 0
        covered[low : high + 1, left : right + 1][inside] = 1
    return covered


def test_the_ten_types_differ_from_the_side() -> None:
    seen = {name: silhouette(name) for name in CAR_TYPES}
    for one, other in combinations(CAR_TYPES, 2):
        apart = np.abs(seen[one] - seen[other]).sum() / np.maximum(seen[one], seen[other]).sum()
        assert apart > 0.08, f"{one} and {other} differ in {apart:.0%} of their side view"


def test_mirroring_keeps_a_mesh_outward() -> None:
    mesh = box((0, 0, 0), (3, 2, 1), 0.2).mesh().transformed(np.diag([-1.0, 1.0, 1.0, 1.0]))
    assert mesh.volume_mm3 > 0
    assert np.allclose(mesh.bounds_mm, [[-3, 0, 0], [0, 2, 1]])


def test_hard_edges_stay_hard_and_bevels_run_smooth() -> None:
    hard, soft = box((0, 0, 0), (3, 2, 1)).mesh(), extruded(ROUND, 0.0, 5.0, 0.5).mesh()
    assert len(hard.vertices) == 24
    assert len(soft.vertices) == len(np.unique(np.round(soft.vertices, 7), axis=0))


def test_a_mesh_of_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="outside 0 to 2"):
        Mesh(np.zeros((3, 3)), np.array([[0, 1, 3]]), np.zeros((3, 3)))
