"""A table looked over without history: tops, sticks between them, and the heights on which all agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.special import expit

from referee.pieces import Kit
from vision.bare_ends import under_bare_ends
from vision.bridges import GROUND, Bridge, bridges, grouped
from vision.ends import voted, ways_of
from vision.fit import Scene
from vision.floors import ODDS_WEIGHT, Floors
from vision.joint import State, Table
from vision.moves import settled, settled_from, without
from vision.seek import Box
from vision.spans import Span, spans_of
from vision.stage import Stage
from vision.strips import Strip
from vision.told import told_sticks, told_tops
from vision.tops import Plan, plan_of, rim_strength, tops
from vision.view import Floats

CLEAREST = 12
TIMES_KNEE = 5.0
FAINT_SHARE, FAINT_TOPS = 0.15, 4000
LEAST_TOLD = 0.45
"""How much of a stick must be taken for one from above for it to be tried."""
WAYS, RIM_WEIGHT = 8, 0.3
FLOOR_WEIGHT, MAY_BE, OTHERS = 0.8, -2.5, 6
"""The same for the odds of a column there, log-odds from which one may stand, and how many others are tried."""
HIDDEN_DISCS = 3
"""How high columns are at most that are sought where they hide under what they bear."""
HELD = 0.0
"""Log-odds from which a column is tried right where they are highest, whatever rims say of tops beside it."""
FAR_BELOW = 6.0
"""Heights whose log-odds are by so much lower than another's of the same top are not tried: true ones were lower by up
to 4.4 where pieces had another paint than usual."""
TOLD_WEIGHT = 0.5
"""What it counts for a top, against the share of its rim that is seen, that all of it is taken for one."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What may stand on the table, and what does by all evidence; `score` is how well that fits."""

    table: Table
    state: State
    score: float

    def less(self, groups: Collection[int]) -> Survey:
        """The same without some sticks."""
        state = self.table.less(self.state, groups)
        return Survey(self.table, state, self.table.score(state))

    def without(self, groups: Collection[int]) -> Survey:
        """What stands there if some sticks are none."""
        state, score = without(self.table, self.state, groups)
        return Survey(self.table, state, score)


def surveyed(
    scenes: Sequence[Scene], floors: Floors | None, found: Sequence[Strip], box: Box, highest: int, kit: Kit
) -> Survey:
    """The table as the overhead view (the first one), in which strips were found, and the others show it together."""
    plan = plan_of(scenes[0], box, kit)
    values, spots, odds = _tops(scenes[0], plan, floors, found, highest, kit)
    ways = _Ways(_kneed(scenes, plan, spots, kit), plan, found, kit)
    groups = ways.on(values, spots, odds, _may(odds))
    table = Table.of(ways.places(spots, highest), ODDS_WEIGHT * odds, groups, [*map(Stage, ways.scenes)], kit)
    survey = Survey(table, *settled(table))
    return survey if floors is None else _with_hidden(survey, ways, floors, values, spots, odds)


def _tops(
    overhead: Scene, plan: Plan, floors: Floors | None, found: Sequence[Strip], highest: int, kit: Kit
) -> tuple[Floats, Floats, Floats]:
    """Likely disc tops: how much speaks for each (k,), spots (k, 2) of the plane, log-odds of each height (k, h)."""
    shares, spots = tops(plan, kit, FAINT_TOPS, FAINT_SHARE)
    shares = shares + TOLD_WEIGHT * told_tops(overhead.evidence, plan.lifted(spots, plan.z_mm), kit.disc_radius_mm)
    if floors is None:
        values, spots = voted(found, shares, spots, np.zeros(len(spots), bool), kit)
        return values, spots, np.zeros((len(spots), highest))
    spots = np.concatenate([spots, *(_seen_at(plan, at, kit.column_top_mm(n)) for n, at in floors.likely(MAY_BE))])
    likeliest = _floor_odds(plan, floors, spots, highest, kit).max(axis=1)
    held = (np.arange(len(spots)) >= len(shares)) & (likeliest > HELD)
    shares = np.pad(shares, (0, len(spots) - len(shares))) + FLOOR_WEIGHT * expit(likeliest)
    values, spots = voted(found, shares, spots, held, kit)
    odds = _floor_odds(plan, floors, spots, highest, kit)
    kept = _likely(values, odds)
    return values[kept], spots[kept], odds[kept]


@dataclass(frozen=True, eq=False)
class _Ways:
    """How sticks may lie on tops, by the overhead view's plane, the strips found in it, and all views."""

    scenes: Sequence[Scene]
    plan: Plan
    found: Sequence[Strip]
    kit: Kit

    def places(self, spots: Floats, highest: int) -> Floats:
        """Where tops seen at spots (k, 2) of the plane stand at each height, (k, h, 2)."""
        tops_mm = [self.kit.column_top_mm(n) for n in range(1, highest + 1)]
        return np.stack([self.plan.lifted(spots, top_mm)[..., :2] for top_mm in tops_mm], axis=1)

    def taken(self, lines: Floats) -> Floats:
        """How much (0 to 1) of what lies along lines (m, 2, 2) of the plane the overhead view takes for a stick."""
        return told_sticks(self.scenes[0].evidence, self.plan.lifted(lines, self.plan.z_mm))

    def on(
        self, values: Floats, spots: Floats, odds: Floats, may: NDArray[np.bool_], first: int = 0
    ) -> list[list[Span]]:
        """For each stick that may lie on tops the ways in which it may; on one from number `first` on."""
        plan, kit = self.plan, self.kit

        def taken_aside(lines: Floats, ends: NDArray[np.intp]) -> Floats:
            low, high = (kit.lying_z_mm(odds[ends[:, end]].argmax(axis=1) + 1) for end in (0, 1))
            lying = plan.lifted(lines, np.column_stack([low, high]))
            told = [told_sticks(scene.evidence, lying) for scene in self.scenes[1:]]
            most: Floats = np.max([np.zeros(len(lines)), *told], axis=0)
            return most

        along_strips = [way for group in ways_of(plan, self.found, values, spots, kit) for way in group]
        likely = [way for way in along_strips if max(way.ends) >= first]
        likely += bridges(plan, spots, self.taken, taken_aside, kit, first)
        shares = self.taken(np.array([way.line for way in likely]).reshape(-1, 2, 2))
        groups = grouped([way for way, share in zip(likely, shares, strict=True) if share > LEAST_TOLD])
        ways = [sorted(group, key=lambda one: _rank(one, values))[:WAYS] for group in groups]
        spans = iter(spans_of(plan, self.scenes, [way for group in ways for way in group], spots, may, kit))
        return [[next(spans) for _ in group] for group in ways]


def _with_hidden(survey: Survey, ways: _Ways, floors: Floors, values: Floats, spots: Floats, odds: Floats) -> Survey:
    """The survey with low columns that nothing shows but that sticks end there, where they bear it out better."""
    table, first, known = survey.table, len(spots), len(survey.table.groups)
    under = under_bare_ends(table, survey.state, ways.plan, ways.found, spots, ways.taken)
    if not len(under):
        return survey
    highest = odds.shape[1]
    odds = np.concatenate([odds, _floor_odds(ways.plan, floors, under, highest, ways.kit)])
    spots, values, may = np.concatenate([spots, under]), np.pad(values, (0, len(under))), _may(odds)
    may[first:] = np.arange(highest) < HIDDEN_DISCS
    groups = ways.on(values, spots, odds, may, first)
    table.grow(ways.places(under, highest), ODDS_WEIGHT * odds[first:], groups)
    state, score = settled_from(table, survey.state)
    if score > survey.score:
        return Survey(table, state, score)
    table.forget(range(known, len(table.groups)))
    return survey


def _likely(values: Floats, odds: Floats) -> np.ndarray:
    """Tops of which a height has some odds (k, h), and some that other evidence speaks for, the best of them."""
    likely = odds.max(axis=1) > MAY_BE
    others = np.flatnonzero(~likely)
    return np.sort(np.concatenate([np.flatnonzero(likely), others[np.argsort(-values[others])][:OTHERS]]))


def _may(odds: Floats) -> NDArray[np.bool_]:
    """Which heights (k, h) are tried: likely ones, and those a disc off, about which levels are mistaken first."""
    likely = odds > odds.max(axis=1, keepdims=True) - FAR_BELOW
    return np.asarray(ndimage.binary_dilation(likely, np.ones((1, 3))))


def _seen_at(plan: Plan, spots: Floats, z_mm: float) -> Floats:
    """Where on the plane tops at spots (k, 2) of a height are seen."""
    return plan.flat(np.column_stack([spots, np.full(len(spots), z_mm)]))


def _floor_odds(plan: Plan, floors: Floors, spots: Floats, highest: int, kit: Kit) -> Floats:
    """The log-odds (k, h) that tops seen at spots (k, 2) of the plane are columns of each height."""
    levels = range(1, highest + 1)
    odds = [floors.at(plan.lifted(spots, kit.column_top_mm(n))[:, :2], n) for n in levels]
    return np.stack(odds, axis=1).astype(np.float64)


def _kneed(scenes: Sequence[Scene], plan: Plan, spots: Floats, kit: Kit) -> list[Scene]:
    """The scenes with edges overhead that are far weaker than the clearest rims speaking for no piece."""
    least = rim_strength(scenes[0], plan, spots[:CLEAREST], kit) / TIMES_KNEE
    overhead = dataclasses.replace(scenes[0], knee=max(scenes[0].knee, least))
    return [overhead, *scenes[1:]]


def _rank(bridge: Bridge, values: Floats) -> float:
    """The best ways first: both long sides seen, between tops that are clear."""
    return -(bridge.sides + RIM_WEIGHT * float(np.mean([values[ring] for ring in bridge.ends if ring != GROUND])))
