"""City areas proposed from the overhead view: flat cards, found by colour, held against their sides' edges."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import shapely

from calibration.camera import Rig
from referee.layout import BARE_TABLE, Area, AreaKind, Layout
from referee.pieces import Kit
from vision.card_seeds import SPOTS, card_seeds, is_alike
from vision.cards import LENGTH, SEEN, WIDTH, Above, corners_of, edges_of, refined, scores, sides_of
from vision.depth import depth_map
from vision.ground import DARK, Ground, Mask, cells_of, grid_over
from vision.once import once
from vision.printed import printed
from vision.region import STRIP_MM, play_box, play_outline
from vision.solids import solids
from vision.view import Floats, Picture, Singles, View, is_within, sampled, view_of

LEAST_SIDE, MOST_SIDE = 2.6, 6.0
"""Sides of a card in disc diameters: a column finds room on it beside a building."""
LEAST_SEEN = 0.55
STANDS_OUT = 4.0
"""Distance in Lab between a card and what lies around it."""
AROUND_MM = 10.0
FLAT, LEAST_FLAT = 2.0, 0.12
"""Levels of difference between the cameras up to which a place is flat, and how much of a card must be."""
FROM_PAPER_MM = 12.0
"""What is nearer to the paper about a tag is more likely paper itself."""
ASIDE = 0.8
"""How clear a card's sides must be in the side view."""
FROM_STRIPS_MM = 12.0
"""How far inside the line of tags a card's middle lies."""
OVERLAP = 0.25
MOST_SEEDS, SETTLED = 120, 0.92
"""A checked cloth has hundreds of seeds: only the clearest are followed, and none to a card as clear as this again."""
IN_A_BOX: dict[AreaKind, int] = {"development": 5, "airport": 1, "green": 1}
"""Cards of each kind that a box holds (S6)."""
PATTERN = 2
"""So many times more than that are squares of a cloth."""
COMMON = 0.2
"""A colour that covers more of the table than this is the table's own, a square of its cloth."""
LONG = 1.42
"""A card at least this much longer than wide is the airport's."""
GREEN, GREENER = 12.0, 15.0
"""How green a lawn is in Lab, or how much greener than what lies around it where the light is warm."""


@dataclass(frozen=True, slots=True)
class _Limits:
    """How clear a card's worst side must be and all together, and by how much its size may still change."""

    worst: float
    mean: float
    stretch: float


CLEARLY, BARELY = _Limits(0.75, 0.9, 1.0), _Limits(0.55, 0.82, 0.1)


@dataclass(frozen=True, eq=False)
class _Sheet:
    """What the overhead view shows on the grid."""

    above: Above
    lab: Singles
    seen: Mask
    paper: Mask

    @once
    def colours(self) -> Singles:
        """Colours in Lab of what is seen, here and there."""
        every = self.lab[self.seen]
        return every[:: max(1, len(every) // SPOTS)]


def areas_of(
    overhead: Picture, rig: Rig, kit: Kit, layout: Layout = BARE_TABLE, ground: Ground | None = None
) -> tuple[Area, ...]:
    """Cards on the table beside the pieces and buildings of a layout, for people to correct.

    A ground that both cameras saw tells cards from what only shines.
    """
    sheet = _sheet(overhead, rig, kit, layout)
    region = city_region(rig, sheet.above.view)
    seeds = card_seeds(sheet.lab, sheet.seen, sheet.above.box, kit.disc_diameter_mm)
    seeds = seeds[[region.contains(shapely.Point(seed[:2])) for seed in seeds]] if len(seeds) else seeds
    if len(seeds) > MOST_SEEDS:
        seeds = seeds[np.argsort(-scores(seeds, sheet.above), kind="stable")[:MOST_SEEDS]]
    found = _added([], seeds, CLEARLY, sheet, ground)
    # What is less clear must be as large as a clear one: a box holds several of a kind.
    alike = [_resized(seed, card) for seed in seeds for card in _sizes(found)]
    found = _in_a_box(_added(found, np.array(alike).reshape(-1, 5), BARELY, sheet, ground))
    return tuple(
        Area(f"a{n}", kind, tuple((float(x), float(y)) for x, y in corners_of(card[None])[0]))
        for n, (card, kind) in enumerate(found, start=1)
    )


def _in_a_box(found: list[tuple[Floats, AreaKind]]) -> list[tuple[Floats, AreaKind]]:
    """The clearest cards of each kind, as many as a box holds; none where there are so many that it is a pattern."""
    if len(found) > PATTERN * sum(IN_A_BOX.values()):
        return []
    ranks = [sum(other == kind for _, other in found[:n]) for n, (_, kind) in enumerate(found)]
    return [one for one, rank in zip(found, ranks, strict=True) if rank < IN_A_BOX[one[1]]]


def city_region(rig: Rig, overhead: View) -> shapely.Polygon:
    """Where a city may lie: within the strips in view, and not on them."""
    whole, inside = play_outline(rig), play_outline(rig, overhead)
    if inside.area >= whole.area:
        return whole
    return inside.buffer(-STRIP_MM - FROM_STRIPS_MM)


def _sizes(found: list[tuple[Floats, AreaKind]]) -> list[Floats]:
    """Cards of which there may be more: one of the land to build on."""
    lands = [card for card, kind in found if kind == "development"]
    return lands[:1]


def _resized(seed: Floats, card: Floats) -> Floats:
    """A seed with a card's sides, its longer one along the longer."""
    short, long = sorted(card[[LENGTH, WIDTH]])
    sides = (long, short) if seed[LENGTH] >= seed[WIDTH] else (short, long)
    return np.array([*seed[:3], *sides])


def _added(
    found: list[tuple[Floats, AreaKind]], seeds: Floats, limits: _Limits, sheet: _Sheet, ground: Ground | None
) -> list[tuple[Floats, AreaKind]]:
    """Cards, and those that seeds lead to beside them, the clearest first."""
    rng = np.random.default_rng(1)
    taken = [shapely.Polygon(corners_of(card[None])[0]) for card, _ in found]
    free = [seed for seed in seeds if not any(one.contains(shapely.Point(seed[:2])) for one in taken)]
    fitted: list[tuple[Floats, float]] = []
    for seed in sorted(free, key=lambda one: -float(scores(one[None], sheet.above)[0])):
        if not any(score > SETTLED and is_alike(seed, card) for card, score in fitted):
            fitted.append(refined(seed, sheet.above, rng, limits.stretch))
    found = list(found)
    for card, _ in sorted(fitted, key=lambda one: -one[1]):
        outline = shapely.Polygon(corners_of(card[None])[0])
        if any(outline.intersection(other).area > OVERLAP * outline.area for other in taken):
            continue
        if _is_card(card, outline, limits, sheet, ground):
            taken.append(outline)
            found.append((card, _kind(card, outline, sheet)))
    return found


def _sheet(overhead: Picture, rig: Rig, kit: Kit, layout: Layout) -> _Sheet:
    view = view_of(overhead, rig.overhead, "overhead")
    box = play_box(BARE_TABLE, rig, kit)
    pixels = view.lens.project(grid_over(box))
    flat = sampled(view.light, pixels)
    lab = np.asarray(cv2.cvtColor(np.ascontiguousarray(flat / 255.0), cv2.COLOR_BGR2Lab), np.float32)
    pieces = (depth_map(solids(layout, kit), view.lens).number >= 0).astype(np.uint8)
    pieces = np.asarray(cv2.dilate(pieces, np.ones((3, 3), np.uint8)), np.uint8)
    papers = np.zeros(pieces.shape, np.uint8)
    for paper in printed(view):
        cv2.fillConvexPoly(papers, np.rint(paper).astype(np.int32), 1)
    paper_cells = sampled(papers.astype(np.float32), pixels) > 0.0
    seen = (sampled(pieces.astype(np.float32), pixels) == 0.0) & ~paper_cells & is_within(pixels, pieces.shape, 1)
    field = np.dstack([np.log(flat + np.float32(DARK)), seen]).astype(np.float32)
    disc_mm = kit.disc_diameter_mm
    return _Sheet(Above(box, view, field, LEAST_SIDE * disc_mm, MOST_SIDE * disc_mm), lab, seen, paper_cells)


def _is_card(card: Floats, outline: shapely.Polygon, limits: _Limits, sheet: _Sheet, ground: Ground | None) -> bool:
    """Whether a rectangle's sides are clear enough, and what lies in it is flat and unlike what lies around it."""
    sides, seen = (values[0] for values in sides_of(card[None], sheet.above))
    counts = seen > SEEN
    if counts.sum() < 3 or seen.mean() < LEAST_SEEN or sides[counts].min() < limits.worst:
        return False
    if sides[counts].mean() < limits.mean or sheet.paper[_cells(outline.buffer(FROM_PAPER_MM), sheet)].any():
        return False
    inside, around = _colours(outline, sheet)
    if not len(inside) or not len(around):
        return False
    colour = np.median(inside, axis=0)
    step = float(np.linalg.norm(colour - np.median(around, axis=0)))
    if step < STANDS_OUT or (np.linalg.norm(sheet.colours - colour, axis=1) < step / 2).mean() > COMMON:
        return False
    return ground is None or (_is_flat(_cells(outline, sheet), ground) and _is_seen_aside(card, ground))


def _kind(card: Floats, outline: shapely.Polygon, sheet: _Sheet) -> AreaKind:
    """What a card is: green ones are lawns, long ones airports, all others land to build on."""
    green, around = (float(np.median(colours[:, 1])) for colours in _colours(outline, sheet))
    if green < -GREEN or (green < 0 and green - around < -GREENER):
        return "green"
    short, long = sorted(card[[LENGTH, WIDTH]])
    return "airport" if long > LONG * short else "development"


def _colours(outline: shapely.Polygon, sheet: _Sheet) -> tuple[Singles, Singles]:
    """Colours in Lab inside an outline and around it."""
    inside = _cells(outline, sheet)
    around = _cells(outline.buffer(AROUND_MM), sheet) & ~inside
    return sheet.lab[inside & sheet.seen], sheet.lab[around & sheet.seen]


def _is_flat(inside: Mask, ground: Ground) -> bool:
    """Whether both cameras see much the same there, as far as both see it."""
    both = inside & ground.seen
    return not both.any() or float((ground.differs[both] < FLAT * ground.level).mean()) > LEAST_FLAT


def _is_seen_aside(card: Floats, ground: Ground) -> bool:
    """Whether the side view shows the card's sides too, as far as no piece hides them."""
    clear, seen = (values[0] for values in edges_of(card[None], ground.views["side"], ground.hidden["side"]))
    return not (seen > SEEN).any() or float(clear[seen > SEEN].mean()) > ASIDE


def _cells(outline: shapely.Polygon, sheet: _Sheet) -> Mask:
    """The grid's places inside an outline."""
    corners = cells_of(sheet.above.box, np.array(outline.exterior.coords[:-1]))
    mask: Mask = cv2.fillConvexPoly(np.zeros(sheet.seen.shape, np.uint8), np.rint(corners).astype(np.int32), 1) > 0
    return mask
