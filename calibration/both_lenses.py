"""The lenses of several cameras at once: each in a process of its own, told of as one piece of work."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path

from calibration.board import BoardSpec
from calibration.errors import CalibrationError
from calibration.lens_fit import SAMPLED_S, LensFound, Progress, lens_from


def lenses_from(
    files: Mapping[str, Sequence[Path]],
    spec: BoardSpec,
    progress: Progress | None = None,
    every_s: float = SAMPLED_S,
) -> dict[str, LensFound]:
    """The lens behind the files of each camera; the first that cannot be told ends the work on all."""
    context = get_context("spawn")  # a copy of a process that runs threads or a window may hang
    shares = dict.fromkeys(files, 0.0)
    found: dict[str, LensFound] = {}
    running = {}
    connections: dict[Connection, str] = {}
    try:
        for name, paths in files.items():
            here, there = context.Pipe(duplex=False)
            connections[here] = name
            running[name] = context.Process(target=_work, args=(there, tuple(paths), spec, every_s), daemon=True)
            running[name].start()
            there.close()
        while len(found) < len(files):
            for ready in wait([here for here, name in connections.items() if name not in found]):
                assert isinstance(ready, Connection)
                name = connections[ready]
                match _received(ready, name):
                    case LensFound() as lens:
                        found[name] = lens
                    case CalibrationError() as error:
                        raise error
                    case (share, words):
                        shares[name] = share
                        if progress is not None:
                            progress(sum(shares.values()) / len(shares), words)
    finally:
        for process in running.values():
            process.terminate()
            process.join()
        for here in connections:
            here.close()
    return {name: found[name] for name in files}


def _received(connection: Connection, name: str) -> LensFound | CalibrationError | tuple[float, str]:
    try:
        message: LensFound | CalibrationError | tuple[float, str] = connection.recv()
    except EOFError:
        return CalibrationError(f"the work on the {name} lens was broken off; is the memory full? try it again")
    return message


def _work(there: Connection, paths: Sequence[Path], spec: BoardSpec, every_s: float) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started this ends it

    def tell(share: float, words: str) -> None:
        there.send((share, words))

    try:
        there.send(lens_from(paths, spec, tell, every_s))
    except CalibrationError as error:
        there.send(error)
