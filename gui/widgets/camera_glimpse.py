"""A camera's live picture, small or large: how it does, and what to set on it."""

from __future__ import annotations

import threading

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QWidget

from gui.camera_look import CameraLook, Look
from gui.theme import STEP, Theme
from gui.widgets.parts import label, stack
from gui.widgets.picture import PictureView
from vision.errors import VisionError


class CameraGlimpse(QWidget):
    """Looks through one camera, in a process of its own, until stopped."""

    scanned = pyqtSignal(str)
    _seen = pyqtSignal(object)

    def __init__(self, theme: Theme, title: str, empty: str) -> None:
        super().__init__()
        self.picture = PictureView(theme, title, "panel")
        self.picture.empty = empty
        self.words, self.warnings = label("", "small", wrap=True), label("", wrap=True)
        self.warnings.hide()
        self._look: CameraLook | None = None
        self._thread: threading.Thread | None = None
        self._seen.connect(self._show)
        whole = stack(self.picture, self.words, self.warnings, space=STEP // 2)
        whole.setStretch(0, 1)
        self.setLayout(whole)

    def watch(self, text: str) -> None:
        """Look through the camera that people mean; an empty text: through none."""
        self.stop()
        self.picture.show_picture(None)
        self.words.setText("")
        if not text:
            return
        try:
            look = CameraLook(text)
        except VisionError as error:
            self.words.setText(str(error))
            return
        self._look = look
        self.words.setText("Opening the camera\u2026")
        self._thread = threading.Thread(target=look.run, args=(lambda seen: self._tell(look, seen),), daemon=True)
        self._thread.start()

    def _tell(self, look: CameraLook, seen: Look) -> None:
        """Called in the camera's thread; what an older look still sees is no news, and its window may be gone."""
        if look is self._look:
            self._seen.emit(seen)

    def _show(self, look: Look) -> None:
        if look.picture is not None:
            self.picture.show_picture(look.picture)
        self.words.setText(look.words)
        self.warnings.setText("\n".join(look.warnings))
        self.warnings.setVisible(bool(look.warnings))
        if look.scanned:
            self.scanned.emit(look.scanned)

    def stop(self) -> threading.Thread | None:
        """Let the camera go; it is free when the thread has ended."""
        thread, self._thread = self._thread, None
        if self._look is not None:
            self._look.stop()
            self._look = None
        return thread
