"""Signs, shapes and words as SVG in the house's look: what plan, overlay and report draw alike."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from gui.look_palette import SIGNS, player_colour, player_shape, shape_corners

FONT = "Barlow, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"
SIGN_HEIGHT = 40


def text(x: float, y: float, words: str, size: float, fill: str, anchor: str = "start", weight: int = 400) -> str:
    """Words with their base line at y."""
    style = f'font-family="{FONT}" font-size="{size:g}" font-weight="{weight}" fill="{fill}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(_printable(words))}</text>'


def polygon(points: Iterable[Sequence[float]], title: str = "", **style: object) -> str:
    """A closed outline; its title is what a browser shows under the pointer."""
    places = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
    look = " ".join(f"{key.replace('_', '-')}={quoteattr(str(value))}" for key, value in style.items())
    inner = f"<title>{escape(_printable(title))}</title>" if title else ""
    return f'<polygon points="{places}" {look}>{inner}</polygon>'


def mark(player: str, players: Sequence[str], x: float, y: float, radius: float, dark: bool = True) -> str:
    """A player's shape in their colour."""
    colour = player_colour(player, players, dark)
    corners = shape_corners(player_shape(player, players))
    if not corners:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}"/>'
    return polygon([(x + radius * dx, y + radius * dy) for dx, dy in corners], fill=colour)


def sign(verdict: str, x: float, y: float, align_right: bool = False) -> str:
    """A verdict as a road sign: ground, icon and word."""
    look = SIGNS[verdict]
    width = sign_width(verdict)
    left = x - width if align_right else x
    icon = {
        "legal": "M-7 0 L-2 6 L8 -7",
        "illegal": "M-6 -6 L6 6 M6 -6 L-6 6",
        "too_close": "M-8 -3 L8 -3 M-8 3 L8 3",
    }.get(verdict, "")
    return (
        f'<g transform="translate({left:.1f} {y:.1f})">'
        f'<rect width="{width}" height="{SIGN_HEIGHT}" rx="8" fill="{look.ground}"/>'
        f'<path d="{icon}" transform="translate(24 20)" fill="none" stroke="{look.ink}" stroke-width="4" '
        'stroke-linecap="round" stroke-linejoin="round"/>' + text(44, 27, look.word, 20, look.ink, weight=700) + "</g>"
    )


def sign_width(verdict: str) -> int:
    """How wide a sign is, in px."""
    return 60 + 13 * len(SIGNS[verdict].word)


def document(width: float, height: float, parts: Iterable[str], label: str) -> str:
    """A whole SVG."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" aria-label={quoteattr(_printable(label))}>' + "".join(parts) + "</svg>"
    )


def _printable(words: str) -> str:
    """XML knows no control characters, not even escaped."""
    return "".join(c if c.isprintable() else " " for c in words)
