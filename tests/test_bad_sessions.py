"""Session files that are cut, foreign, damaged or hostile: one plain sentence, and what was recorded stays."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mcap.opcode import Opcode
from mcap.writer import MCAP0_MAGIC, CompressionType, Writer

from gui.cli import main
from gui.files import sample_game
from gui.session import HEAD, STEP, event_topics, load
from gui.session_summary import summary
from gui.session_writer import SessionWriter
from referee.errors import BadGame
from referee.game import play
from referee.ruling import Ruling
from tests.sessions import START_NS, head_of, play_into, recorded
from vision.errors import BadSession
from vision.session_file import open_session
from vision.session_log import SessionLog
from vision.session_scan import LOST, Scan, scan

RULINGS = play(sample_game()).rulings


@pytest.fixture(scope="module")
def unclosed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A session of three turns as it lies on the disk while it is recorded."""
    path = tmp_path_factory.mktemp("unclosed") / "a.mcap"
    writer = SessionWriter.begin(path, head_of(sample_game()), print, lambda: START_NS)
    list(play_into(writer, sample_game(), 0, 3))
    writer.recorder.drain()
    data = path.read_bytes()
    writer.close()
    return data


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return recorded(tmp_path_factory.mktemp("closed") / "a.mcap", 3).read_bytes()


def opened(path: Path) -> tuple[Ruling, ...]:
    """The rulings of a session, with all of it read."""
    file, found = load(path)
    with file:
        found.match()
        assert len(found.turns) == len(found.rulings)
        return found.rulings


@pytest.mark.parametrize("share", np.linspace(0.02, 0.999, 25))
def test_a_session_cut_anywhere_keeps_every_turn_before_the_cut(tmp_path: Path, unclosed: bytes, share: float) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(unclosed[: int(share * len(unclosed))])
    whole = scan(path)
    if not any(whole.entries(HEAD)):
        with pytest.raises(BadSession, match="the recording ended before it began"):
            opened(path)
        return
    turns = sum(1 for _ in whole.entries(STEP))
    assert opened(path) == RULINGS[:turns]
    assert not list(tmp_path.glob("*.damaged"))


@pytest.mark.parametrize("share", np.linspace(0.3, 0.999, 12))
def test_a_closed_session_that_was_cut_in_copying_keeps_what_came_over(
    tmp_path: Path, closed: bytes, share: float
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(closed[: int(share * len(closed))])
    has_end = scan(path).is_closed  # cut within its index: that is made anew
    assert opened(path) == RULINGS[:4]
    for _ in range(2):  # not only when it was indexed
        with open_session(path) as file:
            assert (file.lost is None) == has_end


def test_a_recording_that_is_cut_off_has_lost_nothing(tmp_path: Path, unclosed: bytes, closed: bytes) -> None:
    for name, data in (("a.mcap", unclosed[:-7]), ("b.mcap", closed)):
        (tmp_path / name).write_bytes(data)
        with open_session(tmp_path / name) as file:
            assert file.lost is None


def test_a_closed_session_that_is_gone_on_with_and_cut_off_has_lost_nothing(tmp_path: Path, closed: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(closed)
    for _ in range(2):
        writer, recorded, found = SessionWriter.resume(path, print)
        assert found.lost is None
        writer.recorder.cut()
    assert recorded.remarks[-1][1].text == "recovered to turn 3, nothing lost"


@pytest.mark.parametrize("spoil", [lambda data: data[:-1000], lambda data: data[:-900] + b"\x05" * 900])
def test_whoever_goes_on_with_a_spoilt_session_hears_what_is_lost(
    tmp_path: Path, closed: bytes, spoil: Callable[[bytes], bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.mcap"
    data = closed[: scan(_file(closed)(tmp_path)).end]
    path.write_bytes(spoil(data))
    for _ in range(2):  # the second time it is whole again, but what was lost stays lost
        writer, recorded, found = SessionWriter.resume(path, print)
        assert found.lost in LOST
        writer.close()
    assert all("nothing lost" not in remark.text for _, remark in recorded.remarks)
    assert main(["replay", str(path), "--headless"]) == 0
    assert capsys.readouterr().err.count(LOST[found.lost or ""]) == 1


def test_zeros_that_a_power_cut_left_are_no_damage(tmp_path: Path, unclosed: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(unclosed + bytes(5000))
    assert opened(path) == RULINGS[:4]
    assert not (tmp_path / "a.mcap.damaged").exists()


def test_damage_in_the_middle_keeps_the_file_beside_what_could_be_read(tmp_path: Path, unclosed: bytes) -> None:
    path = tmp_path / "a.mcap"
    spot = next(s for s in _scanned(tmp_path, unclosed).spots if s.number == 2)
    head = spot.offset - 22 - 9
    spoilt = unclosed[:head] + struct.pack("<BQ", Opcode.MESSAGE, 2**60) + unclosed[head + 9 :]
    path.write_bytes(spoilt)
    assert opened(path) == RULINGS[:2]
    assert (tmp_path / "a.mcap.damaged").read_bytes() == spoilt


def test_indexing_is_told_and_happens_once(tmp_path: Path, unclosed: bytes) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(unclosed)
    told: list[float] = []
    open_session(path, told.append).close()
    assert told[-1] == 1.0
    assert told == sorted(told)
    before = path.read_bytes()
    open_session(path, lambda _: pytest.fail("indexed again")).close()
    assert path.read_bytes() == before


def _file(contents: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "a.mcap").write_bytes(contents)
        return folder / "a.mcap"

    return write


def _foreign(folder: Path) -> Path:
    path = folder / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.NONE)
        writer.start("ros2", "somebody")
        schema = writer.register_schema("x", "jsonschema", b"{}")
        channel = writer.register_channel("/x", "json", schema)
        writer.add_message(channel, 1, b"{}", 1)
        writer.finish()
    return path


def _compressed(folder: Path) -> Path:
    """A session that somebody's tool has made smaller."""
    path = folder / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file, compression=CompressionType.ZSTD)
        writer.start("highway-referee", "")
        writer.add_metadata("session", {"format": "1"})
        channel = writer.register_channel(HEAD, "json", writer.register_schema("x", "jsonschema", b"{}"))
        writer.add_message(channel, 1, b"{}", 1)
        writer.finish()
    return path


def _of_format(text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "a.mcap"
        with path.open("wb") as file:
            writer = Writer(file, compression=CompressionType.NONE)
            writer.start("highway-referee", "")
            writer.add_metadata("session", {"format": text})
            writer.finish()
        return path

    return write


def _with_event(topic: str, event: bytes) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        path = folder / "a.mcap"
        with SessionLog.create(path, event_topics(), {}) as log:
            head = b'{"edition":"two-player-2024","players":["purple","green"],"first":"purple"}'
            log.append(HEAD, head, START_NS)
            log.append(topic, event, START_NS)
        open_session(path).close()
        return path

    return write


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder / "none.mcap", "no such file"),
        (lambda folder: folder, "directory"),
        (_file(b""), "is empty; nothing was recorded"),
        (_file(b"\x89"), "is no recorded session"),
        (_file(b"RIFF" + bytes(400)), "is no recorded session"),
        (_file(b"{}"), "is no recorded session"),
        (_file(MCAP0_MAGIC), "is an MCAP file of another program"),
        (_file(MCAP0_MAGIC + b"\x01" + b"\xff" * 8), "is an MCAP file of another program"),
        (_file(MCAP0_MAGIC + b"\x06" + struct.pack("<Q", 2**62) + bytes(64)), "is an MCAP file of another program"),
        (_file(MCAP0_MAGIC + b"\x02" + struct.pack("<QQQI", 20, 9, 0, 0) + MCAP0_MAGIC), "another program"),
        (_foreign, "is an MCAP file of another program"),
        (_compressed, r"another program has compressed it \(zstd\); undo that with `mcap decompress`"),
        (_of_format("2"), r"newer program \(format 2, this one reads up to 1\); update"),
        (_of_format("9" * 400), "is no number"),
        (_of_format("²"), "is no number"),
        (_with_event(STEP, b'{"event":' * 5000), "cannot be read"),
        (_with_event(STEP, b"[" * 100_000), "cannot be read"),
        (_with_event(STEP, b'{"event":{"type":"undone"},"kept":0,"rulings":[]}'), "before the match|never was"),
        (_with_event(HEAD, b'{"edition":3}'), "cannot be read"),
        (_with_event(STEP, b"\xff\xfe"), "cannot be read"),
    ],
)
def test_what_is_no_session_is_refused_in_one_sentence(tmp_path: Path, make: Callable[[Path], Path], said: str) -> None:
    path = make(tmp_path)
    with pytest.raises((BadSession, BadGame), match=said) as caught:
        opened(path)
    assert len(str(caught.value).splitlines()) == 1


def test_an_edition_that_is_unknown_here_spoils_no_library(tmp_path: Path) -> None:
    head = b'{"edition":"third-edition","players":["purple","green"],"first":"purple"}'
    found = summary(_with_event(HEAD, head)(tmp_path))
    assert (found.trouble, found.edition, found.result) == (None, "third-edition", "nothing was played")


def test_a_damaged_chunk_is_told_with_where_it_is(tmp_path: Path, closed: bytes) -> None:
    at = closed.index(b'"edition"')
    path = tmp_path / "a.mcap"
    path.write_bytes(closed[:at] + b"X" + closed[at + 1 :])
    with pytest.raises(BadSession, match="is damaged at byte"):
        load(path)


@pytest.mark.parametrize("seed", range(40))
def test_a_spoilt_session_is_read_or_refused_but_never_breaks(tmp_path: Path, closed: bytes, seed: int) -> None:
    rng = np.random.default_rng(seed)
    spoilt = bytearray(closed)
    for at in rng.integers(8, len(spoilt), 3):
        spoilt[at] = rng.integers(256)
    tail = rng.integers(1, 3000)
    spoilt[-tail] = rng.integers(256)
    path = tmp_path / "a.mcap"
    path.write_bytes(spoilt)
    with contextlib.suppress(BadSession, BadGame):
        opened(path)


def _scanned(folder: Path, data: bytes) -> Scan:
    path = folder / "scanned.mcap"
    path.write_bytes(data)
    return scan(path)
