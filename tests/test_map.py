"""The map of the code stays small: at most 20 rooms on 9 floors, and few modules that are a part of one other."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from tests.source import statements

ROOT = Path(__file__).resolve().parents[1]
ROOMS, FLOORS = 20, 9
SHORT = 30
"""Lines under which a module that one other imports is a part of that one, unless it is named here."""
BOUNDARIES = {
    "engine.flush.contradictions": "a rule of its own (decision B8)",
    "engine.schedule.last_runs": "a table of the state",
    "engine.search.results.recency": "a rule of its own (decision D6)",
    "engine.sessions.claude_code": "a format of another tool",
    "engine.tree.cycle.node_order": "a rule of its own (decision C6)",
    "engine.tree.nodes.exclusions": "a rule of its own (decision C10)",
    "tui.bridge.first_count": "runs before the engine is there",
    "tui.present.approvals.left_out": "words of a plan, without the toolkit",
}


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
    return {name: frozenset(_imported(path) & modules().keys() - {name}) for name, path in modules().items()}


def _imported(path: Path) -> set[str]:
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
    """The rooms that each room imports."""
    found: dict[str, set[str]] = {room(name): set() for name in modules() if name != "engine"}
    for name, others in imports().items():
        if name != "engine":
            found[room(name)] |= {room(other) for other in others if other != "engine"} - {room(name)}
    return found


def height(of: str, rooms: Mapping[str, set[str]]) -> int:
    """The floor of a room: one above the highest of those that it imports."""
    return 1 + max((height(below, rooms) for below in rooms[of]), default=0)


def test_there_are_at_most_twenty_rooms_on_nine_floors() -> None:
    rooms = arrows()
    packages = sorted(one for one in rooms if ROOT.joinpath(*one.split(".")).is_dir())
    assert len(packages) <= ROOMS, packages
    assert max(height(one, rooms) for one in rooms) <= FLOORS, {one: height(one, rooms) for one in rooms}


def test_a_short_module_that_one_other_imports_is_a_part_of_it() -> None:
    users: dict[str, set[str]] = {name: set() for name in modules()}
    for name, others in imports().items():
        for other in others:
            users[other].add(name)
    short = {
        name
        for name, path in modules().items()
        if len(users[name]) == 1 and path.name != "__init__.py" and path.read_text("utf-8").count("\n") < SHORT
    }
    assert short - BOUNDARIES.keys() == set(), "move it into its one user, or name the boundary"
    assert BOUNDARIES.keys() - short == set(), "no longer needed here"
