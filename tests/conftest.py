"""What holds for every test: no screen, and the same examples on every run."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from gui.cli import BAD_INPUT, main

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before any test imports Qt

# A deadline would time the machine, not the code.
settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")


@pytest.fixture
def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Judge a file with these contents; the one line of the refusal."""

    def run(contents: str | bytes) -> str:
        file = tmp_path / "game.json"
        file.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return refusal(["judge", str(file)], capsys)

    return run


def refusal(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    code = main(argv)
    out, err = capsys.readouterr()
    assert (code, out) == (BAD_INPUT, "")
    assert err.endswith("\n")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    return err
