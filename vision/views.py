"""Both cameras' evidence for one moment, cut to where play happens."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.camera import Rig
from referee.layout import Layout
from referee.pieces import Kit
from vision.at_once import at_once
from vision.contrast import knee_by_contrast
from vision.depth import depth_map
from vision.errors import VisionError
from vision.evidence import Evidence
from vision.fit import Scene
from vision.region import corners
from vision.seek import Box
from vision.solids import Prism, solids
from vision.view import Picture, cut_to, view_of

CAMERAS = ("overhead", "side")
NOISE_TIMES, LEAST_TIMES = 6.0, 3.0
"""How many times what is seen where nothing is an edge must be to be as likely a piece's as noise, and the least of
that where pieces themselves hardly stand out."""
KNEES = (1.5, 6.0)


def evidence_of(
    pictures: Mapping[str, Picture], before: Mapping[str, Picture] | None, rig: Rig, box: Box
) -> list[Evidence]:
    """The views that there are, the overhead one first."""
    found = []
    for name in CAMERAS:
        if name not in pictures:
            continue
        now = cut_to(view_of(pictures[name], rig.cameras[name], name), corners(box))
        was = None
        if before is not None:
            if name not in before:
                raise VisionError(f"There is a {name} picture now but none from before: give both or neither.")
            was = cut_to(view_of(before[name], rig.cameras[name], name), corners(box))
        found.append(Evidence(now, was))
    if not found:
        raise VisionError("There is no picture: give an overhead one, a side one, or both.")
    return found


def scenes_of(views: list[Evidence], layout: Layout, kit: Kit) -> list[Scene]:
    """Each view with what the layout hides in it."""
    known = solids(layout, kit)
    built = {piece.id: known[piece.id] for piece in layout.built()}

    def scene_of(view: Evidence) -> Scene:
        view.work_out()
        scene = Scene(view, depth_map(known, view.lens), knee_of(view))
        least = max(scene.knee * LEAST_TIMES / NOISE_TIMES, KNEES[0])
        return dataclasses.replace(scene, knee=max(knee_by_contrast(scene, built), least))

    return at_once(scene_of, views)


def with_depth(scenes: Sequence[Scene], known: Mapping[str, Prism]) -> list[Scene]:
    """The scenes with just these known to hide things in them."""
    return [dataclasses.replace(scene, depth=depth_map(known, scene.evidence.lens)) for scene in scenes]


def knee_of(view: Evidence) -> float:
    """The edge strength that is as likely noise as a piece: some times what is seen where nothing is."""
    height, width = view.view.picture.shape[:2]
    spots = np.random.default_rng(0).uniform((2, 2), (width - 3, height - 3), (4000, 2))
    return float(np.clip(NOISE_TIMES * np.median(view.strength_apart(spots)), *KNEES))
