"""A camera tried out: its address, its live picture, how it does, and what to set on it."""

from __future__ import annotations

import threading

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QFrame, QLineEdit

from gui.camera_look import CameraLook, Look
from gui.theme import STEP, Theme
from gui.widgets.parts import button, label, row, stack
from gui.widgets.picture import PictureView
from vision.errors import VisionError


class CameraSlot(QFrame):
    """One camera; tested as soon as its address is there."""

    scanned = pyqtSignal(str)
    _seen = pyqtSignal(object)

    def __init__(self, theme: Theme, title: str, text: str = "") -> None:
        super().__init__()
        self.theme = theme
        self.setProperty("role", "panel")
        self.address = QLineEdit(text)
        self.address.setPlaceholderText("http://192.168.1.20:8080/video, rtsp://\u2026, or a camera's number")
        self.address.returnPressed.connect(self.test)
        self.picture = PictureView(theme, title)
        self.picture.empty = "Paste the address, then Test"
        self.words, self.warnings = label("", "dim", wrap=True), label("", wrap=True)
        self._look: CameraLook | None = None
        self._seen.connect(self._show)
        line = row(self.address, button(theme, "Test", self.test, "play", key="Enter"))
        line.setStretch(0, 1)
        whole = stack(line, self.picture, self.words, self.warnings, margin=2 * STEP)
        whole.setStretch(1, 1)
        self.setLayout(whole)

    def test(self) -> None:
        """Look through the camera."""
        self.stop()
        text = self.address.text().strip()
        if not text:
            return
        try:
            look = CameraLook(text)
        except VisionError as error:
            self.words.setText(str(error))
            return
        self._look = look
        self.words.setText("Opening the camera\u2026")
        threading.Thread(target=look.run, args=(self._seen.emit,), daemon=True).start()

    def _show(self, look: Look) -> None:
        if look.picture is not None:
            self.picture.show_picture(look.picture)
        self.words.setText(look.words)
        self.warnings.setText("\n".join(look.warnings))
        if look.scanned:
            self.scanned.emit(look.scanned)

    def stop(self) -> None:
        if self._look is not None:
            self._look.stop()
            self._look = None
