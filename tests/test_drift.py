"""Cameras and tags that move during play: small bumps are put right in silence, large ones told, no guesses."""

from __future__ import annotations

from dataclasses import replace

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import Camera, Rig
from calibration.drift import State, Watcher
from calibration.errors import CalibrationError
from calibration.rig_checks import NAMES
from calibration.rig_quality import SolvedRig, camera_of, lens_numbers, points_over, rig_errors
from calibration.rig_solve import rig_from_pictures
from sample_frames.studio.rigs import random_rig
from tests.table_pictures import Laid, Shot, lens_near, photograph, strips_round, true_tags

AREA = ((-120.0, -120.0), (120.0, -120.0), (120.0, 120.0), (-120.0, 120.0))
PLAIN = Shot()

Pictures = dict[str, NDArray[np.uint8]]


class Table:
    """One table for all tests here: its truth, and the rig as it was solved before the game."""

    def __init__(self) -> None:
        rng = np.random.default_rng(4)
        self.laid = strips_round(rng, 160.0, 4)
        self.true = random_rig(rng, np.zeros(3), 480.0, (1280, 720))
        lenses = {name: lens_near(camera, rng) for name, camera in self.true.cameras.items()}
        self.before = self.shoot()
        self.rig = rig_from_pictures({name: [picture] for name, picture in self.before.items()}, lenses)
        self.watcher = Watcher.of(self.rig)

    def shoot(self, shot: Shot = PLAIN, laid: tuple[Laid, ...] | None = None, **cameras: Camera) -> Pictures:
        rng = np.random.default_rng(9)
        seen = self.true.cameras | cameras
        return {name: photograph(seen[name], laid or self.laid, shot, rng) for name in NAMES}


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def tilted(camera: Camera, degrees: float, axis: tuple[float, float, float]) -> Camera:
    turned = cv2.Rodrigues(np.radians(degrees) * np.array(axis))[0]
    R, t = turned @ np.array(camera.R), turned @ np.array(camera.t)
    return camera_of((camera.width, camera.height), lens_numbers(camera), R, t)


def off_mm(true: Rig, rig: Rig) -> tuple[float, float]:
    errors = rig_errors(true, rig, points_over(AREA))
    return float(np.median(errors.xy_mm)), float(np.median(errors.z_mm))


@pytest.mark.parametrize("shot", [PLAIN, Shot(light=0.3, falloff=0.7), Shot(blur_px=0.9, noise=0.008)])
def test_new_noise_new_light_and_soft_focus_are_no_bump(table: Table, shot: Shot) -> None:
    report = table.watcher.check(table.shoot(shot))
    assert report.state is State.STEADY
    assert report.rig == table.rig
    assert report.words == "the cameras are where they were"


@pytest.mark.parametrize(
    ("degrees", "state"),
    [(0.01, State.CORRECTED), (0.03, State.CORRECTED), (0.1, State.BUMPED), (0.5, State.BUMPED)],
)
def test_a_tilted_side_camera_is_solved_again_and_told_only_if_it_matters(
    table: Table, degrees: float, state: State
) -> None:
    camera = tilted(table.true.side, degrees, (1.0, 0.0, 0.0))
    picture = photograph(camera, table.laid, PLAIN, np.random.default_rng(9))
    report = table.watcher.check({"overhead": table.before["overhead"], "side": picture})
    assert report.state is state
    assert "the side camera moved" in report.words
    assert "overhead" not in report.words
    assert f"{degrees:.2f} degrees" in report.words
    moved = Rig(table.true.cameras | {"side": camera})
    assert max(off_mm(moved, report.rig)) < 0.1
    again = report.watcher.check({"overhead": table.before["overhead"], "side": picture})
    assert again.state is State.STEADY


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
def test_a_hundredth_of_a_degree_is_seen_about_every_axis_of_both_cameras(
    table: Table, name: str, axis: tuple[float, float, float]
) -> None:
    camera = tilted(table.true.cameras[name], 0.01, axis)
    report = table.watcher.check({name: photograph(camera, table.laid, PLAIN, np.random.default_rng(9))})
    assert report.state is State.CORRECTED
    assert f"the {name} camera moved" in report.words
    assert max(off_mm(Rig(table.true.cameras | {name: camera}), report.rig)) < 0.1


def test_bump_after_bump_does_not_pile_up_doubt(table: Table) -> None:
    watcher, sigmas = table.watcher, []
    for degrees in (0.02, -0.02, 0.02, -0.02):
        camera = tilted(table.true.side, degrees, (1.0, 0.0, 0.0))
        report = watcher.check({"side": photograph(camera, table.laid, PLAIN, np.random.default_rng(9))})
        assert report.state is State.CORRECTED
        assert isinstance(report.rig, SolvedRig)
        sigmas.append(report.rig.point_sigma_mm(points_over(AREA)).max())
        watcher = report.watcher
    assert max(sigmas) < 1.1 * min(sigmas)


def test_one_tag_that_moved_is_dropped_alone(table: Table) -> None:
    loose = sorted(table.watcher.tags)[5]
    elsewhere = table.watcher.tags[loose] + np.array([0.8, -0.6, 0.0])
    report = replace(table.watcher, tags={**table.watcher.tags, loose: elsewhere}, windows={}).check(table.before)
    assert report.state is State.TAG_MOVED
    assert set(report.moved) == {loose}
    assert report.moved[loose] == pytest.approx(1.0, abs=0.1)
    assert report.words == f"tag {loose} by 1.0 mm: moved, and no longer used"
    assert report.rig == table.rig
    assert report.watcher.check(table.before).state is State.STEADY


def test_an_overhead_camera_that_rolled_is_solved_again(table: Table) -> None:
    camera = tilted(table.true.overhead, 0.2, (0.0, 0.0, 1.0))
    report = table.watcher.check(table.shoot(overhead=camera))
    assert report.state is State.CORRECTED
    assert max(off_mm(Rig(table.true.cameras | {"overhead": camera}), report.rig)) < 0.1
    assert isinstance(report.rig, SolvedRig)
    assert report.rig.covariance != table.rig.covariance


def test_a_strip_that_was_pushed_is_dropped_and_the_cameras_stay(table: Table) -> None:
    pushed = (replace(table.laid[0], x_mm=table.laid[0].x_mm + 1.5), *table.laid[1:])
    report = table.watcher.check(table.shoot(laid=pushed))
    assert report.state is State.TAG_MOVED
    assert set(report.moved) <= set(table.laid[0].tags_in_table())
    assert len(report.moved) >= 3
    assert all(by_mm == pytest.approx(1.5, abs=0.3) for by_mm in report.moved.values())
    assert not set(report.moved) & set(report.watcher.tags)
    assert max(off_mm(table.true, report.rig)) < 0.1
    assert report.words.endswith("moved, and no longer used")


def test_covered_tags_are_missed_by_nobody_until_too_few_are_left(table: Table) -> None:
    ids = sorted(true_tags(table.true.side, table.laid))
    some = table.watcher.check(table.shoot(replace(PLAIN, hidden=frozenset(ids[::2]))))
    assert some.state is State.STEADY
    assert some.moved == {}
    most = table.watcher.check(table.shoot(replace(PLAIN, hidden=frozenset(ids[2:]))))
    assert most.state is State.LOST
    assert "tags are seen in the overhead picture: too few to tell whether the camera moved" in most.words
    assert most.rig == table.rig


def test_a_dark_room_stops_the_judging(table: Table) -> None:
    report = table.watcher.check(table.shoot(Shot(light=0.002)))
    assert report.state is State.LOST
    assert "turn up the light" in report.words


def test_strips_laid_anew_are_not_taken_for_a_bump(table: Table) -> None:
    rng = np.random.default_rng(7)
    anew = tuple(
        replace(
            p, x_mm=p.x_mm + float(rng.normal(0, 6)), y_mm=p.y_mm + float(rng.normal(0, 6)), yaw_rad=p.yaw_rad + 0.05
        )
        for p in table.laid
    )
    report = table.watcher.check(table.shoot(laid=anew))
    assert report.state is State.LOST
    assert "do not lie as they did: calibrate again" in report.words


def test_pictures_of_another_size_and_rigs_without_tags_are_refused(table: Table) -> None:
    with pytest.raises(CalibrationError, match="the side picture has 640 x 360 pixels, the rig 1280 x 720"):
        table.watcher.check({"side": table.before["side"][::2, ::2]})
    with pytest.raises(CalibrationError, match="the rig knows 0 tags: it takes 3"):
        Watcher.of(msgspec.structs.replace(table.rig, tags={}))
