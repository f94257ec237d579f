"""A whole city proposed from a pair: its cards and rainbow, and what stands on them or on the bare table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import shapely

from calibration.camera import Rig
from referee.layout import Area, Building, Layout
from referee.pieces import Kit
from vision.aeroplanes import aeroplanes_on
from vision.city import areas_of, city_region
from vision.ground import GRID_MM, Ground, ground_of
from vision.rainbow import rainbow_in
from vision.standing import HIGHEST_MM, Fit, standing_in
from vision.trees import trees_on
from vision.uprights import HEIGHT, LENGTH, TOP, WIDTH, X, Y, corners_of
from vision.view import Floats, Picture

REACH_MM = 200.0
"""How far from the pieces a city reaches."""
EDGES, SEEN, TOGETHER = 0.7, 0.4, 0.95
"""What a building must show: edges, a part that no piece hides, and edges with half of what says that it stands."""
UPRIGHT, SLENDER = 0.8, 2.2
"""How high a box and a spire are at least, in lengths of their feet."""
ALONE_EDGES, ALONE_STANDS, ALONE_WIDE = 0.85, 0.6, 1.0
"""What it must show where no card tells that it is one: in width more than a disc, or it may be a stack of them."""
TOWER = 3.0
"""A box so many times as high as wide is a tower too."""
OVERLAP = 0.5
"""Of the rainbow's area, that no card covers."""
BESIDE_MM, LEANS_MM = 6.0, 18.0
"""How far beside its card a building's middle may be, and its roof as seen from above."""


def city_of(
    pair: Mapping[str, Picture], rig: Rig, kit: Kit, layout: Layout
) -> tuple[tuple[Area, ...], tuple[Building, ...]]:
    """Areas and buildings beside the pieces of a layout, for people to correct; without a side view areas alone."""
    if "side" not in pair:
        return areas_of(pair["overhead"], rig, kit, layout), ()
    ground = ground_of(pair, rig, kit, layout)
    region = city_region(rig, ground.views["overhead"])
    spots = [(c.x, c.y) for c in layout.columns] + [tip[:2] for road in layout.roads for tip in (road.a, road.b)]
    near = shapely.MultiPoint(spots).convex_hull.buffer(REACH_MM) if spots else region
    rainbow = rainbow_in(ground, region.intersection(near), kit)
    arch = shapely.Polygon(rainbow.outline) if rainbow else shapely.Polygon()
    fits = [fit for fit in standing_in(ground, region.intersection(near), kit) if _is_there(fit, ground)]
    fits = [fit for fit in fits if not fit.outline.intersects(arch)]
    # What stands on a card hides some of it.
    beside = msgspec.structs.replace(layout, buildings=_buildings(fits, ground))
    areas = [area for area in areas_of(pair["overhead"], rig, kit, beside, ground) if not _is_over(area, arch)]
    on_cards = {area.id: fit for area in areas if (fit := _on_card(area, fits, ground, kit)) is not None}
    # Only land to build on carries buildings, however long it looks.
    areas = [msgspec.structs.replace(a, kind="development") if a.id in on_cards else a for a in areas]
    cards = [shapely.Polygon(area.outline) for area in areas]
    alone = [fit for fit in fits if _is_clear(fit, kit) and not any(fit.outline.intersects(card) for card in cards)]
    small = [thing for area in areas for thing in _small_on(area, ground, kit)]
    buildings = [*_buildings([*on_cards.values(), *alone], ground), *small]
    return (
        tuple(
            msgspec.structs.replace(a, id=f"a{n}") for n, a in enumerate([*areas, *([rainbow] if rainbow else [])], 1)
        ),
        tuple(msgspec.structs.replace(b, id=f"b{n}") for n, b in enumerate(buildings, 1)),
    )


def _is_over(area: Area, arch: shapely.Polygon) -> bool:
    """Whether an area covers the rainbow's: something flat cannot."""
    return bool(shapely.Polygon(area.outline).intersection(arch).area > OVERLAP * max(arch.area, 1.0))


def _small_on(area: Area, ground: Ground, kit: Kit) -> list[Building]:
    """What stands on an area that is no building: trees on lawns, aeroplanes on airports."""
    match area.kind:
        case "green":
            return trees_on(area, ground, kit)
        case "airport":
            return aeroplanes_on(area, ground, kit)
        case _:
            return []


def _is_there(fit: Fit, ground: Ground) -> bool:
    if fit.edges < EDGES or fit.seen < SEEN or fit.stands < 0 or fit.edges + fit.stands / 2 < TOGETHER:
        return False
    long_mm, spire = max(fit.body[LENGTH], fit.body[WIDTH]), fit.body[TOP] < 1.0
    return bool(_tip_mm(fit.body, ground) > SLENDER * long_mm if spire else fit.body[HEIGHT] > UPRIGHT * long_mm)


def _is_clear(fit: Fit, kit: Kit) -> bool:
    wide = min(fit.body[LENGTH], fit.body[WIDTH]) > ALONE_WIDE * kit.disc_diameter_mm
    return bool(wide and fit.edges > ALONE_EDGES and fit.stands > ALONE_STANDS and fit.body[TOP] == 1.0)


def _on_card(area: Area, known: Sequence[Fit], ground: Ground, kit: Kit) -> Fit | None:
    """The best body on an area (S6 puts one on it at most): of those known, or found on a closer look."""
    if area.kind == "green":
        return None
    card = shapely.Polygon(area.outline)
    on_it = [fit for fit in known if card.buffer(BESIDE_MM).contains(fit.outline.centroid)]
    if area.kind == "airport":
        # An aeroplane may stand on what looks like one.
        on_it = [fit for fit in on_it if _is_clear(fit, kit)]
    elif not any(_is_clear(fit, kit) for fit in on_it):
        near = standing_in(ground, card.buffer(LEANS_MM), kit, everywhere=True)
        near = [fit for fit in near if _is_there(fit, ground)]
        on_it += [fit for fit in near if card.buffer(BESIDE_MM).contains(fit.outline.centroid)]
    return max(on_it, key=lambda fit: fit.score, default=None)


def _buildings(fits: Sequence[Fit], ground: Ground) -> tuple[Building, ...]:
    return tuple(_building(fit, f"b{n}", ground) for n, fit in enumerate(fits, start=1))


def _building(fit: Fit, name: str, ground: Ground) -> Building:
    """A fitted body as a building: slender ones are towers, on square feet if they narrow to their tops."""
    body = fit.body.copy()
    if body[TOP] < 1.0:
        body[LENGTH] = body[WIDTH] = max(body[LENGTH], body[WIDTH])
        body[HEIGHT] = _tip_mm(body, ground)
    outline = tuple((float(x), float(y)) for x, y in corners_of(body[None])[0, :4, :2])
    slender = body[TOP] < 1.0 or body[HEIGHT] > TOWER * max(body[LENGTH], body[WIDTH])
    return Building(name, "tower" if slender else "building", outline, float(body[HEIGHT]))


def _tip_mm(body: Floats, ground: Ground) -> float:
    """How high a spire is: where the side view no longer differs from the table behind it."""
    eye = ground.views["side"].lens.eye
    heights = np.arange(float(body[HEIGHT]), HIGHEST_MM, GRID_MM)
    spots = body[[X, Y]] + (body[[X, Y]] - eye[:2]) * (heights / (eye[2] - heights))[:, None]
    columns, rows = np.rint(ground.cells(spots)).astype(int).T
    inside = (columns >= 0) & (rows >= 0) & (columns < ground.seen.shape[1]) & (rows < ground.seen.shape[0])
    stands = np.zeros(len(heights), np.bool_)
    stands[inside] = ground.evidence[rows[inside], columns[inside], 0] > 0
    ends = np.flatnonzero(~stands)
    return float(heights[max(int(ends[0]) - 1, 0)] if len(ends) else body[HEIGHT])
