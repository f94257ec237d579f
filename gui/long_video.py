"""Two minutes of 1080p video made from a short take, to time calibration on: forth and back, with fresh noise."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.frames import pictures
from calibration.take import Take

SIZE = (1920, 1080)
FPS = 30
SECONDS = 120
EACH_SHOWN = 6
"""Frames in a row that show the same moment: a take has 5 a second."""
NOISE = 2.0


@contextmanager
def two_minutes(take: Take) -> Iterator[Take]:
    """A take of the same views at that size and length, while it lasts."""
    with tempfile.TemporaryDirectory(prefix="highway-") as folder:
        longer = {name: (_lengthened(files, Path(folder) / f"{name}.mp4"),) for name, files in take.lens.items()}
        tables = {
            name: tuple(_enlarged(file, Path(folder) / f"{name}_{file.name}") for file in files)
            for name, files in take.table.items()
        }
        yield Take(longer, tables)


def _lengthened(files: Sequence[Path], out: Path) -> Path:
    moments = [_scaled(frame.picture) for file in files for frame in pictures(file)]
    order = [*range(len(moments)), *range(len(moments) - 2, 0, -1)]
    rng = np.random.default_rng(1)
    level = round(4 * NOISE)  # grain is kept above zero, where OpenCV adds bytes quickly
    grain = np.clip(rng.normal(level, NOISE, (2 * SIZE[1], 2 * SIZE[0])), 0, 255).astype(np.uint8)
    grain = np.repeat(grain[..., None], 3, axis=2)
    with av.open(str(out), "w") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"crf": "23", "preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number in range(FPS * SECONDS):
            picture = moments[order[number // EACH_SHOWN % len(order)]]
            x, y = rng.integers(SIZE[0]), rng.integers(SIZE[1])
            noisy = cv2.subtract(cv2.add(picture, grain[y : y + SIZE[1], x : x + SIZE[0]]), np.full(3, float(level)))
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.asarray(noisy, dtype=np.uint8), format="bgr24")))
        container.mux(stream.encode())
    return out


def _enlarged(file: Path, out: Path) -> Path:
    cv2.imwrite(str(out), _scaled(next(iter(pictures(file))).picture))
    return out


def _scaled(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(picture, SIZE, interpolation=cv2.INTER_CUBIC), dtype=np.uint8)
