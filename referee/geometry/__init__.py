"""Exact geometry of sticks, discs and prisms, vectorised over samples: every array's first axis is the sample."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

EXACT_MM = 1e-6
"""Distances are exact to this; what is nearer than it touches."""
