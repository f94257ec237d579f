"""The vision bench as plain text: one block per set of frames, a row per figure, then what failed."""

from __future__ import annotations

from typing import Any

WIDTH = 44


def block(one: dict[str, Any]) -> str:
    """One set of frames."""
    columns: dict[str, dict[str, Any]] = one["ways"]
    lines = [f"{one['frames']}: {one['tables']} tables"]
    rows = [("", "to reach", list(columns))]
    rows += [(label, goal, [cell(column) for column in columns.values()]) for label, goal, cell in ROWS]
    width = 2 + max(len(cell) for _, _, cells in rows for cell in cells)
    lines += [f"{label:<{WIDTH}}{goal:<20}" + "".join(f"{c:>{width}}" for c in cells) for label, goal, cells in rows]
    failures = one["failures"]
    lines.append(f"failures: {len(failures)}")
    lines += [failure_line(failure) for failure in failures]
    return "\n".join(lines)


def failure_line(failure: dict[str, Any]) -> str:
    """One failure in a line."""
    faults = "; ".join(f"{f['piece']} {f['text']}{' (sure)' if f['sure'] else ''}" for f in failure["faults"][:6])
    more = f"; {len(failure['faults']) - 6} more" if len(failure["faults"]) > 6 else ""
    hidden = [
        f"{piece} shows {100 * share:.0f} % {camera}"
        for piece, shares in failure["shown"].items()
        for camera, share in shares.items()
        if share < 0.4
    ]
    cause = f" [{', '.join(hidden[:4])}]" if hidden else ""
    return f"  {failure['frame']} ({failure['kind']}), {failure['mode']}: {faults}{more}{cause}"


def _share(name: str) -> Any:
    return lambda column: "-" if column[name] is None else f"{100 * column[name]:.1f} %"


def _mm(*names: str) -> Any:
    return lambda column: " / ".join("-" if column[n] is None else f"{column[n]:.2f}" for n in names)


def _of(part: str, one: str, of: str) -> Any:
    return lambda column: f"{column[part][one]} of {column[part][of]}"


def _two(one: str, other: str) -> Any:
    return lambda column: f"{_share(one)(column)} / {_share(other)(column)}"


def _seconds(name: str) -> Any:
    def cell(column: dict[str, Any]) -> str:
        return " / ".join("-" if (v := column[name][k]) is None else f"{v:.1f}" for k in ("median", "p95"))

    return cell


def _kinds(column: dict[str, Any]) -> str:
    shares: dict[str, float | None] = column["within_95_of"]
    return " ".join("-" if v is None else f"{100 * v:.0f}" for v in shares.values())


ROWS = (
    ("layouts", "", lambda column: str(column["layouts"])),
    ("whole layout right", "97 % (single 90 %)", _share("right")),
    ("not right, and asked", "the rest", _share("asked")),
    ("right, and asked all the same", "", _share("asked_though_right")),
    ("wrong and sure", "0.5 %", _share("wrong_and_sure")),
    ("  the same two with road ends to 3 mm", "", _two("strictly_right", "strictly_wrong_and_sure")),
    ("columns found / heights right when sure", "99.5 % / 100 %", _two("columns_found", "heights_right_when_sure")),
    ("roads found", "99.5 %", _share("roads_found")),
    ("road ends in plan, median / p95 mm", "0.3 / 1.0", _mm("tip_plan_median_mm", "tip_plan_p95_mm")),
    ("road ends in z, median mm", "0.6", _mm("tip_z_median_mm")),
    ("column middles, median mm", "", _mm("column_median_mm")),
    ("95 % interval holds the truth", "93-97 %", _share("within_95")),
    ("  columns, tips in plan, in z, cars", "", _kinds),
    ("cars found / colour right", "99 %", _two("cars_found", "colours_right")),
    ("types given / right when given", "70 % / 95 %", _two("types_given", "types_right_when_given")),
    ("light only: a piece reported", "0", _of("light_only", "with_a_piece_reported", "layouts")),
    ("hand or bump: wrong and sure", "0", _of("gated", "wrong_and_sure", "layouts")),
    ("wall s, median / p95", "", _seconds("wall_s")),
    ("CPU s, median / p95", "", _seconds("cpu_s")),
    ("wall s, 1080p crowded, median / p95", "1.0 (single 6)", _seconds("full_wall_s")),
    ("CPU s, 1080p crowded, median / p95", "", _seconds("full_cpu_s")),
)  # fmt: skip
