"""Pictures of nothing but a sensor's noise."""

from __future__ import annotations

import numpy as np

from vision.view import Picture


def noisy(count: int, size: tuple[int, int] = (160, 90), seed: int = 0) -> list[Picture]:
    """Grey pictures with a sensor's noise: none equals another."""
    rng = np.random.default_rng(seed)
    return [rng.normal(128, 6, (size[1], size[0], 3)).clip(0, 255).astype(np.uint8) for _ in range(count)]
