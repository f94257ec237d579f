"""Makes photo-like frames with exact truth: stills, films of games, calibration takes, kit cards, a contact sheet."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from .assets import StudioError
from .kit_cards import add_kit_cards_command
from .splits import add_size_argument, add_split_arguments, seeds_in, size_in
from .takes import add_take_command


def main(argv: list[str] | None = None) -> int:
    """Run one command of the studio."""
    parser = argparse.ArgumentParser(prog="python -m sample_frames.studio", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    stills = commands.add_parser("stills", help="render still pairs, a folder each; go on where it stopped")
    add_split_arguments(stills)
    add_size_argument(stills)
    stills.add_argument("--samples", type=int, default=12, help="light paths per pixel: more is less noisy")
    stills.add_argument("--pixels", action="store_true", help="write piece numbers and depth per pixel too")
    stills.set_defaults(run=_stills)
    games = commands.add_parser("games", help="render games turn by turn from their first pair on, a folder each")
    add_split_arguments(games)
    add_size_argument(games)
    games.add_argument("--samples", type=int, default=12, help="light paths per pixel: more is less noisy")
    games.add_argument("--turns", type=int, default=12, help="how many turns of each at the most")
    games.set_defaults(run=_games)
    films = commands.add_parser("films", help="film whole games as two videos each; go on where it stopped")
    add_split_arguments(films)
    films.add_argument("--mission", action="store_true", help="a game in mission mode instead of the sample game")
    films.set_defaults(run=_films)
    add_take_command(commands)
    add_kit_cards_command(commands)
    contents = commands.add_parser("contents", help="write the table of contents and the contact sheet")
    contents.add_argument("root", type=Path, help="the folder that holds stills/ and the films")
    contents.set_defaults(run=_contents)
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except StudioError as error:
        print(f"studio: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nstudio: stopped; the same line goes on from here", file=sys.stderr)
        return 130


class Bar:
    """A progress bar with the time that is left, judged by what was made in this run."""

    def __init__(self, total: int) -> None:
        self.total, self.made = total, 0
        self.begun_s = time.monotonic()

    def show(self, done: int, made: bool = True) -> None:
        self.made += made
        left_s = (time.monotonic() - self.begun_s) / max(self.made, 1) * (self.total - done)
        bar = "#" * round(30 * done / self.total)
        line = f"\r[{bar:<30}] {done}/{self.total}  {left_s / 60:.0f} min left "
        print(line, end="" if done < self.total else "\n", file=sys.stderr, flush=True)


def use_mitsuba() -> None:
    """Load the renderer, or say how to get it."""
    try:
        import mitsuba as mi
        import pyoidn  # noqa: F401
    except ImportError as error:
        raise StudioError(f"{error.name} is not installed: .venv/bin/uv pip install --group studio") from None
    mi.set_variant("llvm_ad_rgb")


def _stills(arguments: argparse.Namespace) -> int:
    use_mitsuba()
    from .stills import plan, shoot

    size, bar = size_in(arguments), Bar(arguments.count)
    for done, (number, seed) in enumerate(seeds_in(arguments).items(), start=1):
        folder = arguments.out / f"still_{number:03d}"
        missing = not folder.exists()
        if missing:
            shoot(plan(seed, size), folder, arguments.samples, arguments.pixels)
        bar.show(done, missing)
    return 0


def _games(arguments: argparse.Namespace) -> int:
    use_mitsuba()
    from .games import shoot_game
    from .stills import plan

    for number, seed in seeds_in(arguments).items():
        folder = arguments.out / f"game_{number:03d}"
        if not folder.exists():
            shot = plan(seed, size_in(arguments))
            bar = Bar(min(arguments.turns + 1, len(shot.story.match.positions)))
            shoot_game(shot, folder, arguments.samples, arguments.turns, bar.show)
    return 0


def _films(arguments: argparse.Namespace) -> int:
    use_mitsuba()
    from .film import plan_film, shoot_film

    for number, seed in seeds_in(arguments).items():
        folder = arguments.out / f"{'mission' if arguments.mission else 'film'}_{number:03d}"
        if not folder.exists():
            film = plan_film(seed, arguments.mission)
            bar = Bar(len(film.game.layouts))
            shoot_film(film, folder, bar.show)
    return 0


def _contents(arguments: argparse.Namespace) -> int:
    from .contents import write_contents

    write_contents(arguments.root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
