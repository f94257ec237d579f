"""The small nets that come with the program, asked by several threads at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import resources

import cv2
import numpy as np

from vision.sampling import Singles


@dataclass(frozen=True, eq=False)
class Net:
    """A net by its file in this folder."""

    file: str
    _idle: list[cv2.dnn.Net] = field(default_factory=list)
    """Copies that nobody asks just now: each holds what it was shown, so that no two threads may share one."""

    def answer(self, shown: Singles) -> Singles:
        """What it makes of a picture (channels, h, w)."""
        try:
            net = self._idle.pop()
        except IndexError:
            net = self._read()
        net.setInput(shown[None])
        found: Singles = net.forward()[0]
        self._idle.append(net)
        return found

    def _read(self) -> cv2.dnn.Net:
        held = (resources.files("vision") / self.file).read_bytes()
        return cv2.dnn.readNetFromONNX(np.frombuffer(held, np.uint8))
