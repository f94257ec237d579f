"""The printed strips in a studio picture: the detector finds the tags where the truth says they lie."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

mi: Any = pytest.importorskip("mitsuba", reason="the studio group is not installed: uv pip install --group studio")
mi.set_variant("llvm_ad_rgb")

from sample_frames.studio.paper_tags import random_strips  # noqa: E402
from sample_frames.studio.render import Renderer  # noqa: E402
from sample_frames.studio.rigs import random_rig  # noqa: E402
from sample_frames.studio.scene import Stage  # noqa: E402
from sample_frames.studio.sensor import View  # noqa: E402


@pytest.mark.parametrize("seed", [4, 5])
def test_tags_are_seen_where_they_lie(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strips, corners = random_strips(rng, np.zeros(3), 150.0)
    camera = random_rig(rng, np.zeros(3), 480.0, (1280, 720)).overhead
    light = Renderer(Stage(strips, {"sky": {"type": "constant"}})).light(View(camera), 32, 1)
    picture = (np.clip(light, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    family = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_APRILTAG_36h11)
    found, ids, _ = cv2.aruco.ArucoDetector(family, parameters).detectMarkers(picture)
    assert len(ids) >= 0.8 * len(corners)
    off = np.concatenate(
        [seen[0] - camera.project(corners[int(i)]) for seen, i in zip(found, ids.ravel(), strict=True)]
    )
    # SUBPIX corners of lone tags lean inward by some tenths of a pixel; their mean shows any offset of the whole.
    assert np.abs(off.mean(axis=0)).max() < 0.1
    assert np.median(np.hypot(*off.T)) < 0.7
