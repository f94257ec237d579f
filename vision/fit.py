"""Piece poses from contour lines in both views: Gauss-Newton on offsets across the lines."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.bodies import Body
from vision.contours import Prisms, contours, prisms_of
from vision.depth import DepthMap, Patch
from vision.evidence import STEP_PX, Evidence
from vision.solids import Prism
from vision.view import Floats, Picture, is_within

REACHES_PX = (4.0, 3.0, 2.0, 2.0)
SCORE_REACH_PX = 1.5
SCORE_SIGMA_PX = 0.8
NEXT_MM = 0.5
CREASE_PX = 2.2


@dataclass(frozen=True, eq=False)
class Scene:
    """What one view shows, what is known to hide things in it, and the edge strength that counts half."""

    evidence: Evidence
    depth: DepthMap
    knee: float
    claimed: Picture | None = None
    """Where lines are that other pieces account for."""


def tell_heights(scenes: Sequence[Scene]) -> bool:
    """Whether views show how high things are: two do, or one from aside."""
    return len(scenes) > 1 or is_aslant(scenes)


def is_aslant(scenes: Sequence[Scene]) -> bool:
    """Whether there is but one view, from aside: it shows how high things are, and hardly how far off."""
    return len(scenes) == 1 and not scenes[0].evidence.lens.looks_down


@dataclass(frozen=True, eq=False)
class Lines:
    """Visible contour points of pieces in one view, piece after piece."""

    points: Floats
    pixels: Floats
    normals: Floats
    owners: NDArray[np.intp]
    """Which piece's each point is."""
    seen_shares: Floats
    """The share of each piece's points that is visible."""

    def spans(self) -> list[slice]:
        """Where each piece's points are."""
        return spans_of(self.owners, len(self.seen_shares))


def spans_of(owners: NDArray[np.intp], many: int) -> list[slice]:
    """Where the points of each of some pieces are, of points with ascending owners (n,)."""
    ends = np.searchsorted(owners, np.arange(many + 1)).tolist()
    return [slice(*pair) for pair in itertools.pairwise(ends)]


@dataclass(frozen=True, eq=False)
class Support:
    """How well a view bears a piece out: the log-odds score, the share of its outline visible, and of that seen."""

    score: float
    visible: float
    seen: float
    count: int

    @property
    def even(self) -> float:
        """The score of a point on average, of those that are hidden too: longer lines do not add to it."""
        return (self.seen - 0.5) * self.visible


@dataclass(frozen=True, eq=False)
class Fit:
    """A pose, its covariance, and how well each view bears it out."""

    pose: Floats
    covariance: Floats
    chi2: float
    support: tuple[Support, ...]
    prism: Prism

    @property
    def score(self) -> float:
        if len(self.support) == 1:
            return self.support[0].even * len(self.prism.outline)
        return sum(one.score for one in self.support)


Over = Sequence[Patch | None]
"""For each of some pieces one more that may hide it in a view."""
Depths = Sequence[DepthMap]
"""For each of some pieces what hides it in a view, instead of what the scene knows."""


def lines_of(scene: Scene, prisms: Prisms, over: Over | None = None, depths: Depths | None = None) -> Lines:
    """The bounding contour points of pieces that nothing known hides."""
    lens = scene.evidence.lens
    whole = contours(prisms, lens.eye)
    count = len(prisms)
    lifts = prisms.halves_mm[:, None] * prisms.axes[:, 2]
    middles, feet, tops = lens.project(np.stack([prisms.origins, prisms.origins - lifts, prisms.origins + lifts]))
    # Creases nearer to the outline than this say nothing of their own.
    shown = np.flatnonzero(whole.bounds | (np.hypot(*(tops - feet).T) > CREASE_PX)[whole.owners])
    points, tangents = whole.points.take(shown, axis=0), whole.tangents.take(shown, axis=0)
    owners = whole.owners.take(shown)
    pixels, ahead = lens.project(np.stack([points, points + NEXT_MM * tangents]))
    # Both coordinates of all points in a row each: NumPy is slow where it goes from pair to pair.
    x, y = (ahead - pixels).T
    across = np.stack([y, -x]) / np.maximum(np.hypot(x, y), 1e-9)
    across *= np.sign((across * (pixels - middles.take(owners, axis=0)).T).sum(axis=0) + 1e-9)
    normals = np.ascontiguousarray(across.T)
    height, width = scene.depth.shape
    # Just outside the outline, so that what merely carries the piece does not hide it.
    beside, depth_mm = pixels + 0.7 * normals, lens.depth_mm(points)
    free = is_within(pixels, (height, width), 2)
    if depths is None:
        free &= ~scene.depth.hides(beside, depth_mm)
    for depth, span in zip(depths or (), spans_of(owners, count), strict=False):
        free[span] &= ~depth.hides(beside[span], depth_mm[span])
    for patch, span in zip(over or (), spans_of(owners, count), strict=False):
        if patch is not None:
            free[span] &= ~patch.hides(beside[span], depth_mm[span])
    if scene.claimed is not None:
        spots = np.rint(np.clip(pixels, 0, (width - 1, height - 1))).astype(int)
        free &= scene.claimed[spots[:, 1], spots[:, 0]] == 0
    left = np.flatnonzero(free)
    mine = owners.take(left)
    shares = np.bincount(mine, minlength=count) / np.maximum(np.bincount(owners, minlength=count), 1)
    return Lines(points.take(left, axis=0), pixels.take(left, axis=0), normals.take(left, axis=0), mine, shares)


def support(scene: Scene, prism: Prism) -> Support:
    """How well a view bears out a piece at its place."""
    return supports(scene, prisms_of([prism]))[0]


def supports(scene: Scene, prisms: Prisms, over: Over | None = None, depths: Depths | None = None) -> list[Support]:
    """How well a view bears out each of some pieces, one without the others."""
    lines = lines_of(scene, prisms, over, depths)
    offsets, strength = scene.evidence.profiles(lines.pixels, lines.normals, SCORE_REACH_PX)
    peak = (strength * np.exp(-0.5 * np.square(offsets / SCORE_SIGMA_PX))).max(axis=0)
    seen = peak / (peak + scene.knee)
    found = []
    for share, span in zip(lines.seen_shares.tolist(), lines.spans(), strict=True):
        count, total = span.stop - span.start, float(seen[span].sum())
        found.append(Support(total - count / 2, share, total / count, count) if count else Support(0.0, 0.0, 0.0, 0))
    return found


def fit(scenes: Sequence[Scene], body: Body, start: Floats, prior: tuple[Floats, Floats] | None = None) -> Fit:
    """The pose near `start` whose contours lie on edges; `prior` is a mean and a sigma per parameter (inf: none)."""
    return fits(scenes, body, start[None], None if prior is None else (prior[0][None], prior[1][None]))[0]


def fits(
    scenes: Sequence[Scene],
    body: Body,
    starts: Floats,
    prior: tuple[Floats, Floats] | None = None,
    over: Sequence[Over] | None = None,
    depths: Sequence[Depths] | None = None,
) -> list[Fit]:
    """The poses near each of some starts (m, p), one without the others; `prior` holds means and sigmas (m, p)."""
    overs: Sequence[Over | None] = over or [None] * len(scenes)
    every: Sequence[Depths | None] = depths or [None] * len(scenes)
    views = list(zip(scenes, overs, every, strict=True))
    poses = starts.astype(float)
    many, size = poses.shape
    for reach_px in REACHES_PX:
        matrices, rights = np.zeros((many, size, size)), np.zeros((many, size))
        squares, totals = np.zeros(many), np.zeros(many, int)
        prisms = body.prisms(poses)
        for scene, patches, maps in views:
            lines = lines_of(scene, prisms, patches, maps)
            offsets, weights = offsets_of(scene, lines, reach_px)
            rows = jacobian_of(scene, lines, body.motion(poses, lines.owners, lines.points))
            for i, span in enumerate(lines.spans()):
                if span.stop - span.start < 4:
                    continue
                offset, jacobian = offsets[span], rows[span]
                away = np.abs(offset)
                scale = max(1.4826 * middle_of(away), 0.3)
                robust = weights[span] / np.maximum(1.0, away / (1.5 * scale))
                weighed = jacobian.T * robust
                matrices[i] += weighed @ jacobian
                rights[i] += weighed @ offset
                squares[i] += float(robust @ offset**2)
                totals[i] += len(offset)
        if prior is not None:
            pull = 1 / np.square(prior[1])
            matrices[:, np.arange(size), np.arange(size)] += pull
            rights += pull * (prior[0] - poses)
        steps = np.linalg.solve(matrices + 1e-6 * np.eye(size), rights[..., None])[..., 0]
        poses += np.clip(steps, -6.0, 6.0)
    chi2 = squares / np.maximum(totals - size, 1)
    covariances = np.linalg.pinv(matrices) * np.maximum(chi2, 0.05)[:, None, None]
    prisms = body.prisms(poses)
    borne = zip(*(supports(scene, prisms, patches, maps) for scene, patches, maps in views), strict=True)
    return [
        Fit(poses[i], covariances[i], float(chi2[i]), support_of_it, prisms[i]) for i, support_of_it in enumerate(borne)
    ]


def middle_of(values: Floats) -> float:
    """The median, many times as fast as NumPy's for few values."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1].tolist()
    return float(low + high) / 2


def offsets_of(scene: Scene, lines: Lines, reach_px: float) -> tuple[Floats, Floats]:
    """Where along each normal the likeliest edge lies, to a fraction of a pixel, and how much it counts."""
    offsets, strength = scene.evidence.profiles(lines.pixels, lines.normals, reach_px)
    near = strength * np.exp(-0.5 * np.square(offsets / (0.6 * reach_px)))
    best = np.clip(near.argmax(axis=0), 1, len(offsets) - 2)
    which = np.arange(len(best))
    left, top, right = (strength[best + i, which].astype(float) for i in (-1, 0, 1))
    bend = left - 2 * top + right
    shift = np.where(bend < -1e-6, np.clip(0.5 * (left - right) / np.minimum(bend, -1e-6), -1, 1), 0.0)
    weight = np.square(top / (top + scene.knee))
    return offsets[best, 0] + shift * STEP_PX, weight


def jacobian_of(scene: Scene, lines: Lines, motion: Floats) -> Floats:
    """How far each pixel moves along its normal per unit of each parameter."""
    nudge = 0.1
    moved = scene.evidence.lens.project(lines.points[:, None] + nudge * motion) - lines.pixels[:, None]
    jacobian: Floats = np.einsum("nkc,nc->nk", moved, lines.normals) / nudge
    return jacobian
