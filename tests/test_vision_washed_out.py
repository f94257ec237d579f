"""What is new in pictures so pale that cars look like wood."""

from __future__ import annotations

import numpy as np
import pytest

from tests.test_vision_watch import FIRST, KIT, PLAYERS, pictures
from tests.vision_drawing import RIG
from vision.view import Picture
from vision.washed_out import WASHED_OUT
from vision.watch import explain


def paled(now: dict[str, Picture], share: float) -> dict[str, Picture]:
    """Pictures of whose colour so much is gone."""
    greys = {name: one.mean(axis=2, keepdims=True) for name, one in now.items()}
    return {name: np.rint(one + share * (greys[name] - one)).astype(np.uint8) for name, one in now.items()}


@pytest.mark.parametrize(("share", "is_asked"), [(0.0, False), (0.5, False), (0.8, True)])
def test_what_is_new_is_asked_for_where_known_cars_look_pale(share: float, is_asked: bool) -> None:
    before, now = paled(pictures("first"), share), paled(pictures("second"), share)
    seen = explain(FIRST, before, now, RIG, KIT, PLAYERS, "purple")
    old = {piece.id for piece in FIRST.pieces()}
    new = [piece for piece in seen.pieces() if piece.id not in old]
    assert new
    assert all(piece.unsure is not None for piece in new) or not is_asked
    assert any(piece.unsure == WASHED_OUT for piece in new) == is_asked
