"""Which columns have a yellow disc on top: its colour against that of all other discs, in the same light."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from msgspec.structs import replace
from scipy import ndimage

from referee.layout import Column, Layout
from referee.pieces import Kit
from vision.at_once import at_once
from vision.depth import depth_map
from vision.evidence import Evidence
from vision.paint import DARK, chroma
from vision.solids import Prism, cylinder, solids
from vision.view import Floats, Picture

YELLOW_STEP = 0.1
YELLOW_SPREAD = 0.02
GREY, WARM = 0.15, 0.2
"""How far plain discs may lean by themselves for any that leans less than a yellow one to be plain, and from where on
one must lean less than they do: on natural wood a yellow disc stands out little, and not every one does."""
LEAST_LEAN = 0.1
"""What a yellow disc leans by itself, whatever plain ones do: 287 on 49 tables do by 0.144 at least. Navy discs that
mirror the room lean far more than those that do not, and none so far."""
LIGHTER, CLEARLY = 0.5, 4.0
"""By how much more light, as a logarithm, than other tops one must send back to be asked for where its log-odds are not
so clearly against yellow: brown and olive discs lean as far."""
APART, LIKELY = 0.3, 1.0
"""By how much more than any that is not so light, for it to be yellow rather than in the sun, and what that counts."""
TINTED, LESS_BLUE = 0.05, 0.18
"""How far plain discs lean that are brown or red, and by how much less blue against green, as a logarithm, one among
them must send back to be likelier yellow where its lean tells nothing: 36 yellow ones and 2 others did, of 4215."""
GOLDEN = (0.3, 0.35)
"""Where plain discs lean so far, as in a lamp's orange light, a view tells less, and then nothing."""
LEAST_PIXELS = 12
ENOUGH_PIXELS = 60
ASK_JUNCTION = 1.5
"""Log-odds below which the colour of a top disc is asked for."""
UNTOLD_TOP = "colour of its top disc"
_TOP = "/top"


def yellowness(colours: Floats | Picture) -> Floats:
    """How far colours (n, 3, BGR) lean from blue to yellow, as a share of their light."""
    blue, green, red = colours.T.astype(float)
    lean: Floats = ((green + red) / 2 - blue) / np.maximum(blue + green + red, 30.0)
    return lean


def with_tops(layout: Layout, views: Sequence[Evidence], kit: Kit, known: Collection[str] = ()) -> Layout:
    """The layout with yellow tops of columns told from plain ones, or asked for; those of `known` ones stay."""
    if all(column.id in known for column in layout.columns):
        return layout
    odds = junction_odds(views, layout, kit)
    columns = [one if one.id in known else _with_top(one, odds[one.id]) for one in layout.columns]
    return replace(layout, columns=tuple(columns))


def _with_top(column: Column, odds: float) -> Column:
    is_open = abs(odds) < ASK_JUNCTION and column.unsure is None
    return replace(column, junction=odds > 0, unsure=UNTOLD_TOP if is_open else column.unsure)


def junction_odds(views: Sequence[Evidence], layout: Layout, kit: Kit) -> dict[str, float]:
    """Log-odds that each column has a yellow disc on top; 0 where too little of it shows."""
    odds = dict.fromkeys((column.id for column in layout.columns), 0.0)
    asked: set[str] = set()
    for leans in at_once(lambda evidence: _leans(evidence, layout, kit), views):
        tops = [disc for name, disc in leans.items() if name.endswith(_TOP)]
        plain = [disc for name, disc in leans.items() if not name.endswith(_TOP)]
        if not tops:
            continue
        # Most discs are plain, and lower ones always are.
        others = plain if len(plain) > 1 else plain + tops
        usual, blue = (float(np.median(some)) for some in zip(*((one.lean, one.blue) for one in others), strict=True))
        light = float(np.median([top.light for top in tops]))
        next_light = max((top.light for top in tops if top.light <= light + LIGHTER), default=light)
        for column in layout.columns:
            if (shown := leans.get(column.id + _TOP)) is None:
                continue
            told = step_odds(shown.lean - usual, usual)
            if -CLEARLY < told < ASK_JUNCTION:
                is_yellow = TINTED < usual < GOLDEN[0] and shown.blue < blue - LESS_BLUE
                if is_yellow or shown.light > light + LIGHTER:
                    told = max(told, LIKELY if is_yellow or shown.light > next_light + APART else 0.0)
                    asked.add(column.id)
            odds[column.id] += min(shown.pixels / ENOUGH_PIXELS, 1.0) * told
    # What speaks against it in another view may be a stick over it that was not seen.
    return {name: max(told, -LIKELY) if name in asked else told for name, told in odds.items()}


def step_odds(step: float, usual: float) -> float:
    """Log-odds that a disc is yellow that leans by a step more than plain ones usually do; 0 where it may be either."""
    plain = float(np.interp(usual, (GREY, WARM), (YELLOW_STEP, 0.0)))
    told = max(step - YELLOW_STEP + min(usual + step - LEAST_LEAN, 0.0), 0.0) + min(step - plain, 0.0)
    return float(np.interp(usual, GOLDEN, (1.0, 0.0)) * np.clip(told / YELLOW_SPREAD, -8.0, 8.0))


@dataclass(frozen=True, slots=True)
class _Shown:
    """What shows of a disc: how far it leans to yellow, the logarithms of its light and of blue against green, and in
    how many pixels."""

    lean: float
    light: float
    blue: float
    pixels: int


def _leans(evidence: Evidence, layout: Layout, kit: Kit) -> dict[str, _Shown]:
    """The looks of each visible top disc (name/top), and of the discs below it."""
    parts: dict[str, Prism] = solids(layout, kit)
    for column in layout.columns:
        high = kit.column_top_mm(column.height)
        low = high - kit.disc_height_mm
        del parts[column.id]
        if column.height > 1:
            parts[column.id] = cylinder(column.x, column.y, 0.0, low, kit.disc_radius_mm)
        parts[column.id + _TOP] = cylinder(column.x, column.y, low, high, kit.disc_radius_mm)
    seen = depth_map(parts, evidence.lens)
    # A pixel at the rim of a piece mixes two colours.
    same = cv2.erode(seen.number, np.ones((3, 3))) == cv2.dilate(seen.number, np.ones((3, 3)))
    discs = {column.id for column in layout.columns}
    is_disc = np.array([name.endswith(_TOP) or name in discs for name in seen.names], bool)
    # Where a stick or a car lies is known to a pixel or two, and a sliver beside it may be its own.
    beside = cv2.dilate(np.append(~is_disc, False)[seen.number].astype(np.uint8), np.ones((5, 5), np.uint8))
    spots = np.flatnonzero(same & (seen.number >= 0) & (beside == 0))
    spots = spots[is_disc[seen.number.ravel()[spots]]]
    labels = seen.number.ravel()[spots]
    colours = evidence.view.picture.reshape(-1, 3)[spots]
    counts = np.bincount(labels, minlength=len(seen.names))
    wanted = np.flatnonzero(counts >= LEAST_PIXELS).tolist()
    if not wanted:
        return {}
    light = np.log(colours.sum(axis=1, dtype=float) + DARK)
    told = (yellowness(colours), light, chroma(colours)[:, 1])
    looks = zip(wanted, *(ndimage.median(values, labels, wanted) for values in told), strict=True)
    return {seen.names[i]: _Shown(float(a), float(b), float(c), int(counts[i])) for i, a, b, c in looks}
