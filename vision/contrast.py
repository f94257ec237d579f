"""How strong the edges of pieces are on this table, by those that are known to stand there."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from vision.evidence import Evidence
from vision.fit import Scene
from vision.one_by_one import supports_of
from vision.solids import Prism

SOME, LEAST_LINES = 10, 16
"""How many pieces tell enough, and the points of its outline that one must show."""
KNEES_OF_EDGE = 2.2
"""How many times the strength that counts half a middling edge has at least: grey pieces on beige in dim light had 1.3
times what noise alone makes of it, and hardly any new one was found; at 1.9 most were, from 2 on all."""


def knee_by_contrast(scene: Scene, known: Mapping[str, Prism]) -> float:
    """The edge strength that counts half where pieces that stood there before hardly stand out; `scene` hides things
    behind these."""
    if scene.evidence.before is None or not known:
        return scene.knee
    was = dataclasses.replace(scene, evidence=Evidence(scene.evidence.before))
    some = dict(list(known.items())[:: max(len(known) // SOME, 1)])
    shares = [one.seen for one in supports_of(was, some).values() if one.count >= LEAST_LINES]
    if not shares:
        return scene.knee
    share = float(np.median(shares))
    strength = scene.knee * share / max(1 - share, 1e-6)
    return min(scene.knee, strength / KNEES_OF_EDGE)
