"""Boxes and spires that both views show on the table: sought where the views differ, fitted to edges in both."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import shapely

from referee.pieces import Kit
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
PLACES_MM, LIKELY, NEVER = 4.0, 0.2, -2.0
ROOFS, LEAST_ROOF, MOST = 3, 0.45, 4_000
"""Roofs kept of each place, how much of their edges the overhead view shows at least, and how many in all."""
LEAST_SIDE_MM, MOST_ASPECT, LEAST_MM, HIGHEST_MM = 6.0, 2.2, 9.0, 130.0
SIZE = 0.25
"""How much hiding e times as much that stands counts against edges."""
POOL, KEPT, KEPT_NEAR, APART = 3_000, 16, 5, 1.0
"""Bodies looked at more closely, of which so many are fitted (fewer in a small region), so many diameters apart."""
ROUNDS, TRIES = 6, 200
SHARPEST, STANDING, LIFTED = 25.0, 0.3, 1.5
"""Grey levels per pixel of the sharpest edges, what standing counts against them, and how much higher a box may be."""
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


def standing_in(ground: Ground, region: shapely.Geometry, kit: Kit, everywhere: bool = False) -> list[Fit]:
    """Bodies in a region of the table, the best first; sought where the views differ clearly, or everywhere."""
    rng = np.random.default_rng(1)
    bodies = _starts(ground, region, kit, NEVER if everywhere else LIKELY)
    parts = np.array_split(bodies, max(1, len(bodies) // 4_000))
    scores = np.concatenate([fits_of(part, ground)[0] for part in parts]) if len(bodies) else np.empty(0)
    order = np.argsort(-scores)[:POOL]
    pool = bodies[order]
    fitted: list[Fit] = []
    while len(pool) and len(fitted) < (KEPT_NEAR if everywhere else KEPT):
        fit = _refined(pool[0], ground, rng)
        fitted.append(fit)
        apart_mm = APART * kit.disc_diameter_mm
        far = np.hypot(pool[:, X] - fit.body[X], pool[:, Y] - fit.body[Y]) > apart_mm
        far &= np.hypot(pool[:, X] - pool[0, X], pool[:, Y] - pool[0, Y]) > apart_mm / 2
        pool = pool[far]
    found: list[Fit] = []
    for fit in sorted(fitted, key=lambda one: -one.score):
        if not any(fit.outline.intersects(other.outline) for other in found):
            found.append(fit)
    return found


def fits_of(bodies: Floats, ground: Ground) -> tuple[Floats, Floats, Floats, Floats]:
    """Scores (n) of bodies, the share of edges in the view that shows fewer, and evidence and what is seen in both."""
    edges = np.array([edges_in(bodies, view, ground.hidden[name]) for name, view in ground.views.items()])
    hides = [hidden_by(bodies, ground, view.lens.eye) for view in ground.views.values()]
    stands, seen = np.array([one[0] for one in hides]), np.array([one[1] for one in hides])
    sizes = np.array([hidden_mm2(bodies, view.lens.eye) for view in ground.views.values()])
    gain = (stands * seen * sizes).sum(axis=0)
    score = (edges.min(axis=0) + edges.mean(axis=0)) / 2 + SIZE * np.log(np.maximum(gain, 1.0))
    short, long = np.minimum(bodies[:, LENGTH], bodies[:, WIDTH]), np.maximum(bodies[:, LENGTH], bodies[:, WIDTH])
    sane = (short > LEAST_SIDE_MM) & (long < MOST_ASPECT * short)
    sane &= (bodies[:, HEIGHT] > LEAST_MM) & (bodies[:, HEIGHT] < HIGHEST_MM)
    return np.where(sane, score, -1.0), edges.min(axis=0), stands.mean(axis=0), seen.mean(axis=0)


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
    overhead = ground.views["overhead"]
    clear = edges_in(roofs.reshape(-1, 7), overhead, ground.hidden["overhead"]).reshape(roofs.shape[:2])
    best = np.argsort(-clear, axis=1)[:, :ROOFS]
    chosen = np.take_along_axis(roofs, best[..., None], axis=1).reshape(-1, 7)
    clearest = np.take_along_axis(clear, best, axis=1).ravel()
    order = np.argsort(-clearest)[:MOST]
    boxes = _lifted(chosen[order[clearest[order] > LEAST_ROOF]], BOXES_MM, overhead.lens.eye)
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


def _refined(body: Floats, ground: Ground, rng: np.random.Generator) -> Fit:
    """The best body near one, by ever smaller steps."""
    best = _fit(body, ground)
    for n in range(ROUNDS):
        tries = best.body + rng.normal(size=(TRIES, 7)) * WIDE * 0.6**n
        scores = fits_of(tries, ground)[0]
        if scores.max() > best.score:
            best = _fit(tries[int(scores.argmax())], ground)
    return _settled(best, ground, rng)


def _settled(fit: Fit, ground: Ground, rng: np.random.Generator) -> Fit:
    """The height at which most edges are seen, the roof being where it is from above, and the place by edges alone."""
    body = fit.body
    if body[TOP] < 1.0:
        return fit
    eye = ground.views["overhead"].lens.eye
    roof = _lifted(body[None], np.array([0.0]), eye, float(body[HEIGHT]))
    heights = np.arange(LEAST_MM + 1, min(LIFTED * body[HEIGHT], HIGHEST_MM), 2.0)
    tried = np.concatenate([body[None], _lifted(roof, heights, eye)])
    body = tried[int(_sharpness(tried, ground).argmax())]
    for n in range(ROUNDS):
        tries = np.concatenate([body[None], body + rng.normal(size=(TRIES, 7)) * WIDE * 0.5 * 0.6**n])
        body = tries[int(_sharpness(tries, ground).argmax())]
    return _fit(body, ground)


def _sharpness(bodies: Floats, ground: Ground) -> Floats:
    """How clear the edges of bodies (n) are, sharp ones counting more, with a little for what stands there."""
    edges = [edges_in(bodies, view, ground.hidden[name], SHARPEST) for name, view in ground.views.items()]
    scores = fits_of(bodies, ground)
    sharpness: Floats = np.where(scores[0] < 0, -1.0, scores[1] + np.mean(edges, axis=0) + STANDING * scores[2])
    return sharpness


def _fit(body: Floats, ground: Ground) -> Fit:
    score, edges, stands, seen = (float(values[0]) for values in fits_of(body[None], ground))
    return Fit(body, score, edges, stands, seen)
