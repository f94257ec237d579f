"""Walking through a session record by record, as far as it is whole: for files that were cut and have no index."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol, TypeVar

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Metadata, Schema
from mcap.writer import MCAP0_MAGIC

from vision.errors import BadSession
from vision.session_log import FORMAT

Progress = Callable[[float], None]
"""Told how much is done, from 0 to 1."""

LATEST_NS = 2**63
RECORD_HEAD = struct.Struct("<BQ")
MESSAGE_HEAD = struct.Struct("<HIQQ")
CHUNK_HEAD = struct.Struct("<QQQII")
CHUNKED = (Opcode.CHUNK, Opcode.MESSAGE_INDEX)
MOST_WORDS_BYTES = 1_000_000
"""No schema, channel or metadata is longer."""
MOST_RECORD_BYTES = 128 * 1024 * 1024
"""No record that we write is longer: a cut-off one that claims more is damage, not a cut."""

LOST = {
    "end": "its end is missing, as if copying it had broken off; copy it again if you can",
    "damage": "part of it is damaged and left out; the whole lies beside it, named .damaged",
}
"""What a session can have lost, by what its facts call it. A recording that is cut off loses nothing: it only ends."""

Words = TypeVar("Words", Channel, Metadata, Schema)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a message lies."""

    channel: int
    number: int
    time_ns: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One message."""

    time_ns: int
    number: int
    data: bytes


class Entries(Protocol):
    """A session's messages by topic, whatever way they are found."""

    @property
    def path(self) -> Path: ...

    def entries(self, topic: str, begin_ns: int = 0, end_ns: int = LATEST_NS) -> Iterator[Entry]: ...


@dataclass(slots=True)
class Scan:
    """What a file holds up to its first record that is not whole."""

    path: Path
    end: int = len(MCAP0_MAGIC)
    """Bytes from here on are no data: an index, a torn record, or damage."""
    last: int = Opcode.HEADER
    """What the last whole record is."""
    is_closed: bool = False
    is_damaged: bool = False
    """What follows `end` is no index and no torn last record either."""
    is_cut_short: bool = False
    """It was closed once, and does not reach to its index any more."""
    facts: dict[str, str] | None = None
    schemas: dict[int, Schema] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)

    @property
    def lost(self) -> str | None:
        """What is known to be missing, as `LOST` calls it."""
        now = "damage" if self.is_damaged else "end" if self.is_cut_short else None
        return now or (self.facts or {}).get("lost")

    def times_ns(self, topic: str) -> list[int]:
        """When the messages of a topic were written."""
        ids = {channel.id for channel in self.channels.values() if channel.topic == topic}
        return [spot.time_ns for spot in self.spots if spot.channel in ids]

    def entries(self, topic: str, begin_ns: int = 0, end_ns: int = LATEST_NS) -> Iterator[Entry]:
        """Messages of a topic with begin <= time <= end, as they were written."""
        ids = {channel.id for channel in self.channels.values() if channel.topic == topic}
        with self.path.open("rb") as file:
            for spot in self.spots:
                if spot.channel in ids and begin_ns <= spot.time_ns <= end_ns:
                    yield Entry(spot.time_ns, spot.number, _at(file, spot.offset, spot.size))


def refuse_foreign(path: Path) -> None:
    """Raise BadSession for what is no MCAP file at all."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            magic = file.read(len(MCAP0_MAGIC))
    except OSError as error:
        raise BadSession(f"{path}: {(error.strerror or str(error)).lower()}; name a recorded session") from None
    if size == 0:
        raise BadSession(f"{path}: is empty; nothing was recorded in it, and it can be deleted")
    if magic != MCAP0_MAGIC:
        raise BadSession(f"{path}: is no recorded session (no MCAP file); name one that `highway record` has made")


def check_facts(path: Path, facts: dict[str, str] | None) -> dict[str, str]:
    """What a session says of itself; BadSession where it is somebody else's or a newer program's."""
    if facts is None:
        raise BadSession(f"{path}: is an MCAP file of another program; name a session that `highway record` has made")
    wanted = facts.get("format", "")
    if not wanted.isascii() or not wanted.isdecimal() or len(wanted) > 9:
        raise BadSession(f"{path}: its format '{wanted[:20]}' is no number; the file is damaged, copy it again")
    if int(wanted) > FORMAT:
        raise BadSession(
            f"{path}: was recorded by a newer program (format {wanted}, this one reads up to {FORMAT}); "
            "update this program"
        )
    return facts


def lost_words(lost: str | None) -> str | None:
    """For people: what is missing; None where nothing is, as far as anybody knows."""
    return LOST.get(lost or "")


def scan(path: Path, progress: Progress | None = None) -> Scan:
    """Walk through the file. It never fails for what is in there: it stops."""
    found = Scan(path)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        _walk(file, found, found.end, size, lambda at: progress(at / size) if progress else None)
        if not found.is_closed:
            found.is_damaged = _is_damage(file, found.end, size)
            found.is_cut_short = not found.is_damaged and _is_indexed(file, found, size)
    return found


def _walk(file: BinaryIO, found: Scan, at: int, limit: int, tell: Callable[[int], None], inside: bool = False) -> bool:
    """Take in the records of a file or of a chunk; whether all of them were whole."""
    told = at
    while at + RECORD_HEAD.size <= limit:
        opcode, length = RECORD_HEAD.unpack(_at(file, at, RECORD_HEAD.size))
        begin, end = at + RECORD_HEAD.size, at + RECORD_HEAD.size + length
        if opcode == Opcode.DATA_END and not inside:
            found.is_closed = True
            return True
        if opcode == 0 or end > limit or not _take(file, found, opcode, begin, length, inside):
            return False
        at = end
        if not inside:
            found.end, found.last = at, opcode
            if at - told > 8_000_000:
                tell(at)
                told = at
    return at == limit


def _take(file: BinaryIO, found: Scan, opcode: int, begin: int, length: int, inside: bool) -> bool:
    """Take in one record; False where it contradicts itself."""
    match opcode:
        case Opcode.MESSAGE:
            if length < MESSAGE_HEAD.size:
                return False
            channel, number, time_ns, _ = MESSAGE_HEAD.unpack(_at(file, begin, MESSAGE_HEAD.size))
            if channel not in found.channels:
                return False
            data = begin + MESSAGE_HEAD.size
            found.spots.append(Spot(channel, number, time_ns, data, length - MESSAGE_HEAD.size))
        case Opcode.CHUNK if not inside:
            return _walk_chunk(file, found, begin, length)
        case Opcode.SCHEMA:
            schema = _words(file, begin, length, Schema)
            if schema is None:
                return False
            found.schemas[schema.id] = schema
        case Opcode.CHANNEL:
            named = _words(file, begin, length, Channel)
            if named is None or named.schema_id not in found.schemas:
                return False
            found.channels[named.id] = named
        case Opcode.METADATA:
            metadata = _words(file, begin, length, Metadata)
            if metadata is None:
                return False
            if metadata.name == "session":
                found.facts = metadata.metadata
    return True


def _walk_chunk(file: BinaryIO, found: Scan, begin: int, length: int) -> bool:
    if length < CHUNK_HEAD.size:
        return False
    *_, named = CHUNK_HEAD.unpack(_at(file, begin, CHUNK_HEAD.size))
    # Ours are never compressed; where somebody's tool did it, the tool can undo it.
    if named:
        return False
    records = begin + CHUNK_HEAD.size + 8
    return _walk(file, found, records, begin + length, lambda _: None, inside=True)


def _words(file: BinaryIO, begin: int, length: int, kind: type[Words]) -> Words | None:
    if length > MOST_WORDS_BYTES:
        return None
    try:
        read: Words = kind.read(ReadDataStream(BytesIO(_at(file, begin, length))))
    except (McapError, ValueError, struct.error):
        return None
    return read


def _is_damage(file: BinaryIO, end: int, size: int) -> bool:
    """Whether what follows the last whole record is more than a record that was being written."""
    if size - end < RECORD_HEAD.size:
        return False
    opcode, length = RECORD_HEAD.unpack(_at(file, end, RECORD_HEAD.size))
    if opcode == 0:  # a power cut leaves zeros where data had not reached the disk
        return any(any(_at(file, at, 2**20)) for at in range(end, size, 2**20))
    is_torn = end + RECORD_HEAD.size + length > size and length <= MOST_RECORD_BYTES
    return not is_torn


def _is_indexed(file: BinaryIO, found: Scan, size: int) -> bool:
    """Whether what ends there was being copied, not recorded: only indexing puts messages into chunks."""
    torn = _at(file, found.end, 1)[0] if found.end < size else Opcode.MESSAGE
    return torn in CHUNKED or found.last in CHUNKED


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)
