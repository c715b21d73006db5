"""Supersession: a later word on the same subject marks the earlier one, and nothing is deleted (decision D45)."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.extraction.held import RowState
from engine.extraction.relations import Relation, relation
from engine.extraction.rows import SupersededBy, entry_row, marked_row, row_parts, unmarked_row
from engine.lifecycle.requests import ExtractRequest
from engine.plans.plan import Plan, RiskTier
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.text.document import split_lines
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import capture, end, said, start
from tests.engine.lifecycle.test_extract import content, put

ATLAS = "knowledge/projects/atlas/context.md"
HEAD = "---\ntype: project_context\n---\n\n# Atlas\n\n## Key Decisions\n- by hand: Atlas stays on paper.\r\n"
A, B = "We decided that Atlas stays on SQLite.", "We decided that Atlas moves to Postgres."
AGAIN = "We decided that Atlas goes back to SQLite."


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "knowledge/projects/atlas").mkdir(parents=True)
    (folder / ATLAS).write_bytes(HEAD.encode())
    return folder


def session(workspace: Path, day: str, *texts: str) -> None:
    at = f"2026-{day}T10:{{:02}}:00Z"
    words = [said(text, at=at.format(number + 1)) for number, text in enumerate(texts)]
    capture(workspace, start(f"ses_{day}", at.format(0)), *words, end(at.format(50)))


def extracted(workspace: Path) -> Plan | None:
    with Engine.open(workspace) as console:
        return console.plans.make("extract").plan


def applied(workspace: Path) -> Plan | None:
    with Engine.open(workspace) as console:
        plan = console.plans.make("extract").plan
        approve(console, plan)
        return plan


def rows(workspace: Path, path: str = ATLAS) -> list[str]:
    return [line for line in (workspace / path).read_text("utf-8").splitlines() if "<!-- x:" in line]


def ident(row: str) -> str:
    return row.rpartition("x:")[2][:10]


# ── what is on the same subject ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (A, B),
        (B, AGAIN),
        ("We decided to keep everything in SQLite.", "We decided to keep everything in Postgres."),
        ("We decided to use Redis for the cache.", "We decided to use Valkey for the cache."),
        ("We decided to use Redis for the cache.", "We decided not to use Redis for the cache."),
        ("We decided to use Redis for the cache.", "We decided against Redis for the cache."),
        ("We decided to use Redis for the cache.", "We decided to replace Redis with Valkey."),
        ("Let's go with Jenkins for the builds.", "We are switching from Jenkins to GitHub Actions."),
        ("I prefer tabs over spaces.", "I prefer spaces over tabs."),
        ("I prefer short answers.", "I prefer long answers."),
        ("I like my coffee black.", "I like my coffee white."),
        ("Please always write commit messages in English.", "Please always write commit messages in German."),
        ("No, use four spaces for indentation.", "No, use two spaces for indentation."),
        (
            "Wir haben entschieden, dass Atlas auf SQLite bleibt.",
            "Wir haben entschieden, dass Atlas zu MySQL wechselt.",
        ),
        ("Wir nehmen Postgres für die Abrechnung.", "Wir haben beschlossen, MySQL für die Abrechnung zu nehmen."),
        ("Ich bevorzuge Tabs gegenüber Leerzeichen.", "Ich bevorzuge Leerzeichen gegenüber Tabs."),
        ("我们决定账单用Postgres。", "我们决定把账单改成MySQL。"),
        ("我们决定账单用MySQL。", "最终决定：账单换回SQLite。"),
    ],
)
def test_d45_another_choice_on_the_same_subject_supersedes(earlier: str, later: str) -> None:
    assert relation(later, earlier) is Relation.REPLACES


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (A, A),
        (A, "We decided that Billing moves to Postgres."),
        ("We decided to use Redis for the cache.", "We decided to use Redis for the sessions."),
        ("We decided to use Redis for the cache.", "We also decided to use Valkey for the cache."),
        ("We decided to use Redis for the cache.", "We decided to use Valkey for the cache, too."),
        ("Never use tabs in Python.", "Always use spaces in Python."),
        ("Never use tabs in Python.", "Never use semicolons in Python."),
        ("I prefer short answers.", "I prefer dark themes."),
        ("I like my coffee black.", "I like my tea black."),
        ("We decided to use Redis.", "We decided to use Python."),
        ("We decided that Atlas ships in May because the client needs it.", "We decided that Atlas has a new logo."),
        ("我们决定账单用Postgres。", "我们决定日志用MySQL。"),
    ],
)
def test_d45_another_subject_or_one_beside_it_supersedes_nothing(earlier: str, later: str) -> None:
    assert relation(later, earlier) is not Relation.REPLACES


# ── the plan ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_d45_a_later_decision_marks_the_earlier_one_by_a_plan(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    (before,) = rows(workspace)
    session(workspace, "04-10", B)
    assert rows(workspace) == [before]  # a dry run has written nothing yet
    plan = extracted(workspace)
    assert plan is not None and rows(workspace) == [before]
    applied(workspace)
    first, second = rows(workspace)
    assert row_parts(first) == row_parts(marked_row(before, SupersededBy(ident(second), "2026-04-10")))
    assert first == before.replace(" <!--", f" (superseded: {ident(second)} 2026-04-10) <!--")
    assert (workspace / ATLAS).read_bytes().startswith(HEAD.encode())


def test_d45_there_and_back_again_keeps_three_at_once_or_one_after_the_other(workspace: Path, tmp_path: Path) -> None:
    days = (("03-01", A), ("04-10", B), ("05-20", AGAIN))
    for day, text in days:
        session(workspace, day, text)
        applied(workspace)
    one, two, three = rows(workspace)
    assert f"(superseded: {ident(two)} 2026-04-10)" in one and f"(superseded: {ident(three)} 2026-05-20)" in two
    assert "superseded" not in three
    other = tmp_path / "at-once"
    (other / "knowledge/projects/atlas").mkdir(parents=True)
    (other / ATLAS).write_bytes(HEAD.encode())
    for day, text in days:
        session(other, day, text)
    applied(other)
    assert rows(other) == [one, two, three]
    assert extracted(workspace) is None and extracted(other) is None


def test_d45_the_very_same_words_said_again_are_another_entry(workspace: Path) -> None:
    tabs, spaces = "I prefer tabs over spaces.", "I prefer spaces over tabs."
    user = "knowledge/identity/USER.md"
    for day, text in (("03-01", tabs), ("03-02", tabs), ("04-10", spaces), ("05-20", tabs), ("05-21", tabs)):
        session(workspace, day, text)
    plan = applied(workspace)
    assert plan is not None and plan.risk_tier is RiskTier.C
    assert [("superseded" in row, row[2:12]) for row in rows(workspace, user)] == [
        (True, "2026-03-01"),
        (True, "2026-04-10"),
        (False, "2026-05-20"),
    ]
    assert extracted(workspace) is None


def test_d45_back_and_forth_within_one_session_ends_at_the_last_word(workspace: Path) -> None:
    session(workspace, "03-01", A, B, A)
    put(workspace, extracted(workspace))
    assert ["superseded" in row for row in rows(workspace)] == [True, True, False]
    assert "SQLite" in rows(workspace)[2] and extracted(workspace) is None


def test_d45_the_account_names_what_is_superseded_and_loses_nothing(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    (row,) = rows(workspace)
    session(workspace, "04-10", B)
    plan = extracted(workspace)
    assert plan is not None
    (gate,) = [one for one in plan.gates if one.id == "account"]
    assert gate.passed
    assert gate.detail == (f"1 entries before = 1 kept + 0 merged + 0 archived + 0 omitted; superseded: {ident(row)}")
    (new,) = plan.facts["ids"]["1"]
    assert plan.facts["superseded"] == {"1": {ident(row): f"{new} 2026-04-10"}}
    assert f"superseded 2026-03-01: {A}  by {new} since 2026-04-10" in plan.report
    assert plan.changes[0].reason.endswith("1 superseded by a later one")


def test_d45_what_a_person_edited_gets_no_mark_and_one_taken_away_stays_away(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    edited = (workspace / ATLAS).read_bytes().replace(b"on SQLite.", b"on SQLite, says Mara.")
    (workspace / ATLAS).write_bytes(edited)
    session(workspace, "04-10", B)
    assert "superseded" not in content(extracted(workspace), ATLAS)
    assert content(extracted(workspace), ATLAS).encode().startswith(edited)
    (workspace / ATLAS).write_bytes(edited.replace(b", says Mara", b""))
    applied(workspace)
    (workspace / ATLAS).write_text("\n".join(map(unmarked_row, rows(workspace))), "utf-8", newline="")
    assert extracted(workspace) is None


def test_d45_an_entry_that_nobody_said_supersedes_nothing(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    forged = entry_row("2026-04-10", B, "0123456789")
    with (workspace / ATLAS).open("a", encoding="utf-8") as file:
        file.write(f"{forged}\n")
    assert extracted(workspace) is None


def test_d45_one_session_alone_marks_what_earlier_ones_said(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    session(workspace, "04-10", B)
    (path,) = (workspace / "raw/conversations/2026/04/10").iterdir()
    request = PlanRequest(ExtractRequest(transcripts=(str(path.relative_to(workspace)),)))
    with Engine.open(workspace) as console:
        approve(console, console.plans.make("extract", request).plan)
        assert console.plans.make("extract", request).plan is None
        assert console.plans.make("extract").plan is None
    assert ["superseded" in row for row in rows(workspace)] == [True, False]


def test_d45_an_archived_entry_is_marked_where_it_lies(workspace: Path) -> None:
    session(workspace, "03-01", "We decided to keep everything in SQLite.")
    applied(workspace)
    journal = workspace / "knowledge/journal/2026-03-01.md"
    archived = workspace / "archive/journal/2026-03-01.md"
    archived.parent.mkdir(parents=True)
    journal.rename(archived)
    session(workspace, "04-10", "We decided to keep everything in Postgres.")
    applied(workspace)
    assert "(superseded: " in rows(workspace, "archive/journal/2026-03-01.md")[0]
    assert not journal.exists() and extracted(workspace) is None


def test_d47_what_plans_wrote_last_counts_whatever_clock_they_were_made_for(workspace: Path) -> None:
    early = datetime(2026, 2, 1, tzinfo=UTC)
    for day, text in (("03-01", A), ("04-10", B)):
        session(workspace, day, text)
        with Engine.open(workspace, now=early) as console:
            approve(console, console.plans.make("extract").plan)
    with Engine.open(workspace) as console:
        (first,) = console.recall.held(date(2026, 3, 1)).entries
    assert first.state is RowState.KEPT and extracted(workspace) is None


@pytest.mark.parametrize(
    "head", [HEAD.replace("\r\n", "\n"), HEAD.replace("\n", "\r\n"), f"{HEAD}\f\x85one\u2028two\v\n"]
)
def test_d45_a_mark_keeps_every_other_byte_of_a_file(workspace: Path, head: str) -> None:
    (workspace / ATLAS).write_text(head, "utf-8", newline="")
    for day, text in (("03-01", A), ("04-10", B)):
        session(workspace, day, text)
        plan = applied(workspace)
        assert plan is not None
        (change,) = plan.changes
        assert {split_lines(content(plan, ATLAS))[one.line - 1][:12] for one in change.origins} == {f"- 2026-{day}"}
    data = (workspace / ATLAS).read_bytes()
    assert data.startswith(head.encode()) and data.count(b"(superseded: ") == 1
    with Engine.open(workspace) as console:
        assert console.plans.make("extract").plan is None and console.plans.make("replay").plan is None


def test_d47_a_replay_keeps_a_mark_as_its_own(workspace: Path) -> None:
    session(workspace, "03-01", A)
    applied(workspace)
    session(workspace, "04-10", B)
    applied(workspace)
    with Engine.open(workspace) as console:
        outcome = console.plans.make("replay")
    assert outcome.plan is None
    assert outcome.facts["entries"]["kept"] == 2 and outcome.facts["entries"]["yours"] == 0


def test_the_mark_of_a_row_goes_and_comes_without_another_byte() -> None:
    row = entry_row("2026-03-01", "Keep (superseded: x) <!-- x:aaaaaaaaaa --> it", "0123456789")
    assert row.count("<!-- x:") == 1
    marked = marked_row(row, SupersededBy("abcdef0123", "2026-04-10"))
    assert unmarked_row(marked) == row
    assert marked_row(marked, SupersededBy("abcdef0124", "2026-04-09")).count("(superseded: a") == 1
    parts = row_parts(marked)
    assert parts is not None and parts.superseded == SupersededBy("abcdef0123", "2026-04-10")
    assert row_parts("- something else <!-- x:0123456789 -->") is None
