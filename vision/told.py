"""What a small net takes each pixel for: stick, disc top, disc side, car, or none of them, and where pieces' edges run.

The net has seen nothing but tables that `sample_frames.school` made up, so that it can lean on no kit, paint, table or
lamp. It tells where to look; poses, heights and errors come from the pictures themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import cv2
import numpy as np

from referee.pieces import Kit
from vision.evidence import Evidence
from vision.nets import Net
from vision.odds import CAR, EDGE, STICK, TOP
from vision.view import Floats, Singles, View, cut_to, sampled

NET = Net("pieces.onnx")
STICK_PX = 10.8
"""How wide a stick is in the pictures that the net was taught with."""
STEP_PX = 32
"""The net takes sides that are multiples of this."""
EVEN = 4.0
"""Grey levels that are added to a picture's spread, so that a blank one is not blown up."""
MOST_SPREADS = 5.0
"""No pixel counts as farther from the mean: a few pale pieces on a plain table are as many as eight spreads away, which
hardly any lesson shows, and were taken for nothing."""
MARGIN_MM = 30.0
"""How far about a spot the net must look to tell what it is."""
LEAST_TOP = -0.3
"""How far a disc top is taken for one at least in the view that takes it most so: -0.03 and more all of 124 were."""
ALONG = 32
SPOTS, GOLDEN_RAD = 40, 2.399963
"""Spots spread evenly over a disc."""


_SILENCED: list[None] = []


@contextmanager
def without_net() -> Iterator[None]:
    """Within it the net is not asked, by any thread: all is seen by edges and colours alone."""
    _SILENCED.append(None)
    try:
        yield
    finally:
        _SILENCED.pop()


def is_asked() -> bool:
    return not _SILENCED


def shares_of(view: View, middle_in_table: Floats, kit: Kit) -> Singles:
    """Of each pixel the share (h, w, 7) that is table, stick, disc top, disc side, car, an edge, the end of a stick."""
    height, width = view.picture.shape[:2]
    lens = view.lens
    stick_px = kit.road_width_mm * lens.px_per_mm(middle_in_table)
    scale = STICK_PX / stick_px
    wide, high = (max(round(size * scale / STEP_PX), 1) * STEP_PX for size in (width, height))
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(view.picture, (wide, high), interpolation=way).astype(np.float32)
    small -= small.mean(axis=(0, 1))
    small /= float(np.sqrt(np.square(small).mean())) + EVEN
    np.clip(small, -MOST_SPREADS, MOST_SPREADS, out=small)
    logits = NET.answer(small.transpose(2, 0, 1))
    kinds = np.exp(logits[:EDGE] - logits[:EDGE].max(axis=0))
    shares = np.concatenate([kinds / kinds.sum(axis=0), 1 / (1 + np.exp(-logits[EDGE:]))])
    layers = np.empty((len(shares), height, width), np.float32)
    for layer, share in zip(layers, shares, strict=True):
        cv2.resize(share, (width, height), layer, interpolation=cv2.INTER_LINEAR)
    # Layer after layer in memory: all that is asked of them is asked of one by itself.
    return np.moveaxis(layers, 0, -1)


def told_tops(view: Evidence, middles_in_table: Floats, radius_mm: float) -> Floats:
    """How far (-1 to 1) discs about middles (k, 3) are taken for disc tops, or for what lies on one."""
    if view.told is None:
        return np.zeros(len(middles_in_table))
    away, turn = radius_mm * np.sqrt((np.arange(SPOTS) + 0.5) / SPOTS), np.arange(SPOTS) * GOLDEN_RAD
    disc = np.column_stack([away * np.cos(turn), away * np.sin(turn), np.zeros(SPOTS)])
    pixels = view.lens.project(middles_in_table[:, None] + disc)
    top, stick, car = (sampled(np.ascontiguousarray(view.told[..., i]), pixels).mean(axis=1) for i in (TOP, STICK, CAR))
    taken: Floats = (2 * top + stick + car - 1).astype(float)
    return taken


def is_told_top(views: Sequence[Evidence], top_in_table: Floats, kit: Kit) -> bool:
    """Whether the net, asked about the surroundings, may take a spot (3,) for a disc top in any view; so it is where
    nobody asks."""
    about = np.array([(x, y, 0.0) for x in (-MARGIN_MM, MARGIN_MM) for y in (-MARGIN_MM, MARGIN_MM)])
    parts = [told_of(Evidence(cut_to(view.view, top_in_table + about)), top_in_table, kit) for view in views]
    taken = [float(told_tops(part, top_in_table[None], kit.disc_radius_mm)[0]) for part in parts]
    return max(taken) > LEAST_TOP


def told_sticks(view: Evidence, lines_in_table: Floats) -> Floats:
    """How much (0 to 1) of what lies along lines (m, 2, 3) is taken for a stick, or for what lies on or under one."""
    if view.bare is None:
        return np.ones(len(lines_in_table))
    starts, ends = lines_in_table[:, 0, None], lines_in_table[:, 1, None]
    pixels = view.lens.project(starts + np.linspace(0.08, 0.92, ALONG)[:, None] * (ends - starts))
    taken: Floats = (1 - sampled(view.bare, pixels)).mean(axis=-1).astype(np.float64)
    return taken


def told_of(view: Evidence, middle_in_table: Floats, kit: Kit) -> Evidence:
    """A view with what the net takes its pixels for, where it is asked."""
    if not is_asked():
        return view
    return dataclasses.replace(view, told=shares_of(view.view, middle_in_table, kit))
