"""A rig from what its cameras see: the tag strips on the table, the lens board held before both, or all of it.

The table frame has its origin amid all tag corners, x along the words of the strip with the lowest number, z up from
the table top. Without tags it is the board's, in the first view that both cameras have of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.board import BoardSpec
from calibration.bundle import measured, solve
from calibration.bundle_rows import CAMERA, PAPER_MM, PAPER_SIGMA_MM, Bundle, Seen, State
from calibration.camera import Floats, Row
from calibration.charuco import BoardSeen
from calibration.errors import CalibrationError
from calibration.lens import Lens
from calibration.play_area import play_area, seen_by_both
from calibration.rig_checks import NAMES, Tags, check_both, check_named, check_tags
from calibration.rig_quality import SolvedRig, camera_of, quality_of
from calibration.sheets import LENS_BOARD
from calibration.strips import Guess, Placed, Strip, first_guess, moved, strip_of
from calibration.tag_looks import straight
from calibration.tags import find_tags, mean_tags

LEAST_BOARDS = 3
BOARD_SIGMA_PX = 0.1

BoardViews = Sequence[Mapping[str, BoardSeen]]


def rig_from_pictures(
    pictures: Mapping[str, Sequence[NDArray[np.uint8]]], lenses: Mapping[str, Lens], print_scale: float = 1.0
) -> SolvedRig:
    """A rig from grey pictures of a still table with strips on it, any number from each camera."""
    check_both(pictures, "pictures")
    check_both(lenses, "a lens")
    tags = {
        name: mean_tags([find_tags(picture, lenses[name], f"the {name} picture") for picture in pictures[name]])
        for name in NAMES
    }
    return solve_rig(tags, lenses, print_scale)


def solve_rig(
    tags: Tags,
    lenses: Mapping[str, Lens],
    print_scale: float = 1.0,
    boards: BoardViews = (),
    spec: BoardSpec = LENS_BOARD,
) -> SolvedRig:
    """A rig from tags by camera, and from moments at which both cameras saw the lens board."""
    check_both(lenses, "a lens")
    shared = [view for view in boards if all(name in view for name in NAMES)]
    if any(tags.get(name) for name in NAMES) or not shared:
        check_tags(tags)
        guess = first_guess({name: tags[name] for name in NAMES}, lenses)
        strips = [strip for first in sorted(guess.places) if (strip := strip_of(first)) is not None]
    else:
        if len(shared) < LEAST_BOARDS:
            raise CalibrationError(
                f"both cameras see the board at {len(shared)} moments: it takes {LEAST_BOARDS}, or strips on the table"
            )
        tags, strips = {name: {} for name in NAMES}, []
        guess = Guess({name: _board_pose(shared[0][name], lenses[name], spec) for name in NAMES}, {})
    bundle = _bundle(tags, lenses, strips, print_scale, shared, spec)
    state = _framed(solve(bundle, _start(guess, tags, strips, print_scale, lenses, shared, spec)), bundle, strips)
    found = measured(bundle, state)
    cameras = {
        name: camera_of((lenses[name].width, lenses[name].height), state.lenses[n], *state.cameras[n])
        for n, name in enumerate(NAMES)
    }
    if strips:
        check_named(cameras)
    places = {strip.first: Placed(*state.strips[n]) for n, strip in enumerate(strips)}
    corners = {
        tag: _rows(places[strip.first].in_table(print_scale * strip.corners_mm[tag]))
        for strip in strips
        for tag in strip.corners_mm
        if any(tag in tags[name] for name in NAMES)
    }
    area = play_area(cameras, [np.array(c)[:, :2] for c in corners.values()], places, strips, print_scale)
    lifted = _lifted(state) if strips else np.zeros(len(found.covariance))
    spread = found.covariance + PAPER_SIGMA_MM**2 * np.outer(lifted, lifted)
    covariance = tuple(tuple(float(value) for value in row) for row in spread)
    rig = SolvedRig(cameras, area, tags=corners, covariance=covariance, reprojection_px=found.reprojection_px)
    seen = area or seen_by_both(cameras, None)
    if seen is None:
        raise CalibrationError("the cameras do not look at the same part of the table: turn them towards it")
    return SolvedRig(
        cameras,
        area,
        tags=corners,
        covariance=covariance,
        reprojection_px=found.reprojection_px,
        quality=quality_of(rig, seen),
    )


def _bundle(
    tags: Tags,
    lenses: Mapping[str, Lens],
    strips: Sequence[Strip],
    print_scale: float,
    boards: BoardViews,
    spec: BoardSpec,
) -> Bundle:
    numbered = [(n, tag) for n, strip in enumerate(strips) for tag in strip.corners_mm if _used(tag, tags)]
    index = {tag: 4 * n for n, (_, tag) in enumerate(numbered)}
    on_strip = [print_scale * strips[n].corners_mm[tag] for n, tag in numbered]
    on_board = _on_board(spec)
    seen = []
    for name in NAMES:
        points, pixels, sigma, inward = [np.empty(0, int)], [np.empty((0, 2))], [np.empty(0)], [np.empty((0, 2))]
        count = len(tags[name])
        insets = [np.empty((0, 1 + count))]
        for number, (tag, one) in enumerate(tags[name].items()):
            points.append(index[tag] + np.arange(4))
            pixels.append(one.corners_px)
            sigma.append(np.full(4, one.sigma_px))
            inward.append(_inward(one.corners_px))
            insets.append(np.tile(np.eye(1, 1 + count) + np.eye(1, 1 + count, 1 + number), (4, 1)))
        for number, view in enumerate(boards):
            points.append(4 * len(numbered) + number * len(on_board) + view[name].ids)
            pixels.append(view[name].corners_px)
            sigma.append(np.full(len(view[name].ids), BOARD_SIGMA_PX))
            inward.append(np.zeros((len(view[name].ids), 2)))
            insets.append(np.zeros((len(view[name].ids), 1 + count)))
        seen.append(Seen(*(np.concatenate(part) for part in (points, pixels, sigma, inward, insets))))
    return Bundle(
        [lenses[name] for name in NAMES],
        seen,
        np.concatenate(on_strip) if on_strip else np.empty((0, 2)),
        np.repeat([n for n, _ in numbered], 4).astype(int),
        np.tile(on_board, (len(boards), 1)),
        np.repeat(np.arange(len(boards)), len(on_board)),
    )


def _used(tag: int, tags: Tags) -> bool:
    return any(tag in tags[name] for name in NAMES)


def _inward(corners_px: Floats) -> Floats:
    """How corners (4, 2) move when every side moves inward by a pixel."""
    along: Floats = np.roll(corners_px, -1, axis=0) - corners_px
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / np.linalg.norm(along, axis=1, keepdims=True)
    both = np.stack([np.roll(normal, 1, axis=0), normal], axis=1)
    moved_px: Floats = np.linalg.solve(both, np.ones((4, 2, 1)))[..., 0]
    return moved_px


def _start(
    guess: Guess,
    tags: Tags,
    strips: Sequence[Strip],
    print_scale: float,
    lenses: Mapping[str, Lens],
    boards: BoardViews,
    spec: BoardSpec,
) -> State:
    places = [guess.places[strip.first] for strip in strips]
    poses = []
    R, t = guess.cameras[NAMES[0]]
    for view in boards:
        turned, shift = _board_pose(view[NAMES[0]], lenses[NAMES[0]], spec)
        poses.append((R.T @ turned, R.T @ (shift - t)))
    return State(
        [(guess.cameras[name][0], guess.cameras[name][1] * print_scale) for name in NAMES],
        [lenses[name].parameters() for name in NAMES],
        [np.zeros(1 + len(tags[name])) for name in NAMES],
        np.array([(p.x_mm * print_scale, p.y_mm * print_scale, p.yaw_rad) for p in places]).reshape(-1, 3),
        poses,
    )


def _on_board(spec: BoardSpec) -> Floats:
    """The board's corners (n, 3) with y up, so that a board on the table has z up too."""
    flat = spec.corners_mm()
    return np.column_stack([flat[:, 0], -flat[:, 1], np.zeros(len(flat))])


def _board_pose(board: BoardSeen, lens: Lens, spec: BoardSpec) -> tuple[Floats, Floats]:
    points = _on_board(spec)[board.ids]
    pixels = straight(board.corners_px, lens)
    _, turned, shift = cv2.solvePnP(points, pixels, np.array(lens.K), np.zeros(5), flags=cv2.SOLVEPNP_IPPE)
    return np.array(cv2.Rodrigues(turned)[0], dtype=np.float64), np.array(shift, dtype=np.float64).ravel()


def _framed(state: State, bundle: Bundle, strips: Sequence[Strip]) -> State:
    """The same in the documented table frame."""
    if not strips:
        return state
    places = {strip.first: Placed(*state.strips[n]) for n, strip in enumerate(strips)}
    plan = np.concatenate(
        [
            places[strip.first].in_table(bundle.strip_points[bundle.strip_of_point == n])
            for n, strip in enumerate(strips)
        ]
    )
    guess = Guess(dict(zip(NAMES, state.cameras, strict=True)), places)
    origin, yaw = plan.mean(axis=0), places[strips[0].first].yaw_rad
    there = moved(guess, origin, yaw)
    rows = np.array([[p.x_mm, p.y_mm, p.yaw_rad] for p in (there.places[strip.first] for strip in strips)])
    back = np.eye(3)
    back[:2, :2] = [[np.cos(yaw), np.sin(yaw)], [-np.sin(yaw), np.cos(yaw)]]
    boards = [(back @ R, back @ (t - np.array([*origin, 0.0]))) for R, t in state.boards]
    return State([there.cameras[name] for name in NAMES], state.lenses, state.insets_px, rows, boards)


def _lifted(state: State) -> Floats:
    """How the cameras' numbers change when the print on the strips lies a millimetre higher than it was taken to."""
    each = [np.concatenate([np.zeros(3), -R[:, 2], np.zeros(CAMERA - 6)]) for R, _ in state.cameras]
    return np.concatenate(each)


def _rows(plan: Floats) -> tuple[Row, Row, Row, Row]:
    a, b, c, d = ((float(x), float(y), PAPER_MM) for x, y in plan)
    return a, b, c, d
