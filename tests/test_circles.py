"""No modules import each other in a circle."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("engine", "memdeck", "tui")


def modules() -> dict[str, Path]:
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in files}


def imported(node: ast.AST, known: Mapping[str, Path], *, lazy: bool, inside: bool = False) -> Iterator[str]:
    """The modules of ours that a file imports when it is loaded, with `lazy` also those that its functions import."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        if inside and not lazy:
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names if alias.name in known)
        elif isinstance(child, ast.ImportFrom) and child.module is not None:
            names = (f"{child.module}.{alias.name}" for alias in child.names)
            yield from (
                name if name in known else child.module for name in names if {name, child.module} & known.keys()
            )
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from imported(child, known, lazy=lazy, inside=inside or is_function)


def circles(graph: Mapping[str, set[str]]) -> list[str]:
    """The modules that are left once all that lead nowhere, and all that nothing leads to, are taken away."""
    left = {name: set(targets) & graph.keys() for name, targets in graph.items()}
    while True:
        reached = {target for targets in left.values() for target in targets & left.keys()}
        ends = [name for name, targets in left.items() if name not in reached or not targets & left.keys()]
        if not ends:
            return sorted(left)
        for name in ends:
            del left[name]


@pytest.mark.parametrize(("room", "lazy"), [("", False), ("engine.services", True)])
def test_no_modules_import_each_other_in_a_circle(room: str, lazy: bool) -> None:
    known = modules()
    trees = {name: ast.parse(file.read_text("utf-8")) for name, file in known.items() if name.startswith(room)}
    graph = {name: set(imported(tree, known, lazy=lazy)) - {name} for name, tree in trees.items()}
    assert len(graph) > 50 and sum(map(len, graph.values())) > 200
    assert circles(graph) == []


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c"]
