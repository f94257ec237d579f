"""The one error the referee raises: input that describes no table or no game."""


class BadGame(ValueError):
    """A game, layout, note or correction that cannot be read; the message names the field and its value."""
