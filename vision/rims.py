"""How large the tops of columns look: from above the nearer ones look larger, wherever they stand in the picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from referee.layout import Layout
from referee.pieces import Kit
from vision.bodies import Body, column_body
from vision.contours import Prisms
from vision.fit import Fit, Over, Scene, fits
from vision.kept import present
from vision.view import Floats

RIM_MM = 0.5
"""So much of a column is its upper rim."""
SIGMA_MM, SIGMA_PX = 0.1, 0.15
"""How far the radius of a top seems off: discs differ, edges are rounded and blurred."""
MOST_OFF, UNTOLD = 2.8, 1.4
"""No rim is farther off than these sigmas, since it may be a shadow's or another disc's; and what is counted for one
that does not show."""
SHOWN, MOST_MM, HELD = 0.7, 0.5, 2
"""Share of its rim that a known column must show to tell how rims look, how far off it is believed to be, and as how
many columns it counts that nothing is off."""


def rim_odds(
    scenes: Sequence[Scene], columns: Sequence[Fit], over: Sequence[Over], usual_mm: float, kit: Kit
) -> Floats:
    """Log-odds (m,) of fitted columns by how much larger their tops look than others' do, in the first view."""
    tops_mm = np.array([column.prism.origin[2] + column.prism.half_mm for column in columns])
    places = np.array([column.pose for column in columns])
    seen = fits(scenes[:1], rim_body(kit, tops_mm), np.pad(places, ((0, 0), (0, 1))), over=over[:1])
    lens = scenes[0].evidence.lens
    pixels_mm = np.array([1 / lens.px_per_mm(rim.prism.origin) for rim in seen])
    off_mm = np.array([rim.pose[2] - usual_mm for rim in seen])
    away = np.abs(off_mm) / np.hypot(SIGMA_MM, SIGMA_PX * pixels_mm)
    # One that shows nothing of itself tells nothing.
    away = np.where([rim.support[0].count > 0 for rim in seen], away, UNTOLD)
    return np.asarray(-0.5 * np.square(np.minimum(away, MOST_OFF)), np.float64)


def usual_rim_mm(overhead: Scene, layout: Layout, kit: Kit) -> float:
    """How much larger the tops of columns that are known look than they are: edges are rounded, lit from a side and
    blurred, all about alike; little where few of them show."""
    if not layout.columns:
        return 0.0
    starts = np.array([(column.x, column.y, 0.0) for column in layout.columns])
    tops_mm = np.array([kit.column_top_mm(column.height) for column in layout.columns])
    depths = [overhead.depth.without(column.id) for column in layout.columns]
    now = present([overhead])
    seen = [rim for rim in fits(now, rim_body(kit, tops_mm), starts, depths=[depths]) if rim.support[0].visible > SHOWN]
    off_mm = [float(np.clip(rim.pose[2], -MOST_MM, MOST_MM)) for rim in seen]
    return float(np.median([*off_mm, *[0.0] * HELD])) if seen else 0.0


def rim_body(kit: Kit, tops_mm: Floats) -> Body:
    """Pose of an upper rim: x, y, and by how much its radius is larger than the kit's, in mm."""
    plain = column_body(kit, tops_mm - RIM_MM, tops_mm)

    def prisms(poses: Floats) -> Prisms:
        rims = plain.prisms(poses[:, :2])
        grown = np.ones((len(poses), 3, 1))
        grown[:, :2, 0] += poses[:, 2:] / kit.disc_radius_mm
        return Prisms(rims.outline, rims.origins, rims.axes * grown, rims.halves_mm)

    def motion(poses: Floats, owners: NDArray[np.intp], points: Floats) -> Floats:
        moved = np.zeros((len(points), 3, 3))
        moved[:, :2] = plain.motion(poses[:, :2], owners, points)
        moved[:, 2, :2] = (points[:, :2] - poses[owners, :2]) / kit.disc_radius_mm
        return moved

    return Body(prisms, motion)
