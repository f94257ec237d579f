"""What the players of a film do at the desk, who know what they built: answer, put right, overrule, go on. Qt-free."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from gui.desk import Desk
from gui.questions import Question
from gui.reseat import edits_between
from referee.layout import Candidate, Car, Layout, Piece, Road, with_pieces
from referee.notes import Note
from vision.scoring import Score, score

Step = Callable[[Desk], Desk]


def players_step(desk: Desk, built: Layout, note: Note) -> Step | None:
    """What they do about the turn that waits at the desk, one thing at a time; None where they wait too."""
    if desk.phase in ("hands", "reading", "paused", "over"):
        return None
    seen = desk.seen or desk.accepted
    marks = score(seen, built)
    if desk.phase == "asked" and desk.asks_as_a_whole and not marks.faults:
        return _unless_changed(desk, Desk.as_drawn)
    if desk.phase == "asked" and desk.questions:
        answer = _answer(desk.questions[0], built, marks)
        if answer is not None:
            return _unless_changed(desk, answer)
    if marks.faults:
        layout = put_right(seen, built, marks)
        return _unless_changed(desk, lambda d: d.entered(layout))
    if desk.phase == "proposed" and desk.lacks_city and any(built.city()):
        return _unless_changed(desk, lambda d: d.city_told(built))
    match desk.phase:
        case "fallen":
            return _unless_changed(desk, Desk.go_on)
        case "waiting":
            return _unless_changed(desk, Desk.passed)
        case "proposed" if desk.match is not None and desk.ruling is not None and desk.ruling.verdict != "legal":
            verdict = note.overruled or "legal"
            return _unless_changed(desk, lambda d: d.overrule(verdict))
    return _unless_changed(desk, Desk.accept)


def accepted_step(desk: Desk, turn: int, built: Layout) -> Step | None:
    """Where what was accepted, being sure and legal, is not what they built, they correct it; else None."""
    marks = score(desk.accepted, built)
    if desk.turn != turn + 1 or not marks.faults:
        return None
    edits = edits_between(desk.accepted, put_right(desk.accepted, built, marks))
    return _unless_changed(desk, lambda d: d.correct(turn, *edits))


def _unless_changed(desk: Desk, step: Step) -> Step:
    """Somebody else may have been quicker."""
    return lambda now: step(now) if now is desk else now


def _answer(question: Question, built: Layout, marks: Score) -> Step | None:
    """The answer to a question; None where none of its answers is true."""
    names = {seen: true for true, seen in marks.names.items()}
    piece = question.piece
    if piece.id not in names:
        return lambda desk: desk.not_there(piece.id)
    true = next(p for p in built.pieces() if p.id == names[piece.id])
    if not question.candidates:
        wrong = any(fault.piece == true.id for fault in marks.faults)
        return None if wrong else lambda desk: desk.answer(piece.id, None)
    said = next((c for c in question.candidates if _is_true(c, true)), None)
    return None if said is None else lambda desk: desk.answer(piece.id, said)


def _is_true(candidate: Candidate, true: Piece) -> bool:
    fields = ("height", "junction", "type", "owner")
    told = {f: getattr(candidate, f) for f in fields if getattr(candidate, f) is not None}
    return all(getattr(true, f, value) == value for f, value in told.items())


def put_right(seen: Layout, built: Layout, marks: Score) -> Layout:
    """What was seen with every wrong piece as it was built, under the name that it has been seen by."""
    wrong = {fault.piece for fault in marks.faults}
    measured = {piece.id: piece for piece in seen.pieces()}
    pieces: dict[str, Piece] = {}
    for true in built.pieces():
        name = marks.names.get(true.id, true.id)
        if true.id in wrong or name not in measured:
            pieces[name] = _renamed(true, name, marks.names)
        else:
            pieces[name] = replace(measured[name], unsure=None, candidates=())
    return replace(with_pieces(seen, pieces), joint=None, unsure=None)


def _renamed(piece: Piece, name: str, names: dict[str, str]) -> Piece:
    def named(other: str | None) -> str | None:
        return other if other is None else names.get(other, other)

    match piece:
        case Road():
            return replace(piece, id=name, from_=named(piece.from_), to=named(piece.to))
        case Car():
            return replace(piece, id=name, road=named(piece.road))
    return replace(piece, id=name)
