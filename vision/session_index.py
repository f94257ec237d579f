"""A recorded session with its index: rewritten beside the file and put in its place in one step."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from mcap.writer import CompressionType, IndexType, Writer

from vision.errors import BadSession
from vision.session_lock import beside, refuse_recording
from vision.session_log import PROFILE
from vision.session_scan import Progress, Scan, Spot, check_facts, refuse_foreign, scan

CHUNK_BYTES = 1024 * 1024
STILLS = "/stills/"
INDEXES = IndexType.CHUNK | IndexType.MESSAGE | IndexType.METADATA
"""None of attachments: there are none, and checkers complain of an index without entries."""


def index(path: Path, progress: Progress | None = None) -> None:
    """Give a session its index. What was torn at its end is left out; what is damaged stays beside it."""
    refuse_foreign(path)
    refuse_recording(path)
    found = scan(path, (lambda done: progress(done / 2)) if progress else None)
    check_facts(path, found.facts)
    part = path.with_name(f".{path.name}.indexing")
    try:
        _rewrite(path, part, found, progress)
        if found.is_damaged:
            os.replace(path, path.with_name(path.name + ".damaged"))
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise BadSession(
            f"{path}: its index cannot be written ({(error.strerror or str(error)).lower()}); "
            f"make room for {_megabytes(path)} MB beside it, or copy it to another place"
        ) from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    beside(path).unlink(missing_ok=True)


def _rewrite(path: Path, part: Path, found: Scan, progress: Progress | None) -> None:
    facts = check_facts(path, found.facts) | ({"lost": found.lost} if found.lost else {})
    with path.open("rb") as source, part.open("wb") as target:
        writer = Writer(target, CHUNK_BYTES, CompressionType.NONE, index_types=INDEXES)
        writer.start(PROFILE, facts.get("app", ""))
        writer.add_metadata("session", facts)
        schemas = {
            old: writer.register_schema(schema.name, schema.encoding, schema.data)
            for old, schema in found.schemas.items()
        }
        channels = {
            old: writer.register_channel(channel.topic, channel.message_encoding, schemas[channel.schema_id])
            for old, channel in found.channels.items()
        }
        written = 0
        for group in _groups(found):
            for spot in group:
                source.seek(spot.offset)
                data = source.read(spot.size)
                writer.add_message(channels[spot.channel], spot.time_ns, data, spot.time_ns, spot.number)
                written += 1
                if progress and written % 500 == 0:
                    progress(0.5 + 0.5 * written / len(found.spots))
            writer.flush()
        writer.finish()
        target.flush()
        os.fsync(target.fileno())
    shutil.copymode(path, part)
    if progress:
        progress(1.0)


def _groups(found: Scan) -> Iterable[list[Spot]]:
    """Events lie together at the beginning, then stills, then video: what is opened first is read in one go."""
    groups: tuple[list[Spot], ...] = ([], [], [])
    for spot in found.spots:
        channel = found.channels[spot.channel]
        kind = 0 if channel.message_encoding == "json" else 1 if channel.topic.startswith(STILLS) else 2
        groups[kind].append(spot)
    return groups


def _megabytes(path: Path) -> int:
    return 1 + path.stat().st_size // 1_000_000


def scan_to_go_on(path: Path, progress: Progress | None = None) -> Scan:
    """What a session holds that is to be recorded on; one that lost something is put right first, and says so."""
    refuse_foreign(path)
    refuse_recording(path)
    found = scan(path, progress)
    check_facts(path, found.facts)
    if found.is_damaged or found.is_cut_short:
        index(path)  # which keeps a damaged file beside it
        found = scan(path)
    return found
