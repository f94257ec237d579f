"""Is the print true to scale? Measured with a bank card on its printed outline, or with a ruler by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import ndtr

from calibration.camera import Floats
from calibration.errors import CalibrationError
from calibration.kit_card import BANK_CARD_MM, BANK_CARD_RADIUS_MM, KIT_IDS, KitCard, card_with
from calibration.lens import Lens
from calibration.page import Rect, tag_corners_mm
from calibration.rig_quality import camera_of
from calibration.tag_sides import light_at
from calibration.tags import find_tags

RULER_MM = 100.0
TRUE_WITHIN = 0.005
MOST_OFF = 0.12
CARD_MM = 0.76
"""How thick a bank card is: its upper edges are what a camera sees."""
LOOKED_MM, STEP_MM = 8.0, 0.2
LEVEL_MM = 2.5
"""As much of card and paper beside an edge is looked at."""
SIDES_AGREE = 0.01
LEAST_CONTRAST = 0.1
LINE_MM = 0.4
"""The outline lies so near to where the sheet has it, for all that the card's thickness does to the view."""
STARTS_MM = (-1.5, 0.0, 1.5)
ALONG = 15
BESIDE_FIELD_MM = 1.2
"""The card is thick and the picture blurred: a dark field is seen so far beyond its edge."""
CLEAR_MM = BANK_CARD_RADIUS_MM + 4.0
"""Of the rounded corners."""


@dataclass(frozen=True, slots=True)
class PrintScale:
    """How large a print came out, and what to tell the user."""

    factor: float
    """Printed length over the length on the sheet."""
    grade: Literal["true", "off"]
    words: str

    def factor_with(self, consent: bool) -> float:
        """What to multiply the sheet's lengths by; a print that is off is used only if the user agrees."""
        if self.grade == "true":
            return 1.0
        if not consent:
            raise CalibrationError(f"{self.words}: agree to correct it, or print again at 100 % (actual size)")
        return self.factor


def scale_from_ruler(measured_mm: float, printed_mm: float = RULER_MM) -> PrintScale:
    """From what the user's own ruler says of a printed one."""
    if not np.isfinite(measured_mm) or measured_mm <= 0:
        raise CalibrationError(f"the printed ruler measures {measured_mm:g} mm: type its length in millimetres")
    return _told(measured_mm / printed_mm, f"the printed {printed_mm:g} mm measure {measured_mm:g} mm")


def scale_from_bank_card(gray: NDArray[np.uint8], lens: Lens) -> PrintScale:
    """From a picture of the kit card with a bank card laid on its outline, about as it lies there."""
    seen = {tag: one for tag, one in find_tags(gray, lens).items() if tag % 100 in KIT_IDS}
    if len(seen) < 3:
        raise CalibrationError(f"{len(seen)} tags of the kit card are seen: it takes 3 of its 4 corners in the picture")
    card = card_with(seen)
    if card is None:
        raise CalibrationError("tags of two kit cards are in sight: leave one card on the table")
    pixels = np.concatenate([one.corners_px for one in seen.values()])
    width, height = _card_on_page(gray, lens, card, list(seen), pixels)
    across, down = BANK_CARD_MM[0] / width, BANK_CARD_MM[1] / height
    if abs(across / down - 1) > SIDES_AGREE:
        raise CalibrationError(
            f"no bank card is seen on its outline ({width:.1f} x {height:.1f} mm was): lay one there, "
            "or measure the printed ruler and type its length"
        )
    factor = float((BANK_CARD_MM[0] * across + BANK_CARD_MM[1] * down) / sum(BANK_CARD_MM))
    return _told(factor, f"the bank card covers {width:.1f} x {height:.1f} mm of the sheet")


def _told(factor: float, measured: str) -> PrintScale:
    off = factor - 1.0
    if abs(off) > MOST_OFF:
        raise CalibrationError(f"{measured}: {100 * factor:.0f} % of its size is no print of our sheet; measure again")
    if abs(off) <= TRUE_WITHIN:
        return PrintScale(factor, "true", f"{measured}: the print is true to scale")
    return PrintScale(
        factor, "off", f"{measured}: the print is {100 * abs(off):.1f} % too {'large' if off > 0 else 'small'}"
    )


def _card_on_page(
    gray: NDArray[np.uint8], lens: Lens, card: KitCard, tags: list[int], pixels: Floats
) -> tuple[float, float]:
    """Width and height of what lies on the outline, in millimetres of the sheet."""
    corners = tag_corners_mm(card.page)
    # Page coordinates with y down have z into the table: what lies on top is at negative z.
    points = np.concatenate([np.column_stack([corners[tag], np.zeros(4)]) for tag in tags])
    matrix, dist = np.array(lens.K), np.array(lens.dist)
    _, turned, shift = cv2.solvePnP(points, pixels, matrix, dist, flags=cv2.SOLVEPNP_IPPE)
    _, turned, shift = cv2.solvePnP(points, pixels, matrix, dist, turned, shift, True, cv2.SOLVEPNP_ITERATIVE)
    rotation = np.array(cv2.Rodrigues(turned)[0], dtype=np.float64)
    size = (lens.width, lens.height)
    camera = camera_of(size, lens.parameters(), rotation, np.array(shift, dtype=np.float64).ravel())
    lines = []
    for start, end, outward in _sides(card.bank_card):
        along = np.linspace(start, end, ALONG)
        reach = np.arange(-LOOKED_MM / 2, LOOKED_MM / 2 + STEP_MM / 2, STEP_MM)
        # A dark field beside the outline is neither card nor paper.
        reach = reach[
            [not any(_covers(field, along + out * outward) for field in card.fields.values()) for out in reach]
        ]
        plan = (along[:, None] + reach[:, None] * outward).reshape(-1, 2)
        at = camera.project(np.column_stack([plan, np.full(len(plan), -CARD_MM)]))
        lines.append(_edge(light_at(gray, at).reshape(ALONG, -1), reach))
    (top, right, bottom, left) = lines
    # A card that lies a little crooked is narrower than the gap of its sides along the page's axes.
    half_mm = card.bank_card.width_mm / 2 - CLEAR_MM
    tilt = float(np.cos(np.arctan((top[1] + bottom[1]) / 2 / half_mm)))
    width = card.bank_card.width_mm + right[0] + left[0]
    height = card.bank_card.height_mm + top[0] + bottom[0]
    return width * tilt, height * tilt


def _covers(field: Rect, spots: Floats) -> bool:
    """Whether any of the spots (n, 2) of the page lies on a field, or as good as on it."""
    (left, top), _, (right, bottom), _ = field.corners_mm
    low, high = np.array([left, top]) - BESIDE_FIELD_MM, np.array([right, bottom]) + BESIDE_FIELD_MM
    return bool(((spots > low) & (spots < high)).all(axis=1).any())


def _sides(rect: Rect) -> list[tuple[Floats, Floats, Floats]]:
    """Straight parts of the outline's sides clockwise from the top, and which way is out."""
    a, b, c, d = (np.array(corner) for corner in rect.corners_mm)
    right, down = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    return [
        (a + CLEAR_MM * right, b - CLEAR_MM * right, -down),
        (b + CLEAR_MM * down, c - CLEAR_MM * down, right),
        (c - CLEAR_MM * right, d + CLEAR_MM * right, down),
        (d - CLEAR_MM * down, a + CLEAR_MM * down, -right),
    ]


def _edge(light: Floats, reach_mm: Floats) -> tuple[float, float]:
    """How far out the card's edge lies, and its slope, from looks across it (n, m).

    A step from card to paper, and the printed outline as a thin dark line that the card may have left uncovered.
    """
    place = np.linspace(-1.0, 1.0, len(light))[:, None]

    def off(p: Floats) -> Floats:
        card, paper, edge, slope, blur, dark, line = p
        x = reach_mm - edge - slope * place
        thin = np.exp(-0.5 * ((reach_mm - line) / (blur + 0.1)) ** 2) * ndtr(x / blur)
        model = card + (paper - card) * ndtr(x / blur) - dark * thin
        miss: Floats = (model - light).ravel()
        return miss

    ends = round(LEVEL_MM / 2 / STEP_MM)
    card, paper = float(np.median(light[:, :ends])), float(np.median(light[:, -ends:]))
    if abs(paper - card) < LEAST_CONTRAST * paper:
        raise CalibrationError("the bank card hardly differs from the paper: use a darker one, or the printed ruler")
    low = [0.0, 0.0, -LOOKED_MM / 2, -1.5, 0.05, 0.0, -LINE_MM]
    high = [2.0, 2.0, LOOKED_MM / 2, 1.5, 1.0, 1.0, LINE_MM]
    tries = [
        least_squares(off, [card, paper, edge, 0.0, 0.3, 0.05, 0.0], bounds=(low, high), loss="soft_l1", f_scale=0.02)
        for edge in STARTS_MM
    ]
    best = min(tries, key=lambda found: float(found.cost))
    return float(best.x[2]), float(best.x[3])
