"""Memory that was freed is kept for the next picture: handing it back costs a fifth of vision's time on Linux."""

from __future__ import annotations

import ctypes
import os
import sys

_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -2, -3, -8
"""As glibc's malloc.h has them."""
LARGEST_BYTES = 512 << 20
"""The most that is taken from what was freed: what a net says of a 1080p picture is 58 MB. A glibc before 2.35 takes no
more than 32 MB, and then finds that limit by itself."""
KEPT_BYTES = 256 << 20
SPARE_BYTES = 16 << 20
STORES = 1
"""All threads share one: what one frees another one takes, and they seldom ask at the same moment."""


def keep_freed_memory() -> None:
    """Ask glibc to reuse what is freed, in this process and in those it starts; elsewhere nothing is done."""
    if not sys.platform.startswith("linux"):
        return
    wishes = {
        "MALLOC_MMAP_THRESHOLD_": (_M_MMAP_THRESHOLD, LARGEST_BYTES),
        "MALLOC_TRIM_THRESHOLD_": (_M_TRIM_THRESHOLD, KEPT_BYTES),
        "MALLOC_TOP_PAD_": (_M_TOP_PAD, SPARE_BYTES),
        "MALLOC_ARENA_MAX": (_M_ARENA_MAX, STORES),
    }
    for name, (_, wish) in wishes.items():
        os.environ.setdefault(name, str(wish))
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:  # Another C library, such as musl.
        return
    for option, wish in wishes.values():
        mallopt(option, wish)
