"""A camera tried out: its address, and a live look through it."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLineEdit

from gui.theme import STEP, Theme
from gui.widgets.camera_glimpse import CameraGlimpse
from gui.widgets.parts import button, row, stack


class CameraSlot(QFrame):
    """One camera; tested as soon as its address is there."""

    scanned = pyqtSignal(str)

    def __init__(self, theme: Theme, title: str, text: str = "") -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.address = QLineEdit(text)
        self.address.setPlaceholderText("http://192.168.1.20:8080/video, rtsp://\u2026, or a camera's number")
        self.address.returnPressed.connect(self.test)
        self.glimpse = CameraGlimpse(theme, title, "Paste the address, then Test")
        self.glimpse.scanned.connect(self.scanned)
        line = row(self.address, button(theme, "Test", self.test, "play", key="Enter"))
        line.setStretch(0, 1)
        whole = stack(line, self.glimpse, margin=2 * STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)

    def test(self) -> None:
        """Look through the camera."""
        self.glimpse.watch(self.address.text().strip())

    def stop(self) -> None:
        self.glimpse.stop()
