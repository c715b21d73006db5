"""`check` finds every seeded damage and raises no alarm on what is healthy (promise B8)."""

import random
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Cancelled, MemdeckError
from engine.plans.apply.recovery import recover
from engine.plans.apply.undo import redo
from engine.plans.damage import NAME, check
from engine.plans.operation import Operation, OperationState
from engine.plans.plan import Change, PlanState
from engine.plans.records.audit import AuditLog
from engine.plans.records.displaced import DisplacedStore
from engine.plans.records.operations import Operations
from engine.state.private_files import hooked
from engine.state.workspace_lock import hold
from engine.workspace.values import Finding, FindingKind, Progress
from tests.engine.history.repos import git, make_repo
from tests.engine.plans.rig import Rig, append, create, move, overwrite
from tests.engine.plans.test_git_record import record_of
from tests.turn import examples

ARCHIVED = "memory/archive/a-archived-2026-03-15.md"
SEMANTIC = "memory/semantic/openclaw.md"


class Crash(BaseException):
    """The process ends here."""


LATER = 4_000_000_000_000_000_000
"""A clock far past every change, so that what a check found whole is remembered."""


def look(rig: Rig, *, deep: bool = False, clock: Callable[[], int] = time.time_ns) -> tuple[Finding, ...]:
    """What a new process finds."""
    rig.ctx = rig.open()
    return check(rig.ctx, deep=deep, anchors=record_of(rig).anchors(), clock=clock)


def history(rig: Rig) -> Rig:
    """Three operations, one of them undone, and a plan that waits."""
    rig.write("memory/working/a.md", "a\n")
    rig.write("memory/working/b.md", "b\n")
    rig.write(SEMANTIC, "s\n")
    rig.apply(create(1, "memory/episodic/a.md", "sum\n"), move(2, "memory/working/a.md", ARCHIVED))
    rig.apply(append(1, SEMANTIC, "more\n"))
    rig.apply(overwrite(1, SEMANTIC, "other\n"))
    rig.undo()
    rig.plan(create(1, "memory/episodic/b.md", "sum\n"))
    return rig


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return history(Rig(tmp_path / "ws", tmp_path / "home"))


def test_b8_a_healthy_history_raises_no_alarm(rig: Rig) -> None:
    assert look(rig) == ()
    assert look(rig, deep=True) == ()
    assert look(Rig(rig.folder.parent / "empty", rig.home)) == ()


def state_of(rig: Rig) -> Path:
    return rig.ctx.state.path


def flip(path: Path, at: int = -5) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0x01
    path.write_bytes(bytes(data))


def rows(rig: Rig, change: Callable[[list[bytes]], list[bytes]]) -> None:
    log = rig.ctx.state.audit
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))


def swap(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


def operation_file(rig: Rig) -> Path:
    return sorted(rig.ctx.state.operations.glob("o-*.json"))[0]


def alter_operation(rig: Rig) -> None:
    operation = rig.ctx.operations.load(operation_file(rig).stem)
    rig.ctx.operations.save(msgspec.structs.replace(operation, effects=operation.effects[:1], done=(0,)))


def swap_operations(rig: Rig) -> None:
    first, second, *_ = sorted(rig.ctx.state.operations.glob("o-*.json"))
    second.write_bytes(first.read_bytes())


def displaced_file(rig: Rig) -> Path:
    return next(file for file in sorted(rig.ctx.state.displaced.glob("??/*")) if file.read_bytes() == b"s\n")


def held_file(rig: Rig) -> Path:
    (held, *_), *_ = [held for held in rig.ctx.held.entries().values() if held]
    return Path(held.place)


def write_late(rig: Rig) -> None:
    with held_file(rig).open("ab") as file:
        file.write(b"late\n")


def rewrite_held(rig: Rig) -> None:
    held_file(rig).write_bytes(b"something else\n")


def lose_what_was_held(rig: Rig) -> None:
    operation, held = next((name, held) for name, held in rig.ctx.held.entries().items() if held)
    gone = tuple(msgspec.structs.replace(file, place="/nowhere/x", sha256="0" * 64) for file in held)
    rig.ctx.held.record(operation, gone)


def plan_file(rig: Rig) -> Path:
    waiting = next(entry for entry in rig.ctx.queue.entries() if entry.state is PlanState.PENDING)
    return rig.ctx.state.queue / "bodies" / f"{waiting.id}.json"


def leave_a_lock(rig: Rig) -> None:
    with hold(rig.ctx.state, now=rig.clock(), purpose="applying p-1"):
        record = rig.ctx.state.lock.read_bytes()
    rig.ctx.state.lock.write_bytes(record)


def crash_half_way(rig: Rig) -> None:
    plan = rig.plan(create(1, "memory/episodic/x.md", "x\n"), create(2, "memory/episodic/y.md", "y\n"))
    crash(rig, lambda: apply_plan(rig, plan.id), at=24)


def apply_plan(rig: Rig, plan_id: str) -> None:
    from engine.plans.apply.entry import apply

    plan = rig.ctx.queue.load(plan_id)
    apply(rig.ctx, plan, rig.approve(plan))


def crash(rig: Rig, work: Callable[[], object], at: int) -> bool:
    """Runs `work` and ends it just before its step `at`; False if it was done before."""
    left = [at]

    def stop(name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Crash(name)

    try:
        with hooked(stop):
            work()
    except Crash:
        return True
    return False


def stuck(rig: Rig) -> None:
    waiting = rig.ctx.queue.entry(plan_file(rig).stem)
    rig.ctx.queue.set_state(waiting.id, PlanState.APPLYING, "", rig.clock(), "o-1")


def never_ended(rig: Rig) -> None:
    operation = tuple(rig.ctx.operations.walk())[-1]
    rig.ctx.operations.save(msgspec.structs.replace(operation, state=OperationState.RUNNING))


def litter(rig: Rig) -> None:
    rig.ctx.state.stage.mkdir(exist_ok=True)
    (rig.ctx.state.stage / "x").write_bytes(b"x")


def litter_inside(rig: Rig) -> None:
    rig.write(".memdeck/stage/x", "x")


def to_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def tear(rig: Rig) -> None:
    with rig.ctx.state.audit.open("ab") as file:
        file.write(b'{"at":"2026')


def delete_log(rig: Rig) -> None:
    rig.ctx.state.audit.unlink()
    rig.ctx.state.audit.with_suffix(".head").unlink()


DAMAGE: dict[str, tuple[str, Callable[[Rig], object]]] = {
    "a flipped byte in the log": ("audit_damaged", lambda rig: flip(rig.ctx.state.audit, 40)),
    "a dropped record": ("audit_chain", lambda rig: rows(rig, lambda lines: lines[:2] + lines[3:])),
    "swapped records": ("audit_chain", lambda rig: rows(rig, swap)),
    "a doubled record": ("audit_chain", lambda rig: rows(rig, lambda lines: [lines[0], *lines])),
    "an inserted blank line": ("audit_damaged", lambda rig: rows(rig, lambda lines: [b"\n", *lines])),
    "a cut log": ("audit_cut", lambda rig: rows(rig, lambda lines: lines[:-1])),
    "a log cut within a record": ("audit_damaged", lambda rig: rows(rig, lambda lines: [*lines[:-1], lines[-1][:30]])),
    "a torn log": ("audit_damaged", tear),
    "no log": ("audit_cut", delete_log),
    "a missing operation": ("operation_missing", lambda rig: operation_file(rig).unlink()),
    "an operation that is no JSON": ("operation_damaged", lambda rig: flip(operation_file(rig), 0)),
    "an empty operation": ("operation_damaged", lambda rig: operation_file(rig).write_bytes(b"")),
    "an altered operation": ("operation_altered", alter_operation),
    "an operation under another's name": ("operation_damaged", swap_operations),
    "altered displaced bytes": ("displaced_damaged", lambda rig: flip(displaced_file(rig), 0)),
    "missing displaced bytes": ("displaced_damaged", lambda rig: displaced_file(rig).unlink()),
    "empty displaced bytes": ("displaced_damaged", lambda rig: displaced_file(rig).write_bytes(b"")),
    "no displaced store": ("displaced_damaged", lambda rig: shutil.rmtree(rig.ctx.state.displaced)),
    "an altered archive": ("archive_damaged", lambda rig: flip(rig.folder / ARCHIVED, 0)),
    "a missing archive file": ("archive_damaged", lambda rig: (rig.folder / ARCHIVED).unlink()),
    "an emptied archive file": ("archive_damaged", lambda rig: (rig.folder / ARCHIVED).write_bytes(b"")),
    "a link in the archive": ("archive_damaged", lambda rig: to_link(rig.folder / ARCHIVED)),
    "no archive": ("archive_damaged", lambda rig: shutil.rmtree(rig.folder / "memory/archive")),
    "a half-finished operation": ("half_finished", crash_half_way),
    "a journal that is no JSON": ("journal_damaged", lambda rig: rig.ctx.state.journal.write_bytes(b"{")),
    "an operation that never ended": ("half_finished", never_ended),
    "a plan stuck in applying": ("plan_state", stuck),
    "lines that came late": ("late_lines", write_late),
    "a held file that was rewritten": ("late_bytes", rewrite_held),
    "a record of held files that is no JSON": (
        "held_damaged",
        lambda rig: flip(sorted(rig.ctx.state.held_log.glob("o-*.json"))[0], 0),
    ),
    "held files that are gone": ("held_missing", lose_what_was_held),
    "an altered plan": ("queue_damaged", lambda rig: flip(plan_file(rig), 50)),
    "a missing plan": ("queue_damaged", lambda rig: plan_file(rig).unlink()),
    "a plan replaced by an older one": (
        "queue_damaged",
        lambda rig: shutil.copy(plan_file(rig).with_name("p-20260315-0001.json"), plan_file(rig)),
    ),
    "a damaged line of the queue": ("queue_damaged", lambda rig: flip(rig.ctx.state.queue / "index", 30)),
    "a lock whose owner died": ("stale_lock", leave_a_lock),
    "staged files of nobody": ("litter", litter),
    "staged files of nobody in the workspace": ("litter", litter_inside),
}


def test_b8_at_least_twenty_kinds_of_damage_are_seeded() -> None:
    assert len(DAMAGE) >= 30
    assert len({found for found, _ in DAMAGE.values()}) >= 15


@pytest.mark.parametrize("kind", DAMAGE)
def test_b8_seeded_damage_is_found_with_its_fix(rig: Rig, kind: str) -> None:
    expected, seed = DAMAGE[kind]
    seed(rig)
    found = look(rig)
    assert expected in {finding.id for finding in found}, found
    for finding in found:
        assert finding.where
        assert finding.what
        assert finding.fix


@pytest.mark.parametrize("kind", DAMAGE)
def test_b8_damage_is_found_after_a_check_that_found_all_whole(rig: Rig, kind: str) -> None:
    assert look(rig, clock=lambda: LATER) == ()
    assert (state_of(rig) / NAME).exists()
    expected, seed = DAMAGE[kind]
    seed(rig)
    for _ in range(2):
        assert expected in {finding.id for finding in look(rig, clock=lambda: LATER)}


def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of records and hashes of kept bytes that are read from now on."""
    read: list[str] = []
    named, get = Operations.named, DisplacedStore.get

    def noted_record(store: Operations, name: str) -> Operation:
        read.append(name)
        return named(store, name)

    def noted_bytes(store: DisplacedStore, sha256: str) -> bytes:
        read.append(sha256)
        return get(store, sha256)

    monkeypatch.setattr(Operations, "named", noted_record)
    monkeypatch.setattr(DisplacedStore, "get", noted_bytes)
    return read


def test_b8_a_second_check_reads_only_what_came_since(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    read = noted(monkeypatch)
    assert look(rig, clock=lambda: LATER) == ()
    assert read
    read.clear()
    assert look(rig, clock=lambda: LATER) == ()
    assert read == []
    done = rig.apply(append(1, SEMANTIC, "again\n"))
    rig.ctx.operations.outlines()  # whoever shows the operation reads it once
    read.clear()
    assert look(rig, clock=lambda: LATER) == ()
    assert done.id in read and not {one.id for one in tuple(rig.ctx.operations.walk())[1:]} & set(read)
    rig.undo()  # changes an older record: all is read again
    assert look(rig, clock=lambda: LATER) == ()
    assert len(set(read)) > 5


def test_b8_what_was_written_a_moment_ago_is_not_remembered_as_whole(rig: Rig) -> None:
    assert look(rig) == ()
    assert not (state_of(rig) / NAME).exists()


def test_b8_deep_asks_no_earlier_check(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(rig, clock=lambda: LATER) == ()
    read = noted(monkeypatch)
    assert look(rig, deep=True, clock=lambda: LATER) == ()
    assert set(rig.ctx.displaced.hashes()) < set(read)


@pytest.mark.parametrize("damage", [b"", b"x", b"\xff" * 80])
def test_a_damaged_memory_of_checks_is_made_anew(rig: Rig, damage: bytes) -> None:
    look(rig, clock=lambda: LATER)
    (state_of(rig) / NAME).write_bytes(damage)
    assert look(rig, clock=lambda: LATER) == ()
    assert (state_of(rig) / NAME).read_bytes() != damage


@pytest.mark.parametrize(
    "kind",
    [
        "a half-finished operation",
        "a torn log",
        "a plan stuck in applying",
        "a damaged line of the queue",
        "staged files of nobody",
    ],
)
def test_b8_what_a_crash_leaves_is_healed_by_recover(rig: Rig, kind: str) -> None:
    DAMAGE[kind][1](rig)
    rig.ctx = rig.open()
    recover(rig.ctx)
    assert look(rig) == ()


def test_an_operation_whose_plan_lost_its_place_can_still_be_undone(rig: Rig) -> None:
    rig.undo()
    done = rig.apply(create(1, "memory/episodic/late.md", "x\n"))
    index = rig.ctx.state.queue / "index"
    flip(index, index.read_bytes().rindex(b'"type":"plan"') + 20)
    rig.ctx = rig.open()
    recover(rig.ctx)
    assert rig.undo().undoes == done.id
    assert rig.ctx.queue.entry(done.plan).state is PlanState.UNDONE
    assert look(rig) == ()


def test_b8_deep_also_looks_at_what_nothing_needs(rig: Rig) -> None:
    sha256 = rig.ctx.displaced.put(b"of no operation\n")
    flip(rig.ctx.state.displaced / sha256[:2] / sha256)
    applied = next(entry for entry in rig.ctx.queue.entries() if entry.state is PlanState.APPLIED)
    flip(rig.ctx.state.queue / "bodies" / f"{applied.id}.json", 60)
    assert look(rig) == ()
    assert sorted(finding.id for finding in look(rig, deep=True)) == ["displaced_damaged", "queue_damaged"]


def test_an_archive_that_can_be_given_back_says_how(rig: Rig, tmp_path: Path) -> None:
    (rig.folder / ARCHIVED).unlink()
    (finding,) = look(rig)
    assert finding.fix == "restore it from a backup"
    rig.ctx.displaced.put(b"a\n")
    assert "back" in look(rig)[0].fix
    other = Rig(make_repo(tmp_path / "repo", {"x.md": "x\n"}), tmp_path / "home2")
    other.with_ctx(commit=record_of(other))
    other.write("a.md", "a\n")
    done = other.apply(move(1, "a.md", ARCHIVED))
    (other.folder / ARCHIVED).unlink()
    assert look(other)[0].fix == f"git show {(done.commit or '')[:12]}:{ARCHIVED} has it"
    assert git(other.folder, "show", f"{(done.commit or '')[:12]}:{ARCHIVED}") == "a"


def test_log_and_records_cut_together_are_found_by_git(tmp_path: Path) -> None:
    rig = Rig(make_repo(tmp_path / "ws", {"x.md": "x\n"}), tmp_path / "home")
    rig.commit = record_of(rig)
    rig.ctx = rig.open()
    for n in range(3):
        rig.apply(create(1, f"{n}.md", "x\n"))
    last = next(rig.ctx.operations.walk())
    assert last.audit_head is not None
    keep = [record for record in rig.ctx.audit.records() if record.data.get("operation") != last.id]
    rows(rig, lambda lines: lines[: len(keep)])
    rig.ctx.state.audit.with_suffix(".head").unlink()
    (rig.ctx.state.operations / f"{last.id}.json").unlink()
    assert "audit_cut" in {finding.id for finding in look(rig)}


def test_while_another_memdeck_works_nothing_is_called_damaged(rig: Rig) -> None:
    crash_half_way(rig)
    with hold(rig.ctx.state, now=rig.clock(), purpose="applying"):
        (finding,) = check(rig.ctx)
    assert (finding.kind, finding.id) == (FindingKind.NOTICE, "busy")


def test_a_check_can_be_cancelled(rig: Rig) -> None:
    def cancel(progress: Progress) -> None:
        if progress.done == 2:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        check(rig.ctx, tick=cancel)


def test_a3_checking_writes_nothing_into_the_workspace(rig: Rig) -> None:
    before = rig.tree()
    stats = {path: path.stat().st_mtime_ns for path in rig.folder.rglob("*")}
    look(rig, deep=True)
    assert rig.tree() == before
    assert {path: path.stat().st_mtime_ns for path in rig.folder.rglob("*")} == stats


def live(rig: Rig, seed: int, steps: int) -> None:
    """A life of the workspace: the agent writes, the operator approves, undoes, redoes, rejects; crashes happen."""
    chance = random.Random(seed)
    for n in range(steps):
        rig.write(f"memory/working/{n}.md", f"note {n}\n")
        work = chance.choice([_apply, _apply, _undo, _redo, _reject, _edit])
        try:
            if chance.random() < 0.3:
                if crash(rig, lambda work=work, n=n: work(rig, n, chance), at=chance.randrange(60)):  # type: ignore[misc]
                    rig.ctx = rig.open()
                    recover(rig.ctx)
            else:
                work(rig, n, chance)
        except MemdeckError:
            pass  # refused: nothing was written


def _apply(rig: Rig, n: int, chance: random.Random) -> None:
    path = f"memory/working/{n}.md"
    changes: list[Change] = [create(1, f"memory/episodic/{n}.md", "sum\n"), move(2, path, f"memory/archive/{n}.md")]
    if (rig.folder / SEMANTIC).exists():
        changes.append(append(3, SEMANTIC, f"entry {n}\n"))
    else:
        changes.append(create(3, SEMANTIC, "first\n"))
    chosen = chance.choice([(1,), (1, 2), (1, 2, 3), (2,), (3,)])
    rig.apply(*changes, numbers=chosen)


def _undo(rig: Rig, n: int, chance: random.Random) -> None:
    rig.undo()


def _redo(rig: Rig, n: int, chance: random.Random) -> None:
    plan = rig.ctx.queue.put(redo(rig.ctx, None), rig.clock())
    apply_plan(rig, plan.id)


def _reject(rig: Rig, n: int, chance: random.Random) -> None:
    plan = rig.plan(create(1, f"memory/episodic/r{n}.md", "x\n"))
    rig.ctx.queue.set_state(plan.id, PlanState.REJECTED, "no", rig.clock())


def _edit(rig: Rig, n: int, chance: random.Random) -> None:
    rig.write(SEMANTIC, f"rewritten by the agent {n}\n")


@settings(max_examples=examples(6), deadline=None)
@given(seed=st.integers(0, 1_000_000), with_git=st.booleans())
def test_b8_no_healthy_life_raises_an_alarm(
    tmp_path_factory: pytest.TempPathFactory, seed: int, with_git: bool
) -> None:
    check_a_life(tmp_path_factory.mktemp("life"), seed, with_git, steps=8)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(300))
def test_b8_three_hundred_long_lives(tmp_path: Path, seed: int) -> None:
    check_a_life(tmp_path, seed, seed % 3 == 0, steps=25)


def check_a_life(folder: Path, seed: int, with_git: bool, steps: int) -> None:
    rig = Rig(folder / "ws", folder / "home")
    if with_git:
        make_repo(rig.folder, {"x.md": "x\n"})
        rig.commit = record_of(rig)
        rig.ctx = rig.open()
    live(rig, seed, steps)
    assert look(rig, deep=True) == ()
    assert AuditLog(rig.ctx.state.audit).verify() == ()
