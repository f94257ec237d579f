"""What people choose before a game: edition, players, house rules, cameras. Remembered as JSON; Qt-free."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec

from calibration.rig_quality import SolvedRig
from calibration.store import rigs
from gui.look_palette import PLAYERS
from gui.origin import Origin
from gui.session import Head
from gui.stills import read_struct
from referee.edition import editions
from referee.layout import BARE_TABLE
from referee.match import Setup
from referee.pieces import Kit

COLOURS = tuple(PLAYERS)[:6]


class GamePlan(msgspec.Struct, frozen=True):
    """A game as it is about to be played."""

    edition: str = "two-player-2024"
    players: tuple[str, ...] = ("purple", "green")
    first: str = ""
    """Empty: drawn when the game begins."""
    mission: bool = False
    options: dict[str, Any] = {}
    overhead: str = ""
    side: str = ""
    """Cameras by number, address or file; both empty: every turn is entered by hand."""
    rig: str = ""
    """The name of a kept calibration, or a rig.json."""
    kit: str = ""
    """A kit.json; empty: the default kit."""
    accept_after_s: float = 4.0
    """Sure and legal turns are accepted by themselves after this; 0: never."""

    def fitted(self) -> GamePlan:
        """With as many players as the edition takes, and a mission only where it has one."""
        edition = editions().get(self.edition)
        if edition is None:
            return GamePlan()
        low, high = edition.players
        players = list(self.players[:high])
        players += [colour for colour in COLOURS if colour not in players][: max(low - len(players), 0)]
        first = self.first if self.first in players else ""
        mission = self.mission and edition.mission is not None
        return msgspec.structs.replace(self, players=tuple(players), first=first, mission=mission)

    def drawn(self) -> GamePlan:
        """With a first player, drawn where none was named."""
        return self if self.first else msgspec.structs.replace(self, first=random.choice(self.players))

    def head(self) -> Head:
        """What a recording of it begins with. Raises what is wrong with files."""
        return Head(
            self.edition, self.players, self.first or self.players[0], self.mission, self.options, self.kit_read(),
            self.rig_read(), origin=self._origin(),
        )  # fmt: skip

    def setup(self) -> Setup:
        return self.head().setup(BARE_TABLE)

    def _origin(self) -> Origin | None:
        return Origin("live", (self.overhead, self.side)).kept() if self.overhead and self.side else None

    def kit_read(self) -> Kit:
        return read_struct(Path(self.kit), Kit) if self.kit else Kit()

    def rig_read(self) -> SolvedRig | None:
        """The rig of a kept calibration or a file; None without cameras."""
        if not self.rig:
            return None
        kept = next((kept.value for kept in rigs() if kept.name == self.rig), None)
        return kept if kept is not None else read_struct(Path(self.rig), SolvedRig)
