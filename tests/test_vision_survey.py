"""A table looked over twice: what is about right tells where columns really stand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from referee.layout import BARE_TABLE
from tests.test_vision_watch import KIT, SECOND
from tests.vision_drawing import RIG, drawn
from vision import survey
from vision.ends import voted
from vision.first_look import first_look
from vision.flat import flat_of
from vision.strips import strips
from vision.tops import PLANE_DISCS
from vision.view import Floats
from vision.views import scenes_of

LOOK = first_look(drawn(SECOND, seed=6), RIG, KIT)


def looked_over() -> survey.Survey:
    scenes = scenes_of(LOOK.views, BARE_TABLE, KIT)
    flat = flat_of(LOOK.views[0].view, LOOK.box, PLANE_DISCS * KIT.disc_height_mm, KIT)
    return survey.surveyed(scenes, LOOK.floors, strips(flat, KIT), LOOK.box, LOOK.highest, KIT)


@pytest.mark.parametrize("off_mm", [0.0, 2.5])
def test_columns_are_tried_where_they_stand_although_their_tops_were_taken_to_be_beside(
    monkeypatch: pytest.MonkeyPatch, off_mm: float
) -> None:
    def voted_beside(*given: object) -> tuple[Floats, Floats]:
        values, spots = voted(*given)  # type: ignore[arg-type]
        return values, spots + np.array([off_mm, 0.0])

    monkeypatch.setattr(survey, "voted", voted_beside)
    columns = looked_over().layout(KIT).columns
    assert len(columns) == len(SECOND.columns)
    for true in SECOND.columns:
        near = min(columns, key=lambda one: math.dist((one.x, one.y), (true.x, true.y)))
        assert math.dist((near.x, near.y), (true.x, true.y)) < 1.0
        assert near.height == true.height
