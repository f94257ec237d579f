"""Folders of frames with truth, as the studio and other renderers make them, for the benchmark alone."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from calibration.camera import Rig
from gui.stills import read_picture, read_struct, settled_stills
from referee.layout import Layout
from referee.pieces import Kit
from vision.errors import VisionError
from vision.view import Picture

STILLS = Path(__file__).resolve().parent.parent / "sample_frames" / "stills"
TRUTH = "truth.json"


class _Label(msgspec.Struct, frozen=True):
    kind: str = "turn"


class _Move(msgspec.Struct, frozen=True):
    player: str | None = None


class _Truth(msgspec.Struct, frozen=True):
    players: tuple[str, ...]
    layouts: tuple[Layout, ...]
    first: str | None = None
    log: tuple[_Move | None, ...] = ()
    label: _Label = _Label()


@dataclass(frozen=True, eq=False)
class Table:
    """One table's settled pairs in order, and what is true of each."""

    name: str
    rig: Rig
    kit: Kit
    players: tuple[str, ...]
    files: dict[int, dict[str, Path]]
    layouts: dict[int, Layout]
    movers: dict[int, str]
    kind: str
    """What happened before the last pair."""

    def pair(self, turn: int) -> dict[str, Picture]:
        return {camera: read_picture(file) for camera, file in self.files[turn].items()}

    def steps(self) -> list[tuple[int, int]]:
        """Turns before and after each change."""
        turns = list(self.files)
        return list(itertools.pairwise(turns))

    def kind_of(self, turn: int) -> str:
        return self.kind if turn == max(self.files) else "turn"


def tables_in(folder: Path) -> Iterator[Table]:
    """The table in a folder, or those in its folders."""
    folders = [folder] if (folder / TRUTH).is_file() else sorted(file.parent for file in folder.glob(f"*/{TRUTH}"))
    if not folders:
        raise VisionError(f"{folder}: holds no {TRUTH}, nor does any folder in it; name frames with truth")
    for one in folders:
        yield _table(one)


def _table(folder: Path) -> Table:
    truth = read_struct(folder / TRUTH, _Truth)
    files = settled_stills(folder)
    if not files:
        raise VisionError(f"{folder}: holds no settled stills; they are called turn_00_overhead.jpg and so on")
    if max(files) >= len(truth.layouts):
        raise VisionError(f"{folder / TRUTH}: has no layout {max(files)}, which the picture of that turn shows")
    kit_file = folder / "kit.json"
    return Table(
        folder.name,
        read_struct(folder / "rig.json", Rig),
        read_struct(kit_file, Kit) if kit_file.is_file() else Kit(),
        truth.players,
        files,
        {turn: truth.layouts[turn] for turn in files},
        {turn: _mover(truth, turn) for turn in files},
        truth.label.kind,
    )


def _mover(truth: _Truth, turn: int) -> str:
    """Whose turn it was, which at the table the referee knows."""
    if turn < len(truth.log) and (move := truth.log[turn]) is not None and move.player is not None:
        return move.player
    players: Sequence[str] = truth.players
    if turn > 0:
        before = {piece.id for piece in truth.layouts[turn - 1].pieces()}
        for piece in truth.layouts[turn].built():
            if piece.id not in before and piece.owner is not None:
                return piece.owner
    first = players.index(truth.first) if truth.first in players else 0
    return players[(first + turn - 1) % len(players)]
