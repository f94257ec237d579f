"""What is missing or odd about a registered kit, in words for its owner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from calibration.card_pose import SeenCard
from calibration.kit_card import COLOURS
from calibration.kit_paints import looks_like
from calibration.piece_shapes import DiscShape, StickShape
from referee.pieces import Kit

if TYPE_CHECKING:
    from calibration.kit_register import Found, RegisteredKit

ODD_SIZE = (0.75, 1.35)
"""Against the default kit: boxes differ by some 15 %."""
ODD_LENGTH = (0.7, 1.4)
ALIKE = 0.15
DISCS_APART_MM = 0.7
OVER_MM = 0.5
CLIPPED = 1.25
PRINT_OFF = 0.005
CLEAR_VIEW = "turn the card, so that nothing stands behind or before it"
SIZES = {
    "disc_diameter_mm": "the disc measures {:.1f} mm across",
    "disc_height_mm": "the disc is {:.1f} mm high",
    "road_length_mm": "the stick is {:.1f} mm long",
    "road_width_mm": "the stick is {:.1f} mm wide",
    "road_thickness_mm": "the stick is {:.1f} mm thick",
}


def doubts(seen: SeenCard, found: Found, kit: RegisteredKit) -> Iterator[str]:
    """One sentence for each, with the way out."""
    for name, view in seen.views.items():
        if view.clipped > CLIPPED:
            yield f"the {name} picture is overexposed, which makes sizes worse: lower the camera's exposure"
    if abs(seen.scale - 1) > PRINT_OFF:
        way = "large" if seen.scale > 1 else "small"
        yield (
            f"the card is {100 * abs(seen.scale - 1):.1f} % too {way} for this rig: print it at 100 %, "
            "or check the print that the rig was solved with"
        )
    yield from _missing(found)
    yield from _off_places(seen, found)
    yield from _odd_sizes(found, kit)
    yield from _odd_cars(found, kit)
    yield from _odd_colours(kit)


def place_words(place: str) -> str:
    """What belongs on a place."""
    match place.split("_"):
        case ["disc", colour]:
            return f"{colour} disc"
        case ["car", "type", *words]:
            return " ".join(words)
        case ["car", "colour", colour]:
            return f"{colour} car" if colour != "other" else "car of another colour"
        case _:
            return "stick"


def _missing(found: Found) -> Iterator[str]:
    if found.empty:
        words = ", ".join(place_words(place) for place in found.empty)
        yield f"empty places: {words}; fine if your box has none, sizes of cars are then the usual ones"
    for place in found.unclear:
        if place.startswith("car_"):
            yield f"the {place_words(place)} cannot be told from the paper: lay a more colourful one there, if you can"
        else:
            yield f"the {place_words(place)} cannot be made out: move what hides it, or light it more evenly"


def _off_places(seen: SeenCard, found: Found) -> Iterator[str]:
    """Pieces that reach over their outline."""
    fitted = {name: DiscShape.solid(fit.numbers).points for name, fit in found.discs.items()}
    if found.stick is not None:
        fitted["stick"] = StickShape.solid(found.stick.numbers).points
    for name, car in found.cars.items():
        fitted[name] = np.array([*car.centre_mm, 0.0])[None]
    for name, points in fitted.items():
        corners = seen.corners_in_card(seen.card.places[name])
        low, high = corners.min(axis=0) - OVER_MM, corners.max(axis=0) + OVER_MM
        if (points[:, :2] < low).any() or (points[:, :2] > high).any():
            where = (
                "at the edge of the black: lay it amid"
                if name in seen.card.fields
                else "over its outline: lay it inside"
            )
            yield f"the {place_words(name)} lies {where} and take both pictures again"


def _odd_sizes(found: Found, kit: RegisteredKit) -> Iterator[str]:
    usual = Kit()
    for name, words in SIZES.items():
        size, normal = getattr(kit, name), getattr(usual, name)
        if not ODD_SIZE[0] < size / normal < ODD_SIZE[1]:
            yield f"{words.format(size)}, where about {normal:g} is usual: is it the right piece, and lying flat?"
    if len(found.discs) == 2:
        one, other = (fit.numbers[2] for fit in found.discs.values())
        if abs(one - other) > DISCS_APART_MM:
            yield f"the two discs measure {one:.1f} and {other:.1f} mm across, the better seen one counts: one box?"


def _odd_cars(found: Found, kit: RegisteredKit) -> Iterator[str]:
    usual = Kit().cars
    alike: dict[str, list[str]] = {}
    for kind in kit.car_spreads_mm:
        size = np.array(kit.cars[kind])
        share = size[0] / usual[kind][0]
        near = min(usual, key=lambda other: float(np.linalg.norm(np.log(size / np.array(usual[other])))))
        if not ODD_LENGTH[0] < share < ODD_LENGTH[1]:
            way = f"it looks like a {place_words(f'car_type_{near}')}" if near != kind else CLEAR_VIEW
            yield (
                f"the car on '{place_words(f'car_type_{kind}')}' is {size[0]:.1f} mm long, where about "
                f"{usual[kind][0]:g} is usual: {way}"
            )
            if near != kind:
                alike.setdefault(near, []).append(kind)
        for which, word in ((1, "wide"), (2, "high")):
            if not ODD_LENGTH[0] < size[which] / usual[kind][which] < ODD_LENGTH[1]:
                yield (
                    f"the car on '{place_words(f'car_type_{kind}')}' seems {size[which]:.1f} mm {word}, where about "
                    f"{usual[kind][which]:g} is usual: {CLEAR_VIEW}"
                )
    for near, kinds in alike.items():
        twice = [kind for kind in (near, *kinds) if kind in kit.car_spreads_mm]
        sizes = [kit.cars[kind][0] for kind in twice]
        if len(twice) > 1 and max(sizes) / min(sizes) < 1 + ALIKE:
            places = " and ".join(f"'{place_words(f'car_type_{kind}')}'" for kind in twice)
            yield f"the same type of car seems to stand on {places}: one of each, please"


def _odd_colours(kit: RegisteredKit) -> Iterator[str]:
    for colour in COLOURS[:-1]:
        if colour in kit.paints:
            word = looks_like(kit.paints[colour].code)
            if word != colour and word in COLOURS:
                yield f"the car on '{colour}' looks {word}: is it on the wrong place?"
