"""Kit registration: what the pieces on the kit card measure and how they are painted, with spreads and doubts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.camera import Floats, Rig
from calibration.car_fit import FittedCar, fit_car
from calibration.card_pose import SeenCard, see_card
from calibration.errors import CalibrationError
from calibration.kit_card import COLOURS
from calibration.kit_doubts import CLIPPED, DISCS_APART_MM, doubts
from calibration.kit_paints import WORDS, Paint, looks_like, paint_at
from calibration.page import Rect
from calibration.piece_fit import FIRST_REACHES_PX, Fitted, fit_piece, lights_of
from calibration.piece_shapes import DiscShape, Shape, StickShape
from calibration.piece_start import Blob, Lights, blob_on, disc_starts, stick_starts
from calibration.strips import turn
from referee.pieces import CAR_TYPES, Kit

DISCS = ("disc_grey", "disc_yellow")
LEAST_SEEN = 0.4
"""Share of a piece's outline that has to show an edge."""
TRUST_MM = 0.08
"""What no size is known better than, for all that edges say: pieces of one kit differ too."""
BESIDE_MM = 2.0
OVEREXPOSED = 1.15


class RegisteredKit(Kit, frozen=True, kw_only=True):
    """A kit as it was measured, as kit.json holds it."""

    spreads_mm: dict[str, float] = msgspec.field(default_factory=dict)
    """One standard deviation of each size."""
    car_spreads_mm: dict[str, tuple[float, float, float]] = msgspec.field(default_factory=dict)
    """Of the types that were measured; the others have their usual sizes."""
    paints: dict[str, Paint] = msgspec.field(default_factory=dict)
    """In this light: disc, junction, road, and one for each colour."""
    notes: tuple[str, ...] = ()
    """What is missing or odd, for people."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """All that was measured on a card, place by place."""

    discs: Mapping[str, Fitted]
    stick: Fitted | None
    cars: Mapping[str, FittedCar]
    empty: tuple[str, ...]
    unclear: tuple[str, ...]


def register(pictures: Mapping[str, NDArray[np.uint8]], rig: Rig) -> RegisteredKit:
    """The kit on the card in the pictures ("overhead" and "side", BGR) of a calibrated pair."""
    seen = see_card(pictures, rig)
    lights = lights_of(seen.views)
    found = _measured(seen, lights)
    if not found.discs:
        raise CalibrationError(_lacking("disc", bool(set(DISCS) & set(found.unclear)), seen))
    if found.stick is None:
        raise CalibrationError(_lacking("stick", "stick" in found.unclear, seen))
    (diameter, height), (diameter_spread, height_spread) = _mean(_agreeing(found.discs), (2, 3))
    (length, width, thickness), stick_spreads = _mean([found.stick], (3, 4, 5))
    usual = Kit()
    measured = {
        place.removeprefix("car_type_"): car for place, car in found.cars.items() if place.startswith("car_type_")
    }
    cars = {kind: _rounded(measured[kind].size_mm) if kind in measured else usual.cars[kind] for kind in CAR_TYPES}
    paints = _paints(seen, found)
    kit = RegisteredKit(
        disc_diameter_mm=diameter,
        disc_height_mm=height,
        road_length_mm=length,
        road_width_mm=width,
        road_thickness_mm=thickness,
        cars=cars,
        colours={name: paint.code for name, paint in paints.items() if name in WORDS},
        spreads_mm={
            "disc_diameter_mm": diameter_spread,
            "disc_height_mm": height_spread,
            "road_length_mm": stick_spreads[0],
            "road_width_mm": stick_spreads[1],
            "road_thickness_mm": stick_spreads[2],
        },
        car_spreads_mm={kind: _rounded(car.sigma_mm) for kind, car in measured.items()},
        paints=paints,
    )
    return msgspec.structs.replace(kit, notes=tuple(doubts(seen, found, kit)))


def _lacking(piece: str, unclear: bool, seen: SeenCard) -> str:
    if seen.views["overhead"].clipped > OVEREXPOSED:
        way = "the overhead picture is overexposed: lower the camera's exposure, and see that it lies there"
    elif unclear:
        way = "move what hides it from one of the cameras, or light it more evenly"
    else:
        way = "lay one there and take both pictures again"
    return f"no {piece} is seen on its place of the kit card: {way}"


def _agreeing(discs: Mapping[str, Fitted]) -> list[Fitted]:
    """Both discs, or the one that is seen better where they differ: discs of a box are alike."""
    fits = list(discs.values())
    if len(fits) == 2 and abs(fits[0].numbers[2] - fits[1].numbers[2]) > DISCS_APART_MM:
        return [min(fits, key=lambda fit: fit.off_px / fit.seen)]
    return fits


def _mean(fits: list[Fitted], which: tuple[int, ...]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Sizes over pieces that ought to be alike, weighed by how well each is known, and their spreads."""
    values = np.array([[fit.numbers[n] for n in which] for fit in fits])
    variance = np.array([[fit.covariance[n, n] for n in which] for fit in fits]) + TRUST_MM**2
    mean = (values / variance).sum(axis=0) / (1 / variance).sum(axis=0)
    apart = ((values - mean) ** 2 / variance).sum(axis=0) / max(len(fits) - 1, 1)
    spread = np.sqrt(np.maximum(apart, 1.0) / (1 / variance).sum(axis=0))
    return tuple(round(float(v), 3) for v in mean), tuple(round(float(v), 3) for v in spread)


def _rounded(size: tuple[float, float, float]) -> tuple[float, float, float]:
    return round(size[0], 2), round(size[1], 2), round(size[2], 2)


def _measured(seen: SeenCard, lights: Lights) -> Found:
    discs: dict[str, Fitted] = {}
    cars: dict[str, FittedCar] = {}
    stick: Fitted | None = None
    empty, unclear = [], []
    # The yellow disc first: its colour tells it from its shadow, and the grey one is of its size.
    for name in sorted(seen.card.places, key=lambda name: name != "disc_yellow"):
        blob = blob_on(seen, name, lights)
        if blob is None:
            empty.append(name)
            continue
        if name in DISCS:
            fit = _disc(blob, seen, lights, discs)
            if fit is not None:
                discs[name] = fit
        elif name == "stick":
            stick = fit = _stick(blob, seen, lights)
        else:
            car = fit_car(blob, _usual_size(name), seen.views, lights)
            # Of a white car the outline is not seen, its colour is.
            if car is not None and (car.coloured or name.startswith("car_colour_")):
                cars[name] = car
        if name not in discs and name not in cars and not (name == "stick" and stick is not None):
            unclear.append(name)
    return Found(discs, stick, cars, tuple(empty), tuple(unclear))


def _usual_size(place: str) -> tuple[float, float, float]:
    sizes = Kit().cars
    kind = place.removeprefix("car_type_")
    if kind in sizes:
        return sizes[kind]
    length, width, height = np.median(list(sizes.values()), axis=0)
    return float(length), float(width), float(height)


def _disc(blob: Blob, seen: SeenCard, lights: Lights, others: Mapping[str, Fitted]) -> Fitted | None:
    alike = next(((float(fit.numbers[2]), float(fit.numbers[3])) for fit in others.values()), None)
    return _fit(DiscShape, disc_starts(blob, seen.views, lights, alike), seen, lights)


def _stick(blob: Blob, seen: SeenCard, lights: Lights) -> Fitted | None:
    field = seen.card.fields.get("stick")
    corners = None if field is None else seen.corners_in_card(field)[[0, 2]]
    return _fit(StickShape, stick_starts(blob, seen.views, lights, field is not None), seen, lights, corners)


def _fit(
    shape: type[Shape], starts: list[Floats], seen: SeenCard, lights: Lights, field: Floats | None = None
) -> Fitted | None:
    """The best of some starts, followed to its end; None where its outline is not seen."""
    rough = [fit_piece(shape, start, seen.views, lights, FIRST_REACHES_PX, field) for start in starts]
    clear = [fit for fit in rough if fit.seen > LEAST_SEEN and np.isfinite(fit.numbers).all()]
    if not clear:
        return None
    best = min(clear, key=lambda fit: fit.off_px / fit.seen)
    return fit_piece(shape, best.numbers, seen.views, lights, field=field)


def _paints(seen: SeenCard, found: Found) -> dict[str, Paint]:
    """Each paint by its name; the car of another colour gets the word that it looks like."""
    paints = {}
    for place, name in (("disc_grey", "disc"), ("disc_yellow", "junction")):
        if place in found.discs:
            x, y, diameter, height = found.discs[place].numbers
            paints[name] = _paint(seen, place, _grid(x, y, 0.0, 0.6 * diameter, 0.6 * diameter, height))
    if found.stick is not None:
        x, y, yaw, length, width, thickness, _ = found.stick.numbers
        paints["road"] = _paint(seen, "stick", _grid(x, y, yaw, 0.8 * length, 0.5 * width, thickness))
    for colour in COLOURS:
        place = f"car_colour_{colour}"
        if place in found.cars:
            car = found.cars[place]
            (x, y), (length, width, height) = car.centre_mm, car.size_mm
            paint = _paint(seen, place, _grid(x, y, car.yaw_rad, 0.8 * length, 0.7 * width, 0.7 * height))
            word = looks_like(paint.code)
            paints[colour if colour != "other" else word if word not in COLOURS else "other"] = paint
    return paints


def _paint(seen: SeenCard, place: str, points: Floats) -> Paint:
    # Overexposed paper is no white to go by.
    clear = [view for view in seen.views.values() if view.clipped < CLIPPED]
    view = clear[0] if clear else min(seen.views.values(), key=lambda view: view.clipped)
    around = seen.card.fields.get(place, seen.card.places[place])
    return paint_at(view.picture, view.camera, points, _beside(seen, around))


def _beside(seen: SeenCard, place: Rect) -> Floats:
    """Points on bare paper along the upper and lower side of a place."""
    x0, y0, x1, y1 = place.x_mm, place.y_mm, place.right_mm, place.bottom_mm
    x = np.linspace(x0, x1, 15)
    plan = np.concatenate([np.column_stack([x, np.full(15, y)]) for y in (y0 - BESIDE_MM, y1 + BESIDE_MM / 2)])
    return np.column_stack([seen.scale * plan * [1.0, -1.0], np.zeros(len(plan))])


def _grid(x: float, y: float, yaw: float, length: float, width: float, height: float) -> Floats:
    u, v = np.meshgrid(np.linspace(-0.5, 0.5, 21) * length, np.linspace(-0.5, 0.5, 9) * width)
    plan = np.column_stack([u.ravel(), v.ravel()]) @ turn(float(yaw)).T + np.array([x, y])
    return np.column_stack([plan, np.full(len(plan), height)])
