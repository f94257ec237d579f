"""Whether what the views show of a stick and of its new columns is enough to tell that they are there."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from vision.change import unchanged
from vision.evidence import Evidence
from vision.fit import Fit, Scene, Support, is_aslant
from vision.found import Found
from vision.shade import looks_like_shade

LEAST_COUNT, LEAST_SCORE = 20, 20.0
"""Score points below which a stick is not told: true ones had 28 and more, shadows up to 14."""
HALF_SHOWN, LEAST_HALF_SHOWN = 0.55, 40.0
"""Of a stick of which less shows, or whose lines are mostly another's, more must speak for it."""
LEAST_SEEN_OVERHEAD, LEAST_SEEN_ASIDE, LEAST_SEEN_COLUMN = 0.5, 0.38, 0.5
"""Shares of the visible outline that must be seen: of a stick in each view, and of columns."""
CLEAR_OVERHEAD, CLEAR_ASIDE = 0.62, 0.5
FAINT = 0.3
NOT_SHOWN = Support(0.0, 0.0, 0.0, 0)
UNSEEN = "hidden from the side camera"


def is_seen_from_aside(found: Found, scenes: Sequence[Scene]) -> bool:
    """Whether views from aside show enough to tell heights: from above they hardly show."""
    fits = [found.stick, *(column for column in found.columns if column is not None)]
    aside = slice(0 if is_aslant(scenes) else 1, None)
    return sum(one.count for fit in fits for one in fit.support[aside]) >= LEAST_COUNT


def is_borne_out(found: Found, overhead: Evidence, least: float = LEAST_SCORE) -> bool:
    """Whether every view that shows enough of the stick and its columns bears them out, and it is no shadow."""
    if all(rest.is_ground for rest in found.rests) and looks_like_shade(overhead, found.stick.prism):
        return False
    if found.stick.score < least or found.stick.support[0].seen < LEAST_SEEN_OVERHEAD:
        return False
    if found.stick.support[0].visible < HALF_SHOWN and found.score < LEAST_HALF_SHOWN:
        return False
    if any(one.seen < LEAST_SEEN_ASIDE for one in found.stick.support[1:] if one.count >= LEAST_COUNT):
        return False
    columns = [column.support for column in found.columns if column is not None]
    if any(overhead.seen < LEAST_SEEN_COLUMN for overhead, *_ in columns if overhead.count >= LEAST_COUNT):
        return False
    return all(one.seen > FAINT for _, *others in columns for one in others if one.count >= LEAST_COUNT)


def but_for_hidden(found: Found, scenes: Sequence[Scene]) -> Found | None:
    """A stick that is clear from above, asked for, by what other views show of it and its columns: one that looks as
    before where a piece should be seen now shows what stands in front of it. None: nothing does."""
    if found.stick.support[0].seen < CLEAR_OVERHEAD or looks_like_shade(scenes[0].evidence, found.stick.prism):
        return None
    stick = _shown(found.stick, scenes)
    if any(view.seen < CLEAR_ASIDE for view in stick.support[1:] if view.count >= LEAST_COUNT):
        return None
    one, other = (None if column is None else _shown(column, scenes) for column in found.columns)
    shown = dataclasses.replace(found, stick=stick, columns=(one, other), doubt=UNSEEN)
    return shown if (stick, one, other) != (found.stick, *found.columns) else None


def _shown(fit: Fit, scenes: Sequence[Scene]) -> Fit:
    """A fit without the views in which something unknown stands in front of it."""
    overhead, *others = fit.support
    pairs = list(zip(scenes[1:], others, strict=True))
    hidden = [one.count > 0 and unchanged(scene.evidence, fit.prism) for scene, one in pairs]
    if not any(hidden):
        return fit
    kept = [NOT_SHOWN if is_hidden else one for one, is_hidden in zip(others, hidden, strict=True)]
    return dataclasses.replace(fit, support=(overhead, *kept))
