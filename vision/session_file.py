"""A recorded session, opened: what it says of itself, and its messages by topic and time."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Channel, Chunk, ChunkIndex, Footer, Message, Metadata, MetadataIndex
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.writer import MCAP0_MAGIC

from vision.errors import BadSession
from vision.session_index import index
from vision.session_scan import (
    LATEST_NS,
    MOST_WORDS_BYTES,
    RECORD_HEAD,
    Entry,
    Progress,
    check_facts,
    lost_words,
    refuse_foreign,
)

FOOTER_BYTES = 9 + 20
MOST_SUMMARY_BYTES = 256 * 1024 * 1024
KEPT_CHUNKS = 24
BROKEN = (McapError, ValueError, KeyError, struct.error, OverflowError, MemoryError)
"""What reading a damaged or hostile file can raise."""


class SessionFile:
    """A closed session; events, stills and video are read when asked for."""

    def __init__(self, path: Path, file: BinaryIO, facts: dict[str, str], parts: _Summary) -> None:
        self.path = path
        self.facts = facts
        self._file = file
        self._size = os.fstat(file.fileno()).st_size
        self._channels = parts.channels
        self._chunks = parts.chunks
        self._chunk = lru_cache(KEPT_CHUNKS)(self._read_chunk)

    @property
    def topics(self) -> frozenset[str]:
        """Topics that there are messages of."""
        used = {channel for chunk in self._chunks for channel in chunk.message_index_offsets}
        return frozenset(self._channels[channel].topic for channel in used)

    @property
    def lost(self) -> str | None:
        """What is known to be missing, for people."""
        return lost_words(self.facts.get("lost"))

    def span_ns(self, topic: str | None = None) -> tuple[int, int]:
        """About when the messages of a topic, or all of them, begin and end; chunks are looked at, not messages."""
        chunks = self._chunks if topic is None else self._with(topic)
        if not chunks:
            return 0, 0
        return min(c.message_start_time for c in chunks), max(c.message_end_time for c in chunks)

    def entries(self, topic: str, begin_ns: int = 0, end_ns: int = LATEST_NS) -> Iterator[Entry]:
        """Messages of a topic with begin <= time <= end, as they were written."""
        ids = {channel.id for channel in self._channels.values() if channel.topic == topic}
        for chunk in self._with(topic):
            if chunk.message_end_time < begin_ns or chunk.message_start_time > end_ns:
                continue
            for message in self._chunk(chunk.chunk_start_offset, chunk.chunk_length):
                if message.channel_id in ids and begin_ns <= message.log_time <= end_ns:
                    yield Entry(message.log_time, message.sequence, message.data)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> SessionFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _with(self, topic: str) -> list[ChunkIndex]:
        ids = {channel.id for channel in self._channels.values() if channel.topic == topic}
        return [chunk for chunk in self._chunks if ids & chunk.message_index_offsets.keys()]

    def _read_chunk(self, offset: int, length: int) -> tuple[Message, ...]:
        try:
            data = _slice(self._file, self._size, offset, length)
            opcode, _ = RECORD_HEAD.unpack(data[: RECORD_HEAD.size])
            if opcode != Opcode.CHUNK:
                raise ValueError("no chunk")
            chunk = Chunk.read(ReadDataStream(BytesIO(data[RECORD_HEAD.size :])))
            if chunk.compression:
                raise BadSession(
                    f"{self.path}: another program has compressed it ({chunk.compression[:20]}); "
                    "undo that with `mcap decompress`"
                )
            records = breakup_chunk(chunk, validate_crc=True)
        except BROKEN as error:
            raise BadSession(f"{self.path}: is damaged at byte {offset} ({error}); copy it again") from None
        return tuple(record for record in records if isinstance(record, Message))


def open_session(path: Path, progress: Progress | None = None) -> SessionFile:
    """Open a session. One that was cut off has no index yet: it gets one first, told by `progress`."""
    refuse_foreign(path)
    opened = _opened(path)
    if opened is None:
        index(path, progress)
        opened = _opened(path)
    if opened is None:
        raise BadSession(f"{path}: is damaged; copy it again")
    return opened


@dataclass(frozen=True, slots=True)
class _Summary:
    channels: dict[int, Channel]
    chunks: list[ChunkIndex]
    metadata: list[MetadataIndex]


def _opened(path: Path) -> SessionFile | None:
    """The session by its index; None where it has none, or none that holds."""
    file = path.open("rb")
    try:
        size = os.fstat(file.fileno()).st_size
        summary = _summary(file, size)
        facts = _facts(file, size, summary) if summary is not None else None
    except BROKEN:
        summary, facts = None, None
    if summary is None or (facts is None and not summary.chunks):
        file.close()
        return None
    try:
        return SessionFile(path, file, check_facts(path, facts), summary)
    except BadSession:
        file.close()
        raise


def _summary(file: BinaryIO, size: int) -> _Summary | None:
    tail = FOOTER_BYTES + len(MCAP0_MAGIC)
    if size < tail + len(MCAP0_MAGIC):
        return None
    end = _slice(file, size, size - tail, tail)
    if not end.endswith(MCAP0_MAGIC) or end[0] != Opcode.FOOTER:
        return None
    start = Footer.read(ReadDataStream(BytesIO(end[RECORD_HEAD.size :]))).summary_start
    if not 0 < start < size - tail or size - start > MOST_SUMMARY_BYTES:
        return None
    found = _Summary({}, [], [])
    # With the footer at its end, and no magic, since that is where the reader stops.
    for record in StreamReader(BytesIO(_slice(file, size, start, size - start)), skip_magic=True).records:
        match record:
            case Channel():
                found.channels[record.id] = record
            case ChunkIndex():
                found.chunks.append(record)
            case MetadataIndex():
                found.metadata.append(record)
    if any(channel not in found.channels for chunk in found.chunks for channel in chunk.message_index_offsets):
        return None
    return found


def _facts(file: BinaryIO, size: int, summary: _Summary) -> dict[str, str] | None:
    for spot in summary.metadata:
        if spot.name == "session" and spot.length <= MOST_WORDS_BYTES:
            data = _slice(file, size, spot.offset, spot.length)
            read = Metadata.read(ReadDataStream(BytesIO(data[RECORD_HEAD.size :])))
            words: dict[str, str] = read.metadata
            return words
    return None


def _slice(file: BinaryIO, size: int, offset: int, length: int) -> bytes:
    """Bytes that are there; a length that is not is never asked for."""
    if offset + length > size:
        raise ValueError("beyond its end")
    file.seek(offset)
    return file.read(length)
