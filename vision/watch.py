"""What a settled pair shows against the accepted layout: new, moved and missing pieces, with ids carried on."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from calibration.camera import Rig
from referee.layout import Column, Layout, Road, TipSigmas, with_pieces
from referee.pieces import Kit
from vision.at_once import at_once, both_at_once
from vision.bodies import stick_tips
from vision.carry import carried, put_back
from vision.cars import watched_cars
from vision.cars_aside import with_cars_aside
from vision.change import changed_box
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.fallen import is_left_bare, without_fallen
from vision.fit import Scene, fit, is_aslant
from vision.half_hidden import with_half_hidden
from vision.kept import LEAST_LINES, Check, body_and_pose, checks, earlier, is_dimmed, present, touched
from vision.lineage import run_on
from vision.lone_columns import borne_at_tips, led_to_columns
from vision.marks import with_tops
from vision.misfit import GONE, all_asked
from vision.neutral_cars import with_neutral_cars
from vision.over_under import asked_at_crossings
from vision.pair_check import refuse_unfit
from vision.region import play_box
from vision.roads import find_roads
from vision.roads_aside import find_roads_aside
from vision.seek import Box
from vision.shared_errors import with_shared_errors
from vision.sigmas import column_sigma, pixel_mm_at, tip_sigmas
from vision.solids import solid_of, solids
from vision.steady import steadied
from vision.unexplained import asked_where_unexplained
from vision.unverified import (
    BUMPED,
    asked_where_changed,
    asked_where_unverified,
    asked_with_one_view,
    has_large_thing,
    is_weak,
    missing,
)
from vision.view import Picture
from vision.views import evidence_of, knee_of, scenes_of, with_depth
from vision.washed_out import asked_where_washed_out

COVERED = "something covers it, or the light is too weak"
PUSHED = "it may have been pushed while the light changed"
NO_OVERHEAD = "no overhead picture"
FROM_ASIDE = "something changed, and only the side camera sees the table: what is new cannot be told"
PUSHED_MM = (4.0, 4.0, 1.0)
"""How far off the tips of a road are that was pushed, where only the side camera sees it."""
MOST_GONE = 6
"""More pieces are not taken away at once: then it is another table, or the camera looks elsewhere."""


def explain(
    accepted: Layout,
    before: Mapping[str, Picture],
    now: Mapping[str, Picture],
    rig: Rig,
    kit: Kit,
    players: Sequence[str],
    player: str | None,
) -> Layout:
    """The layout that a settled pair shows, given the accepted one and the pair that it was accepted on."""
    box = play_box(accepted, rig, kit)
    steady, bumped = steadied(before, now)
    views = evidence_of(steady, before, rig, box)
    refuse_unfit(now, before)
    at_once(lambda view: view.step, views)
    from_aside = len(views) == 1 and not views[0].lens.looks_down
    where = changed_box(views[0], box)
    if where is None:
        return _asked(accepted, views[0], box, kit) if from_aside else accepted
    scenes = scenes_of(views, accepted, kit)
    was, is_ = earlier(scenes), present(scenes)
    old = {p.id: p for p in accepted.built() if touched(views, solid_of(p, kit))}
    # What is no shade is asked for last of all, and waits for nothing: it is worked out beside this.
    first, _ = both_at_once(lambda: checks(list(old.values()), was, is_, kit), lambda: [v.no_shade for v in views])
    suspects = missing(accepted, first)
    if len(suspects) > max(MOST_GONE, len(first) / 2):
        return all_asked(accepted, GONE)
    standing = _without(accepted, suspects)
    if suspects:
        scenes = with_depth(scenes, solids(standing, kit))
    seek = find_roads_aside if from_aside else find_roads
    layout = seek(scenes, where, standing, kit, player)
    # What only seemed to be missing or moved because a new piece hides it is left as it was.
    pushed = {name for name, found in first.items() if found.shift is not None and name not in suspects}
    # Where a lamp goes out shadows move lines too: whether a piece was pushed is asked.
    dimmed = is_dimmed(was, is_)
    shaken, pushed = (pushed, set[str]()) if dimmed else (set[str](), pushed)
    weak = {name for name, found in first.items() if is_weak(found)}
    if looked_at := sorted(suspects | pushed | weak):
        covered = with_depth(is_, solids(layout, kit))
        again = checks([old[name] for name in looked_at], was, covered, kit)
        gone = missing(accepted, again) & suspects
        gone -= _bearing(layout, accepted, gone)
        is_covered = bool(gone) and (dimmed or has_large_thing(before, steady, rig))
        covered_over = {n for n in gone if is_covered or not _is_bare(views[0], layout, old[n], kit)}
        gone -= covered_over
        layout = without_fallen(layout, accepted, gone, kit)
        layout = put_back(layout, accepted, suspects - gone)
        layout = carried(_with_doubt(layout, covered_over, COVERED), accepted, gone)
        layout = _nudged(layout, [(old[name], again[name]) for name in sorted(pushed)], kit)
        moved = gone | {name for name in pushed if again[name].shift is not None}
        layout = _refitted(layout, moved, with_depth(is_, solids(layout, kit)), kit)
        layout = asked_where_unverified(layout, accepted, first | again)
    layout = run_on(borne_at_tips(layout, accepted, kit), accepted)
    layout = with_tops(_with_doubt(layout, shaken, PUSHED), views, kit, {column.id for column in accepted.columns})
    layout = led_to_columns(layout, accepted, kit)
    if from_aside:
        layout = with_cars_aside(views[0], layout, accepted, players, kit)
    else:
        layout = watched_cars(views, layout, accepted, players, kit, dimmed)
        layout = with_half_hidden(views, layout, accepted, players, kit)
        layout = with_neutral_cars(views, layout, accepted, players, kit)
        layout = asked_where_washed_out(views[0], layout, accepted, kit)
        new = {road.id for road in layout.roads} - {road.id for road in accepted.roads}
        layout = asked_at_crossings(layout, views[0], kit, knee_of(Evidence(views[0].view)), new)
    layout = with_shared_errors(asked_where_unexplained(layout, accepted, views, kit), rig, kit)
    layout = asked_where_changed(layout, accepted, BUMPED) if bumped else layout
    if len(views) > 1:
        return layout
    if from_aside and not _differ(layout, accepted):
        return _asked(accepted, views[0], box, kit)
    there = {piece.id for piece in layout.built()}
    if from_aside and any(piece.id not in there for piece in accepted.built()):
        others = [piece for piece in accepted.built() if piece.id not in first]
        first |= {name: one for name, one in checks(others, was, is_, kit).items() if one.lines < LEAST_LINES}
    return asked_with_one_view(layout, accepted, first)


def _differ(layout: Layout, accepted: Layout) -> bool:
    """Whether pieces are not what and where they were, however sure."""
    now, old = ({p.id: replace(p, unsure=None) for p in one.pieces()} for one in (layout, accepted))
    return now != old


def _is_bare(overhead: Evidence, layout: Layout, piece: Column | Road, kit: Kit) -> bool:
    return is_left_bare(overhead, depth_map(solids(layout, kit), overhead.lens), solid_of(piece, kit))


def _with_doubt(layout: Layout, names: set[str], why: str) -> Layout:
    pieces = {piece.id: piece for piece in layout.pieces()}
    return with_pieces(layout, pieces | {n: replace(pieces[n], unsure=why) for n in names if n in pieces})


def _bearing(layout: Layout, accepted: Layout, gone: set[str]) -> set[str]:
    """Columns that seem gone while roads still lie where they bore them: hidden by something, not gone."""
    lying = {road.id for road in layout.roads}
    return {name for road in accepted.roads if road.id in lying - gone for name in road.columns() if name in gone}


def _asked(accepted: Layout, side: Evidence, box: Box, kit: Kit) -> Layout:
    """The accepted layout where only the side camera sees: pieces near any change are asked for, and what is new."""
    near = {piece.id for piece in accepted.pieces() if touched([side], solid_of(piece, kit))}
    if not near and changed_box(side, box) is None:
        return accepted
    near |= {car.id for car in accepted.cars if car.road in near}
    return replace(_with_doubt(accepted, near, NO_OVERHEAD), unsure=accepted.unsure or FROM_ASIDE)


def _without(layout: Layout, names: set[str]) -> Layout:
    return with_pieces(layout, {piece.id: piece for piece in layout.pieces() if piece.id not in names})


def _refitted(layout: Layout, names: set[str], now: Sequence[Scene], kit: Kit) -> Layout:
    """The layout with old pieces measured again where they are now, by what is seen now alone."""
    pieces = {piece.id: piece for piece in layout.pieces()}
    for piece in layout.built():
        if piece.id not in names:
            continue
        body, pose = body_and_pose(piece, kit)
        refit = fit([dataclasses.replace(scene, depth=scene.depth.without(piece.id)) for scene in now], body, pose)
        if isinstance(piece, Column):
            x, y = (float(v) for v in refit.pose)
            pieces[piece.id] = replace(piece, x=x, y=y, sigma=column_sigma(refit, pixel_mm_at(now, refit.prism.origin)))
        elif is_aslant(now):
            # How high and how far off it is now cannot be told apart.
            pieces[piece.id] = replace(piece, sigma=TipSigmas(PUSHED_MM, PUSHED_MM))
        else:
            a, b = (tuple(float(v) for v in tip) for tip in stick_tips(refit.pose, kit.road_length_mm))
            pieces[piece.id] = replace(piece, a=a, b=b, sigma=tip_sigmas(refit, kit.road_length_mm))
    return with_pieces(layout, pieces)


def _nudged(layout: Layout, checks: Sequence[tuple[Column | Road, Check]], kit: Kit) -> Layout:
    """The layout with old pieces where they seem to have been pushed to."""
    pieces = {piece.id: piece for piece in layout.pieces()}
    for piece, found in checks:
        if found.shift is None:
            continue
        _, pose = body_and_pose(piece, kit)
        pose = pose + found.shift
        if isinstance(piece, Column):
            pieces[piece.id] = replace(piece, x=float(pose[0]), y=float(pose[1]))
        else:
            a, b = (tuple(float(v) for v in tip) for tip in stick_tips(pose, kit.road_length_mm))
            pieces[piece.id] = replace(piece, a=a, b=b)
    return with_pieces(layout, pieces)
