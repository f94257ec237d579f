"""`highway rejudge`: every session of a folder judged again, on all cores or on a cluster."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from gui.archive import Result, Rules, jobs_for, on_all_cores, on_dask
from gui.progress import bar
from gui.replay_command import house_rules
from referee.edition import editions
from referee.errors import BadGame
from vision.errors import BadSession

STOPPED = 130
"""What a shell expects of a program that Ctrl-C ended."""


def run(arguments: argparse.Namespace) -> int:
    """One JSON line per session, by name; what was judged before by the same program is not judged again."""
    if arguments.edition and arguments.edition not in editions():
        raise BadGame(f"edition: '{arguments.edition}' is unknown; known are {', '.join(editions())}")
    if arguments.jobs is not None and arguments.jobs < 1:
        raise BadSession(f"--jobs {arguments.jobs}: at least one process is needed")
    rules = Rules(arguments.edition, house_rules(arguments.options) or {}, arguments.vision)
    results = arguments.results or arguments.folder / "rejudged"
    jobs = jobs_for(arguments.folder, Path(results), rules)
    running = on_dask(arguments.dask, jobs) if arguments.dask else on_all_cores(jobs, arguments.jobs)
    tell = bar("judging again")
    found: list[Result] = []
    try:
        for result in running:
            found.append(result)
            tell(len(found) / len(jobs))
    except KeyboardInterrupt:
        words = f"{len(found)} of {len(jobs)} sessions are judged and kept; the same command goes on from there"
        print(f"\nhighway: stopped, {words}", file=sys.stderr)
        return STOPPED
    lines = b"".join(msgspec.json.encode(one) + b"\n" for one in sorted(found, key=lambda one: one.session))
    sys.stdout.flush()
    sys.stdout.buffer.write(lines)
    failed = [one for one in found if one.error]
    if failed:
        names = ", ".join(sorted(one.session for one in failed)[:5])
        raise BadSession(f"{len(failed)} of {len(found)} sessions could not be judged ({names}); the rest is done")
    return 0
