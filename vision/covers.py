"""What the pixels about a new stick say of ways to explain it: what each is taken for, and which old ones changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.pieces import Kit
from vision.depth import patch_of
from vision.fit import Scene
from vision.odds import CAR, SIDE, STICK, TOP
from vision.solids import Prism, is_round
from vision.told import is_asked, shares_of
from vision.view import Floats, Lens, Singles, View, cut_to

MARGIN_PX = 40
LEAST_SHARE = 0.05
"""No pixel is surer than this of what it is."""
CHANGED = 8.0
"""Grey levels from which an old piece looks other than before."""
OLD, TABLE = -1, 0


@dataclass(frozen=True, eq=False)
class Pixels:
    """The part of a view in which a stick and its columns may be: what is known there, what it shows, what changed."""

    view: View
    closeness: Singles
    is_old: NDArray[np.bool_]
    changed: NDArray[np.bool_]
    taken: Singles | None
    """Of each pixel the log share (h, w, 4) that is table, stick, disc top, disc side; None where nobody is asked."""
    pixel_mm2: float

    def with_pieces(self, pieces: Sequence[Prism]) -> tuple[float, float]:
        """With pieces in place: what pixels are taken for, of what they would show (log shares times mm2), and how much
        of the old pieces looks changed though no piece would cover it, in mm2."""
        kinds = self._painted(pieces)
        uncovered_mm2 = float(np.count_nonzero(self.changed & (kinds == OLD))) * self.pixel_mm2
        if self.taken is None:
            return 0.0, uncovered_mm2
        told = np.take_along_axis(self.taken, np.maximum(kinds, TABLE)[..., None], axis=-1)[..., 0]
        return float(told[kinds != OLD].sum()) * self.pixel_mm2, uncovered_mm2

    def _painted(self, pieces: Sequence[Prism]) -> NDArray[np.intp]:
        """What each pixel would show (h, w) with pieces in place."""
        lens, nearest = self.view.lens, self.closeness.copy()
        kinds = np.where(self.is_old, OLD, TABLE).astype(np.intp)
        for piece in pieces:
            if (patch := patch_of(piece, lens)) is None:
                continue
            window, nearer = patch.window, patch.nearer(nearest)
            np.copyto(nearest[window], patch.closeness, where=nearer)
            np.copyto(kinds[window], SIDE if is_round(piece) else STICK, where=nearer)
            if is_round(piece):
                kinds[window][nearer & _upper_face(piece, lens)[window]] = TOP
        return kinds


def pixels_about(scene: Scene, pieces: Iterable[Prism], kit: Kit) -> Pixels:
    """The part of a view about pieces, with what the net takes its pixels for."""
    evidence = scene.evidence
    points = np.concatenate([piece.ring(side) for piece in pieces for side in (-1.0, 1.0)])
    part = cut_to(evidence.view, points, MARGIN_PX)
    (left, top), (height, width) = np.rint(part.lens.corner_px - evidence.lens.corner_px).astype(int), _size(part)
    window = slice(top, top + height), slice(left, left + width)
    is_old = scene.depth.number[window] >= 0
    step = np.zeros((height, width), np.float32) if evidence.step is None else evidence.step[window]
    middle: Floats = points.mean(axis=0)
    taken = _taken(shares_of(part, middle, kit)) if is_asked() else None
    pixel_mm2 = part.lens.px_per_mm(middle) ** -2
    return Pixels(part, scene.depth.closeness[window], is_old, is_old & (step > CHANGED), taken, pixel_mm2)


def _size(view: View) -> tuple[int, int]:
    height, width = view.picture.shape[:2]
    return height, width


def _taken(shares: Singles) -> Singles:
    # A car stands on a stick.
    kinds = cv2.merge([shares[..., TABLE], shares[..., STICK] + shares[..., CAR], shares[..., TOP], shares[..., SIDE]])
    return np.asarray(np.log((kinds + LEAST_SHARE) / (1 + kinds.shape[-1] * LEAST_SHARE)), np.float32)


def _upper_face(column: Prism, lens: Lens) -> NDArray[np.bool_]:
    """Where a column's top is in a picture (h, w)."""
    face = np.zeros((lens.camera.height, lens.camera.width), np.uint8)
    corners = np.rint(16 * lens.project(column.ring(1.0))).astype(np.int32)
    return np.asarray(cv2.fillConvexPoly(face, corners, 1, cv2.LINE_8, 4), np.uint8) > 0
