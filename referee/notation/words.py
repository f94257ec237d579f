"""Splitting a line of the notation into words, places and its trailing JSON."""

from __future__ import annotations

import json
import math
import re
from collections import deque
from typing import Any

from ..errors import BadGame

_TOKEN = re.compile(r'\s*(?:(#.*)|("(?:[^"\\]|\\.)*")|(\([^()]*\))|(\{.*)|([>=])|([^\s()>="{}#]+))')
_BARE = re.compile(r"[^\s()>=\"{}#]+")


class Words:
    """What is left of one line, taken from the front; errors carry the line's number."""

    def __init__(self, line: str, number: int) -> None:
        self.number = number
        self.tokens: deque[str] = deque()
        self.extra: dict[str, Any] = {}
        line, at = line.rstrip(), 0
        while at < len(line):
            found = _TOKEN.match(line, at)
            if found is None:
                raise self.bad(f"cannot read '{line[at : at + 40].strip()}'")
            at = found.end()
            comment, _, _, braces, _, _ = found.groups()
            if comment is not None:
                break
            if braces is not None:
                self.extra, end = self._json(braces)
                at = found.end() - len(braces) + end
            else:
                self.tokens.append(found.group().strip())

    def bad(self, text: str) -> BadGame:
        return BadGame(f"line {self.number}: {text}")

    def __bool__(self) -> bool:
        return bool(self.tokens)

    def peek(self) -> str | None:
        return self.tokens[0] if self.tokens else None

    def take(self, what: str) -> str:
        """The next word; `what` names it in the error."""
        if not self.tokens:
            raise self.bad(f"{what} is missing")
        word = self.tokens.popleft()
        if word.startswith('"'):
            try:
                return str(json.loads(word))
            except ValueError:
                raise self.bad(f"broken string {word[:40]}") from None
        return word

    def known(self, what: str) -> str | None:
        """The next word, None for `-`."""
        bare = self.peek()
        word = self.take(what)
        return None if bare == "-" else word

    def expect(self, word: str) -> None:
        found = self.take(f"'{word}'")
        if found != word:
            raise self.bad(f"'{word}' is missing before '{found}'")

    def accept(self, word: str) -> bool:
        if self.peek() == word:
            self.tokens.popleft()
            return True
        return False

    def number_(self, what: str) -> float:
        word = self.take(what)
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.bad(f"{what}: '{word[:40]}' is not a number")
        return value

    def whole(self, what: str) -> int:
        word = self.take(what)
        if not re.fullmatch(r"-?\d{1,9}", word):
            raise self.bad(f"{what}: '{word}' is not a whole number")
        return int(word)

    def place(self, size: int) -> tuple[float, ...] | None:
        """The next `(x, y)` or `(x, y, z)`, if there is one."""
        word = self.peek()
        if word is None or not word.startswith("("):
            return None
        self.tokens.popleft()
        try:
            values = tuple(float(part) for part in word[1:-1].split(","))
        except ValueError:
            raise self.bad(f"{word} is not a place") from None
        if len(values) != size:
            raise self.bad(f"{word} has {len(values)} numbers, not {size}")
        return values

    def done(self) -> None:
        if self.tokens:
            raise self.bad(f"'{self.tokens[0]}' is more than the line can hold")

    def _json(self, text: str) -> tuple[dict[str, Any], int]:
        try:
            value, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            raise self.bad(f"broken JSON: {text[:40]}") from None
        return value, end


def quoted(word: str | None) -> str:
    """A word as it is written: `-` for None, in quotes where it is not a plain word."""
    if word is None:
        return "-"
    return word if _BARE.fullmatch(word) and word != "-" else json.dumps(word)
