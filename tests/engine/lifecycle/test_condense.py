"""Condensing: days into journals, a week into MEMORY.md, with an account that adds up (D23, D25, D27, D43)."""

import asyncio
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import Memory
from engine.errors import UsageError
from engine.extraction.own_words import is_asked
from engine.lifecycle.condense.journal import listed_sessions, new_journal, with_sessions
from engine.lifecycle.condense.memory_rows import DECISIONS, LESSONS, WeekPoint, memory_edit
from engine.lifecycle.requests import CondensePart, CondenseRequest
from engine.plans.plan import Create, Plan, Replace, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services import condensation, transcripts
from engine.services.engine import Engine
from engine.text.frontmatter import read_frontmatter
from engine.topics.messages import SessionTurn
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.values import LineSpan
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import capture, end, line, said, start
from tests.engine.models.loopback import KEY, loopback, message
from tests.engine.models.stand_in import numbered_lines

NOW = datetime(2026, 2, 23, 9, 0, tzinfo=UTC)
MEMORY = "knowledge/memory/MEMORY.md"
EMPTY = "---\ntype: memory\nline_count: 9\n---\n\n# Core Memory\n\n## Key Decisions\n\n## Lessons Learned\n"
DECIDED = "We decided to keep everything in SQLite."
LEARNT = "Lesson learned: always test the restore before the migration."
DAY = "knowledge/journal/2026-02-16.md"
NEXT = "knowledge/journal/2026-02-17.md"


def put(workspace: Path, path: str, text: str) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    put(folder, MEMORY, EMPTY)
    capture(
        folder,
        start("ses_1", at="2026-02-16T23:30:00Z", topic="storage"),
        said(DECIDED, at="2026-02-16T23:31:00Z"),
        said("You could also look at DuckDB, which decided to be columnar.", "agent", "2026-02-16T23:32:00Z"),
        said(LEARNT, at="2026-02-17T00:10:00Z"),
        end("2026-02-17T00:20:00Z"),
    )
    return folder


def outcome_of(workspace: Path, *only: str, take: tuple[str, ...] = ()) -> PlanOutcome:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        asked = CondenseRequest(only=tuple(map(CondensePart, only)), take=take)
        return console.plans.make("condense", PlanRequest(asked))


def texts(plan: Plan | None) -> dict[str, str]:
    assert plan is not None
    return {one.path: one.content for one in plan.changes if isinstance(one, Create | Replace)}


def apply(workspace: Path, *only: str) -> Plan:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        plan = console.plans.make("condense", PlanRequest(CondenseRequest(only=tuple(map(CondensePart, only))))).plan
        approve(console, plan)
    assert plan is not None
    return plan


def test_d27_a_session_after_eleven_at_night_reaches_the_journals_of_both_its_days(workspace: Path) -> None:
    made = texts(outcome_of(workspace, "daily").plan)
    assert set(made) == {DAY, NEXT}
    assert made[DAY] == (
        f"---\ntype: journal\ndate: 2026-02-16\nsessions: [ses_1]\n---\n\n## 2026-02-16\n\n### storage\n- {DECIDED}\n"
    )
    assert made[NEXT].endswith(f"### storage\n- {LEARNT}\n") and "DuckDB" not in "".join(made.values())


def test_each_row_of_a_journal_resolves_to_the_line_of_the_turn_that_says_it(workspace: Path) -> None:
    plan = outcome_of(workspace, "daily").plan
    assert plan is not None
    for change in plan.changes:
        assert isinstance(change, Create) and change.origins and change.risk_tier is RiskTier.B
        for origin in change.origins:
            row = change.content.split("\n")[origin.line - 1]
            spoken = (workspace / origin.source.path).read_text("utf-8").split("\n")
            assert row.removeprefix("- ") in spoken[origin.source.start - 1]


def test_a_second_run_changes_nothing_and_a_row_that_a_person_took_out_stays_out(workspace: Path) -> None:
    apply(workspace)
    assert outcome_of(workspace).plan is None
    for path in (DAY, MEMORY):
        kept = [one for one in (workspace / path).read_text("utf-8").split("\n") if DECIDED not in one]
        put(workspace, path, "\n".join(kept))
    put(workspace, DAY, (workspace / DAY).read_text("utf-8") + f"- {DECIDED}\n")
    outcome = outcome_of(workspace)
    assert outcome.plan is None and "a person took it out" in outcome.report


def test_d27_a_transcript_that_comes_late_is_added_and_what_a_person_wrote_stays_byte_for_byte(workspace: Path) -> None:
    own = f"---\ndate: 2026-02-16\nmood: good  # mine\n---\n# My day\r\n\r\nI wrote this.\r\n- {DECIDED}\r\n"
    put(workspace, DAY, own)
    outcome = outcome_of(workspace, "daily")
    new = texts(outcome.plan)[DAY]
    assert new == own.replace("mine\n---", "mine\nsessions: [ses_1]\n---")
    assert outcome.facts["merged"] == 1 and f"stands in {DAY}:9" in outcome.report
    assert all(gate.passed for gate in outcome.plan.gates) if outcome.plan else False


def test_d43_a_decision_of_no_project_goes_to_key_decisions_with_its_day_and_a_projects_own_stays(
    workspace: Path,
) -> None:
    put(workspace, "knowledge/projects/atlas/context.md", "# Atlas\n")
    put(
        workspace,
        DAY,
        f"# D\n\n### general\n- {DECIDED}\n\n### atlas\n- We decided to ship Atlas on Friday.\n\n### general\n"
        "- 2026-02-16: We decided to use Oracle. (superseded: 0123456789 2026-02-17) <!-- x:9876543210 -->\n",
    )
    put(workspace, NEXT, f"# D\n\n### general\n- 2026-02-17: {LEARNT} <!-- x:0123456789 -->\n")
    plan = outcome_of(workspace, "weekly").plan
    (new,) = texts(plan).values()
    rows = [row.partition(" <!-- c:")[0] for row in new.split("\n") if row.startswith("- ")]
    assert rows == [f"- 2026-02-16: {DECIDED}", f"- 2026-02-17: {LEARNT}"]
    assert new.index(DECISIONS) < new.index(DECIDED) < new.index(LESSONS) < new.index(LEARNT)
    assert plan is not None and plan.risk_tier is RiskTier.C
    assert [one.source for one in plan.changes[0].origins] == [LineSpan(DAY, 4, 4), LineSpan(NEXT, 4, 4)]


def test_d23_the_line_count_is_corrected_and_memory_md_never_grows_past_its_cap(workspace: Path) -> None:
    put(workspace, DAY, f"# D\n\n- {DECIDED}\n- {LEARNT}\n")
    filler = "".join(f"- 2026-01-01: entry number {number} stands here\n" for number in range(189))
    put(workspace, MEMORY, f"{EMPTY}{filler}")
    outcome = outcome_of(workspace, "weekly")
    (new,) = texts(outcome.plan).values()
    assert new.count("\n") == 200 and "line_count: 200" in new
    assert outcome.facts["left_out"] == 1 and "memdeck plan prune" in outcome.report
    assert outcome.facts["kept"] == 190 and outcome.facts["unexplained"] == 0


def test_d25_the_account_is_exact_and_a_loss_above_the_policys_share_blocks(workspace: Path, tmp_path: Path) -> None:
    put(workspace, DAY, "# D\n" + "".join(f"- We decided to use tool number {number}.\n" for number in range(9)))
    put(workspace, MEMORY, EMPTY + "\n" * 191)
    home = {"XDG_STATE_HOME": str(tmp_path / "s"), "XDG_CONFIG_HOME": str(tmp_path / "c")}
    put(tmp_path, "c/memdeck/policy.yaml", "lifecycle: {most_left_out: 0.2}\n")
    with Engine.open(workspace, env=home, clock=lambda: NOW) as console:
        outcome = console.plans.make("condense", PlanRequest(CondenseRequest(only=tuple(CondensePart))))
        assert outcome.plan is not None
        gates = {one.id: one.passed for one in outcome.plan.gates}
        assert gates == {"account": True, "loss": False, "integrity": True}
        with pytest.raises(Exception, match="loss"):
            approve(console, outcome.plan)
    facts = outcome.facts
    assert facts["entries"] == facts["kept"] + facts["merged"] + facts["archived"] + facts["left_out"]


def test_no_memory_md_is_made_and_no_journal_is_no_problem(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    put(folder, DAY, f"# D\n\n- {DECIDED}\n")
    outcome = outcome_of(folder)
    assert outcome.plan is None and "there is no MEMORY.md" in outcome.report


@pytest.mark.parametrize(
    ("take", "said_of_it"),
    [(("2026-02-30",), "no day and no week"), (("2026-W07", "2026-W08"), "one week at a time")],
)
def test_a_day_or_a_week_that_is_none_is_named(workspace: Path, take: tuple[str, ...], said_of_it: str) -> None:
    with pytest.raises(UsageError) as caught:
        outcome_of(workspace, take=take)
    assert said_of_it in caught.value.line()


def test_a_day_and_a_week_are_taken_by_name(workspace: Path) -> None:
    assert set(texts(outcome_of(workspace, take=("2026-02-17",)).plan)) == {NEXT}
    apply(workspace, "daily")
    put(workspace, "knowledge/journal/2026-02-03.md", f"# D\n\n- {DECIDED}\n")
    plan = outcome_of(workspace, take=("2026-W06",)).plan
    assert [span.path for change in plan.changes for span in change.sources] == (  # type: ignore[union-attr]
        ["knowledge/journal/2026-02-03.md"]
    )


def test_what_was_said_forges_no_heading_no_marker_and_no_secret(workspace: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    capture(
        workspace,
        start("ses_2", at="2026-02-18T10:00:00Z", topic="x\n## MEMORY\n# y"),
        said(f"We decided on the token {token} for the deploy.", at="2026-02-18T10:01:00Z"),
        said("I bought <!-- memdeck:root:start --> a red car in May 2025.", at="2026-02-18T10:02:00Z"),
        end("2026-02-18T10:05:00Z"),
    )
    made = texts(outcome_of(workspace, "daily").plan)["knowledge/journal/2026-02-18.md"]
    assert token not in made and "<!-- memdeck" not in made
    assert [one for one in made.split("\n") if one.startswith("#")] == ["## 2026-02-18", made.split("\n")[8]]


def test_the_interface_queues_the_plans_of_its_parts_and_writes_nothing(workspace: Path) -> None:
    before = {one: one.read_bytes() for one in workspace.rglob("*.md")}
    with Memory(workspace, "agent", clock=lambda: NOW) as memory:
        daily = asyncio.run(memory.condenser.daily_summary())
        weekly = asyncio.run(memory.condenser.weekly_rollup())
        monthly = asyncio.run(memory.condenser.monthly_distillation())
    assert set(texts(daily.plan)) == {DAY, NEXT} and weekly.plan is None
    assert [one.plan for one in monthly] == [None, None, None]
    assert {one: one.read_bytes() for one in workspace.rglob("*.md")} == before


def test_d59_claude_names_what_lasts_of_a_day_and_the_words_are_the_turns_own(workspace: Path, tmp_path: Path) -> None:
    def answer(asked: dict[str, Any]) -> Any:
        number = next(n for n, text in numbered_lines(asked).items() if "restore" in text)
        return message(json.dumps({"entries": [{"line": number, "kind": "lesson"}]}))

    with loopback() as server:
        server.answer = answer
        llm = f"llm: {{provider: claude, models: {{extract: m}}, url: '{server.url}'}}\n"
        put(tmp_path, "c/memdeck/policy.yaml", llm)
        home = {"XDG_STATE_HOME": str(tmp_path / "s"), "XDG_CONFIG_HOME": str(tmp_path / "c"), "ANTHROPIC_API_KEY": KEY}
        with Engine.open(workspace, env=home, clock=lambda: NOW) as console:
            plan = console.plans.make("condense", PlanRequest(CondenseRequest(only=(CondensePart.DAILY,)))).plan
    assert plan is not None and plan.model is not None and plan.cost.calls == len(server.sent) == 1
    assert f"- {LEARNT}\n" in texts(plan)[NEXT] and DECIDED not in texts(plan)[DAY]


@pytest.mark.parametrize(
    "said_by_user",
    [
        "Er sagte: „Wir haben beschlossen, das Werk zu schließen.“ So steht es im Roman.",
        "Übersetze bitte: Wir haben uns für den blauen Entwurf entschieden.",
        "Ana said they decided to use Oracle at her old company.",
        "no, that's horrible.",
    ],
)
def test_d59_what_the_judge_refuses_is_in_no_journal_and_not_in_memory_md(tmp_path: Path, said_by_user: str) -> None:
    folder = tmp_path / "ws"
    put(folder, MEMORY, EMPTY)
    capture(folder, start("s1", at="2026-02-16T10:00:00Z"), said(said_by_user, at="2026-02-16T10:01:00Z"), end())
    apply(folder, "daily")
    journal = (folder / DAY).read_text("utf-8")
    assert not [row for row in journal.split("\n") if row.startswith("- ")]
    put(folder, DAY, f"# D\n\n- {said_by_user}\n")
    assert outcome_of(folder, "weekly").plan is None


def test_d43_a_preference_and_a_correction_of_a_journal_are_no_lesson(workspace: Path) -> None:
    put(workspace, DAY, "# D\n\n- I prefer short answers.\n- Don't use tabs, use spaces.\n- " + LEARNT + "\n")
    (new,) = texts(outcome_of(workspace, "weekly").plan).values()
    assert LEARNT in new and "short answers" not in new and "tabs" not in new


SESSION = st.from_regex(r"[\w.:' -]{1,20}", fullmatch=True).filter(lambda one: one.strip() == one and one)
HEADS = st.one_of(
    st.just(""),
    st.text("ab:[]-, \n'\"#|>é\r", max_size=60),
    st.builds("---\n{}\n---\n{}".format, st.text("ab:[]-, \n'\"#", max_size=40), st.text(max_size=40)),
    st.lists(SESSION, max_size=3).map(lambda ids: new_journal(date(2026, 2, 16), ids)),
)


@given(HEADS, st.lists(SESSION, min_size=1, max_size=3, unique=True))
def test_sessions_are_added_to_any_head_or_it_is_left_alone(text: str, sessions: list[str]) -> None:
    found = with_sessions(text, date(2026, 2, 16), sessions)
    if found is None:
        return
    before, after = (read_frontmatter(one.encode("utf-8", "surrogatepass")) for one in (text, found))
    assert listed_sessions(after.values) == listed_sessions(before.values) | set(sessions)
    assert found.endswith("\n".join(text.split("\n")[before.body_line - 1 :]))
    assert {key: value for key, value in before.values.items() if key != "sessions"}.items() <= after.values.items()


@given(
    st.lists(st.sampled_from(["We chose Postgres.", "Test restores first.", "Ship on Friday, always."]), max_size=6),
    st.lists(st.sampled_from(["- old entry of ours\n", "\n", "## Key Decisions\n", "text\r\n", "```\n"]), max_size=12),
)
def test_rows_come_into_memory_md_once_and_no_line_of_it_goes(said_texts: list[str], lines: list[str]) -> None:
    points = [
        WeekPoint(day=date(2026, 2, 16), section=DECISIONS, text=text, source=LineSpan(DAY, number, number))
        for number, text in enumerate(said_texts, 1)
    ]
    edit = memory_edit(MEMORY, "".join(lines), points, ())
    left = iter(edit.text.split("\n"))
    assert all(one in left for one in "".join(lines).rstrip("\n").split("\n"))
    again = memory_edit(MEMORY, edit.text, points, ())
    assert again.text == edit.text and not again.added
    for origin in edit.origins:
        assert points[origin.source.start - 1].text in edit.text.split("\n")[origin.line - 1]


def decided(day: date, text: str) -> WeekPoint:
    return WeekPoint(day=day, section=DECISIONS, text=text, source=LineSpan(f"knowledge/journal/{day}.md", 1, 1))


def test_d61_a_later_value_takes_the_place_of_a_row_of_ours_and_an_earlier_one_is_not_written() -> None:
    first, second = date(2026, 2, 16), date(2026, 2, 23)
    postgres, sqlite = "We use Postgres for the billing database.", "We use SQLite for the billing database."
    edit = memory_edit(MEMORY, "# Memory\n\nby hand\n", [decided(first, postgres)], ())
    later = memory_edit(MEMORY, edit.text, [decided(second, sqlite)], {decided(first, postgres).id})
    assert sqlite in later.text and postgres not in later.text and "by hand\n" in later.text
    assert len(later.replaced) == 1 and [postgres in one for one in later.before - later.stands] == [True]
    again = memory_edit(MEMORY, later.text, [decided(first, postgres)], ())
    assert again.text == later.text and again.merged[0][1] == f"another value since {second}"
    back = memory_edit(MEMORY, later.text, [decided(date(2026, 3, 2), postgres)], {decided(first, postgres).id})
    assert postgres in back.text and sqlite not in back.text, "the first value again: a person took nothing out"
    both = memory_edit(MEMORY, "# Memory\n", [decided(first, postgres), decided(second, sqlite)], ())
    assert [one.text for one in both.added] == [sqlite] and len(both.merged) == 1


def test_d61_a_row_that_a_person_edited_stays_beside_the_later_value(tmp_path: Path) -> None:
    row = decided(date(2026, 2, 16), "We use Postgres for the billing database.").row.replace("Postgres", "MariaDB")
    edit = memory_edit(
        MEMORY,
        f"## Key Decisions\n{row}\n",
        [decided(date(2026, 2, 23), "We use SQLite for the billing database.")],
        (),
    )
    assert row in edit.text and "SQLite" in edit.text and not edit.replaced


def test_d61_a_week_replaces_the_value_of_an_earlier_one_and_the_account_tells_it(workspace: Path) -> None:
    reports = []
    for day, week, name in ((16, "08", "Postgres"), (23, "09", "SQLite")):
        said_then = f"## Day\n- We decided to use {name} for the billing database.\n"
        put(workspace, f"knowledge/journal/2026-02-{day}.md", said_then)
        plan = outcome_of(workspace, take=(f"2026-W{week}",)).plan
        assert plan is not None and all(gate.passed for gate in plan.gates)
        reports.append(plan.report)
        with Engine.open(workspace) as console:
            approve(console, plan)
    text = (workspace / MEMORY).read_text("utf-8")
    assert "SQLite" in text and "Postgres" not in text and "replaced" in reports[1]


def test_a_tool_line_makes_what_the_agent_says_a_deed(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    folder.mkdir()
    capture(
        folder,
        start("ses_3", at="2026-02-18T10:00:00Z"),
        said("Please move the importer.", at="2026-02-18T10:01:00Z"),
        line("tool", name="exec", args={"command": "mv a b"}, result="ok", time="2026-02-18T10:02:00Z"),
        said("I moved the importer to asyncio in commit 4f2a; 14 tests pass.", "agent", "2026-02-18T10:03:00Z"),
        end("2026-02-18T10:05:00Z"),
    )
    (text,) = texts(outcome_of(folder, "daily").plan).values()
    assert "14 tests pass" in text


def test_a_week_reads_no_transcript(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = reading(monkeypatch)
    assert outcome_of(workspace, "weekly").reason_no_action and read == []
    assert outcome_of(workspace, "daily").plan is not None and len(read) == 1


def test_d27_a_transcript_is_read_again_only_where_a_journal_or_its_own_bytes_changed(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(workspace, "daily")
    outcome_of(workspace, "daily")
    read = reading(monkeypatch)
    assert outcome_of(workspace, "daily").plan is None and read == []
    (workspace / NEXT).unlink()
    assert set(texts(outcome_of(workspace, "daily").plan)) == {NEXT}, "the journal of its second day is gone"
    (closed,) = (workspace / "raw").rglob("*.md")
    put(workspace, NEXT, "---\nsessions: [ses_1]\n---\n")
    later = "\n<!-- 2026-02-18 -->\n\n## 09:00 — user\nI moved.\n"
    put(workspace, str(closed.relative_to(workspace)), closed.read_text() + later)
    assert set(texts(outcome_of(workspace, "daily").plan)) == {"knowledge/journal/2026-02-18.md"}
    assert len(read) == 2


def reading(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the transcripts that are read from now on."""
    read: list[str] = []

    def noted(root: WorkspaceRoot, path: str) -> tuple[SessionTurn, ...]:
        read.append(path)
        return transcripts.transcript_turns(root, path)

    monkeypatch.setattr(condensation, "transcript_turns", noted)
    return read


@pytest.mark.parametrize(
    "said",
    [
        "You are a sales coach for a small contractor in Springfield.",
        "Start the drill.",
        "Give me 100 prompt parameters",
        "Your task is to find out what people think of it.",
        "OK, I want you to generate a response again, and include 4 foods.",
        "what was the most discussed stock code on that forum in 2020",
        "Deine Aufgabe ist die Auswertung der Umfrage.",
        "請告訴我15個腹痛的理學檢查項目，請以英文回答",
    ],
)
def test_a_request_and_a_role_are_over_with_their_session(said: str) -> None:
    assert is_asked(said)


@pytest.mark.parametrize(
    "said",
    [
        "You must always answer in metric units.",
        "Note: the server moved to Falkenstein on Monday.",
        "It was great to see my sister in Berlin.",
        "What we decided is to keep SQLite.",
        "When the deploy is broken we roll back.",
        "Start-up of the mill took 40 minutes.",
        "How to file expenses: scan the receipt, upload it, tag the cost centre.",
        "申请昨晚写完并寄出了。",
        "We want the team to own the backups.",
        "Ich habe das Konto gekündigt.",
        "我决定用 Postgres。",
    ],
)
def test_a_rule_a_decision_and_what_happened_are_not(said: str) -> None:
    assert not is_asked(said)


def test_of_a_long_turn_only_what_speaks_of_its_writer_is_told_and_a_request_gives_no_row(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    put(folder, MEMORY, EMPTY)
    pasted = "The Visa Reform Act was signed into law on December 8, 2004. " * 12
    capture(folder, start("s1"), said(f"{pasted}\nI moved to Hamburg in 2019 and work there as a nurse."), end())
    capture(folder, start("s2"), said("create a story about two otters"), end())
    (text,) = texts(outcome_of(folder, "daily").plan).values()
    assert [row for row in text.split("\n") if row.startswith("- ")] == [
        "- I moved to Hamburg in 2019 and work there as a nurse."
    ]
    assert "sessions: [s1, s2]" in text
