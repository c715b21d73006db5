"""The map of the core stays small: at most 21 rooms on 9 floors, and few modules that are a part of one other."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.source import statements

ROOT = Path(__file__).resolve().parents[1]
ROOMS, FLOORS = 22, 10
EXTRAS = "engine.extras"
"""They stand on the core, which opens them when they are asked for."""
SHORT, MERGED = 80, 250
"""A module of fewer lines that one other of its folder alone imports is a part of that one, where both together have no
more lines than this: the folders' doors to each other, and modules whose user is full, are boundaries as they are."""
_FORMAT, _SCORER = "a format of another tool", "the policy names it"
BOUNDARIES = {
    "engine.extras.importers.claude_export": _FORMAT,
    "engine.extras.importers.hermes": _FORMAT,
    "engine.extras.importers.hipocampus": _FORMAT,
    "engine.extras.importers.openclaw": _FORMAT,
    "engine.fleet.pool": "what the end of the process asks, where it was loaded",
    "engine.search.embedding.encoder_embedder": _SCORER,
    "engine.services.matchers": "what loads the scorers, once a message is decided",
    "engine.services.private_findings": "what needs git, loaded where there are private files",
    "engine.topics.similarity.ngram_scorer": _SCORER,
    "engine.topics.similarity.static_scorer": _SCORER,
    "tui.cli.completion": "loaded for that option alone, while every command starts by its user",
    "tui.shell.own_commands": "loaded when such a key is pressed, while its user stands in every console",
    "tui.shell.tour": "loaded when the tour begins, while its user stands in every console",
    "tui.toolkit.compositor": "the part of the toolkit that it replaces",
}
"""Those that stay by themselves, each with the reason."""


@cache
def modules() -> dict[str, Path]:
    """Every module of the product by its dotted name."""
    found = {}
    for path in (*ROOT.joinpath("engine").rglob("*.py"), *ROOT.joinpath("tui").rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports() -> dict[str, frozenset[str]]:
    """The product's modules that each module imports, for types too."""
    return {name: frozenset(imported(path) & modules().keys() - {name}) for name, path in modules().items()}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in statements(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.Import(names=names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module, *(f"{module}.{alias.name}" for alias in names)}
    return found


def room(module: str) -> str:
    """A package of the engine, a loose module of it, or the console as a whole."""
    first, *rest = module.split(".")
    return f"{first}.{rest[0]}" if first == "engine" and rest else first


def arrows() -> dict[str, set[str]]:
    """The rooms of the core that each room of it imports."""
    found: dict[str, set[str]] = {room(name): set() for name in modules() if room(name) not in ("engine", EXTRAS)}
    for name, others in imports().items():
        if room(name) in found:
            found[room(name)] |= found.keys() & {room(other) for other in others} - {room(name)}
    return found


def height(of: str, rooms: Mapping[str, set[str]]) -> int:
    """The floor of a room: one above the highest of those that it imports."""
    return 1 + max((height(below, rooms) for below in rooms[of]), default=0)


def test_there_are_at_most_twenty_two_rooms_on_ten_floors() -> None:
    rooms = arrows()
    packages = sorted(one for one in rooms if ROOT.joinpath(*one.split(".")).is_dir())
    assert len(packages) <= ROOMS, packages
    assert max(height(one, rooms) for one in rooms) <= FLOORS, {one: height(one, rooms) for one in rooms}


def _is_part(name: str, users: set[str]) -> bool:
    """Tells whether a module is a short one of one other in its folder, with room for it there."""
    user = next(iter(users), "")
    if len(users) != 1 or name.rpartition(".")[0] != user.rpartition(".")[0]:
        return False
    lines, more = (modules()[one].read_text("utf-8").count("\n") for one in (name, user))
    return lines < SHORT and lines + more <= MERGED


def test_a_short_module_that_one_other_imports_is_a_part_of_it() -> None:
    users: dict[str, set[str]] = {name: set() for name in modules()}
    for name, others in imports().items():
        for other in others:
            users[other].add(name)
    short = {name for name, path in modules().items() if path.name != "__init__.py" and _is_part(name, users[name])}
    assert short - BOUNDARIES.keys() == set(), "move it into its one user, or name the boundary"
    assert BOUNDARIES.keys() - short == set(), "no longer needed here"
