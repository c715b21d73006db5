"""Days of entries: a dated line of a long note is found by its day, whatever day the note itself has."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.indexing.chunks import MOST, Chunk, entry_days
from engine.search.ranking.day_gains import GAIN
from tests.engine.search.place import MakePlace

DAY = date(2025, 5, 3)


def days(text: str, *headings: str) -> tuple[date, ...]:
    return entry_days(Chunk(1, 1, headings, text))


@pytest.mark.parametrize(
    "line",
    [
        "2025-05-03 we moved", "- 2025-05-03: we moved", "* **2025-05-03** moved", "## 2025-05-03 — Moving",
        "| 2025-05-03 | moved |", "1. [2025-05-03] moved", "> 2025-05-03", "- we moved (2025-05-03)",
        "- we moved [2025-05-03].",
    ],
)  # fmt: skip
def test_a_date_at_either_end_of_a_line_is_the_entrys(line: str) -> None:
    assert days(f"intro\n{line}\nmore") == (DAY,)


@pytest.mark.parametrize(
    "line", ["we moved on 2025-05-03 at last", "2025-05-033", "2025-05-03-b", "2025-02-31 x", "2025-05-03T10", "(2025)"]
)
def test_a_date_elsewhere_or_none_at_all_is_not(line: str) -> None:
    assert days(line) == ()


def test_the_innermost_heading_with_a_date_counts_for_all_that_stands_under_it() -> None:
    assert days("we moved", "2024-01-01", "2025-05-03 (Saturday)", "Notes") == (DAY,)


@given(st.text(alphabet="0123456789-#([)]. \n", max_size=300))
def test_any_text_has_few_days_in_order(text: str) -> None:
    found = days(text, text)
    assert list(found) == sorted(set(found)) and len(found) <= MOST


def test_an_entry_of_the_day_comes_first_with_its_line(make_place: MakePlace) -> None:
    place = make_place()
    months = "\n\n".join(
        f"## 2025-{month:02}-03\n\nthe depot counted its crates once more\n" + "idle words\n" * 40
        for month in range(1, 13)
    )
    place.write("MEMORY.md", f"# Memory\n\n{months}\n")
    place.write("knowledge/depot.md", "# Depot\n\nthe depot counted its crates, and the crates counted the depot\n")
    hit, *_ = place.search("what did the depot count on 3 May 2025").hits
    assert hit.path == "MEMORY.md" and GAIN / 2 < hit.dates <= GAIN
    assert round(hit.words + hit.meaning + hit.dates, 3) == hit.score and hit.meaning == 0
    lines = place.folder.joinpath("MEMORY.md").read_text("utf-8").splitlines()
    assert "## 2025-05-03" in lines[hit.line - 4 : hit.line]


def test_the_days_own_file_stands_before_a_note_with_an_empty_entry_of_it(make_place: MakePlace) -> None:
    place = make_place()
    place.write("knowledge/list.md", "# List\n\n- 2025-05-03 green paint\n")
    place.write("memory/2025-05-03.md", "# Day\n\nthe depot was quiet\n")
    assert place.paths("what was quiet on 3 May 2025") == ["memory/2025-05-03.md", "knowledge/list.md"]


def test_entries_go_with_their_file(make_place: MakePlace) -> None:
    place = make_place()
    note = place.write("knowledge/list.md", "# List\n\n- 2025-05-03 green paint\n")
    place.write("knowledge/other.md", "# Other\n\nquiet words\n")
    assert "knowledge/list.md" in place.paths("what was quiet on 3 May 2025")
    note.write_text("# List\n\n- 2023-01-01 green paint\n", encoding="utf-8")
    assert place.paths("what was quiet on 3 May 2025") == ["knowledge/other.md"]
    assert "knowledge/list.md" in place.paths("what was quiet on 1 January 2023")
