"""New sticks and the columns under them as one view from aside shows them: sought from the columns that are known."""

from __future__ import annotations

from referee.layout import Layout
from referee.pieces import Kit
from vision.borne_out import LEAST_SCORE
from vision.claims import with_claimed
from vision.fit import Scene
from vision.found import Found
from vision.from_bases import Changed, ways_from_bases
from vision.lone_columns import with_lone_columns
from vision.looks import Wood, wood_of
from vision.one_view import likely_ways
from vision.rests import highest_of
from vision.roads import LEAST_TOLD, MOST_STICKS, SEEK_Z_MM, clearest, new_sticks, with_stick
from vision.seek import Box, field
from vision.solids import solid_of

MAY_BE, CLEARLY = 1.0, 5.0
"""Log-odds by which pixels must look more like a new stick than like none, and from which on its lines need say little:
on the turns that this was made on true ones had 2.3 and more, others -0.4 at most."""


def find_roads_aside(scenes: list[Scene], box: Box, layout: Layout, kit: Kit, owner: str | None) -> Layout:
    """The layout with every new stick and the columns that came with them."""
    changed, before = Changed.of(scenes[0]), layout
    wood = wood_of(scenes[0].evidence.view, scenes[0].depth, layout, kit)
    for _ in range(MOST_STICKS):
        found = _clearest(scenes, changed, layout, kit, wood)
        if found is None:
            break
        layout, added = with_stick(layout, scenes, found, kit, owner)
        parts = {piece.id: solid_of(piece, kit) for piece in added}
        changed = changed.without(list(parts.values()), scenes[0])
        scenes = [with_claimed(scene, parts) for scene in scenes]
    if layout is not before:
        return layout
    # People let go between column and road.
    return with_lone_columns(layout, scenes, field(scenes[0].evidence, box, SEEK_Z_MM), kit, owner)


def _clearest(scenes: list[Scene], changed: Changed, layout: Layout, kit: Kit, wood: Wood | None) -> Found | None:
    """The likeliest new stick that is borne out: by its lines and tint, or by what the net takes it for, whatever cars
    stand on it."""
    ways = likely_ways(scenes, *ways_from_bases(scenes[0], changed, layout, kit, highest_of(layout)), layout, kit)
    by_tint = new_sticks([way for way in ways if way.told is None], scenes, wood)
    told = new_sticks([way for way in ways if way.told is not None and way.told > MAY_BE], scenes, None)
    least = LEAST_TOLD if told and (told[0].told or 0.0) > CLEARLY else LEAST_SCORE
    return clearest(by_tint + told, scenes, kit, least)
