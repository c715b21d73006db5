"""All that reads headings and fences has the same rules, those of CommonMark."""

import re
from pathlib import Path

import pytest

from engine.compactor.extraction.sections import read_note
from engine.compactor.semantic.entry import titles
from engine.compactor.semantic.pieces import cut
from engine.models.noise import CODE, machine_lines
from engine.search.indexing.chunks import chunks
from engine.topics.patterns.code_detection import find_code
from engine.topics.similarity.scorer import passages
from engine.tree.source_references import demoted
from engine.workspace.generated import generated_blocks
from tests.engine.tuning.rig import topic_of
from tui.present.markdown import Inside, insides

ROOT = Path(__file__).resolve().parents[3]
CODE_LINES = ["~~~", "```", "# no heading", "~~~ x", "~~~~ "]
"""A fence of one mark is closed by that mark alone, at least as long, with nothing behind it."""


def test_copies_demote_headings_and_no_sign_within_a_line() -> None:
    lines = ["see issue # 7 for it", "# C#", "###### six", "#no", "- a: # b", *CODE_LINES, "``` `a` ```", "# after"]
    assert demoted(lines) == [
        "see issue # 7 for it", "## C#", "###### six", "#no", "- a: # b", *CODE_LINES, "``` `a` ```", "## after",
    ]  # fmt: skip


def test_chunks_are_cut_at_headings_and_keep_the_sign_of_a_name() -> None:
    found = list(chunks("\n".join(["  # C#", "a", *CODE_LINES, "## C ##", "b"])))
    assert [chunk.headings for chunk in found] == [("C#",), ("C#", "C")]


def test_extraction_passes_over_the_whole_block() -> None:
    note = read_note("\n".join(["## Key Decisions", *CODE_LINES, "``` `a` ```", "- two"]))
    assert [point.text for point in note.decisions] == ["``` `a` ```", "two"]


def test_a_topic_is_compared_by_what_stands_outside_code() -> None:
    lines = ["# Mail", "", "Sort it", *CODE_LINES, "## How", "- Answer it"]
    topic = topic_of("---\ntype: topic\ntriggers: []\n---\n" + "\n".join(lines))
    assert passages(topic) == ("Mail", "Sort it", "Answer it")


def test_code_in_a_message_ends_at_its_own_fence() -> None:
    (code,) = find_code("a\n~~~py `x`\n1\n```\n~~~ more\n~~~\nb")
    assert (code.language, code.start, code.end) == ("python", 2, 30)


def test_machine_lines_and_the_console_see_the_same_block() -> None:
    lines = ["a", *CODE_LINES, "b"]
    assert sorted(machine_lines(lines)) == [1, 2, 3, 4, 5] and set(machine_lines(lines).values()) == {CODE}
    assert insides(lines) == (Inside.TEXT, *[Inside.CODE] * 5, Inside.TEXT)


def test_another_tools_section_ends_at_a_heading_and_at_no_hashtag() -> None:
    text = "# ROOT\n<!-- Auto-synced from memory/ROOT.md by hipocampus compact -->\na\n#tag\n### b\n  ## Next\n"
    (block,) = generated_blocks(text)
    assert (block.start, block.end) == (1, 5)


def test_a_shard_is_cut_at_no_heading_in_code() -> None:
    text = "# S\n## a\n```\n## no\n```\n ## b\n"
    found = cut(text)
    assert found.preamble == "# S\n"
    assert [piece.text for piece in found.pieces] == ["## a\n```\n## no\n```\n", " ## b\n"]


def test_a_heading_names_a_known_title_without_its_closing_signs() -> None:
    assert [one.title for one in titles("memory/semantic/a.md", "## Use C#\n### Use C ###\n# file\n")] == [
        "Use C#",
        "Use C",
    ]


ELSEWHERE = {
    "engine/text/markdown.py",
    "engine/text/secrets/detector.py",  # the heading of a column
    "engine/models/plain_line.py",  # marks that are taken off a line that is made into another
    "engine/models/session_lines.py",  # marks before the words by which a line is known
    "engine/compactor/semantic/pollution.py",  # signs that an entry of one line holds a block
    "engine/search/results/snippet.py",  # marks that a snippet does not show
}


@pytest.mark.parametrize("folder", ["engine", "tui"])
def test_no_other_module_has_a_pattern_for_headings_or_fences(folder: str) -> None:
    own = re.compile(r"^_(?:HEADING|FENCE) = re\.compile|`\{3,\}|\(```\|~~~\)|#\{1,6\}\)?(?:\\s|\[ )", re.MULTILINE)
    files = (ROOT / folder).rglob("*.py")
    found = {path.relative_to(ROOT).as_posix() for path in files if own.search(path.read_text("utf-8"))}
    assert found - ELSEWHERE == set()
