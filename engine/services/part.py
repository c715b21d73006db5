"""Makes a part of a service or of an open workspace when it is first asked for, with the modules that it needs."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol


class PartOwner(Protocol):
    """An object whose parts are made under one lock of its own, which nobody holds for longer than that takes."""

    opening: Any


if TYPE_CHECKING:
    part = property
else:

    class part:  # noqa: N801 (a decorator)
        """A property that is made once for all threads. `functools.cached_property` has one lock for all objects of a
        class in Python 3.11, and none from 3.12 on: two threads would make two parts of one owner."""

        def __init__(self, make: Callable[[PartOwner], object]) -> None:
            self._make, self._name = make, make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, owner: PartOwner | None, kind: type) -> object:
            if owner is None:
                return self
            with owner.opening:
                # Once it is there Python finds it in the owner, and comes here no more.
                if self._name not in owner.__dict__:
                    owner.__dict__[self._name] = self._make(owner)
            return owner.__dict__[self._name]


def made_parts(owner: PartOwner, *names: str) -> list[Any]:
    """Gives those of the named parts that were made so far, to be closed."""
    return [owner.__dict__[name] for name in names if name in owner.__dict__]
