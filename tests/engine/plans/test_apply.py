"""Applying: what must hold before a byte is written, and what stands afterwards."""

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import Blocked, Cancelled, Conflict, Damaged, MemdeckError, Refused, Stale
from engine.plans.apply.context import CommitOutcome
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.operation import ChainHead, Operation, OperationState
from engine.plans.plan import Confirmation, Plan, PlanState, QualityGate, RiskTier
from engine.plans.policy.values import ApprovalPolicy, Policy
from engine.plans.records.journal import load_journal
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import Progress, Tick
from tests.engine.plans.rig import Rig, append, create, move, overwrite

ARCHIVED = "memory/archive/a-archived-2026-03-15.md"
CHANGES = (
    create(1, "memory/episodic/a.md", "summary\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new\n"),
    move(4, "memory/working/a.md", ARCHIVED),
)


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    rig = Rig(tmp_path / "workspace", tmp_path / "home")
    rig.write("memory/working/a.md", "alpha\n")
    rig.write("memory/semantic/openclaw.md", b"\xef\xbb\xbfTitle: x\r\n")
    rig.write("memory/notes.md", "old\n")
    return rig


def refused(rig: Rig, plan: Plan, approval: Any, error: type[MemdeckError], why: str) -> MemdeckError:
    """Applying fails like this and writes nothing in the workspace, and spends nothing."""
    before, state = rig.tree(), rig.ctx.queue.entry(plan.id).state
    log = len(rig.ctx.audit.records())
    with pytest.raises(error, match=why) as raised:
        apply(rig.ctx, plan, approval)
    assert rig.tree() == before
    assert len(rig.ctx.audit.records()) == log
    after = rig.ctx.queue.entry(plan.id).state
    assert after is (PlanState.STALE if isinstance(raised.value, Stale) else state)
    return raised.value


def test_every_change_comes_out_as_predicted(rig: Rig) -> None:
    """A2, A11, G14: BOM and CRLF of the appended file stay."""
    operation = rig.apply(*CHANGES)
    assert operation.state is OperationState.DONE
    assert operation.done == (0, 1, 2, 3)
    assert operation.problems == ()
    assert rig.read("memory/semantic/openclaw.md") == b"\xef\xbb\xbfTitle: x\r\nTitle: y\n"
    assert rig.read("memory/notes.md") == b"new\n"
    assert rig.read(ARCHIVED) == b"alpha\n"
    assert rig.read("memory/episodic/a.md") == b"summary\n"
    assert not (rig.folder / "memory/working/a.md").exists()
    entry = rig.ctx.queue.entry(operation.plan)
    assert (entry.state, entry.operation) == (PlanState.APPLIED, operation.id)
    assert rig.ctx.operations.load(operation.id) == operation
    assert load_journal(rig.ctx.state) is None


def test_a17_folders_are_made_on_apply_only(rig: Rig) -> None:
    """A17: planning makes none; the operation remembers those it made."""
    rig.plan(*CHANGES)
    assert not (rig.folder / "memory/archive").exists()
    assert rig.apply(*CHANGES).folders == ("memory/episodic", "memory/archive")


def test_the_audit_log_says_approval_intent_and_result_in_that_order(rig: Rig) -> None:
    """B7, G11: intent before effect; the record names terminal and processes; the head is kept in the operation."""
    plan = rig.plan(*CHANGES)
    seen: list[tuple[str, ...]] = []

    def hook(name: str) -> None:
        if name == "exchange":
            seen.append(tuple(record.kind for record in rig.ctx.audit.records()))

    with hooked(hook):
        operation = apply(rig.ctx, plan, rig.approve(plan))
    assert seen[0] == ("approval", "intent")
    approval, intent, result = rig.ctx.audit.records()
    assert approval.data["witness"]["tty"] == "/dev/pts/0"
    assert approval.data["witness"]["processes"] == ["pytest(1)"]
    assert approval.data["target"] == plan.digest
    assert intent.data["operation"] == result.data["operation"] == operation.id
    assert result.data["state"] == "done"
    assert operation.audit_head == result.head
    assert rig.ctx.audit.verify([result.head]) == ()


# Approvals --------------------------------------------------------------------------------------------------------


def test_g11_an_approval_is_for_one_digest(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    other = rig.approval("sha256:" + "0" * 64, (1, 2, 3, 4), RiskTier.C, {})
    refused(rig, plan, other, Refused, "for something else")


def test_g11_an_approval_expires_after_ten_minutes_of_real_time(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    approval = rig.approve(plan)
    rig.clock.at += timedelta(minutes=9, seconds=57)
    rig.clock.at += timedelta(seconds=2)
    refused(rig, plan, approval, Refused, "expired")
    long_lived = msgspec.structs.replace(rig.approve(plan), expires_at=rig.clock.at + timedelta(days=9))
    rig.clock.at += timedelta(minutes=10)
    refused(rig, plan, long_lived, Refused, "expired")


def test_g11_an_approval_made_before_the_clock_went_back_is_told_as_such(rig: Rig) -> None:
    """Else it would live on for as long as the clock went back. A plan does not mind."""
    plan = rig.plan(*CHANGES)
    approval = rig.approve(plan)
    rig.clock.at -= timedelta(minutes=5)
    refused(rig, plan, approval, Refused, "the clock went back")
    rig.clock.at -= timedelta(days=3)
    assert apply(rig.ctx, plan, rig.approve(plan)).state is OperationState.DONE


def test_g11_an_approval_is_used_once(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    approval = rig.approve(plan)
    apply(rig.ctx, plan, approval)
    rig.undo()
    again = rig.plan(*CHANGES)
    reused = msgspec.structs.replace(approval, target=again.digest)
    refused(rig, again, reused, Refused, "used already")
    refused(rig, again, msgspec.structs.replace(rig.approve(again), nonce=""), Refused, "used already")


def test_an_approval_for_another_tier_or_other_changes_is_refused(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    wrong_tier = msgspec.structs.replace(rig.approve(plan), risk_tier=RiskTier.B)
    refused(rig, plan, wrong_tier, Refused, "risk tier B, this is C")
    refused(rig, plan, msgspec.structs.replace(rig.approve(plan), numbers=()), Refused, "no such changes")
    refused(rig, plan, msgspec.structs.replace(rig.approve(plan), numbers=(1, 9)), Refused, "no such changes")
    refused(rig, plan, msgspec.structs.replace(rig.approve(plan), numbers=(1, 1)), Refused, "no such changes")


def test_without_an_approval_only_tier_a_by_policy(rig: Rig) -> None:
    """Risk tiers: default is to ask; the policy may let A run by itself, never B or C."""
    tier_a = msgspec.structs.replace(create(1, "memory/report.md", "r\n"), risk_tier=RiskTier.A)
    refused(rig, rig.plan(tier_a), None, Refused, "nobody approved")
    auto = Rig(rig.folder, rig.home, policy=Policy(approval=ApprovalPolicy(auto=("A",))), clock=rig.clock)
    refused(auto, auto.plan(*CHANGES), None, Refused, "nobody approved")
    asked = auto.plan(tier_a, confirmations=(Confirmation("first_run", "First run?"),))
    refused(auto, asked, None, Refused, "nobody approved")
    plan = auto.plan(msgspec.structs.replace(tier_a, path="memory/other.md"))
    operation = apply(auto.ctx, plan, None)
    assert operation.approval is None
    assert [r.data["by"] for r in auto.ctx.audit.records() if r.kind == "approval"] == ["policy"]


def test_every_confirmation_needs_its_reason(rig: Rig) -> None:
    """A12: confirmations add to a tier and are recorded with a reason."""
    plan = rig.plan(*CHANGES, confirmations=(Confirmation("cooldown", "Again within a day?"),))
    refused(rig, plan, rig.approve(plan), Refused, "not confirmed: Again within a day")
    refused(rig, plan, rig.approve(plan, answers={"cooldown": "  "}), Refused, "not confirmed")
    refused(rig, plan, rig.approve(plan, answers={"other": "why"}), Refused, "not confirmed")
    operation = apply(rig.ctx, plan, rig.approve(plan, answers={"cooldown": "sharding follows"}))
    assert operation.approval is not None
    assert operation.approval.answers[0].reason == "sharding follows"


def test_a_gate_that_did_not_pass_blocks_with_any_approval(rig: Rig) -> None:
    plan = rig.plan(*CHANGES, gates=(QualityGate("coverage", False, "two entries are missing"),))
    assert refused(rig, plan, rig.approve(plan), Blocked, "coverage").exit_code == 6


# What the plan is bound to ----------------------------------------------------------------------------------------


def test_g10_a_changed_input_writes_nothing_and_is_named(rig: Rig) -> None:
    """G10: each changed file by name, exit 4."""
    plan = rig.plan(*CHANGES)
    approval = rig.approve(plan)
    rig.write("memory/notes.md", "old\nagent\n")
    (rig.folder / "memory/working/a.md").unlink()
    error = refused(rig, plan, approval, Stale, "nothing was written")
    assert error.where == "memory/notes.md, memory/working/a.md"
    assert error.exit_code == 4


@pytest.mark.parametrize("taken", ["memory/episodic/a.md", ARCHIVED])
def test_g10_a_place_that_was_free_and_is_taken_is_stale(rig: Rig, taken: str) -> None:
    """A9, A8: never over an existing file."""
    plan = rig.plan(*CHANGES)
    rig.write(taken, "foreign\n")
    refused(rig, plan, rig.approve(plan), Stale, taken)
    unbound = rig.plan(create(1, "memory/free.md", "x\n"), inputs=())
    rig.write("memory/free.md", "foreign\n")
    refused(rig, unbound, rig.approve(unbound), Stale, "memory/free.md")


def test_g17_another_folder_policy_or_content_is_not_what_was_planned(rig: Rig, tmp_path: Path) -> None:
    """G17: the digest covers real path, device, inode and policy; apply checks them all."""
    plan = rig.plan(*CHANGES, workspace=msgspec.structs.replace(rig.ctx.root.identity, inode=1))
    refused(rig, plan, rig.approve(plan), Stale, "another folder")
    plan = rig.plan(*CHANGES, policy_sha256="sha256:other")
    refused(rig, plan, rig.approve(plan), Stale, "policy changed")
    plan = rig.plan(*CHANGES)
    forged = msgspec.structs.replace(plan, changes=(create(1, "memory/evil.md", "x\n"),))
    refused(rig, forged, rig.approve(forged), Damaged, "not the one in the queue")


def test_g17_a_workspace_that_was_swapped_is_noticed(rig: Rig, tmp_path: Path) -> None:
    plan = rig.plan(*CHANGES)
    rig.folder.rename(tmp_path / "aside")
    rig.folder.mkdir()
    with pytest.raises(Damaged, match="another folder"):
        apply(rig.ctx, plan, rig.approve(plan))


def test_g17_links_are_not_followed(rig: Rig, tmp_path: Path) -> None:
    """G15, G17: a folder that became a link leads nowhere."""
    plan = rig.plan(*CHANGES)
    outside = tmp_path / "outside"
    (rig.folder / "memory/semantic").rename(outside)
    (rig.folder / "memory/semantic").symlink_to(outside)
    before = (outside / "openclaw.md").read_bytes()
    with pytest.raises(MemdeckError):
        apply(rig.ctx, plan, rig.approve(plan))
    assert (outside / "openclaw.md").read_bytes() == before
    assert rig.read("memory/notes.md") == b"old\n"


def test_g18_a_what_if_plan_applies_only_under_the_same_clock(rig: Rig) -> None:
    """G18: and plan, operation and audit record are marked."""
    plan = rig.plan(*CHANGES, simulated_clock=True)
    refused(rig, plan, rig.approve(plan), Refused, "what-if clock")
    rig.with_ctx(now=plan.now + timedelta(days=1))
    refused(rig, plan, rig.approve(plan), Refused, "what-if clock")
    rig.with_ctx(now=plan.now)
    operation = apply(rig.ctx, plan, rig.approve(plan))
    assert operation.simulated_clock
    assert operation.as_of == plan.now
    assert all(r.data["simulated_clock"] for r in rig.ctx.audit.records() if r.kind == "intent")


@pytest.mark.parametrize("state", [PlanState.REJECTED, PlanState.SUPERSEDED, PlanState.APPLIED])
def test_only_an_open_plan_is_applied(rig: Rig, state: PlanState) -> None:
    plan = rig.plan(*CHANGES)
    rig.ctx.queue.set_state(plan.id, state, "test", rig.clock())
    refused(rig, plan, rig.approve(plan), Refused, f"the plan is {state.value}")


def test_a_stale_plan_says_why(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    rig.ctx.queue.set_state(plan.id, PlanState.STALE, "memory/notes.md changed", rig.clock())
    refused(rig, plan, rig.approve(plan), Stale, "memory/notes.md changed")


# Subsets ----------------------------------------------------------------------------------------------------------


def test_a_subset_computes_its_tier_anew_and_leaves_the_rest(rig: Rig) -> None:
    """Risk tiers: without the rewrite the rest is tier B; the plan is then partly applied."""
    plan = rig.plan(*CHANGES)
    operation = apply(rig.ctx, plan, rig.approve(plan, (1, 4)))
    assert operation.risk_tier is RiskTier.B
    assert operation.numbers == (1, 4)
    assert rig.read("memory/notes.md") == b"old\n"
    assert rig.ctx.queue.entry(plan.id).state is PlanState.PARTIAL
    assert operation.state is OperationState.DONE


def test_a_subset_without_what_it_needs_is_refused(rig: Rig) -> None:
    needs = (CHANGES[0], msgspec.structs.replace(CHANGES[3], requires=(1,)))
    plan = rig.plan(*needs)
    refused(rig, plan, rig.approve(plan, (4,)), Refused, "change 4 needs change 1")
    any_of = (CHANGES[0], CHANGES[1], msgspec.structs.replace(CHANGES[2], requires_any=(1, 2)))
    plan = rig.plan(*any_of)
    refused(rig, plan, rig.approve(plan, (3,)), Refused, "change 3 needs change 1, 2")


def test_a_plan_that_changes_nothing_is_refused(rig: Rig) -> None:
    plan = rig.plan(overwrite(1, "memory/notes.md", "old\n"))
    refused(rig, plan, rig.approve(plan), Refused, "change nothing")


# On the way -------------------------------------------------------------------------------------------------------


def test_cancelling_counts_until_the_first_byte(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    stages: list[str] = []

    def cancel(progress: Progress) -> None:
        stages.append(progress.stage)
        raise Cancelled("cancelled")

    with pytest.raises(Cancelled):
        apply(rig.ctx, plan, rig.approve(plan), tick=cancel)
    assert rig.ctx.audit.records() == ()

    def cancel_late(progress: Progress) -> None:
        stages.append(progress.stage)
        if not progress.stoppable:
            raise Cancelled("too late")

    assert apply(rig.ctx, plan, rig.approve(plan), tick=cancel_late).state is OperationState.DONE
    assert [*dict.fromkeys(stages)] == [
        *("checking", "working out the files", "recording the intent", "preparing", "applying", "verifying"),
        "recording",
    ]


def test_a_cancel_during_the_last_check_is_kept(rig: Rig) -> None:
    """The console said `stopping…` while the files were worked out, and then the plan was applied."""
    plan = rig.plan(*CHANGES)
    asked = False

    def cancel(progress: Progress) -> None:
        nonlocal asked
        if asked and progress.stoppable:
            raise Cancelled("cancelled")
        asked = asked or progress.stage == "working out the files"

    before = rig.tree()
    with pytest.raises(Cancelled):
        apply(rig.ctx, plan, rig.approve(plan), tick=cancel)
    assert rig.tree() == before
    assert rig.ctx.audit.records() == ()


def at(step: str, nth: int, action: Any) -> Any:
    """A hook that does something before the n-th step of that name."""
    left = [nth]

    def hook(name: str) -> None:
        left[0] -= name == step
        if name == step and left[0] == 0:
            action()

    return hook


def fail(number: int) -> None:
    raise OSError(number, os.strerror(number))


def test_an_interruption_rolls_back(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    before = rig.tree()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with hooked(at("exchange", 2, interrupt)), pytest.raises(Cancelled, match="everything was undone"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.tree() == before
    assert rig.ctx.queue.entry(plan.id).state is PlanState.PENDING


def test_a_full_disk_is_met_before_anything_is_visible(rig: Rig) -> None:
    """B2: staging comes first; the plan stays pending, and the operation's record says what happened."""
    plan = rig.plan(*CHANGES)
    before = rig.tree()
    with hooked(at("stage-fsync", 3, lambda: fail(28))), pytest.raises(MemdeckError, match="No space left"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.tree() == before
    assert rig.ctx.queue.entry(plan.id).state is PlanState.PENDING
    (operation,) = tuple(rig.ctx.operations.walk())
    assert operation.state is OperationState.ROLLED_BACK
    assert operation.done == ()
    assert "No space left" in operation.problems[0]
    assert list(rig.ctx.state.stage.iterdir()) == []
    assert recover(rig.ctx) == ()


def test_a_foreign_write_takes_everything_back_and_names_the_file(rig: Rig) -> None:
    """A10, C1: the agent's bytes are where the agent left them."""
    plan = rig.plan(*CHANGES)
    before = rig.tree()

    def agent() -> None:
        with (rig.folder / "memory/notes.md").open("a") as file:
            file.write("agent\n")

    with hooked(at("exchange", 2, agent)), pytest.raises(Conflict) as raised:
        apply(rig.ctx, plan, rig.approve(plan))
    assert raised.value.where == "memory/notes.md"
    assert rig.tree() == before | {"memory/notes.md": b"old\nagent\n"}
    assert rig.ctx.queue.entry(plan.id).state is PlanState.CONFLICT
    assert next(rig.ctx.operations.walk()).state is OperationState.CONFLICT


def partly(rig: Rig) -> Operation:
    """An apply whose first change cannot be taken back, since the agent wrote to it, when a later one fails."""
    plan = rig.plan(*CHANGES)

    def agent() -> None:
        with (rig.folder / "memory/episodic/a.md").open("a") as file:
            file.write("agent\n")
        fail(5)

    with hooked(at("exchange", 2, agent)), pytest.raises(Conflict, match="partly applied"):
        apply(rig.ctx, plan, rig.approve(plan))
    return next(rig.ctx.operations.walk())


def test_what_cannot_be_taken_back_stands_as_partly_applied(rig: Rig) -> None:
    operation = partly(rig)
    assert operation.state is OperationState.PARTIAL
    assert operation.done == (0,)
    assert any("memory/episodic/a.md: could not be undone" in problem for problem in operation.problems)
    assert rig.ctx.queue.entry(operation.plan).state is PlanState.PARTIAL
    assert rig.read("memory/semantic/openclaw.md") == b"\xef\xbb\xbfTitle: x\r\n"
    assert rig.read("memory/episodic/a.md") == b"summary\nagent\n"
    with pytest.raises(Refused, match="changed by another program"):
        rig.undo(operation.id)
    rig.write("memory/episodic/a.md", "summary\n")
    rig.undo(operation.id)
    assert not (rig.folder / "memory/episodic").exists()


def test_a_write_that_comes_right_after_is_told(rig: Rig) -> None:
    """A2: verified against the prediction; a later foreign write is named, not undone."""
    plan = rig.plan(*CHANGES)

    def agent() -> None:
        rig.write("memory/notes.md", "agent\n")

    with hooked(at("folder-fsync", 5, agent)):
        operation = apply(rig.ctx, plan, rig.approve(plan))
    assert operation.state is OperationState.DONE
    assert operation.problems == ("memory/notes.md: another program changed it right after it was written",)
    assert rig.read("memory/notes.md") == b"agent\n"


def test_an_unfinished_operation_comes_first(rig: Rig) -> None:
    plan = rig.plan(*CHANGES)
    rig.ctx.state.journal.write_bytes(b"{")
    with pytest.raises(Damaged):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.read("memory/notes.md") == b"old\n"


# Git --------------------------------------------------------------------------------------------------------------


class FakeGit:
    """Records what it was asked to commit."""

    def __init__(self, outcome: CommitOutcome | MemdeckError) -> None:
        self.outcome = outcome
        self.calls: list[tuple[str, tuple[str, ...], ChainHead]] = []

    def __call__(
        self, operation: Operation, paths: Sequence[str], head: ChainHead, tick: Tick | None = None
    ) -> CommitOutcome:
        self.calls.append((operation.message, tuple(paths), head))
        if isinstance(self.outcome, MemdeckError):
            raise self.outcome
        return self.outcome


def test_each_operation_is_one_commit_of_exactly_its_paths(rig: Rig) -> None:
    """D22: message and audit head go along; the result's record names the commit."""
    git = FakeGit(CommitOutcome("abc123"))
    rig.ctx = replace(rig.ctx, commit=git)
    operation = rig.apply(*CHANGES)
    ((message, paths, head),) = git.calls
    first, empty, *body = message.split("\n")
    assert (first, empty) == ("maintenance: compact, 4 changes (working_files)", "")
    assert [line.split(":")[0].split(" → ")[0] for line in body] == [f"- {change.path}" for change in CHANGES]
    assert set(paths) == {c.path for c in CHANGES} | {ARCHIVED}
    intent, result = rig.ctx.audit.records()[1:]
    assert head == intent.head
    assert operation.commit == result.data["commit"] == "abc123"


@pytest.mark.parametrize("outcome", [CommitOutcome(None, ("a merge is under way",)), MemdeckError("git is missing")])
def test_git_that_fails_is_a_problem_told_and_nothing_more(rig: Rig, outcome: CommitOutcome | MemdeckError) -> None:
    rig.ctx = replace(rig.ctx, commit=FakeGit(outcome))
    operation = rig.apply(*CHANGES)
    assert operation.state is OperationState.DONE
    assert operation.commit is None
    assert any("merge" in problem or "git is missing" in problem for problem in operation.problems)


def test_what_was_rolled_back_is_not_committed(rig: Rig) -> None:
    git = FakeGit(CommitOutcome("abc123"))
    rig.ctx = replace(rig.ctx, commit=git)
    plan = rig.plan(*CHANGES)
    with hooked(at("exchange", 1, lambda: fail(5))), pytest.raises(MemdeckError):
        apply(rig.ctx, plan, rig.approve(plan))
    assert git.calls == []


def test_odd_bytes_survive_a_move(rig: Rig) -> None:
    """G14: whatever the bytes, a move keeps them; the held copy is none, since nothing was displaced."""
    data = b"\xff\x00\x1b[31m" + bytes(range(256)) * 50
    rig.write("memory/working/odd name é.md", data)
    operation = rig.apply(move(1, "memory/working/odd name é.md", "memory/archive/odd.md"))
    assert rig.read("memory/archive/odd.md") == data
    assert operation.held == ()
    assert not rig.ctx.displaced.has(sha256_hex(data)), "it stays in the workspace: no copy is needed"


def test_d22_a_file_that_git_crypt_has_locked_is_never_written(rig: Rig) -> None:
    rig.write("memory/notes.md", b"\0GITCRYPT\0\1\2\3")
    for change in (append(1, "memory/notes.md", "more\n"), overwrite(1, "memory/notes.md", "new\n")):
        plan = rig.plan(change)
        error = refused(rig, plan, rig.approve(plan), Refused, "locked by git-crypt")
        assert error.where == "memory/notes.md" and "git-crypt unlock" in error.hint


def test_d22_a_private_file_is_never_moved_where_it_is_committed_in_clear(rig: Rig) -> None:
    rig.write("knowledge/private/door.md", "1234\n")
    plan = rig.plan(move(1, "knowledge/private/door.md", "archive/door.md"))
    error = refused(rig, plan, rig.approve(plan), Refused, "committed in clear")
    assert "git.private" in error.hint
    rig.apply(move(1, "knowledge/private/door.md", "archive/private/door.md"))
    assert rig.read("archive/private/door.md") == b"1234\n"
