"""Colours: readable on both themes, and apart for eyes that see two of three colours."""

from __future__ import annotations

import itertools
import math

import pytest

from gui.look_palette import PLAYERS, SHAPES, SIGNS, SURFACES, contrast, linear, player_colour, player_shape

GAME_COLOURS = ("purple", "green", "orange", "blue", "pink")
# Machado, Oliveira and Fernandes (2009), severity 1.0.
EYES = {
    "all three": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no red": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no green": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no blue": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def lab(colour: str, eyes: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    rgb = [linear(int(colour[i : i + 2], 16) / 255) for i in (1, 3, 5)]
    r, g, b = (min(max(sum(m * c for m, c in zip(row, rgb, strict=True)), 0.0), 1.0) for row in eyes)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (math.cbrt(t) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


@pytest.mark.parametrize("dark", [True, False])
def test_text_and_players_stand_out_from_every_surface(dark: bool) -> None:
    for ground in ("window", "panel", "raised"):
        surface = SURFACES[ground].on(dark)
        assert contrast(SURFACES["text"].on(dark), surface) >= 7
        assert contrast(SURFACES["dim"].on(dark), surface) >= 4.5
        for name in GAME_COLOURS:
            assert contrast(PLAYERS[name].on(dark), surface) >= 3, (name, ground)


def test_words_on_signs_can_be_read() -> None:
    assert all(contrast(sign.ink, sign.ground) >= 4.5 for sign in SIGNS.values())


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("dark", [True, False])
def test_the_players_of_the_boxes_look_apart_to_every_eye(eyes: str, dark: bool) -> None:
    for one, other in itertools.combinations(GAME_COLOURS, 2):
        apart = math.dist(lab(PLAYERS[one].on(dark), EYES[eyes]), lab(PLAYERS[other].on(dark), EYES[eyes]))
        assert apart > 25, (one, other, apart)


def test_each_seat_has_a_shape_of_its_own_and_names_without_colour_get_one() -> None:
    players = ("Ada", "green", "Bo", "Cy", "Di", "Ed")
    assert [player_shape(p, players) for p in players] == list(SHAPES)
    assert len({player_colour(p, players) for p in players}) == 6
