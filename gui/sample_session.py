"""Makes the bundled sample session out of the bundled film: `python -m gui.sample_session`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gui.files import SAMPLE_SESSION
from gui.film import SAMPLE_FILM
from gui.film_session import FilmTable
from gui.progress import bar

TURNS = 11
"""Up to the fall and its penalty; the whole game would be three times as large."""


def main(arguments: list[str] | None = None) -> int:
    """Record the film as at a live table; tell what the players had to answer and to put right."""
    parser = argparse.ArgumentParser(prog="python -m gui.sample_session", description=__doc__)
    parser.add_argument("--film", type=Path, default=SAMPLE_FILM, metavar="DIR", help="a filmed game of the studio")
    parser.add_argument("--turns", type=int, default=TURNS, metavar="N", help=f"up to this turn ({TURNS})")
    parser.add_argument("-o", "--out", type=Path, default=SAMPLE_SESSION, metavar="FILE", help="the session to write")
    told = parser.parse_args(arguments)
    told.out.unlink(missing_ok=True)
    table = FilmTable(told.film, told.out, lambda words: print(words, file=sys.stderr))
    try:
        table.record(told.turns, bar("recording the film"))
    finally:
        table.close()
    print("\n".join(table.figures.lines()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
