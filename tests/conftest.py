"""What holds for every test: no screen, and the same examples on every run."""

import os

from hypothesis import settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before any test imports Qt

# A deadline would time the machine, not the code.
settings.register_profile("house", derandomize=True, deadline=None)
settings.load_profile("house")
