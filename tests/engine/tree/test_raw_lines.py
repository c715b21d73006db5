"""The lines of a raw log stand for themselves without an object for each, and read the same."""

import tracemalloc
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models import blocks
from engine.models.block_reader import BlockReader
from engine.models.plain_line import clean_lines, cleaned
from engine.models.session_lines import left_out_lines, without_chat_headers
from engine.text.document import Document
from engine.text.text_lines import TextLines
from engine.tree.levels import LEAST_BYTES
from engine.tree.nodes import node_source
from engine.tree.nodes.copied_or_summarised import _bytes_said
from engine.tree.nodes.entries import EntryList, EntryText, read_entries
from engine.tree.nodes.node_source import NodeSource, read_clean, read_origin, read_text
from engine.tree.source_references import RawLines, Traced
from engine.workspace.values import LineSpan

PATH = "memory/2026-03-01.md"
TEXTS = st.lists(st.text(alphabet="ab \u200b\x1b[1m\r|-:#", max_size=12), max_size=30)


@given(texts=TEXTS, first=st.integers(1, 90), cut=st.integers(-35, 35))
def test_raw_lines_are_the_traced_lines_they_stand_for(texts: list[str], first: int, cut: int) -> None:
    whole = [Traced(n, text, (LineSpan(PATH, n, n),)) for n, text in enumerate(texts, first)]
    lines = RawLines(PATH, texts, first)
    assert list(lines) == whole and len(lines) == len(whole)
    assert list(lines[cut:]) == whole[cut:] and list(lines[:cut]) == whole[:cut]
    assert all(lines[index] == whole[index] for index in range(-len(whole), len(whole)))


@given(TEXTS)
def test_lines_are_cleaned_alike_one_by_one_and_as_a_text(texts: list[str]) -> None:
    assert cleaned(texts) == clean_lines("\n".join(texts))


def test_lines_with_nothing_to_clean_are_the_same_strings() -> None:
    texts = [f"- line {number}" for number in range(5)]
    assert all(one is other for one, other in zip(cleaned(texts), texts, strict=True))


def test_a_long_text_is_read_block_by_block_and_comes_out_the_same() -> None:
    part = [
        "## 09:00 Ana",
        "",
        "Ana: we move on Monday.",
        "assistant: fine.",
        "",
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
    ]
    lines = part * (blocks.MOST_KEPT // 2)
    read = blocks.read_blocks(lines, left_out_lines(lines))
    short = blocks.read_blocks(part * 40, left_out_lines(part * 40))
    found, few = list(read.blocks), list(short.blocks)
    assert len(found) > blocks.MOST_KEPT
    assert [(b.text, b.speaker, b.kind) for b in found[: len(few) - 4]] == [
        (b.text, b.speaker, b.kind) for b in few[:-4]
    ]
    assert len(read.headings) == blocks.MOST_KEPT // 2


def test_no_more_blocks_are_held_at_once_than_are_kept() -> None:
    reader = BlockReader()
    lines = [f"- line {number}" for number in range(3000)]
    most = max(len(reader.blocks) for _ in blocks._blocks(reader, lines, {}))
    assert most <= 2


@given(st.text("a \t\n\u2003é", max_size=80))
def test_a_body_is_sparse_by_its_bytes_without_white_space_around_it(body: str) -> None:
    assert min(_bytes_said(body), LEAST_BYTES) == min(len(body.strip().encode()), LEAST_BYTES)


def test_a_long_body_is_not_copied_to_see_that_it_is_not_sparse() -> None:
    body = "- line of a log\n" * 100_000
    tracemalloc.start()
    try:
        assert _bytes_said(body) == LEAST_BYTES
        assert tracemalloc.get_traced_memory()[1] < len(body) / 10
    finally:
        tracemalloc.stop()


@given(TEXTS, st.integers(1, 5))
def test_a_raw_log_is_read_from_a_line_on_and_its_lines_are_not_kept(texts: list[str], first: int) -> None:
    document = Document.from_bytes("\n".join(text.replace("\r", "") for text in texts).encode())
    found = read_text(PATH, document, first)
    assert "lines" not in document.__dict__
    lines = RawLines(PATH, document.lines[first - 1 :], first)
    assert found == read_entries(EntryText(path=PATH, lines=lines, day=date(2026, 3, 1)))


def test_a_raw_log_is_read_without_a_list_of_its_lines() -> None:
    document = Document.from_bytes(b"## part\n" + b"- line of a log\n" * 50)
    seen: list[EntryText] = []

    def kept(text: EntryText) -> EntryList:
        seen.append(text)
        return read_entries(text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_source, "read_entries", kept)
        read_text(PATH, document, 1)
    (text,) = seen
    assert isinstance(text.lines, RawLines) and isinstance(text.lines.texts, TextLines)
    assert isinstance(cleaned(text.lines.texts), TextLines)
    assert without_chat_headers(text.lines.texts) is text.lines.texts


def test_a_log_without_secrets_is_read_once_for_its_summary_and_its_topics() -> None:
    origin = NodeSource(PATH, "", Document.from_bytes(b"## part\n- line of a log\n"))
    assert read_clean(origin) is read_origin(origin)
    secret = NodeSource(PATH, "", Document.from_bytes(b"## part\n- the password: hunter2-x9Q!\n"))
    assert "hunter2" not in str(read_clean(secret)) and read_clean(secret) is not read_origin(secret)
