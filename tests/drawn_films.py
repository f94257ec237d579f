"""Short videos of a drawn table: a still table, a hand that passes over it, and the table after a turn."""

from __future__ import annotations

from pathlib import Path

import av
import cv2
import numpy as np

from referee.layout import Layout
from tests.vision_drawing import drawn
from vision.view import Picture

FPS = 10
STILL_FRAMES = 14
HAND_FRAMES = 8
SKIN = (120, 160, 215)


def write_film(folder: Path, layouts: list[Layout], last: int | None = None) -> Path:
    """overhead.mp4 and side.mp4 of these layouts, one after the other; `last` cuts the film after so many frames."""
    folder.mkdir(parents=True, exist_ok=True)
    shown = [drawn(layout, seed=number) for number, layout in enumerate(layouts)]
    for camera in ("overhead", "side"):
        frames = _frames([pair[camera] for pair in shown])[:last]
        with av.open(str(folder / f"{camera}.mp4"), "w") as container:
            stream = container.add_stream("libx264", rate=FPS, options={"crf": "12", "preset": "ultrafast"})
            stream.height, stream.width = frames[0].shape[:2]
            stream.pix_fmt = "yuv420p"
            for picture in frames:
                container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
            container.mux(stream.encode(None))
    return folder


def _frames(tables: list[Picture]) -> list[Picture]:
    frames: list[Picture] = []
    for number, table in enumerate(tables):
        if number:
            frames += [_with_hand(tables[number - 1], step / HAND_FRAMES) for step in range(HAND_FRAMES)]
        frames += [table] * STILL_FRAMES
    return frames


def _with_hand(table: Picture, share: float) -> Picture:
    """An arm that sweeps through the picture."""
    height, width = table.shape[:2]
    arm = table.copy()
    tip = (round(width * (0.15 + 0.7 * share)), round(height * 0.55))
    cv2.line(arm, (round(width * 0.5), height), tip, SKIN, height // 6, cv2.LINE_AA)
    return np.asarray(arm, np.uint8)
