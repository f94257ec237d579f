"""Frames from one process to another through shared memory: the newest overwrites the oldest, and nothing grows."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.frame import Frame
from vision.view import Picture

SLOTS = 12
"""Whoever looks seven tenths of a second late still finds every frame of a camera that sends fifteen a second."""
LINUX_SHARED = Path("/dev/shm")
MOST_PX = 3840 * 2160
LATEST, RUNG = 0, 1
SEQUENCE, NUMBER, TIME_NS, WIDTH, HEIGHT, SAME_SINCE_NS = range(6)
HEAD, SLOT = 8, 8
_FENCE = threading.Lock()


class FrameRing:
    """One camera's last few frames; one process writes, one reads, and neither waits for the other.

    Each slot has a sequence number that is odd while it is written: a reader who sees it odd, or changed when the copy
    is done, throws the copy away. A writer that is killed leaves at worst one slot odd.
    """

    def __init__(self, memory: SharedMemory, most_px: int, is_owner: bool) -> None:
        self._memory, self._is_owner, self.most_px = memory, is_owner, most_px
        room: Any = memory.buf
        numbers: NDArray[np.int64] = np.frombuffer(room, np.int64, HEAD + SLOTS * SLOT)
        self._head, self._slots = numbers[:HEAD], numbers[HEAD:].reshape(SLOTS, SLOT)
        pixels: NDArray[np.uint8] = np.frombuffer(room, np.uint8, SLOTS * most_px * 3, numbers.nbytes)
        self._pixels = pixels.reshape(SLOTS, most_px * 3)

    @classmethod
    def create(cls, most_px: int = MOST_PX) -> FrameRing:
        """Room for pictures of so many pixels; memory is taken up only as far as pictures fill it."""
        memory = SharedMemory(create=True, size=(HEAD + SLOTS * SLOT) * 8 + SLOTS * most_px * 3)
        return cls(memory, most_px, is_owner=True)

    @classmethod
    def attach(cls, name: str, most_px: int) -> FrameRing:
        return cls(SharedMemory(name), most_px, is_owner=False)

    @property
    def name(self) -> str:
        return self._memory.name

    def reserve(self, picture_bytes: int) -> None:
        """Take up the memory for pictures of this size now. Raises OSError where there is too little.

        Linux kills whoever writes to shared memory that is not there.
        """
        file = LINUX_SHARED / self.name
        if not file.exists():
            return
        descriptor = os.open(file, os.O_RDWR)
        try:
            for slot in range(SLOTS):
                begin = (HEAD + SLOTS * SLOT) * 8 + slot * self.most_px * 3
                os.posix_fallocate(descriptor, begin, picture_bytes)
        finally:
            os.close(descriptor)

    def publish(self, picture: Picture, time_ns: int, same_since_ns: int) -> None:
        """Put a frame where the oldest one was."""
        height, width = picture.shape[:2]
        number = int(self._head[LATEST]) + 1
        slot = self._slots[number % SLOTS]
        slot[SEQUENCE] |= 1
        _fence()
        self._pixels[number % SLOTS, : picture.size] = picture.reshape(-1)
        slot[NUMBER : SAME_SINCE_NS + 1] = number, time_ns, width, height, same_since_ns
        _fence()
        slot[SEQUENCE] += 1
        self._head[LATEST] = number

    def since(self, after: int) -> Iterator[tuple[Frame, float]]:
        """Frames with numbers beyond `after` that are still there, oldest first, up to the newest when it began.

        Each comes with the time in s since when all have been equal to it.
        """
        latest = int(self._head[LATEST])
        for number in range(max(after, latest - SLOTS) + 1, latest + 1):
            found = self._copied(number)
            if found is not None:
                yield found

    def _copied(self, number: int) -> tuple[Frame, float] | None:
        """A frame out of its slot; None where a newer one is there, or came in the midst of it."""
        slot = self._slots[number % SLOTS]
        sequence = int(slot[SEQUENCE])
        _fence()
        found, time_ns, width, height, same_since_ns = (int(n) for n in slot[NUMBER : SAME_SINCE_NS + 1])
        if sequence % 2 or found != number:
            return None
        picture = self._pixels[number % SLOTS, : height * width * 3].reshape(height, width, 3).copy()
        _fence()
        if int(slot[SEQUENCE]) != sequence:
            return None
        return Frame(picture, time_ns / 1e9, number), same_since_ns / 1e9

    def ring_once(self) -> bool:
        """Whether the reader has to be woken: not where it was woken already and has not looked yet."""
        _fence()
        if self._head[RUNG]:
            return False
        self._head[RUNG] = 1
        return True

    def answered(self) -> None:
        """The reader is awake and looks next."""
        self._head[RUNG] = 0
        _fence()

    def close(self) -> None:
        """Let go of the memory; the one who made it takes it away. May be done twice."""
        held: Any = self.__dict__
        for array in ("_head", "_slots", "_pixels"):
            held.pop(array, None)
        # Who was interrupted in the midst of a copy may hold on to it still: then it goes when they do.
        with contextlib.suppress(BufferError):
            self._memory.close()
        if self._is_owner:
            self._is_owner = False
            self._memory.unlink()


def _fence() -> None:
    """What was written before is written before what follows, on processors that would reorder it too."""
    with _FENCE:
        pass
