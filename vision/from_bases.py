"""Ways a new stick may lie from the columns that are known, held against one view that looks aslant.

From aside a level says little of where a line lies on the table: a stick that rises runs in other directions and looks
longer or shorter. What bears one of its ends is known, and its length: that leaves a direction and a height for the
other end, few enough to try them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from referee.layout import Layout
from referee.pieces import Kit
from vision.base_rows import Rows, rows_about, things_about
from vision.bodies import stick_tips
from vision.change import CHANGED
from vision.depth import patch_of
from vision.fit import Scene
from vision.found import Way
from vision.rests import ODD_LEVEL, Rest, known_rests, not_through
from vision.scan import stick_scores
from vision.solids import Prism
from vision.view import Floats, Picture, is_within

ALONG = np.linspace(0.08, 0.92, 12)
LEAST_SHOWN, LEAST_CHANGED = 4, 0.6
"""Of these points along a stick how many must show, and the share of them at which the view must have changed."""
SLACK_PX = 7
"""How wide about a change a stick's middle line may run."""
TURNS_RAD, ASIDE_MM, SLIDES_MM = np.radians([-1.0, 0.0, 1.0]), np.arange(-6.0, 7.0, 3.0), np.arange(-6.0, 10.0, 3.0)
FEWER_TURNS_RAD, NUDGES_MM = np.radians([-0.5, 0.0, 0.5]), np.array([-1.5, 0.0, 1.5])
"""How far a way is turned, moved aside and along itself in a first scan, and about the best of that in a second."""
FEW_SAMPLES = 12
COARSE, FINER = 4000, 150
"""How many ways are looked at in a first and in a second scan."""
LEVEL_MM = 1.3
"""How far the level of a thing may be from where a tip was tried that lies on it."""


@dataclass(frozen=True, eq=False)
class Changed:
    """Where a view changed that no new piece accounts for (h, w)."""

    mask: Picture

    @classmethod
    def of(cls, scene: Scene) -> Changed:
        """All of it without history."""
        step = scene.evidence.step
        if step is None:
            return cls(np.ones(scene.depth.shape, np.uint8))
        strong = cv2.morphologyEx((step > CHANGED).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
        return cls(np.asarray(cv2.dilate(strong, np.ones((SLACK_PX, SLACK_PX), np.uint8)), np.uint8))

    def without(self, pieces: Sequence[Prism], scene: Scene) -> Changed:
        """The same where none of some pieces shows."""
        mask = self.mask.copy()
        for piece in pieces:
            if (patch := patch_of(piece, scene.evidence.lens)) is not None:
                mask[patch.window][patch.closeness > 0] = 0
        return Changed(mask)


def ways_from_bases(scene: Scene, changed: Changed, layout: Layout, kit: Kit, highest: int) -> tuple[list[Way], Floats]:
    """Ways in which a new stick may lie where the view changed, one end at least on a known column, and how well a scan
    bears each of them out."""
    things = things_about(layout, kit, highest)
    rows = rows_about(things, layout, kit)
    if not len(rows):
        return [], np.empty(0)
    rows = rows.take(_where_changed(scene, changed, rows.poses(kit), kit))
    if not len(rows):
        return [], np.empty(0)
    if len(rows) > COARSE:  # A lamp went on or off: much of the view changed.
        rows = _best(scene, rows, COARSE, kit)
    rows = _best_of_each(scene, rows.moved(TURNS_RAD, ASIDE_MM, np.zeros(1)), len(rows), kit)
    rows = _best(scene, rows, FINER, kit)
    rows = _best_of_each(scene, rows.moved(FEWER_TURNS_RAD, NUDGES_MM, SLIDES_MM), len(rows), kit)
    tried = zip(rows.poses(kit), rows.on.tolist(), strict=True)
    found = [_settled(pose, things[a], things[b], layout, kit) for pose, (a, b) in tried]
    ways = [way for way in found if way is not None]
    if not ways:
        return [], np.empty(0)
    scores = stick_scores(scene, np.array([pose for pose, _ in ways]), kit)
    return ways, scores + np.array([sum(rest.log_odds for rest in rests) for _, rests in ways])


def _where_changed(scene: Scene, changed: Changed, poses: Floats, kit: Kit) -> NDArray[np.bool_]:
    """Which sticks (n, 5) lie where the view changed, as far as they show."""
    lens = scene.evidence.lens
    rise = poses[:, 4] - poses[:, 3]
    flat = np.sqrt(np.maximum(kit.road_length_mm**2 - rise**2, 1.0))
    runs = np.column_stack([np.cos(poses[:, 2]) * flat, np.sin(poses[:, 2]) * flat, rise])
    middles = np.column_stack([poses[:, :2], poses[:, 3:].mean(axis=1)])
    pixels, depth_mm = lens.project_lines(middles, runs, ALONG - 0.5)
    shown = is_within(pixels, scene.depth.shape, 1) & ~scene.depth.hides(pixels, depth_mm)
    spots = np.where(shown[..., None], np.rint(pixels), 0).astype(int)
    is_other = shown & (changed.mask[spots[..., 1], spots[..., 0]] > 0)
    count = shown.sum(axis=1)
    is_new: NDArray[np.bool_] = (count >= LEAST_SHOWN) & (is_other.sum(axis=1) > LEAST_CHANGED * count)
    return is_new


def _best(scene: Scene, rows: Rows, most: int, kit: Kit) -> Rows:
    """The rows that a scan bears out best."""
    return rows.take(np.argsort(-stick_scores(scene, rows.poses(kit), kit, FEW_SAMPLES))[:most])


def _best_of_each(scene: Scene, rows: Rows, many: int, kit: Kit) -> Rows:
    """Of rows that are as many moved versions each of some, the best ones."""
    scores = stick_scores(scene, rows.poses(kit), kit, FEW_SAMPLES).reshape(many, -1)
    return rows.take(np.arange(many) * scores.shape[1] + scores.argmax(axis=1))


def _settled(pose: Floats, one: Rest, other: Rest, layout: Layout, kit: Kit) -> Way | None:
    """A stick on what its tips meet on the columns that it was tried on; None where a new column cannot stand."""
    tips = stick_tips(pose, kit.road_length_mm)
    inward = (tips[1] - tips[0])[:2] / np.hypot(*(tips[1] - tips[0])[:2])
    rests = []
    for tip, ahead, rest in zip(tips, (inward, -inward), (one, other), strict=True):
        if rest.column is None:
            rests += not_through(tip[:2], [rest], layout, kit)
            continue
        alone = replace(layout, columns=tuple(column for column in layout.columns if column.id == rest.column))
        met = known_rests(tip[:2], ahead, alone, kit, slack_mm=6.0)
        near = [on for on in met if abs(on.z_mm - rest.z_mm) < LEVEL_MM]
        rests.append(min(near, key=lambda on: abs(on.z_mm - rest.z_mm)) if near else _odd(rest))
    return (pose, (rests[0], rests[1])) if len(rests) == len(tips) else None


def _odd(rest: Rest) -> Rest:
    return Rest(rest.z_mm, rest.column, rest.height, ODD_LEVEL)
