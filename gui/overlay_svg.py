"""What a turn changed, drawn over a camera's picture as SVG, and the ruling as a sign above it."""

from __future__ import annotations

from calibration.camera import Camera
from gui.look_palette import SIGNS, SURFACES
from gui.outlines import silhouettes
from gui.shown_turn import ShownTurn
from gui.svg_signs import SIGN_HEIGHT, document, mark, polygon, sign, text

MARGIN = 16
LINE = 26


def outlines(turn: ShownTurn, camera: Camera) -> list[str]:
    """The outlines as SVG, in the camera's pixels."""
    width = max(2.0, camera.width / 480)
    parts, wanted = [], turn.fresh | turn.faults | turn.doubts
    for name, outline in silhouettes(turn.layout, camera, turn.kit).items():
        if name not in wanted:
            continue
        colour, dash = SURFACES["accent"].dark, "none"
        if name in turn.faults:
            colour = SIGNS["illegal"].ground
        elif name in turn.doubts:
            colour, dash = SIGNS["too_close"].ground, f"{4 * width:g} {2 * width:g}"
        style = {"fill": "none", "stroke_linejoin": "round"}
        parts.append(polygon(outline, stroke="#15171a", stroke_width=2.2 * width, **style))
        parts.append(polygon(outline, name, stroke=colour, stroke_width=width, stroke_dasharray=dash, **style))
    return parts


def overlay_svg(turn: ShownTurn, camera: Camera, ruled: bool) -> str:
    """All that lies over a picture: whose turn it is, and once it is ruled, what changed and the ruling."""
    parts = outlines(turn, camera) if ruled else []
    reasons = [violation.text for violation in turn.ruling.violations][:3] if ruled else []
    height = SIGN_HEIGHT + 2 * MARGIN + LINE * len(reasons)
    ground, ink = SURFACES["window"].dark, SURFACES["text"].dark
    parts.append(f'<rect width="{camera.width}" height="{height}" fill="{ground}" fill-opacity="0.82"/>')
    parts.append(text(MARGIN, MARGIN + 30, turn.title, 28, ink, weight=700))
    if turn.ruling.player:
        at = MARGIN + 32 + 16.5 * len(turn.title)
        parts.append(mark(turn.ruling.player, turn.players, at, MARGIN + 20, 12))
        parts.append(text(at + 24, MARGIN + 30, turn.ruling.player, 28, ink, weight=600))
    if ruled:
        parts.append(sign(turn.ruling.verdict, camera.width - MARGIN, MARGIN, align_right=True))
    for number, reason in enumerate(reasons):
        parts.append(text(MARGIN, SIGN_HEIGHT + MARGIN + 22 + LINE * number, reason, 18, ink))
    return document(camera.width, camera.height, parts, f"{turn.title}, overlay")
