"""Values that an object works out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class once(Generic[Value]):
    """`functools.cached_property` without its lock: until Python 3.12 that made both views wait for each other."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        # Kept in the object itself, where it is found first from now on.
        value = instance.__dict__[self._name] = self._make(instance)
        return value
