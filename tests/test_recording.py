"""Recording: what was accepted is on disk, whatever happens next; pictures come back as they were."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import av
import msgspec
import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from mcap.reader import make_reader
from mcap.records import SummaryOffset
from mcap.stream_reader import StreamReader

from gui.files import sample_game
from gui.session import load
from gui.session_writer import SessionWriter
from referee.correction import PutPiece
from referee.game import play
from referee.match import Corrected, Redone, Undone
from tests.sessions import FRAMES, SECOND, START_NS, head_of, picture, play_into, recorded, turn_ns
from vision import foxglove
from vision.errors import BadSession
from vision.gate import Settled
from vision.h264 import Decoder, Encoder, begins_stream
from vision.playback import Video, still_pair
from vision.session_file import open_session
from vision.session_lock import beside
from vision.still import Still

RULINGS = play(sample_game()).rulings
IN_A_SMALL_DISK = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=20m none "$0" && exec "$@"']


def test_a_session_says_what_was_played_and_ruled(tmp_path: Path) -> None:
    file, found = load(recorded(tmp_path / "a.mcap"))
    with file:
        game = sample_game()
        assert found.head.players == game.players
        assert found.head.app
        assert found.rulings == RULINGS[:5]
        assert [s.layout for _, s in found.settled] == list(game.layouts[:5])
        assert [t.time_ns for t in found.turns] == [turn_ns(turn) for turn in range(5)]
        judged = found.match()
        assert judged is not None
        assert judged.rulings == found.rulings


def test_what_the_gate_keeps_is_what_vision_looks_at(tmp_path: Path) -> None:
    still = Still.of(picture(7))
    pair = Settled({"side": still.picture}, 0.0, None, {"side": still.data})
    writer = SessionWriter.begin(tmp_path / "a.mcap", head_of(sample_game()), print, lambda: START_NS)
    writer.settled(sample_game().layouts[0], None, None, pair)
    writer.close()
    with open_session(tmp_path / "a.mcap") as file:
        assert np.array_equal(still_pair(file, 0, START_NS)["side"], still.picture)
        (entry,) = file.entries("/stills/side")
        assert foxglove.unpack(foxglove.IMAGE, entry.data) == (still.data, "jpeg")


def test_settled_stills_come_back_to_the_last_bit(tmp_path: Path) -> None:
    file, found = load(recorded(tmp_path / "a.mcap"))
    with file:
        for time_ns, settled in found.settled:
            pair = still_pair(file, settled.number, time_ns)
            assert np.array_equal(pair["overhead"], picture(settled.number))
            assert np.array_equal(pair["side"], picture(100 + settled.number))


def test_video_shows_the_picture_that_was_newest_at_any_time(tmp_path: Path) -> None:
    file, _ = load(recorded(tmp_path / "a.mcap"))
    with file:
        video = Video(file, "side")
        assert video.at(START_NS - 1) is None
        for seconds in (0.0, 3.0, 3.9, 17.2, 4.1, 24.0, 99.0):
            seen = video.at(START_NS + int(seconds * SECOND))
            number = min(int(seconds), 5 * FRAMES - 1)
            assert seen is not None
            bar = int(seen.mean(axis=(0, 2)).reshape(-1, 4).mean(axis=1).argmax())
            assert bar == number, f"at {seconds} s"


def test_other_programs_read_the_video_in_foxgloves_own_schema(tmp_path: Path) -> None:
    """By mcap's own reader and the descriptors in the file alone."""
    with recorded(tmp_path / "a.mcap").open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        packets = []
        for schema, channel, message in reader.iter_messages("/overhead"):
            assert schema is not None
            assert (schema.name, schema.encoding, channel.message_encoding) == (
                "foxglove.CompressedVideo", "protobuf", "protobuf",
            )  # fmt: skip
            files = descriptor_pb2.FileDescriptorSet.FromString(schema.data)
            pool = descriptor_pool.DescriptorPool()
            for proto in files.file:
                pool.Add(proto)
            video = message_factory.GetMessageClass(pool.FindMessageTypeByName(schema.name)).FromString(message.data)
            assert (video.format, video.frame_id) == ("h264", "overhead")
            assert video.timestamp.seconds * SECOND + video.timestamp.nanos == message.log_time
            packets.append(video.data)
        assert len(packets) == 5 * FRAMES
        codec = av.CodecContext.create("h264", "r")
        assert sum(len(codec.decode(av.Packet(data))) for data in packets) + len(codec.decode(None)) == len(packets)


def test_a_closed_session_points_at_nothing_that_is_not_there(tmp_path: Path) -> None:
    """Other programs' checkers call an index without entries an error."""
    with recorded(tmp_path / "a.mcap").open("rb") as file:
        groups = [record for record in StreamReader(file).records if isinstance(record, SummaryOffset)]
    assert groups
    assert all(group.group_length > 0 for group in groups)


def test_events_carry_json_schemas_that_any_reader_shows(tmp_path: Path) -> None:
    with recorded(tmp_path / "a.mcap", video=False).open("rb") as file:
        seen = {c.topic: s.name for s, c, _ in make_reader(file).iter_messages() if s is not None}
    assert seen == {"/setup": "highway.Head", "/settled": "highway.Settled", "/match": "highway.Step"}


@pytest.mark.parametrize("size", [(120, 160), (121, 161)])
def test_an_encoder_gives_a_packet_per_picture_and_a_key_every_two_seconds(size: tuple[int, int]) -> None:
    encoder = Encoder(size[1], size[0])
    packets = [encoder.packet(picture(number, size), number / 10) for number in range(50)]
    assert [number for number, packet in enumerate(packets) if begins_stream(packet)] == [0, 20, 40]
    assert len(list(Decoder().all(packets[20:]))) == 30


def test_undo_and_redo_are_recorded_and_replayed(tmp_path: Path) -> None:
    game = sample_game()
    writer = SessionWriter.begin(tmp_path / "a.mcap", head_of(game), print, lambda: START_NS)
    list(play_into(writer, game, 0, 3, video=False))
    writer.apply(Undone())
    writer.apply(Undone())
    match = writer.apply(Redone())
    writer.close()
    file, found = load(tmp_path / "a.mcap")
    with file:
        assert found.rulings == match.rulings == RULINGS[:3]
        assert len(found.turns) == 3


def test_corrections_of_every_kind_of_piece_are_recorded_and_replayed(tmp_path: Path) -> None:
    game = sample_game()
    writer = SessionWriter.begin(tmp_path / "a.mcap", head_of(game), print, lambda: START_NS)
    list(play_into(writer, game, 0, 3, video=False))
    layout = game.layouts[1]
    taller = msgspec.structs.replace(layout.columns[-1], height=layout.columns[-1].height + 1)
    edits = PutPiece(taller), PutPiece(layout.roads[-1]), PutPiece(layout.cars[0])
    match = writer.apply(Corrected(1, edits))
    writer.close()
    file, found = load(tmp_path / "a.mcap")
    with file:
        assert found.steps[-1][1].event == Corrected(1, edits)
        assert found.rulings == match.rulings != RULINGS[:4]


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
def test_every_turn_that_was_told_as_accepted_survives_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with _recording(path) as process:
        assert process.stdout is not None
        told = [process.stdout.readline().split() for _ in range(6)]
        process.send_signal(signal.SIGKILL)
    assert told[-1] == ["accepted", "5"]
    assert beside(path).exists()
    writer, before, _ = SessionWriter.resume(path, print, lambda: START_NS)
    assert len(before.rulings) >= 6
    assert before.rulings == RULINGS[: len(before.rulings)]
    list(play_into(writer, sample_game(), len(before.rulings), 9, video=False))
    writer.close()
    file, found = load(path)
    with file:
        assert found.rulings == RULINGS[:10]
        assert found.remarks[0][1].text == f"recovered to turn {len(before.rulings) - 1}, nothing lost"
        assert Video(file, "overhead").at(START_NS + 2 * SECOND) is not None
    assert not beside(path).exists()


@pytest.mark.skipif(os.name != "posix", reason="the lock is of POSIX systems; Windows keeps files in use by itself")
def test_a_session_being_recorded_is_neither_opened_nor_recorded_on(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with _recording(path) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(BadSession, match="is being recorded by another program"):
            load(path)
        with pytest.raises(BadSession, match="is being recorded by another program"):
            SessionWriter.resume(path, print)
        process.kill()


def test_a_full_disk_stops_the_video_and_the_move_log_goes_on(tmp_path: Path) -> None:
    """On a real disk of 20 MB, 16 of which are the reserve."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        not shutil.which("unshare")
        or subprocess.run([*IN_A_SMALL_DISK, str(disk), "true"], capture_output=True).returncode
    ):
        pytest.skip("a small disk cannot be mounted here (needs user namespaces)")
    keep = 'python="$1"; "$python" -m tests.record_until_killed "$0/a.mcap" 4 </dev/null && cp "$0/a.mcap" "$2"'
    command = [*IN_A_SMALL_DISK, str(disk), "sh", "-c", keep, str(disk), sys.executable, str(tmp_path / "kept.mcap")]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [line for line in told if line.startswith("warning")] == [
        "warning the disk is full: video stops here, the game goes on being recorded in a.mcap"
    ]
    assert told.index("accepted 2") < next(n for n, line in enumerate(told) if "warning" in line)
    assert told[-1] == "played"
    file, found = load(tmp_path / "kept.mcap")
    with file:
        assert found.rulings == RULINGS


def test_without_room_for_the_reserve_nothing_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "no such" / "a.mcap"
    path.parent.write_text("a file where a folder should be")
    with pytest.raises(BadSession, match="cannot be written"):
        recorded(path)


def test_a_session_is_never_recorded_over_another_one(tmp_path: Path) -> None:
    path = recorded(tmp_path / "a.mcap", 1, video=False)
    before = path.read_bytes()
    with pytest.raises(BadSession, match="is there already"):
        recorded(path, 1, video=False)
    assert path.read_bytes() == before


def _recording(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.record_until_killed", str(path), "0"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
