"""The public Foxglove messages that pictures are recorded in, so that Foxglove and Rerun open a session."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2
from google.protobuf.message import DecodeError

from vision.errors import BadSession

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Kind:
    """One of Foxglove's messages: its name, and the numbers of its fields."""

    name: str
    data: int
    format: int
    frame_id: int


VIDEO = Kind("CompressedVideo", data=3, format=4, frame_id=2)
IMAGE = Kind("CompressedImage", data=2, format=3, frame_id=4)


def pack(kind: Kind, data: bytes, picture_format: str, camera: str, time_ns: int) -> bytes:
    """One picture as a message."""
    message = _class(kind)(data=data, format=picture_format, frame_id=camera)
    message.timestamp.seconds, message.timestamp.nanos = divmod(time_ns, NANO)
    packed: bytes = message.SerializeToString(deterministic=True)
    return packed


def unpack(kind: Kind, message: bytes) -> tuple[bytes, str]:
    """The picture's bytes and its format."""
    try:
        found = _class(kind).FromString(message)
    except DecodeError:
        raise BadSession(f"a picture in it is no foxglove.{kind.name}; the file is damaged, copy it again") from None
    return found.data, found.format


@cache
def schema(kind: Kind) -> bytes:
    """What an MCAP file says of such messages: the descriptors of all files that define them."""
    files = descriptor_pb2.FileDescriptorSet()
    files.file.add().ParseFromString(timestamp_pb2.DESCRIPTOR.serialized_pb)
    files.file.append(_proto(kind))
    described: bytes = files.SerializeToString(deterministic=True)
    return described


@cache
def _class(kind: Kind) -> Any:
    # A pool of our own: other packages may bring the same names.
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(timestamp_pb2.DESCRIPTOR.serialized_pb)
    pool.Add(_proto(kind))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"foxglove.{kind.name}"))


def _proto(kind: Kind) -> Any:
    field = descriptor_pb2.FieldDescriptorProto
    fields = (
        ("timestamp", 1, field.TYPE_MESSAGE, ".google.protobuf.Timestamp"),
        ("frame_id", kind.frame_id, field.TYPE_STRING, None),
        ("data", kind.data, field.TYPE_BYTES, None),
        ("format", kind.format, field.TYPE_STRING, None),
    )
    proto = descriptor_pb2.FileDescriptorProto(
        name=f"foxglove/{kind.name}.proto", package="foxglove", syntax="proto3",
        dependency=["google/protobuf/timestamp.proto"],
    )  # fmt: skip
    message = proto.message_type.add(name=kind.name)
    for name, number, of_type, type_name in fields:
        message.field.add(name=name, number=number, type=of_type, type_name=type_name, label=field.LABEL_OPTIONAL)
    return proto
