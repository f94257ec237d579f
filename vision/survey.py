"""A table looked over without history: tops, sticks between them, and the heights on which all agree."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage
from scipy.special import expit

from referee.layout import Column, Layout, Road, RoadKind
from referee.pieces import Kit
from vision.bodies import stick_tips
from vision.bridges import GROUND, Bridge, bridges, grouped
from vision.claims import but_for_cars
from vision.ends import voted, ways_of
from vision.fit import Scene
from vision.floors import ODDS_WEIGHT, Floors
from vision.joint import State, Table
from vision.moves import begun, settled, without
from vision.refit import fitted
from vision.seek import Box
from vision.spans import Span, spans_of
from vision.stage import Stage
from vision.strips import Strip
from vision.told import told_sticks, told_tops
from vision.tops import Plan, plan_of, rim_strength, tops
from vision.view import Floats, Singles

CLEAREST = 12
TIMES_KNEE = 5.0
FAINT_SHARE, FAINT_TOPS = 0.15, 4000
LEAST_TOLD = 0.45
"""How much of a stick must be taken for one from above for it to be tried."""
WAYS, RIM_WEIGHT = 12, 0.3
FLOOR_WEIGHT, MAY_BE, OTHERS = 0.8, -1.95, 6
"""The same for the odds of a column there, log-odds from which one may stand (more than where not both views show the
spot), and how many others are tried."""
FAR_BELOW = 3.0
"""Heights whose log-odds are by so much lower than another's of the same top are not tried."""
MOVED_MM, FAR_MM = 0.25, 1.0
"""How far off a top must have been for all that lies on it to be worked out anew, and for both spots to be tried."""
TOLD_WEIGHT = 0.5
"""What it counts for a top, against the share of its rim that is seen, that all of it is taken for one."""


@dataclass(frozen=True, eq=False)
class Survey:
    """What may stand on the table, and what does by all evidence; `score` is how well that fits."""

    table: Table
    state: State
    score: float

    def layout(self, kit: Kit) -> Layout:
        """Its columns and sticks as pieces, not yet measured."""
        table, state = self.table, self.state
        columns = []
        for ring, height in state.heights.items():
            x, y = (float(v) for v in table.places[ring, height - 1])
            columns.append(Column(column_id(ring), x, y, height, False, None))
        roads = []
        for group, way in state.chosen.items():
            a, b = (tuple(float(v) for v in tip) for tip in stick_tips(table.pose(state, group), kit.road_length_mm))
            ends = [None if ring == GROUND else column_id(ring) for ring in table.span(group, way).ends]
            kind: RoadKind = "exit" if ends[1] is None else "road"
            roads.append(Road(f"r{group + 1}", a, b, kind, ends[0], ends[1], None))  # type: ignore[arg-type]
        return Layout(tuple(columns), tuple(roads), ())

    def without(self, groups: Collection[int]) -> Survey:
        """What stands there if some sticks are none."""
        state, score = without(self.table, self.state, groups)
        return Survey(self.table, state, score)


def column_id(ring: int) -> str:
    return f"c{ring + 1}"


def surveyed(
    scenes: Sequence[Scene], floors: Floors | None, found: Sequence[Strip], box: Box, highest: int, kit: Kit
) -> Survey:
    """The table as the overhead view (the first one), in which strips were found, and the others show it together."""
    plan = plan_of(scenes[0], box, kit)
    shares, spots = tops(plan, kit, FAINT_TOPS, FAINT_SHARE)
    finer = shares
    shares = shares + TOLD_WEIGHT * told_tops(scenes[0].evidence, plan.lifted(spots, plan.z_mm), kit.disc_radius_mm)
    if floors is not None:
        spots = np.concatenate([spots, *(_seen_at(plan, at, kit.column_top_mm(n)) for n, at in floors.likely(MAY_BE))])
        shares, finer = (np.pad(some, (0, len(spots) - len(some))) for some in (shares, finer))
        finer = finer + _floor_odds(plan, floors.sharp, spots, highest, kit).max(axis=1)
        shares = shares + FLOOR_WEIGHT * expit(_floor_odds(plan, floors.at, spots, highest, kit).max(axis=1))
    values, spots = voted(found, shares, spots, finer, kit)
    odds = np.zeros((len(spots), highest))
    if floors is not None:
        odds = _floor_odds(plan, floors.at, spots, highest, kit)
        kept = _likely(values, odds)
        values, spots, odds = values[kept], spots[kept], odds[kept]
    about = _About(_kneed(scenes, plan, spots, kit), plan, found, kit)
    rough = about.survey(spots, values, odds, begun)
    # What is about right tells what hides what, so that columns can be fitted: now each is tried where it really is.
    columns = fitted(rough.layout(kit), [but_for_cars(scene) for scene in about.scenes], kit).columns
    there = plan.flat(np.array([(c.x, c.y, kit.column_top_mm(c.height)) for c in columns]).reshape(-1, 3))
    used = np.array(list(rough.state.heights), int)
    off_mm = np.hypot(*(there - spots[used]).T)
    moved, is_far = off_mm > MOVED_MM, off_mm > FAR_MM
    spots[used[moved & ~is_far]] = there[moved & ~is_far]
    # One that would be far from where it was taken to be may have been fitted to the wrong thing: both are tried.
    spots, values = np.concatenate([spots, there[is_far]]), np.concatenate([values, values[used[is_far]]])
    odds = np.zeros((len(spots), highest))
    if floors is not None:
        odds = _floor_odds(plan, floors.at, spots, highest, kit)
    return about.survey(spots, values, odds, settled)


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


def _floor_odds(plan: Plan, at: Callable[[Floats, int], Singles], spots: Floats, highest: int, kit: Kit) -> Floats:
    """The log-odds (k, h) that tops seen at spots (k, 2) of the plane are columns of each height."""
    levels = range(1, highest + 1)
    odds = [at(plan.lifted(spots, kit.column_top_mm(n))[:, :2], n) for n in levels]
    return np.stack(odds, axis=1).astype(np.float64)


def _kneed(scenes: Sequence[Scene], plan: Plan, spots: Floats, kit: Kit) -> list[Scene]:
    """The scenes with edges overhead that are far weaker than the clearest rims speaking for no piece."""
    least = rim_strength(scenes[0], plan, spots[:CLEAREST], kit) / TIMES_KNEE
    overhead = dataclasses.replace(scenes[0], knee=max(scenes[0].knee, least))
    return [overhead, *scenes[1:]]


@dataclass(frozen=True, eq=False)
class _About:
    """A table as it is looked over again: the views, and the strips that were found."""

    scenes: Sequence[Scene]
    plan: Plan
    found: Sequence[Strip]
    kit: Kit
    _spans: dict[Hashable, Span] = field(default_factory=dict)
    """What each bridge between tops at their spots may be in space."""

    def survey(
        self, spots: Floats, values: Floats, odds: Floats, search: Callable[[Table], tuple[State, float]]
    ) -> Survey:
        """Of all ways for sticks to lie on tops at spots (k, 2) of the plane, so clear (k,) and with such odds (k, h)
        of their heights, those that all views bear out together, as far as a search finds them."""
        plan, kit = self.plan, self.kit
        keyed = [{_key(way, spots): way for way in group} for group in self._ways(spots, values)]
        new = {key: way for group in keyed for key, way in group.items() if key not in self._spans}
        self._spans.update(zip(new, spans_of(plan, self.scenes, [*new.values()], spots, _may(odds), kit), strict=True))
        groups = [[self._spans[key] for key in group] for group in keyed]
        tops_mm = [kit.column_top_mm(n) for n in range(1, odds.shape[1] + 1)]
        places = np.stack([plan.lifted(spots, top_mm)[..., :2] for top_mm in tops_mm], axis=1)
        table = Table.of(places, ODDS_WEIGHT * odds, groups, [Stage(scene) for scene in self.scenes], kit)
        return Survey(table, *search(table))

    def _ways(self, spots: Floats, values: Floats) -> list[list[Bridge]]:
        """The likeliest ways for each stick to lie on tops at spots (k, 2) that are so clear (k,)."""
        along_strips = [way for some in ways_of(self.plan, self.found, values, spots, self.kit) for way in some]
        likely = [*along_strips, *bridges(self.plan, spots, self._taken, self.kit)]
        shares = self._taken(np.array([way.line for way in likely]).reshape(-1, 2, 2))
        groups = grouped([way for way, share in zip(likely, shares, strict=True) if share > LEAST_TOLD])
        return [sorted(group, key=lambda one: _rank(one, values))[:WAYS] for group in groups]

    def _taken(self, lines: Floats) -> Floats:
        """How much of what lies along lines (m, 2, 2) of the plane is taken for a stick."""
        return told_sticks(self.scenes[0].evidence, self.plan.lifted(lines, self.plan.z_mm))


def _key(bridge: Bridge, spots: Floats) -> Hashable:
    """The same for bridges that are the same, between tops that are where they were."""
    return bridge.ends, bridge.line.tobytes(), spots[[ring for ring in bridge.ends if ring != GROUND]].tobytes()


def _rank(bridge: Bridge, values: Floats) -> float:
    """The best ways first: both long sides seen, between tops that are clear."""
    return -(bridge.sides + RIM_WEIGHT * float(np.mean([values[ring] for ring in bridge.ends if ring != GROUND])))
