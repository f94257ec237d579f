"""How well a view bears out every piece of a layout where it stands among the others."""

from __future__ import annotations

from collections.abc import Mapping

from vision.contours import prisms_of
from vision.fit import Scene, Support, supports
from vision.solids import Prism


def supports_of(scene: Scene, known: Mapping[str, Prism]) -> dict[str, Support]:
    """Of each piece by its name, in a scene in which all of them hide each other but none itself."""
    # All of one outline are looked at together: many pieces take hardly longer than one.
    outlines: dict[int, list[str]] = {}
    for name, prism in known.items():
        outlines.setdefault(id(prism.outline), []).append(name)
    found: dict[str, Support] = {}
    for names in outlines.values():
        depths = [scene.depth.without(name) for name in names]
        some = supports(scene, prisms_of([known[name] for name in names]), depths=depths)
        found |= zip(names, some, strict=True)
    return found
