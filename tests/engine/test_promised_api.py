"""The names and parameters of `engine.api` that 1.x promises are there (docs/compatibility.md).

`promised_api.txt` has a line for each name, method and field as 1.0 had them. More may come, a parameter with a default
at the end too; what stands there goes only with 2.0.
"""

import inspect
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import msgspec

from engine import api

PROMISED = Path(__file__).with_name("promised_api.txt")


MADE = ("Memory", "Message", "SessionEnd", "SessionStart")
"""Classes that a program makes; the others it is given."""


def surface() -> Iterator[str]:
    """Yields a line for each public name, then for each of its methods, fields and members."""
    for name in sorted(api.__all__):
        value = getattr(api, name)
        yield f"{name}({', '.join(_parameters(value))})" if name in MADE else name
        if inspect.isclass(value):
            yield from (f"{name}.{line}" for line in _members(value))


def _members(value: type) -> Iterator[str]:
    if issubclass(value, Enum):
        yield from (f"{member.name}={member.value}" for member in value)
    elif issubclass(value, msgspec.Struct):
        yield from (field.name for field in msgspec.structs.fields(value))
    for name in sorted(vars(value)):
        member = inspect.getattr_static(value, name)
        if inspect.isfunction(member) and not name.startswith("_"):
            yield f"{name}({', '.join(_parameters(member))})"
        elif isinstance(member, property) and not name.startswith("_"):
            yield name


def _parameters(function: object) -> Iterator[str]:
    """Names a function's parameters; one that may be left out ends with `=`."""
    assert callable(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name != "self":
            yield parameter.name + "=" * (parameter.default is not parameter.empty)


def kept(promised: str, there: set[str]) -> bool:
    """Tells whether a line is kept: it stands as it was, or its function takes more that may be left out."""
    if promised in there:
        return True
    name, bracket, rest = promised.partition("(")
    if not bracket:
        return False
    named = rest.rstrip(")").split(", ") if rest != ")" else []
    for line in (line for line in there if line.startswith(f"{name}(")):
        now = line.partition("(")[2].rstrip(")").split(", ")
        return now[: len(named)] == named and all(more.endswith("=") for more in now[len(named) :])
    return False


def test_all_that_is_promised_is_there() -> None:
    there = set(surface())
    promised = PROMISED.read_text("utf-8").splitlines()
    assert len(promised) > 100
    assert [line for line in promised if not kept(line, there)] == []


def test_a_parameter_that_goes_or_is_asked_for_breaks_the_promise() -> None:
    assert kept("Memory.f(a)", {"Memory.f(a, b=)"})
    assert not kept("Memory.f(a)", {"Memory.f(a, b)"})
    assert not kept("Memory.f(a, b=)", {"Memory.f(a)"})
    assert not kept("Memory.g", {"Memory.f(a)"})
