"""What pieces add together is the same whether it is worked out anew or from what was scored before."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_single import crossing
from tests.test_vision_watch import KIT
from tests.vision_drawing import RIG, drawn
from vision.bodies import stick_tips
from vision.contours import prisms_of
from vision.fit import Scene
from vision.parts import Part, cell_count, parts_of
from vision.region import play_box
from vision.solids import Prism, cylinder, stick
from vision.stage import Stage, total
from vision.told import told_of
from vision.views import evidence_of, scenes_of

Piece = tuple[int, Prism]


@functools.cache
def scenes() -> list[Scene]:
    views = evidence_of(drawn(crossing(), seed=7), None, RIG, play_box(BARE_TABLE, RIG, KIT))
    return scenes_of([told_of(view, np.array([0.0, 0.0, KIT.disc_height_mm]), KIT) for view in views], BARE_TABLE, KIT)


def crowded(count: int) -> list[Piece]:
    """Columns and sticks all over the middle of the table, many behind and in each other."""
    rng = np.random.default_rng(3)
    found: list[Prism] = []
    for x, y, yaw in rng.uniform((-90, -60, 0), (90, 60, 6.28), (count // 2, 3)):
        top_mm = KIT.column_top_mm(int(rng.integers(1, 6)))
        found.append(cylinder(float(x), float(y), 0.0, top_mm, KIT.disc_radius_mm))
        pose = np.array([x, y, yaw, *rng.uniform(2, 60, 2)])
        found.append(stick(*stick_tips(pose, KIT.road_length_mm), KIT))
    return list(enumerate(found))


def painted(scene: Scene, pieces: list[Piece]) -> float:
    """What pieces add, by painting all of them: the nearest of each pixel shows, and each cell is worth one line."""
    coarse = scene.evidence.lens.halved()
    parts: list[Part] = [parts_of(scene, coarse, prisms_of([prism]))[0] for _, prism in pieces]
    depth = np.full((coarse.camera.height, coarse.camera.width), np.inf, np.float32)
    for part in parts:
        rows, columns = np.divmod(part.pixels, coarse.camera.width)
        depth[rows, columns] = np.minimum(depth[rows, columns], part.near_mm)
    claims, free = np.zeros(cell_count(coarse)), []
    for part in parts:
        free.append(depth.ravel()[part.spots] >= part.depth_mm)
        np.add.at(claims, part.cells[free[-1]], part.shares[free[-1]])
    added = 0.0
    for part, shows in zip(parts, free, strict=True):
        values, cells = part.values[shows].astype(float), part.cells[shows]
        added += float(np.where(values > 0, values / np.maximum(claims[cells], 1.0), values).sum())
        added += float(part.told[part.near_mm <= depth.ravel()[part.pixels]].sum())
    return added


@pytest.mark.parametrize("number", [0, 1])
def test_pieces_that_hide_each_other_add_what_a_painting_of_them_shows(number: int) -> None:
    pieces = crowded(24)
    assert Stage(scenes()[number]).value(pieces) == pytest.approx(painted(scenes()[number], pieces), abs=1e-3)


def test_what_pieces_add_does_not_depend_on_what_was_scored_before() -> None:
    pieces, rng = crowded(20), np.random.default_rng(5)
    used = [Stage(scene) for scene in scenes()]
    for _ in range(25):
        some = [pieces[i] for i in rng.permutation(len(pieces))[: rng.integers(0, len(pieces) + 1)]]
        fresh = total([Stage(scene) for scene in scenes()], some)
        assert total(used, some) == pytest.approx(fresh, abs=1e-3)


def test_pieces_made_ready_together_are_what_each_is_by_itself() -> None:
    pieces = crowded(12)
    ready = Stage(scenes()[1])
    ready.prepare(pieces)
    for piece in pieces:
        assert ready.value([piece]) == pytest.approx(Stage(scenes()[1]).value([piece]), abs=1e-6)


def test_a_piece_behind_another_adds_less_than_both_by_themselves() -> None:
    one, other = cylinder(0.0, 0.0, 0.0, 60.0, KIT.disc_radius_mm), cylinder(0.0, 3.0, 0.0, 60.0, KIT.disc_radius_mm)
    stage = Stage(scenes()[1])
    assert stage.value([(0, one), (1, other)]) != pytest.approx(stage.value([(0, one)]) + stage.value([(1, other)]))


def test_nothing_adds_nothing() -> None:
    assert total([Stage(scene) for scene in scenes()], []) == 0.0


def test_pieces_never_add_more_than_the_most_that_was_said_of_them() -> None:
    pieces, rng = crowded(20), np.random.default_rng(6)
    used = [Stage(scene) for scene in scenes()]
    for _ in range(25):
        some = [pieces[i] for i in rng.permutation(len(pieces))[: rng.integers(0, len(pieces) + 1)]]
        for stage in used:
            most = stage.most(some)
            assert most >= stage.value(some) - 1e-3


def test_of_one_piece_alone_the_most_is_what_it_adds() -> None:
    for piece in crowded(12):
        stage = Stage(scenes()[1])
        assert stage.most([piece]) == pytest.approx(stage.value([piece]), abs=1e-3)
