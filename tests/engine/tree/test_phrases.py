"""Phrases: the clause that states something, telegram style, the things of a day, and what says the same."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.tokens import counter
from engine.tree.levels import NodeLevel
from engine.tree.nodes.kept_or_left_out import kept_by_type, pointers_once
from engine.tree.nodes.node_summary import node_summary
from engine.tree.nodes.phrases import names_nothing, telegram, telling_clause
from engine.tree.nodes.things import things
from engine.tree.nodes.topic_groups import Told, statements
from tests.engine.tree.test_node_summary import read

TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=400)


@pytest.mark.parametrize(
    ("sentence", "phrase"),
    [
        (
            "By the way, I graduated with a degree in Business Administration.",
            "graduated with degree in Business Administration",
        ),
        ("I've been using the Sibley Guide to Birds lately, and it's great", "using Sibley Guide to Birds"),
        ("outcome: accepted at 15:20", "accepted at 15:20"),
        ("Today is Sunday and the shop stays shut", "Today is Sunday and shop stays shut"),
        ("Ich habe die Datenbank nach Postgres umgezogen", "die Datenbank nach Postgres umgezogen"),
        ("Petra erinnert an die Inventur", "Petra erinnert an die Inventur"),
        ("If the disk is full, delete the old logs", "If disk is full, delete old logs"),
        ("never deploy on a Friday", "never deploy on Friday"),
        ("keep both secrets for an hour after a rotation", "keep both secrets for an hour after rotation"),
        ("Mirembe reads along for a week", "Mirembe reads along for a week"),
        ("Since I graduated in May 2012, I think I can apply", "graduated in May 2012"),
        ("I've been using the cashback app Ibotta for a while now, and it helps", "using cashback app Ibotta now"),
        (
            (
                "I recently attended a panel discussion on documentary filmmaking at Sundance and got"
                " really interested in the subject."
            ),
            "attended panel discussion on documentary filmmaking at Sundance",
        ),
        ("我决定每周三晚上去河边长跑", "我决定每周三晚上去河边长跑"),
        ("毎朝六時に起きて走ることにした", "毎朝六時に起きて走ることにした"),
        ("매주 수요일 저녁에 달리기로 했다", "매주 수요일 저녁에 달리기로 했다"),
    ],
)
def test_telegram_style_keeps_what_is_said_in_its_order(sentence: str, phrase: str) -> None:
    assert telegram(telling_clause(sentence, 16).text) == phrase


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("If the disk is full, delete the old logs of the bot and of the shop tonight", "If the disk is full"),
        ("I keep the 3 bikes of Rose, unless the dealer lied about all of it, which he does", "unless the dealer lied"),
    ],
)
def test_no_clause_loses_its_condition(sentence: str, part: str) -> None:
    assert part in telling_clause(sentence, 14).text


@given(TEXT, st.integers(4, 40))
def test_a_clause_is_as_long_as_asked_for_and_its_words_stand_in_the_sentence(sentence: str, most: int) -> None:
    found = telling_clause(sentence, most)
    assert len(found.text) <= max(len(sentence), 1)
    assert all(word in sentence for word in found.text.split())


@given(TEXT)
def test_telegram_style_only_leaves_words_out(text: str) -> None:
    assert len(telegram(text)) <= len(text) + 1
    assert all(word in text for word in telegram(text).split())


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["- Depot API v2 is live", "- the Depot API v2 broke"], ["Depot API v2"]),
        (["bot quiet for four minutes, back by itself"], []),
        (["set `QUEUE_BATCH` to 500"], ["QUEUE_BATCH"]),
        (["我在读《三体》", "《三体》很好看"], ["三体"]),
        (["hyperparameter tuning takes long", "more hyperparameter tuning"], ["hyperparameter tuning"]),
        (["Thanks! Yes, that is good. OK."], []),
    ],
)
def test_things_are_names_identifiers_titles_and_pairs_that_come_again(lines: list[str], found: list[str]) -> None:
    assert things(lines) == found


@given(st.lists(TEXT, max_size=6))
def test_things_stand_in_the_text(lines: list[str]) -> None:
    assert all(name in "\n".join(lines) for name in things(lines))


def test_near_equal_rules_are_one_and_rules_of_other_numbers_are_not() -> None:
    days = [date(2026, 3, n) for n in range(1, 6)]
    said = ["no deploys after noon, see OPS-1", "no deploys after noon, see OPS-2", "keep 3 copies", "keep 4 copies"]
    found = statements(zip(said, days, strict=False))
    assert [str(one) for one in found] == [
        "no deploys after noon, see OPS-2 (said on 2026-03-01, 2026-03-02)",
        "keep 3 copies",
        "keep 4 copies",
    ]
    again = statements([(str(found[0]), days[1]), ("no deploys after noon, see OPS-9", days[4])])
    assert [one.days for one in again] == [(days[0], days[1], days[4])]


def test_what_was_told_is_not_told_again_in_nearly_the_same_words() -> None:
    told = Told()
    assert told.take("moved the billing database to Postgres")
    assert not told.take("the billing database was moved to Postgres")
    assert told.take("moved the billing database to Oracle on a Sunday")
    assert told.take("never moved the billing database to Postgres")


def test_of_a_reference_its_url_and_one_line_are_kept() -> None:
    lines = ["- https://docs.example.org/x the manual", "- much else to read here"]
    assert kept_by_type("reference", lines) == "https://docs.example.org/x the manual"
    assert (
        kept_by_type("reference", ["- the manual", "- https://docs.example.org/x"])
        == "https://docs.example.org/x the manual"
    )
    assert kept_by_type("project", lines) == ""
    assert pointers_once([]) == ""


@pytest.mark.parametrize(
    "text", ["She said it works", "Sie sagte, es geht", "他说可以用", "I finally managed to do that last Thursday"]
)
def test_c30_a_line_that_says_neither_who_nor_what_is_in_no_node(text: str) -> None:
    assert names_nothing(text)
    log = "\n".join(f"- {line}" for line in (text, "Jonas moved the backup to S3", "the mill has a new miller"))
    made = node_summary(NodeLevel.DAILY, [read(log)], counter("words*1.3"))
    said = "\n".join(line.text for line in made.lines)
    assert text not in said and "Jonas moved the backup to S3" in said
    assert "1 × sentence that says neither who nor what" in made.dropped
    headed = node_summary(NodeLevel.DAILY, [read(f"## Backup [project]\n- {text}\n")], counter("words*1.3"))
    assert any(text.removesuffix(" last Thursday") in line.text and "Backup" in line.text for line in headed.lines)


@pytest.mark.parametrize(
    "text",
    ["Jonas said it works", "it works with Redis", "p95 is 200 ms", "No deploys after noon", "他说东京塔今天晚上关门"],
)
def test_a_line_with_a_name_a_thing_or_a_figure_stays(text: str) -> None:
    assert not names_nothing(text)
