"""The table as a game begins: one entrance for each player, each with a car on it, found by the cars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from calibration.camera import Rig
from referee.layout import BARE_TABLE, Column, Layout, Road
from referee.pieces import Kit
from vision.bodies import stick_tips
from vision.bridges import OVERHANG_MM
from vision.cars import watched_cars
from vision.entrances import Entrance, entrances_at, is_built_on
from vision.first_look import Look, first_look
from vision.lineage import directed
from vision.marks import junction_odds
from vision.misfit import all_asked
from vision.paint_spots import paint_spots
from vision.shared_errors import with_shared_errors
from vision.sigmas import column_sigma, tip_sigmas
from vision.single import layout_of
from vision.told import told_sticks
from vision.trust import MORE
from vision.view import Picture
from vision.views import CAMERAS, scenes_of

MOST_SPOTS = 14
VIVID, MOST_VIVID = 0.4, 4
"""So many clear spots of paint for each player, stock included, speak against a set-up."""
CLEAR_COLUMN, MOST_COLUMNS = 1.0, 4
"""Log-odds of clear columns, and so many of them for each player, stock included, speak against one too."""
TAKEN_BETWEEN = (0.8, 0.5)
"""How much from above and from aside of a line between two columns is taken for a stick where one lies there."""
AHEAD = 1.2
"""How many times better than anything else on the table the least clear entrance must be."""
RIVAL = 0.9
"""A way of laying an entrance that is so nearly as good as the best one makes that one doubtful."""
ELSEWHERE_MM = 2.0


def table_of(pictures: Mapping[str, Picture], rig: Rig, kit: Kit, players: Sequence[str]) -> Layout:
    """What stands on the table, from one settled pair alone: a set-up where it is one, else whatever there is."""
    look = first_look(pictures, rig, kit)
    start = set_up_of(look, players) if len(look.views) == len(CAMERAS) else None
    if start is not None and start.unsure is None:
        return start
    found = layout_of(look, players)
    if start is not None and found.unsure is not None and len(start.roads) >= len(found.roads):
        return start
    return found


def set_up_of(look: Look, players: Sequence[str]) -> Layout | None:
    """What stands on the table before the first turn, asked for where more may have been built; else None."""
    views, kit = look.views, look.kit
    if look.floors is not None and look.floors.count(CLEAR_COLUMN) > MOST_COLUMNS * len(players):
        return None
    spots, clear = paint_spots(views[0].view, look.area, kit.disc_height_mm, players, kit)
    if (clear > VIVID).sum() > MOST_VIVID * len(players):
        return None
    scenes = scenes_of(views, BARE_TABLE, kit)
    ways = [found for found in entrances_at(scenes, spots[:MOST_SPOTS], kit) if found]
    chosen = _chosen(ways, len(players), kit)
    if chosen is None:
        return None
    layout = _built(chosen, kit)
    yellow = junction_odds(views, layout, kit)
    layout = replace(layout, columns=tuple(replace(c, junction=yellow[c.id] > 0) for c in layout.columns))
    layout = directed(watched_cars(views, layout, BARE_TABLE, players, kit), kit)
    one_each = sorted(car.owner or "" for car in layout.cars) == sorted(players)
    if not one_each:
        return None
    if any(is_built_on(scenes[0], one, kit) for one in chosen) or leads_on(look, layout.columns):
        layout = replace(all_asked(layout, MORE), unsure=MORE)
    return with_shared_errors(layout, look.rig, kit)


def leads_on(look: Look, columns: Sequence[Column]) -> bool:
    """Whether the net sees a stick from one of some columns to another that is clear, however faint its edges are."""
    kit, floors = look.kit, look.floors
    if floors is None:
        return False
    tops = [(*spot, kit.lying_z_mm(discs)) for discs, spots in floors.likely(CLEAR_COLUMN) for spot in spots]
    ends = np.array([[(one.x, one.y, kit.lying_z_mm(one.height)), top] for one in columns for top in tops])
    ends = ends.reshape(-1, 2, 3)
    gap_mm = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    between = ends[(gap_mm > kit.road_length_mm - kit.disc_diameter_mm) & (gap_mm < kit.road_length_mm + OVERHANG_MM)]
    taken = [told_sticks(view, between) > least for view, least in zip(look.views, TAKEN_BETWEEN, strict=True)]
    return bool(np.all(taken, axis=0).any())


def _chosen(ways: Sequence[Sequence[Entrance]], count: int, kit: Kit) -> list[Entrance] | None:
    """The best entrances; none where there are not so many, or more of them, or one of them is doubtful."""
    kept: list[Entrance] = []
    for best, *others in sorted(ways, key=lambda found: -found[0].score):
        if any(best.is_over(one, kit) for one in kept):
            continue
        if len(kept) == count:
            return kept if kept[-1].score > AHEAD * best.score else None
        if not best.clear() or any(_is_rival(other, best) for other in others):
            return None
        kept.append(best)
    return kept if len(kept) == count else None


def _is_rival(other: Entrance, best: Entrance) -> bool:
    """Whether an entrance lies elsewhere and is nearly as well seen."""
    return bool(abs(other.place - best.place).max() > ELSEWHERE_MM) and other.score > RIVAL * best.score


def _built(chosen: Sequence[Entrance], kit: Kit) -> Layout:
    columns, roads = [], []
    for i, one in enumerate(chosen, start=1):
        x, y = (float(v) for v in one.place)
        columns.append(Column(f"c{i}", x, y, 1, False, None, column_sigma(one.column)))
        a, b = (tuple(float(v) for v in tip) for tip in stick_tips(one.stick.pose, kit.road_length_mm))
        sigma = tip_sigmas(one.stick, kit.road_length_mm)
        roads.append(Road(f"r{i}", a, b, "entrance", None, f"c{i}", None, sigma))  # type: ignore[arg-type]
    return Layout(tuple(columns), tuple(roads), ())
