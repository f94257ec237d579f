"""A car's paint around one stretch of road in one view: how surely each pixel shows it, where nothing hides it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.layout import Car, Layout, Road
from referee.pieces import Kit
from vision.depth import depth_map
from vision.paint import chroma
from vision.solids import Prism, box, solid_of
from vision.stripes import FAR, Stripe
from vision.view import Floats, Lens, Singles, View, sampled

RIM_MM, RIM_PX = (3.0, 1.0, 2.0), 6
"""How much larger than the largest car a window is in which paint is sought, and what lies around that."""
FAINT, FULL, ASKEW = 0.25, 0.55, 0.25
"""Shares of the way from the road's chroma to the paint's from which a pixel may show it and from which it surely
does, and how far beside that way it may lie, in such ways too."""
BACKGROUND, LIKE_PAINT = 95.0, 0.6
"""Per cent of the pixels around that must be less like paint than what counts for it, and where there is none then."""
IN_FRONT_MM = 4.0
"""How deep in the window of the largest car something may stand and still hide the car."""
BRIDGED_MM = 2.0
BLUR_PX = 0.4
BESIDE_MM, LEAST_ROAD_POINTS, LEAST_BODY_POINTS = 3.0, 25, 8
HIDDEN_BODY_POINTS = 20
"""Where fewer of the 140 points of a flank show, known pieces hide it."""
LEAST_FREE = 0.1
"""Share of the largest car that must show, or the view tells nothing."""


@dataclass(frozen=True, eq=False)
class Painted:
    """A window of a view: the paint in it from 0 to 1 (h, w), whole and with windows and such left out, which pixels
    nothing hides, and how fine they are."""

    lens: Lens
    paint: Singles
    bare_paint: Singles
    free: NDArray[np.bool_]
    px_per_mm: float


def overhead_paint(view: View, layout: Layout, car: Car, road: Road, stripe: Stripe, kit: Kit) -> Painted | None:
    """The paint in the view that the stretch was found in; on the road alone where much beside it has its colour."""
    plain, paints = np.array(stripe.plain), [np.array(stripe.seen)]
    whole = _painted(view, layout, car, road, stripe, plain, paints, kit)
    return whole or _painted(view, layout, car, road, stripe, plain, paints, kit, on_road=True)


def side_paint(view: View, layout: Layout, car: Car, road: Road, stripe: Stripe, kit: Kit) -> Painted | None:
    """The paint in another view: as its flank looks there, or as its roof does beside the road; None without any."""
    plain = _road_tint(view, layout, road, stripe, kit)
    if plain is None:
        return None
    return _painted(view, layout, car, road, stripe, plain, [plain + np.array(stripe.seen) - stripe.plain], kit, True)


def _painted(
    view: View,
    layout: Layout,
    car: Car,
    road: Road,
    stripe: Stripe,
    plain: Floats,
    paints: list[Floats],
    kit: Kit,
    with_flank: bool = False,
    on_road: bool = False,
) -> Painted | None:
    bounds = np.array(list(kit.cars.values())).max(axis=0) + RIM_MM
    largest = _body(road, stripe.middle_mm, (float(bounds[0]), float(bounds[1]), float(bounds[2])), kit)
    window = _cut(view, np.concatenate([largest.ring(-1), largest.ring(1)]))
    if window is None:
        return None
    near = depth_map({car.id: largest}, window.lens).closeness
    if not near.any():
        return None
    free = ~_hidden(window.lens, near, layout, car, road, largest, kit)
    if on_road:
        free &= depth_map({road.id: solid_of(road, kit)}, window.lens).closeness > 0
    tints = chroma(cv2.GaussianBlur(window.picture, (0, 0), BLUR_PX).astype(np.float32))
    if with_flank:
        flank = _flank(window.lens, tints, free, road, stripe, plain, kit)
        if flank is None or free[near > 0].mean() < LEAST_FREE:
            return None
        paints = [*flank, *paints]
    around = free & (near == 0)
    likes = [one for one in (_like(tints, around, plain, paint) for paint in paints) if one is not None]
    if not likes:
        return None
    px_per_mm = window.lens.px_per_mm(largest.origin)
    paint = np.asarray(np.max(likes, axis=0) * free, np.float32)
    return Painted(window.lens, _filled(paint, px_per_mm), paint, free, px_per_mm)


def _body(road: Road, along_mm: float, size_mm: tuple[float, float, float], kit: Kit) -> Prism:
    """A box of this size on a road."""
    stick = solid_of(road, kit)
    u, _, up = stick.axes
    middle = stick.origin + u * (along_mm - math.dist(road.a, road.b) / 2) + up * (stick.half_mm + size_mm[2] / 2)
    return box(middle, math.atan2(u[1], u[0]), size_mm, math.asin(u[2]))


def _cut(view: View, points: Floats) -> View | None:
    """The part of a view around table points; None where it shows next to nothing of them."""
    pixels = view.lens.project(points)
    height, width = view.picture.shape[:2]
    left, top = (int(v) for v in np.maximum(np.floor(pixels.min(axis=0)) - RIM_PX, 0))
    right, bottom = (int(v) for v in np.minimum(np.ceil(pixels.max(axis=0)) + RIM_PX + 1, (width, height)))
    if right - left < 2 * RIM_PX or bottom - top < 2 * RIM_PX:
        return None
    lens = view.lens.cut(left, top, right - left, bottom - top)
    return View(lens, np.ascontiguousarray(view.picture[top:bottom, left:right]))


def _hidden(
    lens: Lens, near: Singles, layout: Layout, car: Car, road: Road, largest: Prism, kit: Kit
) -> NDArray[np.bool_]:
    """Pixels at which another piece stands before a car, or another car before or behind it."""
    built = {one.id: solid_of(one, kit) for one in (*layout.built(), *layout.buildings) if one.id != road.id}
    reach_mm = 1 / np.where(near > 0, near, 1 / lens.depth_mm(largest.origin)) + IN_FRONT_MM
    hidden = depth_map(built, lens).closeness * reach_mm > 1.0
    others = {one.id: solid_of(one, kit) for one in layout.cars if one.id != car.id}
    shown = (depth_map(others, lens).closeness > 0).astype(np.uint8)
    hides: NDArray[np.bool_] = hidden | (cv2.dilate(shown, np.ones((3, 3), np.uint8)) > 0)
    return hides


def _flank(
    lens: Lens, tints: Floats, free: NDArray[np.bool_], road: Road, stripe: Stripe, plain: Floats, kit: Kit
) -> list[Floats] | None:
    """The chroma of what stands on a stretch as far as it is not the road's: none where that is hidden, and the roof
    may still stand out; None where it shows and has the road's."""
    stick = solid_of(road, kit)
    u, _, up = stick.axes
    inset_mm = 0.12 * stripe.length_mm
    along = np.linspace(stripe.start_mm + inset_mm, stripe.end_mm - inset_mm, 20) - math.dist(road.a, road.b) / 2
    above = stick.half_mm + np.arange(1.0, 4.1, 0.5)
    x, y = np.rint(lens.project(stick.origin + along[:, None, None] * u + above[:, None] * up)).astype(int).T
    inside = (x >= 0) & (y >= 0) & (x < free.shape[1]) & (y < free.shape[0])
    x, y = x[inside], y[inside]
    body = tints[y, x][free[y, x]]
    if len(body) < HIDDEN_BODY_POINTS:
        return []
    apart = np.hypot(*(body - plain).T)
    far = apart > FAR
    if far.sum() < max(LEAST_BODY_POINTS, len(body) / 4):
        return None
    return [np.median(body[far & (apart >= np.median(apart[far]))], axis=0)]


def _like(tints: Floats, around: NDArray[np.bool_], plain: Floats, paint: Floats) -> Floats | None:
    """How like a paint each pixel is, from 0 to 1; None where what lies around is too."""
    way = paint - plain
    length = float(way @ way)
    apart = tints - plain
    beside = np.abs(apart[..., 0] * way[1] - apart[..., 1] * way[0]) / length
    share = apart @ way / length * np.clip(2 - beside / ASKEW, 0, 1)
    faint = max(FAINT, float(np.percentile(share[around], BACKGROUND))) if around.any() else FAINT
    like: Floats = np.clip((share - faint) / (FULL - FAINT), 0, 1)
    return like if faint < LIKE_PAINT else None


def _filled(paint: Singles, px_per_mm: float) -> Singles:
    """Paint with lamps, stripes and windows in it filled up."""
    size = round(BRIDGED_MM * px_per_mm) | 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    whole = np.pad(paint, size)
    closed = cv2.morphologyEx(whole, cv2.MORPH_CLOSE, disc)[size:-size, size:-size]
    solid = (closed > 0.5).astype(np.uint8)
    outlines, _ = cv2.findContours(solid, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    cv2.drawContours(solid, outlines, -1, 1, cv2.FILLED)
    return np.maximum(closed, solid.astype(np.float32))


def _road_tint(view: View, layout: Layout, road: Road, stripe: Stripe, kit: Kit) -> Floats | None:
    """The chroma of bare road: of this one beside the stretch, or of others near it where too little of it shows."""
    window = _cut(view, _upper(road, kit, ()))
    if window is None:
        return None
    cars = {one.id: solid_of(one, kit) for one in layout.cars}
    tallest = max(size[2] for size in kit.cars.values())
    cars[stripe.road] = _body(road, stripe.middle_mm, (stripe.length_mm + 2.0, kit.road_width_mm, tallest), kit)
    hiding = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, window.lens)
    standing = depth_map(cars, window.lens).closeness
    taken = [(stripe.start_mm - BESIDE_MM, stripe.end_mm + BESIDE_MM)]
    for roads in ((road,), layout.roads):
        points = np.concatenate([_upper(one, kit, taken if one.id == road.id else ()) for one in roads])
        pixels = window.lens.project(points)
        x, y = np.rint(pixels).astype(int).T
        shown = (x > 0) & (y > 0) & (x < standing.shape[1] - 1) & (y < standing.shape[0] - 1)
        shown &= ~hiding.hides(pixels, window.lens.depth_mm(points), slack_mm=3.0)
        shown[shown] &= standing[y[shown], x[shown]] == 0
        if shown.sum() >= LEAST_ROAD_POINTS:
            tint: Floats = np.median(chroma(sampled(window.light, pixels[shown])), axis=0)
            return tint
    return None


def _upper(road: Road, kit: Kit, taken: Sequence[tuple[float, float]]) -> Floats:
    """Points (n, 3) of a road's upper side, but for what is taken of it."""
    stick = solid_of(road, kit)
    u, aside, up = stick.axes
    length = math.dist(road.a, road.b)
    along = np.arange(2.0, length - 2.0, 1.0)
    for start_mm, end_mm in taken:
        along = along[(along < start_mm) | (along > end_mm)]
    across = np.array([-2.5, 0.0, 2.5])[:, None]
    points: Floats = stick.origin + (along - length / 2)[:, None, None] * u + across * aside + stick.half_mm * up
    return points.reshape(-1, 3)
