"""Errors that all pieces share: a calibration that is a little off moves the whole table together."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from calibration.camera import Rig
from calibration.rig_quality import SolvedRig
from referee.layout import Joint, Layout
from referee.pieces import Kit

MOST_FACTORS = 6
LEAST_MM = 0.005
AXES = "xyz"


def with_shared_errors(layout: Layout, rig: Rig, kit: Kit) -> Layout:
    """The layout with what the rig's covariance says of its columns and roads together, where the rig carries it."""
    if not isinstance(rig, SolvedRig) or not rig.covariance or not any(True for _ in layout.built()):
        return layout
    names: list[str] = []
    points: list[tuple[float, float, float]] = []
    kept: list[bool] = []
    for column in layout.columns:
        points.append((column.x, column.y, kit.column_top_mm(column.height)))
        names += [f"{column.id}.{axis}" for axis in AXES]
        kept += [True, True, False]
    for road in layout.roads:
        for end, tip in (("a", road.a), ("b", road.b)):
            points.append(tip)
            names += [f"{road.id}.{end}.{axis}" for axis in AXES]
            kept += [True, True, True]
    values, vectors = np.linalg.eigh(rig.point_covariance_mm2(np.array(points)))
    largest = np.argsort(-values)[:MOST_FACTORS]
    factors = vectors[:, largest] * np.sqrt(np.maximum(values[largest], 0.0))
    factors = factors[:, np.abs(factors).max(axis=0) > LEAST_MM][kept]
    if not factors.size:
        return layout
    order = tuple(name for name, wanted in zip(names, kept, strict=True) if wanted)
    rows = tuple(tuple(round(float(v), 5) for v in row) for row in factors)
    return replace(layout, joint=Joint(order, rows))
