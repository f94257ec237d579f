"""The table of contents of the bundled frames: a page with a row for each, and a contact sheet."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np

from .lens import Picture

THUMB_PX = (240, 135)
COLUMNS = 8
CAPTION_PX = 18
QUALITY = 82
SHEET = "contact_sheet.jpg"
PAGE = "README.md"


def write_contents(root: Path) -> None:
    """Look through the bundled folders and write both files into `root`."""
    stills = sorted(folder for folder in (root / "stills").iterdir() if folder.is_dir())
    cells = [*_still_cells(stills), *_video_cells(root)]
    cv2.imwrite(str(root / SHEET), _sheet(cells), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    lines = [HEAD, *(_row(folder) for folder in stills)]
    (root / PAGE).write_text("\n".join(lines) + "\n", "utf-8")


HEAD = f"""# Sample frames

Rendered by the studio beside them, never photographed; truth is exact. The app does not import this package.

| folder | holds |
|---|---|
| `sample_game.hwy` | the game that `highway demo` shows |
| `film_two_players/` | that game as two synchronised videos with hands between the turns, and what is true of them |
| `film_mission/` | a whole game in mission mode, likewise |
| `sample_session.mcap` | the first turns of the film as a recorded session: seen by the app, its players answered |
| `calibration_take/` | the printed sheets moved before both cameras, with the true rig |
| `kit_card/` | the kit card with a kit's pieces on it, seen by both cameras, and what they truly measure |
| `stills/` | two settled pairs each of one table, before and after something happened; the `test` split |
| `studio/` | what renders them; `python -m sample_frames.studio --help` |

Seeds are split once and for all: `train` (anything), `dev` (looked at), `test` (bundled here, read only by the
benchmark and by tests of the truth itself; rendered for nothing else).

A film's `game.json` is the game, its `film.json` names the frames: settled states with their layout, frames in which a
hand is in view, changes of light and exposure. Every folder has its own `rig.json`, `kit.json` and `tags.json`.

![All of them]({SHEET})

## Stills

`truth.json` is a game of all turns up to the second pair, with `label`: what happened in the last turn, its verdict,
the rule that was broken (or almost) and by how many mm. Pictures carry the number of the layout that they show.
`rig_NN.json` is the true rig of a pair before which a camera was bumped.

| folder | between the two pairs | verdict | players | pieces | pictures | tags |
|---|---|---|---|---|---|---|"""


def _row(folder: Path) -> str:
    truth, rig, tags = (_read(folder / name) for name in ("truth.json", "rig.json", "tags.json"))
    label = truth["label"]
    what = [label["kind"].replace("_", " ")]
    if "rule" in label:
        by = f" by {label['by_mm']:g} mm" if label.get("by_mm") is not None else ""
        what.append(f"({label['rule']}{by})")
    last = truth["layouts"][-1]
    pieces = sum(len(last[kind]) for kind in ("columns", "roads", "cars"))
    camera = rig["cameras"]["overhead"]
    size = f"{camera['width']} x {camera['height']}"
    verdict = label.get("verdict") or "none"
    count = len(truth["players"])
    return f"| {folder.name} | {' '.join(what)} | {verdict} | {count} | {pieces} | {size} | {len(tags)} |"


def _still_cells(stills: list[Path]) -> Iterator[tuple[str, Picture]]:
    for folder in stills:
        truth = _read(folder / "truth.json")
        turn, kind = truth["label"]["turn"], truth["label"]["kind"]
        for name in ("overhead", "side"):
            picture = cv2.imread(str(folder / f"turn_{turn:02d}_{name}.jpg"))
            yield f"{folder.name.removeprefix('still_')} {kind}", np.asarray(picture, dtype=np.uint8)


def _video_cells(root: Path) -> Iterator[tuple[str, Picture]]:
    for video in sorted(root.glob("*/*.mp4")):
        capture = cv2.VideoCapture(str(video))
        count = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        for frame in np.linspace(0, count - 1, COLUMNS).astype(int):
            capture.set(cv2.CAP_PROP_POS_FRAMES, int(frame))
            done, picture = capture.read()
            if done:
                yield f"{video.parent.name} {frame}", np.asarray(picture, dtype=np.uint8)
        capture.release()


def _sheet(cells: list[tuple[str, Picture]]) -> Picture:
    width, height = THUMB_PX
    rows = -(-len(cells) // COLUMNS)
    sheet = np.full((rows * (height + CAPTION_PX), COLUMNS * width, 3), 24, dtype=np.uint8)
    for number, (caption, picture) in enumerate(cells):
        top, left = (number // COLUMNS) * (height + CAPTION_PX), (number % COLUMNS) * width
        sheet[top : top + height, left : left + width] = cv2.resize(picture, THUMB_PX, interpolation=cv2.INTER_AREA)
        at = (left + 4, top + height + CAPTION_PX - 5)
        cv2.putText(sheet, caption, at, cv2.FONT_HERSHEY_SIMPLEX, 0.4, (225, 225, 225), 1, cv2.LINE_AA)
    return sheet


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    return found
