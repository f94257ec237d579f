"""Measures the dashboard: how fast plan and overlays are drawn, and how long the window's thread is ever held up."""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

COLUMNS, ROADS = 60, 60
TIMES = 30
DRAW_LIMIT_MS, HOLD_LIMIT_MS = 16.0, 50.0


def run(_: argparse.Namespace | None = None) -> dict[str, Any]:
    """Draw a crowded table, then play the filmed game as fast as it goes and feel the window's pulse."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtCore import QSettings

    from gui.app import application, open_window, put_window_first
    from gui.crowded import crowded_scene
    from gui.film import SAMPLE_FILM, FilmFeed
    from gui.pages import doors
    from gui.pulse import Pulse
    from gui.scene import Scene
    from gui.widgets.picture import PictureView
    from gui.widgets.plan import PlanView

    app = application()
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
        page = doors.film_page(window)
        window.show_page(page)
        pulse = Pulse()
        until = time.monotonic() + 120.0
        while page.desk.turn < 12 and time.monotonic() < until:
            app.processEvents()
            time.sleep(0.001)
        result |= {"turns": page.desk.turn - 1, **pulse.told()}
        window.close()
    return result


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
    return "\n".join(
        (
            f"{result['columns']} columns and {result['roads']} roads, 900 x 600 pixels, in CPU time:",
            f"  plan redrawn in        {result['plan_ms']:6.2f} ms (limit {DRAW_LIMIT_MS:g})",
            f"  picture with outlines  {result['overlay_ms']:6.2f} ms (limit {DRAW_LIMIT_MS:g})",
            f"  the next frame of it   {result['frame_ms']:6.2f} ms",
            f"  outlines worked out    {result['outlines_ms']:6.2f} ms, once a turn",
            f"the window's thread over {result['turns']} turns of the film at four times its speed:",
            f"  longest hold-up        {result['longest_held_ms']:6.1f} ms by the program (limit {HOLD_LIMIT_MS:g}), "
            f"{result['longest_ms']:.1f} ms by the clock, waits for a free processor included",
            f"  99 of 100 under        {result['p99_held_ms']:6.1f} ms, {result['p99_ms']:.1f} by the clock",
            f"  its own work at most   {result['longest_cpu_ms']:6.1f} ms of CPU time at a stretch "
            f"(99 of 100 under {result['p99_cpu_ms']:.1f})",
        )
    )
