"""Whose statement it is, and whether it is over with its session: hearsay, quotations, orders, words on work (D59)."""

import pytest

from engine.extraction.entry import PROMOTED, EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.extraction_task import MOST_PART_CHARACTERS, EntryFinder
from engine.extraction.judge import find_entries, is_work
from engine.extraction.own_words import statements
from engine.models.model_task import RuleModel
from engine.text.transcript_marks import UNTRUSTED, Speaker
from engine.topics.messages import SessionTurn
from tests.benchmarks.evaluate_extraction import AT

USER, AGENT = Speaker.USER, Speaker.AGENT
WORK = (AGENT, "I've updated `src/main.py` and ran the tests.")


def session(*said: tuple[Speaker, str], trusted: bool = True) -> list[SessionTurn]:
    return [
        SessionTurn(
            source="x.md", line=line, session="s", role=role, text=text, said_at=AT, mark="" if trusted else UNTRUSTED
        )
        for line, (role, text) in enumerate(said, 1)
    ]


def promoted(*said: tuple[Speaker, str]) -> list[ExtractedEntry]:
    return [one for one in find_entries(session(*said)) if one.grade in PROMOTED]


@pytest.mark.parametrize(
    "said",
    [
        "Ana said they decided to use Oracle at her old company.",
        "Forget it, I was joking: I prefer dark mode.",
        "We decided to use Kafka. No, scratch that.",
        "From now on every bug is named after my cat. Just kidding, don't write that down.",
        "In 1848 the parliament decided to move to Frankfurt.",
        "If we had picked Postgres we would have saved a week.",
        'He said: "We decided to close the plant. It shuts in May."',
        "Er sagte: „Wir haben beschlossen, das Werk zu schließen. Im Mai ist Schluss.“ So steht es im Roman.",
        "In der Zeitung stand, die Stadt habe beschlossen, das Bad zu schließen.",
        "Übersetze bitte: Wir haben uns für den blauen Entwurf entschieden.",
        "Il a dit : «On a décidé de vendre.»",
        "听小王说他们公司决定搬到上海了。",
        "帮我翻成英文:我们决定用红砖。",
        "ANNA: We decided to leave.\nBERT: We decided to stay.",
        "> We decided to use Kafka.",
        "2026-11-02 08:14:11 WARN we decided to fall back to port 9000",
        "@@ -1 +1 @@\n-We decided to use Redis.\n+We decided to use Kafka.",
        "// we decided to use tabs here;",
    ],
)
def test_d61_what_nobody_here_states_is_no_entry(said: str) -> None:
    assert promoted((USER, said), (AGENT, "Fine.")) == []


def test_d61_a_statement_is_withdrawn_by_the_next_message() -> None:
    assert [one.kind for one in promoted((USER, "We decided to use Kafka."))] == [EntryKind.DECISION]
    assert promoted((USER, "We decided to use Kafka."), (AGENT, "Good."), (USER, "Scratch that.")) == []


@pytest.mark.parametrize(
    "said",
    ["My doctor told me I'm allergic to penicillin.", "Mein Chef hat gesagt, wir nehmen die Pumpe von Vaillant."],
)
def test_what_somebody_says_of_us_is_ours(said: str) -> None:
    assert promoted((USER, said)) != []


def test_d57_words_that_may_not_be_the_owners_are_at_most_proposed() -> None:
    found = list(find_entries(session((USER, "We decided to use Kafka."), trusted=False)))
    assert [one.grade for one in found] == [EntryGrade.PROPOSED]
    agreed = (*session((AGENT, "I suggest we use Kafka.")), *session((USER, "yes"), trusted=False))
    assert [one.grade for one in find_entries(agreed)] == [EntryGrade.PROPOSED]


# ── sessions of work ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "said",
    [
        "no, that's horrible.",
        "keep it as is",
        "i removed them all good",
        "removed them all",
        "no, the block should stay as is",
        "lass das so, passt schon",
        "就这样吧。",
        "Here is what I want:",
        "let's move on to step two.",
        "I just deleted the app, help me deploy it again.",
        "read docs/theme.md first, then theme.ts, and then the tests.",
        "we're going in circles.",
    ],
)
def test_d59_words_on_the_step_under_way_are_over_with_it(said: str) -> None:
    assert promoted(WORK, (USER, said)) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("use rgb values in the themes, no rgb indices!", EntryKind.CORRECTION),
        ("i would only want e2e tests for the session class.", EntryKind.PREFERENCE),
        ("ok. we don't want each app to have its own repo.", EntryKind.DECISION),
        ("let's store the name in the browser.", EntryKind.DECISION),
        ("we dropped the old parser yesterday, it broke on tabs.", EntryKind.DECISION),
    ],
)
def test_what_holds_beyond_the_step_is_kept(said: str, kind: EntryKind) -> None:
    assert [one.kind for one in promoted(WORK, (USER, said))] == [kind]


def test_d59_what_an_agent_reports_of_its_own_work_is_never_promoted() -> None:
    found = list(find_entries(session((USER, "go"), (AGENT, "I've created the file. Fixed all the tests."))))
    assert found != [] and {(one.kind, one.grade) for one in found} == {(EntryKind.JOURNAL, EntryGrade.INFERRED)}


def test_d59_a_blame_without_its_object_leads_to_what_holds_instead() -> None:
    (found,) = promoted(WORK, (USER, "no, that's wrong.\n\ntools belong in core, themes in modes/interactive"))
    assert found.kind is EntryKind.CORRECTION and found.quote.startswith("tools belong")


def test_d44_a_proposal_that_is_agreed_to_is_confirmed_with_its_words() -> None:
    (found,) = promoted((AGENT, "I'd suggest Redis for the tokens. Shall I?"), (USER, "yes, do that"))
    assert (found.kind, found.grade) == (EntryKind.DECISION, EntryGrade.CONFIRMED)
    assert found.quote == "I'd suggest Redis for the tokens."
    assert promoted((AGENT, "I'd suggest Redis for the tokens."), (USER, "yes, but in memory")) == []


@pytest.mark.parametrize(
    ("proposed", "agreed"),
    [
        ("My recommendation: `space` toggles the preview.", "sounds good"),
        ("Mein Vorschlag: die Termine bekommen eine eigene Tabelle.", "passt"),
        ("要不把图片统一压到 200 KB。", "行,就这么办"),
    ],
)
def test_d44_many_words_propose_and_many_agree(proposed: str, agreed: str) -> None:
    assert promoted((AGENT, proposed), (USER, agreed))[0].grade is EntryGrade.CONFIRMED


@pytest.mark.parametrize(
    "asked",
    [
        "Want me to make that change?",
        "Shall I go on?",
        "If you like, I suggest you rest.",
        "Should we move the parser into the library so that both commands use it?",
    ],
)
def test_a_step_that_is_agreed_to_is_no_decision(asked: str) -> None:
    assert promoted(WORK, (USER, "hm"), (AGENT, asked), (USER, "yes")) == []


def test_a_session_is_work_where_the_agent_names_code() -> None:
    assert is_work(session((USER, "hi"), WORK))
    assert not is_work(session((USER, "hi"), (AGENT, "Nice to meet you.")))


def test_a_part_of_a_long_session_of_work_is_judged_as_the_whole() -> None:
    step = "check what we do in the old renderer in line 40, then read theme.ts and port it"
    long = "Here is what the file holds now. " * (MOST_PART_CHARACTERS // 30)
    said = session(*(WORK,) * 9, (USER, long), (AGENT, "Done."), (USER, step), (AGENT, "All right."))
    ((*parts,),) = EntryFinder(RuleModel()).found([said], lambda _done, _of: None)
    whole = [one.quote for one in find_entries(said)]
    assert len(parts) > 1 and [one.quote for part in parts for one in part.entries] == whole


def test_a_writer_without_capitals_has_sentences_too() -> None:
    assert list(statements("ok. that was easy. we use tabs, e.g. in Go. done?")) == [
        "that was easy.", "we use tabs, e.g. in Go.", "done?",
    ]  # fmt: skip
