"""Whether a window can open here; asked before anything of Qt is loaded."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """A screen, or a platform that Qt was told to draw on unseen only to be looked at by tests."""
    if sys.platform.startswith(("win", "darwin")):
        return True
    if os.environ.get("QT_QPA_PLATFORM") == "offscreen":
        return False
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
