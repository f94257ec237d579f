"""What no table can show: pieces that float, or that are inside each other."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

import numpy as np
import shapely

from referee.geometry import Floats
from referee.geometry.cylinder import stick_to_column
from referee.geometry.outline import inside_by, points_to_outline, triangles
from referee.geometry.plan import stick_to_disc
from referee.geometry.solid import separation, triangle_prism
from referee.layout import Car, Column, Layout, Road
from referee.pieces import Kit
from referee.resting import overlap_points, stick_under

from .boxes import car_box, car_pose, car_size_mm, solids, stick_box
from .resting import at_column

DEEP_MM = 0.02
"""Nothing is further inside anything else than this."""
FLOAT_MM = 0.05
"""Nothing hangs further above what it lies on than this."""


def faults(layout: Layout, kit: Kit, only: Collection[str] | None = None) -> list[str]:
    """Everything about a layout that cannot stand so; `only` looks at what these pieces have to do with."""
    roads = {r.id: r for r in layout.roads}
    return [
        *_in_each_other(layout, kit, roads, only),
        *_in_columns(layout, kit, only),
        *_in_buildings(layout, kit, only),
        *(text for road in layout.roads if _asked(only, road.id) for text in _floating(layout, kit, road)),
        *(text for car in layout.cars if _asked(only, car.id) for text in _off_its_road(kit, car, roads)),
    ]


def _asked(only: Collection[str] | None, *ids: str) -> bool:
    return only is None or any(i in only for i in ids)


def _in_each_other(layout: Layout, kit: Kit, roads: dict[str, Road], only: Collection[str] | None) -> Iterator[str]:
    """Sticks and cars, all as boxes; a car stands on its own road."""
    boxes = {r.id: stick_box(kit, r) for r in layout.roads}
    boxes |= {c.id: car_box(kit, c, roads.get(c.road or "")) for c in layout.cars}
    own = {(c.road, c.id) for c in layout.cars}
    low = {i: corners.min(axis=0) for i, corners in boxes.items()}
    high = {i: corners.max(axis=0) for i, corners in boxes.items()}
    pairs = [
        (i, j)
        for i, j in combinations(boxes, 2)
        if _asked(only, i, j)
        and (i, j) not in own
        and bool((low[i] < high[j]).all())
        and bool((low[j] < high[i]).all())
    ]
    if pairs:
        gaps = separation(solids([boxes[i] for i, _ in pairs]), solids([boxes[j] for _, j in pairs]))
        for (i, j), gap in zip(pairs, gaps, strict=True):
            if gap < -DEEP_MM:
                yield f"{i} is {-gap:.3f} mm inside {j}"


def _in_columns(layout: Layout, kit: Kit, only: Collection[str] | None) -> Iterator[str]:
    """Columns in columns, sticks and cars in columns (against a column less what is allowed)."""
    radius_mm = kit.disc_radius_mm - DEEP_MM
    for one, other in combinations(layout.columns, 2):
        apart_mm = float(np.hypot(one.x - other.x, one.y - other.y))
        if _asked(only, one.id, other.id) and apart_mm < kit.disc_diameter_mm - DEEP_MM:
            yield f"columns {one.id} and {other.id} stand {kit.disc_diameter_mm - apart_mm:.3f} mm inside each other"
    if not layout.roads or not layout.columns:
        return
    for item, tips, width_mm, thick_mm in _bars(layout, kit):
        columns = [c for c in layout.columns if _asked(only, item, c.id)]
        if not columns:
            continue
        centres = np.array([(c.x, c.y) for c in columns])
        gaps = stick_to_disc(np.broadcast_to(tips, (len(columns), 2, 3)), width_mm, centres, kit.disc_radius_mm)
        for column, gap in zip(columns, gaps, strict=True):
            top_mm = kit.column_top_mm(column.height) - DEEP_MM
            if gap < thick_mm and tips[:, 2].min() - thick_mm < top_mm:
                centre = np.array([[column.x, column.y]])
                if stick_to_column(tips[None], width_mm, thick_mm, centre, radius_mm, top_mm)[0] <= 0:
                    yield f"{item} is inside column {column.id}"


def _bars(layout: Layout, kit: Kit) -> Iterator[tuple[str, Floats, float, float]]:
    """Sticks and cars as bars: id, tips of the centre line, width, thickness."""
    roads = {r.id: r for r in layout.roads}
    for road in layout.roads:
        yield road.id, np.array([road.a, road.b]), kit.road_width_mm, kit.road_thickness_mm
    for car in layout.cars:
        corners = car_box(kit, car, roads.get(car.road or ""))
        back, front = corners[[0, 3, 4, 7]].mean(axis=0), corners[[1, 2, 5, 6]].mean(axis=0)
        yield car.id, np.array([back, front]), *car_size_mm(kit, car)[1:]


def _in_buildings(layout: Layout, kit: Kit, only: Collection[str] | None) -> Iterator[str]:
    for building in layout.buildings:
        prisms = triangles(building.outline)
        outline = shapely.Polygon(building.outline)
        for column in layout.columns:
            if _asked(only, column.id, building.id):
                gap = points_to_outline(np.array([[column.x, column.y]]), building.outline)[0]
                if gap < kit.disc_radius_mm - DEEP_MM:
                    yield f"column {column.id} stands in {building.kind} {building.id}"
        for road in layout.roads:
            line = shapely.LineString([road.a[:2], road.b[:2]])
            if _asked(only, road.id, building.id) and line.distance(outline) < kit.road_width_mm:
                block = solids([stick_box(kit, road)])
                if any(separation(block, triangle_prism(p, building.height_mm, 1))[0] < -DEEP_MM for p in prisms):
                    yield f"{road.id} is inside {building.kind} {building.id}"


def _floating(layout: Layout, kit: Kit, road: Road) -> Iterator[str]:
    """Each end touches its column's top, a stick that lies there, or the table."""
    columns: dict[str | None, Column] = {c.id: c for c in layout.columns}
    under = stick_under(kit, road)
    for end, tip in ((road.from_, road.a), (road.to, road.b)):
        if end is None:
            plan_mm = np.hypot(road.b[0] - road.a[0], road.b[1] - road.a[1])
            gap_mm = tip[2] - kit.road_thickness_mm / 2 * float(plan_mm) / kit.road_length_mm
            if abs(gap_mm) > FLOAT_MM:
                yield f"{road.id} ends {gap_mm:.3f} mm over the table"
            continue
        others = Layout((), tuple(r for r in layout.roads if r.id != road.id), ())
        gaps = [np.inf]
        for surface in at_column(kit, others, columns[end]):
            corners = overlap_points(under, surface)
            over = under.heights_mm(corners) - surface.heights_mm(corners)
            # What is higher than the middle of the stick lies on it, not under it.
            gaps += [float(g) for g in over if g > -kit.road_thickness_mm / 2]
        if min(gaps) > FLOAT_MM:
            yield f"{road.id} floats {min(gaps):.3f} mm over column {end}"


def _off_its_road(kit: Kit, car: Car, roads: dict[str, Road]) -> Iterator[str]:
    """A car stands on its road's upper face and does not stick out over it."""
    road = roads.get(car.road or "")
    if road is None:
        yield f"car {car.id} stands on no road"
        return
    top = stick_under(kit, road)
    thick_mm = kit.road_thickness_mm * kit.road_length_mm / np.hypot(road.b[0] - road.a[0], road.b[1] - road.a[1])
    placed = car_pose(car, road)
    foot = placed[:3, 3] - placed[:3, 2] * car_size_mm(kit, car)[2] / 2
    over_mm = float(foot[2]) - float(top.heights_mm(foot[None, :2])[0]) - thick_mm
    if abs(over_mm) > FLOAT_MM:
        yield f"car {car.id} stands {over_mm:.3f} mm over {road.id}"
    corners = car_box(kit, car, road)[:4, :2]
    outline = tuple((float(x), float(y)) for x, y in top.outline)
    wide_mm = max(car_size_mm(kit, car)[1] - kit.road_width_mm, 0.0) / 2
    out_mm = -float(inside_by(corners, outline).min())
    if out_mm > wide_mm + kit.road_thickness_mm / 2 * 0.2 + DEEP_MM:
        yield f"car {car.id} sticks out {out_mm:.3f} mm over {road.id}"
