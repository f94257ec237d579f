"""A session as it is recorded: an MCAP file that only grows, whole after every record, with space kept in reserve."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mcap.data_stream import RecordBuilder
from mcap.records import Channel, Header, McapRecord, Message, Metadata, Schema
from mcap.writer import MCAP0_MAGIC

from vision.errors import BadSession
from vision.session_lock import Reserve

if TYPE_CHECKING:
    from types import TracebackType

PROFILE = "highway-referee"
FORMAT = 1
"""Goes up when an older program could misread a newer file."""
FULL = (errno.ENOSPC, errno.EDQUOT)


class DiskFull(Exception):
    """There is no room for what the move log can do without."""


@dataclass(frozen=True, slots=True)
class Topic:
    """A named stream of messages and what they look like."""

    name: str
    schema_name: str
    schema: bytes
    is_json: bool = True

    @property
    def encodings(self) -> tuple[str, str]:
        """How MCAP names the encoding of the schema and of the messages."""
        return ("jsonschema", "json") if self.is_json else ("protobuf", "protobuf")


class SessionLog:
    """Appends records; each is with the operating system when `append` returns, and on disk after `sync`."""

    def __init__(self, path: Path, descriptor: int, reserve: Reserve, topics: Sequence[Topic]) -> None:
        self.path = path
        self._file = descriptor
        self._end = os.lseek(descriptor, 0, os.SEEK_END)
        self._reserve = reserve
        self._ids = {topic.name: number for number, topic in enumerate(topics, start=1)}
        self._lock = threading.Lock()

    @staticmethod
    def create(path: Path, topics: Sequence[Topic], facts: Mapping[str, str]) -> SessionLog:
        """A new file; `facts` are words about it that any MCAP reader shows."""
        if path.exists():
            raise BadSession(f"{path}: is there already; choose another name, or go on with it by --resume")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            reserve = Reserve.take(path)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise _cannot(path, error) from None
        log = SessionLog(path, descriptor, reserve, topics)
        head = [Header(PROFILE, facts.get("app", "")), Metadata("session", {**facts, "format": str(FORMAT)})]
        log._put(MCAP0_MAGIC + _bytes([*head, *_described(topics)]), vital=True)
        log.sync()
        _sync_folder(path.parent)
        return log

    @staticmethod
    def extend(path: Path, end: int, topics: Sequence[Topic]) -> SessionLog:
        """Go on with a file of which only the first `end` bytes are whole records."""
        try:
            reserve = Reserve.take(path)
            descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
            os.ftruncate(descriptor, end)
        except OSError as error:
            raise _cannot(path, error) from None
        log = SessionLog(path, descriptor, reserve, topics)
        log._put(_bytes(_described(topics)), vital=True)
        return log

    def append(self, topic: str, data: bytes, time_ns: int, number: int = 0, vital: bool = True) -> None:
        """Write one message. What is not vital raises DiskFull where there is no room; the rest takes the reserve."""
        message = Message(
            channel_id=self._ids[topic], log_time=time_ns, publish_time=time_ns, sequence=number, data=data
        )
        self._put(_bytes([message]), vital)

    def sync(self) -> None:
        """Return when all of it lies on the disk."""
        try:
            os.fsync(self._file)
        except OSError as error:
            raise _cannot(self.path, error) from None

    def close(self) -> None:
        """Let go of the file and of the reserve; the file is whole, but has no index yet."""
        with self._lock:
            os.fsync(self._file)
            os.close(self._file)
            self._reserve.release()

    def __enter__(self) -> SessionLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _put(self, data: bytes, vital: bool) -> None:
        with self._lock:
            try:
                self._write(data)
            except OSError as error:
                if error.errno not in FULL:
                    raise _cannot(self.path, error) from None
                if not vital:
                    raise DiskFull from None
                self._reserve.give_up_space()
                try:
                    self._write(data)
                except OSError as again:
                    raise _cannot(self.path, again) from None

    def _write(self, data: bytes) -> None:
        """All of it or nothing: what a full disk cut off is taken back."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, self._end)
            os.lseek(self._file, self._end, os.SEEK_SET)
            raise
        self._end += len(data)


def _described(topics: Sequence[Topic]) -> list[McapRecord]:
    """Schemas and channels. Written again when a file is extended: the same ids say the same thing."""
    records: list[McapRecord] = []
    for number, topic in enumerate(topics, start=1):
        schema_encoding, message_encoding = topic.encodings
        records.append(Schema(id=number, data=topic.schema, encoding=schema_encoding, name=topic.schema_name))
        channel = Channel(id=number, topic=topic.name, message_encoding=message_encoding, metadata={}, schema_id=number)
        records.append(channel)
    return records


def _bytes(records: Sequence[McapRecord]) -> bytes:
    builder = RecordBuilder()
    for record in records:
        record.write(builder)
    data: bytes = builder.end()
    return data


def _sync_folder(folder: Path) -> None:
    """A new file's name has to reach the disk too; Windows has no such thing."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)


def _cannot(path: Path, error: OSError) -> BadSession:
    if error.errno in FULL:
        return BadSession(f"{path}: the disk is full; free some space, then go on with --resume")
    return BadSession(f"{path}: cannot be written ({(error.strerror or str(error)).lower()}); choose another place")
