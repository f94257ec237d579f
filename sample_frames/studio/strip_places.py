"""Where the printed tag strips lie on a table: round the play area, a little crooked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibration.page import Page
from calibration.sheets import STRIP_HEIGHT_MM, STRIP_WIDTH_MM, TAGS_PER_STRIP


@dataclass(frozen=True, slots=True)
class StripPlace:
    """A strip of a page, by its first tag there, and where on the table its middle lies."""

    page: Page
    first: int
    x_mm: float
    y_mm: float
    yaw_rad: float


def strip_places(
    rng: np.random.Generator, pages: tuple[Page, ...], centre: np.ndarray, clear_mm: float, gap_mm: tuple[float, float]
) -> Iterator[StripPlace]:
    """Four to six strips, each some gap further out than `clear_mm`."""
    per_page = len(pages[0].tags) // TAGS_PER_STRIP
    count = int(rng.integers(4, 7))
    start = float(rng.uniform(0, 2 * np.pi))
    side_by_side_mm = STRIP_WIDTH_MM / (2 * np.tan(np.pi / count))  # nearer, their corners would meet
    for number, chosen in enumerate(rng.permutation(len(pages) * per_page)[:count].tolist()):
        angle = start + number * 2 * np.pi / count + float(rng.normal(0.0, 0.03))
        away_mm = max(clear_mm, side_by_side_mm) + STRIP_HEIGHT_MM / 2 + float(rng.uniform(*gap_mm))
        yaw = angle - np.pi / 2 + float(rng.normal(0.0, 0.05)) + (np.pi if rng.random() < 0.3 else 0.0)
        x, y = centre[0] + np.cos(angle) * away_mm, centre[1] + np.sin(angle) * away_mm
        first = (chosen % per_page) * TAGS_PER_STRIP
        yield StripPlace(pages[chosen // per_page], first, float(x), float(y), float(yaw))
