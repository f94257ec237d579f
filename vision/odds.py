"""What it counts for and against pieces that pixels were taken for something: log-odds, and what they add up to."""

from __future__ import annotations

import cv2
import numpy as np

from referee.pieces import Kit
from vision.view import Floats, Lens, Singles, sampled

STICK, TOP, SIDE, CAR, EDGE, TIP = 1, 2, 3, 4, 5, 6
"""What shares (h, w, 7) are of, after the table's."""
LEAST_CAR = 0.5
"""Share of a pixel that must be taken for a car."""
LEAST_SHARE, MOST_ODDS = 0.02, 2.5
"""No pixel is surer than this of what it is, in shares and in log-odds."""
PER_MM2 = 0.02
"""What a square millimetre of a piece that shows adds per unit of log-odds."""
BEYOND_MM, BEYOND_WEIGHT_MM = 3.0, 15.0
"""Where the stick must have ended, and as how much of it a pixel counts that is taken for a stick there."""
ALONG, ACROSS = np.linspace(-0.46, 0.46, 14), np.array([-0.33, 0.0, 0.33])


def odds_of(shares: Singles, shape: tuple[int, int]) -> Singles:
    """Log-odds (h, w, 3) of stick, disc top and disc side against the table, on a grid of a shape."""
    # A car stands on a stick.
    sticks = shares[..., STICK] + shares[..., CAR]
    kinds = cv2.merge([shares[..., 0], sticks, shares[..., TOP], shares[..., SIDE]])
    table, *pieces = cv2.split(cv2.resize(kinds, shape[::-1], interpolation=cv2.INTER_AREA) + LEAST_SHARE)
    odds = [np.clip(np.log(piece / table), -MOST_ODDS, MOST_ODDS) for piece in pieces]
    return np.asarray(cv2.merge(odds), np.float32)


def stick_odds(odds: Singles, lens: Lens, poses: Floats, kit: Kit) -> Floats:
    """What sticks at poses (m, 5) add by the odds (h / 2, w / 2) that pixels show one, if nothing hides them."""
    yaw, za, zb = poses[:, 2], poses[:, 3], poses[:, 4]
    flat = np.sqrt(np.maximum(kit.road_length_mm**2 - (zb - za) ** 2, 1.0))
    u = np.stack([np.cos(yaw) * flat, np.sin(yaw) * flat, zb - za], axis=-1)
    v = np.stack([-np.sin(yaw), np.cos(yaw), np.zeros_like(yaw)], axis=-1)
    middle = np.column_stack([poses[:, :2], (za + zb) / 2])
    sides = [middle + share * kit.road_width_mm * v for share in ACROSS]
    past = 0.5 + BEYOND_MM / kit.road_length_mm
    seen = np.mean([_sampled(odds, lens, side, u, ALONG).mean(axis=1) for side in sides], axis=0)
    more = np.maximum(_sampled(odds, lens, middle, u, np.array([-past, past])), 0.0).sum(axis=1)
    towards = lens.eye - middle
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    across_mm = kit.road_width_mm * np.abs(towards[:, 2]) + kit.road_thickness_mm * np.abs((towards * v).sum(axis=1))
    added: Floats = PER_MM2 * across_mm * (kit.road_length_mm * seen - BEYOND_WEIGHT_MM * more)
    return added


def _sampled(odds: Singles, lens: Lens, starts: Floats, runs: Floats, shares: Floats) -> Singles:
    """The odds (m, n) of a stick at shares (n,) of runs (m, 3) from starts (m, 3)."""
    pixels, _ = lens.project_lines(starts, runs, shares)
    pixels -= 0.5
    pixels /= 2
    return sampled(odds, pixels)
