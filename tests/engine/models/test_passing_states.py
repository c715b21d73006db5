"""What passes, told by its form in any language, and what looks like it and lasts."""

import pytest

from engine.models import passing_states
from engine.models.passing_states import is_passing
from tests.engine.models.notes import events, everything, summarise


@pytest.mark.parametrize(
    "text",
    [
        "9,138 tiles, 950 rooms",
        "Tests: 45/45 green",
        "Stand der Prüfungen: 12/40 bestanden",
        "Tests: api 46/46, web 157/157, contracts 102/102",
        "Fehler 3 Stück, Warnungen 12 Stück",
        "测试：通过 45 项，失败 2 项",
        "Coverage · 35%",
        "Gateway (18789): UP (restored)",
        "Queue server: listening ✅",
        "Store ✅ Queue ✅ Mail ✅",
        "Console · ✅ Working · fixed",
        "Letztes Update: 2026-03-12 10:00",
        "`7b900e7` 2026-03-16 Update the list of owners",
        "#41 · Links are checked · 0 · no change",
        "Night run at 17:07: exit=124",
        "ANP: no new commits since 2026-03-05",
        "未发现新 issue，状态无变化",
        "All services are running",
        "Estado: en curso",
        "Wartet noch; derzeit läuft nichts davon",
        "Linter · three files · ✅ closed",
        "Report written (this file)",
        "Phase 1, the coin from end to end in the test net: ⚠ ~92% (up from ~80% this morning after three commits)",
    ],
)
def test_counts_signs_and_results_of_one_run_pass(text: str) -> None:
    assert is_passing(text)


@pytest.mark.parametrize(
    "text",
    [
        "34 years, 174 cm",
        "Tick interval: 5 minutes, timeout 30 s",
        "keeper:8900, agent:8901, mail:9438",
        "The queue server listens on port 8847 and the mail server on 4042",
        "Version fixes: reader 0.2.2, writer 0.5.0",
        "Primary model: small, $0.6 and $2.5 for each million tokens",
        "Alert at 70 % of the disk, because the log doubles in one night",
        "Score <= 30%",
        "The loader copied 3 tables twice because nobody had checked the rows",
        "Reader in `src/read.py` ✅",
        "2026-07-18: the repository was set up",
        "Nobody may push to main without a review by two people",
    ],
)
def test_figures_of_things_that_last_stay(text: str) -> None:
    assert not is_passing(text)


def test_a_section_of_states_by_its_name_goes_where_there_is_another() -> None:
    for name in ("Files changed", "测试结果", "Estadísticas", "Git Status (at noon)", "Fleet status"):
        kept = "## Move\n- The store was moved to the new machine\n\n"
        state = f"## {name}\n- The reader of the store has one file more than before\n\n"
        assert everything(f"# Day\n\n{kept}{state}") == "Move: The store was moved to the new machine"
        assert not summarise(f"# Day\n\n{state}").is_empty


def test_totals_go_together_and_one_count_stays() -> None:
    totals = "## Session total\n- 25 commits were pushed\n- 12 stores populated with source\n- 3 lessons were filed\n"
    assert summarise(f"# Day\n\n{totals}").is_empty
    assert events("# Day\n\n## Move\n- 12 stores were moved\n- The old machine is switched off in May\n") == [
        "Move: 12 stores were moved; The old machine is switched off in May"
    ]


def test_a_section_that_mostly_says_states_goes_as_a_whole() -> None:
    states = "## Services at noon\n- Mail (8900): UP\n- Store (8901): UP\n- Queue: running since Monday\n\n"
    moved = "## Move\n- The store was moved to the new machine\n- 3/3 green\n"
    assert events(f"# Day\n\n{states}{moved}") == ["Move: The store was moved to the new machine"]
    assert "3 × state that passes" in " ".join(summarise(f"# Day\n\n{states}").dropped)


def test_four_words_a_count_are_little_else() -> None:
    assert [passing_states._counts("12 rooms, 9 tiles", words) for words in (8, 8.5)] == [True, False]
