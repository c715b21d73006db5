"""The syntax of the program's own files, as the tests of its rules look at it."""

import ast
import unicodedata
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")


def statements(tree: ast.Module) -> list[ast.AST]:
    """Every statement of a module at any depth, without their expressions, which are nine in ten of the nodes."""
    found: list[ast.AST] = [*tree.body]
    for node in found:
        for block in _BLOCKS:
            inner = getattr(node, block, None)
            if isinstance(inner, list):
                found += inner
    return found


def naming(word: str, *folders: str) -> Iterator[tuple[str, ast.Module]]:
    """The modules in whose text a word stands: no other can have a name or a string of it."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            if word in unicodedata.normalize("NFKC", text):
                yield path.relative_to(ROOT).as_posix(), ast.parse(text)
