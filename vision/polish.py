"""A whole layout gone over once more: each column one disc lower and higher, with its roads, all else being known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road, with_pieces
from referee.pieces import Kit
from vision.depth import depth_map, with_solids
from vision.doubt import with_heights
from vision.fit import Fit, Scene, stick_pose, stick_tips
from vision.propose import laid, seek_column
from vision.rests import Rest
from vision.sigmas import column_sigma, tip_sigmas
from vision.solids import solids
from vision.view import Floats

ROUNDS = 2


@dataclass(frozen=True, eq=False)
class Try:
    """A column at a height with the roads that lie on it, all fitted again."""

    column: Column
    roads: tuple[Road, ...]
    score: float


def polished(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with every column at the height that it and its roads fit best, asked where that is not clear."""
    for _ in range(ROUNDS):
        before = {column.id: column.height for column in layout.columns}
        for name in before:
            layout = _tried(layout, name, scenes, kit)
        if before == {column.id: column.height for column in layout.columns}:
            break
    return layout


def _tried(layout: Layout, name: str, scenes: Sequence[Scene], kit: Kit) -> Layout:
    column = next(one for one in layout.columns if one.id == name)
    touching = tuple(road for road in layout.roads if name in road.columns())
    own = {name, *(road.id for road in touching)}
    others = {key: prism for key, prism in solids(layout, kit).items() if key not in own}
    bare = [dataclasses.replace(scene, depth=depth_map(others, scene.evidence.lens)) for scene in scenes]
    tries = {n: _at(column, n, touching, bare, kit) for n in range(max(column.height - 1, 1), column.height + 2)}
    best = max(tries.values(), key=lambda one: one.score)
    asked = with_heights(best.column, {n: one.score for n, one in tries.items()})
    pieces = {piece.id: piece for piece in layout.pieces()}
    return with_pieces(layout, pieces | {asked.id: asked} | {road.id: road for road in best.roads})


def _at(column: Column, height: int, roads: Sequence[Road], scenes: Sequence[Scene], kit: Kit) -> Try:
    """The column at a height, its roads' ends lifted or lowered with it."""
    step_mm = (height - column.height) * kit.disc_height_mm
    fitted: list[Road] = []
    total = 0.0
    front = {}
    for road in roads:
        lifts = [step_mm if end == column.id else 0.0 for end in (road.from_, road.to)]
        pose = stick_pose(np.array(road.a), np.array(road.b))
        rests = (Rest(float(pose[3] + lifts[0])), Rest(float(pose[4] + lifts[1])))
        found = laid(scenes, _seen_alike(pose, lifts, scenes[0], kit), rests, kit).stick
        total += found.score
        fitted.append(_road(road, found, kit))
        front[road.id] = found.prism
    behind = [dataclasses.replace(s, depth=with_solids(s.depth, front, s.evidence.lens)) for s in scenes]
    tips = [tip[:2] for r in fitted for end, tip in ((r.from_, r.a), (r.to, r.b)) if end == column.id]
    near = np.mean(tips, axis=0) if tips else np.array([column.x, column.y])
    stood = seek_column(behind, near, height, kit)
    x, y = (float(v) for v in stood.pose)
    moved = replace(column, x=x, y=y, height=height, sigma=column_sigma(stood), unsure=None, candidates=())
    return Try(moved, tuple(fitted), total + stood.score)


def _seen_alike(pose: Floats, lifts: Sequence[float], overhead: Scene, kit: Kit) -> Floats:
    """The pose whose tips look the same from above after they were lifted."""
    lens = overhead.evidence.lens
    tips = np.array(stick_tips(pose, kit.road_length_mm))
    a, b = lens.on_plane(lens.project(tips), tips[:, 2] + np.array(lifts))
    return stick_pose(a, b)


def _road(road: Road, found: Fit, kit: Kit) -> Road:
    a, b = (tuple(float(v) for v in tip) for tip in stick_tips(found.pose, kit.road_length_mm))
    return replace(road, a=a, b=b, sigma=tip_sigmas(found, kit.road_length_mm))
