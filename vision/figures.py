"""The figures of the bench over many scored layouts."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from vision.scoring import Score

REACH_95 = 1.96


class Figures(msgspec.Struct, frozen=True):
    """Shares from 0 to 1, errors in mm; None where there was nothing to measure."""

    layouts: int
    right: float | None
    asked: float | None
    asked_though_right: float | None
    wrong_and_sure: float | None
    strictly_right: float | None
    """With every new road's end within a few millimetres too, which telling roads apart does not ask for."""
    strictly_wrong_and_sure: float | None
    columns_found: float | None
    heights_right_when_sure: float | None
    roads_found: float | None
    tip_plan_median_mm: float | None
    tip_plan_p95_mm: float | None
    tip_z_median_mm: float | None
    column_median_mm: float | None
    within_95: float | None
    """Over all coordinates of columns and tips; by what they are of, in `within_95_of`."""
    within_95_of: dict[str, float | None]
    cars_found: float | None
    colours_right: float | None
    types_given: float | None
    types_right_when_given: float | None


def figures(scores: Iterable[Score]) -> Figures:
    """All scores taken together."""
    every = list(scores)
    tips = np.array([error for one in every for error in one.tip_errors_mm]).reshape(-1, 3)
    columns = np.array([error for one in every for error in one.column_errors_mm]).reshape(-1, 2)
    plan_mm = np.hypot(tips[:, 0], tips[:, 1])
    ratios = {of: np.array([r for one in every for r in one.ratios[of]]) for of in ("columns", "plan", "z", "cars")}
    measured = np.concatenate([ratios["columns"], ratios["plan"], ratios["z"]])

    def total(name: str) -> int:
        return sum(int(getattr(one, name)) for one in every)

    return Figures(
        layouts=len(every),
        right=_share(total("right"), len(every)),
        asked=_share(total("asked"), len(every)),
        asked_though_right=_share(total("asked_though_right"), len(every)),
        wrong_and_sure=_share(total("wrong_and_sure"), len(every)),
        strictly_right=_share(total("strictly_right"), len(every)),
        strictly_wrong_and_sure=_share(total("strictly_wrong_and_sure"), len(every)),
        columns_found=_share(total("columns_found"), total("columns")),
        heights_right_when_sure=_share(total("heights_right"), total("heights_sure")),
        roads_found=_share(total("roads_found"), total("roads")),
        tip_plan_median_mm=_percentile(plan_mm, 50),
        tip_plan_p95_mm=_percentile(plan_mm, 95),
        tip_z_median_mm=_percentile(np.abs(tips[:, 2]), 50),
        column_median_mm=_percentile(np.hypot(columns[:, 0], columns[:, 1]), 50),
        within_95=_within(measured),
        within_95_of={of: _within(values) for of, values in ratios.items()},
        cars_found=_share(total("cars_found"), total("cars")),
        colours_right=_share(total("colours_right"), total("cars_found")),
        types_given=_share(total("types_given"), total("cars_found")),
        types_right_when_given=_share(total("types_right"), total("types_given")),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _within(ratios: np.ndarray) -> float | None:
    """The share of errors that their 95 % interval holds."""
    return _share(int((np.abs(ratios) < REACH_95).sum()), len(ratios))


def _percentile(values: np.ndarray, share: float) -> float | None:
    return float(np.percentile(values, share)) if len(values) else None
