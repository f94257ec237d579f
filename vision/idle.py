"""Sticks that add nothing once all pieces are fitted: of two that turn out to lie in one place, one is none."""

from __future__ import annotations

from collections.abc import Sequence

from referee.layout import Layout
from referee.pieces import Kit
from vision.fit import Scene
from vision.joint import DOWN_COST, STICK_COST
from vision.solids import solids
from vision.stage import Stage, total

LEAST_ADDED = 3.0
"""Score points, beyond what a stick must be worth, that one adds at least: of 1387 on 87 tables true ones added 5.9 and
more, but for those that lay in one place with a false one; three false ones added less."""


def idle_sticks(layout: Layout, scenes: Sequence[Scene], kit: Kit) -> set[str]:
    """The names of roads of a fitted layout that are none: the one that adds least, then what adds too little without
    it. One that alone lies on a column stands or falls with that and is left alone."""
    built = {piece.id for piece in layout.built()}
    pieces = {name: prism for name, prism in solids(layout, kit).items() if name in built}
    stages = [Stage(scene) for scene in scenes]
    roads = {road.id: road for road in layout.roads}
    idle: set[str] = set()
    while True:
        whole = total(stages, [*pieces.items()])
        borne = [name for road in roads.values() for name in road.columns()]
        added = {}
        for road in roads.values():
            if all(borne.count(name) > 1 for name in road.columns()):
                cost = STICK_COST + DOWN_COST * (None in (road.from_, road.to))
                rest = [one for one in pieces.items() if one[0] != road.id]
                added[road.id] = whole - total(stages, rest) - cost
        least = min(added, key=added.__getitem__, default=None)
        if least is None or added[least] >= LEAST_ADDED:
            return idle
        idle.add(least)
        del roads[least], pieces[least]
