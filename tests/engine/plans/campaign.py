"""The fault campaigns' scenarios: what is prepared, what is run and faulted, and what must hold afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.plans.apply import entry as apply_module
from engine.plans.apply.recovery import recover
from engine.plans.apply.undo import reversal, undo
from engine.plans.operation import OperationState
from engine.plans.plan import Change, PlanState
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from tests.engine.plans.rig import Clock, Rig, append, create, move, overwrite, tree

BEFORE = {
    "memory/working/a.md": "alpha\n" * 3,
    "memory/working/b.md": "beta\n" * 40,
    "memory/semantic/openclaw.md": "Title: x\nContext: y\n",
    "memory/notes.md": "old notes\n",
    "memory/.memory-compactor-meta.json": "{}\n",
}

CHANGES: tuple[Change, ...] = (
    create(1, "memory/episodic/new/a.md", "summary of a\n"),
    append(2, "memory/semantic/openclaw.md", "Title: y\n"),
    overwrite(3, "memory/notes.md", "new notes\n"),
    move(4, "memory/working/a.md", "memory/archive/a-archived-2026-03-15.md"),
    move(5, "memory/working/b.md", "memory/archive/b-archived-2026-03-15.md"),
    overwrite(6, "memory/.memory-compactor-meta.json", '{"lastCompactionAt": "2026-03-15T03:00:00+00:00"}\n'),
)

AFTER = {
    "memory/episodic/new/a.md": "summary of a\n",
    "memory/semantic/openclaw.md": "Title: x\nContext: y\nTitle: y\n",
    "memory/notes.md": "new notes\n",
    "memory/archive/a-archived-2026-03-15.md": "alpha\n" * 3,
    "memory/archive/b-archived-2026-03-15.md": "beta\n" * 40,
    "memory/.memory-compactor-meta.json": '{"lastCompactionAt": "2026-03-15T03:00:00+00:00"}\n',
}


def rig_at(place: Path) -> Rig:
    """The scenario's rig in `place`, as a new process opens it. Its clock goes on where the last one cannot reach."""
    taken = sum(1 for _ in place.glob("opened-*"))
    place.mkdir(parents=True, exist_ok=True)
    (place / f"opened-{taken}").touch()
    clock = Clock()
    clock.at = clock.at.replace(minute=taken)
    return Rig(place / "workspace", place / "home", clock=clock)


def prepare_apply(place: Path) -> None:
    rig = rig_at(place)
    for path, text in BEFORE.items():
        rig.write(path, text)
    rig.plan(*CHANGES)


def run_apply(place: Path) -> None:
    rig = rig_at(place)
    plan = rig.ctx.queue.load(rig.ctx.queue.entries()[0].id)
    apply_module.apply(rig.ctx, plan, rig.approve(plan))


def prepare_undo(place: Path) -> None:
    prepare_apply(place)
    run_apply(place)


def run_undo(place: Path) -> None:
    rig = rig_at(place)
    what = reversal(rig.ctx)
    undo(rig.ctx, what, rig.approve_undo(what))


class Crash(BaseException):
    """Ends a run as a kill would: nothing of ours catches it."""


def crash_at(step: int) -> Callable[[str], None]:
    """A hook that crashes before the given step."""
    left = [step]

    def hook(_: str) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Crash

    return hook


def prepare_crash(place: Path) -> None:
    prepare_apply(place)
    try:
        with hooked(crash_at(44)):
            run_apply(place)
    except Crash:
        return
    raise AssertionError("step 44 was never reached")


def run_recover(place: Path) -> None:
    recover(rig_at(place).ctx)


@dataclass(frozen=True)
class Scenario:
    """`prepare` runs unharmed; `run` meets the fault."""

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Path], None]


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("apply", prepare_apply, run_apply),
        Scenario("undo", prepare_undo, run_undo),
        Scenario("recover", prepare_crash, run_recover),
    )
}


def assert_old_or_new(place: Path) -> None:
    """Right after the fault, before anything is repaired: every path has its old bytes or its new ones."""
    present = {path: data for path, data in tree(place / "workspace").items() if data is not None}
    for path, data in present.items():
        if path.startswith(".memdeck/"):
            continue
        wanted = {text.encode() for text in (BEFORE.get(path), AFTER.get(path)) if text is not None}
        assert data in wanted, f"{path} is neither old nor new"
    for path in BEFORE.keys() & AFTER.keys():
        assert path in present, f"{path} is missing"
    for name in ("a", "b"):
        places = {f"memory/working/{name}.md", f"memory/archive/{name}-archived-2026-03-15.md"}
        assert places & present.keys(), f"{name} is lost"


def assert_nothing_lost(place: Path) -> None:
    """Every byte that was ever there can be found: in the workspace, the store or among the held files."""
    rig = rig_at(place)
    hashes = {sha256_hex(data) for data in tree(place / "workspace").values() if data is not None}
    hashes |= set(rig.ctx.displaced.hashes())
    hashes |= {sha256_hex(file.read_bytes()) for file in rig.ctx.state.held.iterdir()}
    for path, text in BEFORE.items():
        assert sha256_hex(text.encode()) in hashes, f"the old bytes of {path} are lost"


def assert_converges(place: Path) -> None:
    """Recovering gives the old or the new tree; recovering again changes nothing; from there on all works."""
    rig = rig_at(place)
    recover(rig.ctx)
    settled = everything(place)
    assert recover(rig_at(place).ctx) == ()
    assert everything(place) == settled, "the second recover changed something"
    files = {path: data.decode() for path, data in tree(place / "workspace").items() if data is not None}
    assert files in (BEFORE, AFTER), "the tree is neither old nor new"
    folders = {path for path, data in tree(place / "workspace").items() if data is None}
    assert not (files == BEFORE and "memory/episodic" in folders), "a folder was left behind"
    rig = rig_at(place)
    heads = [op.audit_head for op in tuple(rig.ctx.operations.walk()) if op.audit_head is not None]
    assert rig.ctx.audit.verify(heads) == ()
    _assert_usable(rig, applied=files == AFTER)


def everything(place: Path) -> dict[str, bytes | None]:
    """All of the workspace and of the state, but for the lock's owner and which rigs were opened."""
    found = {name: data for name, data in tree(place).items() if not name.startswith("opened-")}
    return {name: data for name, data in found.items() if not name.endswith("/lock")}


def _assert_usable(rig: Rig, applied: bool) -> None:
    entry = rig.ctx.queue.entries()[0]
    if applied:
        assert entry.state is PlanState.APPLIED
        rig.undo()
    else:
        assert entry.state in (PlanState.PENDING, PlanState.UNDONE), entry
        assert not any(
            op.state in (OperationState.DONE, OperationState.PARTIAL) and op.kind == "apply"
            for op in tuple(rig.ctx.operations.walk())
        )
        if entry.state is PlanState.PENDING:
            plan = rig.ctx.queue.load(entry.id)
            apply_module.apply(rig.ctx, plan, rig.approve(plan))


def assert_sound(place: Path) -> None:
    """All of it, after one fault."""
    assert_old_or_new(place)
    assert_nothing_lost(place)
    assert_converges(place)
