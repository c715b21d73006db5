"""The demonstration: believable figures, due work, and a past that holds."""

import os
import shutil
import subprocess
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.demo.notes import between, fill, fill_numbers, parts
from engine.demo.past_plans import CYCLES, LATE
from engine.errors import MemdeckError
from engine.lifecycle.requests import CorrectRequest, ForgetRequest
from engine.plans.memory_status import SemanticBand
from engine.plans.operation import OperationKind, OperationState, Write
from engine.plans.plan import Append, PlanState, Replace
from engine.plans.planning import PlanRequest
from engine.plans.trust_label import Trust
from engine.services.engine import Engine
from engine.sessions.window.token_timeline import WindowBand
from engine.text.canonical_json import sha256_hex
from engine.text.encoder.encoder import encoder_problem
from engine.workspace.values import Capability, WorkspaceIdentity
from tests.ready_demo import NOW, Demo, copy, make
from tests.turn import examples

TO_SEE = ["tree_gap", "tree_stale_fixed"]
"""What `check` tells of on purpose: days without a node yet, and a log that grew after its day was fixed."""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """One that was made where it is, without git."""
    return make(tmp_path_factory.mktemp("bare"), git=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("failing", ["init", "fast-import", "read-tree"])
def test_a_git_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    """A broken pipe to git ended the command with exit code 0, as if the reader of its output had gone away."""
    git = shutil.which("git")
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\ncase "$*" in *{failing}*) exit 1 ;; esac\nexec {git} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(MemdeckError, match="git failed while it was made"):
        make(tmp_path)


def test_its_tree_has_something_of_every_kind_to_see(demo: Demo) -> None:
    with demo.open() as console:
        tree = console.status.read().tree
        assert (tree["daily"]["missing"], tree["daily"]["stale"], tree["daily"]["damaged"]) == (3, 1, 0)
        assert tree["weekly"]["tentative"] and tree["monthly"]["fixed"] >= 4 and tree["root"]["freshness"] == "fresh"
        outcome = console.tree.browse().todo()
        assert {item.freshness.value for item in outcome} >= {"missing", "stale-fixed"}
        days = console.tree.browse().fixed_on(NOW.date() + timedelta(days=1))
        assert "memory/weekly/2026-W10.md" in days
    assert (demo.folder / "MEMORY.md").read_text("utf-8").count("memdeck:root:start") == 1


def test_it_has_every_capability_and_due_work(demo: Demo) -> None:
    """CLI.md: a realistic workspace with every capability, due work included."""
    with demo.open() as console:
        status = console.status.read()
    tiers = status.memory_tiers
    assert set(status.capabilities) == {capability.value for capability in Capability}
    assert tiers.working.files >= 13 and tiers.working.eligible >= 8
    assert tiers.working.oldest_days is not None and tiers.working.oldest_days > 10
    assert tiers.episodic.oldest_days is not None and tiers.episodic.oldest_days > 45
    assert tiers.episodic.eligible >= 3
    assert {trigger.id for trigger in status.triggers if trigger.fired} >= {"semantic_risk", "working_files"}
    assert not status.first_run and not status.cooldown.active


def test_the_shard_is_between_risk_and_hard_limit(demo: Demo) -> None:
    with demo.open() as console:
        shards = {shard.path: shard for shard in console.status.read().memory_tiers.semantic.shards}
    openclaw = shards["memory/semantic/openclaw.md"]
    assert 1020 < openclaw.tokens <= 1200 and openclaw.band is SemanticBand.RISK
    assert shards["memory/semantic/whatsapp-bot.md"].band is SemanticBand.OK


@pytest.mark.sampled(4)
@settings(max_examples=examples(2), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.integers(0, 3000))
def test_the_shard_is_there_on_every_day(tmp_path_factory: pytest.TempPathFactory, days: int) -> None:
    """The dates in the entries' provenance have the same length on every day, so the size holds."""
    made = make(tmp_path_factory.mktemp("day"), now=NOW + timedelta(days=days), git=False)
    from engine.text.tokens import counter

    text = (made.folder / "memory/semantic/openclaw.md").read_text("utf-8")
    assert 1020 < counter("o200k_base").count(text) <= 1200


def test_a_dry_run_finds_work_and_queues_it(demo: Demo, tmp_path: Path) -> None:
    with copy(demo, tmp_path).open() as console:
        outcome = console.plans.make("compact")
        plan = outcome.plan
        assert plan is not None and len(plan.changes) >= 20
        waiting = {entry.id for entry in console.plans.queue() if entry.state is PlanState.PENDING}
    # Its large shard has no room for all that is found.
    assert [other.system for other in outcome.also] == ["shard"]
    assert waiting == {plan.id, outcome.also[0].id}


def test_nothing_in_it_is_flagged_or_untrusted(demo: Demo) -> None:
    with demo.open() as console:
        for system in ("tree", "compact"):
            outcome = console.plans.make(system)
            plans = [plan for plan in (outcome.plan, *outcome.also) if plan is not None]
            assert plans
            for change in (change for plan in plans for change in plan.changes):
                assert change.flagged == ()
                assert getattr(change.trust, "trust", None) is not Trust.UNTRUSTED, change.trust


def test_check_and_verify_find_nothing_wrong_with_its_past(demo: Demo) -> None:
    with demo.open() as console:
        assert [finding.id for finding in console.maintenance.check(deep=True)] == TO_SEE
        assert console.history.verify() == ()
        assert console.maintenance.recover() == ()


def test_its_operations_say_that_demo_approved_them(demo: Demo) -> None:
    with demo.open() as console:
        operations = console.history.operations()
        records = console.history.audit()
    assert demo.made.operations == len(operations) == 8 + len(CYCLES)
    for operation in operations:
        assert operation.approval is not None and operation.approval.witness.user == "demo"
        assert operation.approval.expires_at < NOW
    assert {operation.state for operation in operations} == {OperationState.DONE, OperationState.UNDONE}
    assert [record.kind for record in records] == ["approval", "intent", "result"] * len(operations)


def test_the_files_are_as_the_operations_left_them(demo: Demo) -> None:
    """Every path that an operation touched last holds the bytes that operation recorded."""
    last: dict[str, str] = {}
    with demo.open() as console:
        for operation in reversed(console.history.operations()):
            for effect in operation.effects:
                if isinstance(effect, Write):
                    last[effect.path] = effect.after
    held = {path: sha for path, sha in last.items() if (demo.folder / path).is_file()}
    assert len(held) >= 13
    assert {path: sha256_hex((demo.folder / path).read_bytes()) for path in held} == held


def test_what_stands_can_be_taken_back_in_turn(demo: Demo) -> None:
    """Undo finds all that it needs; the oldest is refused, since later ones stand on it (G20)."""
    from engine.errors import Refused

    with demo.open() as console:
        reversal = console.history.reversal()
        assert reversal.system == "tree" and len(console.history.reversal_diffs(reversal)) == len(reversal.effects) > 5
        oldest = min(op.id for op in console.history.operations() if op.kind is OperationKind.APPLY)
        with pytest.raises(Refused):
            console.history.reversal(oldest)


def test_a_state_of_its_own_and_nothing_else_is_written(demo: Demo) -> None:
    assert sorted(path.name for path in demo.folder.parent.iterdir()) == ["silas", "state"]
    assert not list(demo.folder.glob("**/*memdeck*"))


def test_the_same_day_gives_the_same_bytes(bare: Demo, demo: Demo) -> None:
    """Both were made by themselves, one without git."""
    assert _contents(bare.folder) == _contents(demo.folder)
    assert len(_contents(bare.folder)) > 200


def test_five_months_of_logs_in_two_languages(demo: Demo) -> None:
    logs = sorted((demo.folder / "memory").glob("????-??-??.md"))
    assert len(logs) > 100
    assert (NOW.date() - datetime.fromisoformat(logs[0].stem).date()).days > 140
    text = "".join(log.read_text("utf-8") for log in logs)
    assert "Wartung der Datenbank" in text and "New checkout taken back" in text
    assert "{{" not in text


def test_git_knows_the_past_and_the_last_days_are_not_committed(demo: Demo) -> None:
    log = _git(demo.folder, "log", "--format=%s%n%b")
    assert log.count("maintenance: ") == 7 + len(CYCLES) and log.count("memory: week to") >= 20
    changed = _git(demo.folder, "status", "--porcelain")
    late = f"memory/{NOW.date() + timedelta(days=LATE[0])}.md"
    assert f"?? memory/{NOW.date()}.md" in changed
    assert [line[3:] for line in changed.splitlines() if not line.startswith("??")] == [late]
    with demo.open() as console:
        commits = {operation.commit for operation in console.history.operations()}
    assert commits <= set(_git(demo.folder, "log", "--format=%H").split())


def test_it_is_the_same_without_git(bare: Demo, demo: Demo) -> None:
    assert not bare.made.git and not (bare.folder / ".git").exists()
    assert _contents(bare.folder) == _contents(demo.folder)
    with bare.open() as console:
        assert [finding.id for finding in console.maintenance.check(deep=True)] == TO_SEE


@given(st.integers(0, 100), st.integers(0, 100), st.text())
def test_numbers_stay_between_their_bounds(low: int, more: int, seed: str) -> None:
    assert low <= between(low, low + more, seed) <= low + more
    assert fill_numbers(f"{{{{{low}..{low + more}}}}}", seed).isdigit()


def test_no_text_keeps_a_mark_or_a_hole() -> None:
    names = ("workspace", "events", "working", "compiled", "semantic", "routine", "conversations")
    texts = [body for name in names for _, body in parts(name)]
    assert len(texts) > 140
    for text in texts:
        assert "{{" not in fill_numbers(fill(text, NOW.date()), "x")


def test_identity_is_that_of_the_folder(bare: Demo) -> None:
    with bare.open() as console:
        plan = console.plans.load(console.plans.queue()[0].id)
    found = bare.folder.stat()
    assert plan.workspace == WorkspaceIdentity(str(bare.folder.resolve()), found.st_dev, found.st_ino)


def _contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True).stdout


def test_its_gauges_have_a_course_and_its_operator_a_last_look(demo: Demo) -> None:
    """What the Overview shows on the first day: trends with a forecast, and what the agent did since yesterday."""
    with Engine.open(demo.folder, env=demo.env, clock=lambda: NOW) as console:
        trends = {trend.id: trend for trend in console.status.trends()}
        assert {"working.files", "episodic.oldest", "root.tokens", "memory_md.lines"} <= set(trends)
        assert all(len(trend.points) >= 20 for trend in trends.values())
        assert any(trend.forecast is not None for trend in trends.values())
        since = console.review.since_looked(look=True)
        assert since.looked_at is not None and since.looked_at.date() == NOW.date() - timedelta(days=1)
        did = {change.did.value for change in since.changes}
        assert did == {"added", "changed"} and not any(change.later for change in since.changes)
        assert all(diff.added for diff in console.changes.agent_diffs(since.changes))


def test_its_session_of_this_morning_has_a_timeline_and_a_flush_worth_approving(demo: Demo, tmp_path: Path) -> None:
    """At 81 % of its window, compacted once and saved before it: nothing is alarmed, and there is something to keep."""
    with copy(demo, tmp_path).open_today() as console:
        (window,) = console.windows.sessions()
        timeline = console.flushes.timeline(window.session)
        assert 800 <= window.tokens * 1000 // window.limit < 820 and window.band is WindowBand.WARNING
        assert {note.kind for notes in timeline.touched.values() for note in notes} == {"given", "read", "wrote"}
        assert [cut.saved for cut in timeline.cuts] == ["saved"] and not console.flushes.alarms()
        plan = console.plans.make("flush").plan
    assert plan is not None and all(gate.passed for gate in plan.gates)
    texts = {change.path: change.content for change in plan.changes if isinstance(change, Append | Replace)}
    assert "two weeks, as I told Petra" in texts["MEMORY.md"]
    assert texts["knowledge/projects/depot-v2/context.md"].count("| Rationale: ") == 2


def test_its_transcripts_hold_what_lasts_of_nearly_every_kind(demo: Demo, tmp_path: Path) -> None:
    """Found by the rules alone, with the encoder or without: the demonstration plants no entry."""
    with copy(demo, tmp_path).open_today() as console:
        plan = console.plans.make("extract").plan
        assert plan is not None
        entries = console.extractions.entries(plan.id)
    kinds = {entry.kind.value for entry in entries}
    assert len(entries) >= 9
    assert kinds >= {"decision", "lesson", "person", "procedure", "preference", "correction"}
    assert "(superseded: " in "".join(getattr(change, "content", "") for change in plan.changes), "24 h, then 48 h"


@pytest.mark.skipif(bool(encoder_problem()), reason="rules alone hear what rules alone have heard")
def test_its_replay_finds_more_than_the_extraction_of_the_past(demo: Demo, tmp_path: Path) -> None:
    """That one was made by rules alone: with the encoder each session keeps its entries and has another."""
    with copy(demo, tmp_path).open_today() as console:
        plan = console.plans.make("replay").plan
        assert plan is not None
        pairs = console.replays.pairs(plan.id)
        assert {entry.state for entry in console.plans.queue() if entry.id == plan.id} == {PlanState.PENDING}
    assert len(pairs) == 2
    kinds = {change.path: type(change) for change in plan.changes}
    assert kinds["AGENTS.md"] is kinds["USER.md"] is Replace, "they were taken for new ones: the plan was stale at once"
    for pair in pairs:
        before, after = (pair.two, pair.one) if pair.swapped else (pair.one, pair.two)
        assert set(before) < set(after)


def test_it_has_a_fact_to_correct_one_to_forget_and_claims_that_are_not_so(demo: Demo, tmp_path: Path) -> None:
    """By what its notes say: the stack stays warm for 48 hours since its second switch; a family's day is private."""
    mine = copy(demo, tmp_path)
    with mine.open_today() as console:
        line = (mine.folder / "MEMORY.md").read_text("utf-8").splitlines().index(
            STALE.format(NOW.date() - timedelta(days=75))
        ) + 1
        correct = CorrectRequest(
            take=(f"MEMORY.md:{line}",), value="The old stack stays warm for 48 hours", why="needed"
        )
        assert console.plans.preview("correct", PlanRequest(correct)).plan is not None
        forget = console.plans.preview("forget", PlanRequest(ForgetRequest(words=("daughter to physiotherapy",)))).plan
        verdicts = {claim.verdict.value for claim in console.reality.verify().claims}
    assert forget is not None
    assert {"MEMORY.md", "memory/ROOT.md"} < {change.path for change in forget.changes} and len(forget.changes) >= 6
    assert verdicts == {"holds", "gone", "moved"}


STALE = "- {}: Deploys are switches; the old stack stays warm for 24 hours"
