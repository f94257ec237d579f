"""How much of a piece each camera could see at all, by geometry alone."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from calibration.camera import Rig
from referee.layout import Layout
from referee.pieces import Kit
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.fit import Scene, support
from vision.solids import solids
from vision.view import Lens, View


def shown_shares(layout: Layout, names: Collection[str], rig: Rig, kit: Kit) -> dict[str, dict[str, float]]:
    """For each of these pieces, the share of its outline in each camera that nothing hides."""
    known = solids(layout, kit)
    found: dict[str, dict[str, float]] = {name: {} for name in names if name in known}
    for camera, one in rig.cameras.items():
        lens = Lens(one)
        depth = depth_map(known, lens)
        blank = View(lens, np.zeros((one.height, one.width, 3), np.uint8))
        for name in found:
            scene = Scene(Evidence(blank), depth.without(name), 1.0)
            found[name][camera] = round(support(scene, known[name]).visible, 3)
    return found
