"""A lens from pictures of a board: choosing views, solving, holding some back as a check, refusing what cannot do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np

from calibration.board import BoardSpec
from calibration.camera import Floats
from calibration.charuco import BoardSeen, Picture, find_board, least_corners
from calibration.coverage import Coverage, outline_px
from calibration.errors import CalibrationError
from calibration.frames import Frame, length_s, pictures
from calibration.lens import Lens
from calibration.lens_solve import BULGE, Corners, Solved, pose_of, project, quadric, solve
from calibration.no_board import BLURRED_PX, no_board

Progress = Callable[[float, str], None]

SAMPLED_S = 0.25
MOST_SAMPLED = 240  # frames that are looked at; of a longer video fewer a second
MOST_VIEWS = 60
LEAST_VIEWS = 8
HELD_OUT = 5  # every so manieth view
WIDE_VIEW = 4.0  # times the usual residual: such a view is left out
WIDE_CORNER = 5.0  # sigmas
FOCAL_LIMIT = 0.01  # one sigma of the focal length, as a share of it
MIDDLE_LIMIT = 0.015  # one sigma of the middle, as a share of the picture's width
LEAST_TILTED = 3
TILTED_RAD = math.radians(10.0)
MOST_HINTS = 6
BOW_LIMIT = 0.003  # of the board's diagonal: a sheet of paper that bows by 2 mm has 1.2 mm of it on the board
BOW_SIGMAS = 5.0
LOOKED_INTO = 8  # pictures without a board that are kept to tell why
FINDING_SHARE = 0.85  # of the time goes into finding the board


@dataclass(frozen=True, slots=True, eq=False)
class LensFound:
    """A lens, and every view of the board that was found on the way to it."""

    lens: Lens
    views: Sequence[BoardSeen]


def lens_from(
    paths: Sequence[Path], spec: BoardSpec, progress: Progress | None = None, every_s: float = SAMPLED_S
) -> LensFound:
    """The lens that took these videos, pictures or folders of pictures, looked at so often."""
    if not paths:
        raise CalibrationError("no pictures named; name a video, pictures or a folder of pictures")
    lengths_s = [length_s(file) for file in paths]
    starts_s = np.cumsum([0.0, *lengths_s[:-1]]).tolist()
    every_s = max(every_s, sum(lengths_s) / MOST_SAMPLED)
    frames = (
        replace(frame, time_s=start_s + frame.time_s)
        for file, start_s in zip(paths, starts_s, strict=True)
        for frame in pictures(file, every_s)
    )
    name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
    views = views_in(frames, spec, name, part(progress, 0.0, FINDING_SHARE), sum(lengths_s))
    try:
        lens = fit_lens(views, spec, part(progress, FINDING_SHARE, 1.0))
    except CalibrationError as error:
        raise CalibrationError(f"{name}: {error}") from None
    return LensFound(lens, views)


def views_in(
    frames: Iterable[Frame], spec: BoardSpec, name: str, progress: Progress | None = None, total_s: float = 0.0
) -> list[BoardSeen]:
    """The board in every frame that shows it, from files or a live camera; refuses if none does."""
    views: list[BoardSeen] = []
    without: list[Picture] = []
    for number, frame in enumerate(frames):
        seen = find_board(frame.picture, spec, frame.name, thorough=False)
        if seen is not None:
            views.append(replace(seen, time_s=frame.time_s))
        elif not views and _kept(number):
            without = [*without, frame.picture][-LOOKED_INTO:]
        if progress is not None:
            progress(min(1.0, frame.time_s / total_s if total_s else 0.0), f"{name}: {len(views)} views of the board")
    if not views:
        raise no_board(name, without, spec)
    return views


def fit_lens(views: Sequence[BoardSeen], spec: BoardSpec, progress: Progress | None = None) -> Lens:
    """The lens behind these views, with its errors; refuses views that cannot tell it, and says what is missing."""
    sizes = {view.size: view.name for view in views}
    if len(sizes) > 1:
        told = ", ".join(f"{width} x {height} ({name})" for (width, height), name in sizes.items())
        raise CalibrationError(f"pictures of different sizes: {told}; a lens is solved at one size")
    covered = _covered(views, spec)
    if len(views) < LEAST_VIEWS:
        few = f"{len(views)} pictures show enough of the board, it takes {LEAST_VIEWS}"
        blur_px = 1 / float(np.median([view.sharpness for view in views])) if views else 0.0
        if blur_px > BLURRED_PX:
            raise CalibrationError(f"{few}, and they are blurred by {blur_px:.1f} px; focus, or hold the board still")
        raise CalibrationError(f"{few}{_missing(covered)}")
    tell = progress or (lambda share, words: None)
    fitted, held = hold_back(views, spec)
    tell(0.1, f"solving the lens from {len(fitted)} views")
    solved = _solved(fitted, spec)
    bow_mm = _check_flat(solved, spec)
    _check_support(solved, fitted[0].size, covered)
    held_out_px = _rms([_rest(solved.shared, _corners(view, spec)) for view in held])
    lens = _lens(solved, fitted[0].size, held_out_px, bow_mm)
    tell(1.0, f"fitted to {lens.fitted_px:.2f} px, {held_out_px:.2f} px in views held back")
    return lens


def held_out_error(lens: Lens, views: Sequence[BoardSeen], spec: BoardSpec) -> float:
    """RMS distance in px of found and predicted corners of a flat board, for any lens and views it has not seen."""
    shared = np.array([*lens.parameters(), 0.0, 0.0, 0.0])
    return _rms([_rest(shared, _corners(view, spec)) for view in views])


def hold_back(views: Sequence[BoardSeen], spec: BoardSpec) -> tuple[list[BoardSeen], list[BoardSeen]]:
    """The chosen views that the lens is solved from, and those it is checked on."""
    chosen = choose_views(views, spec)
    held = chosen[HELD_OUT - 1 :: HELD_OUT]
    return [view for view in chosen if view not in held], held


def choose_views(views: Sequence[BoardSeen], spec: BoardSpec, most: int = MOST_VIEWS) -> list[BoardSeen]:
    """The views that differ most in place, size and tilt, sharp and whole ones first."""
    sharp = np.array([view.sharpness for view in views])
    whole = np.array([len(view.ids) for view in views]) / ((spec.columns - 1) * (spec.rows - 1))
    worth = np.minimum(1.0, sharp / np.median(sharp)) * np.sqrt(whole)
    outlines = np.array([outline_px(view, spec).ravel() for view in views])
    chosen = [int(np.argmax(worth))]
    apart = np.full(len(views), np.inf)
    for _ in range(min(most, len(views)) - 1):
        apart = np.minimum(apart, np.linalg.norm(outlines - outlines[chosen[-1]], axis=1))
        apart[chosen] = -1.0
        chosen.append(int(np.argmax(apart * worth)))
    return [views[number] for number in chosen]


def part(progress: Progress | None, start: float, end: float) -> Progress | None:
    """The progress of a part of the work."""
    if progress is None:
        return None
    return lambda share, words: progress(start + (end - start) * share, words)


def _kept(number: int) -> bool:
    """Fewer and fewer, so that the kept ones are spread over any length: 0, 1, 2, 4, 8, ..."""
    return number & (number - 1) == 0


def _corners(view: BoardSeen, spec: BoardSpec) -> Corners:
    return Corners(spec.corners_mm()[view.ids] - np.array([spec.width_mm, spec.height_mm]) / 2, view.corners_px)


def _rest(shared: Floats, view: Corners) -> Floats:
    rest: Floats = view.pixels - project(shared, pose_of(shared, view), view.board_mm)[0]
    return rest


def _rms(rest: Sequence[Floats]) -> float:
    return math.sqrt(float(np.mean(np.sum(np.concatenate(rest) ** 2, axis=1))))


def _solved(views: Sequence[BoardSeen], spec: BoardSpec) -> Solved:
    """The lens without views and corners that contradict the rest."""
    given = [_corners(view, spec) for view in views]
    first = solve(given, views[0].size)
    each = np.array([_rms([rest]) for rest in first.residuals])
    kept = []
    for view, rest, rms in zip(given, first.residuals, each, strict=True):
        good = np.linalg.norm(rest, axis=1) < WIDE_CORNER * math.sqrt(2) * first.sigma_px
        if rms < WIDE_VIEW * np.median(each) and good.sum() >= least_corners(spec):
            kept.append(Corners(view.board_mm[good], view.pixels[good]))
    if len(kept) < LEAST_VIEWS * (HELD_OUT - 1) // HELD_OUT:
        raise CalibrationError(f"only {len(kept)} of {len(views)} views agree with each other; take them again")
    return solve(kept, views[0].size, near=first)


def _covered(views: Sequence[BoardSeen], spec: BoardSpec) -> Coverage:
    covered = Coverage(spec)
    for view in views:
        covered = covered.with_view(view)
    return covered


def _missing(covered: Coverage) -> str:
    told, rest = covered.missing[:MOST_HINTS], len(covered.missing) - MOST_HINTS
    if not told:
        return "; take more views, in other places and tilts"
    return f"; missing: {', '.join(told)}" + (f", and {rest} more" if rest > 0 else "")


def _check_support(solved: Solved, size: tuple[int, int], covered: Coverage) -> None:
    """Refuse views from which the lens cannot be told, such as flat ones only."""
    tilts = sorted(math.acos(min(1.0, abs(cv2.Rodrigues(pose[:3])[0][2, 2]))) for pose in solved.poses)
    if tilts[-LEAST_TILTED] < TILTED_RAD:
        steepest = math.degrees(tilts[-1])
        raise CalibrationError(f"the board is never tilted by more than {steepest:.0f} degrees{_missing(covered)}")
    sigma = np.sqrt(np.diag(solved.covariance))
    focal_px = float(solved.shared[0])
    if sigma[0] > FOCAL_LIMIT * focal_px:
        open_by = f"{focal_px:.0f} px give or take {sigma[0]:.0f}"
        raise CalibrationError(f"the views leave the focal length open: {open_by}{_missing(covered)}")
    if sigma[2:4].max() > MIDDLE_LIMIT * size[0]:
        open_by = f"by {sigma[2:4].max():.0f} px"
        raise CalibrationError(f"the views leave the middle of the lens open: {open_by}{_missing(covered)}")


def _check_flat(solved: Solved, spec: BoardSpec) -> float:
    """How far the board stands out of its plane, alike in all views; refuses much of it."""
    half = np.array([spec.width_mm, spec.height_mm]) / 2
    grid = np.stack(np.meshgrid(*[np.linspace(-side, side, 9) for side in half]), axis=-1).reshape(-1, 2)
    shape = quadric(grid)
    height = shape @ solved.shared[BULGE]
    way = shape[np.argmax(height)] - shape[np.argmin(height)]
    bow_mm, sigma_mm = float(np.ptp(height)), math.sqrt(float(way @ solved.covariance[BULGE, BULGE] @ way))
    if bow_mm > BOW_LIMIT * 2 * float(np.hypot(*half)) and bow_mm > BOW_SIGMAS * sigma_mm:
        raise CalibrationError(f"the board is bent by {bow_mm:.1f} mm; glue it flat on something stiff")
    return bow_mm


def _lens(solved: Solved, size: tuple[int, int], held_out_px: float, bow_mm: float) -> Lens:
    fx, fy, cx, cy, k1, k2, p1, p2, k3 = (float(value) for value in solved.shared[:9])
    covariance = tuple(tuple(float(value) for value in row[:9]) for row in solved.covariance[:9])
    matrix = ((fx, 0.0, cx), (0.0, fy, cy), (0.0, 0.0, 1.0))
    fitted_px, views = _rms(solved.residuals), len(solved.poses)
    return Lens(*size, matrix, (k1, k2, p1, p2, k3), covariance, fitted_px, held_out_px, views, bow_mm)
