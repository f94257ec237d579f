"""Our lenses and pair against those another program found in the same videos, on views ours were not solved from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from calibration.board import BoardSpec
from calibration.camera import Camera, Row
from calibration.charuco import BoardSeen
from calibration.errors import CalibrationError
from calibration.frames import pictures
from calibration.lens import PARAMETERS, Lens
from calibration.lens_fit import fit_lens, held_out_error, hold_back, views_in
from calibration.pair_compare import PairCompared, compare_pair
from calibration.rig_checks import NAMES


class Compared(NamedTuple):
    """One camera: RMS px of both lenses in the same held-out views, each with its own best poses."""

    name: str
    views: int
    ours_px: float
    theirs_px: float
    stated_px: float | None
    """What their program says of itself."""
    ours: Lens
    theirs: Lens


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
    rotation: tuple[Row, Row, Row] | None = None
    translation: Row | None = None
    """In metres."""
    error: float | None = None
    """What their program says of itself, px."""


class _Array(msgspec.Struct):
    """Caliscope's camera_array.toml."""

    cameras: dict[str, _Camera]


T = TypeVar("T")


def compare_with_caliscope(folder: Path) -> tuple[list[Compared], PairCompared | None]:
    """Every camera of a folder as Caliscope leaves it (two .toml files, cam_*.mp4), and two of them as a pair."""
    board, array = _read(folder / "charuco.toml", _Board), _read(folder / "camera_array.toml", _Array)
    square_mm = 10.0 * board.square_size_override_cm
    marker_mm = square_mm * board.aruco_scale
    spec = BoardSpec(board.columns, board.rows, square_mm, marker_mm, board.dictionary, board.inverted)
    files = {name: folder / f"cam_{name}.mp4" for name in array.cameras}
    views = {name: views_in(pictures(file), spec, file.name) for name, file in files.items()}
    lenses = [_compared(files[name].stem, views[name], theirs, spec) for name, theirs in array.cameras.items()]
    posed = [_posed(theirs) for theirs in array.cameras.values()]
    if len(posed) != len(NAMES):
        return lenses, None
    theirs = {name: camera for name, camera in zip(NAMES, posed, strict=True) if camera is not None}
    if len(theirs) < len(NAMES):
        return lenses, None
    seen = dict(zip(NAMES, views.values(), strict=True))
    ours = {name: one.ours for name, one in zip(NAMES, lenses, strict=True)}
    return lenses, compare_pair(seen, ours, theirs, spec)


def _compared(name: str, views: Sequence[BoardSeen], theirs: _Camera, spec: BoardSpec) -> Compared:
    ours = fit_lens(views, spec)
    _, held = hold_back(views, spec)
    unknown = ((0.0,) * len(PARAMETERS),) * len(PARAMETERS)
    lens = Lens(*theirs.size, theirs.matrix, theirs.distortions, unknown, 0.0, 0.0, 0)
    errors = held_out_error(ours, held, spec), held_out_error(lens, held, spec)
    return Compared(name, len(held), *errors, theirs.error, ours, lens)


def _posed(theirs: _Camera) -> Camera | None:
    if theirs.rotation is None or theirs.translation is None:
        return None
    x, y, z = theirs.translation
    return Camera(*theirs.size, theirs.matrix, theirs.distortions, theirs.rotation, (1000 * x, 1000 * y, 1000 * z))


def _read(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.toml.decode(file.read_bytes(), type=kind)
    except OSError:
        raise CalibrationError(f"{file.parent}: holds no {file.name}; name a folder of Caliscope's") from None
    except msgspec.DecodeError as error:
        raise CalibrationError(f"{file}: {error}; name a folder of Caliscope's") from None
