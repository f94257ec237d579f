"""The 3D view on a screen that has OpenGL: under Xvfb, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOOK = """
import sys
from PyQt6.QtGui import QOpenGLContext
from PyQt6.QtWidgets import QApplication
app = QApplication([])
if not QOpenGLContext().create():
    sys.exit(77)
from gui.crowded import crowded_scene
from gui.theme import Theme
from gui.widgets.solid import SolidView
view = SolidView(Theme())
view.resize(400, 300)
view.show()
view.show_scene(crowded_scene(12, 12))
for _ in range(50):
    app.processEvents()
assert view.view is not None, "there is OpenGL, and the 3D view did without it"
image = view.view.grabFramebuffer()
print(len({image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)}))
"""


@pytest.mark.skipif(shutil.which("xvfb-run") is None, reason="needs Xvfb")
def test_bodies_are_drawn_where_there_is_opengl() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "xcb"}
    run = ["xvfb-run", "-a", "-s", "-screen 0 800x600x24", sys.executable, "-c", LOOK]
    done = subprocess.run(run, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77 or "platform plugin" in done.stderr:
        pytest.skip("this machine lacks OpenGL, or the libraries of an X window")
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 20, "a picture of many colours"
