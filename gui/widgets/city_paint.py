"""What the plan shows besides while a city is put down: words on its cards, and the picked part with its corners."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QPen, QPolygonF

from gui.city_parts import middle_of, shortest_side
from gui.theme import SMALL
from gui.widgets.plan_grasp import CORNER_SHARE
from gui.widgets.plan_paint import PlanPainter

CORNER_PX = 12
"""How near to a corner a finger holds it."""
HANDLE_PX = 9


class CityPainter:
    """Paints over a plan that has just been painted; what carries no word is a development area."""

    def __init__(self, plan: PlanPainter) -> None:
        self.plan, self.painter, self.theme = plan, plan.painter, plan.theme

    def paint(self) -> None:
        self.painter.setFont(self.theme.font(SMALL))
        for area in (area for area in self.plan.scene.layout.areas if area.kind != "development"):
            self.painter.setPen(self.theme.colour("text"))
            wide, high = self.theme.px(120), self.theme.px(18)
            spot = self.plan.spot(*middle_of(area))
            box = QRectF(spot.x() - wide / 2, spot.y() - high / 2, wide, high)
            self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, area.kind)
        for part in self.plan.scene.layout.city():
            if part.id == self.plan.picked:
                handle_px = min(self.theme.px(HANDLE_PX), CORNER_SHARE * shortest_side(part) * self.plan.px_per_mm)
                self._picked([self.plan.spot(x, y) for x, y in part.outline], handle_px)

    def _picked(self, corners: list[QPointF], handle_px: float) -> None:
        accent, half = self.theme.colour("accent"), handle_px / 2
        self.painter.setPen(QPen(accent, self.theme.px(3)))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawPolygon(QPolygonF(corners))
        self.painter.setPen(QPen(accent, self.theme.px(2)))
        self.painter.setBrush(self.theme.colour("panel"))
        for corner in corners:
            self.painter.drawRect(QRectF(corner.x() - half, corner.y() - half, 2 * half, 2 * half))
