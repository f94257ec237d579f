"""Our lenses against those another program found from the same videos, on views that ours were not solved from."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from calibration.board import BoardSpec
from calibration.camera import Row
from calibration.errors import CalibrationError
from calibration.frames import pictures
from calibration.lens import PARAMETERS, Lens
from calibration.lens_fit import fit_lens, held_out_error, hold_back, views_in


class Compared(NamedTuple):
    """One camera: RMS px of both lenses in the same held-out views, each with its own best poses."""

    name: str
    views: int
    ours_px: float
    theirs_px: float
    ours: Lens


class _Board(msgspec.Struct):
    """Caliscope's charuco.toml."""

    columns: int
    rows: int
    dictionary: str
    aruco_scale: float
    square_size_override_cm: float
    inverted: bool = False


class _Camera(msgspec.Struct):
    size: tuple[int, int]
    matrix: tuple[Row, Row, Row]
    distortions: tuple[float, float, float, float, float]


class _Array(msgspec.Struct):
    """Caliscope's camera_array.toml."""

    cameras: dict[str, _Camera]


T = TypeVar("T")


def compare_with_caliscope(folder: Path) -> list[Compared]:
    """Every camera of a folder as Caliscope leaves it: charuco.toml, camera_array.toml, cam_*.mp4."""
    board, array = _read(folder / "charuco.toml", _Board), _read(folder / "camera_array.toml", _Array)
    square_mm = 10.0 * board.square_size_override_cm
    marker_mm = square_mm * board.aruco_scale
    spec = BoardSpec(board.columns, board.rows, square_mm, marker_mm, board.dictionary, board.inverted)
    return [_compared(folder / f"cam_{name}.mp4", theirs, spec) for name, theirs in array.cameras.items()]


def _compared(video: Path, theirs: _Camera, spec: BoardSpec) -> Compared:
    views = views_in(pictures(video), spec, video.name)
    ours = fit_lens(views, spec)
    _, held = hold_back(views, spec)
    unknown = ((0.0,) * len(PARAMETERS),) * len(PARAMETERS)
    lens = Lens(*theirs.size, theirs.matrix, theirs.distortions, unknown, 0.0, 0.0, 0)
    return Compared(video.stem, len(held), held_out_error(ours, held, spec), held_out_error(lens, held, spec), ours)


def _read(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except OSError:
        raise CalibrationError(f"{file.parent}: holds no {file.name}; name a folder of Caliscope's") from None
    except msgspec.DecodeError as error:
        raise CalibrationError(f"{file}: {error}; name a folder of Caliscope's") from None
