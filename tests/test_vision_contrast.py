"""What counts as an edge where pieces hardly stand out from the table."""

from __future__ import annotations

import numpy as np
import pytest

from tests.test_vision_watch import FIRST, KIT, pictures
from tests.vision_drawing import RIG
from vision.fit import Scene
from vision.region import play_box
from vision.view import Picture
from vision.views import LEAST_TIMES, NOISE_TIMES, evidence_of, knee_of, scenes_of


def dim(now: dict[str, Picture], contrast: float, seed: int) -> dict[str, Picture]:
    """Pictures with so much of their contrast left, and with a camera's noise."""
    rng = np.random.default_rng(seed)
    noisy = {name: 90 + contrast * (one - 128.0) + rng.normal(0, 4, one.shape) for name, one in now.items()}
    return {name: np.clip(np.rint(one), 0, 255).astype(np.uint8) for name, one in noisy.items()}


def seen(contrast: float) -> list[Scene]:
    before, now = dim(pictures("first"), contrast, 1), dim(pictures("second"), contrast, 2)
    return scenes_of(evidence_of(now, before, RIG, play_box(FIRST, RIG, KIT)), FIRST, KIT)


def test_noise_alone_tells_what_counts_where_pieces_stand_out() -> None:
    assert all(scene.knee == knee_of(scene.evidence) for scene in seen(0.9))


@pytest.mark.parametrize("contrast", [0.12, 0.18])
def test_less_counts_as_an_edge_where_they_hardly_do(contrast: float) -> None:
    for scene in seen(contrast):
        noise = knee_of(scene.evidence)
        assert noise * LEAST_TIMES / NOISE_TIMES <= scene.knee < noise


def test_without_history_noise_tells() -> None:
    views = evidence_of(dim(pictures("second"), 0.15, 2), None, RIG, play_box(FIRST, RIG, KIT))
    assert all(scene.knee == knee_of(scene.evidence) for scene in scenes_of(views, FIRST, KIT))
