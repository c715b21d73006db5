"""A fact goes from every place that says it, and a look of the test's own finds nothing of it (decision D62)."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import MemdeckError, Refused, UsageError
from engine.lifecycle.requests import ForgetRequest
from engine.plans.plan import PlanState, Replace, RiskTier
from engine.plans.planning import PlanOutcome, PlanRequest
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.state.private_files import hooked
from engine.workspace.values import FindingKind
from tests.engine.approved import applied, undone
from tests.engine.history.repos import git, write
from tests.engine.lifecycle.forget.planted import Planted

STEPS = ("forget-state", "forget-database", "forget-history", "forget-history-clean", "forget-receipt")
SOURCES = {"memory/2026-03-10.md", "raw/conversations/2026/03/10/1001-s.md", "DailyLogs/2026-03-10.md"}


def plan(console: Engine, **asked: object) -> PlanOutcome:
    return console.plans.make("forget", PlanRequest(ForgetRequest(**asked)))  # type: ignore[arg-type]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("seed", range(50))
def test_d62_nothing_of_a_fact_is_left_anywhere_and_all_else_stays(tmp_path: Path, own_home: Path, seed: int) -> None:
    place = Planted(tmp_path, seed)
    with place.open() as console:
        place.use(console)
        before = {file: file.read_text("utf-8") for file in notes(place)}
        made = plan(console, words=(place.value,), raw=True, history=True)
        assert made.plan is not None and made.plan.risk_tier is RiskTier.C
        assert place.value not in made.report and {one.path for one in made.plan.changes} >= SOURCES
        done = applied(console, made)
        receipt = console.receipts.read(done.id)
        assert receipt.left == () and receipt.history.startswith("rewritten")
        assert receipt.looked.files > 50 and receipt.looked.objects > 30 and receipt.looked.rows > 5
        assert console.receipts.check(receipt).left == ()
        with pytest.raises(Refused, match="cannot come back"):
            undone(console, done)
        assert [one for one in console.maintenance.check(deep=True) if one.kind is FindingKind.DAMAGE] == []
    assert place.traces() == []
    for file, text in before.items():
        kept = [line for line in text.split("\n") if place.value.lower() not in line.lower()]
        left = file.read_text("utf-8").split("\n")
        assert [line for line in left if "(forgotten)" not in line] == kept, file
    assert git(place.workspace, "fsck", "--strict") == "" and not git(place.workspace, "status", "--porcelain", "-uno")
    assert place.value not in git(place.workspace, "log", "--all", "-p")


def notes(place: Planted) -> list[Path]:
    return [one for one in place.workspace.rglob("*") if one.suffix in (".md", ".json") and ".git" not in one.parts]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """One workspace from which sources and history are not forgotten; read by the tests below."""
    made = Planted(tmp_path_factory.mktemp("forgetting"), 7)
    with made.open() as console:
        made.use(console)
        made.operation = applied(console, plan(console, words=(made.value,))).id  # type: ignore[attr-defined]
    return made


def test_what_was_not_asked_for_stays_and_the_receipt_says_so(place: Planted) -> None:
    with place.open() as console:
        receipt = console.receipts.read()
        left = {one.place.removeprefix("state:") for one in receipt.left if one.count}
    assert left >= SOURCES | {"session-backups/s.jsonl"} and any(one.startswith("git, ") for one in left)
    assert all(one.reason for one in receipt.left), receipt.left
    found = {one for one in place.traces() if not one.startswith((".git/", "git ", "reflog"))}
    assert {one.partition("session-backups")[0] + "session-backups" for one in found - SOURCES} == {
        f"workspaces/{next((place.state / 'workspaces').iterdir()).name}/session-backups"
    }


def test_a_receipt_finds_what_came_back_and_knows_no_words(place: Planted) -> None:
    with place.open() as console:
        receipt = console.receipts.read()
        note = place.workspace / "knowledge/reference/back.md"
        note.write_text(f"# Back\n\n{place.value}\n")
        again = console.receipts.check(receipt)
        note.unlink()
        file = place.state / "workspaces" / next((place.state / "workspaces").iterdir()).name / "receipts"
        text = next(file.iterdir()).read_text()
    assert {one.place for one in again.left} - {one.place for one in receipt.left} == {"knowledge/reference/back.md"}
    assert place.value not in text and place.fact not in text


def test_a_plan_does_not_bring_it_back(place: Planted) -> None:
    with place.open() as console:
        say = NoteProposal(
            path="memory/working/new.md", action="create", content=f"# N\n\n{place.fact}.\nKept.\n", reason="x"
        )
        made = console.plans.load(console.proposals.propose(say, "agent").id)
        console.plans.reject(made.id, "no")
    (change,) = made.changes
    assert change.content == "# N\n\n(forgotten)\nKept.\n"  # type: ignore[union-attr]
    assert "line 3 says what was forgotten, and is omitted" in change.warnings


def test_an_edit_that_brings_it_back_says_so_on_its_plan(place: Planted) -> None:
    with place.open() as console:
        path = next(
            file.relative_to(place.workspace).as_posix() for file in sorted(place.workspace.glob("memory/2*.md"))
        )
        text = console.revert.text_to_edit(path)
        plans = [console.revert.edit(path, text, text + more.encode()).plan for more in ("Kept.\n", f"{place.fact}.\n")]
        told = [plan.changes[0].warnings for plan in plans if plan is not None]
        console.plans.reject(plans[-1].id if plans[-1] is not None else "", "no")
    assert told == [(), ("it says again what was forgotten",)]


def test_plans_that_held_it_can_be_read_and_the_waiting_one_is_rejected(place: Planted) -> None:
    with place.open() as console:
        entries = console.plans.queue()
        assert all(not one.damage for one in entries) and all(console.plans.load(one.id) for one in entries)
        waiting = [one for one in entries if one.state_reason == "it held what was forgotten"]
        assert [one.state for one in waiting] == [PlanState.REJECTED]
        gone = next(one for one in console.history.operations() if one.system == "proposal")
        with pytest.raises(MemdeckError, match="forgotten"):
            undone(console, gone)


def test_what_only_lies_beside_the_notes_goes_too(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 3)
    with place.open() as console:
        place.use(console)
        applied(console, plan(console, words=(place.value,), raw=True))
        made = plan(console, words=(place.value,), raw=True, history=True)
        assert made.plan is not None and [one.path for one in made.plan.changes] == ["memory/forgotten.md"]
        done = applied(console, made)
        assert console.receipts.read(done.id).left == ()
        assert plan(console, words=("nothing at all says this",)).plan is None
    assert place.traces() == []


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "step", ["forget-state", "forget-database", "forget-history", "forget-history-clean", "forget-receipt"]
)
def test_a_forgetting_that_is_cut_off_is_gone_on_with(tmp_path: Path, own_home: Path, step: str) -> None:
    place = Planted(tmp_path, 5)
    with place.open() as console:
        place.use(console)
        made = plan(console, words=(place.value,), raw=True, history=True)
        with hooked(_stop_at(step, 2 if step in ("forget-state", "forget-database") else 1)), pytest.raises(SystemExit):
            applied(console, made)
    with place.open() as console:
        assert any(one.id == "forgetting" for one in console.maintenance.check())
        assert [one.id for one in console.maintenance.recover()] == ["forgotten"]
        assert console.receipts.read().left == () and console.maintenance.recover() == ()
    assert place.traces() == []


def test_a_plan_that_was_not_applied_leaves_nothing_to_go_on_with(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 5)
    with place.open() as console:
        made = plan(console, words=(place.value,))
        with hooked(_stop_at("stage-write")), pytest.raises(SystemExit):
            applied(console, made)
        console.maintenance.recover()
        assert not list(place.state.rglob("forgetting.json")) and not list(place.state.rglob("receipts"))


def _stop_at(step: str, time: int = 1) -> Callable[[str], None]:
    """Stops at the step when it comes for this time."""
    met: list[str] = []

    def cut(name: str) -> None:
        met.append(name)
        if met.count(step) >= time:
            raise SystemExit

    return cut


def test_a_line_goes_with_what_was_made_from_it(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 9)
    with place.open() as console:
        made = plan(console, take=("MEMORY.md:3",))
        assert made.plan is not None and {one.path for one in made.plan.changes} >= {"MEMORY.md", "memory/ROOT.md"}
        for wrong in ("MEMORY.md", "MEMORY.md:99", "MEMORY.md:2"):
            with pytest.raises(UsageError):
                plan(console, take=(wrong,))
        with pytest.raises(UsageError, match="newest commit"):
            plan(console, words=("x y z",), history=True)
        with pytest.raises(UsageError, match="what is to be forgotten"):
            plan(console)


def test_of_a_line_of_several_facts_the_chosen_one_goes_and_the_rest_stays(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 9)
    line, said = "knowledge/two.md:3", "The port of billing is 5433. Ana lives in Berlin."
    write(place.workspace, {"knowledge/two.md": f"# Two\n\n- {said}\n", "memory/ROOT.md": f"# Root\n\n- {said}\n"})
    with place.open() as console:
        for unclear in (line, f"{line}.3", f"{line}.0"):
            with pytest.raises(UsageError, match=r"which of its facts.*two.md:3.2 “Ana lives in Berlin.”.*3.all"):
                plan(console, take=(unclear,))
        every = plan(console, take=(f"{line}.all",)).plan
        assert every is not None
        assert {one.content for one in every.changes if isinstance(one, Replace)} == {"# Two\n\n", "# Root\n\n"}
        applied(console, plan(console, take=(f"{line}.2",)))
    for path in ("knowledge/two.md", "memory/ROOT.md"):
        assert "- The port of billing is 5433. (forgotten)\n" in (place.workspace / path).read_text()


def test_records_stay_readable_whatever_is_forgotten(tmp_path: Path, own_home: Path) -> None:
    """A year, a zone and a folder stand in records as well, where they say when and where."""
    place = Planted(tmp_path, 15)
    with place.open() as console:
        place.use(console)
        applied(console, plan(console, words=("2026",), about=("UTC", "memory", "agent")))
        assert [one for one in console.maintenance.check(deep=True) if one.kind is FindingKind.DAMAGE] == []
        assert all(console.plans.load(one.id) for one in console.plans.queue())


def test_history_that_is_not_ones_own_asks_once_more(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 11)
    git(place.workspace, "remote", "add", "origin", "https://example.org/x.git")
    git(place.workspace, "commit", "-q", "--allow-empty", "--author", "Bob <bob@example.org>", "-m", "his")
    with place.open() as console:
        made = plan(console, words=(place.value,), raw=True, history=True)
        assert made.plan is not None
        (asked,) = made.plan.confirmations
        assert "bob@example.org" in asked.question and "the remote origin keeps the old one" in asked.question
        assert any("refs/tags/first" in one for one in made.plan.warnings)


def test_d62_all_about_somebody_keeps_what_another_needs(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 13)
    people = place.workspace / "knowledge/people"
    (people / "ana.md").rename(people / "ana-lopez.md")
    git(place.workspace, "add", "-A")
    git(place.workspace, "commit", "-q", "-m", "renamed")
    (people / "bob.md").write_text("# Bob\n\n- Ana and Bob chose Postgres\n- Bob is here\n")
    with place.open() as console:
        made = plan(console, about=("Ana",), raw=True)
        assert "person, line 3: items go; the rest of line 3 stays, as others named there need it" in made.report
        assert "the whole note goes" in made.report
        applied(console, made)
        assert "ana-lopez" not in plan(console, about=("Ana",), raw=True).report, "what is gone is named no more"
        for receipt in (console.receipts.read(), console.receipts.check(console.receipts.read())):
            (older,) = (one for one in receipt.left if one.what == "earlier contents of the note")
            assert older.place == "git, knowledge/people/ana-lopez.md" and older.count == 1
    assert (people / "bob.md").read_text() == "# Bob\n\n- (forgotten) and Bob chose Postgres\n- Bob is here\n"
    assert (people / "ana-lopez.md").read_text() == "# (forgotten)\n", "her note says more than her name"
    assert "Ana" not in (place.workspace / "memory/2026-03-10.md").read_text()


def test_locks_of_a_killed_git_of_ours_go_and_those_of_others_stay(tmp_path: Path, own_home: Path) -> None:
    place = Planted(tmp_path, 17)
    old = place.workspace / ".git/refs/heads/theirs.lock"
    old.write_text("")
    os.utime(old, (1, 1))
    with place.open() as console:
        made = plan(console, words=(place.value,), raw=True, history=True)
        with hooked(_stop_at("forget-history-clean")), pytest.raises(SystemExit):
            applied(console, made)
        begun = next((place.state / "workspaces").iterdir()) / "rewriting.begun"
        begun.write_bytes(b"")
        (place.workspace / ".git/HEAD.lock").write_text("")
        console.maintenance.recover()
        assert console.receipts.read().history.startswith("rewritten") and not begun.exists()
    assert [one.name for one in (place.workspace / ".git").rglob("*.lock")] == ["theirs.lock"]
