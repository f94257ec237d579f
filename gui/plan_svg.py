"""A turn seen from straight above, drawn as SVG: roads by height, columns with their discs counted, cars by owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from gui.look_palette import AREAS, SIGNS, SURFACES, player_colour
from gui.shown_turn import ShownTurn
from gui.svg_signs import document, mark, polygon, sign, text
from referee.layout import Car, Column, Road
from vision.solids import solid_of
from vision.view import Floats

WIDTH = 1200
HEAD = 72
FOOT = 64
Bounds = tuple[float, float, float, float]
ToPixels = Callable[[Iterable[tuple[float, float]] | Floats], Floats]


def plan_svg(turn: ShownTurn, bounds: Bounds, dark: bool = True, framed: bool = True) -> str:
    """The plan; framed, it has a heading with the ruling, and the score below."""
    left, bottom, right, top = bounds
    scale = WIDTH / (right - left)
    height = scale * (top - bottom)
    head, foot = (HEAD, FOOT) if framed else (0, 0)

    def pixels(points: Iterable[tuple[float, float]] | Floats) -> Floats:
        at = np.array([(x, y) for x, y in points], float)
        return (at - (left, top)) * (scale, -scale) + (0.0, head)

    ground = SURFACES["window"].on(dark)
    parts = [f'<rect width="{WIDTH}" height="{head + height + foot:.0f}" fill="{ground}"/>']
    parts += [*_city(turn, pixels, dark), *_pieces(turn, pixels, scale, dark)]
    if framed:
        parts += [*_head(turn, dark), *_foot(turn, head + height, scale, dark)]
    return document(WIDTH, round(head + height + foot), parts, f"{turn.title}, plan")


def _city(turn: ShownTurn, pixels: ToPixels, dark: bool) -> list[str]:
    line = SURFACES["line"].on(dark)
    areas = [
        polygon(pixels(area.outline), f"{area.kind} {area.id}", fill=AREAS[area.kind], fill_opacity=0.35)
        for area in turn.layout.areas
    ]
    raised = SURFACES["raised"].on(dark)
    buildings = [
        polygon(pixels(one.outline), f"{one.kind} {one.id}, {one.height_mm:.0f} mm", fill=raised, stroke=line)
        for one in turn.layout.buildings
    ]
    return [*areas, *buildings]


def _pieces(turn: ShownTurn, pixels: ToPixels, scale: float, dark: bool) -> list[str]:
    """Whatever lies lower first."""
    drawn = []
    for piece in sorted(turn.layout.pieces(), key=_height_mm):
        outline = pixels(solid_of(piece, turn.kit).ring(1.0)[:, :2])
        match piece:
            case Column():
                drawn.append(_column(turn, piece, outline, dark))
            case Road():
                drawn.append(_road(turn, piece, outline, dark))
            case Car():
                drawn.append(_car(turn, piece, outline, scale, dark))
    # Heights go on top: roads lie over the discs.
    return drawn + [_height(turn, column, pixels, scale, dark) for column in turn.layout.columns]


def _height_mm(piece: Column | Road | Car) -> float:
    match piece:
        case Column():
            return 10.0 * piece.height - 5.0  # by discs: only the order matters
        case Road():
            return (piece.a[2] + piece.b[2]) / 2
        case Car():
            return piece.z + 1000.0


def _edge(turn: ShownTurn, name: str, quiet: str, dark: bool) -> dict[str, object]:
    """What changed is the loudest, a fault louder still; a doubt is dashed."""
    if name in turn.faults:
        return {"stroke": SIGNS["illegal"].ground, "stroke_width": 5}
    if name in turn.doubts:
        return {"stroke": SIGNS["too_close"].ground, "stroke_width": 4, "stroke_dasharray": "10 6"}
    if name in turn.fresh:
        return {"stroke": SURFACES["accent"].on(dark), "stroke_width": 4}
    return {"stroke": quiet, "stroke_width": 1.5}


def _owner(turn: ShownTurn, owner: str | None, dark: bool) -> str:
    return player_colour(owner, turn.players, dark) if owner else SURFACES["dim"].on(dark)


def _column(turn: ShownTurn, column: Column, outline: Floats, dark: bool) -> str:
    disc = SURFACES["yellow_disc" if column.junction else "grey_disc"].on(dark)
    title = f"column {column.id}, {column.height} high{', junction' if column.junction else ''}, {column.owner or '?'}"
    edge = _edge(turn, column.id, _owner(turn, column.owner, dark), dark)
    return polygon(outline, title, fill=disc, **edge)


def _height(turn: ShownTurn, column: Column, pixels: ToPixels, scale: float, dark: bool) -> str:
    """The height on the owner's shape, as on the dashboard's plan."""
    x, y = pixels([(column.x, column.y)])[0]
    badge = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5.4 * scale:.1f}" fill="{SURFACES["dim"].on(dark)}"/>'
    if column.owner is not None:
        badge = mark(column.owner, turn.players, x, y, 5.4 * scale, dark)
    ink = SURFACES["window"].on(dark)
    return badge + text(x, y + 1.8 * scale, str(column.height), 5.0 * scale, ink, "middle", 700)


def _road(turn: ShownTurn, road: Road, outline: Floats, dark: bool) -> str:
    ends = " to ".join(end or "the table" for end in (road.from_, road.to))
    title = f"{road.kind} {road.id} from {ends}, {road.owner or '?'}"
    body = polygon(outline, title, fill=SURFACES["wood"].on(dark), **_edge(turn, road.id, "#15171a", dark))
    # A lane line in the owner's colour: sticks all look alike.
    middle, reach = outline.mean(axis=0), outline - outline.mean(axis=0)
    far = reach[np.argmax(np.hypot(*reach.T))]
    along = far / np.hypot(*far) * np.hypot(*far) * 0.82
    (x1, y1), (x2, y2) = middle - along, middle + along
    colour = _owner(turn, road.owner, dark)
    line = f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'{body}{line} stroke="{colour}" stroke-width="5" stroke-dasharray="16 8"/>'


def _car(turn: ShownTurn, car: Car, outline: Floats, scale: float, dark: bool) -> str:
    title = f"{(car.type or 'car').replace('_', ' ')} {car.id}, {car.owner or '?'}"
    colour = _owner(turn, car.owner, dark)
    body = polygon(outline, title, fill=colour, **_edge(turn, car.id, "#15171a", dark))
    x, y = outline.mean(axis=0)
    if not car.owner:
        return body + text(x, y + 6, "?", 18, "#15171a", "middle", 700)
    # The shape in dark on the colour, so that the colour alone never says whose it is.
    return body + mark(car.owner, turn.players, x, y, 1.7 * scale, dark).replace(f'fill="{colour}"', 'fill="#15171a"')


def _head(turn: ShownTurn, dark: bool) -> list[str]:
    ink = SURFACES["text"].on(dark)
    parts = [text(24, 47, turn.title, 28, ink, weight=700)]
    if turn.ruling.player:
        at = 56 + 16.5 * len(turn.title)
        parts += [mark(turn.ruling.player, turn.players, at, 37, 12, dark)]
        parts += [text(at + 24, 47, turn.ruling.player, 28, ink, weight=600)]
    return [*parts, sign(turn.ruling.verdict, WIDTH - 16, 16, align_right=True)]


def _foot(turn: ShownTurn, top: float, scale: float, dark: bool) -> list[str]:
    ink, dim = SURFACES["text"].on(dark), SURFACES["dim"].on(dark)
    parts = []
    each = (WIDTH - 240) / max(len(turn.players), 1)
    for seat, (player, has) in enumerate(turn.ruling.state.players.items()):
        x = 28 + seat * each
        parts.append(mark(player, turn.players, x, top + 32, 10, dark))
        points = f" · {has.points} points" if has.points is not None else ""
        parts.append(text(x + 20, top + 38, f"{player}: {has.cars} cars left{points}", 18, ink))
    bar = 50 * scale
    parts.append(
        f'<path d="M{WIDTH - 24 - bar:.1f} {top + 26} v8 h{bar:.1f} v-8" fill="none" stroke="{dim}" stroke-width="2"/>'
    )
    parts.append(text(WIDTH - 24 - bar / 2, top + 56, "50 mm", 14, dim, "middle"))
    return parts
