"""Declares the extras, parts that the core does without, and finds those of other packages by entry point."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from engine.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "memdeck.extras"  # the entry points of other packages: each names an `Extra`
FOLDER = "engine.extras"
T = TypeVar("T")


class MissingExtra(UsageError, title="Not installed"):
    """A part that the core does without is asked for, and is not installed."""


class OwnExtra(msgspec.Struct, frozen=True):
    """An extra of memdeck itself: what it does, and the packages that an installation has only if it asks for them."""

    title: str
    packages: tuple[str, ...] = ()


OWN = {
    "importers": OwnExtra("importing what other tools keep"),
    "platforms": OwnExtra("the caps of further platforms"),
    "mcp": OwnExtra("serving the memory by MCP", ("mcp", "anyio")),
    "connect": OwnExtra("connecting other tools"),
    "stores": OwnExtra("pulling from memory stores"),
    "batches": OwnExtra("asking Claude by batches"),
    "cluster": OwnExtra("reading transcripts on a cluster", ("distributed",)),
}
"""By name; an extra with packages is also the name of `pip install 'memdeck[NAME]'`."""


class Extra(msgspec.Struct, frozen=True):
    """An extra of another package. `parts` are values of the kinds that memdeck asks for, such as `ImportKind`."""

    name: str
    title: str
    parts: tuple[Any, ...] = ()


class ForeignExtras(msgspec.Struct, frozen=True):
    """The extras of other packages that could be loaded, and in a line each why others could not."""

    extras: tuple[Extra, ...]
    problems: tuple[str, ...]

    def parts(self, kind: type[T]) -> tuple[T, ...]:
        """Selects the parts of one kind."""
        return tuple(part for extra in self.extras for part in extra.parts if isinstance(part, kind))


@contextmanager
def needs(name: str) -> Iterator[None]:
    """Wraps the imports that open an extra: `MissingExtra` says what is missing, and how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if (error.name or "").startswith(FOLDER):
            hint, what = "pip install --force-reinstall memdeck", f"its folder {FOLDER} is not there"
        elif package in OWN[name].packages:
            hint, what = f"pip install 'memdeck[{name}]'", f"the package {package} is not installed"
        else:
            raise
        raise MissingExtra(f"{OWN[name].title} needs the extra `{name}`: {what}", hint=hint) from error


@cache
def foreign_extras() -> ForeignExtras:
    """Loads the extras of other packages; one that cannot be loaded is told, and takes nothing from the others."""
    from importlib.metadata import entry_points  # with `email` and `csv` a twentieth of `memdeck queue`

    extras: list[Extra] = []
    problems: list[str] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        loaded = _loaded(entry)
        if isinstance(loaded, Extra):
            extras.append(loaded)
        else:
            problems.append(loaded)
    return ForeignExtras(tuple(extras), tuple(problems))


def _loaded(entry: "EntryPoint") -> Extra | str:
    package = entry.dist.name if entry.dist is not None else entry.value
    try:
        loaded = entry.load()
    except Exception as error:  # noqa: BLE001 — foreign code may fail in any way
        return f"the extra {entry.name} of {package} cannot be loaded: {type(error).__name__}: {str(error)[:200]}"
    if not isinstance(loaded, Extra):
        return f"the extra {entry.name} of {package} is no `Extra`"
    return loaded
