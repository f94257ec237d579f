"""Pictures that cannot be what they are said to be are refused in one plain sentence, or everything is asked for."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from gui.stills import read_picture
from referee.pieces import Kit
from tests.test_vision_watch import FIRST, SECOND, pictures
from tests.vision_drawing import RIG, camera_at
from vision.errors import VisionError
from vision.misfit import all_asked, asked_on_misfit
from vision.pair_check import refuse_unfit
from vision.region import play_box
from vision.view import Picture
from vision.views import evidence_of, scenes_of

KIT = Kit()
PAIR, LATER = pictures("first"), pictures("second")
Pair = dict[str, Picture]


def refused(pair: Pair, before: Pair | None = None) -> str:
    with pytest.raises(VisionError) as error:
        refuse_unfit(pair, before)
    return str(error.value)


def test_pictures_as_they_should_be_pass() -> None:
    refuse_unfit(LATER)
    refuse_unfit(LATER, PAIR)
    refuse_unfit({"overhead": LATER["overhead"]}, PAIR)


def test_black_white_and_empty_pictures_are_told_apart() -> None:
    assert "black" in refused(PAIR | {"side": np.zeros_like(PAIR["side"])})
    assert "washed out" in refused(PAIR | {"side": np.full_like(PAIR["side"], 255)})
    assert "shows nothing" in refused(PAIR | {"side": np.full_like(PAIR["side"], 128)})


def test_the_same_picture_twice_is_no_pair() -> None:
    assert "the same" in refused({"overhead": PAIR["side"], "side": PAIR["side"]})


def test_swapped_cameras_are_noticed_and_said() -> None:
    assert "swapped" in refused({"overhead": LATER["side"], "side": LATER["overhead"]}, PAIR)


def test_mirrored_and_turned_pictures_are_noticed_and_said() -> None:
    assert "mirrored" in refused(LATER | {"side": LATER["side"][:, ::-1]}, PAIR)
    assert "upside down" in refused(LATER | {"side": LATER["side"][::-1, ::-1]}, PAIR)


def test_a_frozen_camera_is_noticed_where_the_other_goes_on() -> None:
    assert "frozen" in refused(LATER | {"side": PAIR["side"]}, PAIR)
    refuse_unfit(PAIR, PAIR)


@pytest.mark.parametrize("ending", ["jpg", "png"])
def test_a_picture_that_is_cut_off_is_refused(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"turn_00_side.{ending}"
    cv2.imwrite(str(file), PAIR["side"])
    read_picture(file)
    whole = file.read_bytes()
    for size in (len(whole) * 2 // 3, len(whole) - 2000, len(whole) - 9):
        file.write_bytes(whole[:size])
        with pytest.raises(VisionError, match=r"cut off|no picture that can be read"):
            read_picture(file)


def test_a_rig_of_another_table_makes_everything_asked_for() -> None:
    other = type(RIG)({**RIG.cameras, "side": camera_at((170.0, -500.0, 260.0), 1250.0)})
    scenes = scenes_of(evidence_of(LATER, None, other, play_box(SECOND, other, KIT)), SECOND, KIT)
    assert all(piece.unsure for piece in asked_on_misfit(SECOND, scenes, KIT).pieces())
    right = scenes_of(evidence_of(LATER, None, RIG, play_box(SECOND, RIG, KIT)), SECOND, KIT)
    assert asked_on_misfit(SECOND, right, KIT) == SECOND


def test_what_is_asked_already_keeps_its_reason() -> None:
    once = all_asked(FIRST, "first")
    assert {piece.unsure for piece in all_asked(once, "second").pieces()} == {"first"}
