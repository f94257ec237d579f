"""Boxes and spires that both views show on the table: sought where the views differ, fitted to edges in both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import cv2
import numpy as np
import shapely

from referee.pieces import Kit
from vision.climb import climbed, climbed_apart
from vision.ground import GRID_MM, Ground
from vision.uprights import HEIGHT, LENGTH, TOP, WIDTH, X, Y, corners_of, edges_in, hidden_by, hidden_mm2
from vision.view import Floats

SIDES = ((0.9, 0.9), (1.15, 1.15), (1.5, 1.5), (1.1, 1.5), (1.5, 1.1))
"""Sides of the feet that are tried, in disc diameters."""
YAWS_RAD = np.arange(6) * np.pi / 12
BOXES_MM, SPIRES_MM = np.arange(14.0, 70.0, 6.0), np.arange(40.0, 115.0, 8.0)
"""Heights that are tried."""
NARROWS = 0.15
"""How wide a spire is at its top, in widths of its foot."""
PLACES_MM, LIKELY, NEVER, LEAST_HIDDEN = 4.0, 0.2, -2.0, -0.1
ROOFS, LEAST_ROOF, MOST = 3, 0.45, 2_500
"""Roofs kept of each place, how much of their edges the overhead view shows at least, and how many in all."""
LEAST_SIDE_MM, MOST_ASPECT, LEAST_MM, HIGHEST_MM = 6.0, 2.2, 9.0, 130.0
SIZE = 0.25
"""How much hiding e times as much that stands counts against edges."""
POOL, KEPT, KEPT_NEAR, APART = 3_000, 16, 5, 1.0
"""Bodies looked at more closely, of which so many are fitted (fewer in a small region), so many diameters apart."""
ROUNDS, TRIES = 6, 140
STANDING, LIFTED = 0.3, 1.5
"""What standing counts against sharp edges, and how much higher a box may be than it seemed."""
WIDE = np.array([3.0, 3.0, 0.15, 3.0, 3.0, 4.0, 0.0])
"""By how much a body is moved, turned and stretched at first."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A body, and how it is seen."""

    body: Floats
    score: float
    edges: float
    """The share of its edges that the view shows which shows fewer."""
    stands: float
    """What speaks for something standing there, from -1 to 1."""
    seen: float
    """The share of the table behind it that is free of pieces."""

    @property
    def outline(self) -> shapely.Polygon:
        return shapely.Polygon(corners_of(self.body[None])[0, :4, :2])


@dataclass(frozen=True, slots=True)
class Fits:
    """How bodies (n) are seen: the numbers of a `Fit` for each, and how sharp their edges are."""

    score: Floats
    sharpness: Floats
    """How clear their edges are, sharp ones counting more, with a little for what stands there."""
    edges: Floats
    stands: Floats
    seen: Floats


def standing_in(ground: Ground, region: shapely.Geometry, kit: Kit, everywhere: bool = False) -> list[Fit]:
    """Bodies in a region of the table, the best first; sought where the views differ clearly, or everywhere."""
    rng = np.random.default_rng(1)
    bodies = _starts(ground, region, kit, NEVER if everywhere else LIKELY)
    # What hides nothing from the side is not worth a closer look.
    bodies = bodies[hidden_by(bodies, ground, ground.views["side"].lens.eye)[0] > LEAST_HIDDEN]
    parts = np.array_split(bodies, max(1, len(bodies) // 4_000))
    scores = np.concatenate([fits_of(part, ground).score for part in parts]) if len(bodies) else np.empty(0)
    pool = bodies[np.argsort(-scores)[:POOL]]
    climb = partial(_refined, ground=ground, rng=rng)
    most, apart_mm = KEPT_NEAR if everywhere else KEPT, APART * kit.disc_diameter_mm
    fitted = [_fit(body, ground) for body, _ in climbed_apart(pool, climb, apart_mm, most)]
    found: list[Fit] = []
    for fit in sorted(fitted, key=lambda one: -one.score):
        if not any(fit.outline.intersects(other.outline) for other in found):
            found.append(fit)
    return found


def fits_of(bodies: Floats, ground: Ground) -> Fits:
    """How well bodies (n) explain both views."""
    edges, sharp = np.array([edges_in(bodies, ground, name) for name in ground.views]).transpose(1, 0, 2)
    hides = [hidden_by(bodies, ground, view.lens.eye) for view in ground.views.values()]
    stands, seen = np.array([one[0] for one in hides]), np.array([one[1] for one in hides])
    sizes = np.array([hidden_mm2(bodies, view.lens.eye) for view in ground.views.values()])
    gain = (stands * seen * sizes).sum(axis=0)
    score = (edges.min(axis=0) + edges.mean(axis=0)) / 2 + SIZE * np.log(np.maximum(gain, 1.0))
    short, long = np.minimum(bodies[:, LENGTH], bodies[:, WIDTH]), np.maximum(bodies[:, LENGTH], bodies[:, WIDTH])
    sane = (short > LEAST_SIDE_MM) & (long < MOST_ASPECT * short)
    sane &= (bodies[:, HEIGHT] > LEAST_MM) & (bodies[:, HEIGHT] < HIGHEST_MM)
    sharpness = edges.min(axis=0) + sharp.mean(axis=0) + STANDING * stands.mean(axis=0)
    return Fits(
        np.where(sane, score, -1.0),
        np.where(sane, sharpness, -1.0),
        edges.min(axis=0),
        stands.mean(axis=0),
        seen.mean(axis=0),
    )


def _starts(ground: Ground, region: shapely.Geometry, kit: Kit, least: float) -> Floats:
    """Boxes under roofs that the overhead view shows, and spires, wherever the views differ enough."""
    likely = cv2.blur(ground.evidence[..., 0], (9, 9)) > least
    rows, columns = np.nonzero(likely)
    every = round(PLACES_MM / GRID_MM)
    kept = (rows % every == 0) & (columns % every == 0)
    places = np.column_stack([columns[kept], rows[kept]]) * GRID_MM + (ground.box.left, ground.box.bottom)
    places = places[shapely.contains_xy(region, *places.T)]
    if not len(places):
        return np.empty((0, 7))
    sides = np.array(SIDES) * kit.disc_diameter_mm
    flat = np.array([(0, 0, yaw, length, width, 0.5, 1.0) for yaw in YAWS_RAD for length, width in sides])
    roofs = np.repeat(flat[None], len(places), axis=0)
    roofs[..., [X, Y]] += places[:, None]
    clear = edges_in(roofs.reshape(-1, 7), ground, "overhead")[0].reshape(roofs.shape[:2])
    best = np.argsort(-clear, axis=1)[:, :ROOFS]
    chosen = np.take_along_axis(roofs, best[..., None], axis=1).reshape(-1, 7)
    clearest = np.take_along_axis(clear, best, axis=1).ravel()
    order = np.argsort(-clearest)[:MOST]
    boxes = _lifted(chosen[order[clearest[order] > LEAST_ROOF]], BOXES_MM, ground.views["overhead"].lens.eye)
    spires = np.repeat(roofs[:, :1], len(SPIRES_MM), axis=1)
    spires[..., HEIGHT], spires[..., TOP] = SPIRES_MM, NARROWS
    return np.concatenate([boxes, spires.reshape(-1, 7)])


def _lifted(roofs: Floats, heights_mm: Floats, eye: Floats, from_mm: float = 0.0) -> Floats:
    """Boxes whose roofs look from above as those at one height do, one for each height."""
    boxes = np.repeat(roofs[:, None], len(heights_mm), axis=1)
    scale = ((eye[2] - heights_mm) / (eye[2] - from_mm))[:, None]
    boxes[..., [X, Y]] = eye[:2] + (boxes[..., [X, Y]] - eye[:2]) * scale
    boxes[..., [LENGTH, WIDTH]] *= scale
    boxes[..., HEIGHT] = heights_mm
    return boxes.reshape(-1, 7)


def _refined(body: Floats, ground: Ground, rng: np.random.Generator) -> tuple[Floats, float]:
    """The best body near one, by ever smaller steps."""
    best, score = climbed(body, lambda bodies: fits_of(bodies, ground).score, WIDE, ROUNDS, TRIES, rng)
    return _settled(best, ground, rng), score


def _settled(body: Floats, ground: Ground, rng: np.random.Generator) -> Floats:
    """The height at which most edges are seen, the roof being where it is from above, and the place by edges alone."""
    if body[TOP] < 1.0:
        return body
    eye = ground.views["overhead"].lens.eye
    roof = _lifted(body[None], np.array([0.0]), eye, float(body[HEIGHT]))
    heights = np.arange(LEAST_MM + 1, min(LIFTED * body[HEIGHT], HIGHEST_MM), 2.0)
    tried = np.concatenate([body[None], _lifted(roof, heights, eye)])
    body = tried[int(fits_of(tried, ground).sharpness.argmax())]
    return climbed(body, lambda bodies: fits_of(bodies, ground).sharpness, WIDE / 2, ROUNDS, TRIES, rng)[0]


def _fit(body: Floats, ground: Ground) -> Fit:
    fits = fits_of(body[None], ground)
    return Fit(body, *(float(values[0]) for values in (fits.score, fits.edges, fits.stands, fits.seen)))
