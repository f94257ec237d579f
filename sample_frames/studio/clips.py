"""H.264 as webcams send it: clips of one turn each, joined without encoding them again."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from .lens import Picture


def write_clip(path: Path, pictures: Iterable[Picture], fps: int, crf: int) -> None:
    """A clip that begins with a key frame and can be joined to others."""
    part = path.with_name(path.name + ".part")
    with av.open(str(part), "w", format="mp4") as container:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = container.add_stream("libx264", rate=fps)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv420p"
                stream.options = {"crf": str(crf), "preset": "medium", "bf": "0", "x264-params": "scenecut=0"}
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="bgr24")
            container.mux(stream.encode(frame))
        if stream is not None:
            container.mux(stream.encode())
    part.rename(path)


def join_clips(clips: list[Path], path: Path, fps: int) -> int:
    """All clips one after another; how many frames that is."""
    part = path.with_name(path.name + ".part")
    frame = 0
    with av.open(str(part), "w", format="mp4", options={"movflags": "faststart"}) as container:
        stream = None
        for clip in clips:
            with av.open(str(clip)) as source:
                video = source.streams.video[0]
                if stream is None:
                    stream = container.add_stream_from_template(video)
                for packet in source.demux(video):
                    if packet.dts is None:
                        continue
                    packet.time_base = Fraction(1, fps)
                    packet.pts = packet.dts = frame
                    packet.duration = 1
                    packet.stream = stream
                    container.mux(packet)
                    frame += 1
    part.rename(path)
    return frame
