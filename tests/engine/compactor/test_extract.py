"""From an old episodic file to candidate entries, offline (compactor §Extract to Semantic, decision G9)."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.compactor.extraction.candidates import extract
from engine.compactor.extraction.entry_title import MOST_WORDS, entry_title
from engine.compactor.extraction.found import MOST_ENTRIES
from engine.compactor.extraction.sections import EpisodicNote, read_note
from engine.compactor.extraction.situation import WholeNote
from engine.compactor.semantic.entry import read_entries, render
from engine.models.summary import Point
from engine.workspace.values import LineSpan
from tests.engine.compactor.workspace import Workspace, episodic

PATH = "memory/episodic/x.md"
DAY = date(2026, 1, 5)


def note(insights: list[str], decisions: list[str] | None = None, summary: list[str] | None = None) -> EpisodicNote:
    def points(texts: list[str], first: int) -> tuple[Point, ...]:
        return tuple(Point(text, first + n, first + n) for n, text in enumerate(texts))

    return EpisodicNote(
        summary=points(summary or [], 10),
        decisions=points(decisions or [], 20),
        insights=points(insights, 30),
        sections=True,
    )


def test_an_insight_becomes_an_entry_of_real_sentences() -> None:
    found = extract(
        PATH,
        note(
            ["Always drain the queue before a migration, or jobs are lost."],
            ["We drain the queue in the deploy script before each migration."],
            ["The migration of March lost four jobs."],
        ),
        DAY,
    )
    (candidate,) = found.candidates
    assert render(candidate.entry) == (
        "Title: Queue before a migration\n"
        "Durable Insight: Always drain the queue before a migration, or jobs are lost.\n"
        "Operational Impact: We drain the queue in the deploy script before each migration.\n"
        "<!--260105:30-->\n"
    )
    assert candidate.sources == (LineSpan(PATH, 20, 20), LineSpan(PATH, 30, 30))


def test_without_insights_a_decision_that_gives_its_reason_is_one() -> None:
    found = extract(PATH, note([], ["We keep nightly exports.", "We moved the export because it met the import."]), DAY)
    assert [c.entry.insight for c in found.candidates] == ["We moved the export because it met the import."]


def test_with_insights_decisions_stay_decisions() -> None:
    found = extract(PATH, note(["Exports must never meet imports at night."], ["We moved it because of that."]), DAY)
    assert len(found.candidates) == 1


def test_a_file_without_anything_durable_has_no_entries() -> None:
    assert extract(PATH, note([], ["We keep nightly exports."], ["It shipped."]), DAY).candidates == ()


def test_fragments_and_questions_are_refused_by_name() -> None:
    found = extract(PATH, note(["Drain.", "Do we need to drain the queue first?"]), DAY)
    assert [str(refusal) for refusal in found.refused] == [
        f"{PATH}:30: fragment",
        f"{PATH}:31: conversational fragment",
    ]


def test_one_file_gives_three_entries_at_most_and_names_the_rest() -> None:
    insights = [f"Rule number {n} is to always check the backups" for n in range(5)]
    found = extract(PATH, note(insights), DAY)
    assert [c.entry.insight for c in found.candidates] == insights[:MOST_ENTRIES]
    assert [refusal.span.start for refusal in found.refused] == [33, 34]


def test_the_same_insight_twice_is_one_entry() -> None:
    assert (
        len(extract(PATH, note(["Always check the backups first", "always check the BACKUPS first"]), DAY).candidates)
        == 1
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Brokers\n\n## Lessons\n- Drain first.\n", "Brokers – queue"),
        ("## Lessons\n- Drain first.\n", "Drain the queue first"),
    ],
)
def test_a29_the_heading_above_the_sentence_names_the_subject_and_nothing_is_the_context(text: str, title: str) -> None:
    (candidate,) = extract(PATH, read_note(text.replace("first.", "the queue first.")), DAY).candidates
    assert (candidate.entry.title, candidate.entry.context) == (title, "")


@pytest.mark.parametrize(
    ("sentence", "heading", "title"),
    [
        ("Don't send messages to Ana unless urgent", "Night Mode (23:00-08:00 UTC)", "Night Mode – messages to Ana"),
        ("Template spam is poison: identical posts damaged credibility", "", "Template spam – damaged credibility"),
        ("NAME_REGISTRY prevents naming drift", "2. Names", "Names – naming drift"),
        ("Don't exit puts solely because the catalyst fades, check the trend", "", "Exit puts"),
        ("I am a vegetarian", "", "User – vegetarian"),
        ("A2A 特性迭代基本停滞，TSC 进入维护模式。", "", "A2A 特性迭代基本停滞"),
    ],
)
def test_a29_a_title_names_the_subject_and_is_no_cut_of_the_insight(sentence: str, heading: str, title: str) -> None:
    assert entry_title([sentence], heading) == title


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200).filter(lambda t: t.strip()))
def test_a29_a_title_is_never_empty_and_its_words_are_whole(sentence: str) -> None:
    title = entry_title([sentence])
    assert title.strip() and "\n" not in title
    assert len(title.split()) <= MOST_WORDS + 1 or title == sentence.strip()


@given(st.lists(st.text(max_size=120), max_size=4), st.lists(st.text(max_size=120), max_size=4))
def test_whatever_a_file_holds_its_entries_meet_the_schema(insights: list[str], others: list[str]) -> None:
    for candidate in extract(PATH, note(insights, others, others), DAY).candidates:
        assert read_entries(render(candidate.entry))[1] == ()


def test_g9_a_file_without_our_sections_is_read_through_the_summariser() -> None:
    text = "# Retro\n\nThe migration lost four jobs.\nLesson: always drain the queue before a migration.\n"
    plan = Workspace({"memory/episodic/2026-01-20-retro.md": text}).planned()
    assert "Durable Insight: always drain the queue before a migration." in plan.changes[0].content  # type: ignore[union-attr]
    assert plan.model is not None
    assert plan.model.name == "extractive"
    assert str(plan.changes[0].sources[-1]) == "memory/episodic/2026-01-20-retro.md:4-4"


def test_nothing_notable_means_the_file_is_only_archived() -> None:
    plan = Workspace({"memory/episodic/old.md": episodic(40, [], ["We waited."], ["It shipped."])}).planned()
    assert [(change.path, change.risk_tier) for change in plan.changes] == [("memory/episodic/old.md", "B")]
    assert plan.changes[0].reason == "40 days old; no durable insight in it"


@pytest.mark.parametrize(
    ("sentence", "rule"),
    [
        ("Drain it", "fragment"),
        ("By the way, the queue drains slowly", "leans on what was said before"),
        ("They always keep the queue short", "leans on what was said before"),
        ("It only works with a lock", "leans on what was said before"),
        ("但是队列必须先清空", "leans on what was said before"),
        ("I'm excited to try out the new queue", "a passing event or mood"),
        ("I just drained the queue of the shop", "a passing event or mood"),
        ("We drained the queue last weekend", "a passing event or mood"),
        ("The cake turned out really well", "a passing event or mood"),
        ("Next time, I'll make a dinner for my friends", "a passing event or mood"),
        ("I will always be grateful for the turntables", "a passing event or mood"),
        ("Let's chat again next time", "said to somebody"),
        ("Your company made the evening, see you on Monday", "said to somebody"),
        ("我们下次再聊吧，时间不早了", "said to somebody"),
        ("如果你有机会，一定要走一走", "said to somebody"),
        ("是啊，可以给朋友们做一顿寿司晚餐", "leans on what was said before"),
    ],
)
def test_what_a_program_chose_must_stand_by_itself(sentence: str, rule: str) -> None:
    found = extract(PATH, note([sentence]), DAY, chosen=False)
    assert found.candidates == ()
    assert [refusal.rule for refusal in found.refused] == [rule]


@pytest.mark.parametrize(
    "sentence",
    [
        "It is important to drain the queue first",
        "I prefer flat routes with scenic views",
        "I'd never deploy on a Friday",
        "I will always pin the image by its digest",
        "Caching reduces latency",
        "We realized that the lock was never released",
        "队列必须先清空才能迁移",
        "항상 큐를 비워야 한다",
    ],
)
def test_lasting_sentences_pass(sentence: str) -> None:
    assert len(extract(PATH, note([sentence]), DAY, chosen=False).candidates) == 1


def test_a_person_may_write_any_of_these() -> None:
    text = episodic(40, ["This needs two people"]).replace("summary: extractive\n", "")
    assert "Durable Insight: This needs two people" in Workspace({PATH: text}).planned().changes[0].content  # type: ignore[union-attr]
    assert len(Workspace({PATH: episodic(40, ["This needs two people"])}).planned().changes) == 1


def test_a29_the_context_is_the_summary_point_that_gives_the_reason() -> None:
    points = ["We bought chairs.", "The weather was fine.", "The queue was not drained because of the move.", "Lunch."]
    found = extract(PATH, note(["Always see the queue drained first"], [], points), DAY)
    assert found.candidates[0].entry.context == points[2]
    for insight in ("Never trust a green build", "Always see the queue drained first, because it loses jobs"):
        assert extract(PATH, note([insight], [], points), DAY).candidates[0].entry.context == ""


@pytest.mark.parametrize(
    ("sentence", "title"),
    [
        ("Always drain queues before any migration, or jobs are lost", "Queues before any migration"),
        ("Email needs the exact TLS config for IONOS", "Exact TLS config for IONOS"),
        ("Jesse hates nano", "Jesse – nano"),
    ],
)
def test_a29_two_phrases_that_a_preposition_joins_are_one_subject(sentence: str, title: str) -> None:
    assert entry_title([sentence]) == title


def test_a_heading_in_front_of_a_sentence_names_the_entry_and_is_not_said_twice() -> None:
    whole = WholeNote("x.md", (), (1,), ("## Bootstrap Complete",))
    told = read_note("## Extracted Insights\n- Bootstrap Complete: Never send mail without asking Roger\n")
    (candidate,) = extract(PATH, told, DAY, whole=whole).candidates
    assert candidate.entry.insight == "Never send mail without asking Roger"
    assert candidate.entry.title.startswith("Bootstrap Complete – ")
