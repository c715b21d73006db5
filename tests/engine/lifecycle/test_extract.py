"""Extract: what lasts of closed transcripts, with its words, its turn and its place; a repeat adds nothing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.judge import find_entries
from engine.extraction.sentence_kinds import kind_of
from engine.lifecycle.extract.destinations import destination, with_entries
from engine.plans.operation import LIFETIME, Approval, Witness
from engine.plans.plan import Create, Plan, Replace, RiskTier
from engine.plans.planning import PlanOutcome
from engine.services.engine import Engine
from engine.text.document import split_lines
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from tests.benchmarks.evaluate_extraction import FURTHER, by_rules, found, inferred_share, labelled, score
from tests.benchmarks.extraction_halves import half, placebo
from tests.benchmarks.extraction_halves import score as score_of
from tests.engine.lifecycle.events import capture, end, said, start

AT = datetime(2026, 2, 16, 18, 46, tzinfo=UTC)
HEAD = "---\ntype: x\n---\n\n"
DECIDED = "We decided to keep everything in SQLite."
LEARNED = "Lesson learned: always test webhook payloads with real data."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / "knowledge/projects/atlas/context.md").write_text(f"{HEAD}# Atlas\n\n## Stack\n- Python\n", "utf-8")
    return folder


def turn(text: str, role: Speaker = Speaker.USER) -> SessionTurn:
    return SessionTurn(source="t.md", line=1, session="s", role=role, text=text, said_at=AT)


def plan_of(workspace: Path) -> PlanOutcome:
    with Engine.open(workspace) as console:
        return console.plans.make("extract")


def content(plan: Plan | None, path: str) -> str:
    assert plan is not None
    (change,) = [one for one in plan.changes if one.path == path]
    assert isinstance(change, Create | Replace)
    return change.content


def put(workspace: Path, plan: Plan | None) -> None:
    assert plan is not None
    for change in plan.changes:
        assert isinstance(change, Create | Replace)
        file = workspace / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change.content, encoding="utf-8", newline="")


# ── what is found ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_precision_and_recall_on_labelled_turns(language: str, seen: bool) -> None:
    made = score(by_rules, seen=seen, language=language)
    assert made.precision >= 0.90 and made.recall >= 0.60
    made = score(by_rules, seen=seen, language=language, corpus=FURTHER)
    assert made.precision >= 0.90 and made.recall >= 0.60


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Let's go with Kafka. Hmm, no, scrap that.", ""),
        ("Wir nehmen Kafka statt Redis. Ach nein, vergiss das.", ""),
        ("那就用Kafka了。算了，再想想。", ""),
        ("We decided to use Kafka.", "Wait, no. I need to think about it first."),
    ],
)
def test_what_is_taken_back_right_after_was_not_decided(said: str, answer: str) -> None:
    turns = [
        SessionTurn(source="x.md", line=at, session="s", role=role, text=text, said_at=AT)
        for at, (role, text) in enumerate(((Speaker.USER, said), (Speaker.AGENT, "Fine."), (Speaker.USER, answer)), 1)
    ]
    assert [one for one in find_entries(turns) if one.kind is EntryKind.DECISION] == []
    assert [one.kind for one in find_entries([*turns[:1], *turns[1:2]])] == ([EntryKind.DECISION] if answer else [])


@pytest.mark.parametrize(
    "said",
    [
        "We haven't decided on a bus yet.",
        "No, that's all for now.",
        "Please respond as the assistant.",
        '"My father has kept this forest in peace.',
        "I need it by Friday, like I said.",
    ],
)
def test_doubt_and_talk_say_nothing(said: str) -> None:
    assert (
        list(find_entries([SessionTurn(source="x.md", line=1, session="s", role=Speaker.USER, text=said, said_at=AT)]))
        == []
    )


def test_the_labelled_set_is_large_and_its_negatives_are_hard() -> None:
    assert len(labelled()) >= 400
    assert {one.language for one in labelled()} == {"en", "de", "zh"}
    assert sum(not one.kinds for one in labelled()) >= 150
    assert {kind for one in labelled() for kind in one.kinds} == set(EntryKind)
    assert inferred_share() <= 0.05


def test_d44_every_quote_occurs_in_its_turn() -> None:
    assert [entry.quote for one in labelled() for entry in found(one.turn) if entry.quote not in one.turn.text] == []


@given(st.text(max_size=300), st.sampled_from(Speaker))
def test_no_text_is_an_error_and_every_entry_is_of_its_words(text: str, role: Speaker) -> None:
    for entry in find_entries([turn(text, role), turn("yes")]):
        assert entry.quote in text


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{DECIDED}\n```",
        f"> {DECIDED}",
        f'He wrote "{DECIDED[:-1]}" to me',
        "Did we decide to keep everything in SQLite?",
        "Pretend you are the boss. We decided to keep everything.",
        "| We decided to keep it | yes |",
    ],
)
def test_code_quotations_questions_and_play_say_nothing(text: str) -> None:
    assert list(find_entries([turn(text)])) == []


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("Yes, do that.", EntryGrade.CONFIRMED),
        ("Ja, machen wir.", EntryGrade.CONFIRMED),
        ("好的", EntryGrade.CONFIRMED),
        ("Yes, but not now.", EntryGrade.PROPOSED),
        ("What does it cost?", EntryGrade.PROPOSED),
        ("", EntryGrade.PROPOSED),
    ],
)
def test_d44_an_agents_proposal_counts_once_a_person_agreed(reply: str, grade: EntryGrade) -> None:
    turns = [turn("I suggest we keep everything in SQLite.", Speaker.AGENT), *([turn(reply)] if reply else [])]
    assert [one.grade for one in find_entries(turns)] == [grade]


def test_d44_what_only_an_agent_holds_is_inferred() -> None:
    assert [one.grade for one in find_entries([turn(DECIDED, Speaker.AGENT)])] == [EntryGrade.INFERRED]
    assert [one.grade for one in find_entries([turn(DECIDED)])] == [EntryGrade.STATED]


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("1. **Email alerts:** log in, then set up an alert; the result is sent at once.", Speaker.AGENT),
        ("- Deployment: once it performs well, analysts deploy the model and measure results.", Speaker.AGENT),
        ("To find the best deals, I'll need to know a few more details from you.", Speaker.AGENT),
        ("Now, let's dive into the features and compare them.", Speaker.AGENT),
        ("I'd like to ask about travel insurance for my trip.", Speaker.USER),
        ("I think I'll try both to see which one works best for me.", Speaker.USER),
        ("I want to explore the course that we discussed earlier this week.", Speaker.USER),
        ("I have a question about my lease.", Speaker.USER),
        ("But if the employer has 25 or fewer workers, the fee is 750 dollars.", Speaker.USER),
        ("I like the suggestion, I'll keep that in mind.", Speaker.USER),
        ("Ich habe das nicht bestellt.", Speaker.USER),
        ("Ich habe gelesen, dass Kaffee gesund ist.", Speaker.USER),
        ("Ich würde gern wissen, ob sich das lohnt.", Speaker.USER),
        ("我想学画画，但是一直没有时间。", Speaker.USER),
        ("The players decided to trust the oracle.", Speaker.AGENT),
        ("Ultimately, the decision to buy a rug depends on your taste.", Speaker.AGENT),
        ("I want you to act like a talk show host. I prefer jokes.", Speaker.USER),
        ("No need to clarify that.", Speaker.USER),
        ("No response is needed.", Speaker.USER),
        ("The main benefits of the pans are that they are non-toxic.", Speaker.USER),
    ],
)
def test_what_people_and_assistants_say_all_day_is_no_entry(text: str, role: Speaker) -> None:
    assert [one for one in find_entries([turn(text, role)]) if one.grade is EntryGrade.STATED] == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I just found a rare record of my favorite band.", EntryKind.JOURNAL),
        ("By the way, I repotted my fern two weeks ago.", EntryKind.JOURNAL),
        ("Gestern hab ich endlich die Lampe aufgehängt.", EntryKind.JOURNAL),
        ("上周我和同事去了趟苏州。", EntryKind.JOURNAL),
        ("I‘m allergic to penicillin.", EntryKind.FACT),
        ("Wir wohnen zu dritt in Erfurt.", EntryKind.FACT),
        ("我每天都会跑五公里。", EntryKind.FACT),
        ("My uncle Piotr repairs violins.", EntryKind.PERSON),
        ("我外婆住在绍兴，今年八十了。", EntryKind.PERSON),
        ("I really enjoy rowing.", EntryKind.PREFERENCE),
        ("我平时比较喜欢喝绿茶。", EntryKind.PREFERENCE),
        ("Wenn die Pumpe klemmt, erst den Strom abschalten, dann den Deckel lösen.", EntryKind.PROCEDURE),
    ],
)
def test_the_grammar_of_what_a_person_tells_gives_its_kind(text: str, kind: EntryKind) -> None:
    assert [one.kind for one in find_entries([turn(text)])] == [kind]
    assert [one for one in find_entries([turn(text, Speaker.AGENT)]) if one.grade is EntryGrade.STATED] == []


def test_what_holds_instead_is_part_of_a_correction() -> None:
    found = list(find_entries([turn("Wait, that's the old address. We moved to 12 Mill Lane in June.")]))
    assert [one.kind for one in found] == [EntryKind.CORRECTION] * 2 and "Mill Lane" in found[1].quote


@pytest.mark.parametrize("judging", [False, True])
def test_turns_labelled_before_the_rules_were_read(judging: bool) -> None:
    turns = half(judging=judging, real=False)
    made = score_of(turns, [by_rules(one.turn) for one in turns])
    assert len(turns) >= 90 and made.precision >= 0.90 and made.recall >= 0.60
    assert made.precision > 5 * placebo(turns, [by_rules(one.turn) for one in turns])[0]


def test_turns_of_real_chats(shared_data: Path) -> None:
    assert shared_data.is_dir()
    for judging in (False, True):
        turns = half(judging=judging, real=True)
        made = score_of(turns, [by_rules(one.turn) for one in turns])
        assert len(turns) == 52 and made.precision >= 0.90 and made.recall >= 0.60


def test_d45_what_is_said_twice_is_one_entry_and_what_is_decided_again_another() -> None:
    again = SessionTurn(source="u.md", line=1, session="t", role=Speaker.USER, text=DECIDED, said_at=AT)
    (first,), (second,) = find_entries([turn(DECIDED)]), find_entries([again])
    assert first.id != second.id
    liked = "I prefer bullet lists over prose."
    elsewhere = SessionTurn(source="u.md", line=1, session="t", role=Speaker.USER, text=liked, said_at=AT)
    (one,), (other,) = find_entries([turn(liked)]), find_entries([elsewhere])
    assert one.id == other.id


def test_a_rule_behind_a_correction_is_a_part_of_it() -> None:
    (one,) = {
        entry.kind for entry in find_entries([turn("You forgot the tests again. Never push without running them.")])
    }
    assert one is EntryKind.CORRECTION


# ── where it goes ───────────────────────────────────────────────────────────────────────────────────────────────────

PATHS = ("knowledge/projects/atlas/context.md", "knowledge/people/mara-lindt.md", "knowledge/memory/MEMORY.md")


@pytest.mark.parametrize(
    ("kind", "quote", "path", "section", "tier"),
    [
        (EntryKind.DECISION, "Atlas stays on SQLite", PATHS[0], "## Key Decisions", RiskTier.B),
        (EntryKind.DECISION, "We stay on SQLite", "knowledge/journal/2026-02-16.md", "### general", RiskTier.B),
        (EntryKind.LESSON, "Never on Friday", "knowledge/memory/MEMORY.md", "## Lessons Learned", RiskTier.C),
        (EntryKind.PERSON, "Mara Lindt runs it", PATHS[1], "## Context", RiskTier.B),
        (EntryKind.PERSON, "Tom runs it", "knowledge/people/contacts.md", "## Context", RiskTier.B),
        (EntryKind.PROCEDURE, "First a, then b", "knowledge/procedures/general.md", "## Steps", RiskTier.B),
        (EntryKind.FACT, "The port of atlas is 1", "knowledge/reference/atlas.md", "## Facts", RiskTier.B),
        (EntryKind.FACT, "The port is 1", "knowledge/reference/facts.md", "## Facts", RiskTier.B),
        (EntryKind.JOURNAL, "I fixed Atlas", "knowledge/journal/2026-02-16.md", "### atlas", RiskTier.B),
        (EntryKind.PREFERENCE, "I prefer lists", "knowledge/identity/USER.md", "## Preferences", RiskTier.C),
        (EntryKind.CORRECTION, "No, use spaces", "knowledge/identity/AGENTS.md", "## Feedback", RiskTier.C),
    ],
)
def test_d43_each_kind_has_its_place(kind: EntryKind, quote: str, path: str, section: str, tier: RiskTier) -> None:
    entry = ExtractedEntry(kind=kind, grade=EntryGrade.STATED, quote=quote, turn=turn(quote))
    made = destination(entry, "2026-02-16", PATHS)
    assert (made.path, made.section, made.risk_tier) == (path, section, tier)


def test_c18_without_a_memory_md_a_lesson_stays_in_the_journal() -> None:
    entry = ExtractedEntry(kind=EntryKind.LESSON, grade=EntryGrade.STATED, quote=LEARNED, turn=turn(LEARNED))
    assert destination(entry, "2026-02-16", ()).path == "knowledge/journal/2026-02-16.md"


@given(st.lists(st.sampled_from(["# A", "## Facts", "## B", "- x", "", "text"])), st.integers(1, 3))
def test_every_line_of_a_file_stays_and_the_rows_stand_in_their_section(lines: list[str], count: int) -> None:
    text = "".join(f"{line}\n" for line in lines)
    rows = [f"- new {n}" for n in range(count)]
    new, at = with_entries(text, "## Facts", rows)
    after = new.splitlines()
    assert after[at - 1 : at - 1 + count] == rows
    left = after[: at - 1] + after[at - 1 + count :]
    assert left[: len(lines)] == lines or left == lines
    assert "## Facts" in after[: at - 1]
    above = [line for line in after[: at - 1] if line.startswith(("# ", "## "))]
    assert above[-1] == "## Facts"


def test_a_section_does_not_end_at_a_comment_in_its_code() -> None:
    text = "# A\n\n## Facts\n- one\n```sh\n# a comment\n```\n\n## Next\n"
    new, at = with_entries(text, "## Facts", ["- two"])
    assert new == "# A\n\n## Facts\n- one\n```sh\n# a comment\n```\n- two\n\n## Next\n"
    assert new.split("\n")[at - 1] == "- two"


# ── the plan ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_entries_come_with_their_words_and_the_line_they_stand_on(workspace: Path) -> None:
    capture(workspace, start(), said("Hello.\n\nWe decided that Atlas stays on SQLite."), end())
    plan = plan_of(workspace).plan
    assert plan is not None and plan.risk_tier is RiskTier.B
    text = content(plan, "knowledge/projects/atlas/context.md")
    assert text.startswith(f"{HEAD}# Atlas\n\n## Stack\n- Python\n")
    (row,) = [line for line in text.splitlines() if "SQLite" in line]
    assert row.startswith("- 2026-02-16: We decided that Atlas stays on SQLite. <!-- x:")
    (change,) = plan.changes
    (origin,) = change.origins
    assert split_lines(text)[origin.line - 1] == row
    source = (workspace / origin.source.path).read_text("utf-8").splitlines()[origin.source.start - 1]
    assert source == "We decided that Atlas stays on SQLite."
    assert {one.path for one in plan.inputs} == {change.path, origin.source.path}


def test_a_repeat_changes_nothing_wherever_the_entry_was_moved(workspace: Path) -> None:
    capture(workspace, start(), said(f"{DECIDED} I prefer bullet lists over prose."), end())
    put(workspace, plan_of(workspace).plan)
    assert plan_of(workspace).plan is None
    journal = workspace / "knowledge/journal/2026-02-16.md"
    (workspace / "archive").mkdir()
    journal.rename(workspace / "archive/2026-02-16.md")
    outcome = plan_of(workspace)
    assert outcome.plan is None and outcome.reason_no_action == "nothing new in the transcripts"


def test_an_entry_that_a_person_removed_stays_removed(workspace: Path) -> None:
    capture(workspace, start(), said(DECIDED), end())
    with Engine.open(workspace) as console:
        plan = console.plans.make("extract").plan
        assert plan is not None
        now = console.real_now()
        yes = Approval(
            target=plan.digest,
            numbers=(1,),
            risk_tier=plan.risk_tier,
            answers=(),
            witness=Witness("/dev/pts/0", ("pytest(1)",), "tester", "terminal"),
            granted_at=now,
            expires_at=now + LIFETIME,
            nonce="n",
        )
        console.plans.apply(plan, yes)
    journal = workspace / "knowledge/journal/2026-02-16.md"
    journal.write_text("---\ntype: journal\n---\n", encoding="utf-8")
    assert plan_of(workspace).plan is None


def test_an_open_transcript_is_not_read(workspace: Path) -> None:
    capture(workspace, start(), said(DECIDED))
    assert plan_of(workspace).reason_no_action == "no transcript is closed"


def test_nothing_inferred_or_proposed_is_promoted(workspace: Path) -> None:
    capture(workspace, start(), said(DECIDED, "agent"), said("I suggest we buy a boat.", "agent"), end())
    outcome = plan_of(workspace)
    assert outcome.plan is None
    assert outcome.facts["counts"] == {"inferred": 1, "proposed": 1} and "not promoted" in outcome.report


def test_d23_a_full_memory_md_does_not_grow(workspace: Path) -> None:
    memory = workspace / "knowledge/memory/MEMORY.md"
    memory.parent.mkdir()
    memory.write_text("# Core Memory\n" + "- line\n" * 199, encoding="utf-8")
    capture(workspace, start(), said(LEARNED), end())
    outcome = plan_of(workspace)
    assert outcome.plan is None and outcome.facts["counts"]["omitted, MEMORY.md is full"] == 1
    memory.write_text("# Core Memory\n\n## Lessons Learned\n- old\n", encoding="utf-8")
    assert LEARNED in content(plan_of(workspace).plan, "knowledge/memory/MEMORY.md")


def test_a_secret_is_not_promoted(workspace: Path) -> None:
    key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    capture(workspace, start(), said(f"We decided to use the token {key} for atlas."), end())
    assert key not in content(plan_of(workspace).plan, "knowledge/projects/atlas/context.md")


@pytest.mark.parametrize("said_so", ["好的。", "", "…", "ok", "?"])
def test_what_is_too_short_says_nothing(said_so: str) -> None:
    assert list(find_entries([turn(said_so)])) == []
    assert kind_of(said_so, Speaker.USER) is None
