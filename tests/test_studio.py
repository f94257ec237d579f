"""The studio: what it renders is what the truth says, to a fifth of a pixel."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, Rig
from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from sample_frames.falls import drop

mi: Any = pytest.importorskip("mitsuba", reason="the studio group is not installed: uv pip install --group studio")
mi.set_variant("llvm_ad_rgb")

from sample_frames.studio.light import Lamp, Lighting  # noqa: E402
from sample_frames.studio.looks import Look  # noqa: E402
from sample_frames.studio.parts import car_parts, column_parts, fallen_parts, road_part  # noqa: E402
from sample_frames.studio.render import Renderer  # noqa: E402
from sample_frames.studio.rigs import random_rig  # noqa: E402
from sample_frames.studio.scene import Props, Stage  # noqa: E402
from sample_frames.studio.sensor import View  # noqa: E402
from sample_frames.studio.surfaces import Surface  # noqa: E402
from sample_frames.turns import car_on  # noqa: E402

KIT = Kit()
COLUMN = Column("c", 30.0, -20.0, 3, False, "purple")
ROAD = Road("r", (-60.0, 10.0, 31.0), (30.0, 25.0, 41.0), "road", None, None, "purple")


def look() -> Look:
    dark = Surface("dark", np.full((64, 64, 3), 8, dtype=np.uint8), 1.0, 0.0, 0.0, 0.0)
    light = Lighting("none", 0.0, 1.0, (Lamp((0.0, 0.0, 1500.0), 400.0, (8.0, 8.0, 8.0)),))
    black = (0.0, 0.0, 0.0)
    return Look(dark, light, black, black, black, {}, 1.0, 0.0, 0.0, 0.0)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return random_rig(np.random.default_rng(5), np.array([0.0, 0.0, 0.0]), 300.0, (640, 360))


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    rng = np.random.default_rng(1)
    parts = [*column_parts(COLUMN, KIT, look(), rng), road_part(ROAD, KIT, look(), rng)]
    sky = {"type": "constant", "radiance": {"type": "rgb", "value": 1.0}}
    return Renderer(Stage(tuple(parts), {"sky": sky}))


def silhouette(camera: Camera, points: np.ndarray) -> np.ndarray:
    """The convex outline that points make in a picture, in px."""
    pixels = camera.project(points).astype(np.float32)
    return cv2.convexHull(pixels)[:, 0].astype(np.float64)


def moments(outline: np.ndarray) -> tuple[float, np.ndarray, float]:
    """Area, centroid and length of an outline."""
    after = np.roll(outline, -1, axis=0)
    cross = outline[:, 0] * after[:, 1] - outline[:, 1] * after[:, 0]
    area = cross.sum() / 2
    centroid = ((outline + after) * cross[:, None]).sum(axis=0) / (6 * area)
    return abs(float(area)), centroid, float(np.linalg.norm(after - outline, axis=1).sum())


def stick_points() -> np.ndarray:
    a, b = np.array(ROAD.a), np.array(ROAD.b)
    way = (b - a) / np.linalg.norm(b - a)
    side = np.array([-way[1], way[0], 0.0]) / np.hypot(way[0], way[1])
    up = np.cross(way, side)
    return np.array(
        [tip + s * side * KIT.road_width_mm / 2 + u * up * KIT.road_thickness_mm / 2
         for tip in (a, b) for s in (-1, 1) for u in (-1, 1)]
    )  # fmt: skip


@pytest.mark.parametrize("name", ["overhead", "side"])
def test_piece_numbers_lie_where_the_truth_projects(rig: Rig, renderer: Renderer, name: str) -> None:
    camera = rig.cameras[name]
    truth = renderer.truth(View(camera))
    mask = truth.ids == truth.names.index("r")
    area, centroid, length = moments(silhouette(camera, stick_points()))
    rows, columns = np.nonzero(mask)
    off = np.array([columns.mean(), rows.mean()]) - centroid
    tip_a, tip_b = camera.project(np.array([ROAD.a, ROAD.b]))
    along = (tip_b - tip_a) / np.linalg.norm(tip_b - tip_a)
    assert abs(off[0] * along[1] - off[1] * along[0]) < 0.1
    assert abs(off @ along) < 0.4  # the ends are rounded, and the nearer one loses more pixels by that
    # Rounded ends and edges take a little off the box; nothing is added.
    assert -0.45 < (mask.sum() - area) / length < 0.1


@pytest.mark.parametrize("name", ["overhead", "side"])
def test_depth_is_that_of_the_piece(rig: Rig, renderer: Renderer, name: str) -> None:
    camera = rig.cameras[name]
    truth = renderer.truth(View(camera))
    column, row = np.round(camera.project(np.array([[-15.0, 17.5, 36.0 + 1.25]]))[0]).astype(int)
    if truth.ids[row, column] == truth.names.index("r"):
        seen = camera.depth_mm(np.array([[-15.0, 17.5, 37.25]]))[0]
        assert truth.depth_mm[row, column] == pytest.approx(seen, abs=1.5)


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("name", ["overhead", "side"])
def test_the_picture_agrees_with_the_piece_numbers(rig: Rig, renderer: Renderer, name: str, clean: bool) -> None:
    """No half-pixel offset between light and truth: dark pieces before a bright sky have the same middle in both."""
    camera = rig.cameras[name]
    shade = 1.0 - renderer.light(View(camera), 64, 3, clean).mean(axis=2)
    covered = (renderer.truth(View(camera)).ids > 0).astype(np.float64)
    near = cv2.dilate(covered, np.ones((5, 5))) > 0
    flat = np.where(near, np.clip(shade / np.median(shade[covered > 0]), 0.0, 1.0), 0.0)
    rows, columns = np.mgrid[: camera.height, : camera.width]
    for axis in (rows, columns):
        assert (axis * flat).sum() / flat.sum() == pytest.approx((axis * covered).sum() / covered.sum(), abs=0.2)


def test_a_car_stands_on_its_road_with_its_middle_where_the_layout_says() -> None:
    level = Road("r", (-50.0, 0.0, 21.25), (45.0, 0.0, 21.25), "road", None, None, "purple")
    car = car_on("k", KIT, level, 0.5, "purple", "food_truck")
    parts = car_parts(car, level, KIT, look(), np.random.default_rng(1))
    heights = np.concatenate([part.mesh.vertices[:, 2] for part in parts])
    assert heights.min() == pytest.approx(21.25 + KIT.road_thickness_mm / 2, abs=0.05)
    assert (heights.min() + heights.max()) / 2 == pytest.approx(car.z, abs=0.05)


def test_a_window_is_that_part_of_the_whole_picture(rig: Rig, renderer: Renderer) -> None:
    window = (200, 90, 160, 120)
    whole = renderer.light(View(rig.side), 256, 3, clean=False)[90:210, 200:360]
    part = renderer.light(View(rig.side, window_px=window), 256, 3, clean=False)
    assert np.abs(cv2.blur(whole, (9, 9)) - cv2.blur(part, (9, 9))).max() < 0.03
    assert np.array_equal(
        renderer.truth(View(rig.side, window_px=window)).ids, renderer.truth(View(rig.side)).ids[90:210, 200:360]
    )


def test_a_piece_looks_the_same_whatever_stands_beside_it() -> None:
    other = Column("d", -40.0, 30.0, 2, False, "green")
    alone, together = (Props(KIT, look(), 3) for _ in range(2))
    together.parts(other)
    for one, two in zip(alone.parts(COLUMN), together.parts(COLUMN), strict=True):
        assert np.array_equal(one.mesh.vertices, two.mesh.vertices)


def test_what_fell_lies_on_the_table(rig: Rig) -> None:
    standing = Layout((), (), ())
    level = Road("r", (-50.0, 0.0, 21.25), (45.0, 0.0, 21.25), "road", None, None, "purple")
    car = car_on("k", KIT, level, 0.5, "purple", "food_truck")
    for lying in drop([COLUMN, level, car], standing, KIT, np.random.default_rng(2)):
        parts = fallen_parts(lying, "purple", KIT, look(), np.random.default_rng(3))
        lowest = min(part.mesh.vertices[:, 2].min() for part in parts)
        assert lowest == pytest.approx(0.0, abs=0.35)


def test_one_seed_gives_one_result(rig: Rig) -> None:
    def picture() -> np.ndarray:
        rng = np.random.default_rng(9)
        stage = Stage(tuple(column_parts(COLUMN, KIT, look(), rng)), {"sky": {"type": "constant"}})
        return Renderer(stage).light(View(rig.side, 0.5, 500.0), 4, 7)

    assert np.array_equal(picture(), picture())
