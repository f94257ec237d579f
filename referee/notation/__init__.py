"""A text notation for layouts and games that people can read, diff and write by hand.

    edition two-player-2024
    players purple green
    turn 0
    column c0 purple 1 (0, 0)
    entrance r0 purple > c0 heading 90
    car k0 purple sedan on r0
    ...
    turn 1
    column c1 purple 2 from c0 heading 30
    road r1 purple c0 > c1
    expect legal earned 0

A turn lists what changed; `gone c4` takes a piece away, a piece written again has moved. Places may be given,
`(x, y)` or tips `(x, y, z) (x, y, z)` in mm, or left to be worked out: a column a road's reach away from another,
a road from middle to middle on top of what lies there. `3y` is three discs with a yellow one on top, `-` stands for
not known, and a JSON object at a line's end holds what is rare (sigmas, what vision is unsure of).
"""

from .read import Script, read_game, read_script
from .write import write_game, write_layout

__all__ = ["Script", "read_game", "read_script", "write_game", "write_layout"]
