"""What is printed on the city's cards: streets and lots, lawns and paths, a runway; linear RGB."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from .looks import Colour
from .surfaces import noise

Print = NDArray[np.float32]
SIDE_PX = 192


def printed_face(kind: str, base: Colour, rng: np.random.Generator) -> Print:
    """The face of an area's card, in shades about its own colour."""
    shape = (SIDE_PX, SIDE_PX)
    tone = 1 + 0.04 * noise(rng, shape, (20.0, 20.0)) + 0.03 * noise(rng, shape, (3.0, 3.0))
    picture = np.asarray(np.array(base, dtype=np.float32) * tone[..., None], dtype=np.float32)
    match kind:
        case "airport":
            _runway(picture)
        case "green":
            _paths(picture, rng)
        case _:
            _lots(picture, rng)
    cv2.rectangle(picture, (3, 3), (SIDE_PX - 4, SIDE_PX - 4), [float(c) * 0.45 for c in base], 2, cv2.LINE_AA)
    return np.clip(picture, 0.01, 0.9)


def _runway(picture: Print) -> None:
    middle, half = SIDE_PX // 2, 20
    cv2.rectangle(picture, (middle - half, 10), (middle + half, SIDE_PX - 10), [0.10, 0.10, 0.11], -1)
    for top in range(22, SIDE_PX - 22, 22):
        cv2.rectangle(picture, (middle - 2, top), (middle + 2, top + 11), [0.75, 0.75, 0.72], -1)


def _paths(picture: Print, rng: np.random.Generator) -> None:
    for _ in range(3):
        ends = rng.integers(0, SIDE_PX, (2, 2))
        cv2.line(picture, ends[0].tolist(), ends[1].tolist(), [0.42, 0.34, 0.22], 5, cv2.LINE_AA)
    for _ in range(14):
        x, y = (int(v) for v in rng.integers(10, SIDE_PX - 10, 2))
        cv2.circle(picture, (x, y), int(rng.integers(4, 9)), [0.05, 0.18, 0.04], -1, cv2.LINE_AA)


def _lots(picture: Print, rng: np.random.Generator) -> None:
    step = SIDE_PX // 4
    for x in range(0, SIDE_PX, step):
        for y in range(0, SIDE_PX, step):
            shade = float(rng.uniform(0.7, 1.2))
            picture[y + 4 : y + step - 4, x + 4 : x + step - 4] *= shade
    for at in range(step, SIDE_PX, step):
        cv2.line(picture, (at, 0), (at, SIDE_PX), [0.62, 0.62, 0.60], 3)
        cv2.line(picture, (0, at), (SIDE_PX, at), [0.62, 0.62, 0.60], 3)
