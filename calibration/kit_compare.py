"""How far registered kits are from the truth, on cards whose truth is known."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.frames import pictures
from calibration.kit_register import RegisteredKit, register
from referee.pieces import Kit

SIZES = ("disc_diameter_mm", "disc_height_mm", "road_length_mm", "road_width_mm", "road_thickness_mm")
CAR_SIZES = ("car_length_mm", "car_width_mm", "car_height_mm")


@dataclass(frozen=True, slots=True)
class CardErrors:
    """One card: measured less true by the name of the size, and each as a multiple of its stated spread."""

    card: str
    errors_mm: dict[str, float]
    in_spreads: dict[str, float]
    cars_mm: dict[str, tuple[float, float, float]]
    """By type."""
    refused: str | None = None


def compare_cards(folder: Path) -> list[CardErrors]:
    """Every card of a folder: `card_*/` with overhead_kit.*, side_kit.*, rig.json and the true kit.json."""
    return [compare_card(card) for card in sorted(folder.glob("card_*")) if (card / "kit.json").exists()]


def compare_card(folder: Path) -> CardErrors:
    """Register one card and compare it with its truth."""
    rig = msgspec.json.decode((folder / "rig.json").read_bytes(), type=Rig)
    true = msgspec.json.decode((folder / "kit.json").read_bytes(), type=Kit)
    views = {name: next(iter(pictures(_picture(folder, name)))).picture for name in rig.cameras}
    try:
        kit = register(views, rig)
    except CalibrationError as error:
        return CardErrors(folder.name, {}, {}, {}, str(error))
    return errors_of(folder.name, kit, true)


def errors_of(card: str, kit: RegisteredKit, true: Kit) -> CardErrors:
    """What a kit gets wrong."""
    errors = {name: float(getattr(kit, name) - getattr(true, name)) for name in SIZES}
    spreads = {name: errors[name] / kit.spreads_mm[name] for name in SIZES}
    cars = {}
    for kind in kit.car_spreads_mm:
        length, width, height = np.array(kit.cars[kind]) - np.array(true.cars[kind])
        cars[kind] = float(length), float(width), float(height)
    return CardErrors(card, errors, spreads, cars)


def summary(cards: list[CardErrors]) -> dict[str, dict[str, float]]:
    """Median and worst error by size over all cards that were not refused; those of cars over all cars."""

    def columns() -> Iterator[tuple[str, list[float]]]:
        for name in SIZES:
            yield name, [card.errors_mm[name] for card in cards if card.refused is None]
        for which, name in enumerate(CAR_SIZES):
            yield name, [size[which] for card in cards for size in card.cars_mm.values()]

    return {
        name: {
            "median_mm": float(np.median(np.abs(values))),
            "worst_mm": float(np.max(np.abs(values))),
            "bias_mm": float(np.median(values)),
            "count": len(values),
        }
        for name, values in columns()
        if values
    }


def _picture(folder: Path, name: str) -> Path:
    found = sorted(folder.glob(f"{name}_kit.*"))
    if not found:
        raise CalibrationError(f"{folder}: holds no {name}_kit.*; a card needs a picture of each camera")
    return found[0]
