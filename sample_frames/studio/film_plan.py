"""What a filmed game shows, before a ray is traced: who does what with their hands, and what stands there after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import numpy as np

from referee.game import Game
from referee.layout import Car, Column, Layout, Piece, Road, with_pieces
from referee.pieces import SEDAN, Kit
from sample_frames.boxes import car_pose, stick_pose
from sample_frames.falls import Fallen, drop

from .mesh import Floats

What = Literal["column", "stick", "car", "rest"]
REST_TURNS = (5, 18)
"""After these turns somebody leaves a hand on the table for a while."""
UNHURRIED_TURNS = 9
"""So long every piece gets a reach of its own; later, one brings the road with its column and cars."""


@dataclass(frozen=True, slots=True)
class Action:
    """One hand's visit: what it brings, where to, and what stands on the table when it has let go."""

    what: What
    player: str
    target: Floats
    """table_from_piece, 4x4, or of the resting palm."""
    after: Layout
    piece: Piece | None = None
    road: Road | None = None
    """The road of a car that is placed."""
    fallen: tuple[Fallen, ...] = ()
    grip_above_mm: float | None = None


def actions(game: Game, turn: int, player: str, rng: np.random.Generator) -> list[Action]:
    """How a player gets from one layout to the next: column, road, cars; what was knocked over is put up again."""
    before, after = game.layouts[turn - 1], game.layouts[turn]
    old = {piece.id for piece in before.pieces()}
    built: tuple[Piece, ...] = (*after.columns, *after.roads, *after.cars)
    new = [p for p in built if p.id not in old]
    standing = {p.id: p for p in after.pieces() if p.id in old}
    found = []
    for piece in new:
        standing[piece.id] = piece
        found.append(_placing(piece, with_pieces(after, standing), player, game.kit))
    if turn > UNHURRIED_TURNS:
        found = [action for action in found if action.what == "stick"][-1:] or found[-1:]
        found = [replace(action, after=after) for action in found]
    rebuilt = set(game.note(turn).rebuilt)
    if rebuilt:
        found += _fall(after, rebuilt, player, game.kit, rng)
    if turn in REST_TURNS:
        beside = np.eye(4)
        beside[:2, 3] = rng.uniform(-60.0, 60.0, 2)
        found.append(Action("rest", player, beside, after))
    return found


def _placing(piece: Piece, after: Layout, player: str, kit: Kit) -> Action:
    match piece:
        case Column():
            foot = np.eye(4)
            foot[:3, 3] = (piece.x, piece.y, 0.0)
            held_mm = (piece.height - 0.4) * kit.disc_height_mm
            return Action("column", player, foot, after, piece, grip_above_mm=held_mm)
        case Road():
            return Action("stick", player, stick_pose(piece), after, piece)
        case Car():
            road = next((r for r in after.roads if r.id == piece.road), None)
            foot = car_pose(piece, road)
            foot[:3, 3] -= foot[:3, 2] * kit.cars[piece.type or SEDAN][2] / 2
            return Action("car", player, foot, after, piece, road)


def _fall(after: Layout, ids: set[str], player: str, kit: Kit, rng: np.random.Generator) -> list[Action]:
    """A hand brushes pieces off, then they are put up again one by one."""
    built: tuple[Piece, ...] = (*after.columns, *after.roads, *after.cars)
    down = [p for p in built if p.id in ids]
    left = with_pieces(after, {p.id: p for p in after.pieces() if p.id not in ids})
    fallen = drop(down, left, kit, rng)
    place = np.eye(4)
    place[:3, 3] = fallen[0].pose[:3, 3] * (1.0, 1.0, 0.0)
    found = [Action("rest", player, place, left, fallen=fallen)]
    standing = {p.id: p for p in left.pieces()}
    for piece in down:
        standing[piece.id] = piece
        fallen = tuple(lying for lying in fallen if lying.id != piece.id)
        placing = _placing(piece, with_pieces(after, standing), player, kit)
        found.append(Action(placing.what, player, placing.target, placing.after, piece, placing.road, fallen,
                            placing.grip_above_mm))  # fmt: skip
    return found


def seats(players: tuple[str, ...], centre: Floats, reach_mm: float, start_rad: float) -> dict[str, Floats]:
    """Where at the table's edge each player sits."""
    angles = start_rad + 2 * np.pi * np.arange(len(players)) / len(players)
    away = reach_mm + 170.0
    return {
        player: centre + np.array([np.cos(angle), np.sin(angle), 0.0]) * away
        for player, angle in zip(players, angles, strict=True)
    }


class Settled(msgspec.Struct, frozen=True, omit_defaults=True):
    """A stretch of frames in which nothing moves and no hand is in view."""

    turn: int
    first_frame: int
    last_frame: int
    complete: bool
    layout: Layout
    fallen: tuple[str, ...] = ()
