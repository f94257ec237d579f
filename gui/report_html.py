"""The game as one HTML file that needs nothing else: per turn both views, the plan, the ruling and the score."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

import cv2

from calibration.camera import Rig
from gui.look_palette import SIGNS, player_colour
from gui.overlay_svg import outlines
from gui.plan_svg import plan_svg
from gui.report_style import STYLE
from gui.session import Head
from gui.shown_turn import ShownTurn, bounds_mm
from gui.svg_signs import SIGN_HEIGHT, document, mark, sign, sign_width
from gui.terminal import Paint, ruling_lines
from vision.view import Picture

VIEW_WIDTH = 960
JPEG_QUALITY = 80
PLAIN = Paint(colour=False, shapes=False)


class Report:
    """Collects turns one by one, so that only one pair of pictures is in memory."""

    def __init__(self, head: Head, turns: Sequence[ShownTurn], title: str) -> None:
        self._head = head
        self._title = title
        self._bounds = bounds_mm(turns)
        self._turns = turns
        self._sections: list[str] = []

    def add(self, turn: ShownTurn, pictures: Mapping[str, Picture]) -> None:
        """One turn with what the cameras showed of it, if they did."""
        views = "".join(
            f"<figure>{_view(turn, camera, picture, self._head.rig)}<figcaption>{camera}</figcaption></figure>"
            for camera, picture in pictures.items()
        )
        plan = f"<figure class=plan>{plan_svg(turn, self._bounds, framed=False)}<figcaption>plan</figcaption></figure>"
        who = f"{_mark(turn, turn.ruling.player)} {escape(turn.ruling.player)}" if turn.ruling.player else ""
        self._sections.append(
            f'<section id="t{turn.ruling.turn}"><h2>{escape(turn.title)} {who}{_sign(turn.ruling.verdict)}</h2>'
            f"{_reasons(turn)}<div class=views><div>{views}</div><div>{plan}{_score(turn)}</div></div></section>"
        )

    def html(self) -> str:
        """The whole page."""
        last = self._turns[-1].ruling.state
        result = "not finished"
        if last.over:
            result = f"{last.winner} wins" if last.winner else f"{' and '.join(last.winners) or 'nobody'} share the win"
        mission = ", mission mode" if self._head.mission else ""
        marks = "".join(
            f'<a href="#t{t.ruling.turn}" class="{t.ruling.verdict}" title="{escape(t.ruling.player or "set-up")}: '
            f'{SIGNS[t.ruling.verdict].word.lower()}">{t.ruling.turn}</a>'
            for t in self._turns
        )
        return (
            f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>{escape(self._title)}</title>"
            f'<meta name=viewport content="width=device-width,initial-scale=1"><style>{STYLE}</style>'
            f"<header><h1>{escape(self._title)}</h1><p>{escape(self._head.edition)}{mission} · "
            f"{escape(', '.join(self._head.players))} · {len(self._turns) - 1} turns · <b>{escape(result)}</b></p>"
            f"<nav>{marks}</nav></header><main>{''.join(self._sections)}</main>"
            f"<footer>Highway Referee {escape(self._head.app)}</footer></html>"
        )


def _view(turn: ShownTurn, camera: str, picture: Picture, rig: Rig | None) -> str:
    """A picture with the outlines of what changed over it."""
    height, width = picture.shape[:2]
    shown_height = round(height * VIEW_WIDTH / width)
    small = cv2.resize(picture, (VIEW_WIDTH, shown_height), interpolation=cv2.INTER_AREA)
    jpeg = base64.b64encode(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1].tobytes()).decode()
    lines = outlines(turn, rig.cameras[camera]) if rig is not None and camera in rig.cameras else []
    label = f"{turn.title}, {camera} camera"
    return (
        f'<img src="data:image/jpeg;base64,{jpeg}" width={VIEW_WIDTH} height={shown_height} alt="{escape(label)}">'
        + document(width, height, lines, f"{label}, what changed")
    )


def _mark(turn: ShownTurn, player: str) -> str:
    return document(26, 26, [mark(player, turn.players, 13, 13, 10)], player)


def _sign(verdict: str) -> str:
    return document(sign_width(verdict), SIGN_HEIGHT, [sign(verdict, 0, 0)], SIGNS[verdict].word.lower())


def _reasons(turn: ShownTurn) -> str:
    first, *rest = ruling_lines(turn.ruling, turn.before, turn.layout, turn.players, PLAIN)
    built = first.rsplit("  ", 1)[-1]
    return f"<p>{escape(built)}</p><ul>{''.join(f'<li>{escape(line.strip())}</li>' for line in rest)}</ul>"


def _score(turn: ShownTurn) -> str:
    has_points = any(has.points is not None for has in turn.ruling.state.players.values())
    heads = ["player", "cars left", "grey", "yellow", "roads", *(["points"] if has_points else [])]
    rows = []
    for player, has in turn.ruling.state.players.items():
        cells = [has.cars, has.grey, has.yellow, has.roads, *([has.points] if has_points else [])]
        colour = player_colour(player, turn.players)
        name = f'<th style="color:{colour}">{_mark(turn, player)} {escape(player)}</th>'
        rows.append(f"<tr>{name}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table><tr>{''.join(f'<th>{name}</th>' for name in heads)}</tr>{''.join(rows)}</table>"
