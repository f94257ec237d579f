"""A line on the terminal that says how far a long job is."""

from __future__ import annotations

import sys
from collections.abc import Callable


def bar(words: str) -> Callable[[float], None]:
    """What to call with the share that is done, 0 to 1; silent where nobody is watching."""

    def tell(done: float) -> None:
        if sys.stderr.isatty():
            filled = "#" * round(30 * done)
            end = "\n" if done >= 1 else ""
            print(f"\r{words} [{filled:<30}] {100 * done:3.0f} %", end=end, file=sys.stderr, flush=True)

    return tell
