"""The physical pieces: what a kit measures, and the ten car types."""

from __future__ import annotations

import msgspec

SEDAN = "sedan"

DEFAULT_CAR_SIZES_MM: dict[str, tuple[float, float, float]] = {
    SEDAN: (15.0, 7.0, 5.5),
    "sports_car": (14.0, 7.2, 4.2),
    "electric_car": (11.0, 6.6, 6.0),
    "food_truck": (16.0, 7.5, 9.0),
    "family_wagon": (16.0, 7.2, 6.5),
    "limousine": (24.0, 7.0, 5.5),
    "delivery_van": (15.0, 7.4, 8.0),
    "construction_truck": (18.0, 7.6, 8.0),
    "jumbo_trailer": (28.0, 7.6, 9.0),
    "highway_bus": (24.0, 7.6, 8.5),
}
CAR_TYPES: tuple[str, ...] = tuple(DEFAULT_CAR_SIZES_MM)


class Kit(msgspec.Struct, frozen=True, kw_only=True):
    """Sizes of one owner's pieces in mm; the defaults stand in until they are measured."""

    disc_diameter_mm: float = 18.0
    disc_height_mm: float = 10.0
    road_length_mm: float = 95.0
    road_width_mm: float = 9.0
    road_thickness_mm: float = 2.5
    cars: dict[str, tuple[float, float, float]] = msgspec.field(default_factory=lambda: dict(DEFAULT_CAR_SIZES_MM))
    colours: dict[str, str] = msgspec.field(default_factory=dict)

    @property
    def disc_radius_mm(self) -> float:
        return self.disc_diameter_mm / 2

    def column_top_mm(self, height: int) -> float:
        """How high above the table the top of a column of `height` discs lies."""
        return height * self.disc_height_mm

    def lying_z_mm(self, height: int, level: int = 0) -> float:
        """Mid-thickness z of a stick that lies on a column top, or on `level` other sticks lying there."""
        return self.column_top_mm(height) + (level + 0.5) * self.road_thickness_mm
