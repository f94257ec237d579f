"""Measures the dashboard: how fast plan and overlays are drawn, and how long the window's thread is ever held up."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gui.files import SAMPLE_SESSION

if TYPE_CHECKING:
    from gui.pulse import Pulse
    from gui.window import Window

COLUMNS, ROADS = 60, 60
TIMES = 30
DRAW_LIMIT_MS, HOLD_LIMIT_MS = 16.0, 50.0
LAST_TURN, FILM_S = 12, 120.0
CLICK_S, CLICKS_TOLD, LOOK_MS = 0.6, 3, 50


def run(_: argparse.Namespace | None = None) -> dict[str, Any]:
    """Draw a crowded table, then play the filmed game as fast as it goes and feel the window's pulse."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtCore import QSettings

    from gui.app import application, open_window, put_window_first
    from gui.crowded import crowded_scene
    from gui.film import SAMPLE_FILM, FilmFeed
    from gui.pages import doors
    from gui.scene import Scene
    from gui.standstill import Sleepers
    from gui.widgets.picture import PictureView
    from gui.widgets.plan import PlanView

    application()
    feed = FilmFeed(SAMPLE_FILM)
    with tempfile.TemporaryDirectory() as scratch:
        window = open_window(QSettings(str(Path(scratch) / "s.ini"), QSettings.Format.IniFormat))
        scene = crowded_scene(COLUMNS, ROADS)
        plan, picture = PlanView(window.theme), PictureView(window.theme, "overhead")
        for view in (plan, picture):
            view.resize(900, 600)
        plan.show_scene(scene)
        picture.show_picture(next(_first_frames(feed)))
        picture.show_scene(scene, feed.rig.overhead)

        def redrawn() -> None:
            picture.draw_anew()
            picture.grab()

        def outlined_anew() -> None:
            picture.show_scene(Scene(), None)
            picture.show_scene(scene, feed.rig.overhead)

        result: dict[str, Any] = {
            "columns": COLUMNS,
            "roads": ROADS,
            "plan_ms": _median_ms(lambda: plan.grab()),
            "overlay_ms": _median_ms(redrawn),
            "frame_ms": _median_ms(lambda: picture.grab()),
            "outlines_ms": _median_ms(outlined_anew),
        }
        put_window_first()
        doors.FILM_SPEED, doors.FILM_ACCEPTS_AFTER_S = 4.0, 0.2
        window.resize(1280, 800)
        window.show()
        with Sleepers() as sleepers:
            walked = [(name, _felt(act, CLICK_S)) for name, act in _clicks(window)]
            window.close_page()
            page = doors.film_page(window)
            pulse = _felt(lambda: window.show_page(page), FILM_S, lambda: page.desk.turn >= LAST_TURN)
        result["clicks"] = {name: felt.told(sleepers.stops)["longest_held_ms"] for name, felt in walked}
        result |= {"turns": page.desk.turn - 1, **pulse.told(sleepers.stops)}
        window.close()
    return result


def _clicks(window: Window) -> Iterator[tuple[str, Callable[[], object]]]:
    """What people click that takes longest: every page, and everything dressed anew."""
    for door in ("new", "phone", "calibrate", "sessions", "sample"):
        yield f"open {door}", partial(window.open_page, door)
        yield f"light on {door}", partial(window.light, True)
        yield f"dark on {door}", partial(window.light, False)
        yield f"big screen on {door}", window.big_screen
        yield f"small again on {door}", window.big_screen
    yield "help", window.help.show
    yield "help away", window.help.hide
    yield "replay a session", partial(window.open_replay, SAMPLE_SESSION)


def _felt(act: Callable[[], object], most_s: float, done: Callable[[], bool] = lambda: False) -> Pulse:
    """The pulse while something is done in a loop as the window's own, as by a click, until it is done with."""
    from PyQt6.QtCore import QEventLoop, QTimer

    from gui.pulse import Pulse

    loop, pulse, look = QEventLoop(), Pulse(), QTimer()
    look.timeout.connect(lambda: loop.quit() if done() else None)
    look.start(LOOK_MS)
    QTimer.singleShot(0, act)
    QTimer.singleShot(round(most_s * 1000), loop.quit)
    loop.exec()
    pulse.stop()
    return pulse


def _first_frames(feed: Any) -> Any:
    for frames in feed.frames():
        yield frames["overhead"].to_ndarray(format="bgr24")


def _median_ms(act: Callable[[], object]) -> float:
    act()
    times = []
    for _ in range(TIMES):
        begun = time.process_time()
        act()
        times.append((time.process_time() - begun) * 1000)
    return round(statistics.median(times), 2)


def table(result: dict[str, Any]) -> str:
    """The figures for people."""
    slowest = sorted(result["clicks"].items(), key=lambda click: -click[1])[:CLICKS_TOLD]
    return "\n".join(
        (
            f"{result['columns']} columns and {result['roads']} roads, 900 x 600 pixels, in CPU time:",
            f"  plan redrawn in        {result['plan_ms']:6.2f} ms (limit {DRAW_LIMIT_MS:g})",
            f"  picture with outlines  {result['overlay_ms']:6.2f} ms (limit {DRAW_LIMIT_MS:g})",
            f"  the next frame of it   {result['frame_ms']:6.2f} ms",
            f"  outlines worked out    {result['outlines_ms']:6.2f} ms, once a turn",
            f"the window's thread over {result['turns']} turns of the film at four times its speed:",
            f"  longest hold-up        {result['longest_held_ms']:6.1f} ms by the program (limit {HOLD_LIMIT_MS:g}), "
            f"{result['longest_ms']:.1f} ms by the clock",
            "  the clock counts waits for a free processor and times when the whole machine stood still: "
            f"a process that only sleeps was late by {result['longest_stood_ms']:.1f} ms",
            f"  99 of 100 under        {result['p99_held_ms']:6.1f} ms, {result['p99_ms']:.1f} by the clock",
            f"  its own work at most   {result['longest_cpu_ms']:6.1f} ms of CPU time at a stretch, standstills too "
            f"(99 of 100 under {result['p99_cpu_ms']:.1f})",
            f"every page opened, dressed anew and made big, {len(result['clicks'])} clicks; the longest hold-ups:",
            *(f"  {name:<23}{ms:6.1f} ms" for name, ms in slowest),
        )
    )
