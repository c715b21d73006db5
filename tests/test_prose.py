"""Docstrings are sentences with a subject, so that each is understood at the first reading."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.source import statements

ROOT = Path(__file__).parents[1]
CLAUSE = re.compile(
    r"(What|Whether|Where|How|Which|When|Who|Whose|Why|Until when|Since when|Of what|At which|In which)\b"
)
OPERATOR = re.compile(r"\b(he|his|him|himself)\b", re.IGNORECASE)
"""The operator is anybody: `the operator`, `the operator's`, `they`."""


def _docstrings(text: str) -> list[tuple[int, str]]:
    """The docstrings of modules, classes, functions and constants, each with its line."""
    nodes = [node for node in statements(ast.parse(text)) if isinstance(node, ast.Expr)]
    texts = [(node.lineno, node.value) for node in nodes]
    return [
        (line, node.value) for line, node in texts if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@cache
def docstrings() -> list[tuple[str, str]]:
    files = sorted(file for folder in ("engine", "tui") for file in (ROOT / folder).rglob("*.py"))
    found = [(file.relative_to(ROOT), _docstrings(file.read_text("utf-8"))) for file in files]
    return [(f"{file}:{line}", said) for file, lines in found for line, said in lines]


def test_no_docstring_begins_with_a_clause_without_its_subject() -> None:
    assert len(docstrings()) > 4_000
    assert [f"{place} {said[:60]}" for place, said in docstrings() if CLAUSE.match(said.lstrip())] == []


def test_the_operator_is_no_he() -> None:
    assert [place for place, said in docstrings() if OPERATOR.search(said)] == []


@pytest.mark.parametrize(
    "said", ["What of a file goes into the index.", "Whether it is over.", "Until when it sleeps."]
)
def test_a_clause_without_its_subject_is_found(said: str) -> None:
    (found,) = _docstrings(f'def f() -> None:\n    """{said}"""\n')
    assert CLAUSE.match(found[1])
