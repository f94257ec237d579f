"""The kit card: outlined places where the owner lays one of each piece, to be measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from calibration.page import Fill, Outline, Page, Rect, Shape, Tag, Text
from calibration.paper import PAPERS, SMALL_MM, TEXT_MM, THIN_MM, Paper, heading, ruler, tag_fill
from referee.pieces import CAR_TYPES

# The bank card of ISO/IEC 7810, which everybody has and which is exact.
BANK_CARD_MM = (85.60, 53.98)
BANK_CARD_RADIUS_MM = 3.18

COLOURS = ("purple", "green", "orange", "blue", "pink", "other")
VERSION = 2
VERSIONS = {1: range(60, 64), 2: range(64, 68)}
"""The tag ids of each version of the card, of the hundred of a paper: cards printed long ago are still read."""
KIT_IDS = range(60, 68)
TAG_MM = 25.0
QUIET_MM = 4.0
RULER_MM = 150

# Room for pieces a fifth larger than any in the boxes, laid a little crooked.
DISC_PLACE_MM = 32.0
STICK_PLACE_MM = (136.0, 20.0)
STICK_FIELD_MM = (156.0, 30.0)
CAR_PLACE_MM = (40.0, 15.0)
CAR_PITCH_MM = (48.0, 24.0)
CARS_PER_ROW = 4


@dataclass(frozen=True, slots=True)
class KitCard:
    """The page, and where on it each piece is to lie: disc_grey, disc_yellow, stick, car_colour_*, car_type_*."""

    page: Page
    places: Mapping[str, Rect]
    bank_card: Rect
    fields: Mapping[str, Rect]
    """Places on black: there a piece has no shade beside it that could be taken for a part of it."""


def kit_card(paper: Paper, version: int = VERSION) -> KitCard:
    """The card on one paper; version 1 had the stick on white, where its shade looks like more of it."""
    area = paper.area
    bank_card = Rect(area.x_mm + 1.0, area.y_mm + 31.0, *BANK_CARD_MM)
    places = _places(area, version)
    fields = {} if version == 1 else {"stick": _around(places["stick"], STICK_FIELD_MM)}
    lines = (
        "Lay one of each piece inside its outline and the card flat on the table,",
        "in sight of both cameras. Discs and sticks lie flat; cars stand on their",
        "wheels, nose to the right. Leave empty what your box does not have.",
    )
    tags = _tags(paper, version)
    shapes = heading(paper, "Kit card", lines, inset_mm=TAG_MM + QUIET_MM, version=version)
    shapes += [tag_fill(tag) for tag in tags]
    shapes += _bank_card(bank_card)
    for name, place in places.items():
        shapes += _on_black(fields[name], area) if name in fields else _outlined(name, place)
    shapes += _foot(area)
    page = Page(f"kit-card-{paper.name}", paper.width_mm, paper.height_mm, version, tuple(shapes), tags)
    return KitCard(page, places, bank_card, MappingProxyType(fields))


def card_with(tag_ids: Iterable[int]) -> KitCard | None:
    """The card that has all these tags; None where there is none."""
    ids = set(tag_ids)
    for paper in PAPERS:
        for version, numbers in VERSIONS.items():
            if ids and ids <= {paper.first_id + number for number in numbers}:
                return kit_card(paper, version)
    return None


def _tags(paper: Paper, version: int) -> tuple[Tag, ...]:
    area = paper.area
    right, bottom = area.right_mm - TAG_MM, area.bottom_mm - TAG_MM
    corners = ((area.x_mm, area.y_mm), (right, area.y_mm), (right, bottom), (area.x_mm, bottom))
    ids = (paper.first_id + number for number in VERSIONS[version])
    return tuple(Tag(tag_id, Rect(x, y, TAG_MM, TAG_MM)) for tag_id, (x, y) in zip(ids, corners, strict=True))


def _places(area: Rect, version: int) -> Mapping[str, Rect]:
    top = area.y_mm + 40.0
    stick_y = area.y_mm + (92.0 if version == 1 else 93.5)
    places = {
        "disc_grey": Rect(area.x_mm + 102.0, top, DISC_PLACE_MM, DISC_PLACE_MM),
        "disc_yellow": Rect(area.x_mm + 150.0, top, DISC_PLACE_MM, DISC_PLACE_MM),
        "stick": Rect(area.x_mm + (area.width_mm - STICK_PLACE_MM[0]) / 2, stick_y, *STICK_PLACE_MM),
    }
    cars = [f"car_type_{kind}" for kind in CAR_TYPES] + [f"car_colour_{colour}" for colour in COLOURS]
    for number, name in enumerate(cars):
        row, column = divmod(number, CARS_PER_ROW)
        x, y = area.x_mm + 2.0 + column * CAR_PITCH_MM[0], area.y_mm + 122.0 + row * CAR_PITCH_MM[1]
        places[name] = Rect(x, y, *CAR_PLACE_MM)
    return MappingProxyType(places)


def _around(place: Rect, size_mm: tuple[float, float]) -> Rect:
    x, y = place.centre_mm
    return Rect(x - size_mm[0] / 2, y - size_mm[1] / 2, *size_mm)


def _on_black(field: Rect, area: Rect) -> list[Shape]:
    """A black field with words at its left."""
    x0, y0, x1, y1 = field.x_mm, field.y_mm, field.right_mm, field.bottom_mm
    words = ("road (stick),", "amid the", "black")
    x, y = (area.x_mm + x0) / 2, field.centre_mm[1]
    lines = [Text(x, y - 3.0 + 4.2 * n, line, SMALL_MM, "middle") for n, line in enumerate(words)]
    return [Fill((((x0, y0), (x1, y0), (x1, y1), (x0, y1)),)), *lines]


def _outlined(name: str, place: Rect) -> list[Shape]:
    round_one = name.startswith("disc_")
    radius_mm = place.width_mm / 2 if round_one else 2.0
    x, y = place.centre_mm
    shapes: list[Shape] = [
        Outline(place, radius_mm, THIN_MM),
        Text(x, place.bottom_mm + 3.8, _label(name), SMALL_MM, "middle"),
    ]
    if name.startswith("car_"):
        tip = place.right_mm + 3.2
        shapes.append(Fill((((tip, y), (tip - 2.0, y + 1.2), (tip - 2.0, y - 1.2)),)))
    return shapes


def _label(name: str) -> str:
    match name.split("_"):
        case ["disc", colour]:
            return f"{colour} disc"
        case ["car", "type", *words]:
            return " ".join(words)
        case ["car", "colour", "other"]:
            return "any car, another colour"
        case ["car", "colour", colour]:
            return f"any {colour} car"
        case _:
            return "road (stick)"


def _bank_card(rect: Rect) -> list[Shape]:
    x, y = rect.centre_mm
    words = (
        "To check the print:",
        "lay a bank card here. It must fill the outline exactly,",
        "85.60 x 53.98 mm. Then take it away.",
    )
    lines = [Text(x, y - 3.0 + 4.2 * n, line, SMALL_MM, "middle") for n, line in enumerate(words)]
    return [Outline(rect, BANK_CARD_RADIUS_MM, THIN_MM), *lines]


def _foot(area: Rect) -> list[Shape]:
    """The long ruler between the lower tags and the cars, and what it is for."""
    middle, y = area.x_mm + area.width_mm / 2, area.y_mm + 222.0
    words = (
        "From 0 to 100 this ruler must measure 100 mm.",
        "If it does not: print at 100 % (actual size), not fit to page.",
    )
    lines = [Text(middle, y + 14.0 + 4.2 * n, line, TEXT_MM, "middle") for n, line in enumerate(words)]
    return [*ruler(middle - RULER_MM / 2, y, RULER_MM, 1), *lines]
