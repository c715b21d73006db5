"""The insides of Textual are touched in `tui/toolkit/` alone."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from textual.app import App
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget

ROOT = Path(__file__).parents[2]
ROOM = ROOT / "tui" / "toolkit"
OUTSIDE = sorted(file for file in (ROOT / "tui").rglob("*.py") if ROOM not in file.parents)


@cache
def private_names(kind: type) -> frozenset[str]:
    """Names the private functions of a class of Textual, and what its constructors set."""
    names: set[str] = set()
    for base in inspect.getmro(kind):
        if not base.__module__.startswith("textual"):
            continue
        names |= set(vars(base))
        names |= set(getattr(getattr(vars(base).get("__init__"), "__code__", None), "co_names", ()))
    return frozenset(name for name in names if name.startswith("_") and not name.startswith("__"))


EVERY = frozenset().union(*map(private_names, (App, MessagePump, Screen, ScrollView, Widget)))


def foreign(tree: ast.AST) -> Iterator[str]:
    """Private members of something else than `self`, `cls` and `os`, whose `_exit` is documented."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in EVERY:
            owner = node.value
            if not (isinstance(owner, ast.Name) and owner.id in ("self", "cls", "os")):
                yield f"line {node.lineno}: {ast.unparse(node)}"


def imports(tree: ast.AST) -> Iterator[str]:
    """Private modules of Textual, and private names out of its modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            parts = [*(node.module or "").split("."), *(name.name for name in node.names)]
            yield from (f"line {node.lineno}: {part}" for part in parts if part.startswith("_"))


def own(file: Path) -> Iterator[str]:
    """Private members of Textual that a class of this file overrides, sets or reads as its own."""
    if file.name == "__main__.py":  # to import it is to run it
        return
    module = importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    for kind in vars(module).values():
        if not (inspect.isclass(kind) and kind.__module__ == module.__name__ and issubclass(kind, MessagePump)):
            continue
        written = {name for node in ast.walk(ast.parse(inspect.getsource(kind))) for name in _written(node)}
        yield from (f"{kind.__name__}.{name}" for name in sorted(written & private_names(kind)))


def _written(node: ast.AST) -> Iterator[str]:
    """The names that a class defines, and those that it reads or sets of itself."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name


@pytest.mark.parametrize("file", OUTSIDE, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_private_member_of_textual_is_touched_outside_its_room(file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"))
    assert [*imports(tree), *foreign(tree), *own(file)] == []


def test_the_room_would_be_found() -> None:
    """The same look at the room itself finds what it is there for."""
    found = [found for file in ROOM.glob("*.py") for found in own(file)]
    assert "AtOnce._compositor" in found
    assert "QuietApp._fatal_error" in found
    trees = [ast.parse(file.read_text("utf-8")) for file in ROOM.glob("*.py")]
    assert any("_compositor" in name for tree in trees for name in imports(tree))
    assert any("_start_widget" in name for tree in trees for name in foreign(tree))
