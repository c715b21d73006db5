"""The commands word no value of their own: ages, moments, sizes, plurals and glyphs come from `tui/present/`."""

import ast
from datetime import timedelta
from pathlib import Path

import pytest

import tui.cli
from tests.prepared import Prepared
from tests.tui.cli.conftest import Run
from tests.values import compaction
from tui.present.glyphs import LANGUAGE, QUIET
from tui.present.words import ago

FILES = sorted(Path(tui.cli.__file__).parent.glob("*.py"))
SIGNS = {sign.glyph for _, signs in LANGUAGE for sign in signs if not sign.glyph.isascii()} - {QUIET.glyph}
"""The glyph of what is quiet also stands between two facts of a line."""
WORDING = {"age", "ago", "ahead", "clock", "count", "duration", "moment", "noun", "plural", "size", "short_count"}
DATE_PARTS = ("%Y", "%m", "%d", "%H", "%M", "%S", "%a", "%b", "%z")


def _nodes(file: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(file.read_text())))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_command_types_no_glyph(file: Path) -> None:
    texts = [node.value for node in _nodes(file) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    assert [text for text in texts if SIGNS & set(text)] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_command_words_no_time_size_or_plural(file: Path) -> None:
    nodes = _nodes(file)
    own = [node.name for node in nodes if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in WORDING]
    formats = [
        ast.unparse(node.format_spec) for node in nodes if isinstance(node, ast.FormattedValue) and node.format_spec
    ]
    calls = [
        node.attr for node in nodes if isinstance(node, ast.Attribute) and node.attr in ("strftime", "total_seconds")
    ]
    plurals = [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.IfExp)
        and any(isinstance(one, ast.Constant) and one.value == "s" for one in (node.body, node.orelse))
    ]
    assert own + [text for text in formats if any(part in text for part in DATE_PARTS)] + calls + plurals == []


@pytest.mark.parametrize("hours", [0, 24.5, 30, 47, 100])
def test_an_age_in_the_queue_is_said_as_on_screen(run: Run, stubbed: Prepared, hours: float) -> None:
    made_at = stubbed.add(compaction()).made_at
    stubbed.clock = made_at + timedelta(hours=hours)
    said = ago(made_at, stubbed.clock)
    assert said in run("queue").out
    assert (hours != 30) or said == "1 d ago"
