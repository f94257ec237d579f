"""Scores say what was found, and what was wrong and said to be sure; ownership is told from the entrances on."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from tests.vision_drawing import car_on, road_between
from vision.cars import type_odds
from vision.doubt import odds_of, with_heights
from vision.figures import figures
from vision.names import next_id
from vision.paint import owner_odds, paint_of
from vision.scoring import score
from vision.stripes import Stripe

KIT = Kit()
C0 = Column("c0", -60.0, 10.0, 1, False, "purple")
C1 = Column("c1", 20.0, -35.0, 3, False, "purple")
R1 = road_between("r1", C0, C1, KIT)
TRUTH = Layout((C0, C1), (R1,), (car_on("k1", R1, "purple", KIT),))


def test_the_truth_is_right() -> None:
    found = score(TRUTH, TRUTH)
    assert found.right
    assert not found.wrong_and_sure
    assert np.abs(found.tip_errors_mm).max() == 0.0


def test_ids_do_not_matter() -> None:
    renamed = Layout(
        (replace(C0, id="c8"), replace(C1, id="c9")),
        (replace(R1, id="r9", from_="c8", to="c9"),),
        (replace(TRUTH.cars[0], id="k9", road="r9"),),
    )
    assert score(renamed, TRUTH).right


def test_a_wrong_height_is_wrong_and_sure_unless_it_is_asked() -> None:
    sure = replace(TRUTH, columns=(C0, replace(C1, height=4)))
    asked = replace(TRUTH, columns=(C0, replace(C1, height=4, unsure="height")))
    assert score(sure, TRUTH).wrong_and_sure
    assert score(asked, TRUTH).asked
    assert not score(asked, TRUTH).right


def test_missing_and_extra_pieces_are_faults() -> None:
    assert score(replace(TRUTH, cars=()), TRUTH).wrong_and_sure
    assert score(TRUTH, replace(TRUTH, cars=())).wrong_and_sure


def test_a_road_that_runs_the_other_way_is_a_fault() -> None:
    back = replace(R1, a=R1.b, b=R1.a, from_=R1.to, to=R1.from_)
    assert [fault.text for fault in score(replace(TRUTH, roads=(back,)), TRUTH).faults] == ["runs the other way"]


def test_a_road_end_three_millimetres_off_is_found_but_not_strictly_right() -> None:
    def slid(mm: float, unsure: str | None = None) -> Layout:
        a, b = ((tip[0] + mm, tip[1], tip[2]) for tip in (R1.a, R1.b))
        return replace(TRUTH, roads=(replace(R1, a=a, b=b, unsure=unsure),))

    near, far, asked = (score(one, TRUTH) for one in (slid(2.9), slid(3.1), slid(3.1, "where it lies")))
    assert (near.right, near.strictly_right, near.strictly_wrong_and_sure) == (True, True, False)
    assert (far.right, far.strictly_right, far.strictly_wrong_and_sure) == (True, False, True)
    assert (asked.strictly_right, asked.strictly_wrong_and_sure) == (False, False)


def test_over_and_under_are_compared() -> None:
    over = Road("r2", (-20.0, -50.0, 60.0), (-20.0, 45.0, 60.0), "road", None, None, None)
    under = replace(over, a=(-20.0, -50.0, 5.0), b=(-20.0, 45.0, 5.0))
    truth = replace(TRUTH, roads=(R1, over))
    seen = replace(TRUTH, roads=(R1, under))
    faults = score(seen, truth).faults
    assert any("r2" in fault.piece or "r2" in fault.text for fault in faults)


def test_odds_sum_to_one_and_close_calls_are_asked() -> None:
    assert abs(sum(odds_of({2: 50.0, 3: 48.0, 4: 1.0}).values()) - 1.0) < 1e-9
    close = with_heights(C1, {2: 10.0, 3: 12.0})
    assert close.unsure is not None
    assert {candidate.height for candidate in close.candidates} == {2, 3}
    assert with_heights(C1, {2: 10.0, 3: 80.0}) == C1


def test_new_ids_are_above_those_in_use() -> None:
    assert next_id("c", TRUTH) == "c2"
    assert next_id("k", replace(TRUTH, cars=())) == "k1"


def test_a_paint_is_its_own_players_under_any_lamp() -> None:
    players = ("purple", "green", "orange", "blue")
    for lamp in (np.zeros(2), np.array([0.2, -0.2]), np.array([-0.1, 0.1])):
        for player in players:
            odds = owner_odds(paint_of(player, KIT) + lamp / 2, lamp, players, KIT, {})
            assert max(odds, key=lambda one: odds[one]) == player


def test_a_car_known_in_this_light_outweighs_the_word() -> None:
    odd = paint_of("green", KIT)
    odds = owner_odds(odd, np.zeros(2), ("purple", "green"), KIT, {"purple": odd, "green": odd + 1.0})
    assert odds["purple"] > 0.9


def test_figures_count_layouts_and_leave_out_what_was_not_measured() -> None:
    wrong = score(replace(TRUTH, columns=(C0, replace(C1, height=4))), TRUTH)
    both = figures([score(TRUTH, TRUTH), wrong])
    assert (both.layouts, both.right, both.wrong_and_sure) == (2, 0.5, 0.5)
    assert both.heights_right_when_sure == 0.75
    assert both.tip_plan_median_mm == 0.0
    assert figures([]).right is None


def stretch(length_mm: float, lean: float = 0.0, shown: float = 1.0) -> Stripe:
    return Stripe("r1", 30.0, 30.0 + length_mm, (0.4, 0.4), (0.0, 0.0), shown, lean)


def test_a_type_is_told_only_where_no_other_is_near_in_length() -> None:
    kit = replace(KIT, cars={"short": (11.0, 7.0, 5.0), "long": (28.0, 7.0, 9.0), "longer": (32.0, 7.0, 9.0)})
    assert type_odds(stretch(11.0), kit)["short"] > 0.95
    assert max(type_odds(stretch(30.0), kit).values()) < 0.95
    # One stretch in twenty is off by a window or a shade: half way between two types nothing is sure.
    assert max(type_odds(stretch(20.0), kit).values()) < 0.95


def test_a_tall_car_looks_longer_seen_aslant() -> None:
    kit = replace(KIT, cars={"low": (18.0, 7.0, 4.0), "tall": (15.0, 7.0, 9.0)})
    assert type_odds(stretch(18.0), kit)["low"] > 0.5
    assert type_odds(stretch(18.0, lean=0.6), kit)["tall"] > 0.5


def test_a_car_that_is_partly_hidden_may_be_any_longer_one() -> None:
    odds = type_odds(stretch(10.0, shown=0.6), KIT)
    assert max(odds.values()) < 0.2
