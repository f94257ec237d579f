"""Which of two crossing roads is over the other, told by whose edges run on unbroken, apart from any heights."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from referee.layout import Layout, Road, with_pieces
from referee.pieces import Kit
from vision.evidence import Evidence
from vision.tensors import across
from vision.view import Floats, View

STATIONS = 240
LEAST_SPOTS = 8
BLUR_PX = (-1.0, -0.5, 0.0, 0.5, 1.0)
AGAINST = 0.12
"""How much more of the lower road's edges must be seen at a crossing than of the upper one's to speak against it."""
REASON = "which road is over the other"


def asked_at_crossings(layout: Layout, overhead: Evidence, kit: Kit, knee: float, new: set[str]) -> Layout:
    """The layout with roads asked for whose edges at a crossing say otherwise than their heights."""
    doubtful: set[str] = set()
    for i, one in enumerate(layout.roads):
        for other in layout.roads[i + 1 :]:
            if {one.id, other.id} & new and not one.shares_column_with(other):
                upper = _upper(one, other)
                if upper is None:
                    continue
                lower = other if upper is one else one
                shares = [edges_seen(overhead.view, a, b, kit, knee) for a, b in ((upper, lower), (lower, upper))]
                if shares[0] is not None and shares[1] is not None and shares[1] > shares[0] + AGAINST:
                    doubtful |= {one.id, other.id} & new
    pieces = {piece.id: piece for piece in layout.pieces()}
    asked = {name: replace(pieces[name], unsure=pieces[name].unsure or REASON) for name in doubtful}
    return with_pieces(layout, pieces | asked) if asked else layout


def _upper(one: Road, other: Road) -> Road | None:
    """The road whose centre line is higher where the two cross in plan; None where they do not."""
    a, b, c, d = (np.array(tip) for tip in (one.a, one.b, other.a, other.b))
    system = np.column_stack([(b - a)[:2], -(d - c)[:2]])
    if abs(float(np.linalg.det(system))) < 1e-9:
        return None
    s, t = np.linalg.solve(system, (c - a)[:2])
    if not (0 <= s <= 1 and 0 <= t <= 1):
        return None
    return one if a[2] + s * (b - a)[2] > c[2] + t * (d - c)[2] else other


def edges_seen(view: View, road: Road, other: Road, kit: Kit, knee: float) -> float | None:
    """The share of a road's side edges that is seen where the other crosses it; None where that is too little."""
    a, b = np.array(road.a), np.array(road.b)
    u = (b - a) / np.linalg.norm(b - a)
    v = np.array([-u[1], u[0], 0.0]) / np.hypot(u[0], u[1])
    stations = a + np.linspace(0, 1, STATIONS)[:, None] * (b - a) + np.array([0, 0, kit.road_thickness_mm / 2])
    spots = np.concatenate([stations + side * kit.road_width_mm / 2 * v for side in (-1.0, 1.0)])
    pixels = view.lens.project(spots)
    inside = _within(pixels, other, view, kit)
    if inside.sum() < LEAST_SPOTS:
        return None
    run = view.lens.project(spots[inside] + u) - pixels[inside]
    normals = np.column_stack([run[:, 1], -run[:, 0]]) / np.linalg.norm(run, axis=1, keepdims=True)
    strength = np.max([across(view.tensor.at(pixels[inside] + blur * normals), normals) for blur in BLUR_PX], axis=0)
    return float((strength / (strength + knee)).mean())


def _within(pixels: Floats, road: Road, view: View, kit: Kit) -> np.ndarray:
    """Which pixels (n, 2) lie on a road as the view shows it."""
    lift = np.array([0, 0, kit.road_thickness_mm / 2])
    a, b = view.lens.project(np.array([road.a, road.b]) + lift)
    length = float(np.hypot(*(b - a)))
    u = (b - a) / length
    half_px = kit.road_width_mm / 2 * length / kit.road_length_mm * 0.8
    arm = pixels - a
    along, aside = arm @ u, arm @ (-u[1], u[0])
    inside: np.ndarray = (along > 0) & (along < length) & (np.abs(aside) < half_px)
    return inside
