"""What the gate says at a live table, as lines for a terminal: one whenever its state is another."""

from __future__ import annotations

from collections.abc import Mapping

from vision.gate import GateReport, GateState
from vision.sources import FrameSource

UNSEEING = (GateState.PAUSED, GateState.CAMERA_MOVED)


def starting(sources: Mapping[str, FrameSource]) -> str:
    """What is said at once: loading and connecting take a few seconds."""
    return f"starting: {', '.join(f'{name} is {source.name}' for name, source in sources.items())}"


class StateLines:
    """Remembers what was said last."""

    def __init__(self) -> None:
        self._state: GateState | None = None

    def line(self, report: GateReport) -> str | None:
        """What is new to people; None where nothing is, or where it is only about to be."""
        if report.state in (self._state, GateState.SETTLING):
            return None
        self._state = report.state
        return f"{report.words}{', judging paused' if report.state in UNSEEING else ''}"
