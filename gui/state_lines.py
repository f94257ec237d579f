"""What the gate says at a live table, as lines for a terminal: one whenever its state or a trouble is another."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vision.gate import GateReport, GateState
from vision.sources import FrameSource

UNSEEING = (GateState.PAUSED, GateState.CAMERA_MOVED)
NUMBER = re.compile(r"[\d.]+")
"""Seconds and millimetres that count on: the trouble is the same."""


def starting(sources: Mapping[str, FrameSource]) -> str:
    """What is said at once: loading and connecting take a few seconds."""
    return f"starting: {', '.join(f'{name} is {source.name}' for name, source in sources.items())}"


class StateLines:
    """Remembers what was said last."""

    def __init__(self) -> None:
        self._told: tuple[GateState, str] | None = None

    def line(self, report: GateReport) -> str | None:
        """What is new to people; None where nothing is, or where it is only about to be."""
        # A camera is "starting" before it is known why it does not: the reason comes while judging is paused already.
        trouble = NUMBER.sub("", report.words) if report.state in UNSEEING else ""
        if report.state is GateState.SETTLING or (report.state, trouble) == self._told:
            return None
        self._told = report.state, trouble
        return f"{report.words}{', judging paused' if report.state in UNSEEING else ''}"
