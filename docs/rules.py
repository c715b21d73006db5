"""Lists the modules and tests of each decision, and the one home of each constant that a decision gives."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CODE = ("engine", "tui")

_NUMBER = r"[GABCD][1-9][0-9]?"
_NAMED = re.compile(rf"\b[Dd]ecisions? ((?:{_NUMBER}(?:, | and |–)?)+)|\(([^()]*)\)")
_OTHER = re.compile(r"promises? [A-Z][0-9]+(?:, [A-Z][0-9]+)*")
"""Promises have letters and numbers too, and are no decisions."""
_PROMISES = "tests/engine/plans/"
"""Tests of plans name the promises that an apply keeps, whose letters are B and C."""
_QUICK = re.compile(rf"\b{_NUMBER}\b|\btest_[gabcd][1-9]")
"""Most files name no decision: they are not parsed."""
_TEST = re.compile(r"^test_((?:[gabcd][1-9][0-9]?_)+)")

Figures = frozenset[float | str]
_COMMON = {"default", "days", "floor", "least", "most", "per", "word", ""}


class Constant(NamedTuple):
    """A figure that a decision gives. `home` is `module:name`, or `module:Class.name`."""

    decision: str
    about: str
    home: str


CONSTANTS = (
    Constant("A1", "tokens of a shard: soft limit, risk line, hard limit", "engine.plans.policy.values:SemanticLimits"),
    Constant("A4", "working notes: pressure and age in days", "engine.plans.policy.values:WorkingLimits"),
    Constant("A4", "episodic files: pressure and age in days", "engine.plans.policy.values:EpisodicLimits"),
    Constant("A10", "time for which a displaced file is held", "engine.plans.records.displaced:HOLD"),
    Constant("A14", "characters of a title within another", "engine.compactor.semantic.pollution:SUBSTRING_LENGTH"),
    Constant("A21", "shard of an entry without a route", "engine.compactor.options:DEFAULT_SHARD"),
    Constant("C7", "lines and tokens up to which sources are copied", "engine.tree.levels:THRESHOLDS"),
    Constant("C11", "bytes below which a body is sparse", "engine.tree.levels:LEAST_BYTES"),
    Constant("C14", "days after which a topic is doubtful", "engine.tree.survey.node_topics:DOUBTFUL_DAYS"),
    Constant("C14", "days after which a topic is old", "engine.tree.survey.node_topics:OLD_DAYS"),
    Constant("C18", "paths of MEMORY.md, the first that exists", "engine.workspace.layout:MEMORY_MD_PATHS"),
    Constant("D6", "half-life of a file's recency in days", "engine.search.results.recency:HALF_LIFE_DAYS"),
    Constant("D6", "most that references weigh in a tie", "engine.search.results.recency:MOST_BOOST"),
    Constant("D8", "weight of the offline vectors' cosine", "engine.search.embedding.static:StaticEmbedder.weight"),
    Constant("D17", "score from which high priority needs no gate", "engine.topics.gate.precedence:HIGH_SURE"),
    Constant("D17", "least score at medium priority", "engine.topics.gate.precedence:MEDIUM_FLOOR"),
    Constant("D17", "least score at low priority", "engine.topics.gate.precedence:LOW_FLOOR"),
    Constant("D20", "time between two hints of a topic", "engine.topics.output_hints:COOLDOWN"),
    Constant("D20", "hints in one turn", "engine.topics.output_hints:MOST_PER_TURN"),
    Constant("D23", "lines of MEMORY.md above which it is in a band", "engine.workspace.layout:MEMORY_MD_LINES"),
    Constant("G11", "time for which an approval holds", "engine.plans.operation:LIFETIME"),
    Constant("G11", "word that approves tier C", "engine.plans.operation:APPROVAL_WORD"),
)


def page() -> str:
    """The page `rules.md`, after its introduction."""
    code, tests = sources(), _sources("tests")
    modules, named = cited(code), cited(tests)
    rows = [
        f"| {number} | {_listed(modules[number])} | {_listed(named[number])} |"
        for number in sorted(modules.keys() | named.keys(), key=lambda number: (number[0], int(number[1:])))
    ]
    constants = [
        f"| {one.decision} | {one.about} | `{_value(code, one.home)}` | `{one.home.replace(':', '.')}` |"
        for one in CONSTANTS
    ]
    return "\n".join(
        (
            "## Constants\n\n| Decision | Constant | Value | Home |\n| --- | --- | --- | --- |",
            *constants,
            "\n## Modules and tests\n\n| Decision | Modules that name it | Tests that name it |\n| --- | --- | --- |",
            *rows,
            "",
        )
    )


def sources() -> dict[str, str]:
    """Reads the modules of the program, by path."""
    return _sources(*CODE)


def cited(sources: Mapping[str, str]) -> defaultdict[str, set[str]]:
    """Maps each decision to the paths of the files that name it in a docstring, a comment or a test's name."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path, text in sources.items():
        for number in _numbers_in(text):
            if not (number[0] in "BC" and path.startswith(_PROMISES)):
                found[number].add(path)
    return found


def other_homes(sources: Mapping[str, str], home: str) -> tuple[str, ...]:
    """Finds the definitions that give the figures of a constant a second time, as `path: name`.

    Several figures: a definition that has all of them. One: an assignment of it to a name that shares a word.
    """
    path, name = _place(home)
    wanted = _definition(sources, home).figures
    return tuple(
        f"{other}: {found.name}"
        for other, text in sources.items()
        for found in _definitions(text)
        if (other, found.name.split(".")[0]) != (path, name.split(".")[0]) and _repeats(found, wanted, _words(name))
    )


class Definition(NamedTuple):
    """A class, a function or a constant of a module; `Class.name` for what stands in a class."""

    name: str
    node: ast.stmt
    figures: Figures


@cache
def _definitions(text: str) -> tuple[Definition, ...]:
    found = _named_in(ast.parse(text).body, "")
    return tuple(Definition(name, node, _figures(node)) for name, node in found)


def _named_in(body: Iterable[ast.stmt], within: str) -> Iterator[tuple[str, ast.stmt]]:
    for node in body:
        match node:
            case ast.ClassDef(name=name):
                yield within + name, node
                yield from _named_in(node.body, f"{within}{name}.")
            case ast.FunctionDef(name=name):
                yield within + name, node
            case ast.Assign(targets=targets):
                yield from ((within + ast.unparse(target), node) for target in targets)
            case ast.AnnAssign(target=target):
                yield within + ast.unparse(target), node
            case _:
                pass


def _definition(sources: Mapping[str, str], home: str) -> Definition:
    """Gives the definition of a constant at its home; `ValueError` where there is none."""
    path, name = _place(home)
    (found,) = [one for one in _definitions(sources[path]) if one.name == name]
    return found


def _repeats(found: Definition, wanted: Figures, words: frozenset[str]) -> bool:
    if len(wanted) > 1:
        return wanted <= found.figures
    assigned = isinstance(found.node, ast.Assign | ast.AnnAssign)
    return assigned and found.figures == wanted and bool(words & _words(found.name))


def _figures(node: ast.stmt) -> Figures:
    """Collects the numbers of a definition; of one that assigns strings, the strings."""
    match node:
        case ast.Assign(value=ast.Constant(value=str() as text)):
            return frozenset((text,))
        case ast.Assign(value=ast.Tuple(elts=[ast.Constant(value=str()), *_] as parts)):
            texts = (part.value for part in parts if isinstance(part, ast.Constant))
            return frozenset(text for text in texts if isinstance(text, str))
        case _:
            values = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            numbers = (value for value in values if isinstance(value, int | float) and not isinstance(value, bool))
            return frozenset(map(float, numbers))


def _words(name: str) -> frozenset[str]:
    """Cuts the last part of a name into words, without those that many constants share."""
    return frozenset(name.rpartition(".")[2].casefold().split("_")) - _COMMON


def _place(home: str) -> tuple[str, str]:
    module, _, name = home.partition(":")
    return f"{module.replace('.', '/')}.py", name


def _value(sources: Mapping[str, str], home: str) -> str:
    match _definition(sources, home).node:
        case ast.ClassDef(body=body):
            fields = (one for one in body if isinstance(one, ast.AnnAssign) and one.value is not None)
            return ", ".join(f"{ast.unparse(one.target)} {ast.unparse(one.value or one)}" for one in fields)
        case ast.Assign(value=value):
            return ast.unparse(value)
        case node:
            return ast.unparse(node)


def _numbers_in(text: str) -> Iterator[str]:
    if not _QUICK.search(text):
        return
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr | ast.FunctionDef)]
    for said in _prose(text, nodes):
        for listed, bracket in _NAMED.findall(_OTHER.sub("", " ".join(said.split()))):
            yield from re.findall(rf"\b{_NUMBER}\b", listed or bracket)
    for node in nodes:
        if isinstance(node, ast.FunctionDef) and (named := _TEST.match(node.name)):
            yield from named[1].upper().strip("_").split("_")


def _prose(text: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yields the docstrings and comments of a module."""
    for node in nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def _sources(*folders: str) -> dict[str, str]:
    files = sorted(file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in files}


def _listed(paths: Iterable[str]) -> str:
    return ", ".join(f"`{path}`" for path in sorted(paths)) or "—"
