"""Ways to explain a new stick that one view alone shows: on every pair of things, as likely as the picture makes it.

From above the lines of a stick hardly tell how high it lies, from aside how far off. Little things do, and each of them
by itself may err: how long the stick and how large a column's top looks, where disc sides show and where they end, and
which old pieces it lies over.
"""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from referee.layout import Layout
from referee.pieces import Kit
from vision.covers import pixels_about
from vision.depth import patch_of
from vision.fit import Scene, is_aslant
from vision.found import Found, Way, borne_by, is_apt, laid, with_columns
from vision.propose import LEAST_LAID, LEAST_SCANNED, is_through
from vision.rests import Rest
from vision.rims import rim_odds, usual_rim_mm
from vision.told import is_asked
from vision.view import Floats

SCANNED, NEAR_SCANNED, TWINS = 160, 12.0, 2
"""How many ways are fitted after a scan, by how much their scores may be less than the best one's, and how many on the
same things."""
NEAR = 10.0
"""By how much less a stick may score than the best one for its columns to be looked for."""
POINT, LINES, RIM, TOLD, UNCOVERED = 0.55, 0.14, 0.6, 0.0054, 0.048
"""What counts for the log-odds of a way: a point of its stick's score, each squared pixel that its lines lie off, its
rims' odds, a mm2 by what it is taken for, and a mm2 of old pieces that changed under nothing. They were set so that on
26 turns of 13 tables the odds from above were right; that is how far they are to be trusted. From aside they
picked the true way on all of 27 turns on which it was among those that lines left over."""
COLUMN = 0.3
"""What a point of a column's score counts from aside, where all of it shows and not its rim alone."""
SECTOR_RAD = math.radians(12.0)
"""From aside two ways on the same things may run in quite different directions: by as much they are two."""

MISSED = 0.08
"""How often the true way is none of those that were tried: then a column may have any height."""


def likely_ways(scenes: Sequence[Scene], ways: Sequence[Way], scores: Floats, layout: Layout, kit: Kit) -> list[Found]:
    """Ways to explain a stick, of which these are the scores of a scan, likeliest first, with the odds of the heights
    of their new columns."""
    if not ways or scores.max() < LEAST_SCANNED:
        return []
    aslant = is_aslant(scenes)
    found = laid(scenes, [ways[i] for i in _on_each(ways, scores, aslant)], kit)
    if all(one.stick.score < LEAST_LAID for one in found):
        return []
    foremost = _foremost(found, layout, kit, aslant)
    whole = [one for one in with_columns(scenes, foremost, kit) if is_apt(one, layout, kit)]
    return _weighed(*_with_odds(scenes, whole, layout, kit)) if whole else []


def _on_each(ways: Sequence[Way], scores: Floats, aslant: bool) -> list[int]:
    """The best ways on each pair of things."""
    kept: defaultdict[Hashable, list[int]] = defaultdict(list)
    for i in np.argsort(-scores)[: np.count_nonzero(scores > scores.max() - NEAR_SCANNED)].tolist():
        same = kept[_lies_on(ways[i][0], ways[i][1], aslant)]
        if len(same) < TWINS:
            same.append(i)
    return [i for same in kept.values() for i in same][:SCANNED]


def _foremost(found: Sequence[Found], layout: Layout, kit: Kit, aslant: bool) -> list[Found]:
    """The best fit on each pair of things, of those that are nearly as good as the best of all."""
    least = max(one.score for one in found) - NEAR
    kept: dict[Hashable, Found] = {}
    for one in sorted(found, key=lambda one: -one.score):
        if one.score > least and not is_through(one, layout, kit):
            kept.setdefault(_lies_on(one.stick.pose, one.rests, aslant), one)
    return list(kept.values())


def _lies_on(pose: Floats, rests: tuple[Rest, Rest], aslant: bool) -> Hashable:
    """What tips rest on, and how high; from aside in which direction too."""
    things = tuple((rest.column, rest.height, rest.z_mm) for rest in rests)
    return (things, round(float(pose[2]) / SECTOR_RAD)) if aslant else things


def _with_odds(scenes: Sequence[Scene], ways: Sequence[Found], layout: Layout, kit: Kit) -> tuple[list[Found], Floats]:
    """Ways with what pixels tell of each, and how likely they are beside one another, (m,)."""
    scene = scenes[0]
    pieces = [[way.stick.prism, *(one.prism for one in way.columns if one is not None)] for way in ways]
    pixels = pixels_about(scene, [piece for some in pieces for piece in some], kit)
    without, _ = pixels.with_pieces([])
    log_odds, gains = np.zeros(len(ways)), np.zeros(len(ways))
    for i, (way, some) in enumerate(zip(ways, pieces, strict=True)):
        stick, (told, uncovered_mm2) = way.stick, pixels.with_pieces(some)
        lines = stick.chi2 * stick.support[0].visible * len(stick.prism.outline)
        gains[i] = TOLD * (told - without)
        log_odds[i] = POINT * stick.score - LINES * lines + TOLD * told - UNCOVERED * uncovered_mm2
    columns = [(i, column) for i, way in enumerate(ways) for column in way.columns if column is not None]
    if columns and is_aslant(scenes):
        np.add.at(log_odds, [i for i, _ in columns], COLUMN * np.array([column.score for _, column in columns]))
    elif columns:
        over = [patch_of(ways[i].stick.prism, scene.evidence.lens) for i, _ in columns]
        rims = rim_odds(scenes, [c for _, c in columns], [over], usual_rim_mm(scene, layout, kit), kit)
        np.add.at(log_odds, [i for i, _ in columns], RIM * rims)
    told_of = gains.tolist() if is_asked() else [None] * len(ways)
    return [dataclasses.replace(way, told=told) for way, told in zip(ways, told_of, strict=True)], log_odds


def _weighed(ways: Sequence[Found], log_odds: Floats) -> list[Found]:
    """Ways in the order of how likely it is that a stick rests on their things, however high it lies there."""
    shares = np.exp(log_odds - log_odds.max())
    on: defaultdict[Hashable, float] = defaultdict(float)
    for way, share in zip(ways, shares.tolist(), strict=True):
        on[tuple(borne_by(way))] += share
    totals = np.array([on[tuple(borne_by(way))] for way in ways])
    order = np.lexsort((-shares, -totals)).tolist()
    # The likeliest keeps its own score, which tells whether it is there at all; others follow by how likely they are.
    best = ways[order[0]].score
    behind = (np.log(totals / totals.max()) + np.log(shares / shares[order[0]]).clip(max=0.0)) / POINT
    return [
        dataclasses.replace(
            ways[i], beside=best + float(behind[i]) - ways[i].score, heights=_heights(ways[i], ways, shares)
        )
        for i in order
    ]


def _heights(way: Found, ways: Sequence[Found], shares: Floats) -> tuple[Mapping[int, float], ...]:
    """The odds of the heights of the columns under both ends; none of an end that lies on no new column."""
    return tuple(_heights_at(end, way, ways, shares) for end in (0, 1))


def _heights_at(end: int, way: Found, ways: Sequence[Found], shares: Floats) -> Mapping[int, float]:
    if not way.rests[end].is_new:
        return {}
    likely: defaultdict[int, float] = defaultdict(float)
    for other, share in zip(ways, shares.tolist(), strict=True):
        rest, far = other.rests[end], other.rests[1 - end]
        is_alike = (far.column, far.is_new) == (way.rests[1 - end].column, way.rests[1 - end].is_new)
        if rest.is_new and rest.height is not None and is_alike:
            likely[rest.height] += share
    total, tallest = math.fsum(likely.values()), max(likely)
    return {n: (1 - MISSED) * likely[n] / total + MISSED / tallest for n in range(1, tallest + 1)}
