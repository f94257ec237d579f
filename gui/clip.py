"""A turn as an MP4: one camera's video with what changed and the ruling drawn over it."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from pathlib import Path

import av
import numpy as np

from calibration.camera import Camera
from gui.overlay_svg import overlay_svg
from gui.shown_turn import ShownTurn
from gui.svg_picture import pixels
from vision.errors import BadSession
from vision.playback import Video
from vision.session_file import SessionFile
from vision.session_scan import Progress
from vision.view import Picture

SECOND = 1_000_000_000
LONGEST_S = 60
"""Of a turn that took longer only the end is shown."""
LINGER_S = 3.0
"""How long the ruling stays, on the picture that it was given on."""
RULED_BEFORE_S = 0.5
CLOCK = 90_000
NEARLY = 0.99


def write_clip(
    file: SessionFile, turn: ShownTurn, camera: str, lens: Camera, path: Path, tell: Progress = lambda share: None
) -> int:
    """Write the clip, telling how far it is; how many pictures it has."""
    video = Video(file, camera)
    if not video.is_there:
        raise BadSession(f"{file.path}: holds no {camera} video; record with cameras, or export pictures and plans")
    begin_ns = max(turn.begun_ns, turn.time_ns - LONGEST_S * SECOND)
    playing = overlay_svg(turn, lens, ruled=False)
    layers = {ruled: _layer(svg, lens) for ruled, svg in ((False, playing), (True, overlay_svg(turn, lens, True)))}
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        count = 0
        with av.open(str(part), "w", format="mp4", options={"movflags": "+faststart"}) as container:
            stream = container.add_stream("libx264", rate=30, options={"preset": "veryfast", "crf": "23"})
            stream.width, stream.height, stream.pix_fmt = (
                lens.width - lens.width % 2,
                lens.height - lens.height % 2,
                "yuv420p",
            )
            stream.time_base = stream.codec_context.time_base = Fraction(1, CLOCK)
            shown: Picture | None = None
            for time_ns, shown in video.pictures(begin_ns, turn.time_ns):
                ruled = time_ns >= turn.time_ns - RULED_BEFORE_S * SECOND
                _put(container, stream, _over(shown, layers[ruled]), (time_ns - begin_ns) / SECOND)
                count += 1
                tell(min((time_ns - begin_ns) / max(turn.time_ns - begin_ns, 1), NEARLY))
            if shown is None:
                shown = video.at(turn.time_ns)
            if shown is None:
                raise BadSession(f"{file.path}: has no {camera} pictures of turn {turn.ruling.turn}")
            # The last picture twice: when the ruling appears, and when it ends.
            for late_s in (0.05, LINGER_S):
                at_s = (turn.time_ns - begin_ns) / SECOND + late_s
                _put(container, stream, _over(shown, layers[True]), at_s)
            for packet in stream.encode():
                container.mux(packet)
        part.replace(path)
        tell(1.0)
    except (OSError, av.FFmpegError) as error:
        raise BadSession(f"{path}: cannot be written ({(error.strerror or str(error)).lower()})") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
    return count + 2


def _put(container: av.container.OutputContainer, stream: av.VideoStream, picture: Picture, at_s: float) -> None:
    frame = av.VideoFrame.from_ndarray(picture, format="bgr24").reformat(stream.width, stream.height, "yuv420p")
    frame.pts, frame.time_base = round(at_s * CLOCK), Fraction(1, CLOCK)
    for packet in stream.encode(frame):
        container.mux(packet)


def _layer(svg: str, lens: Camera) -> tuple[Picture, Picture]:
    """The drawing, and how much of what lies under it shows through, in 256ths."""
    drawn = pixels(svg, lens.width, lens.height)
    return drawn[:, :, :3], 255 - drawn[:, :, 3:]


def _over(picture: Picture, layer: tuple[Picture, Picture]) -> Picture:
    drawn, through = layer
    if picture.shape != drawn.shape:
        picture = np.asarray(picture[: drawn.shape[0], : drawn.shape[1]])
        drawn, through = drawn[: picture.shape[0], : picture.shape[1]], through[: picture.shape[0], : picture.shape[1]]
    under = picture.astype(np.uint16) * through // 255
    return np.asarray(under + drawn, np.uint8)
