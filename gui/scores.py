"""The score of every player after every turn, as rows for a spreadsheet or a program."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from gui.shown_turn import ShownTurn


def score_rows(turns: Sequence[ShownTurn], begin_ns: int) -> list[dict[str, Any]]:
    """One row per turn and player."""
    return [
        {
            "turn": turn.ruling.turn,
            "time_s": round((turn.time_ns - begin_ns) / 1e9, 3),
            "moved": turn.ruling.player,
            "verdict": turn.ruling.verdict,
            "rules": " ".join(violation.rule for violation in turn.ruling.violations),
            "earned": turn.ruling.earned,
            "placed": turn.ruling.placed,
            "player": player,
            "cars_left": has.cars,
            "grey_left": has.grey,
            "yellow_left": has.yellow,
            "roads_left": has.roads,
            "points": has.points,
            "rank": has.rank,
        }
        for turn in turns
        for player, has in turn.ruling.state.players.items()
    ]


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Rows as CSV with a heading; a word that a spreadsheet would take for a formula is quoted."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _harmless(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def _harmless(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t" and value else value
