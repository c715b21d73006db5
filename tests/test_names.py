"""Names mean one thing, and modules are named by nouns: tiers, layers, classes, modules (decisions G1, G2)."""

import ast
import re
import tokenize
from pathlib import Path

ROOT = Path(__file__).parents[1]
NUMBERED_LAYER = re.compile(r"(?i)\blayer[ _-]?[0-9]")
BARE_TIER = re.compile(r"\bclass +Tier\b|\bTier\s*=")


def _sources() -> list[Path]:
    return [file for folder in ("engine", "tui") for file in (ROOT / folder).rglob("*.py")]


def test_g1_no_class_is_a_bare_tier() -> None:
    assert [file for file in _sources() if BARE_TIER.search(file.read_text("utf-8"))] == []


def test_g2_no_code_nor_screen_numbers_a_layer() -> None:
    found = []
    for file in _sources():
        if not NUMBERED_LAYER.search(file.read_text("utf-8")):
            continue
        with tokenize.open(file) as text:
            tokens = tokenize.generate_tokens(text.readline)
            names = [token for token in tokens if token.type == tokenize.NAME]
        found += [f"{file}:{token.start[0]}" for token in names if NUMBERED_LAYER.search(token.string)]
    assert found == []


def test_a_public_class_name_occurs_once() -> None:
    """One name, one meaning: a reader who sees a class knows which it is without its import."""
    homes: dict[str, set[str]] = {}
    for file in _sources():
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, set()).add(str(file.relative_to(ROOT)))
    assert {name: sorted(files) for name, files in homes.items() if len(files) > 1} == {}


ACTIVITIES = frozenset(
    {"embedding", "indexing", "monitoring", "naming"}
    | {"planning", "ranking", "rebinding", "sharding", "steering", "tuning"}
)
"""Names in -ing that are terms of the field (`sharding`), or results (`listing`); no others."""


def test_a_module_is_named_by_a_noun_and_not_for_an_activity() -> None:
    modules = {file.stem if file.stem != "__init__" else file.parent.name for file in _sources()}
    named = {name for name in modules if name.endswith("ing")}
    assert named - ACTIVITIES == set(), "name the thing, not the activity"
    assert ACTIVITIES - named == set(), "no longer needed here"
