"""Kit registration on the bundled, rendered card: sizes come back, paints too, and what is missing or odd is said."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.camera import Rig
from calibration.card_pose import SeenCard, see_card
from calibration.edge_offsets import ACROSS_PX, Beside, edge_offset
from calibration.errors import CalibrationError
from calibration.exposure import unclipped
from calibration.kit_card import kit_card
from calibration.kit_compare import compare_card, errors_of, summary
from calibration.kit_doubts import doubts
from calibration.kit_paints import looks_like
from calibration.kit_register import Found, RegisteredKit, register
from calibration.page import Rect
from calibration.paper import LETTER
from calibration.piece_fit import Fitted
from gui.cli import main
from referee.pieces import Kit
from tests.table_pictures import Laid, Shot, photograph

CARD = Path(__file__).resolve().parent.parent / "sample_frames" / "kit_card"
LIMITS_MM = {
    "disc_diameter_mm": 0.3,
    "disc_height_mm": 0.3,
    "road_length_mm": 0.8,
    "road_width_mm": 0.5,
    "road_thickness_mm": 0.3,
}
"""What the bundled card, small and overexposed as it is, has to reach."""
AROUND_MM = 7.0

Pictures = dict[str, NDArray[np.uint8]]


@pytest.fixture(scope="module")
def rig() -> Rig:
    return msgspec.json.decode((CARD / "rig.json").read_bytes(), type=Rig)


@pytest.fixture(scope="module")
def pictures() -> Pictures:
    files = {name: cv2.imread(str(CARD / f"{name}_kit.jpg")) for name in ("overhead", "side")}
    return {name: np.asarray(picture, dtype=np.uint8) for name, picture in files.items()}


@pytest.fixture(scope="module")
def seen(pictures: Pictures, rig: Rig) -> SeenCard:
    return see_card(pictures, rig)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    out = tmp_path_factory.mktemp("kit") / "kit.json"
    files = [str(CARD / f"{name}_kit.jpg") for name in ("overhead", "side")]
    assert main(["calibrate", "--kit-card", *files, "--rig", str(CARD / "rig.json"), "-o", str(out)]) == 0
    return out.read_bytes()


@pytest.fixture(scope="module")
def kit(written: bytes) -> RegisteredKit:
    return msgspec.json.decode(written, type=RegisteredKit)


@pytest.fixture(scope="module")
def true() -> Kit:
    return msgspec.json.decode((CARD / "kit.json").read_bytes(), type=Kit)


def covered(pictures: Pictures, seen: SeenCard, *places: str) -> Pictures:
    """The pictures with bare paper where these places are, shadows and all."""
    bare = {name: picture.copy() for name, picture in pictures.items()}
    for place in places:
        corners = seen.corners_in_card(seen.card.places[place].grown(AROUND_MM if "car" not in place else 3.0))
        for name, view in seen.views.items():
            points = np.concatenate([np.column_stack([corners, np.full(4, z)]) for z in (0.0, 13.0)])
            hull = np.rint(cv2.convexHull(view.camera.project(points).astype(np.float32))).astype(np.int32)
            mask = np.zeros(bare[name].shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, hull, 1)
            inside = pictures[name][mask > 0]
            bright = inside[inside.sum(axis=1) >= np.percentile(inside.sum(axis=1), 80)]
            bare[name][mask > 0] = np.median(bright, axis=0).astype(np.uint8)
    return bare


def test_the_pieces_of_the_bundled_card_come_back_in_size(kit: RegisteredKit, true: Kit) -> None:
    errors = errors_of("bundled", kit, true)
    assert {name: abs(error) <= LIMITS_MM[name] for name, error in errors.errors_mm.items()} == dict.fromkeys(
        LIMITS_MM, True
    )
    assert all(abs(share) < 3.0 for share in errors.in_spreads.values())


def test_kit_json_keeps_to_the_contract_and_carries_spreads(written: bytes, kit: RegisteredKit) -> None:
    plain = msgspec.json.decode(written, type=Kit)
    assert plain.disc_diameter_mm == kit.disc_diameter_mm
    assert set(plain.cars) == set(Kit().cars)
    assert set(kit.spreads_mm) == set(LIMITS_MM)
    assert all(0.0 < spread < 1.0 for spread in kit.spreads_mm.values())
    assert {"disc", "junction", "road"} <= set(kit.paints)


def test_each_paint_is_nearest_to_its_own_true_colour(kit: RegisteredKit, true: Kit) -> None:
    def rgb(code: str) -> NDArray[np.float64]:
        return np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.float64)

    players = ("purple", "green", "orange", "blue", "pink")
    for player in players:
        apart = {other: np.linalg.norm(rgb(kit.colours[player]) - rgb(true.colours[other])) for other in players}
        assert min(apart, key=lambda other: apart[other]) == player


def test_an_empty_stick_place_is_refused(pictures: Pictures, seen: SeenCard, rig: Rig) -> None:
    with pytest.raises(CalibrationError, match="no stick is seen on its place"):
        register(covered(pictures, seen, "stick"), rig)


def test_one_disc_is_enough_and_empty_places_are_named(pictures: Pictures, seen: SeenCard, rig: Rig, true: Kit) -> None:
    kit = register(covered(pictures, seen, "disc_grey", "car_type_highway_bus"), rig)
    assert any("grey disc" in note and "highway bus" in note for note in kit.notes)
    assert "highway_bus" not in kit.car_spreads_mm
    assert kit.cars["highway_bus"] == Kit().cars["highway_bus"]
    assert abs(kit.disc_diameter_mm - true.disc_diameter_mm) < 0.6


def test_swapped_pictures_are_named_as_such(pictures: Pictures, rig: Rig) -> None:
    with pytest.raises(CalibrationError, match="swapped"):
        register({"overhead": pictures["side"], "side": pictures["overhead"]}, rig)


def test_a_black_picture_is_refused(pictures: Pictures, rig: Rig) -> None:
    with pytest.raises(CalibrationError, match="sees 0 tags of the kit card"):
        register({**pictures, "overhead": np.zeros_like(pictures["overhead"])}, rig)


def test_a_side_picture_without_the_card_is_refused(pictures: Pictures, rig: Rig) -> None:
    with pytest.raises(CalibrationError, match="side camera sees no tag"):
        register({**pictures, "side": np.full_like(pictures["side"], 90)}, rig)


def test_a_picture_of_another_size_is_refused(pictures: Pictures, rig: Rig) -> None:
    small = np.asarray(cv2.resize(pictures["side"], (640, 360)), dtype=np.uint8)
    with pytest.raises(CalibrationError, match="640 x 360"):
        register({**pictures, "side": small}, rig)


def noted(seen: SeenCard, **changes: object) -> list[str]:
    """What is said of a kit without pieces on the card but with these values."""
    nothing = Found({}, None, {}, (), ())
    return list(doubts(seen, nothing, msgspec.structs.replace(RegisteredKit(), **changes)))


def test_a_disc_of_thirty_millimetres_is_odd_and_one_of_twenty_is_not(seen: SeenCard) -> None:
    assert any("measures 30.0 mm across" in note for note in noted(seen, disc_diameter_mm=30.0))
    assert not any("across" in note for note in noted(seen, disc_diameter_mm=20.0))


def test_a_type_that_stands_there_twice_is_odd(seen: SeenCard) -> None:
    spreads = dict.fromkeys(("sedan", "highway_bus"), (0.3, 0.3, 0.3))
    twice = {**Kit().cars, "sedan": (24.2, 7.5, 8.4)}
    assert any("same type of car" in note for note in noted(seen, cars=twice, car_spreads_mm=spreads))
    assert not any("same type" in note for note in noted(seen, car_spreads_mm=spreads))


def test_a_car_that_is_only_seen_in_part_is_not_taken_for_a_second_one_of_its_type(seen: SeenCard) -> None:
    cars = {**Kit().cars, "electric_car": (7.0, 6.6, 6.0)}
    notes = noted(seen, cars=cars, car_spreads_mm={"electric_car": (1.0, 1.0, 1.0)})
    assert any("7.0 mm long, where about 11 is usual: turn the card" in note for note in notes)
    assert not any("looks like" in note or "same type" in note for note in notes)


def test_a_car_of_twice_the_usual_height_is_odd_and_a_fifth_more_is_not(seen: SeenCard) -> None:
    length, width, height = Kit().cars["sedan"]
    for times, odd in ((1.2, False), (2.0, True)):
        cars = {**Kit().cars, "sedan": (length, width, times * height)}
        notes = noted(seen, cars=cars, car_spreads_mm={"sedan": (1.0, 1.0, 1.0)})
        assert any("mm high, where about 5.5 is usual" in note for note in notes) is odd


def test_overexposure_is_said(seen: SeenCard) -> None:
    assert any("overhead picture is overexposed" in note for note in noted(seen))
    assert not any("side picture is overexposed" in note for note in noted(seen))


def lying(seen: SeenCard, place: str, aside_mm: float) -> Found:
    """A piece of the default kit whose right side is this far beyond its place."""
    corners = seen.corners_in_card(seen.card.places[place])
    y, right = corners[:, 1].mean(), corners[:, 0].max()
    kit = Kit()
    if place == "stick":
        size = (0.0, kit.road_length_mm, kit.road_width_mm, kit.road_thickness_mm, 0.4)
        fit = Fitted(np.array([right + aside_mm - kit.road_length_mm / 2, y, *size]), np.eye(7), 0.1, 1.0)
        return Found({}, fit, {}, (), ())
    numbers = np.array([right + aside_mm - kit.disc_diameter_mm / 2, y, kit.disc_diameter_mm, kit.disc_height_mm])
    return Found({place: Fitted(numbers, np.eye(4), 0.1, 1.0)}, None, {}, (), ())


@pytest.mark.parametrize(("place", "words"), [("disc_grey", "the grey disc lies"), ("stick", "the stick lies")])
def test_a_piece_that_reaches_over_its_place_is_said_and_one_that_touches_its_side_is_not(
    seen: SeenCard, place: str, words: str
) -> None:
    assert any(words in note for note in doubts(seen, lying(seen, place, 1.5), RegisteredKit()))
    assert not any(words in note for note in doubts(seen, lying(seen, place, -0.5), RegisteredKit()))


@pytest.mark.parametrize(("version", "on_black"), [(1, []), (2, ["stick"])])
def test_cards_of_both_versions_are_told_apart_by_their_tags(rig: Rig, version: int, on_black: list[str]) -> None:
    page = kit_card(LETTER, version).page
    laid = (Laid(page, Rect(0, 0, page.width_mm, page.height_mm), 5.0, -8.0, 2.5),)
    rng = np.random.default_rng(4)
    greys = {name: photograph(camera, laid, Shot(), rng) for name, camera in rig.cameras.items()}
    card = see_card({name: np.dstack([grey] * 3) for name, grey in greys.items()}, rig).card
    assert (card.page.name, card.page.version) == ("kit-card-letter", version)
    assert list(card.fields) == on_black


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["calibrate", *arguments]) == 2
    return capsys.readouterr().err.strip()


def test_the_command_refuses_what_it_cannot_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rig, picture = str(CARD / "rig.json"), str(CARD / "overhead_kit.jpg")
    assert "--rig" in refused(capsys, "--kit-card", picture, picture)
    assert "takes two pictures" in refused(capsys, "--kit-card", picture, "--rig", rig)
    assert "holds no overhead_kit" in refused(capsys, str(tmp_path), "--kit-card", "--rig", rig)
    (tmp_path / "bad.jpg").write_bytes(b"no picture")
    told = refused(capsys, "--kit-card", str(tmp_path / "bad.jpg"), picture, "--rig", rig, "-o", str(tmp_path / "k"))
    assert "is no picture that can be read" in told
    assert not (tmp_path / "k").exists()


def test_cards_are_compared_with_their_truth() -> None:
    errors = compare_card(CARD)
    assert errors.refused is None
    assert set(summary([errors])) >= set(LIMITS_MM)


@pytest.mark.parametrize("true_px", [-0.6, 0.0, 0.8])
@pytest.mark.parametrize("piece", [0.1, 0.45])
def test_an_edge_is_found_where_it_is_beside_the_shade_that_a_wall_throws(true_px: float, piece: float) -> None:
    blur_px, tall_px, paper = 0.6, 5.0, 0.8
    fine = np.arange(-8.0, 8.0, 0.02)
    away = np.maximum(fine - true_px, 0.0)
    sky = 1.0 - 0.6 * 0.5 * (1.0 - away / np.hypot(away, tall_px))
    sharp = np.where(fine < true_px, piece, paper * sky)
    kernel = np.exp(-0.5 * (np.arange(-3.0, 3.0, 0.02) / blur_px) ** 2)
    light = np.convolve(sharp, kernel / kernel.sum(), mode="same")
    across = np.column_stack([np.interp(ACROSS_PX, fine, light), np.full((len(ACROSS_PX), 2), 0.5)])
    off, sigma = edge_offset(across, 10, Beside(0.5, False, tall_px, 0.0), blur_px, 2.0)
    assert off == pytest.approx(true_px, abs=0.15)
    assert sigma < 0.5


@pytest.mark.parametrize("true_px", [-0.7, 0.0, 0.9])
@pytest.mark.parametrize("side", [0.1, 0.4])
def test_on_black_an_edge_is_found_where_the_side_ends_however_dark_it_is(true_px: float, side: float) -> None:
    blur_px, wide_px = 0.6, 2.0
    fine = np.arange(-8.0, 8.0, 0.02)
    sharp = np.where(fine < true_px - wide_px, 0.4, np.where(fine < true_px, side, 0.03))
    kernel = np.exp(-0.5 * (np.arange(-3.0, 3.0, 0.02) / blur_px) ** 2)
    light = np.convolve(sharp, kernel / kernel.sum(), mode="same")
    across = np.column_stack([np.interp(ACROSS_PX, fine, light), np.full((len(ACROSS_PX), 2), 0.5)])
    off, sigma = edge_offset(across, 10, Beside(wide_px, True, 3.0, 0.0, on_black=True), blur_px, 2.0)
    assert off == pytest.approx(true_px, abs=0.15)
    assert sigma < 0.5


def test_light_below_the_knee_stays_and_white_becomes_what_it_was() -> None:
    light = np.array([[0.1, 0.4, 1.0]], dtype=np.float32)
    raised = unclipped(light, 1.0, 1.4)
    assert raised[0].tolist() == pytest.approx([0.1, 0.4, 1.4])
    assert unclipped(light, 1.0, 1.0) is light


@pytest.mark.parametrize(("code", "word"), [("#7c41b3", "purple"), ("#cf6b2c", "orange"), ("#e8e8e6", "white")])
def test_colours_have_words(code: str, word: str) -> None:
    assert looks_like(code) == word
