"""How well vision sees: every figure on frames with truth, with history and without, and every failure by name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from calibration.store import write_whole
from gui.bench_frames import STILLS, Table, tables_in
from gui.bench_seers import APP, OTHERS, Seer
from gui.bench_vision_table import block
from referee.layout import Layout
from vision.debug import debug_picture
from vision.figures import figures
from vision.scoring import Fault, Score, score
from vision.shown import shown_shares
from vision.view import Picture

GATED = ("hand", "bump")
"""What the gate keeps away from the search at the table; counted apart."""
STILL = "light_only"
FULL_WIDTH_PX, MANY_PIECES = 1920, 36


@dataclass(frozen=True, eq=False)
class Run:
    """One pair looked at in one way."""

    table: Table
    turn: int
    mode: str
    seer: str
    seen: Layout
    before: Layout | None
    score: Score
    wall_s: float
    cpu_s: float

    @property
    def kind(self) -> str:
        return self.table.kind_of(self.turn)


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Look at every set of frames and hold it against the truth."""
    folders = arguments.frames or [STILLS]
    seers = [APP, *(OTHERS if arguments.compare else ())]
    modes = arguments.mode or ["given", "chained", "single"]
    sets = [_set_result(folder, seers, modes, arguments.debug) for folder in folders]
    return {"sets": sets, "note": "figures on rendered frames are called rendered: they say little of a real camera"}


def table(result: dict[str, Any]) -> str:
    """The result as plain text."""
    return "\n\n".join([*(block(one) for one in result["sets"]), result["note"]])


def _set_result(folder: Path, seers: Sequence[Seer], modes: Sequence[str], debug: Path | None) -> dict[str, Any]:
    tables = list(tables_in(folder))
    total = sum(_work(one, modes) for one in tables) * len(seers)
    runs: list[Run] = []
    for seer in seers:
        for one in tables:
            for found in _runs(one, seer, modes):
                runs.append(found)
                _progress(len(runs), total, f"{folder.name}: {one.name} {seer.name} {found.mode}")
                if debug is not None and seer is APP:
                    _draw(debug / folder.name, found)
    _progress(total, total, "")
    return {
        "frames": folder.name,
        "tables": len(tables),
        "ways": {
            f"{seer.name}: {mode}": _column([r for r in runs if (r.seer, r.mode) == (seer.name, mode)])
            for seer in seers
            for mode in modes
            if any((r.seer, r.mode) == (seer.name, mode) for r in runs)
        },
        "failures": [_failure(r) for r in runs if r.seer == APP.name and not r.score.right],
    }


def _work(one: Table, modes: Sequence[str]) -> int:
    return sum(len(one.steps()) for mode in _with_history(one, modes)) + ("single" in modes)


def _with_history(one: Table, modes: Sequence[str]) -> list[str]:
    """A table with one change has nothing to chain."""
    return [mode for mode in modes if mode == "given" or (mode == "chained" and len(one.steps()) > 1)]


def _runs(one: Table, seer: Seer, modes: Sequence[str]) -> Iterator[Run]:
    """Every pair with the true layout before it, then on the layouts seen from the first on, then the last alone."""
    for mode in _with_history(one, modes):
        first = min(one.files)
        accepted = one.layouts[first] if mode == "given" else seer.single(one, first)[0]
        names = score(accepted, one.layouts[first]).names
        for was, now in one.steps():
            truth_before = one.layouts[was]
            if mode == "given":
                accepted, names = truth_before, {piece.id: piece.id for piece in truth_before.pieces()}
            seen, wall_s, cpu_s = seer.explain(one, accepted, was, now)
            marks = score(seen, one.layouts[now], only_new_to=truth_before)
            marks.faults += _renamed(names, marks.names)
            yield Run(one, now, mode, seer.name, seen, accepted, marks, wall_s, cpu_s)
            accepted, names = seen, marks.names
    if "single" in modes:
        last = max(one.files)
        seen, wall_s, cpu_s = seer.single(one, last)
        yield Run(one, last, "single", seer.name, seen, None, score(seen, one.layouts[last]), wall_s, cpu_s)


def _renamed(before: dict[str, str], now: dict[str, str]) -> list[Fault]:
    """Old pieces that are still there under another id."""
    return [
        Fault(true, f"was called {before[true]}, now {name}", True)
        for true, name in now.items()
        if before.get(true, name) != name
    ]


def _column(runs: Sequence[Run]) -> dict[str, Any]:
    """All figures of one way to look."""
    open_runs = [r for r in runs if r.kind not in GATED]
    found: dict[str, Any] = msgspec.to_builtins(figures(r.score for r in open_runs))
    found["by_kind"] = {
        kind: {
            "layouts": len(some),
            "right": sum(r.score.right for r in some),
            "wrong_and_sure": sum(r.score.wrong_and_sure for r in some),
        }
        for kind in sorted({r.kind for r in runs})
        if (some := [r for r in runs if r.kind == kind])
    }
    still = [r for r in runs if r.kind == STILL and r.before is not None]
    found["light_only"] = {"layouts": len(still), "with_a_piece_reported": sum(_moved(r) for r in still)}
    gated = [r for r in runs if r.kind in GATED]
    found["gated"] = {"layouts": len(gated), "wrong_and_sure": sum(r.score.wrong_and_sure for r in gated)}
    found["wall_s"], found["cpu_s"] = _times(r.wall_s for r in runs), _times(r.cpu_s for r in runs)
    full = [r for r in runs if _is_full(r)]
    found["full_wall_s"], found["full_cpu_s"] = _times(r.wall_s for r in full), _times(r.cpu_s for r in full)
    return found


def _moved(one: Run) -> bool:
    """Whether a piece is said to be new, gone or elsewhere; one that is only asked for is not."""
    if one.before is None:
        return False
    was, now = (
        {piece.id: msgspec.structs.replace(piece, unsure=None, candidates=()) for piece in layout.pieces()}
        for layout in (one.before, one.seen)
    )
    return was != now


def _is_full(one: Run) -> bool:
    """Whether a run counts for the time limit: 1080p and a crowded table."""
    pieces = sum(1 for _ in one.table.layouts[one.turn].pieces())
    return one.table.rig.overhead.width == FULL_WIDTH_PX and pieces >= MANY_PIECES


def _times(values: Iterable[float]) -> dict[str, float | None]:
    every = np.array(list(values))
    if not len(every):
        return {"median": None, "p95": None}
    return {"median": float(np.median(every)), "p95": float(np.percentile(every, 95))}


def _failure(one: Run) -> dict[str, Any]:
    """What was wrong, and how much of each wrong piece the cameras could see at all."""
    truth = one.table.layouts[one.turn]
    pieces = {fault.piece for fault in one.score.faults}
    return {
        "frame": f"{one.table.name} turn {one.turn}",
        "kind": one.kind,
        "mode": one.mode,
        "wrong_and_sure": one.score.wrong_and_sure,
        "faults": [{"piece": f.piece, "text": f.text, "sure": f.sure} for f in one.score.faults],
        "shown": shown_shares(truth, pieces, one.table.rig, one.table.kit),
    }


def _draw(folder: Path, one: Run) -> None:
    """One picture per pair, failures first by name."""
    state = "sure_and_wrong" if one.score.wrong_and_sure else "right" if one.score.right else "asked"
    pair = one.table.pair(one.turn)
    picture = debug_picture(one.seen, pair, one.table.rig, one.table.kit, one.before)
    words = [f"{one.table.name} turn {one.turn} ({one.kind}), {one.mode}: {state}"]
    words += [f"{f.piece}: {f.text}{', sure' if f.sure else ''}" for f in one.score.faults]
    drawn = cv2.imencode(".jpg", _with_words(picture, words))[1]
    write_whole(folder / f"{state}_{one.mode}_{one.table.name}_turn_{one.turn:02d}.jpg", drawn.tobytes())


def _with_words(picture: Picture, words: Sequence[str]) -> Picture:
    height, width = 22 * len(words) + 10, picture.shape[1]
    strip = np.full((height, width, 3), 30, np.uint8)
    for i, line in enumerate(words):
        cv2.putText(strip, line, (8, 22 * (i + 1)), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (230, 230, 230), 1, cv2.LINE_AA)
    return np.asarray(np.vstack([strip, picture]), np.uint8)


def _progress(done: int, total: int, words: str) -> None:
    """A bar for people who watch; nothing for programs."""
    if not sys.stderr.isatty():
        return
    filled = 30 * done // max(total, 1)
    line = f"[{'#' * filled}{'.' * (30 - filled)}] {done}/{total} {words}" if words else ""
    print(f"\r{line:<110}"[:111], end="" if words else "\r", file=sys.stderr, flush=True)
