"""The print's scale: a print that is off is caught, and corrected only with consent."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.errors import CalibrationError
from calibration.kit_card import BANK_CARD_MM, kit_card
from calibration.page import Page, Rect
from calibration.print_scale import scale_from_bank_card, scale_from_ruler
from calibration.sheets import A4
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import Laid, Shot, lens_near, photograph

CARD_MM = 0.86  # above the table: paper and card


def camera() -> Camera:
    return random_rig(np.random.default_rng(1), np.zeros(3), 360.0, (1280, 720)).overhead


def picture(scale: float, white: float = 0.3, aside_mm: float = 0.3) -> NDArray[np.uint8]:
    card = kit_card(A4)
    sheet = Laid(card.page, Rect(0, 0, card.page.width_mm, card.page.height_mm), 0.0, 0.0, 0.3, scale)
    x, y, _ = sheet.in_table(np.array([card.bank_card.centre_mm]))[0]
    blank = Page("bank card", *BANK_CARD_MM, 1, ())
    laid = Laid(blank, Rect(0, 0, *BANK_CARD_MM), x + aside_mm, y, 0.305, 1.0, CARD_MM, white)
    return photograph(camera(), (sheet, laid) if white < 0.7 else (sheet,), Shot(), np.random.default_rng(2))


@pytest.mark.parametrize("scale", [0.97, 1.0, 1.03])
def test_a_bank_card_tells_the_scale_to_a_few_tenths_of_a_percent(scale: float) -> None:
    found = scale_from_bank_card(picture(scale), lens_near(camera(), np.random.default_rng(3)))
    assert found.factor == pytest.approx(scale, abs=0.004)
    assert found.grade == ("true" if scale == 1.0 else "off")


def test_without_a_card_on_it_the_outline_is_not_measured() -> None:
    with pytest.raises(CalibrationError, match="bank card"):
        scale_from_bank_card(picture(1.0, white=0.72), lens_near(camera(), np.random.default_rng(3)))


def test_without_the_kit_card_nothing_is_measured() -> None:
    empty = photograph(camera(), (), Shot(), np.random.default_rng(2))
    with pytest.raises(CalibrationError, match="0 tags of the kit card are seen: it takes 3"):
        scale_from_bank_card(empty, lens_near(camera(), np.random.default_rng(3)))


@pytest.mark.parametrize(
    ("measured_mm", "grade", "words"),
    [
        (100.0, "true", "true to scale"),
        (99.6, "true", "true to scale"),
        (99.4, "off", "0.6 % too small"),
        (97.0, "off", "3.0 % too small"),
        (103.0, "off", "3.0 % too large"),
    ],
)
def test_a_ruler_typed_in_tells_the_scale(measured_mm: float, grade: str, words: str) -> None:
    found = scale_from_ruler(measured_mm)
    assert found.grade == grade
    assert found.words.endswith(words)
    assert found.factor_with(consent=True) == (1.0 if grade == "true" else measured_mm / 100.0)
    if grade == "off":
        with pytest.raises(CalibrationError, match=r"agree to correct it, or print again at 100 %"):
            found.factor_with(consent=False)


@pytest.mark.parametrize("measured_mm", [0.0, -5.0, float("nan"), 10.0, 150.0])
def test_a_length_that_no_print_has_is_refused(measured_mm: float) -> None:
    with pytest.raises(CalibrationError, match="measure"):
        scale_from_ruler(measured_mm)
