"""From files of the printed sheets to a rig: lenses from the moved board, then both cameras from the table's tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.both_lenses import lenses_from
from calibration.errors import CalibrationError
from calibration.frames import STILLS, pictures
from calibration.lens import Lens
from calibration.lens_fit import Progress, part
from calibration.rig_quality import SolvedRig
from calibration.rig_solve import NAMES, solve_rig
from calibration.tags import TagSeen, find_tags, mean_tags
from calibration.together import boards_together

Grey = NDArray[np.uint8]

TABLE_EVERY_S = 0.5
MOST_TABLE = 12
"""Pictures of the still table that are averaged: more do not help."""
LENS_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class Take:
    """Files by camera: of the moved lens board, and of the still table with its strips."""

    lens: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    table: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    together: bool = False
    """The two lens videos run together, so that the board also ties the cameras to each other."""


def take_in(folder: Path, together: bool = False) -> Take:
    """The files of a folder by their names: overhead_lens.mp4, side_table.jpg and so on, several or folders too."""
    if not folder.is_dir():
        raise CalibrationError(f"{folder}: is no folder; name one with overhead_lens.*, side_lens.*, *_table.*")

    def named(stem: str) -> dict[str, tuple[Path, ...]]:
        found = {name: tuple(sorted(folder.glob(f"{name}_{stem}*"))) for name in NAMES}
        return {name: files for name, files in found.items() if files}

    take = Take(named("lens"), named("table"), together)
    if not take.lens and not take.table:
        raise CalibrationError(
            f"{folder}: holds no overhead_lens.*, side_lens.*, overhead_table.* or side_table.*; "
            "rename the files so, or name them one by one"
        )
    return take


def solve_take(
    take: Take,
    spec: BoardSpec,
    known: Mapping[str, Lens] | None = None,
    print_scale: float = 1.0,
    progress: Progress | None = None,
) -> tuple[SolvedRig, dict[str, Lens]]:
    """The rig and the lenses it was solved with; lenses that are known already need no pictures."""
    lenses = dict(known or {})
    wanted = [name for name in NAMES if name not in lenses or (take.together and take.lens.get(name))]
    for name in wanted:
        if not take.lens.get(name):
            raise CalibrationError(
                f"the {name} camera's lens is not known: show it the lens board, or name a lens that is kept"
            )
    spec_mm = scaled(spec, print_scale)
    found = lenses_from({name: take.lens[name] for name in wanted}, spec_mm, part(progress, 0.0, LENS_SHARE))
    lenses = {name: one.lens for name, one in found.items()} | lenses
    tags = {name: table_tags(take.table[name], lenses[name], name) for name in NAMES if take.table.get(name)}
    views = {name: one.views for name, one in found.items()}
    boards = boards_together(views, lenses, spec_mm).pairs if take.together else ()
    if not tags and not boards:
        raise CalibrationError(
            "there are no pictures of the table: take one with each camera, with the strips taped to its edge"
        )
    rig = solve_rig(tags, lenses, print_scale, boards, spec_mm)
    if progress is not None:
        progress(1.0, "solved")
    return rig, lenses


def scaled(spec: BoardSpec, print_scale: float) -> BoardSpec:
    """The board as it came out of the printer."""
    if print_scale == 1.0:
        return spec
    sides = spec.square_mm * print_scale, spec.marker_mm * print_scale
    return BoardSpec(spec.columns, spec.rows, *sides, spec.dictionary, spec.inverted, spec.legacy)


def table_tags(files: Sequence[Path], lens: Lens, name: str) -> dict[int, TagSeen]:
    """Tags of a still table, averaged over what the files show of it."""
    looks: list[Mapping[int, TagSeen]] = []
    for file in files:
        every_s = 0.0 if file.suffix.lower() in STILLS else TABLE_EVERY_S
        for frame in pictures(file, every_s):
            grey = np.asarray(cv2.cvtColor(frame.picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
            looks.append(find_tags(grey, lens, f"the {name} picture {frame.name}"))
            if len(looks) == MOST_TABLE:
                return mean_tags(looks)
    return mean_tags(looks)
