"""The figure of what survives through journals: rivals get the same room, and lose where facts are stated (§8.4)."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tree.browse.drill import stems
from tests.benchmarks.evaluate_condense import (
    RIVALS,
    Day,
    extracted_only,
    fitting,
    of_labelled_turns,
    random_lines,
    rows,
)
from tests.benchmarks.evaluate_tree import stated
from tests.benchmarks.tree_cases import Question

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=60)


@given(st.lists(TEXT, max_size=8), st.integers(0, 300))
def test_a_rival_never_gets_more_room_than_the_journal(lines: list[str], room: int) -> None:
    kept = fitting(lines, room)
    assert sum(len(line.encode()) + 3 for line in kept) <= room
    assert all(line.startswith(one) for line, one in zip(lines, kept, strict=False) if one == one.lstrip())


def test_every_day_has_a_journal_of_its_own_sentences_within_the_room_of_a_day() -> None:
    days, facts = of_labelled_turns(seen=False)
    assert len(days) >= 2 and len(facts) >= 100
    for day in days.values():
        said = " ".join(turn.text for session in day.sessions for turn in session)
        words = frozenset(stems(said))
        assert 0 < day.size <= 2_048
        assert all(frozenset(stems(row)) <= words for row in day.journal)
        for rival in RIVALS.values():
            assert Day((), tuple(fitting(rival(day), day.size))).size <= day.size


def test_what_a_journal_keeps_of_labelled_turns_is_more_than_chance() -> None:
    days, facts = of_labelled_turns(seen=False)

    def share(lines: dict[date, list[str]]) -> float:
        pairs: list[tuple[list[str], Question]] = [(lines[min(one.days)], one) for one in facts]
        return sum(stated(pairs, None)) / len(facts)

    ours = share({day: list(one.journal) for day, one in days.items()})
    chance = share({day: fitting(random_lines(one), one.size) for day, one in days.items()})
    rules = share({day: fitting(extracted_only(one), one.size) for day, one in days.items()})
    assert ours > chance and rules > chance


@pytest.mark.sampled(3)
def test_the_rows_name_every_rival_with_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.benchmarks.evaluate_condense.SHARED", Path("/nowhere"))
    made = list(rows())
    labels = [label.strip() for label, _, _ in made]
    assert labels.count("first sentences") == 2 and set(RIVALS) <= set(labels)
    assert all(" to " in said for label, _, said in made if label.strip() in RIVALS)
