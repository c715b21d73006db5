"""The entry's schema: parsed, refused with line and field, written (compactor §Semantic Entry Schema, A15)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.semantic.entry import (
    SchemaError,
    SemanticEntry,
    comment_safe,
    read_entries,
    render,
    titles,
    valid_entries,
)
from engine.compactor.semantic.provenance import entry_sources, named_day, stated_provenance
from engine.text.document import split_lines
from engine.text.tokens import counter
from engine.workspace.values import LineSpan
from tests.engine.compactor.workspace import Workspace, days_ago

WHOLE = """\
Title: Drain first
Context: A migration failed.
Durable Insight: Drain the queue first.
Operational Impact: We do.
"""


def problems(text: str) -> list[tuple[int, str, str]]:
    return [(p.line, p.field, p.rule) for p in read_entries(text)[1]]


def test_a15_a_whole_entry_is_read() -> None:
    (entry,) = valid_entries(WHOLE)
    assert (entry.title, entry.context) == ("Drain first", "A migration failed.")
    assert (entry.insight, entry.impact) == ("Drain the queue first.", "We do.")
    assert entry.lines == {"Title": 1, "Context": 2, "Durable Insight": 3, "Operational Impact": 4}


def test_a15_the_operational_impact_is_optional() -> None:
    assert problems(WHOLE.rpartition("Operational")[0]) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [(1, "Title", "missing")]),
        ("Some prose.\n" + WHOLE, [(1, "Title", "text stands before the first Title:")]),
        ("Title: x\nContext:\nDurable Insight: y\n", [(2, "Context", "empty")]),
        ("Title: x\nContext: c\n", [(1, "Durable Insight", "missing")]),
        ("Title:\nContext: c\nDurable Insight: y\n", [(1, "Title", "empty")]),
        ("Title: x\nContext:   \nDurable Insight: y\n", [(2, "Context", "empty")]),
        ("Title: x\nContext: c\nDurable Insight:\n", [(3, "Durable Insight", "empty")]),
        ("Title: x\nContext: a\nContext: b\nDurable Insight: y\n", [(3, "Context", "stands twice in one entry")]),
        (WHOLE + "\nTitle: second\n", [(6, "Durable Insight", "missing")]),
        ("- title: x\ncontext: c\n", [(1, "Title", "text stands before the first Title:")]),
        ("title: x\ncontext: c\n", [(1, "Durable Insight", "missing")]),
    ],
)
def test_a15_errors_name_line_and_field(text: str, expected: list[tuple[int, str, str]]) -> None:
    found = problems(text)
    assert found[: len(expected)] == expected
    with pytest.raises(SchemaError) as error:
        valid_entries(text, where="entry 1")
    assert error.value.problems == read_entries(text)[1]
    assert str(error.value).startswith(f"entry 1: line {expected[0][0]}, {expected[0][1]}: ")
    assert error.value.exit_code == 6


def test_a15_an_entry_spread_over_lines_keeps_its_words() -> None:
    (entry,) = valid_entries("Title: x\nContext: one\n  two\n\nthree\nDurable Insight: y\n")
    assert entry.context == "one two three"


def test_a15_crlf_reads_the_same() -> None:
    assert valid_entries(WHOLE.replace("\n", "\r\n"))[0].insight == "Drain the queue first."


def test_a15_an_entry_is_rendered_with_its_title_first_and_its_provenance_in_a_comment() -> None:
    entry = SemanticEntry(title="t", context="c", insight="i", impact="o", provenance="from memory/episodic/x.md:12-14")
    assert render(entry) == (
        "Title: t\nContext: c\nDurable Insight: i\nOperational Impact: o\n<!-- from memory/episodic/x.md:12-14 -->\n"
    )
    assert "Operational" not in render(SemanticEntry(title="t", context="c", insight="i"))


LINE = (
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=40)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)


@given(LINE, LINE, LINE, LINE | st.just(""), LINE)
def test_a15_what_is_rendered_is_read_back(title: str, context: str, insight: str, impact: str, source: str) -> None:
    entry = SemanticEntry(title=title, context=context, insight=insight, impact=impact, provenance=source)
    (read,) = valid_entries(render(entry))
    assert (read.title, read.context, read.insight, read.impact) == (title, context, insight, impact)
    assert read.provenance == comment_safe(source).strip()


@given(st.text(max_size=300))
def test_reading_never_fails_and_no_text_is_both_valid_and_wrong(text: str) -> None:
    entries, found = read_entries(text)
    assert entries or found
    for entry in entries:
        assert (entry.title and entry.context and entry.insight) or found


@pytest.mark.parametrize("path", ["a-->b.md", "a\n<!-- x.md", "--><script>", "a\u202eb.md"])
def test_no_path_ends_the_comment_it_stands_in(path: str) -> None:
    safe = comment_safe(path)
    assert "--" not in safe
    assert safe.isprintable()


def test_titles_are_found_in_every_dress() -> None:
    text = "# Shard\nTitle: One\n**Title:** Two\n- title： Three\n## Four ##\nContext: Title: no\n"
    assert [(t.title, t.line) for t in titles("s.md", text)] == [("One", 2), ("Two", 3), ("Three", 4), ("Four", 5)]


@given(st.dates(date(2000, 1, 1), date(2099, 12, 31)), st.integers(1, 999), st.integers(0, 900))
def test_a29_provenance_takes_eight_tokens_and_names_its_day_and_lines(day: date, first: int, more: int) -> None:
    last = min(first + more, 999)
    entry = SemanticEntry(
        title="x",
        insight="y",
        provenance=stated_provenance("memory/episodic/a.md", day, [(first, first), (last, last)]),
    )
    comment = split_lines(render(entry))[-2]
    assert counter("o200k_base").count(comment) <= 8
    ((read,), problems) = read_entries(render(entry))
    assert problems == () and named_day(read) == day and read.provenance == entry.provenance


def test_a29_a_short_comment_leads_to_its_file_by_day_and_words_wherever_it_is_and_a_long_one_to_its_path() -> None:
    """Two episodic files of one day, one of them archived, and an entry as it was written before."""
    day = days_ago(40)
    space = Workspace(
        {
            f"memory/episodic/{day}-a.md": f"# A\n\n{'- The press needs oil.'}\n",
            f"memory/archive/{day}-b-archived-2026-03-01.md": "# B\n\n- Never paint in the rain.\n",
        }
    )
    short = stated_provenance("", date.fromisoformat(day), [(3, 3)])

    def lines(insight: str, provenance: str) -> tuple[LineSpan, ...]:
        return entry_sources(SemanticEntry(title="x", insight=insight, provenance=provenance), space.snapshot())

    assert lines("Never paint in the rain", short) == (
        LineSpan(f"memory/archive/{day}-b-archived-2026-03-01.md", 3, 3),
    )
    assert lines("The press needs oil", short) == (LineSpan(f"memory/episodic/{day}-a.md", 3, 3),)
    assert lines("?", "from memory/episodic/a.md:3-3,7") == tuple(
        LineSpan("memory/episodic/a.md", n, n) for n in (3, 7)
    )
    assert lines("Never paint", "991332:1") == lines("Never paint", "") == ()
