"""A stateful model: the agent, and an operator with two consoles, act in any order, while clocks jump, the policy
changes and programs crash; every content stays reachable, and nothing is approved by itself (B4–B6)."""

import itertools
import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from engine.errors import MemdeckError
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.apply.undo import redo, reversal, undo
from engine.plans.operation import LIFETIME, Approval, Operation, OperationKind, OperationState, Rename, Reversal
from engine.plans.plan import OPEN_STATES, Change, PlanState
from engine.plans.policy.values import ContextPolicy, Policy
from engine.plans.records.journal import load_journal
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from tests.engine.plans.campaign import Crash, crash_at
from tests.engine.plans.rig import Rig, append, create, move, overwrite
from tests.turn import examples

PATHS = ["memory/working/a.md", "memory/working/b.md", "memory/notes.md", "memory/new/deep/c.md", "memory/archive/a.md"]
Tree = dict[str, bytes]

_paths = st.sampled_from(PATHS)
_crashes = st.one_of(st.none(), st.none(), st.integers(1, 60))
_kinds = st.lists(st.sampled_from(["create", "append", "overwrite", "move"]), min_size=1, max_size=4)


class Memory(RuleBasedStateMachine):
    """`wanted` holds the hash of every content that memdeck met and that nobody but it may have taken away."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.rig = Rig(self.place / "workspace", self.place / "home")
        self.wanted: set[str] = set()
        self.before: dict[str, Tree] = {}
        self.texts = itertools.count()
        self.granted: dict[str, Approval] = {}
        self.crashed = False
        self.failed = False
        self.other = self.rig.open()
        for path in PATHS[:3]:
            self.rig.write(path, f"first {path}\n")

    def teardown(self) -> None:
        shutil.rmtree(self.place)

    # The agent ------------------------------------------------------------------------------------------------

    @rule(path=_paths, how=st.sampled_from(["write", "append", "replace", "remove"]))
    def agent(self, path: str, how: str) -> None:
        file = self.rig.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = f"agent {next(self.texts)}\n"
        match how:
            case "write":
                file.write_text(text)
            case "append":
                with file.open("a") as opened:
                    opened.write(text)
            case "replace":
                file.with_suffix(".tmp").write_text(text)
                file.with_suffix(".tmp").replace(file)
            case _:
                file.unlink(missing_ok=True)
        self.wanted &= self.reachable()  # what the agent itself destroyed is not ours to keep

    # The world ------------------------------------------------------------------------------------------------

    @rule(hours=st.sampled_from([-30, -1, 1, 26, 24 * 40]))
    def the_clock_jumps(self, hours: int) -> None:
        """A machine sleeps, crosses a zone, or has its clock set."""
        self.rig.clock.at += timedelta(hours=hours)

    @precondition(lambda self: not self.crashed)
    @rule()
    def the_operator_turns_to_the_other_console(self) -> None:
        """Which was open all the time, and knows of nothing that this one did."""
        self.rig.ctx, self.other = self.other, self.rig.ctx

    @precondition(lambda self: not self.crashed)
    @rule(tokens=st.sampled_from([8192, 4096]))
    def the_policy_changes(self, tokens: int) -> None:
        """Both consoles read it at once, as they do."""
        self.rig.policy = Policy(context=ContextPolicy(prompt_tokens=tokens))
        self.rig.ctx, self.other = self.rig.open(), self.rig.open()

    # The operator ---------------------------------------------------------------------------------------------

    @precondition(lambda self: not self.crashed)
    @rule(kinds=_kinds, order=st.permutations(PATHS))
    def plan_for_later(self, kinds: list[str], order: list[str]) -> None:
        changes = self._changes(kinds, order)
        if changes:
            self.rig.plan(*changes)

    @precondition(lambda self: not self.crashed)
    @rule(data=st.data(), kinds=_kinds, order=st.permutations(PATHS), crash=_crashes)
    def plan_and_apply(self, data: st.DataObject, kinds: list[str], order: list[str], crash: int | None) -> None:
        changes = self._changes(kinds, order)
        if changes:
            self._apply(self.rig.plan(*changes).id, data, crash)

    def _changes(self, kinds: list[str], order: list[str]) -> list[Change]:
        there = [path for path in order if path in self.tree()]
        free = [path for path in order if path not in self.tree()]
        changes: list[Change] = []
        for kind in kinds:
            n, text = len(changes) + 1, f"plan {next(self.texts)}\n"
            if kind == "create" and free:
                changes.append(create(n, free.pop(), text))
            elif kind == "append" and there:
                changes.append(append(n, there.pop(), text))
            elif kind == "overwrite" and there:
                changes.append(overwrite(n, there.pop(), text))
            elif kind == "move" and there and free:
                changes.append(move(n, there.pop(), free.pop()))
        return changes

    @precondition(lambda self: not self.crashed)
    @rule(data=st.data(), crash=_crashes, late=st.booleans())
    def apply_an_old_plan(self, data: st.DataObject, crash: int | None, late: bool) -> None:
        open_plans = [entry.id for entry in self.rig.ctx.queue.entries() if entry.state in OPEN_STATES]
        if open_plans:
            self._apply(data.draw(st.sampled_from(open_plans)), data, crash, late=late)

    def _apply(self, plan_id: str, data: st.DataObject, crash: int | None, *, late: bool = False) -> None:
        plan = self.rig.ctx.queue.load(plan_id)
        numbers = tuple(sorted(data.draw(st.sets(st.sampled_from([c.n for c in plan.changes]), min_size=1))))
        before = self.tree()
        yes = self._grant(self.rig.approve(plan, numbers))
        if late:
            self.rig.clock.at += LIFETIME
        operation = self._run(crash, lambda: apply(self.rig.ctx, plan, yes))
        if operation is not None:
            assert not late and plan.policy_sha256 == self.rig.policy.sha256
            with pytest.raises(MemdeckError):  # an approval is used once
                apply(self.rig.ctx, plan, yes)
            assert self.tree() == after_changes(before, [c for c in plan.changes if c.n in numbers])
            self.before[operation.id] = before
        elif self.failed:
            assert self.tree() == before, "a failed apply left something behind"

    @precondition(lambda self: not self.crashed)
    @rule(data=st.data(), crash=_crashes)
    def undo_one(self, data: st.DataObject, crash: int | None) -> None:
        applied = [op.id for op in tuple(self.rig.ctx.operations.walk()) if op.kind is OperationKind.APPLY and op.done]
        if not applied:
            return
        chosen = data.draw(st.sampled_from([None, *applied]))
        before = self.tree()
        try:
            what = reversal(self.rig.ctx, chosen)
        except MemdeckError:
            return
        operation = self._run(crash, lambda: undo(self.rig.ctx, what, self._grant(self.rig.approve_undo(what))))
        if operation is not None:
            self._assert_undone(what, operation)
        elif self.failed:
            assert self.tree() == before

    def _assert_undone(self, what: Reversal, operation: Operation) -> None:
        """B6: every path that the operation had touched is as it was before it; late bytes of a moved file are kept."""
        assert operation.state is OperationState.DONE
        earlier, late = self.before.get(what.operation), {file.path for file in what.late}
        longer = {effect.to for effect in what.effects if isinstance(effect, Rename) and effect.path in late}
        if earlier is not None:
            original = self.rig.ctx.operations.load(what.operation)
            for effect in original.effects:
                data, then = self.tree().get(effect.path), earlier.get(effect.path)
                assert data == then or (effect.path in longer and data is not None and data.startswith(then or b"")), (
                    effect
                )
            assert original.state is OperationState.UNDONE

    @precondition(lambda self: not self.crashed)
    @rule()
    def redo_last(self) -> None:
        try:
            again = redo(self.rig.ctx)
        except MemdeckError:
            return
        plan = self.rig.ctx.queue.put(again, self.rig.clock())
        apply(self.rig.ctx, plan, self._grant(self.rig.approve(plan)))

    def _grant(self, yes: Approval) -> Approval:
        self.granted[yes.nonce] = yes
        return yes

    @precondition(lambda self: self.crashed or not next(self.texts) % 4)
    @rule(crash=_crashes)
    def recover(self, crash: int | None) -> None:
        before = self.tree()
        was_unfinished = self.crashed
        self._run(crash, lambda: recover(self.rig.ctx) and None)
        if not self.crashed:
            assert load_journal(self.rig.ctx.state) is None
            assert recover(self.rig.ctx) == (), "the second recover found something"
            assert not any(entry.state is PlanState.APPLYING for entry in self.rig.ctx.queue.entries())
        if not was_unfinished:
            assert self.tree() == before

    def _run(self, crash: int | None, action: "object") -> Operation | None:
        """Runs an action that may crash at a step; None where it failed or crashed."""
        assert callable(action)
        self.wanted |= {sha256_hex(data) for data in self.tree().values()}
        self.failed = False
        try:
            if crash is None:
                done: Operation | None = action()
            else:
                with hooked(crash_at(crash)):
                    done = action()
            self.crashed = False
        except MemdeckError:
            self.failed = True
            return None
        except Crash:
            self.crashed = load_journal(self.rig.ctx.state) is not None
            self.rig.ctx = self.rig.open()
            return None
        return done

    # What holds at all times ----------------------------------------------------------------------------------

    @invariant()
    def nothing_is_lost(self) -> None:
        missing = self.wanted - self.reachable()
        assert not missing, f"{len(missing)} contents are lost"

    @invariant()
    def the_audit_log_is_whole(self) -> None:
        heads = [op.audit_head for op in tuple(self.rig.ctx.operations.walk()) if op.audit_head is not None]
        assert self.rig.ctx.audit.verify(heads) == ()

    @invariant()
    def nothing_is_approved_by_itself(self) -> None:
        """Each operation carries an approval that was granted, and no two the same."""
        operations = tuple(self.rig.ctx.operations.walk())
        used = [op.approval for op in operations if op.approval is not None]
        assert len(used) == len(operations) == len({yes.nonce for yes in used})
        assert all(self.granted[yes.nonce] == yes for yes in used)

    def tree(self) -> Tree:
        return {path: data for path, data in self.rig.tree().items() if data is not None}

    def reachable(self) -> set[str]:
        found = {sha256_hex(data) for data in self.tree().values()} | set(self.rig.ctx.displaced.hashes())
        return found | {sha256_hex(file.read_bytes()) for file in self.rig.ctx.state.held.iterdir()}


def after_changes(before: Tree, changes: list[Change]) -> Tree:
    """What the changes mean, in the plainest words."""
    tree = dict(before)
    for change in changes:
        content = getattr(change, "content", "").encode()
        if type(change).__name__ == "Move":
            tree[getattr(change, "to", "")] = tree.pop(change.path)
        elif type(change).__name__ == "Append":
            tree[change.path] += content
        else:
            tree[change.path] = content
    return tree


_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def test_the_model_holds() -> None:
    """B5, B6: seventy action sequences at a commit; `tests/engine/test_sequences.py` has thirty more."""
    run_state_machine_as_test(
        Memory,
        settings=settings(
            max_examples=examples(700), stateful_step_count=20, deadline=None, suppress_health_check=_CALM
        ),
    )


@pytest.mark.soak
def test_the_model_holds_for_thousands_of_sequences() -> None:
    """B5, B6: 5,000 action sequences."""
    run_state_machine_as_test(
        Memory,
        settings=settings(max_examples=5000, stateful_step_count=30, deadline=None, suppress_health_check=_CALM),
    )
    print("\n5,000 sequences of up to 30 actions: every content reachable, every undo exact")
