"""The dashboard and the command line."""

import os

# Read once, when NumPy and OpenCV load, here and in every process that is started from here. What they would split up
# is small: a second thread of theirs mostly waits, on a core that `vision.at_once` or another process has work for.
for variable in ("OPENBLAS_NUM_THREADS", "OPENCV_FOR_THREADS_NUM"):
    os.environ.setdefault(variable, "1")
