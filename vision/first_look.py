"""A pair without history made ready: its views, what both nets say of them, and where play is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
import shapely

from calibration.camera import Rig
from referee.layout import BARE_TABLE
from referee.pieces import Kit
from vision.at_once import at_once
from vision.errors import VisionError
from vision.evidence import Evidence
from vision.floors import Floors, floors_of
from vision.odds import CAR
from vision.once import once
from vision.pair_check import refuse_unfit
from vision.region import TALLEST_MM, play_box, play_outline
from vision.seek import Box
from vision.told import told_of
from vision.view import Picture
from vision.views import evidence_of

PIECE, LEAST_PX, MARGIN_MM = 0.4, 12, 25.0
"""Share of a pixel that is taken for pieces, how wide a patch of such must be, and what is looked at about them."""


@dataclass(frozen=True, eq=False)
class Look:
    """A pair, with the overhead view first, and the outline of where play is."""

    rig: Rig
    kit: Kit
    views: list[Evidence]
    area: shapely.Polygon

    @property
    def highest(self) -> int:
        """How many discs a column may have."""
        return int((TALLEST_MM - self.kit.disc_height_mm / 2) / self.kit.disc_height_mm)

    @property
    def box(self) -> Box:
        return Box(*self.area.bounds)

    @once
    def floors(self) -> Floors | None:
        """How likely columns of each height stand where; nothing where that cannot be asked."""
        return floors_of(self.views, self._taken_up(), self.kit, self.highest)

    def _taken_up(self) -> Box:
        """The part of the box in which the overhead view shows anything that is taken for a piece."""
        told = self.views[0].told
        if told is None:
            return self.box
        pieces = (told[..., 1 : CAR + 1].sum(axis=-1) > PIECE).astype(np.uint8)
        rows, columns = np.nonzero(cv2.erode(pieces, np.ones((LEAST_PX // 2,) * 2, np.uint8)))
        if not len(rows):
            return self.box
        rim = np.array([(x, y) for x in (columns.min(), columns.max()) for y in (rows.min(), rows.max())], float)
        spots = np.concatenate([self.views[0].lens.on_plane(rim, z)[:, :2] for z in (0.0, TALLEST_MM)])
        seen = Box(*spots.min(axis=0), *spots.max(axis=0)).grown(MARGIN_MM)
        return seen.within(self.box)


def first_look(pictures: Mapping[str, Picture], rig: Rig, kit: Kit) -> Look:
    """A settled pair, or the overhead picture of one, as it is looked at first."""
    if "overhead" not in pictures:
        raise VisionError("There is no overhead picture: without history a table cannot be read from the side alone.")
    views = evidence_of(pictures, None, rig, play_box(BARE_TABLE, rig, kit))
    area = play_outline(rig, views[0].view)
    refuse_unfit(pictures)
    middle = np.array([area.centroid.x, area.centroid.y, kit.disc_height_mm])
    return Look(rig, kit, at_once(lambda view: told_of(view, middle, kit), views), area)
