"""One pair of pictures without history: the whole layout, from the sticks that both views bear out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace

from referee.layout import BARE_TABLE, Column, Layout, Road, RoadKind
from referee.pieces import Kit
from vision.at_once import at_once
from vision.bodies import stick_tips
from vision.bridges import GROUND
from vision.claims import but_for_cars
from vision.depth import depth_map
from vision.doubt import with_heights
from vision.evidence import Evidence
from vision.first_look import Look
from vision.fit import Scene
from vision.flat import flat_of
from vision.floors import Floors
from vision.found import BORNE
from vision.idle import idle_sticks
from vision.joint import State
from vision.lifts import Rivals, with_settled_heights
from vision.lineage import FAINT, directed, without_stock
from vision.looks import Face, may_be_stick, wood_of
from vision.marks import with_tops
from vision.measured import measured
from vision.misfit import asked_on_misfit
from vision.one_by_one import supports_of
from vision.over_under import asked_at_crossings
from vision.refit import fitted
from vision.seen_cars import with_cars
from vision.shared_errors import with_shared_errors
from vision.solids import solids
from vision.strips import strips
from vision.survey import Survey, surveyed
from vision.tops import PLANE_DISCS
from vision.trust import asked_where_untrusted, left_over, read_in
from vision.view import Lens
from vision.views import scenes_of, with_depth

LEAST_GAIN = 14.0
"""Score points that a stick must add, or it is asked for: true ones add 18 and more, false ones up to 12."""
EASED = 0.5
"""What a point of score counts for heights: whole regions of pixels are taken for something together."""
SHOWN = 0.2
"""Share of a column's outline that must show from the side: one with 0.18 was two discs too high, and sure."""
CLEAR, LEAST_LINES = 0.55, 16
"""Share of its outline that a column must show in each view with so many points of it, or it is asked for."""
LEAST_LEVEL, AHEAD, AGAINST_LEVEL = 0.3, 0.3, -1.5
"""Log-odds that a height must have by levels, and by how much more than any other, or it is asked for: of three below
the first on 151 tables one was wrong. Below the last what it bears is too: 3 of 4 such heights were wrong, none of 20
others that were asked for."""
LEVELS = "height: what both views show on that level does not agree"
AGAINST = "height: what both views show on that level speaks against it"
ODD_SWEEPS, MOST_ODD = 3, 0.25
"""How often it is looked for them, and the share of all sticks that may look unlike the others: where more do
it is not known what wood looks like."""
HIDDEN = "hidden from the side camera"


def layout_of(look: Look, players: Sequence[str]) -> Layout:
    """What stands on the table, from one settled pair alone."""
    views, kit, area, floors = look.views, look.kit, look.area, look.floors
    scenes = scenes_of(views, BARE_TABLE, kit)
    flat = flat_of(views[0].view, look.box, PLANE_DISCS * kit.disc_height_mm, kit)
    found = [one for one in strips(flat, kit) if area.covers(one.middle)]
    survey = surveyed(scenes, floors, found, look.box, look.highest, kit)
    survey = _but_for_odd(survey, views, kit)
    looked_over = [but_for_cars(stage.scene) for stage in survey.table.stages]
    rough = fitted(_built(survey, kit), looked_over, kit)
    first = measured(rough, looked_over, kit)
    (_, layout), rivals = with_settled_heights([rough, first], _rivals(survey), looked_over, floors, kit)
    layout = layout if layout is first else measured(layout, looked_over, kit)
    if idle := idle_sticks(layout, [stage.scene for stage in survey.table.stages], kit):
        survey = survey.less({group for group in survey.state.chosen if _road_id(group) in idle})
        layout = measured(replace(layout, roads=tuple(r for r in layout.roads if r.id not in idle)), looked_over, kit)
    layout = with_tops(_doubted(layout, survey, rivals, scenes, floors, kit), views, kit)
    layout = with_cars(views, layout, players, kit)
    layout = asked_at_crossings(layout, views[0], kit, scenes[0].knee, {road.id for road in layout.roads})
    layout = asked_on_misfit(directed(without_stock(layout, area), kit), scenes, kit)
    read = at_once(lambda view: read_in(layout, view, kit, area if view is views[0] else None), views)
    layout = asked_where_untrusted(layout, left_over(layout, found, flat, views[0], kit), read)
    return with_shared_errors(layout, look.rig, kit)


def _built(survey: Survey, kit: Kit) -> Layout:
    """The survey's columns and sticks as pieces, not yet measured."""
    table, state = survey.table, survey.state
    columns = []
    for ring, height in state.heights.items():
        x, y = (float(v) for v in table.places[ring, height - 1])
        columns.append(Column(_column_id(ring), x, y, height, False, None))
    roads = []
    for group, way in state.chosen.items():
        a, b = (tuple(float(v) for v in tip) for tip in stick_tips(table.pose(state, group), kit.road_length_mm))
        ends = [None if ring == GROUND else _column_id(ring) for ring in table.span(group, way).ends]
        roads.append(Road(_road_id(group), a, b, _kind(ends), ends[0], ends[1], None))  # type: ignore[arg-type]
    return Layout(tuple(columns), tuple(roads), ())


def _but_for_odd(survey: Survey, views: Sequence[Evidence], kit: Kit) -> Survey:
    """The survey without the few sticks that look like none: stripes of a cloth, a rainbow, edges of a card, and what
    is then found in their place."""
    for _ in range(ODD_SWEEPS):
        odd = _odd(survey, views, kit)
        if not 0 < len(odd) < MOST_ODD * len(survey.state.chosen):
            break
        survey = survey.without(odd)
    return survey


def _odd(survey: Survey, views: Sequence[Evidence], kit: Kit) -> set[int]:
    """The groups of sticks that look like none."""
    layout = _built(survey, kit)
    known = solids(layout, kit)
    faces: dict[str, list[Face]] = {road.id: [] for road in layout.roads}
    for view in views:
        depth = depth_map(known, view.lens)
        if (wood := wood_of(view.view, depth, layout, kit)) is None:
            return set()
        for road in layout.roads:
            faces[road.id].append(Face.of(wood, view, depth.without(road.id), known[road.id]))
    sticks = zip(survey.state.chosen, layout.roads, strict=True)
    return {
        group for group, road in sticks if not may_be_stick(*faces[road.id], leads_down=None in (road.from_, road.to))
    }


def _rivals(survey: Survey) -> Rivals:
    """What the search thought of other heights."""
    table, state = survey.table, survey.state
    return {
        _column_id(ring): {
            n: table.score(State(state.heights | {ring: n}, state.chosen)) - survey.score
            for n in (height - 1, height + 1)
        }
        for ring, height in state.heights.items()
    }


def level_doubt(floors: Floors | None, overhead: Lens, column: Column, kit: Kit) -> str | None:
    """What both views laid on levels have against a column's height, if anything."""
    if floors is None:
        return None
    top = np.array([column.x, column.y, kit.column_top_mm(column.height)])
    odds = floors.heights_at(overhead, top, kit)
    own = odds[column.height - 1] if column.height <= len(odds) else -np.inf
    others = np.delete(odds, column.height - 1) if column.height <= len(odds) else odds
    if own < AGAINST_LEVEL:
        return AGAINST
    return LEVELS if own < LEAST_LEVEL or own < others.max() + AHEAD else None


def _column_id(ring: int) -> str:
    return f"c{ring + 1}"


def _road_id(group: int) -> str:
    return f"r{group + 1}"


def _kind(ends: Sequence[str | None]) -> RoadKind:
    return "exit" if ends[1] is None else "road"


def _doubted(
    layout: Layout, survey: Survey, rivals: Rivals, scenes: Sequence[Scene], floors: Floors | None, kit: Kit
) -> Layout:
    """The layout with what cannot be told marked: heights with rivals, sticks that add little, what no view shows."""
    table, state = survey.table, survey.state
    known = solids(layout, kit)
    whole = with_depth(scenes, known)
    standing = {column.id: known[column.id] for column in layout.columns}
    borne_out = at_once(lambda scene: supports_of(scene, standing), whole)
    columns = {}
    for column in layout.columns:
        scores = {**rivals[column.id], column.height: 0.0}
        asked = with_heights(column, {n: EASED * one for n, one in scores.items()})
        seen = [every[column.id] for every in borne_out]
        if asked.unsure is None and (doubt := level_doubt(floors, scenes[0].evidence.lens, column, kit)) is not None:
            asked = replace(asked, unsure=doubt)
        elif asked.unsure is None and (len(seen) < 2 or seen[1].visible < SHOWN):
            asked = replace(asked, unsure=HIDDEN)
        elif asked.unsure is None and any(one.seen < CLEAR for one in seen if one.count >= LEAST_LINES):
            asked = replace(asked, unsure=FAINT)
        columns[column.id] = asked
    roads = []
    for group, road in zip(state.chosen, layout.roads, strict=True):
        gain = survey.score - table.score(table.less(state, {group}))
        bearing = {columns[name].unsure for name in road.columns()}
        why = road.unsure
        if gain < LEAST_GAIN:
            why = FAINT
        elif "height" in bearing:
            why = "height of its column"
        elif bearing & {AGAINST, HIDDEN}:
            why = BORNE
        roads.append(replace(road, unsure=why))
    borne = {name for road in roads if road.unsure != FAINT for name in road.columns()}
    asked_for = [c if c.unsure or c.id in borne else replace(c, unsure=FAINT) for c in columns.values()]
    return replace(layout, columns=tuple(asked_for), roads=tuple(roads))
