"""SVG to pixels, by Qt without a window; the only export that needs it."""

from __future__ import annotations

import os
import re
import sys

import numpy as np

from vision.view import Picture


def pixels(svg: str, width: int, height: int) -> Picture:
    """The drawing as BGRA of this size, its colours multiplied by its opacity."""
    if "PyQt6.QtGui" not in sys.modules:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PyQt6.QtCore import QByteArray
    from PyQt6.QtGui import QGuiApplication, QImage, QPainter
    from PyQt6.QtSvg import QSvgRenderer

    global _application
    _application = QGuiApplication.instance() or QGuiApplication([])  # fonts need one
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    image = QImage(width, height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter)
    painter.end()
    bits = image.constBits()
    if bits is None:
        raise RuntimeError("Qt gave no picture")
    rows = np.frombuffer(bits.asstring(image.sizeInBytes()), np.uint8).reshape(height, image.bytesPerLine())
    return rows[:, : 4 * width].reshape(height, width, 4).copy()


def size_of(svg: str) -> tuple[int, int]:
    """Width and height in px of a drawing of ours."""
    width, height = re.findall(r'(?:width|height)="([0-9.]+)"', svg.split(">", 1)[0])[:2]
    return round(float(width)), round(float(height))


_application: object = None
"""Kept, or Python would end it."""
