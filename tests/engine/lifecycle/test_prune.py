"""Prune: the four reasons, what is protected, an account that adds up, and nothing the second time (D7, D23, D25)."""

import asyncio
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import Memory
from engine.lifecycle.archive.places import archive_place, former_place
from engine.lifecycle.prune.memory_entries import memory_entries
from engine.lifecycle.prune.memory_file import archived_entries, line_total, lost_lines, without_entries
from engine.lifecycle.prune.memory_reasons import PrunedEntry, PruneReason, is_held, pruned_entries, said_words
from engine.lifecycle.requests import PrunePart, PruneRequest
from engine.plans.plan import Create, Move, Plan, Replace, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.workspace.snapshot import FreeNames
from tests.engine.compactor.workspace import Workspace
from tests.engine.lifecycle.applying import approve

NOW = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
TODAY = NOW.date()
MEMORY = "knowledge/memory/MEMORY.md"
CONTEXT = "knowledge/projects/atlas/context.md"
KEPT = "We keep everything in SQLite, one file per workspace"
HEAD = "---\ntype: memory\nline_count: 142\n---\n\n# Core Memory\n\n"
REASONS = f"""## Key Decisions
- 2026-05-01: {KEPT}
- 2026-05-02: The deploy of billing runs at night on node seven
- 2026-06-02: The deploy of billing runs at night on node seven
- 2026-05-03: Port of the billing database: 5432
- 2026-07-03: Port of the billing database: 5433
- 2026-06-01: The freeze of releases holds until 2026-07-01
- [x] write the docs of billing
- 2026-01-01: the contract stands in /legal [NEVER_PRUNE]

## Preferences
- 2024-01-01: David prefers bullet lists

"""


def put(workspace: Path, path: str, text: str) -> None:
    file = workspace / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8", newline="")


def history(lines: int) -> str:
    days = (date(2026, 1, 2) + timedelta(days=n) for n in range(lines))
    return "## History\n" + "".join(f"- {day}: the team took note {n} that day\n" for n, day in enumerate(days))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    put(folder, MEMORY, HEAD + REASONS + history(210))
    put(folder, CONTEXT, f"---\ntype: project_context\nupdated: 2026-11-20\n---\n\n# Atlas\n\n- {KEPT}\n")
    return folder


def plan_of(workspace: Path, *only: str) -> PlanOutcome:
    with Engine.open(workspace, clock=lambda: NOW) as console:
        return console.plans.make("prune", PlanRequest(PruneRequest(only=tuple(map(PrunePart, only)))))


def change_of(plan: Plan | None, kind: type[Create | Replace]) -> Create | Replace:
    assert plan is not None
    (change,) = [one for one in plan.changes if isinstance(one, kind)]
    assert isinstance(change, Create | Replace)
    return change


# ── MEMORY.md ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_each_of_the_four_reasons_names_what_it_stands_on(workspace: Path) -> None:
    report = plan_of(workspace).report
    lines = (workspace / MEMORY).read_text("utf-8").split("\n")

    def at(text: str) -> int:
        return next(number for number, line in enumerate(lines, 1) if text in line)

    later = at("2026-06-02")
    for said in (
        f"line {at(KEPT)} captured: the same words stand in {CONTEXT}:8",
        f"line {at('2026-05-02')} redundant: merged into line {later}, which says all of it",
        f"line {at('2026-05-03')} stale or superseded: line {at('2026-07-03')} of 2026-07-03 has another value",
        f"line {at('2026-06-01')} stale or superseded: it held until 2026-07-01",
        f"line {at('- [x]')} stale or superseded: it is a task that is done",
        f"line {at('- 2026-01-02')} historical: of 2026-01-02, 325 days ago",
    ):
        assert said in report


def test_d23_d25_entries_go_until_there_is_room_and_each_stands_word_for_word_in_the_archive(workspace: Path) -> None:
    outcome = plan_of(workspace)
    plan = outcome.plan
    made, left = change_of(plan, Create), change_of(plan, Replace)
    old = (workspace / MEMORY).read_text("utf-8").split("\n")
    assert line_total(left.content) == 180 and "line_count: 180\n" in left.content
    assert made.path == "archive/memory/MEMORY-2026-11-23.md" and made.risk_tier is RiskTier.B
    assert left.path == MEMORY and left.risk_tier is RiskTier.C
    assert (made.requires, left.requires) == ((left.n,), (made.n,)), "neither goes without the other"
    for origin in made.origins:
        assert made.content.split("\n")[origin.line - 1] == old[origin.source.start - 1]
    assert {line for line in old if line} <= {*made.content.split("\n"), *left.content.split("\n"), "line_count: 142"}
    assert outcome.facts["memory"] == {
        "entries": 219, "kept": 168, "merged": 1, "archived": 50, "left_out": 0, "unexplained": 0,
    }  # fmt: skip
    assert [gate.passed for gate in plan.gates if gate.id == "account"] == [True] if plan else False


def test_d7_nothing_protected_goes_and_the_rest_needs_a_person(workspace: Path) -> None:
    put(workspace, MEMORY, HEAD + "## Feedback\n" + "- 2024-01-01: never deploy on Friday\n" * 250)
    outcome = plan_of(workspace)
    assert outcome.plan is None and "250 entries are protected" in outcome.report


@pytest.mark.parametrize(
    "kept",
    ["[NEVER_PRUNE] x", "[REFERENCE] x", "[user] x", "x [feedback]", "x [pinned]"],
)
def test_d7_a_mark_on_an_entry_or_its_heading_protects_it(kept: str) -> None:
    text = f"## Notes\n- 2020-01-01: {kept}\n\n## Notes {kept}\n\n### Below\n- 2020-01-01: old\n- 2020-01-02: older\n"
    assert [bool(one.kept) for one in memory_entries(MEMORY, text)] == [True, True, True]
    assert not list(pruned_entries(memory_entries(MEMORY, text), (), TODAY))


def test_a_file_called_memory_is_no_section_that_is_kept() -> None:
    """A flush writes `# Memory` above its promotions: below that title a prune never found anything."""
    entries = memory_entries("MEMORY.md", "# Memory\n- 2020-01-01: old\n\n## Feedback\n- 2020-01-01: kept\n")
    assert [one.kept for one in entries] == ["", "its section is feedback"]


def test_sections_that_others_write_stay(workspace: Path) -> None:
    root = "<!-- memdeck:root:start (mirrors memory/ROOT.md) -->\n- 2020-01-01: mirrored\n<!-- memdeck:root:end -->\n"
    tool = "<!-- openclaw:dreaming:light:start -->\n- 2020-01-01: dreamt\n<!-- openclaw:dreaming:light:end -->\n"
    found = memory_entries(MEMORY, f"- 2020-01-01: ours\n\n{root}\n{tool}")
    assert [(one.text, bool(one.kept)) for one in found] == [
        ("- 2020-01-01: ours", False), ("- 2020-01-01: mirrored", True), ("- 2020-01-01: dreamt", True),
    ]  # fmt: skip


def test_below_the_cap_nothing_goes(workspace: Path) -> None:
    put(workspace, MEMORY, HEAD + history(180))
    assert line_total((workspace / MEMORY).read_text("utf-8")) == 188
    outcome = plan_of(workspace)
    assert outcome.plan is None and "188 lines, below 200" in outcome.report


@pytest.mark.parametrize(
    ("short", "long", "held"),
    [
        ("Deploy billing on Friday", "Never deploy billing on Friday", False),
        ("Deploy billing on Friday", "We rejected: deploy billing on Friday", False),
        ("Deploy billing before the tests", "Deploy billing after the tests", False),
        ("Switched from files to SQLite", "Switched from SQLite to files", False),
        ("the owner of billing is Anna Schmidt", "the owner of billing is Hanna Schmidt", False),
        ("Use Redis", "Use Redis", False),
        ("Die Rechnungen gehen nicht am Freitag raus", "Die Rechnungen gehen am Freitag raus", False),
        ("我们决定每天晚上部署账单服务", "我们决定每天晚上部署账单服务", True),
        ("- 2026-01-01: **Deploy** billing at night", "* 2026-02-02 — deploy billing at night!", True),
        ("deploy billing at night", "DEC-004: deploy the billing at night, on node", True),
    ],
)
def test_only_the_same_words_count_as_the_same(short: str, long: str, held: bool) -> None:
    assert is_held(said_words(short), said_words(long)) is held


def test_two_lessons_or_two_sections_supersede_nothing() -> None:
    text = (
        "## A\n- 2026-01-01: Lesson of billing: test it\n- 2026-02-01: Lesson of billing: ship it\n"
        "- 2026-01-01: Port of billing: 1\n\n## B\n- 2026-02-01: Port of billing: 2\n"
    )
    found = pruned_entries(memory_entries(MEMORY, text), (), TODAY)
    assert {one.reason for one in found} == {PruneReason.HISTORICAL}


def test_an_entry_that_another_was_merged_into_stays() -> None:
    said = "the queue of billing is drained at night"
    text = f"- 2026-01-01: {said}\n- 2026-01-02: {said}\n"
    (found,) = pruned_entries(memory_entries(MEMORY, text), (), TODAY)
    assert (found.entry.start, found.reason, found.into) == (1, PruneReason.REDUNDANT, f"{MEMORY}:2")


ENTRIES = st.lists(
    st.sampled_from(
        [
            "- 2026-01-01: one\n", "- 2026-01-01: the deploy of billing runs at night\n",
            "- undated\n  - nested\n\n  more\n", "1. 2026-01-02: Port of x: 1\n",
            "A paragraph\nof two lines\n\n", "## Section\n\n", "## User\n", "- 2026-03-01: kept [NEVER_PRUNE]\n",
            "```\n- 2026-01-01: code\n```\n\n", "- [x] done\n", "<!-- a comment -->\n", "- 2026-02-30: no day\r\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "- 2026-02-02: Port of x: 2\n", "\n", "* 2026-01-03 中文的条目\n",
        ]
    ),
    max_size=40,
)  # fmt: skip


@given(ENTRIES, st.data())
def test_d25_whatever_goes_every_line_stands_in_one_of_the_two_files(parts: list[str], data: st.DataObject) -> None:
    text = "---\nline_count: 1\n---\n" + "".join(parts)
    entries = memory_entries(MEMORY, text)
    found = list(pruned_entries(entries, (), TODAY))
    assert len({one.entry.start for one in found}) == len(found)
    assert not [one for one in found if one.entry.kept]
    gone: list[PrunedEntry] = data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
    after = without_entries(text, gone)
    assert lost_lines(text, after, gone) == ()
    archive = archived_entries(MEMORY, text, gone, TODAY).text
    assert all(one.entry.text in archive.replace("\r", "") for one in gone)
    left = [one.text for one in memory_entries(MEMORY, after)]
    assert sum(map(len, left)) >= sum(len(one.text) for one in entries) - sum(len(one.entry.text) for one in gone) - 1
    if gone:
        assert f"line_count: {line_total(after)}\n" in after


def test_a_line_that_is_lost_is_told() -> None:
    text = "- 2026-01-01: one\n- 2026-01-02: two\n"
    assert lost_lines(text, "- 2026-01-01: one\n", ()) == ("- 2026-01-02: two",)


# ── files ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_journals_of_more_than_ninety_days_go_by_the_day_of_their_name(workspace: Path) -> None:
    for days in (1, 89, 90, 91, 400):
        put(workspace, f"knowledge/journal/{TODAY - timedelta(days=days)}.md", f"# {days}\n")
    put(workspace, "knowledge/journal/2026-01-01.md", "- kept [NEVER_PRUNE]\n")
    put(workspace, "knowledge/journal/2026-01-02.md", "```\n[NEVER_PRUNE]\n```\n")
    put(workspace, "knowledge/journal/ideas.md", "---\ndate: 2020-01-01\n---\n")
    outcome = plan_of(workspace, "journals")
    assert outcome.plan is not None
    gone = {one.path: one.to for one in outcome.plan.changes if isinstance(one, Move)}
    old = [(TODAY - timedelta(days=91)).isoformat(), (TODAY - timedelta(days=400)).isoformat(), "2026-01-02"]
    assert gone == {f"knowledge/journal/{day}.md": f"archive/journal/{day}.md" for day in old}
    assert outcome.plan.risk_tier is RiskTier.B
    assert "keep  knowledge/journal/2026-01-01.md: a line of it is marked as kept for ever" in outcome.report


def test_d7_d46_files_without_use_go_on_day_94_and_what_is_protected_never(workspace: Path) -> None:
    def dated(days: int, more: str = "") -> str:
        return f"---\ntype: reference\ndate: {TODAY - timedelta(days=days)}\n{more}---\n\n# Note\n"

    put(workspace, "knowledge/reference/young.md", dated(93))
    put(workspace, "knowledge/reference/old.md", dated(94))
    put(workspace, "knowledge/reference/linked.md", dated(107))
    put(workspace, "knowledge/reference/linked-once.md", dated(108))
    put(workspace, "knowledge/reference/updated.md", dated(300, f"updated: {TODAY}\n"))
    put(workspace, "knowledge/reference/pinned.md", dated(300, "pinned: true\n"))
    put(workspace, "knowledge/people/cy.md", dated(300).replace("type: reference", "type: user"))
    put(workspace, "knowledge/people/di.md", dated(300).replace("type: reference", "type: feedback"))
    put(workspace, "knowledge/identity/SOUL.md", dated(300))
    put(workspace, "knowledge/projects/_active.md", dated(300))
    put(workspace, "knowledge/procedures/links.md", dated(1) + "[[linked]] [[linked-once]]\n")
    outcome = plan_of(workspace, "files")
    assert outcome.plan is not None
    assert {one.path for one in outcome.plan.changes} == {
        "knowledge/reference/old.md", "knowledge/reference/linked-once.md",
    }  # fmt: skip
    assert "knowledge/reference/old.md: 94 days old, no reference: score 0.0095, below 0.01" in outcome.report
    assert "keep  knowledge/reference/linked.md: 107 days old; linked 1" in outcome.report


def test_applied_and_run_again_nothing_goes_and_the_files_are_the_same_bytes(workspace: Path) -> None:
    put(workspace, "knowledge/journal/2026-01-01.md", "\ufeff# odd\r\nbytes\n")
    before = (workspace / "knowledge/journal/2026-01-01.md").read_bytes()
    with Engine.open(workspace, clock=lambda: NOW) as console:
        approve(console, console.plans.make("prune").plan)
        again = console.plans.make("prune")
    assert again.plan is None and again.reason_no_action == "nothing is over its limit"
    assert (workspace / "archive/journal/2026-01-01.md").read_bytes() == before


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("knowledge/reference/x.md", "archive/reference/x.md"),
        ("knowledge/journal/2026-01-01.md", "archive/journal/2026-01-01.md"),
        ("memory/working/2026-01-01-x.md", "memory/archive/2026-01-01-x-archived-2026-11-23.md"),
        ("memory/episodic/x.md", "memory/archive/x-archived-2026-11-23.md"),
        ("memory/semantic/openclaw.md", ""),
        ("raw/conversations/2026/01/01/x.md", ""),
    ],
)
def test_d26_knowledge_goes_to_the_root_and_memory_tiers_to_their_own_archive(path: str, place: str) -> None:
    assert archive_place(path, TODAY) == place


def test_a_place_in_the_archive_comes_back_to_where_it_was_and_none_is_given_twice() -> None:
    assert former_place("archive/reference/x.md") == "knowledge/reference/x.md"
    assert former_place("memory/archive/x-archived-2026-11-23-2.md") == "memory/working/x.md"
    taken = Workspace({"archive/x.md": "x\n"}, skipped=(("archive/z.bin", "not a note"),)).snapshot()
    places = FreeNames(taken)
    assert [places.free_path(name) for name in ("archive/X.md", "archive/x.md", "archive/y.md", "z.md")] == [
        "archive/X-2.md", "archive/x-3.md", "archive/y.md", "z.md",
    ]  # fmt: skip


def test_the_three_methods_of_the_interface_queue_a_plan_of_their_part_and_move_nothing(workspace: Path) -> None:
    put(workspace, "knowledge/journal/2026-01-01.md", "# old\n")
    put(workspace, "knowledge/reference/old.md", "---\ndate: 2026-01-01\n---\n\n# Old\n")
    with Memory(workspace, "agent", clock=lambda: NOW) as memory:
        made = [
            asyncio.run(method())
            for method in (memory.pruner.prune_memory, memory.pruner.prune_journals, memory.pruner.score_and_evict)
        ]
    touched = [{change.path for change in one.plan.changes} if one.plan is not None else set() for one in made]
    assert touched == [
        {MEMORY, "archive/memory/MEMORY-2026-11-23.md"},
        {"knowledge/journal/2026-01-01.md"},
        {"knowledge/reference/old.md"},
    ]
    assert (workspace / "knowledge/journal/2026-01-01.md").is_file()
