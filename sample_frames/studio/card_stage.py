"""The kit card and what lies on it, as meshes for the renderer."""

from __future__ import annotations

import msgspec
import numpy as np

from calibration.kit_card import kit_card
from calibration.raster import raster
from referee.pieces import Kit
from sample_frames.falls import Fallen

from .kit_cards import CardShot
from .paper_tags import PAPER_MM, PX_PER_MM, printed
from .parts import Part, fallen_parts, pose, quad


def table_from_card(shot: CardShot) -> np.ndarray:
    """The card's frame has its origin amid the paper, x along its words, y up the page and z out of it."""
    return pose((0.0, 0.0, PAPER_MM), shot.card_yaw_rad)


def card_part(shot: CardShot) -> Part:
    """The printed paper."""
    page = kit_card(shot.paper).page
    width, height = page.width_mm, page.height_mm
    picture = raster(page, PX_PER_MM)
    # The picture's last pixels may reach beyond the paper.
    shown = quad(picture.shape[1] / PX_PER_MM, picture.shape[0] / PX_PER_MM)
    aside = pose(((picture.shape[1] / PX_PER_MM - width) / 2, (height - picture.shape[0] / PX_PER_MM) / 2, 0.0), 0.0)
    return Part(shown.transformed(table_from_card(shot) @ aside), printed(picture))


def piece_parts(shot: CardShot, rng: np.random.Generator) -> dict[str, list[Part]]:
    """What lies on each place."""
    parts = {one.id: fallen_parts(one, one.owner, shot.kit, shot.look, rng) for one in _fallen(shot)}
    return {place: _on_paper(found) for place, found in parts.items()}


def _on_paper(parts: list[Part]) -> list[Part]:
    """A stick that sags would reach into the paper."""
    low = min(float(part.mesh.vertices[:, 2].min()) for part in parts)
    return [part.moved(pose((0.0, 0.0, PAPER_MM - low), 0.0)) for part in parts]


def _fallen(shot: CardShot) -> list[Fallen]:
    page = kit_card(shot.paper).page
    half = {"disc": shot.kit.disc_height_mm / 2, "stick": shot.kit.road_thickness_mm / 2, "car": 0.0}
    half["junction"] = half["disc"]
    found = []
    for lying in shot.lying:
        x, y = lying.x_mm - page.width_mm / 2, page.height_mm / 2 - lying.y_mm
        on_card = pose((x, y, half[lying.kind]), lying.yaw_rad)
        table_from_piece = table_from_card(shot) @ on_card
        found.append(Fallen(lying.place, lying.kind, table_from_piece, None, lying.type, lying.owner))
    return found


def true_kit(shot: CardShot, pieces: dict[str, list[Part]]) -> Kit:
    """The kit with the size of the very stick that lies there, and the paints as hex codes of their own colour."""
    stick = next(one for one in _fallen(shot) if one.kind == "stick")
    back = np.linalg.inv(stick.pose)
    points = np.concatenate([part.mesh.vertices for part in pieces[stick.id]])
    width = float(np.ptp((points @ back[:3, :3].T + back[:3, 3])[:, 1]))
    colours = {"disc": shot.look.disc, "junction": shot.look.junction, "road": shot.look.road, **shot.look.players}
    codes = {name: _code(np.array(colour)) for name, colour in colours.items()}
    return msgspec.structs.replace(shot.kit, road_width_mm=round(width, 3), colours=codes)


def _code(linear: np.ndarray) -> str:
    srgb = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return "#" + "".join(f"{round(255 * float(v)):02x}" for v in np.clip(srgb, 0, 1))
