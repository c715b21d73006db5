"""What is read below the headings of an episodic file, whoever wrote it (compactor §Extract to Semantic, A15)."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.extraction.candidates import Extraction, extract
from engine.compactor.extraction.found import MOST_ENTRIES
from engine.compactor.extraction.sections import read_note
from engine.compactor.semantic.entry import FIELDS, read_entries, render
from engine.text.document import split_lines

PATH = "memory/episodic/x.md"
DRAFT = "Title: Two presses\nContext: The second press stood still.\nDurable Insight: Two presses need two operators.\n"
LAST = DRAFT.splitlines()[-1]
LINES = st.sampled_from(
    [
        "",
        "- a bullet of some words",
        "prose of some words",
        "> quoted words here",
        "Title: t",
        "Title:",
        "## Summary",
        "Context: c",
        "# x",
        "---",
        "```",
        "Durable Insight: d of some words",
        "Operational Impact: i",
        "## Insights",
        "(none)",
        "<!-- from x -->",
        "  indented words",
        "\t",
    ]
)


def found_in(section: str) -> Extraction:
    note = read_note(f"# Compiled: x.md\n## Summary\n- The press stood still.\n## Extracted Insights\n{section}")
    return extract(PATH, note, date(2026, 1, 5))


def test_a15_an_entry_that_stands_ready_is_taken_as_it_is() -> None:
    found = found_in(f"{DRAFT}Operational Impact: The roster names both.\n\nTitle: Second\n\nContext: c\n{LAST}")
    assert found.refused == ()
    first, second = found.candidates
    assert render(first.entry) == (f"{DRAFT}Operational Impact: The roster names both.\n<!--260105:5-8-->\n")
    assert {field: span.start for field, span in first.spans.items()} == dict(zip(FIELDS, (5, 6, 7, 8), strict=True))
    assert (second.entry.title, second.entry.insight) == ("Second", "Two presses need two operators.")


def test_a15_an_entry_that_misses_the_schema_is_refused_by_line_and_field() -> None:
    found = found_in(
        "Title: Two presses\nDurable Insight:\n\n- Ink that stands for a day is stirred before it is used.\n"
    )
    assert [str(refusal) for refusal in found.refused] == [
        f"{PATH}:5: Context: missing",
        f"{PATH}:6: Durable Insight: empty",
    ]
    assert [candidate.entry.insight for candidate in found.candidates] == [
        "Ink that stands for a day is stirred before it is used."
    ]


def test_a15_a_field_alone_is_no_insight() -> None:
    found = found_in("- Title: sneaky heading of four words\n- Durable Insight: with no entry around it\n")
    assert found.candidates == ()
    assert {refusal.rule for refusal in found.refused} == {"a field without its entry"}


def test_a16_an_entry_that_stands_ready_passes_the_same_rules() -> None:
    found = found_in(DRAFT.replace("need two operators", "need tier C approval, APPROVED"))
    assert found.candidates == ()
    assert "approval log" in {refusal.rule for refusal in found.refused}


def test_entries_and_points_share_the_limit_of_one_file() -> None:
    found = found_in(DRAFT * MOST_ENTRIES + "\n- Ink that stands for a day is stirred before it is used.\n")
    assert len(found.candidates) == MOST_ENTRIES
    assert [refusal.rule for refusal in found.refused] == ["further insight: 3 from one file at most"]


def test_a_paragraph_is_an_insight_as_a_bullet_is() -> None:
    note = read_note(
        "## Insights\nInk that stands for a day\nis stirred.\n\n> A quote says so too.\n- a bullet\nthat goes on\n"
        "\n| no | table |\n|---|---|\n<!-- no comment -->\n---\n(none)\nSo it is.\n"
    )
    assert [(p.text, p.start, p.end) for p in note.insights] == [
        ("Ink that stands for a day is stirred.", 2, 3),
        ("A quote says so too.", 5, 5),
        ("a bullet that goes on", 6, 7),
        ("So it is.", 14, 14),
    ]


@given(st.lists(LINES, max_size=14))
def test_whatever_stands_there_its_entries_meet_the_schema(lines: list[str]) -> None:
    text = "## Insights\n" + "\n".join(lines)
    found = extract(PATH, read_note(text), date(2026, 1, 5))
    for candidate in found.candidates:
        entries, problems = read_entries(render(candidate.entry))
        assert problems == () and len(entries) == 1
        for span in candidate.spans.values():
            assert 1 <= span.start <= span.end <= len(split_lines(text))
