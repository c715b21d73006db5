"""Copies of one fact: what a transcript, its day, week and month say alike is one hit with its ladder."""

from pathlib import Path

import pytest

from engine.search.results.hits import level_of
from engine.search.values import CopyLevel, SearchHit
from tests.engine.search.place import MakePlace, SearchPlace

FACT = "The zebra harness was moved to the northern lake depot"
LADDER = {
    "raw/conversations/2026/03/03/1000-chat.md": f"# Chat\n\n## 10:00 — user\nListen. {FACT} this morning.\n",
    "memory/2026-03-03.md": f"# Tuesday\n\nmany other things happened here\n\n- {FACT}\n",
    "memory/daily/2026-03-03.md": "# 2026-03-03\n\n- Zebra harness moved to northern lake depot\n",
    "memory/weekly/2026-W10.md": "# 2026-W10\n\n- unrelated coffee order\n- zebra harness moved to lake depot\n",
    "memory/monthly/2026-03.md": "# 2026-03\n\n- zebra harness: northern lake depot\n",
    "memory/ROOT.md": "# ROOT\n\n- 2026-03: zebra harness at the lake depot\n",
    "memory/archive/episodic/zebra-archived-2026-03-03.md": f"# Old\n\n{FACT}\n",
}


def ladder_of(hit: SearchHit) -> set[str]:
    return {hit.path, *(copy.path for copy in hit.copies)}


@pytest.fixture
def place(make_place: MakePlace) -> SearchPlace:
    made = make_place()
    for path, text in LADDER.items():
        made.write(path, text)
    return made


def test_one_fact_on_all_levels_is_one_hit(place: SearchPlace) -> None:
    place.write("knowledge/zebra.md", f"# Zebra\n\n{FACT}\n")
    answer = place.search("zebra harness lake depot")
    groups = [ladder_of(hit) for hit in answer.hits]
    together = next(group for group in groups if len(group) > 1)
    assert together == set(LADDER)
    assert {"knowledge/zebra.md"} in groups  # a note by hand is no copy, whatever it says


def test_the_ladder_goes_from_the_transcript_up_and_names_lines(place: SearchPlace) -> None:
    hit = next(hit for hit in place.search("zebra harness lake depot").hits if hit.copies)
    levels = [copy.level for copy in hit.copies]
    assert levels == sorted(levels, key=list(CopyLevel).index) and len(set(levels)) == len(levels)
    lines = {copy.path: copy.line for copy in hit.copies}
    wanted = {"memory/weekly/2026-W10.md": 4, "memory/2026-03-03.md": 5, "memory/monthly/2026-03.md": 3}
    assert {path: line for path, line in lines.items() if path in wanted} == {
        path: line for path, line in wanted.items() if path != hit.path
    }


def test_another_fact_of_the_same_day_is_a_hit_of_its_own(make_place: MakePlace) -> None:
    place = make_place()
    place.write("memory/2026-03-03.md", "# Day\n\n- the depot ordered green paint and new brushes\n")
    place.write("memory/weekly/2026-W10.md", "# 2026-W10\n\n- depot staff party planned for Friday evening\n")
    assert [hit.copies for hit in place.search("depot").hits] == [(), ()]


def test_the_same_words_of_another_week_are_a_hit_of_their_own(make_place: MakePlace) -> None:
    place = make_place()
    place.write("memory/2026-03-03.md", f"- {FACT}\n")
    place.write("memory/weekly/2026-W12.md", f"# 2026-W12\n\n- {FACT}\n")
    assert [hit.copies for hit in place.search("zebra harness depot").hits] == [(), ()]


def test_a_transcript_is_of_the_day_that_its_folders_name(make_place: MakePlace) -> None:
    place = make_place()
    place.write("raw/conversations/2026/03/03/1000-chat.md", f"## 10:00 — user\n{FACT}\n")
    place.write("memory/daily/2026-03-03.md", f"- {FACT}\n")
    place.write("memory/daily/2026-03-04.md", f"- {FACT}\n")
    assert sorted(len(hit.copies) for hit in place.search("zebra harness depot").hits) == [0, 1]


def test_two_transcripts_of_one_day_are_two_hits(make_place: MakePlace) -> None:
    place = make_place()
    for name in ("1000-a", "1100-b"):
        place.write(f"raw/conversations/2026/03/03/{name}.md", f"## 10:00 — user\n{FACT}\n")
    place.write("memory/2026-03-03.md", "other words\n")
    assert len(place.search("zebra harness depot").hits) == 2


def test_as_many_hits_as_were_asked_for_remain(place: SearchPlace) -> None:
    for number in range(5):
        place.write(f"knowledge/zebra-{number}.md", f"# Note {number}\n\nzebra harness {number}\n")
    assert len(place.search("zebra harness lake depot", 5).hits) == 5


@pytest.mark.parametrize(
    ("path", "level"),
    [
        ("memory/daily/2026-03-03.md", CopyLevel.DAY),
        ("memory/weekly/2026-W53.md", CopyLevel.WEEK),
        ("memory/ROOT.md", CopyLevel.ROOT),
        ("DailyLogs/2026-03-03.md", CopyLevel.LOG),
        ("archive/a.md", CopyLevel.ARCHIVE),
        ("memory/weekly/other.md", None),
        ("knowledge/a.md", None),
    ],
)
def test_levels_follow_paths(path: str, level: CopyLevel | None) -> None:
    assert level_of(path) is level


@pytest.mark.parametrize(
    "name", ["weekly/2026-W53.md", "monthly/2026-13.md", "daily/2026-02-30.md", "weekly/0000-W01.md"]
)
def test_a_period_that_does_not_exist_has_no_copies(make_place: MakePlace, name: str) -> None:
    place = make_place()
    place.write(f"memory/{name}", f"- {FACT}\n")
    place.write("memory/2026-03-03.md", f"- {FACT}\n")
    assert len(place.search("zebra harness depot").hits) == 2


def test_a_file_that_cannot_be_read_any_more_has_no_copies(place: SearchPlace) -> None:
    place.search("zebra")
    Path(place.folder, "memory/weekly/2026-W10.md").unlink()
    found = place.search("zebra harness lake depot")
    assert not any("2026-W10" in path for hit in found.hits for path in ladder_of(hit))
