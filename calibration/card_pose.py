"""The kit card as both cameras see it: where it lies, and the cameras in its own frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares
from scipy.special import ndtri

from calibration.camera import Camera, Floats, Rig
from calibration.errors import CalibrationError
from calibration.exposure import exposure
from calibration.kit_card import KIT_IDS, KitCard, card_with
from calibration.page import Rect, tag_corners_mm
from calibration.rig_quality import camera_of, lens_numbers
from calibration.strips import laid, turn
from calibration.tag_looks import CAREFUL, looks_at, module_px, straight
from calibration.tag_sides import fit_sides
from calibration.tags import TagSeen, check_size, find_tags, fit_tags

Picture = NDArray[np.uint8]

LEAST_TAGS = 3
TURN_SIGMA_RAD, SHIFT_SIGMA_MM = 3e-4, 0.5
"""How far a camera may be from where the rig has it; the card's own tags then say where it is."""
MOST_OFF_PX = 3.0
SCALE_OFF = 0.005
USUAL_BLUR_PX = 0.8
FINE_MODULE_PX = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class CardView:
    """One camera's picture of the card; its frame is in mm with x along the words, y up the page, z out of it."""

    picture: Picture
    """BGR."""
    camera: Camera
    """Of points in the card's frame."""
    blur_px: float
    """How wide edges of print are, as a standard deviation."""
    white: float
    """How light the paper is, as a share of the most that the file can hold."""
    clipped: float
    """How much lighter it really is: 1.0 but for overexposed pictures."""

    @property
    def bloom_px(self) -> float:
        """How far overexposed paper seems to reach over black print, as a number below zero."""
        return -self.blur_px * float(ndtri(min(self.clipped / 2, 0.95)))


@dataclass(frozen=True, slots=True, eq=False)
class SeenCard:
    """The card in both pictures."""

    card: KitCard
    scale: float
    """Millimetres of the rig to a millimetre of the page."""
    views: Mapping[str, CardView]
    off_px: float
    """Median distance of the tags' corners from where they should be."""

    def corners_in_card(self, rect: Rect) -> Floats:
        """The corners (4, 2) of a rectangle of the page, anticlockwise from its bottom left."""
        x0, x1, y0, y1 = rect.x_mm, rect.right_mm, -rect.bottom_mm, -rect.y_mm
        return self.scale * np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])


def see_card(pictures: Mapping[str, Picture], rig: Rig) -> SeenCard:
    """Find the card in the pictures of both cameras."""
    greys = {name: _grey(pictures[name]) for name in rig.cameras}
    for name, grey in greys.items():
        check_size(grey, rig.cameras[name], f"the {name} picture")
    overhead = _kit_tags(greys["overhead"], rig.overhead, "overhead")
    card = _card_of(overhead)
    corners = {tag: at * [1.0, -1.0] for tag, at in tag_corners_mm(card.page).items()}
    place = _first_place(overhead, rig.overhead, corners)
    off = _off_px(overhead, rig.overhead, corners, place)
    seen = {"overhead": overhead}
    if off < MOST_OFF_PX:
        starts = {tag: _project(rig.side, place, at) for tag, at in corners.items()}
        found = _kit_tags(greys["side"], rig.side, "side", needed=0)
        at_hand = {tag: one for tag, one in found.items() if tag in corners}
        seen["side"] = fit_tags(greys["side"], starts, rig.side) | at_hand
        off = max(off, _off_px(seen["side"], rig.side, corners, place)) if seen["side"] else off
    if off >= MOST_OFF_PX:
        raise CalibrationError(_why_off(greys, rig, off))
    if not seen["side"]:
        raise CalibrationError(
            "the side camera sees no tag of the kit card: turn the card so that no piece hides them, take both again"
        )
    return _refined(seen, corners, place, rig, pictures, card)


def _grey(picture: Picture) -> Picture:
    return np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _kit_tags(grey: Picture, camera: Camera, name: str, needed: int = LEAST_TAGS) -> dict[int, TagSeen]:
    found = find_tags(grey, camera, f"the {name} picture")
    mine = {tag: one for tag, one in found.items() if tag % 100 in KIT_IDS}
    if len(mine) < needed:
        raise CalibrationError(
            f"the {name} camera sees {len(mine)} tags of the kit card: lay it flat with at least {needed} of its "
            "4 corners in sight, in good light"
        )
    return mine


def _card_of(tags: Mapping[int, TagSeen]) -> KitCard:
    card = card_with(tags)
    if card is None:
        raise CalibrationError("tags of two kit cards are in sight: leave one card on the table")
    return card


_Place = tuple[float, float, float, float]
"""x, y and yaw of the page's corner in the table, and the scale."""


def _first_place(seen: Mapping[int, TagSeen], camera: Camera, corners: Mapping[int, Floats]) -> _Place:
    """From one camera, where its rays meet the table."""
    on_page = np.concatenate([corners[tag] for tag in seen])
    rays = camera.rays_in_table(np.concatenate([one.corners_px for one in seen.values()]))
    eye = camera.centre_in_table()
    plan = (eye + rays * (-eye[2] / np.minimum(rays[:, 2], -1e-3))[:, None])[:, :2]
    scale = float(np.linalg.norm(plan - plan.mean(axis=0)) / np.linalg.norm(on_page - on_page.mean(axis=0)))
    placed = laid(scale * on_page, plan)
    return placed.x_mm, placed.y_mm, placed.yaw_rad, scale


def _project(camera: Camera, place: _Place, on_page: Floats) -> Floats:
    x, y, yaw, scale = place
    plan = scale * on_page @ turn(yaw).T + np.array([x, y])
    return camera.project(np.column_stack([plan, np.zeros(len(plan))]))


def _off_px(seen: Mapping[int, TagSeen], camera: Camera, corners: Mapping[int, Floats], place: _Place) -> float:
    apart = [
        np.linalg.norm(_project(camera, place, corners[tag]) - one.corners_px, axis=1) for tag, one in seen.items()
    ]
    return float(np.median(apart))


def _why_off(greys: Mapping[str, Picture], rig: Rig, off_px: float) -> str:
    other = find_tags(greys["side"], None)
    mine = {tag: one for tag, one in other.items() if tag % 100 in KIT_IDS}
    if len(mine) >= LEAST_TAGS and greys["side"].shape == (rig.overhead.height, rig.overhead.width):
        corners = {tag: at * [1.0, -1.0] for tag, at in tag_corners_mm(_card_of(mine).page).items()}
        if _off_px(mine, rig.overhead, corners, _first_place(mine, rig.overhead, corners)) < MOST_OFF_PX:
            return "the two pictures are swapped: give the overhead camera's first"
    return (
        f"the kit card is {off_px:.0f} px from where this rig would see it: lay it flat, or calibrate again if a "
        "camera has moved since"
    )


def _refined(
    seen: Mapping[str, Mapping[int, TagSeen]], corners: Mapping[int, Floats], place: _Place, rig: Rig,
    pictures: Mapping[str, Picture], card: KitCard,
) -> SeenCard:  # fmt: skip
    """Card and cameras by least squares over all tags, the rig as a prior."""
    names = list(rig.cameras)

    def moved(numbers: Floats, which: int) -> Camera:
        camera = rig.cameras[names[which]]
        change = numbers[4 + 6 * which : 10 + 6 * which] * ([TURN_SIGMA_RAD] * 3 + [SHIFT_SIGMA_MM] * 3)
        # Turned about its own middle: a turn alone must not shift it.
        R = cv2.Rodrigues(change[:3])[0] @ np.array(camera.R)
        centre = camera.centre_in_table() + change[3:]
        return camera_of((camera.width, camera.height), lens_numbers(camera), R, -R @ centre)

    def misses(numbers: Floats) -> Floats:
        rows = [numbers[4:]]
        for which, name in enumerate(names):
            camera = moved(numbers, which)
            for tag, one in seen[name].items():
                at = _project(camera, _place(numbers), corners[tag])
                rows.append(((at - one.corners_px) / one.sigma_px).ravel())
        return np.concatenate(rows)

    def _place(numbers: Floats) -> _Place:
        x, y, yaw, scale = (float(v) for v in numbers[:4])
        return x, y, yaw / 100, scale / 100  # a hundred mm away they move as far as x and y do

    start = np.array([place[0], place[1], place[2] * 100, place[3] * 100, *np.zeros(6 * len(names))])
    best = np.asarray(least_squares(misses, start, loss="soft_l1", f_scale=3.0).x)
    x, y, yaw, scale = _place(best)
    table_from_card = np.eye(3)
    table_from_card[:2, :2] = turn(yaw)
    views, off = {}, []
    for which, name in enumerate(names):
        camera = moved(best, which)
        R, t = np.array(camera.R), np.array(camera.t)
        size = (camera.width, camera.height)
        own = camera_of(size, lens_numbers(camera), R @ table_from_card, t + R @ np.array([x, y, 0.0]))
        places = {tag: own.project(np.column_stack([scale * corners[tag], np.zeros(4)])) for tag in seen[name]}
        off += [np.linalg.norm(places[tag] - one.corners_px, axis=1) for tag, one in seen[name].items()]
        views[name] = _view(pictures[name], places, own)
    return SeenCard(card, scale, views, float(np.median(off)))


def _view(picture: Picture, places: Mapping[int, Floats], camera: Camera) -> CardView:
    """What the tags tell of a picture, their places being known."""
    grey = _grey(picture)
    at = straight(np.stack(list(places.values())), camera)
    sides = fit_sides(grey, looks_at(list(places), at, camera, CAREFUL))
    # Where modules are hardly wider than the blur, it is not told from them.
    good = sides.good & (module_px(at) > FINE_MODULE_PX)
    blur = float(np.median(sides.blur_px[good])) if good.any() else USUAL_BLUR_PX
    white, clipped = exposure(grey, places, camera)
    return CardView(picture, camera, blur, white, clipped)
