"""One moment of a take in one camera: the room, the board's shadow, the card, the hand that holds it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np

from .take_hand import SHOULDER_MM, WRIST, Quads, arm
from .take_light import Lights
from .take_paint import paint
from .take_room import Room, background
from .take_sheets import Card, Strip
from .take_warp import MIDDLE, NO_MAP, Box, Floats, Light, Sheet, View, warp

_HAND_MOMENTS = (1, 4, 7)
_SHADE_CELLS = (12, 9)
_CARD_GLOSS = 0.05
_CONTACT, _CONTACT_PX = 0.5, 7.0
"""How dark and how wide the shadow is that a thumb casts on the paper under it."""
_SHADOW_SHARE = 4
"""Shadows are soft: they are drawn this much smaller."""


@dataclass(frozen=True, slots=True, eq=False)
class Holder:
    """Who holds the card and how: `board_from_grip` is a point of its edge, x along it, y outward, z to the viewer."""

    hand: Quads
    board_from_grip: Floats
    skin: Floats
    sleeve: Floats
    sleeve_share: float
    shoulder_in_table: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Everything that stands still during a take, in one camera, and the things that move."""

    view: View
    lights: Lights
    empty: Light
    table: Light
    """How much of each pixel is table: there shadows fall."""
    card: Card
    holder: Holder


def stage_of(view: View, lights: Lights, room: Room, card: Card, holder: Holder) -> Stage:
    """The stage of one camera, with a bare table."""
    empty, table = background(view, room, lights)
    return Stage(view, lights, empty, table, card, holder)


def with_strips(stage: Stage, strips: tuple[Strip, ...]) -> Stage:
    """The stage with strips lying on its table."""
    empty = stage.empty.copy()
    for strip in strips:
        _lay(empty, stage.view, stage.lights, strip.sheet, strip.table_from_sheet)
    return replace(stage, empty=empty)


def moment(stage: Stage, table_from_board: Floats) -> Light:
    """The light in the camera while the board is at poses (SAMPLES, 4, 4), one after the other."""
    light = stage.empty * (1 - _shadow(stage, table_from_board[MIDDLE]))[..., None]
    holding = [_holding(stage, table_from_board[n]) for n in _HAND_MOMENTS]
    eye_in_board = np.linalg.inv(table_from_board[MIDDLE]) @ [*stage.view.camera.centre_in_table(), 1.0]
    front = bool(eye_in_board[2] < 0)
    # The card's plane parts what it hides from what hides it; what is before it is painted twice, to leave no seam.
    before = [_half(hand, side_mm, front) for hand, side_mm in holding]
    edges = [_edges(stage.card, table_from_board[n], front) for n in _HAND_MOMENTS]
    _over(
        light,
        paint(stage.view, stage.lights, [_joined(hand, rim) for (hand, _), rim in zip(holding, edges, strict=True)]),
    )
    sheet = stage.card.front if front else stage.card.back
    table_from_sheet = table_from_board @ np.linalg.inv(stage.card.page_from_board())
    _lay(light, stage.view, stage.lights, sheet, table_from_sheet)
    nearest = paint(stage.view, stage.lights, before)
    if nearest is not None:
        box, layer = nearest
        light[box] *= (
            1
            - _CONTACT
            * cv2.GaussianBlur(layer[..., 3:], (0, 0), _CONTACT_PX * stage.view.camera.width / 1280)[..., None]
        )
    _over(light, nearest)
    return light


def _lay(light: Light, view: View, lights: Lights, sheet: Sheet, table_from_sheet: Floats) -> None:
    """Warp a sheet onto the picture, lit where it lies."""
    camera = view.camera
    camera_from_table = np.eye(4)
    camera_from_table[:3, :3], camera_from_table[:3, 3] = camera.R, camera.t
    layer = warp(view, sheet, camera_from_table @ table_from_sheet)
    if layer is None:
        return
    pose = table_from_sheet if table_from_sheet.ndim == 2 else table_from_sheet[MIDDLE]
    diffuse, shine = _shade(lights, sheet, pose, camera.centre_in_table())
    low, size = sheet.outline_mm[0, :2], sheet.outline_mm[2, :2] - sheet.outline_mm[0, :2]
    rows, columns = _SHADE_CELLS
    at = (layer.sheet_mm - low.astype(np.float32)) * (np.array([columns - 1, rows - 1]) / size).astype(np.float32)
    lit, gloss = (
        cv2.remap(part, at, NO_MAP, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE) for part in (diffuse, shine)
    )
    place = light[layer.box]
    place *= 1 - layer.cover
    place += layer.colour * lit + layer.cover * gloss


def _shade(lights: Lights, sheet: Sheet, table_from_sheet: Floats, eye: Floats) -> tuple[Light, Light]:
    """Light on a coarse grid over the sheet: what its colour is multiplied with, and what gloss adds."""
    low, high = sheet.outline_mm[0], sheet.outline_mm[2]
    rows, columns = _SHADE_CELLS
    x, y = np.meshgrid(np.linspace(low[0], high[0], columns), np.linspace(low[1], high[1], rows))
    z = sheet.z_mm(y)
    slope = np.gradient(z, axis=0) / np.gradient(y, axis=0)
    points = np.stack([x, y, z], axis=-1) @ table_from_sheet[:3, :3].T + table_from_sheet[:3, 3]
    normals = np.stack([np.zeros_like(x), slope, -np.ones_like(x)], axis=-1) @ table_from_sheet[:3, :3].T
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    if (eye - points[0, 0]) @ normals[0, 0] < 0:
        normals = -normals
    shine = _CARD_GLOSS * lights.gloss(points, normals, eye, 25.0)
    return lights.on(points, normals).astype(np.float32), shine.astype(np.float32)


def _shadow(stage: Stage, table_from_board: Floats) -> Light:
    """How much light the board takes from the table below it, lamp by lamp."""
    camera = stage.view.camera
    share = _SHADOW_SHARE
    size = (-(-camera.height // share), -(-camera.width // share))
    outline = stage.card.outline_in_board()
    steps = np.linspace(0.0, 1.0, 6, endpoint=False)[:, None]
    rim = np.concatenate([a + steps * (b - a) for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True)])
    points = rim @ table_from_board[:3, :3].T + table_from_board[:3, 3]
    down = stage.lights.on(np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]])).mean()
    total = np.zeros(size, dtype=np.float32)
    height_mm = float(points[:, 2].mean())
    for lamp, rgb in zip(stage.lights.lamps_mm, stage.lights.rgb, strict=True):
        if points[:, 2].max() > 0.9 * lamp[2]:
            continue
        cast = lamp + (points - lamp) * (lamp[2] / (lamp[2] - points[:, 2]))[:, None]
        if camera.depth_mm(cast).min() < 60.0:
            continue
        pixels = np.clip(camera.project(cast) / share, -4_000, 4_000)
        mask = np.zeros(size, dtype=np.float32)
        cv2.fillPoly(mask, [np.rint(pixels).astype(np.int32)], float(rgb.mean() / down))
        soft_mm = 3.6 + 14.4 * height_mm / lamp[2]  # the higher the board, the softer its shadow
        blur_px = soft_mm * stage.view.focal_px / camera.t[2] / share
        total += cv2.GaussianBlur(mask, (0, 0), max(blur_px, 1.0))
    whole = cv2.resize(total, (camera.width, camera.height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(whole * stage.table, dtype=np.float32)


def _holding(stage: Stage, table_from_board: Floats) -> tuple[Quads, Floats]:
    """The hand and its arm in the table frame, and how far before the card's plane each of their faces is."""
    holder = stage.holder
    table_from_grip = table_from_board @ holder.board_from_grip
    turn, place = table_from_grip[:3, :3], table_from_grip[:3, 3]
    hand = holder.hand
    here = Quads(hand.points @ turn.T + place, hand.faces, hand.normals @ turn.T, hand.colours)
    wrist, out = turn @ WRIST + place, turn[:, 1]
    lifted = holder.shoulder_in_table + np.array([0.0, 0.0, max(0.0, float(wrist[2]) - SHOULDER_MM) * 0.8])
    limb = arm(wrist, out, lifted, holder.skin, holder.sleeve, holder.sleeve_share)
    both = _joined(here, limb)
    return both, (both.points[both.faces].mean(axis=1) - place) @ turn[:, 2]


def _half(quads: Quads, before_mm: Floats, nearer: bool) -> Quads:
    """The faces on one side of the card's plane."""
    keep = (before_mm > 0) == nearer
    return Quads(quads.points, quads.faces[keep], quads.normals[keep], quads.colours[keep])


def _joined(a: Quads, b: Quads) -> Quads:
    return Quads(
        np.concatenate([a.points, b.points]),
        np.concatenate([a.faces, b.faces + len(a.points)]),
        np.concatenate([a.normals, b.normals]),
        np.concatenate([a.colours, b.colours]),
    )


def _edges(card: Card, table_from_board: Floats, front: bool) -> Quads:
    """The four thin sides of the card, away from whoever looks at it."""
    rim = card.outline_in_board()
    deep = rim + np.array([0.0, 0.0, card.thick_mm if front else -card.thick_mm])
    middle = rim.mean(axis=0)
    after = np.roll(np.arange(4), -1)
    faces = np.stack([np.arange(4), after, after + 4, np.arange(4) + 4], axis=1)
    outward = (rim + rim[after]) / 2 - middle
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    turn, place = table_from_board[:3, :3], table_from_board[:3, 3]
    points = np.concatenate([rim, deep]) @ turn.T + place
    return Quads(points, faces, outward @ turn.T, np.tile(card.colour * 0.8, (4, 1)))


def _over(light: Light, painted: tuple[Box, Light] | None) -> None:
    if painted is not None:
        box, layer = painted
        light[box] *= 1 - layer[..., 3:]
        light[box] += layer[..., :3]
