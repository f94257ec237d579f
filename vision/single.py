"""One pair of pictures without history: the whole layout, from the sticks that both views bear out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from calibration.camera import Rig
from referee.layout import BARE_TABLE, Column, Layout, with_pieces
from referee.pieces import Kit
from vision.cars import find_cars
from vision.columns import Anchors, anchors
from vision.depth import depth_map, with_solids
from vision.fit import Scene, column_body, fit, stick_body, support
from vision.lineage import directed
from vision.marks import junction_odds
from vision.polish import polished
from vision.propose import laid
from vision.region import play_box
from vision.rests import Rest
from vision.roads import LEAST_HIGHEST, SEEK_Z_MM, is_borne_out, masked, with_found
from vision.seek import Field, field, seek_sticks, seen_share, slid
from vision.settle import GROUND, LEAST_STICK, Span, best_span, settled_heights, spans_of
from vision.sigmas import column_sigma
from vision.solids import solid_of, solids
from vision.stripes import stripes
from vision.view import Picture
from vision.views import evidence_of, scenes_of

SEEDS = 45
SLIDES = 4
LEAST_SHARE = 0.4
ASK_JUNCTION = 1.5
MOST_RINGS = 60
CLEAR, SHOWN = 0.72, 0.3
FAINT = "not clear in both views"


def layout_of(pictures: Mapping[str, Picture], rig: Rig, kit: Kit, players: Sequence[str]) -> Layout:
    """What stands on the table, from one settled pair alone."""
    box = play_box(BARE_TABLE, rig, kit)
    views = evidence_of(pictures, None, rig, box)
    scenes = scenes_of(views, BARE_TABLE, kit)
    layout = _sticks(scenes, field(views[0], box, SEEK_Z_MM), kit)
    layout = polished(_without_stock(layout), scenes, kit)
    odds = junction_odds(views, layout, kit)
    columns = [replace(column, junction=odds[column.id] > 0) for column in layout.columns]
    columns = [
        replace(c, unsure="colour of its top disc") if abs(odds[c.id]) < ASK_JUNCTION and c.unsure is None else c
        for c in columns
    ]
    layout = replace(layout, columns=tuple(columns))
    depth = depth_map({piece.id: solid_of(piece, kit) for piece in layout.built()}, views[0].lens)
    marks = {road.id: stripes(views[0].view, depth, road, kit) for road in layout.roads}
    layout = find_cars(views[0], layout, marks, players, kit, set(marks))
    return directed(_asked_where_faint(layout, scenes, kit), players)


def _asked_where_faint(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with every piece asked for that the two views do not both bear out clearly."""
    known = solids(layout, kit)
    whole = [dataclasses.replace(scene, depth=depth_map(known, scene.evidence.lens)) for scene in scenes]
    pieces = {piece.id: piece for piece in layout.pieces()}
    doubtful = set()
    for piece in layout.built():
        alone = [dataclasses.replace(scene, depth=scene.depth.without(piece.id)) for scene in whole]
        seen = [support(scene, known[piece.id]) for scene in alone]
        if any(one.seen < CLEAR or one.visible < SHOWN for one in seen):
            doubtful.add(piece.id)
            pieces[piece.id] = replace(piece, unsure=piece.unsure or FAINT)
    for road in layout.roads:
        if doubtful & set(road.columns()):
            pieces[road.id] = replace(road, unsure=road.unsure or FAINT)
    return with_pieces(layout, pieces)


def _sticks(scenes: list[Scene], where: Field, kit: Kit) -> Layout:
    """Sticks and the columns under them: heights that all agree on, then places with all that hides them known."""
    knee = scenes[0].knee
    tops = anchors(scenes, where, kit, LEAST_HIGHEST, MOST_RINGS)
    seeds = seek_sticks(where, kit, knee, most=SEEDS)
    sticks = [spans_of(scenes, slid(where, seed, kit, knee, SLIDES), tops, kit) for seed in seeds]
    heights = settled_heights(sticks, tops)
    chosen: list[Span] = []
    ranked = [(found, seed) for spans, seed in zip(sticks, seeds, strict=True) if (found := best_span(spans, heights))]
    for (score, span), seed in sorted(ranked, key=lambda one: -one[0][0]):
        if score < LEAST_STICK or seen_share(where, seed, kit, knee) < LEAST_SHARE:
            continue
        chosen.append(span)
        prism = stick_body(kit).prism(span.poses[span.at(heights)])
        where = masked(where, scenes[0].evidence.lens, [prism])
    return _fitted(scenes, chosen, heights, tops, kit)


def _fitted(scenes: list[Scene], chosen: Sequence[Span], heights: Sequence[int], tops: Anchors, kit: Kit) -> Layout:
    """The chosen sticks and their columns, fitted one after the other, the highest first: they hide the others."""
    layout = BARE_TABLE
    rings = sorted({ring for span in chosen for ring in span.ends if ring != GROUND})
    for ring in rings:
        top_mm = kit.column_top_mm(heights[ring])
        found = fit(scenes, column_body(kit, 0.0, top_mm), tops.places[ring, heights[ring] - 1])
        x, y = (float(v) for v in found.pose)
        column = Column(f"c{ring}", x, y, heights[ring], False, None, column_sigma(found))
        layout = replace(layout, columns=(*layout.columns, column))
    for span in sorted(chosen, key=lambda one: -one.poses[one.at(heights)][3:].sum()):
        pose = span.poses[span.at(heights)]
        rests = [
            Rest(float(z)) if ring == GROUND else Rest(float(z), f"c{ring}", heights[ring])
            for ring, z in zip(span.ends, pose[3:], strict=True)
        ]
        way = laid(scenes, pose, (rests[0], rests[1]), kit)
        if not is_borne_out(way, scenes[0].evidence):
            continue
        layout, added = with_found(layout, way, kit, None)
        parts = {piece.id: solid_of(piece, kit) for piece in added}
        scenes = [dataclasses.replace(s, depth=with_solids(s.depth, parts, s.evidence.lens)) for s in scenes]
    return layout


def _without_stock(layout: Layout) -> Layout:
    """Without sticks that lie flat on the table and columns that bear no road: stock, not play."""
    roads = tuple(road for road in layout.roads if road.from_ is not None or road.to is not None)
    used = {name for road in roads for name in road.columns()}
    return replace(layout, roads=roads, columns=tuple(c for c in layout.columns if c.id in used))
