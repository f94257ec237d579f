"""New sticks and the columns under them, one after the other until no more are seen."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator

import numpy as np
from msgspec.structs import replace

from referee.layout import Column, Layout, Road
from referee.pieces import Kit
from vision.at_once import both_at_once
from vision.at_rest import at_rest
from vision.bodies import stick_tips
from vision.borne_out import LEAST_SCORE, UNSEEN, but_for_hidden, is_borne_out, is_seen_from_aside
from vision.by_rays import by_rays, rested_aslant
from vision.claims import masked, with_claimed
from vision.doubt import asked_heights, doubted, rivals
from vision.fit import Scene, is_aslant
from vision.found import Found, borne_by, placed_along
from vision.fresh import explains, fresh_patches, is_apart, not_explained, seeds_about
from vision.kept import was_there
from vision.laid import with_found
from vision.lone_columns import asked_where_bare, seeds_from, with_lone_columns
from vision.looks import Wood, tints_of, wood_of
from vision.one_view import likely_ways
from vision.propose import proposals, ways_of
from vision.rests import highest_of
from vision.seek import SLIDE_MM, Box, Field, Seed, field, slid
from vision.solids import solid_of
from vision.stick_seeds import Wanted, seek_sticks
from vision.view import Picture

SEEK_Z_MM = 20.0
MOST_STICKS = 40
SEEDS = Wanted(few=3, most=7, clear=0.55)
"""Those that are tried first, and more that are clear where these led to nothing."""
LEAST_TOLD = 0.0
"""Score points that are enough where the net takes what lies there for a new stick too."""
LEAST_WHOLE = 18.0
"""Score points of a stick with its columns below which others that something hides are tried: true ones had 22 and
more, false ones up to 15."""
DOCKED_MM = 3.0
TWIN_MM, TWIN_SCORE = 3.0, 2.0
MOST_DOCKED = 4
LEAST_COLUMN = 20.0
"""Score points below which a new column is asked for with its stick: true ones had 32 and more, false ones up to 7."""
HARDLY_SEEN = "its column is hardly seen"
ELSEWHERE = "where it lies"
DIM = "it hardly shows"
MISSED = "a new road may lie there that could not be read"
ALONG_MM = 1.2
"""A stick whose place along itself is not known better is asked for."""
ELSEWHERE_MM, CLOSE_SCORE = 5.0, 6.0
"""A way to explain a stick that lies this far off and scores nearly as well has to be asked for."""


def find_roads(scenes: list[Scene], box: Box, layout: Layout, kit: Kit, owner: str | None) -> Layout:
    """The layout with every new stick and the columns that came with them."""
    if box.right - box.left < kit.road_length_mm / 4 or box.top - box.bottom < kit.road_length_mm / 4:
        return layout
    roads_before = len(layout.roads)
    where = field(scenes[0].evidence, box, SEEK_Z_MM)
    wood = wood_of(scenes[0].evidence.view, scenes[0].depth, layout, kit)
    scenes, where, layout = _with_sticks(scenes, where, layout, kit, owner, wood)
    scenes, layout = _with_told(scenes, where, layout, kit, owner, wood)
    built, is_laid = {column.id for column in layout.columns}, len(layout.roads) > roads_before
    layout = with_lone_columns(layout, scenes, where, kit, owner)
    for column in [column for column in layout.columns if column.id not in built]:
        # A stick that crosses one found before it may have lost its seed to that one; its column shows where it ends.
        scenes = [with_claimed(s, {column.id: solid_of(column, kit)}) for s in scenes]
        found = _best(scenes, [seeds_from(column, layout, scenes[0].evidence.lens, SEEK_Z_MM, kit)], layout, kit, wood)
        if found is not None:
            layout, added = with_stick(layout, scenes, found, kit, owner)
            scenes = [with_claimed(s, {piece.id: solid_of(piece, kit) for piece in added}) for s in scenes]
    return asked_where_bare(layout, built) if is_laid else layout


def _with_sticks(
    scenes: list[Scene], where: Field, layout: Layout, kit: Kit, owner: str | None, wood: Wood | None
) -> tuple[list[Scene], Field, Layout]:
    """Scenes, field and layout with every stick that is found in the field, one after the other."""
    for _ in range(MOST_STICKS):
        found = _best(scenes, _tried(scenes, where, layout, kit), layout, kit, wood)
        if found is None:
            break
        layout, added = with_stick(layout, scenes, found, kit, owner)
        parts = {piece.id: solid_of(piece, kit) for piece in added}
        scenes = [with_claimed(s, parts) for s in scenes]
        where = masked(where, scenes[0].evidence.lens, list(parts.values()))
    return scenes, where, layout


def with_stick(
    layout: Layout, scenes: list[Scene], found: Found, kit: Kit, owner: str | None
) -> tuple[Layout, list[Road | Column]]:
    """The layout with a stick measured and its doubts told, and what was added."""
    if found.doubt is None and not is_seen_from_aside(found, scenes):
        found = dataclasses.replace(found, doubt=UNSEEN)
    if found.doubt is None and any(c.score < LEAST_COLUMN for c in found.columns if c is not None):
        found = dataclasses.replace(found, doubt=HARDLY_SEEN)
    # Both take long, and neither waits for the other: the net is asked while edges are held against other heights.
    placed, doubts = both_at_once(
        lambda: _measured(scenes, found, layout, kit),
        lambda: rivals(scenes, found, kit) if len(scenes) > 1 else {},
    )
    if placed.doubt is None and placed.along is not None and placed.along.sigma_mm > ALONG_MM:
        placed = dataclasses.replace(placed, doubt=ELSEWHERE)
    layout, added = with_found(layout, placed, kit, owner)
    if doubts:
        layout, added = doubted(layout, added, doubts)
    if len(scenes) == 1:
        layout, added = asked_heights(layout, added, [odds for odds in found.heights if odds])
    return layout, added


def _measured(scenes: list[Scene], found: Found, layout: Layout, kit: Kit) -> Found:
    """A stick where it came to rest, with its place along itself."""
    if is_aslant(scenes):
        return by_rays(scenes[0], placed_along(scenes, rested_aslant(scenes[0], found, layout, kit), kit), kit)
    return placed_along(scenes, at_rest(scenes, found, layout, kit), kit)


def _tried(scenes: list[Scene], where: Field, layout: Layout, kit: Kit) -> Iterator[list[Seed]]:
    """Seeds of a field with what they may be moved along themselves to: the clearest, then some more."""
    seeds = seek_sticks(where, kit, scenes[0].knee, SEEDS)
    for some in (seeds[: SEEDS.few], seeds[SEEDS.few :]):
        slides = [moved for seed in some for moved in slid(where, seed, kit, scenes[0].knee)]
        yield slides + [moved for seed in some for moved in docked(seed, layout, kit)]


def _best(
    scenes: list[Scene], tried: Iterable[list[Seed]], layout: Layout, kit: Kit, wood: Wood | None
) -> Found | None:
    """The best explained stick of the first seeds of which any is good enough."""
    found = (clearest(_ways(scenes, seeds, layout, kit, wood), scenes, kit) for seeds in tried)
    return next((one for one in found if one is not None), None)


def _ways(scenes: list[Scene], seeds: list[Seed], layout: Layout, kit: Kit, wood: Wood | None) -> list[Found]:
    """Ways to explain one of the seeds as a new stick that looks like the others."""
    highest = highest_of(layout)
    if len(scenes) > 1:
        ways = proposals(scenes, seeds, layout, kit, highest)
    else:
        ways = likely_ways(scenes, *ways_of(scenes, seeds, layout, kit, highest), layout, kit)
    return new_sticks(ways, scenes, wood)


def new_sticks(ways: list[Found], scenes: list[Scene], wood: Wood | None) -> list[Found]:
    """Ways whose sticks look like the others and were not there before."""
    if wood is not None:
        first = scenes[0]
        ways = [w for w in ways if wood.is_like(tints_of(first.evidence.view, first.depth, w.stick.prism))]
    return [way for way in ways if not was_there(scenes, way.stick.prism)]


def clearest(ways: list[Found], scenes: list[Scene], kit: Kit, least: float = LEAST_SCORE) -> Found | None:
    """The best of ways that all views bear out, asked for where another is nearly as good."""
    good = [way for way in ways if is_borne_out(way, scenes[0].evidence, least)]
    if all(way.score < LEAST_WHOLE for way in good):
        shown = [but_for_hidden(way, scenes) for way in ways]
        good = [way for way in shown if way is not None and is_borne_out(way, scenes[0].evidence)] or good
    if not good:
        return None
    best = _truest(max(good, key=lambda way: way.score), good)
    others = [way for way in good if way.score > best.score - CLOSE_SCORE and not is_slid(way, best, kit)]
    near_miss = any(_elsewhere(way, best, kit) for way in others)
    return dataclasses.replace(best, doubt=best.doubt or (ELSEWHERE if near_miss else None))


def _with_told(
    scenes: list[Scene], where: Field, layout: Layout, kit: Kit, owner: str | None, wood: Wood | None
) -> tuple[list[Scene], Layout]:
    """Scenes and layout with sticks that edges alone did not show, where the net takes something for a new one."""
    patches = fresh_patches(scenes[0], kit)
    for _ in range(MOST_STICKS):
        if patches is None:
            break
        found = _told(scenes, where, patches, layout, kit, wood)
        if found is None:
            return scenes, replace(layout, unsure=MISSED) if is_apart(patches, scenes[0]) else layout
        layout, added = with_stick(layout, scenes, found, kit, owner)
        scenes = [with_claimed(s, {piece.id: solid_of(piece, kit) for piece in added}) for s in scenes]
        patches = not_explained(patches, scenes[0], kit)
    return scenes, layout


def _told(
    scenes: list[Scene], where: Field, patches: Picture, layout: Layout, kit: Kit, wood: Wood | None
) -> Found | None:
    """The best explained stick that accounts for a patch; asked for where only the net speaks for it."""
    lens, knee = scenes[0].evidence.lens, scenes[0].knee
    seeds = seeds_about(where, scenes[0], patches, kit, SEEDS)
    seeds = [moved for seed in seeds for moved in (*slid(where, seed, kit, knee), *docked(seed, layout, kit))]
    ways = _ways(scenes, seeds, layout, kit, wood)
    ways = [way for way in ways if explains(way.stick.prism, lens, patches)]
    if (clear := clearest(ways, scenes, kit)) is not None:
        return clear
    good = [way for way in ways if is_borne_out(way, scenes[0].evidence, LEAST_TOLD)]
    return max((dataclasses.replace(way, doubt=DIM) for way in good), key=lambda way: way.score, default=None)


def _elsewhere(one: Found, other: Found, kit: Kit) -> bool:
    """Whether two fits are of sticks at clearly different places."""
    tips, others = (np.array(stick_tips(way.stick.pose, kit.road_length_mm)) for way in (one, other))
    return bool(min(np.abs(tips - others).max(), np.abs(tips[::-1] - others).max()) > ELSEWHERE_MM)


def is_slid(one: Found, other: Found, kit: Kit) -> bool:
    """Whether two fits differ only in how far along itself the stick lies, which is measured apart."""
    if borne_by(one) != borne_by(other):
        return False
    tips, others = (np.array(stick_tips(way.stick.pose, kit.road_length_mm)) for way in (one, other))
    along = (others[1] - others[0]) / kit.road_length_mm
    gaps = tips - others
    gaps -= (gaps @ along)[:, None] * along
    columns = [pair for pair in zip(one.columns, other.columns, strict=True) if pair[0] is not None]
    apart_mm = [math.dist(a.pose, b.pose) for a, b in columns if a is not None and b is not None]
    return bool(np.abs(gaps).max() < TWIN_MM and max(apart_mm, default=0.0) < TWIN_MM)


def _truest(best: Found, good: list[Found]) -> Found:
    """Of fits that nearly came to the same place, the one whose lines lie best: scores differ by what hides what."""
    twins = [
        way
        for way in good
        if borne_by(way) == borne_by(best)
        and np.abs(way.stick.pose[:2] - best.stick.pose[:2]).max() < TWIN_MM
        and way.stick.score > best.stick.score - TWIN_SCORE
    ]
    return min(twins, key=lambda way: way.stick.chi2)


def docked(seed: Seed, layout: Layout, kit: Kit) -> list[Seed]:
    """The seed moved along itself to where one of its tips lies on a known column, a little over its middle."""
    cos, sin = math.cos(seed.yaw_rad), math.sin(seed.yaw_rad)
    found: list[Seed] = []
    for column in layout.columns:
        away = column.x - seed.x, column.y - seed.y
        along, aside = away[0] * cos + away[1] * sin, away[1] * cos - away[0] * sin
        if abs(aside) > kit.disc_radius_mm + kit.road_width_mm / 2:
            continue
        for side in (-1.0, 1.0):
            slide = along - side * (kit.road_length_mm / 2 - DOCKED_MM)
            if abs(slide) < SLIDE_MM:
                found.append(dataclasses.replace(seed, x=seed.x + slide * cos, y=seed.y + slide * sin))
    return found[:MOST_DOCKED]
