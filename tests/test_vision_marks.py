"""Yellow tops: told from plain ones where they stand out, asked for where wood itself looks yellow, never guessed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.layout import Column, Layout
from tests.test_vision_watch import KIT
from tests.vision_drawing import RIG, drawn
from vision.marks import ASK_JUNCTION, GOLDEN, GREY, UNTOLD_TOP, WARM, YELLOW_STEP, step_odds, with_tops
from vision.seek import Box
from vision.view import Picture
from vision.views import evidence_of

BOX = Box(-150.0, -120.0, 140.0, 110.0)
COLUMNS = (
    Column("c1", -40.0, 10.0, 2, False, None),
    Column("c2", 30.0, -20.0, 3, True, None),
    Column("c3", 0.0, 50.0, 2, False, None),
    Column("c4", 70.0, 30.0, 4, False, None),
)


def seen_in(blue: float, known: tuple[str, ...] = ()) -> dict[str, Column]:
    """The drawn columns with their tops told, where the light has so much of its blue."""
    layout = Layout(COLUMNS, (), ())
    pictures = {
        name: np.rint(picture * (blue, 1.0, 1.0)).astype(np.uint8) for name, picture in drawn(layout, KIT).items()
    }
    untold = replace(layout, columns=tuple(replace(column, junction=False) for column in COLUMNS))
    told = with_tops(untold, evidence_of(pictures, None, RIG, BOX), KIT, known)
    return {column.id: column for column in told.columns}


def test_on_grey_wood_every_top_is_told() -> None:
    assert [(c.junction, c.unsure) for c in seen_in(1.0).values()] == [(c.junction, None) for c in COLUMNS]


def test_on_wood_that_looks_yellow_a_clear_yellow_top_is_told_and_others_are_asked_for() -> None:
    """There some yellow discs lean no farther than plain ones do, so that a plain look tells nothing."""
    seen = seen_in(0.45)
    assert (seen["c2"].junction, seen["c2"].unsure) == (True, None)
    assert {seen[name].unsure for name in ("c1", "c3", "c4")} == {UNTOLD_TOP}


def test_in_orange_light_every_top_is_asked_for() -> None:
    assert {column.unsure for column in seen_in(0.2).values()} == {UNTOLD_TOP}


def test_among_olive_discs_a_dull_yellow_one_is_asked_for() -> None:
    """They lean as far as it does, but send back far less light."""

    def olive(picture: Picture) -> Picture:
        colours = picture.astype(float)
        blue, _, red = np.moveaxis(colours, -1, 0)
        is_yellow, is_wood = blue < 0.4 * red, (blue < red) & (blue > 0.8 * red)
        colours[is_wood] *= (0.3, 0.53, 0.5)
        colours[is_yellow] *= (2.8, 1.0, 1.0)
        return np.asarray(np.rint(colours), np.uint8)

    layout = Layout(COLUMNS, (), ())
    pictures = {name: olive(picture) for name, picture in drawn(layout, KIT).items()}
    told = with_tops(layout, evidence_of({"overhead": pictures["overhead"]}, None, RIG, BOX), KIT)
    assert [column.unsure for column in told.columns] == [None, UNTOLD_TOP, None, None]
    assert [column.junction for column in told.columns] == [False, True, False, False], "and is the likelier one"


@pytest.mark.parametrize(("blue", "is_yellow"), [(2.6, True), (2.95, False)])
def test_among_red_discs_one_that_leans_as_far_is_likelier_yellow_by_how_little_blue_it_is(
    blue: float, is_yellow: bool
) -> None:
    def red(picture: Picture) -> Picture:
        colours = picture.astype(float)
        is_yellow, is_wood = colours[..., 0] < 0.4 * colours[..., 2], colours[..., 0] > 0.8 * colours[..., 2]
        colours[is_wood & (picture[..., 2] > picture[..., 0])] *= (0.55, 0.6, 0.95)
        colours[is_yellow] *= (blue, 0.83, 0.84)
        return np.asarray(np.rint(np.minimum(colours, 255)), np.uint8)

    layout = Layout(COLUMNS, (), ())
    pictures = {name: red(picture) for name, picture in drawn(layout, KIT).items()}
    told = with_tops(layout, evidence_of({"overhead": pictures["overhead"]}, None, RIG, BOX), KIT)
    assert [column.junction for column in told.columns] == [False, is_yellow, False, False]
    assert (told.columns[1].unsure == UNTOLD_TOP) == is_yellow


def test_tops_that_are_known_stay_as_they_are() -> None:
    seen = seen_in(0.45, ("c1", "c2"))
    assert (seen["c1"].unsure, seen["c2"].junction, seen["c3"].unsure) == (None, False, UNTOLD_TOP)


@pytest.mark.parametrize(("step", "is_yellow"), [(YELLOW_STEP - 0.031, False), (YELLOW_STEP + 0.031, True)])
def test_among_grey_discs_the_step_decides(step: float, is_yellow: bool) -> None:
    odds = step_odds(step, GREY)
    assert abs(odds) > ASK_JUNCTION
    assert (odds > 0) == is_yellow


@pytest.mark.parametrize(
    ("step", "is_told"), [(-0.031, True), (-0.029, False), (0.0, False), (0.129, False), (0.131, True)]
)
def test_among_warm_discs_only_what_leans_far_is_told(step: float, is_told: bool) -> None:
    assert (abs(step_odds(step, WARM)) > ASK_JUNCTION) == is_told


@pytest.mark.parametrize(("lean", "is_told"), [(-0.04, False), (-0.02, True), (0.2, True)])
def test_among_navy_discs_one_that_mirrors_the_room_is_not_yellow(lean: float, is_told: bool) -> None:
    """It leans far more than they do, but a yellow one leans to yellow by itself."""
    navy = -0.3
    assert (step_odds(lean - navy, navy) > ASK_JUNCTION) == is_told


@given(st.floats(-0.5, 0.5), st.floats(0.0, 0.3), st.floats(-0.2, 0.5))
def test_who_leans_farther_is_never_less_likely_yellow(step: float, more: float, usual: float) -> None:
    assert step_odds(step + more, usual) >= step_odds(step, usual)


@given(st.floats(-0.5, 0.5), st.floats(GOLDEN[1], 0.5))
def test_in_golden_light_nothing_is_told(step: float, usual: float) -> None:
    assert step_odds(step, usual) == 0.0
