"""What holds for every test: no screen, and the same examples on every run."""

import gc
import os
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import settings

from gui.cli import BAD_INPUT, main

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before any test imports Qt

# A deadline would time the machine, not the code.
settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """A window of a test that is over goes now, and its garbage on this thread: no loop runs between two tests."""
    result = yield
    if "PyQt6.QtWidgets" in sys.modules:
        from PyQt6.QtCore import QCoreApplication, QEvent

        from gui.garbage import collect_due

        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        if not gc.isenabled():
            collect_due()
    return result


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
