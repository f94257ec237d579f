"""`python -m gui.screenshots DIR`: every page of the dashboard as it looks, at three sizes, for people to look at."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import av
import msgspec
import numpy as np
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication

from gui.app import application, open_window
from gui.desk import Desk
from gui.feed import Pictures
from gui.film import SAMPLE_FILM, SAMPLE_MISSION, FilmFeed
from gui.host import Host
from gui.pages.doors import table_page
from gui.pages.editor import EditorPage
from gui.pages.match import MatchPage
from gui.still_feed import StillFeed
from gui.window import Window
from referee.game import setup_of
from referee.layout import BARE_TABLE, Candidate, TipSigmas, with_city, with_pieces
from vision.trust import MORE

SIZES = {"1280x800": (1280, 800, False), "1920x1080": (1920, 1080, False), "big": (1920, 1080, True)}

IN_README = {"match_3d": "legal", "match_asked": "asked"}
"""Shots that the README shows, and under which names."""
JPEG_QUALITY = 88


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture to take: its name, and what has to be on the screen."""

    name: str
    pose: Callable[[Window], object]


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m gui.screenshots", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", action="append", help="shots whose names begin with this")
    parser.add_argument("--size", action="append", choices=SIZES, help="one size alone")
    parser.add_argument("--light", action="store_true", help="the light theme")
    parser.add_argument("--readme", action="store_true", help="only the pictures of the README, as it has them")
    arguments = parser.parse_args(argv)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    application()
    with tempfile.TemporaryDirectory() as scratch:
        settings = QSettings(str(Path(scratch) / "settings.ini"), QSettings.Format.IniFormat)
        window = open_window(settings)
        window.theme.switch(dark=not arguments.light)
        window.show()
        for shot in shots(Path(scratch)):
            if arguments.only and not any(shot.name.startswith(only) for only in arguments.only):
                continue
            if arguments.readme and shot.name not in IN_README:
                continue
            for size in ["1280x800"] if arguments.readme else arguments.size or SIZES:
                width, height, window.big = SIZES[size]
                window.resize(width, height)
                window.fit()
                shot.pose(window)
                settle()
                file = arguments.folder / f"{shot.name}_{size}{'_light' if arguments.light else ''}.png"
                if arguments.readme:
                    file = arguments.folder / f"{IN_README[shot.name]}.jpg"
                window.grab().save(str(file), quality=JPEG_QUALITY if arguments.readme else -1)
                print(file)
                window.close_page()
                window.help.hide()
        window.close()
    return 0


def settle(seconds: float = 0.5) -> None:
    """Let the window draw and its threads answer."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        QApplication.processEvents()
        time.sleep(0.005)


def shots(scratch: Path) -> Iterator[Shot]:
    """Every page in every state worth looking at."""
    from gui.screenshot_pages import page_shots

    yield Shot("home", lambda window: None)
    yield Shot("help", lambda window: window.help.open())
    yield Shot("match_legal", lambda w: posed(w, 21))
    yield Shot("match_hands", lambda w: posed(w, 8, Desk.hands_in))
    yield Shot("match_building", lambda w: posed(w, 6, state=6))
    yield Shot("match_asked", lambda w: posed(w, 8, _unsure))
    yield Shot("match_illegal", lambda w: posed(w, 19))
    yield Shot("match_too_close", lambda w: posed(w, 19, _blurred))
    yield Shot("match_fallen", lambda w: posed(w, 11, state=12))
    yield Shot("match_paused", lambda w: posed(w, 14, lambda d: d.camera_lost("The side camera sends no pictures")))
    yield Shot("match_over", lambda w: posed(w, 28, Desk.accept))
    yield Shot("match_evidence", lambda w: posed(w, 19).views.show_page("Evidence"))
    yield Shot("match_side", lambda w: posed(w, 21).views.show_page("Side"))
    yield Shot("match_3d", lambda w: posed(w, 21).views.show_page("3D"))
    yield Shot("match_past", lambda w: posed(w, 21).select(16))
    yield Shot("mission", lambda w: posed(w, 16, folder=SAMPLE_MISSION).views.show_page("Missions"))
    yield Shot("mission_plan", lambda w: posed(w, 16, folder=SAMPLE_MISSION))
    yield Shot("correct", lambda w: posed(w, 21).editing.emit(16))
    yield Shot("correct_seen", lambda w: posed(w, 8).correct())
    yield Shot("set_up", lambda w: posed(w, 0))
    yield Shot("set_up_asked", lambda w: posed(w, 0, _unread))
    yield Shot("set_up_by_hand", lambda w: posed(w, 0, _unread).correct())
    yield Shot("city_unknown", _no_city)
    yield Shot("city_empty", lambda w: _no_city(w).put_city())
    yield Shot("city_looking", lambda w: _no_city(w).put_city(propose=True))
    yield Shot("city_card", lambda w: _picked_part(w, "airport"))
    yield Shot("city_building", lambda w: _picked_part(w, "tower"))
    yield Shot("match_reading", lambda w: posed(w, 8, Desk.looked_at))
    yield Shot("match_moment", _moment)
    yield from (Shot(name, pose) for name, pose in page_shots(scratch))


def posed(
    window: Window,
    turn: int,
    step: Callable[[Desk], Desk] | None = None,
    folder: Path = SAMPLE_FILM,
    state: int | None = None,
) -> MatchPage:
    """The match view with a film's turn proposed (or one of its settled states), in its own pictures."""
    feed = FilmFeed(folder)
    states = feed.film.states
    last = state if state is not None else max(i for i, s in enumerate(states) if s.turn == turn)
    desk = Desk.begin(msgspec.structs.replace(setup_of(feed.game), layout=BARE_TABLE))
    for one in states[:last]:
        desk = desk.settled(one.layout)
        desk = desk.accept() if desk.sure else desk.overrule() if desk.phase == "proposed" else desk
    desk = desk.settled(states[last].layout)
    desk = step(desk) if step is not None else desk
    host = Host(desk, StillFeed(feed.rig, _frame(folder, states[last].first_frame + 3)))
    page = table_page(window, host)
    window.show_page(page)
    settle(0.2)
    return page


def _moment(window: Window) -> None:
    """Right after a turn with a penalty was accepted."""
    page = posed(window, 11)
    page.host.do(Desk.accept)


def _no_city(window: Window) -> MatchPage:
    """A set-up of an edition with a city that nobody has told yet."""
    return posed(window, 0, lambda desk: Desk.begin(desk.setup).settled(with_city(desk.layout, ())), SAMPLE_MISSION)


def _picked_part(window: Window, kind: str) -> None:
    """A city that is being put right, one of its parts picked."""
    posed(window, 0, folder=SAMPLE_MISSION).put_city()
    editor = window.pages.currentWidget()
    if isinstance(editor, EditorPage):
        editor.plan.piece_picked.emit(next(part.id for part in editor.draft.layout.city() if part.kind == kind))


@lru_cache(maxsize=16)
def _frame(folder: Path, number: int) -> Pictures:
    """One pair of a film."""
    found = {}
    for name in ("overhead", "side"):
        with av.open(str(folder / f"{name}.mp4")) as video:
            frames = (f for i, f in enumerate(video.decode(video=0)) if i == number)
            found[name] = np.asarray(next(frames).to_ndarray(format="bgr24"), np.uint8)
    return found


def _unsure(desk: Desk) -> Desk:
    layout = desk.layout
    column = layout.columns[-1]
    odds = (Candidate(p=0.58, height=column.height), Candidate(p=0.42, height=column.height + 1))
    doubtful = msgspec.structs.replace(column, unsure="its foot is hidden", candidates=odds)
    return desk.settled(msgspec.structs.replace(layout, columns=(*layout.columns[:-1], doubtful)))


def _unread(desk: Desk) -> Desk:
    """A set-up of which vision found one entrance."""
    layout = desk.layout
    one = msgspec.structs.replace(
        layout, columns=layout.columns[:1], roads=layout.roads[:1], cars=layout.cars[:1], unsure=MORE
    )
    marked = {p.id: msgspec.structs.replace(p, unsure=MORE) for p in one.pieces()}
    return desk.settled(with_pieces(one, marked))


def _blurred(desk: Desk) -> Desk:
    layout = desk.layout
    road = layout.roads[-1]
    tip = (1.2, 1.2, 0.4)
    doubtful = msgspec.structs.replace(road, sigma=TipSigmas(tip, tip))
    return desk.settled(msgspec.structs.replace(layout, roads=(*layout.roads[:-1], doubtful)))


if __name__ == "__main__":
    sys.exit(main())
