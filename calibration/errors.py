"""What calibration raises when it cannot go on."""


class CalibrationError(ValueError):
    """Sheets, pictures or files that calibration cannot work with; the message has the value and the way out."""
