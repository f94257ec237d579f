"""What a hobbyist would write in an afternoon: difference, thresholds, contours and a homography. For comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from calibration.camera import Camera, Floats, Rig
from referee.layout import BARE_TABLE, Car, Column, Layout, Road
from referee.pieces import Kit
from vision.names import next_id
from vision.paint import WORDS
from vision.view import Picture

PX_PER_MM = 2.0
HALF_MM = 300.0
CHANGED, SATURATED = 28, 110
HIGHEST = 7


def baseline_change(
    accepted: Layout,
    before: Mapping[str, Picture],
    now: Mapping[str, Picture],
    rig: Rig,
    kit: Kit,
    players: Sequence[str],
    player: str | None,
) -> Layout:
    """The accepted layout with what the thresholded difference shows; nothing is ever taken away or asked."""
    flat, was = (_from_above(pair["overhead"], rig.overhead) for pair in (now, before))
    mask = (cv2.absdiff(flat, was).max(axis=2) > CHANGED).astype(np.uint8) * 255
    side = (cv2.absdiff(now["side"], before["side"]).max(axis=2) > CHANGED).astype(np.uint8)
    return _with_pieces(accepted, flat, mask, side, rig, kit, players, player)


def baseline_single(pictures: Mapping[str, Picture], rig: Rig, kit: Kit, players: Sequence[str]) -> Layout:
    """Everything that is not of the table's usual colour."""
    flat = _from_above(pictures["overhead"], rig.overhead)
    lab = cv2.cvtColor(flat, cv2.COLOR_BGR2LAB).astype(np.float32)
    usual = np.median(lab.reshape(-1, 3), axis=0)
    mask = (np.linalg.norm(lab - usual, axis=2) > CHANGED).astype(np.uint8) * 255
    picture = pictures["side"]
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB).astype(np.float32)
    side = (np.linalg.norm(lab - np.median(lab.reshape(-1, 3), axis=0), axis=2) > CHANGED).astype(np.uint8)
    return _with_pieces(BARE_TABLE, flat, mask, side, rig, kit, players, None)


def _from_above(picture: Picture, camera: Camera) -> Picture:
    """The table seen straight from above, by the homography of its surface."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float) * HALF_MM
    pixels = camera.project(np.column_stack([corners, np.zeros(4)]))
    wanted = (corners + HALF_MM) * PX_PER_MM
    size = int(2 * HALF_MM * PX_PER_MM)
    warp = cv2.getPerspectiveTransform(pixels.astype(np.float32), wanted.astype(np.float32))
    return np.asarray(cv2.warpPerspective(picture, warp, (size, size)), np.uint8)


def _with_pieces(
    layout: Layout,
    flat: Picture,
    mask: NDArray[np.uint8],
    side: NDArray[np.uint8],
    rig: Rig,
    kit: Kit,
    players: Sequence[str],
    player: str | None,
) -> Layout:
    clean = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    clean = cv2.morphologyEx(clean, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8))
    for outline in cv2.findContours(clean, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        (u, v), (one, other), turn = cv2.minAreaRect(outline)
        long_mm, short_mm = max(one, other) / PX_PER_MM, min(one, other) / PX_PER_MM
        if not 0.7 < long_mm / kit.road_length_mm < 1.5 or short_mm > 4 * kit.road_width_mm:
            continue
        yaw = math.radians(turn if one > other else turn + 90)
        middle = np.array([u, v]) / PX_PER_MM - HALF_MM
        layout = _with_road(layout, middle, yaw, side, rig, kit, player)
    hue = cv2.cvtColor(flat, cv2.COLOR_BGR2HSV)
    bright = ((hue[..., 1] > SATURATED) & (mask > 0)).astype(np.uint8)
    for outline in cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        area_mm2 = cv2.contourArea(outline) / PX_PER_MM**2
        if not 40 < area_mm2 < 400 or not layout.roads:
            continue
        x, y = outline.reshape(-1, 2).mean(axis=0) / PX_PER_MM - HALF_MM
        colour = hue[bright > 0, 0] if area_mm2 < 1 else hue[outline[:, 0, 1], outline[:, 0, 0], 0]
        layout = _with_car(layout, x, y, float(np.median(colour)), players)
    return layout


def _with_road(
    layout: Layout, middle: Floats, yaw: float, side: NDArray[np.uint8], rig: Rig, kit: Kit, player: str | None
) -> Layout:
    """A road between its ends, each on the nearest column or on a new one."""
    u = np.array([math.cos(yaw), math.sin(yaw)]) * kit.road_length_mm / 2
    ends: list[tuple[str, float]] = []
    tips = [middle - u, middle + u]
    for tip in tips:
        near = [(math.dist(tip, (c.x, c.y)), c.id, c.height) for c in layout.columns]
        gap, name, height = min(near, default=(math.inf, "", 1))
        if gap > 1.2 * kit.disc_diameter_mm:
            inner = tip - (tip - middle) * kit.disc_radius_mm / np.linalg.norm(tip - middle)
            name, height = next_id("c", layout), _height(inner, side, rig.side, kit)
            column = Column(name, float(inner[0]), float(inner[1]), height, False, player)
            layout = replace(layout, columns=(*layout.columns, column))
        ends.append((name, kit.lying_z_mm(height)))
    (a, za), (b, zb) = ends
    one, other = (float(tips[0][0]), float(tips[0][1]), za), (float(tips[1][0]), float(tips[1][1]), zb)
    road = Road(next_id("r", layout), one, other, "road", a, b, player)
    return replace(layout, roads=(*layout.roads, road))


def _height(spot: Floats, side: NDArray[np.uint8], camera: Camera, kit: Kit) -> int:
    """Discs counted upwards in the side view while they look changed."""
    for n in range(1, HIGHEST + 1):
        x, y = np.rint(camera.project(np.array([[*spot, kit.column_top_mm(n) - kit.disc_height_mm / 2]]))[0]).astype(
            int
        )
        patch = side[max(y - 3, 0) : y + 4, max(x - 3, 0) : x + 4]
        if not patch.size or patch.mean() < 0.5:
            return max(n - 1, 1)
    return HIGHEST


def _with_car(layout: Layout, x: float, y: float, hue: float, players: Sequence[str]) -> Layout:
    """A car of the nearest hue on the nearest road."""

    def away(road: Road) -> float:
        return math.dist((x, y), ((road.a[0] + road.b[0]) / 2, (road.a[1] + road.b[1]) / 2))

    def apart(player: str) -> float:
        code = WORDS.get(player, "#808080")
        bgr = np.array([[[int(code[i : i + 2], 16) for i in (5, 3, 1)]]], np.uint8)
        gap = abs(float(cv2.cvtColor(bgr, cv2.COLOR_BGR2HSV)[0, 0, 0]) - hue)
        return min(gap, 180 - gap)

    road = min(layout.roads, key=away)
    yaw = math.atan2(road.b[1] - road.a[1], road.b[0] - road.a[0])
    z = (road.a[2] + road.b[2]) / 2
    car = Car(next_id("k", layout), float(x), float(y), z, yaw, road.id, min(players, key=apart), None)
    return replace(layout, cars=(*layout.cars, car))
