"""Sticks between tops: edges and what is taken for a stick speak together."""

from __future__ import annotations

import numpy as np
import pytest

from referee.pieces import Kit
from vision.bridges import GROUND, bridges
from vision.seek import Box
from vision.tops import GRID_MM, Plan
from vision.view import Floats

KIT = Kit()
SPOTS = np.array([[-46.0, 0.0], [46.0, 0.0]])
EYE = np.array([0.0, 0.0, 900.0])


def plan_with(edges: float) -> Plan:
    """A plan on which both long edges of a stick between the spots are seen so clearly (0 to 1)."""
    box = Box(-120.0, -60.0, 120.0, 60.0)
    tensor = np.zeros((round(120 / GRID_MM), round(240 / GRID_MM), 3), np.float32)
    x, y = np.meshgrid(
        *(np.arange(size) * GRID_MM + low for size, low in ((tensor.shape[1], -120), (tensor.shape[0], -60)))
    )
    on_edge = (np.abs(np.abs(y) - KIT.road_width_mm / 2) < 1.0) & (np.abs(x) < 50.0)
    tensor[..., 2] = edges * on_edge
    return Plan(box, 20.0, EYE, tensor)


def between(edges: float, told: float) -> int:
    """How many sticks are tried between both spots."""

    def taken(lines: Floats) -> Floats:
        return np.full(len(lines), told)

    return sum(GROUND not in one.ends for one in bridges(plan_with(edges), SPOTS, taken, KIT))


@pytest.mark.parametrize(
    ("edges", "told", "is_tried"),
    [
        (0.9, 0.0, True),  # clear edges alone
        (0.25, 1.0, True),  # few edges of what is plainly taken for a stick
        (0.25, 0.4, False),  # few edges of what is hardly taken for one
        (0.05, 1.0, False),  # no edges at all, in the midst of sticks
    ],
)
def test_a_stick_is_tried_where_its_edges_and_what_it_is_taken_for_are_enough(
    edges: float, told: float, is_tried: bool
) -> None:
    assert between(edges, told) == is_tried
