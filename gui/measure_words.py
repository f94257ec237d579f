"""How well a planned game measures, in words: its calibration and its kit. Qt-free."""

from __future__ import annotations

from pathlib import Path

from calibration.errors import CalibrationError
from calibration.kit_register import RegisteredKit
from calibration.rig_quality import SolvedRig
from gui.game_plan import GamePlan
from gui.stills import read_struct
from referee.errors import BadGame
from vision.errors import VisionError

NO_CAMERA = "no cameras: every turn is entered by hand, on the plan; tight calls stay too close to call"
NO_RIG = "choose a calibration: without one nothing can be measured"
DEFAULT_KIT = "the usual sizes; boxes differ, so tight calls are safer with your own measured (Calibrate, step 5)"


def rig_words(plan: GamePlan) -> str:
    """What the calibration of a plan is good for."""
    if not (plan.overhead or plan.side):
        return NO_CAMERA
    if not plan.rig:
        return NO_RIG
    try:
        rig = plan.rig_read()
    except (BadGame, CalibrationError, VisionError) as error:
        return str(error)
    quality = rig.quality if isinstance(rig, SolvedRig) else None
    alone = "" if plan.overhead and plan.side else "; with one camera alone every piece is asked for"
    words = quality.words if quality is not None else f"{Path(plan.rig).name}: its error is not known"
    return words + alone


def kit_words(plan: GamePlan) -> str:
    """Whose pieces, and how well they are known."""
    if not plan.kit:
        return DEFAULT_KIT
    try:
        kit = read_struct(Path(plan.kit), RegisteredKit)
    except (BadGame, CalibrationError, VisionError) as error:
        return str(error)
    sizes = f"discs {kit.disc_diameter_mm:.1f} x {kit.disc_height_mm:.1f} mm, sticks {kit.road_length_mm:.1f} mm"
    spread = kit.spreads_mm.get("road_length_mm")
    known = f", known to {max(kit.spreads_mm.values()):.1f} mm" if spread is not None else ""
    notes = f"; {len(kit.notes)} odd: {kit.notes[0]}" if kit.notes else ""
    return f"{sizes}{known}{notes}"
