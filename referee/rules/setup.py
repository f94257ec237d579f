"""S2, S3, S5 and S6: the set-up, told but never in the way of play."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import shapely

from ..geometry import Floats
from ..geometry.outline import points_to_outline, stick_to_outline
from ..layout import Area, Building, Column
from ..measure import above
from ..pieces import SEDAN
from ..ruling import Violation, by_id, measured, natural, plain
from ..turn import Turn

CITY_BOX = {"development": 5, "green": 1, "airport": 1, "rainbow": 1, "building": 3, "tower": 1}


def s2_entrances(turn: Turn) -> Iterator[Violation]:
    """Each player has one grey disc, and (by option) a road from the table up onto it with one car."""
    layout = turn.layout
    for player in turn.position.players:
        columns = [c for c in layout.columns if c.owner == player]
        roads = [r for r in layout.roads if r.owner == player]
        cars = [c for c in layout.cars if c.owner == player]
        ids = by_id(p.id for p in layout.pieces() if p.owner == player)
        if len(columns) != 1 or columns[0].height != 1 or columns[0].junction:
            yield plain("S2", ids, f"{player} starts with one column of one grey disc")
        if turn.options.start == "column":
            if roads or cars:
                yield plain("S2", ids, f"{player} starts with a bare column, no road and no car")
            continue
        ramp = len(roads) == 1 and roads[0].kind == "entrance" and roads[0].to in {c.id for c in columns}
        if not ramp:
            yield plain("S2", ids, f"{player} starts with one road from the table up onto the column")
        if len(cars) != 1 or (roads and cars[0].road not in {r.id for r in roads}):
            yield plain("S2", ids, f"{player} starts with one car on the entrance")
        elif turn.rules.typed and cars[0].type not in (None, SEDAN):
            yield plain("S2", [cars[0].id], f"{player}'s first car is a {cars[0].type}; it is the {SEDAN}")


def s3_spacing(turn: Turn) -> Iterator[Violation]:
    """Start columns of neighbours stand one road length apart."""
    starts = [_start(turn, player) for player in turn.position.players]
    length_mm, slack_mm = turn.kit.road_length_mm, turn.options.spacing_mm
    spacing = turn.options.spacing
    count = len(starts)
    pairs = list(combinations(range(count), 2))
    if spacing != "all" and count > 3:
        pairs = [(i, j) for i, j in pairs if j - i in (1, count - 1)]
    low_mm = length_mm
    high_mm = length_mm + (turn.kit.disc_diameter_mm if spacing == "between" else 0.0)
    if spacing == "all" and count > 3:
        high_mm = np.inf
    for i, j in pairs:
        one, other = starts[i], starts[j]
        if one is None or other is None:
            continue
        apart = np.linalg.norm(turn.places.column(one) - turn.places.column(other), axis=1)
        off = np.maximum(np.maximum(low_mm - apart, apart - high_mm), 0.0)
        text = f"start columns {one.id} and {other.id} stand {apart[0]:.0f} mm apart, {{mm}} off one road length"
        yield from measured("S3", by_id((one.id, other.id)), off, above(off, slack_mm), slack_mm, text)


def _start(turn: Turn, player: str) -> Column | None:
    columns = sorted((c for c in turn.layout.columns if c.owner == player), key=lambda c: natural(c.id))
    return columns[0] if columns else None


def s5_buildings(turn: Turn) -> Iterator[Violation]:
    """With 3 or 4 players each puts one building; with 2 there are none."""
    if turn.options.buildings and turn.layout.buildings:
        count = len(turn.position.players)
        wanted = count if count > 2 else 0
        if len(turn.layout.buildings) != wanted:
            ids = by_id(b.id for b in turn.layout.buildings)
            yield plain("S5", ids, f"{len(ids)} buildings stand on the table; with {count} players there are {wanted}")


def s6_city(turn: Turn) -> Iterator[Violation]:
    """Development areas keep their distance; buildings and the tower stand inside them, one each."""
    if not turn.options.city:
        return
    layout, kit = turn.layout, turn.kit
    for kind, most in CITY_BOX.items():
        ids = by_id(p.id for p in layout.city() if p.kind == kind)
        if len(ids) > most:
            yield plain("S6", ids, f"{len(ids)} of {kind}; the box holds {most}")
    developments = sorted((a for a in layout.areas if a.kind == "development"), key=lambda a: natural(a.id))
    limit_mm = kit.disc_diameter_mm
    for one, other in combinations(developments, 2):
        gap = np.array([_polygon(one).distance(_polygon(other))])
        yield from _too_near(one, other.id, gap, limit_mm)
    for area in developments:
        for column in sorted(layout.columns, key=lambda c: natural(c.id)):
            gap = points_to_outline(turn.places.column(column), area.outline) - kit.disc_radius_mm
            yield from _too_near(area, column.id, gap, limit_mm)
        for road in sorted(layout.roads, key=lambda r: natural(r.id)):
            gap = stick_to_outline(turn.places.road(road), kit.road_width_mm, area.outline)
            yield from _too_near(area, road.id, gap, limit_mm)
    if developments:
        yield from _buildings_inside(turn, developments)


def _too_near(area: Area, other_id: str, gap: Floats, limit_mm: float) -> tuple[Violation, ...]:
    text = f"development area {area.id} lies {{mm}} from {other_id}; one column ({limit_mm:g} mm) is the least"
    return measured("S6", [area.id, other_id], gap, above(-gap, -limit_mm), limit_mm, text)


def _buildings_inside(turn: Turn, developments: list[Area]) -> Iterator[Violation]:
    held: dict[str, list[str]] = {}
    for building in sorted(turn.layout.buildings, key=lambda b: natural(b.id)):
        if building.kind in ("building", "tower"):
            home = next((a for a in developments if _polygon(a).covers(_polygon(building))), None)
            if home is None:
                yield plain(
                    "S6", [building.id], f"{building.kind} {building.id} is not wholly inside a development area"
                )
            else:
                held.setdefault(home.id, []).append(building.id)
    for area_id, ids in held.items():
        if len(ids) > 1:
            yield plain(
                "S6", [area_id, *ids], f"development area {area_id} holds {len(ids)} buildings; one is the most"
            )


def _polygon(piece: Area | Building) -> shapely.Polygon:
    return shapely.Polygon(piece.outline)
