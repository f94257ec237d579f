"""`highway calibrate` on the bundled take: the rig that made it comes back, and bad input is one plain sentence."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from calibration.camera import Rig
from calibration.errors import CalibrationError
from calibration.rig_quality import SolvedRig, points_over, rig_errors
from calibration.take import take_in
from gui.cli import main

TAKE = Path(__file__).resolve().parent.parent / "sample_frames" / "calibration_take"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("take") / "rig.json"
    assert main(["calibrate", str(TAKE), "--ruler", "100", "-o", str(out)]) == 0
    return out


def inside_the_strips() -> list[tuple[float, float]]:
    """The outline that the strips' corners make, drawn in by a third."""
    tags = msgspec.json.decode((TAKE / "tags.json").read_bytes(), type=dict[str, list[list[float]]])
    plan = np.concatenate([np.array(corners)[:, :2] for corners in tags.values()])
    outline = cv2.convexHull(plan.astype(np.float32))[:, 0].astype(np.float64)
    middle = plan.mean(axis=0)
    return [(float(x), float(y)) for x, y in middle + (outline - middle) * 2 / 3]


def test_the_bundled_take_gives_back_its_rig_to_a_few_tenths_of_a_millimetre(solved: Path) -> None:
    true = msgspec.json.decode((TAKE / "rig.json").read_bytes(), type=Rig)
    rig = msgspec.json.decode(solved.read_bytes(), type=SolvedRig)
    errors = rig_errors(true, rig, points_over(inside_the_strips()))
    assert np.median(errors.xy_mm) <= 0.10
    assert np.percentile(errors.xy_mm, 95) <= 0.30
    assert np.median(np.abs(errors.z_mm)) <= 0.15


def test_rig_json_keeps_to_the_contract_and_says_how_good_it_is(solved: Path) -> None:
    plain = msgspec.json.decode(solved.read_bytes(), type=Rig)
    assert set(plain.cameras) == {"overhead", "side"}
    assert plain.play_area is not None
    rig = msgspec.json.decode(solved.read_bytes(), type=SolvedRig)
    assert rig.quality is not None
    assert rig.quality.words.endswith(rig.quality.grade)


def refused(capsys: pytest.CaptureFixture[str], out: Path, *arguments: str) -> str:
    """The one line that a call is refused with; no rig is written."""
    assert main(["calibrate", *arguments, "-o", str(out)]) == 2
    told = capsys.readouterr().err.strip().splitlines()
    assert not out.exists()
    return told[-1]


def test_a_folder_without_takes_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "holds no overhead_lens" in refused(capsys, tmp_path / "rig.json", str(tmp_path))


def test_a_print_that_is_off_needs_consent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(capsys, tmp_path / "rig.json", str(TAKE), "--ruler", "97")
    assert "3.0 % too small" in told


def test_clicks_without_a_printer_make_a_coarse_rig(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    true = msgspec.json.decode((TAKE / "rig.json").read_bytes(), type=Rig)
    points = np.array([[-105.0, 148.5, 0.0], [105.0, 148.5, 0.0], [105.0, -148.5, 0.0], [-105.0, -148.5, 0.0]])
    views = {
        name: {
            "size": [camera.width, camera.height],
            "clicks": [
                [x, y, *pixel]
                for (x, y, _), pixel in zip(points.tolist(), camera.project(points).tolist(), strict=True)
            ],
        }
        for name, camera in true.cameras.items()
    }
    clicks, out = tmp_path / "clicks.json", tmp_path / "rig.json"
    clicks.write_bytes(msgspec.json.encode(views))
    assert main(["calibrate", "--clicks", str(clicks), "-o", str(out)]) == 0
    assert "mm" in capsys.readouterr().out
    assert msgspec.json.decode(out.read_bytes(), type=SolvedRig).quality is not None


def test_files_are_found_by_their_names(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match="is no folder"):
        take_in(tmp_path / "nowhere")
    for name in ("overhead_lens.mp4", "side_table_1.jpg", "side_table_0.jpg"):
        (tmp_path / name).touch()
    take = take_in(tmp_path)
    assert set(take.lens) == {"overhead"}
    assert [file.name for file in take.table["side"]] == ["side_table_0.jpg", "side_table_1.jpg"]
