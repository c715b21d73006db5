"""Makes a part of a service or of an open workspace when first used, and imports its module then."""

from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from engine.extra_registry import needs


class PartOwner(Protocol):
    """An object whose parts are made under its own lock, which is held only for that."""

    opening: Any


if TYPE_CHECKING:
    part = property

    def service(module: str, extra: str = "", given: str | None = None) -> Any:
        """Declares a part by its class's module."""
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

    class service(part):  # noqa: N801 (stands for a value)
        """A part whose class is that of its annotation, in the module. The parameters of its constructor name the parts
        that it is made of, where `given` does not: `opened` is the workspace, `services` the owner itself."""

        def __init__(self, module: str, extra: str = "", given: str | None = None) -> None:
            self._module, self._extra, self._given = module, extra, given

        def __set_name__(self, kind: type, name: str) -> None:
            self._name, self._kind = name, kind.__annotations__[name]

        def _make(self, owner: PartOwner) -> object:
            with needs(self._extra) if self._extra else nullcontext():
                made = getattr(import_module(self._module), self._kind)
            if self._given is not None:
                return made(*(attrgetter(name)(owner) for name in self._given.split()))
            code = made.__init__.__code__
            names = code.co_varnames[1 : code.co_argcount - len(made.__init__.__defaults__ or ())]
            return made(*(owner if name == "services" else _part_of(owner, name) for name in names))


def _part_of(owner: PartOwner, name: str) -> object:
    return getattr(owner, name if hasattr(type(owner), name) else f"_{name}")


def made_parts(owner: PartOwner, *names: str) -> list[Any]:
    """Gives the named parts that are already made, so that they can be closed."""
    return [owner.__dict__[name] for name in names if name in owner.__dict__]
