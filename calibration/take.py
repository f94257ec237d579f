"""From files of the printed sheets to a rig: lenses from the moved board, then both cameras from the table's tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.both_lenses import lenses_from
from calibration.charuco import grey_of
from calibration.errors import CalibrationError
from calibration.frames import STILLS, pictures
from calibration.lens import Lens
from calibration.lens_fit import SAMPLED_S, Progress, part
from calibration.no_board import blurred_words
from calibration.rig_checks import LEAST_TAGS, NAMES
from calibration.rig_quality import SolvedRig
from calibration.rig_solve import solve_rig
from calibration.tags import TagSeen, find_tags, mean_tags
from calibration.together import boards_together

Grey = NDArray[np.uint8]

TABLE_EVERY_S = 0.5
TOGETHER_S = 0.1
"""Between looks at a board that both cameras see, as its way between two looks has to be guessed."""
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
    check_files(take, lenses)
    wanted = [name for name in NAMES if name not in lenses or (take.together and take.lens.get(name))]
    spec_mm = scaled(spec, print_scale)
    files = {name: take.lens[name] for name in wanted}
    every_s = TOGETHER_S if take.together else SAMPLED_S
    found = lenses_from(files, spec_mm, part(progress, 0.0, LENS_SHARE), every_s)
    lenses = {name: one.lens for name, one in found.items()} | lenses
    tags = {name: table_tags(take.table[name], lenses[name], name) for name in NAMES if take.table.get(name)}
    views = {name: one.views for name, one in found.items()}
    boards = boards_together(views, lenses, spec_mm).pairs if take.together else ()
    rig = solve_rig(tags, lenses, print_scale, boards, spec_mm)
    if progress is not None:
        progress(1.0, "solved")
    return rig, lenses


def check_files(take: Take, known: Mapping[str, Lens]) -> None:
    """Refuse before any work what can never become a rig: a camera that is missing, files unread or of other sizes."""
    for name in NAMES:
        files = [*take.lens.get(name, ()), *take.table.get(name, ())]
        if not files:
            raise CalibrationError(f"there is nothing of the {name} camera: a rig takes both; see highway calibrate -h")
        sizes = {file: next(iter(pictures(file))).picture.shape[1::-1] for file in files}
        if name not in known and not take.lens.get(name):
            raise CalibrationError(
                f"the {name} camera's lens is not known: show it the lens board, or name a lens that is kept"
            )
        if not take.table.get(name) and (take.table or not take.together):
            raise CalibrationError(
                f"there is no picture of the table from the {name} camera: take one, with the strips laid out"
            )
        if name in known:
            sizes = {Path("its lens"): (known[name].width, known[name].height)} | sizes
        (first, (width, height)), *others = sizes.items()
        for file, (w, h) in others:
            if (w, h) != (width, height):
                raise CalibrationError(
                    f"{file.name} has {w} x {h} pixels, {first.name} {width} x {height}: "
                    f"take everything of the {name} camera at one size"
                )


def scaled(spec: BoardSpec, print_scale: float) -> BoardSpec:
    """The board as it came out of the printer."""
    if print_scale == 1.0:
        return spec
    sides = spec.square_mm * print_scale, spec.marker_mm * print_scale
    return BoardSpec(spec.columns, spec.rows, *sides, spec.dictionary, spec.inverted, spec.legacy)


def table_tags(files: Sequence[Path], lens: Lens, name: str) -> dict[int, TagSeen]:
    """Tags of a still table, averaged over what the files show of it."""
    looks: list[Mapping[int, TagSeen]] = []
    for grey, called in islice(_still_pictures(files), MOST_TABLE):
        looks.append(find_tags(grey, lens, f"the {name} picture {called}"))
    found = mean_tags(looks)
    if len(found) < LEAST_TAGS:
        blurred = blurred_words([grey for grey, _ in islice(_still_pictures(files), 1)])
        if blurred:
            raise CalibrationError(f"{files[0].name}: {blurred}, and take them again")
    return found


def _still_pictures(files: Sequence[Path]) -> Iterator[tuple[Grey, str]]:
    for file in files:
        every_s = 0.0 if file.suffix.lower() in STILLS else TABLE_EVERY_S
        for frame in pictures(file, every_s):
            yield grey_of(frame.picture), frame.name
