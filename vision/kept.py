"""Old pieces held against the new pictures: still there, moved a little, or gone."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.layout import Column, Road
from referee.pieces import Kit
from vision.bodies import Body, column_body, stick_body, stick_pose
from vision.evidence import Evidence
from vision.fit import Lines, Scene, jacobian_of, lines_of, middle_of, offsets_of, support
from vision.solids import Prism
from vision.view import Floats

SUSPECT = 0.45
"""Share of a piece's earlier lines that must still be seen for it to be there."""
LEAST_LINES = 12
NUDGED_MM = 0.5
NUDGED_SIGMAS = 4.0
REACH_PX = 6.0
STILL_PX = 0.5
STILL_SHARE = 0.5
SETTLED = 0.8
"""Share of its lines still in place above which a piece was not pushed."""
WAS_THERE = 0.88
"""Share of a piece's lines seen before, of those seen now, from which it is not new."""
DIMMED, LEAST_DIMMED = 0.8, 0.5
"""Of the light before, below which a lamp went out; and the least share of it by which lines then weaken more still,
for what is left of the light throws no shadows."""
TOUCHED = 4.0
TOUCHED_SHARE = 0.08


@dataclass(frozen=True, eq=False)
class Check:
    """How an old piece fares: earlier lines that nothing hides now, the share of them still seen, and its shift."""

    lines: int
    kept: float
    shift: Floats | None = None
    """Change of the pose, where it is known to have moved."""

    @property
    def is_missing(self) -> bool:
        """Whether enough of its earlier lines could be seen, and are not."""
        return self.lines >= LEAST_LINES and self.kept < SUSPECT


def touched(views: Sequence[Evidence], prism: Prism) -> bool:
    """Whether pictures changed anywhere near a piece's lines: where not, it need not be looked at."""
    for evidence in views:
        if evidence.step is None:
            return True
        pixels = np.rint(evidence.lens.project(np.concatenate([prism.ring(1.0), prism.ring(-1.0)]))).astype(int)
        height, width = evidence.step.shape
        x, y = np.clip(pixels[:, 0], 0, width - 1), np.clip(pixels[:, 1], 0, height - 1)
        if float((evidence.step[y, x] > TOUCHED).mean()) > TOUCHED_SHARE:
            return True
    return False


def checks(
    pieces: Sequence[Column | Road], before: Sequence[Scene], now: Sequence[Scene], kit: Kit
) -> dict[str, Check]:
    """Compare pieces' lines before and now, by their ids; `now` knows what else hides them by now."""
    columns = [piece for piece in pieces if isinstance(piece, Column)]
    roads = [piece for piece in pieces if isinstance(piece, Road)]
    found: list[Check] = []
    if columns:
        body = column_body(kit, 0.0, np.array([kit.column_top_mm(column.height) for column in columns]))
        found += _checked(body, np.array([(column.x, column.y) for column in columns]), before, now)
    if roads:
        poses = np.array([stick_pose(np.array(road.a), np.array(road.b)) for road in roads])
        found += _checked(stick_body(kit), poses, before, now)
    names = [*(column.id for column in columns), *(road.id for road in roads)]
    return dict(zip(names, found, strict=True))


def _checked(body: Body, poses: Floats, before: Sequence[Scene], now: Sequence[Scene]) -> list[Check]:
    """How pieces of one kind fare at their poses (m, p)."""
    many, size = poses.shape
    prisms = body.prisms(poses)
    lines_count, kept_count, used = (np.zeros(many, int) for _ in range(3))
    matrices, rights, squares = np.zeros((many, size, size)), np.zeros((many, size)), np.zeros(many)
    for was, is_ in zip(before, now, strict=True):
        lines = lines_of(was, prisms)
        lens = is_.evidence.lens
        hidden = is_.depth.hides(lines.pixels + 0.7 * lines.normals, lens.depth_mm(lines.points))
        old_at, old_weight = offsets_of(was, lines, REACH_PX)
        new_at, new_weight = offsets_of(is_, lines, REACH_PX)
        clear = ~hidden & (old_weight > 0.3)
        seen = clear & (new_weight > 0.2)
        still = clear & _still_there(was, is_, lines, old_at, clear)
        rows = jacobian_of(is_, lines, body.motion(poses, lines.owners, lines.points))
        for i, span in enumerate(lines.spans()):
            lines_count[i] += np.count_nonzero(clear[span])
            kept_count[i] += np.count_nonzero(still[span])
            if np.count_nonzero(seen[span]) < 4:
                continue
            jacobian, moved = rows[span][seen[span]], (new_at - old_at)[span][seen[span]]
            weight = 1 / np.maximum(1.0, np.abs(moved - middle_of(moved)) / 0.5)
            matrices[i] += (jacobian * weight[:, None]).T @ jacobian
            rights[i] += (jacobian * weight[:, None]).T @ moved
            squares[i] += float((weight * moved**2).sum())
            used[i] += len(moved)
    kept = kept_count / np.maximum(lines_count, 1)
    return [
        Check(
            int(lines_count[i]),
            float(kept[i]),
            _shift(matrices[i], rights[i], float(squares[i]), int(used[i])) if kept[i] < SETTLED else None,
        )
        for i in range(many)
    ]


def _still_there(was: Scene, is_: Scene, lines: Lines, old_at: Floats, clear: np.ndarray) -> np.ndarray:
    """Which lines show an edge where there was one before, nearly as strong; in less light by as much less."""
    spots = lines.pixels + old_at[:, None] * lines.normals
    before = was.evidence.profiles(spots, lines.normals, STILL_PX)[1].max(axis=0)
    now = is_.evidence.profiles(spots, lines.normals, STILL_PX)[1].max(axis=0)
    share, light = STILL_SHARE, light_left(was, is_)
    if light < DIMMED and clear.any():
        usual = float(np.median(now[clear] / np.maximum(before[clear], 1e-6)))
        share *= float(np.clip(usual, LEAST_DIMMED * light, light))
    still: np.ndarray = now > share * before
    return still


def light_left(was: Scene, is_: Scene) -> float:
    """How bright a view is, of how bright it was."""
    return is_.evidence.view.brightness / max(was.evidence.view.brightness, 1.0)


def is_dimmed(before: Sequence[Scene], now: Sequence[Scene]) -> bool:
    """Whether a lamp went out, in any view."""
    return any(light_left(was, is_) < DIMMED for was, is_ in zip(before, now, strict=True))


def _shift(matrix: Floats, right: Floats, squares: float, used: int) -> Floats | None:
    """The change of pose that explains the moved lines, where it is more than their scatter."""
    if used < LEAST_LINES:
        return None
    # A stick's tips hardly rise or sink where it is pushed.
    hold = np.diag([0.0, 0.0, 0.0, 0.5, 0.5])[: len(right), : len(right)] if len(right) == 5 else np.zeros((2, 2))
    step: Floats = np.asarray(np.linalg.lstsq(matrix + hold, right, rcond=None)[0], np.float64)
    spread = max((squares - float(step @ right)) / max(used - len(step), 1), 0.02)
    sigma = np.sqrt(np.maximum(np.diag(np.linalg.pinv(matrix + hold)), 0.0) * spread * 4)
    arms = np.array([1.0, 1.0, 45.0, 1.0, 1.0])[: len(step)]
    plan = slice(0, 3)
    far = np.abs(step * arms)[plan].max() > NUDGED_MM
    clear = (np.abs(step[plan]) > NUDGED_SIGMAS * sigma[plan]).any()
    return step if far and clear else None


def was_there(scenes: Sequence[Scene], prism: Prism) -> bool:
    """Whether what is seen of a new piece was to be seen before as well: stock beside the game, lit anew."""
    before, now = earlier(scenes), present(scenes)
    shares = []
    for was, is_ in zip(before, now, strict=False):
        one, other = support(was, prism), support(is_, prism)
        if other.count >= LEAST_LINES:
            shares.append(one.seen / max(other.seen, 1e-6))
    return bool(shares) and min(shares) > WAS_THERE


def body_and_pose(piece: Column | Road, kit: Kit) -> tuple[Body, Floats]:
    """What a piece's fit works with."""
    if isinstance(piece, Column):
        return column_body(kit, 0.0, kit.column_top_mm(piece.height)), np.array([piece.x, piece.y])
    return stick_body(kit), stick_pose(np.array(piece.a), np.array(piece.b))


def earlier(scenes: Sequence[Scene]) -> list[Scene]:
    """The same scenes as they were before the change."""
    return [
        dataclasses.replace(s, evidence=Evidence(s.evidence.before)) for s in scenes if s.evidence.before is not None
    ]


def present(scenes: Sequence[Scene]) -> list[Scene]:
    """The same scenes without regard to what was there before."""
    return [dataclasses.replace(s, evidence=Evidence(s.evidence.view)) for s in scenes]
