"""Stop words stand in one file, and in that of the names of topics (decision A24): no module has a list of them."""

import ast

from engine.text.language import ASKED, ENGLISH, FUNCTION, GERMAN, PARTICLES, SMALL, TOLD
from tests.source import naming

TELLS_A_LIST = 8
"""Small words in one table from which it is a list of stop words."""


def _tables(tree: ast.Module) -> list[set[str]]:
    """The words of each table that a module splits into words."""
    return [
        set(node.func.value.value.split())
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "split"
        and isinstance(node.func.value, ast.Constant)
        and isinstance(node.func.value.value, str)
    ]


def test_no_module_has_a_list_of_stop_words() -> None:
    found = {
        file
        for file, tree in naming("split", "engine")
        if any(len(table & SMALL) >= TELLS_A_LIST for table in _tables(tree))
    }
    assert found == set()


def test_every_list_holds_the_small_words_of_both_languages() -> None:
    assert SMALL == ENGLISH | GERMAN
    assert SMALL < ASKED
    assert SMALL < TOLD
    assert PARTICLES < FUNCTION


def test_a_query_keeps_the_words_that_a_note_is_told_without() -> None:
    assert {"need", "idea", "references"} <= TOLD - ASKED
    assert {"why", "warum", "welche"} <= ASKED - TOLD
