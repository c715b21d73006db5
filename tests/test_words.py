"""Every string of the screens and commands speaks the words of the glossary."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HELP = ROOT / "tui/cli"
HEADING = "## Words that are not used"
MEANT = {
    "tier": r"(?<!memory )(?<!risk )(?<!Memory )(?<!Risk )(?<!-)\btiers?\b(?!:)",
    "gate": r"(?<!topic )(?<!Topic )(?<!-)\bgates?\b(?!:)",
}
"""Words that are right with the one before them. `--tier` is an option, `tier:c` and `gate:yes` are filters."""
FINE = {
    "engine/context/compile/fenced_pieces.py": {"left out"},
    "engine/context/load/simulation.py": {"left out"},
    "engine/models/cue_matcher.py": {"wake"},
    "engine/models/fact_cues.py": {"wake"},
    "engine/services/matchers.py": {"gate"},
    "engine/services/status_figures.py": {"gate"},
    "tui/present/topics/funnel_figures.py": {"gate"},
    "tui/present/topics/decision_detail.py": {"gate"},
    "tui/cli/topics.py": {"gate"},
    "tui/present/glyphs.py": {"left out"},
}
"""Patterns and words of notes, one-word labels, keys of JSON and policy, values of `LoadState`, a prompt's mark."""


@cache
def forbidden() -> dict[str, re.Pattern[str]]:
    """Each word of the glossary's table, with the pattern that finds it."""
    table = (ROOT / "docs/glossary.md").read_text("utf-8").partition(HEADING)[2]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", table, re.MULTILINE)
    words = [word.strip() for row in rows for word in row.split(",") if word.strip() not in ("Not", "")]
    return {word: re.compile(MEANT.get(word) or rf"(?i)(?<!\w){re.escape(word)}(?!\w)") for word in words}


def strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The string constants of a module, each with its line: those of one f-string together, and no docstrings."""
    nodes = list(ast.walk(tree))
    apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            known = [value for value in node.values if isinstance(value, ast.Constant)]
            apart |= set(map(id, known))
            yield node.lineno, "\0".join(value.value for value in known if isinstance(value.value, str))
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node.lineno, node.value


def told(table: object) -> Iterator[str]:
    """The words of a command and its options, as their file has them."""
    if isinstance(table, dict):
        for key, value in table.items():
            yield from [value] if key in ("short", "help") else told(value)


def shown(text: str) -> bool:
    """Tells whether a string is words for a person: two of them at least, or one that begins like a title."""
    return ("height:" not in text) and (" " in text.strip() or text[:1].isupper())


def labels(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """What stands on a screen as one word: the first argument of `fact` and `Span`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("fact", "Span"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str) and not shown(first.value):
                yield first.lineno, first.value


def candidates() -> Iterator[Path]:
    """The files in which a forbidden word stands anywhere, also broken between two parts of one string."""
    words = ['[\\s"f]+'.join(map(re.escape, word.split())) for word in forbidden()]
    anywhere = re.compile(rf"(?i)\b(?:{'|'.join(words)})")
    for file in sorted(file for room in ("engine", "tui") for file in (ROOT / room).rglob("*.py")):
        if anywhere.search(file.read_text("utf-8")):
            yield file


@cache
def said() -> list[tuple[str, str]]:
    """Every string that the console or a command may show, of each file with a faulty word; the engine has reports."""
    trees = [(file.relative_to(ROOT), ast.parse(file.read_text("utf-8"))) for file in candidates()]
    said = [(file, line, text) for file, tree in trees for line, text in strings(tree) if shown(text)]
    said += [(file, line, text) for file, tree in trees for line, text in labels(tree)]
    helped = [(file.relative_to(ROOT), told(tomllib.loads(file.read_text("utf-8")))) for file in HELP.glob("*.toml")]
    return [(f"{file}:{line}", text) for file, line, text in said] + [
        (f"{file}:", t) for file, ts in helped for t in ts
    ]


def faults(text: str, place: str = "") -> list[str]:
    """The words of a string that the glossary forbids."""
    fine = FINE.get(place.partition(":")[0], set())
    return [word for word, pattern in forbidden().items() if word not in fine and pattern.search(text)]


def test_every_string_of_the_screens_and_commands_speaks_the_words_of_the_glossary() -> None:
    assert len(said()) > 2_000
    assert [f"{place} {found}: {text[:80]!r}" for place, text in said() if (found := faults(text, place))] == []


@pytest.mark.parametrize(
    "text",
    [
        "The agent, since you looked",
        "3 put off",
        "z takes it back",
        "d makes it anew",
        "a plan of tier C",
        "the gate decides",
        "half in 2 ms",
        "Should have woken",
        "esc not now",
    ],
)
def test_a_word_that_is_not_used_is_found(text: str) -> None:
    assert faults(text)


@pytest.mark.parametrize("text", ["a plan of risk tier C", "the topic gate decides", "like tier:b", "the gauges"])
def test_the_words_to_use_are_no_fault(text: str) -> None:
    assert faults(text) == []


def test_a_label_of_one_word_is_read_too() -> None:
    found = labels(ast.parse('fact("wakes", Span("high"))'))
    assert [faults(text) for _, text in found] == [["wakes"], []]
