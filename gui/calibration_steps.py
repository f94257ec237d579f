"""Calibrating step by step, for people who watch: each step runs in a thread and tells what it sees. Qt-free."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from calibration.board import BoardSpec
from calibration.coverage import Coverage
from calibration.errors import CalibrationError
from calibration.frames import Frame
from calibration.kit_register import RegisteredKit, register
from calibration.lens import Lens
from calibration.lens_fit import fit_lens
from calibration.live import TABLE_LOOKS, collect_tags, collect_views
from calibration.rig_quality import SolvedRig
from calibration.rig_solve import solve_rig
from gui.calibrate_kit import kit_report
from gui.feed import Picture
from gui.stick_wait import StickWait, drawn_on
from referee.pieces import Kit
from vision.sources import source_of

EVERY_S = 0.25
KIT_LOOKS = 4
"""The first pictures of a camera are often too dark."""


@dataclass(frozen=True, slots=True, eq=False)
class Glimpse:
    """What a step has seen so far."""

    picture: Picture | None
    words: str
    share: float = 0.0
    covered: Coverage | None = None
    """What the board has shown, while a lens is looked at."""


Tell = Callable[[Glimpse], None]


class Stopped(Exception):
    """The person went elsewhere."""


class Steps:
    """The calibration of one table as it comes along: lenses first, then the rig."""

    def __init__(self, spec: BoardSpec | None = None) -> None:
        self.spec = spec or BoardSpec()
        self.lenses: dict[str, Lens] = {}
        self.rig: SolvedRig | None = None
        self.kit: RegisteredKit | None = None
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def lens(self, camera: str, source: str, tell: Tell) -> str:
        """Watch the moved board until enough was seen, then solve the lens; how good it is."""
        covered = Coverage(self.spec)

        def note(now: Coverage) -> None:
            nonlocal covered
            covered = now

        def frames() -> Iterator[Frame]:
            for frame in self._frames(source):
                tell(Glimpse(frame.picture, next(iter(covered.missing), "enough seen"), covered.share, covered))
                yield frame

        views = collect_views(frames(), self.spec, note)
        tell(Glimpse(None, f"solving the lens from {len(views)} views\u2026", covered.share))
        self.lenses[camera] = lens = fit_lens(views, self.spec)
        return f"{lens.held_out_px:.2f} px in views held back, from {lens.views} views at {lens.width} x {lens.height}"

    def table(self, sources: dict[str, str], print_scale: float, tell: Tell) -> str:
        """Look at the strips on the still table with both cameras and solve where they stand."""
        tags = {}
        for number, (camera, source) in enumerate(sources.items()):

            def frames(source: str = source, number: int = number, camera: str = camera) -> Iterator[Frame]:
                for looked, frame in enumerate(self._frames(source)):
                    share = (number + min(looked / TABLE_LOOKS, 1.0)) / len(sources)
                    tell(Glimpse(frame.picture, f"{camera}: leave the table still", share))
                    yield frame

            tags[camera] = collect_tags(frames(), self.lenses[camera], camera)
        tell(Glimpse(None, "solving where the cameras stand\u2026", 1.0))
        self.rig = solve_rig(tags, self.lenses, print_scale, (), self.spec)
        return self.rig.quality.words if self.rig.quality is not None else f"{self.rig.reprojection_px:.2f} px"

    def kit_card(self, sources: dict[str, str], tell: Tell) -> str:
        """Measure the pieces on the printed card; what they measure, and what is odd."""
        rig = self._rig()
        pictures = {}
        for number, (camera, source) in enumerate(sources.items()):
            for looked, frame in enumerate(self._frames(source)):
                tell(Glimpse(frame.picture, f"{camera}: leave the card still", number / len(sources)))
                pictures[camera] = frame.picture
                if looked >= KIT_LOOKS:
                    break
        tell(Glimpse(None, "measuring the pieces\u2026", 1.0))
        self.kit = register(pictures, rig)
        return "\n".join(kit_report(self.kit))

    def touch(self, sources: dict[str, str], kit: Kit, tell: Tell) -> str:
        """Wait until a stick is put down, and measure it; its length beside the kit's."""
        rig = self._rig()
        waiting = StickWait(rig, kit)
        names = tuple(sources)
        for frames in zip(*(self._frames(source) for source in sources.values()), strict=False):
            pair = {name: frame.picture for name, frame in zip(names, frames, strict=True)}
            found = waiting.look(pair)
            tell(Glimpse(pair["overhead"] if found is None else drawn_on(pair["overhead"], found, rig), waiting.words))
            if found is not None:
                return found.words(kit.road_length_mm)
        raise CalibrationError(waiting.words)

    def _rig(self) -> SolvedRig:
        if self.rig is None:
            raise CalibrationError("the table is not calibrated yet: do the steps before this one first")
        return self.rig

    def _frames(self, source: str) -> Iterator[Frame]:
        """The newest frame of a camera or a file, a few a second."""
        due_s = 0.0
        for frame in source_of(source).frames(lambda words: None):
            if self._stopped.is_set():
                raise Stopped
            if frame.time_s >= due_s:
                due_s = frame.time_s + EVERY_S
                yield Frame(frame.picture, source, frame.time_s)
