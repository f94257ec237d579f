"""What vision raises when it cannot go on."""


class VisionError(ValueError):
    """Pictures that do not fit the rig or the kit; the message has the value and the way out."""


class BadSession(ValueError):
    """A recorded session that cannot be read or written; the message has the file and the way out."""
