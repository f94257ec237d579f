"""R6 and R7: roads and buildings, columns and city areas."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..geometry import Floats
from ..geometry.outline import inside_by, stick_covers, stick_to_outline, triangles
from ..geometry.solid import distance, stick, triangle_prism
from ..layout import Building
from ..measure import below
from ..ruling import Violation, measured, natural
from ..turn import Turn


def r6_obstacles(turn: Turn) -> Iterator[Violation]:
    """No road touches a building, or (by option) none lies on one."""
    kit = turn.kit
    for road in turn.judged_roads:
        tips = turn.places.road(road)
        reach_mm = turn.places.reach_mm(road) + kit.road_thickness_mm
        measured_tips = np.array([[road.a, road.b]])
        for building in sorted(turn.layout.buildings, key=lambda b: natural(b.id)):
            if stick_to_outline(measured_tips, kit.road_width_mm, building.outline)[0] > reach_mm:
                continue
            gap = _to_building(tips, kit.road_width_mm, kit.road_thickness_mm, building)
            fault = below(gap, 0.0)
            if turn.options.obstacles == "lie":
                fault &= stick_covers(tips, kit.road_width_mm, building.outline)
            verb = "lies on" if turn.options.obstacles == "lie" else "touches"
            text = f"road {road.id} {verb} {building.kind} {building.id}"
            if gap[0] > 0:
                text = f"road {road.id} passes {building.kind} {building.id} at {{mm}}"
            yield from measured("R6", [road.id, building.id], gap, fault, 0.0, text)


def r7_areas(turn: Turn) -> Iterator[Violation]:
    """Columns wholly on or off development areas and on no other area; no exit on the rainbow."""
    if not turn.options.city:
        return
    radius_mm = turn.kit.disc_radius_mm
    areas = sorted(turn.layout.areas, key=lambda a: natural(a.id))
    for column in turn.judged_columns:
        centre = turn.places.column(column)
        for area in areas:
            inside = inside_by(centre, area.outline)
            if area.kind == "development":
                over = radius_mm - np.abs(inside)
                text = f"column {column.id} hangs {{mm}} over the edge of development area {area.id}"
            else:
                over = radius_mm + inside
                text = f"column {column.id} stands {{mm}} into the {area.kind} area {area.id}"
            # A column that just touches an edge is still wholly on its side of it.
            yield from measured("R7", [column.id, area.id], over, ~below(over, 0.0), 0.0, text)
    for road in turn.judged_roads:
        if road.kind == "exit":
            tip = turn.places.road(road)[:, 1, :2]
            for area in (a for a in areas if a.kind == "rainbow"):
                inside = inside_by(tip, area.outline)
                text = f"exit {road.id} ends on the rainbow {area.id}"
                yield from measured("R7", [road.id, area.id], inside, ~below(inside, 0.0), 0.0, text)


def _to_building(tips: Floats, width_mm: float, thickness_mm: float, building: Building) -> Floats:
    """Least 3D distance of a road to a building, by the triangles of its outline, (n,)."""
    box = stick(tips, width_mm, thickness_mm)
    prisms = (triangle_prism(t, building.height_mm, len(tips)) for t in triangles(building.outline))
    nearest: Floats = np.min([distance(box, prism) for prism in prisms], axis=0)
    return nearest
