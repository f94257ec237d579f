"""Bundle adjustment: cameras, strips on the table and boards in the air, all at once, by robust least squares."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import least_squares

from calibration.bundle_rows import CAMERA, Bundle, Layout, Problem, State
from calibration.camera import Floats

SOFT = 2.5
"""From how many standard deviations on a residual counts for less than its square."""
BELIEVED = 10
"""So many residuals are the stated sigmas worth against those that are there."""


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The best answer, the covariance of the cameras' numbers about it, and how well it fits."""

    state: State
    covariance: Floats
    """(15 c, 15 c)."""
    reprojection_px: float


def solve(bundle: Bundle, start: State) -> State:
    """The most likely state; the table's origin and heading stay the mean of all tag corners."""
    # Plain squares find the way from afar; then the pixels' own scatter says how they compare with the lenses.
    near = _descend(bundle, start, "linear", 1e-6)
    return _descend(_weighed(bundle, near), near, "soft_l1", 1e-9)


def _descend(bundle: Bundle, start: State, loss: str, tolerance: float) -> State:
    layout = Layout(bundle, len(start.strips), len(start.boards))
    problem = Problem(bundle, layout, start)
    found = least_squares(
        problem.residuals,
        np.zeros(layout.size),
        problem.jacobian,
        method="trf",
        x_scale="jac",
        loss=loss,
        f_scale=SOFT,
        tr_solver="lsmr",
        tr_options={"atol": 1e-9, "btol": 1e-9, "maxiter": 20 * layout.size},
        xtol=tolerance,
        ftol=tolerance,
        max_nfev=60,
    )
    return problem.at(found.x)


def _weighed(bundle: Bundle, state: State) -> Bundle:
    """The same with the pixels' sigmas as large as their residuals, robustly, show them to be.

    A tag's corners err against each other, lying where fitted sides meet, and that moves no camera: to count them all
    is a little too wide. To count the middles of tags alone was too narrow on twenty takes.
    """
    layout = Layout(bundle, len(state.strips), len(state.boards))
    problem = Problem(bundle, layout, state)
    residuals = problem.residuals(np.zeros(layout.size))[: problem.measurements]
    weight = 1 / np.sqrt(1 + (residuals / SOFT) ** 2)
    taken = layout.size - sum(root.shape[1] for root in layout.roots)
    free = max(problem.measurements - taken, 0) * weight.mean()
    excess = np.sqrt(((weight * residuals**2).sum() + BELIEVED) / (free + BELIEVED))
    return replace(bundle, seen=[replace(seen, sigma_px=seen.sigma_px * excess) for seen in bundle.seen])


def measured(bundle: Bundle, state: State) -> Solved:
    """How well a solved state is known."""
    bundle = _weighed(bundle, state)
    layout = Layout(bundle, len(state.strips), len(state.boards))
    problem = Problem(bundle, layout, state)
    zero = np.zeros(layout.size)
    residuals, jacobian = problem.residuals(zero), problem.jacobian(zero).toarray()
    weight = 1 / np.sqrt(1 + (residuals / SOFT) ** 2)
    information = jacobian.T @ (weight[:, None] * jacobian)
    scale = 1.0 / np.sqrt(np.diag(information))
    covariance = np.linalg.inv(information * np.outer(scale, scale)) * np.outer(scale, scale)
    spread = np.zeros((CAMERA * len(state.cameras), layout.size))
    for number, (at, root) in enumerate(zip(layout.cameras, layout.roots, strict=True)):
        row = CAMERA * number
        spread[row : row + 6, at : at + 6] = np.eye(6)
        spread[row + 6 : row + CAMERA, at + 6 : at + 6 + root.shape[1]] = root
    pixels = np.concatenate([problem.off_px(number, zero) for number in range(len(state.cameras))])
    return Solved(state, spread @ covariance @ spread.T, float(np.sqrt((pixels**2).sum(axis=1).mean())))
