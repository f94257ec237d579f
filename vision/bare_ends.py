"""Where low columns may stand that nothing shows, hidden under what they bear: where sticks end, and none is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from vision.bodies import stick_tips
from vision.bridges import GROUND
from vision.joint import State, Table
from vision.strips import Strip
from vision.tops import Plan
from vision.view import Floats

OVERLAP = 0.55
"""How far from its end a stick lies on a column's middle as a rule, in radii."""
APART = 0.6
"""How far in radii from all tops that are known such a column stands."""
CLEAR, TAKEN = 0.3, 0.75
"""How clear a strip must be, and how much of it must be taken for a stick, to be one that lies somewhere."""
ASIDE, ALONG = 0.9, 0.26
"""How far from a stick a strip may be that is the same, in its widths and lengths."""


def under_bare_ends(
    table: Table,
    state: State,
    plan: Plan,
    found: Sequence[Strip],
    spots: Floats,
    taken: Callable[[Floats], Floats],
) -> Floats:
    """Spots (m, 2) of the plane where no top at spots (k, 2) is, but a stick that seems to lie on the table ends, or a
    strip that is clearly one and not on the table yet."""
    kit = table.kit
    lines = {
        group: plan.flat(np.array(stick_tips(table.pose(state, group), kit.road_length_mm))) for group in state.chosen
    }
    inward: list[Floats] = []
    for group, way in state.chosen.items():
        ends = table.span(group, way).ends
        inward += [lines[group][:: 1 - 2 * end] for end in (0, 1) if ends[end] == GROUND]
    for strip in found:
        line = strip.line(kit)
        if strip.sides < CLEAR or taken(line[None])[0] < TAKEN:
            continue
        if not any(_is_same(line, other, kit.road_width_mm, kit.road_length_mm) for other in lines.values()):
            inward += [line, line[::-1]]
    known = [*spots]
    for end, other in inward:
        spot = end + OVERLAP * kit.disc_radius_mm * (other - end) / np.linalg.norm(other - end)
        if np.hypot(*(np.array(known).reshape(-1, 2) - spot).T).min(initial=np.inf) > APART * kit.disc_radius_mm:
            known.append(spot)
    return np.array(known[len(spots) :]).reshape(-1, 2)


def _is_same(line: Floats, other: Floats, width_mm: float, length_mm: float) -> bool:
    """Whether two lines (2, 2) of the plane are one stick."""
    x, y = (other[1] - other[0]) / np.linalg.norm(other[1] - other[0])
    arms = line - other[0]
    aside_mm = np.abs(arms[:, 1] * x - arms[:, 0] * y).max()
    along_mm = abs(float((line - other).mean(axis=0) @ (x, y)))
    return bool(aside_mm < ASIDE * width_mm and along_mm < ALONG * length_mm)
