"""The seam through which a table reaches the dashboard: cameras, a film or a recorded session, all tell the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Rig
from gui.desk import Desk
from referee.layout import Layout
from vision.frame import Frame
from vision.gate import Settled as Pair

Picture = NDArray[np.uint8]
Pictures = Mapping[str, Picture]


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """Pictures to look at, and how far along they are."""

    pictures: Pictures
    time_s: float
    length_s: float | None = None
    """None where nobody knows when it ends."""
    came: Mapping[str, Sequence[Frame]] = field(default_factory=dict)
    """Every frame of a live camera since the pictures before: for the film."""
    doubts: Mapping[str, str] = field(default_factory=dict)
    """Words on cameras that are gone on with."""


@dataclass(frozen=True, slots=True)
class HandsIn:
    """Hands or movement over the table."""


@dataclass(frozen=True, slots=True, eq=False)
class Settled:
    """Hands are out and the table is still: what stands on it, measured in these pictures."""

    layout: Layout
    pictures: Pictures = field(default_factory=dict)
    pair: Pair | None = None
    """The pair as the gate let it through, where there was a gate."""


@dataclass(frozen=True, slots=True)
class Puzzled:
    """The table is still, but nobody can tell what stands on it."""

    why: str


@dataclass(frozen=True, slots=True)
class Reading:
    """Hands are out and the table is still; vision is looking at it."""


@dataclass(frozen=True, slots=True)
class Acted:
    """What the players of a film do at the desk: answer, put right, overrule."""

    step: Callable[[Desk], Desk]


@dataclass(frozen=True, slots=True)
class Lost:
    """Judging cannot go on: a camera is gone, was moved, or hangs."""

    why: str


@dataclass(frozen=True, slots=True)
class Found:
    """The cameras see again."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A replay has come to where the table stood so."""

    desk: Desk


@dataclass(frozen=True, slots=True)
class Judged:
    """A recorded game, judged by another edition: what differs."""

    edition: str
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing more comes."""


Report = Shown | HandsIn | Reading | Settled | Puzzled | Acted | Lost | Found | Moment | Judged | Ended
Tell = Callable[[Report], None]


class Feed(Protocol):
    """Something that watches a table. `run` blocks until it has ended or `stop` is called from another thread."""

    @property
    def rig(self) -> Rig | None:
        """The cameras that its pictures come from; None where they are not known."""

    def run(self, tell: Tell) -> None:
        """Watch, and tell what happens; called in a thread of its own."""

    def follow(self, desk: Desk) -> None:
        """What was accepted, for the next look to be compared with."""

    def pause(self, paused: bool) -> None:
        """Hold a film; cameras go on."""

    def stop(self) -> None:
        """End `run` soon."""
