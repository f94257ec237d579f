"""What a calibration leaves open moves all pieces together, and the referee can read it."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from calibration.rig_quality import CAMERA, SolvedRig
from referee.game import Game, play
from referee.pieces import Kit
from tests.test_vision_watch import FIRST, SECOND
from tests.vision_drawing import RIG
from vision.shared_errors import with_shared_errors

KIT = Kit()


def rig(shift_mm: float) -> SolvedRig:
    """The test's rig, its cameras' places known to so many mm."""
    variances = np.zeros(2 * CAMERA)
    variances[3:6] = variances[CAMERA + 3 : CAMERA + 6] = shift_mm**2
    rows = tuple(tuple(float(v) for v in row) for row in np.diag(variances))
    return SolvedRig(cameras=RIG.cameras, covariance=rows)


def test_a_rig_without_a_covariance_adds_nothing() -> None:
    assert with_shared_errors(SECOND, RIG, KIT) == SECOND
    assert with_shared_errors(SECOND, SolvedRig(cameras=RIG.cameras), KIT) == SECOND


def test_shared_errors_are_as_large_as_the_rig_says() -> None:
    joint = with_shared_errors(SECOND, rig(0.2), KIT).joint
    assert joint is not None
    norms = {name: float(np.linalg.norm(row)) for name, row in zip(joint.order, joint.rows(), strict=True)}
    road = SECOND.roads[0]
    told = rig(0.2).point_sigma_mm(np.array([road.a]))[0]
    for axis, sigma in zip("xyz", told, strict=True):
        assert abs(norms[f"{road.id}.a.{axis}"] - sigma) < 0.1 * sigma + 0.01


def test_the_referee_reads_them() -> None:
    layouts = tuple(with_shared_errors(replace(one, cars=()), rig(0.1), KIT) for one in (FIRST, SECOND))
    rulings = play(Game(edition="second-edition", players=("purple", "green"), layouts=layouts)).rulings
    assert len(rulings) == 2
