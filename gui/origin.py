"""Where the pictures of a session come from, kept in it: after a crash nobody has to say it again. Qt-free."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Literal

import msgspec

from vision.errors import VisionError
from vision.stream import HIDDEN, without_password

STDIN = "-"
Accepts = Literal["sure", "complete"]


class Origin(msgspec.Struct, frozen=True, omit_defaults=True):
    """Two cameras, frames on disk, or the layouts of a game; and which turns are accepted by themselves."""

    kind: Literal["live", "frames", "game"]
    names: tuple[str, ...]
    accept: Accepts = "sure"

    @staticmethod
    def of(arguments: argparse.Namespace) -> Origin | None:
        """What a person asked to record from; None where nothing was named."""
        accept: Accepts = arguments.accept or "sure"
        if arguments.live is not None:
            return Origin("live", tuple(arguments.live), accept)
        if arguments.frames is not None:
            return Origin("frames", (str(arguments.frames),), accept)
        return Origin("game", (arguments.game,), accept) if arguments.game else None

    def kept(self) -> Origin | None:
        """As a session may keep it that people share: without passwords, from any folder; None for standard input."""
        if self.names == (STDIN,):
            return None
        return msgspec.structs.replace(self, names=tuple(_kept(name) for name in self.names))

    def taken_up(self, accept: Accepts | None) -> Origin:
        """What a session has kept, to be gone on with; VisionError where it could not keep enough."""
        for name in self.names:
            if f":{HIDDEN}@" in name:
                raise VisionError(f"{name}: its password is not kept in the session; give both cameras again by --live")
        return msgspec.structs.replace(self, accept=accept or self.accept)


def _kept(name: str) -> str:
    if "://" in name:
        return without_password(name)
    return os.path.abspath(name) if not name.isdigit() and Path(name).exists() else name
