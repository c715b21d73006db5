"""An agent writes while the operator applies: nothing it wrote is ever lost (A10, C1, G10)."""

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import Conflict, MemdeckError
from engine.plans.apply.entry import apply
from engine.plans.apply.recovery import recover
from engine.plans.apply.undo import reversal, undo
from engine.plans.operation import OperationState
from engine.plans.plan import Move
from engine.plans.records.displaced import late_bytes
from engine.plans.records.journal import load_journal
from engine.state.private_files import hooked
from tests.engine.plans.campaign import BEFORE, CHANGES
from tests.engine.plans.rig import Rig, append, create, move, overwrite
from tests.turn import TURN

MARK = "agent was here\n"
ORIGINS = {change.to: change.path for change in CHANGES if isinstance(change, Move)}
PLACES = sorted({*BEFORE, *(getattr(change, "to", change.path) for change in CHANGES)})


class Agent:
    """Does one thing to one file just before the chosen step of an apply."""

    def __init__(self, rig: Rig, path: str, action: str, step: int) -> None:
        self.folder = rig.folder
        self.file = rig.folder / path
        self.action = action
        self.left = step
        self.acted = False
        # Opened before the apply began, as an editor or a logger has it.
        self.open = self.file.open("ab", buffering=0) if self.file.exists() else None

    def __call__(self, _: str) -> None:
        self.left -= 1
        if self.left == 0:
            self.acted = self._act()

    def _act(self) -> bool:
        match self.action:
            case "append by name" if self.file.parent.is_dir():
                with self.file.open("ab") as file:
                    file.write(MARK.encode())
                return True
            case "append by descriptor" if self.open is not None:
                self.open.write(MARK.encode())
                return True
            case "replace by rename" if self.file.parent.is_dir():
                beside = self.file.with_name("agent.tmp")
                beside.write_text(MARK)
                beside.replace(self.file)
                return True
            case "remove" if self.file.is_file():
                self.file.unlink()
            case "take the folder away" if self.file.parent.is_dir():
                self.file.parent.rename(self.folder / "taken")
            case "put a link in the folder's place" if self.file.parent.is_dir():
                self.file.parent.rename(self.folder / "taken")
                self.file.parent.symlink_to(self.folder / "taken")
        return False


def everything(rig: Rig) -> bytes:
    """All bytes in the workspace, in the store and among the held files."""
    parts = [data for data in rig.tree().values() if data is not None]
    parts += [rig.ctx.displaced.get(sha256) for sha256 in rig.ctx.displaced.hashes()]
    parts += [file.read_bytes() for file in rig.ctx.state.held.iterdir()]
    return b"\0".join(parts)


def rig_for(place: Path) -> Rig:
    rig = Rig(place / "workspace", place / "home")
    for path, text in BEFORE.items():
        rig.write(path, text)
    return rig


def applying(rig: Rig) -> Callable[[], object]:
    plan = rig.plan(*CHANGES)
    approval = rig.approve(plan)
    return lambda: apply(rig.ctx, plan, approval)


def undoing(rig: Rig) -> Callable[[], object]:
    rig.apply(*CHANGES)
    what = reversal(rig.ctx)
    approval = rig.approve_undo(what)
    return lambda: undo(rig.ctx, what, approval)


DOINGS = {"apply": applying, "undo": undoing}
ACTIONS = (
    "append by name",
    "append by descriptor",
    "replace by rename",
    "remove",
    "take the folder away",
    "put a link in the folder's place",
)
DESTROYING = ("replace by rename", "remove")


def interleave(place: Path, doing: str, path: str, action: str, step: int) -> bool:
    """One apply or undo with the agent acting before one step; False where it has fewer steps."""
    rig = rig_for(place)
    run = DOINGS[doing](rig)
    agent = Agent(rig, path, action, step)
    failed = False
    with hooked(agent):
        try:
            run()
        except MemdeckError:
            failed = True
    if agent.left > 0:
        return False
    assert load_journal(rig.ctx.state) is None, "it must come to an end by itself"
    found = everything(rig)
    if agent.acted:
        assert MARK.encode() in found, "what the agent wrote is lost"
    for old_path, old in BEFORE.items():
        destroyed = action in DESTROYING and old_path == ORIGINS.get(path, path)  # by the agent itself
        assert destroyed or old.encode() in found, f"old bytes of {old_path} are lost"
    assert recover(rig.ctx) == ()
    newest = tuple(rig.ctx.operations.walk())
    if failed and newest and newest[0].state is not OperationState.PARTIAL:
        assert_untouched(rig, doing, path)
    return True


def assert_untouched(rig: Rig, doing: str, path: str) -> None:
    """What failed and was rolled back left every file but the agent's, and its neighbours, as it was."""
    action_at = rig.folder / path
    if doing == "apply":
        for other, text in BEFORE.items():
            if other != path and action_at.parent not in (rig.folder / other).parents:
                assert rig.read(other) == text.encode(), other


@pytest.mark.sampled(4)
@pytest.mark.parametrize("doing", sorted(DOINGS))
@pytest.mark.parametrize("action", ACTIONS)
def test_a_sample_of_interleavings(tmp_path: Path, doing: str, action: str) -> None:
    """C1: the agent writes just before a step drawn by the commit."""
    draw = random.Random(f"{TURN}-{doing}-{action}")
    for n in range(12):
        interleave(tmp_path / str(n), doing, draw.choice(PLACES), action, draw.randint(1, 75))


@pytest.mark.parametrize("step", [20, 21, 30, 40])
def test_what_a_failed_apply_took_back_is_not_put_into_the_store(tmp_path: Path, step: int) -> None:
    """It holds what it had written itself, which no undo asks for: recovering afterwards has nothing to tell."""
    assert interleave(tmp_path, "apply", PLACES[0], "append by name", step)


@pytest.mark.soak
@pytest.mark.parametrize("doing", sorted(DOINGS))
@pytest.mark.parametrize("action", ACTIONS)
def test_every_interleaving(tmp_path: Path, doing: str, action: str) -> None:
    """C1: each file, each step."""
    count = 0
    for nth, path in enumerate(PLACES):
        step = 1
        while interleave(tmp_path / f"{nth}-{step}", doing, path, action, step):
            step += 1
            count += 1
    print(f"\n{doing}: {action} at {count} points: nothing lost")


_WRITER = """
import os, sys, time
path, tag, count, kept = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "kept"
fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
for n in range(count):
    if not kept:
        os.close(fd)
        fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(fd, f"{tag} {n:05d}\\n".encode())
    time.sleep(0.0005 if n % 40 else 0.1)  # in bursts, so that some applies come through
"""


def race(place: Path, lines: int) -> tuple[int, int]:
    """Applies and undoes on two files while one agent appends by name and one through a kept descriptor."""
    rig = rig_for(place)
    rig.clock.at = rig.clock.at.replace(hour=4)
    busy = ("memory/notes.md", "memory/semantic/openclaw.md")
    command = [sys.executable, "-c", _WRITER]
    agents = [
        subprocess.Popen([*command, str(rig.folder / path), f"{kind}{i}", str(lines), kind])
        for i, path in enumerate(busy)
        for kind in ("name", "kept")
    ]
    tried = finished = 0
    while tried < 30 or any(agent.poll() is None for agent in agents):
        tried += 1
        try:
            rig.apply(append(1, busy[0], f"ours {tried}\n"), overwrite(2, busy[1], f"Title: {tried}\n"))
            rig.undo()
            finished += 1
        except MemdeckError:
            time.sleep(0.001)
    assert [agent.wait() for agent in agents] == [0, 0, 0, 0]
    assert load_journal(rig.ctx.state) is None
    found = everything(rig)
    lost = [
        f"{kind}{i} {n:05d}"
        for i in range(2)
        for kind in ("name", "kept")
        for n in range(lines)
        if f"{kind}{i} {n:05d}\n".encode() not in found
    ]
    assert not lost, f"{len(lost)} lines are lost, {lost[:3]} first"
    return tried, finished


def test_no_line_of_an_agent_is_lost(tmp_path: Path) -> None:
    """C1: by name and through a descriptor kept open, while applies and undos run."""
    assert race(tmp_path, 300)[0] >= 30


@pytest.mark.soak
@pytest.mark.parametrize("turn", range(5))
def test_no_line_of_3000_is_lost(tmp_path: Path, turn: int) -> None:
    """C1: 3,000 lines by each of four agents."""
    tried, finished = race(tmp_path, 3000)
    print(f"\nrace {turn}: 12,000 lines, {tried} applies tried, {finished} applied and undone: 0 lost")


def write_then_take_its_place(rig: Rig, path: str) -> Callable[[str], None]:
    """An agent that writes to a file just before it is renamed away, and makes a new one just before it comes back."""
    renames = [0]

    def hook(name: str) -> None:
        if name == "rename":
            renames[0] += 1
            if renames[0] == 1:
                with (rig.folder / path).open("a") as file:
                    file.write(MARK)
            if renames[0] == 2:
                rig.write(path, "a new one\n")

    return hook


def test_a_move_that_can_neither_stand_nor_go_back_is_partial_and_loses_nothing(tmp_path: Path) -> None:
    rig = rig_for(tmp_path)
    plan = rig.plan(move(1, "memory/notes.md", "memory/archive/notes.md"))
    with hooked(write_then_take_its_place(rig, "memory/notes.md")), pytest.raises(Conflict, match="made a new one"):
        apply(rig.ctx, plan, rig.approve(plan))
    assert rig.read("memory/archive/notes.md") == b"old notes\n" + MARK.encode()
    assert rig.read("memory/notes.md") == b"a new one\n"
    (operation,) = tuple(rig.ctx.operations.walk())
    assert (operation.state, operation.done) == (OperationState.PARTIAL, (0,))
    assert recover(rig.ctx) == ()


def test_an_undone_creation_that_can_neither_go_nor_stay_loses_nothing(tmp_path: Path) -> None:
    rig = rig_for(tmp_path)
    rig.apply(create(1, "memory/new.md", "created\n"))
    what = reversal(rig.ctx)
    approval = rig.approve_undo(what)
    with hooked(write_then_take_its_place(rig, "memory/new.md")), pytest.raises(Conflict, match="made a new one"):
        undo(rig.ctx, what, approval)
    assert rig.read("memory/new.md") == b"a new one\n"
    assert b"created\n" + MARK.encode() in everything(rig)
    (finding,) = late_bytes(rig.ctx.state, rig.ctx.displaced)
    assert finding.held.path == "memory/new.md"


def test_a10_late_bytes_of_an_open_descriptor_are_kept_and_told(tmp_path: Path) -> None:
    """A10: a writer that had the file open writes into what we keep; it is shown as a conflict."""
    rig = rig_for(tmp_path)
    with (rig.folder / "memory/notes.md").open("ab", buffering=0) as kept:
        rig.apply(overwrite(1, "memory/notes.md", "new notes\n"))
        assert late_bytes(rig.ctx.state, rig.ctx.displaced) == ()
        kept.write(MARK.encode())
    (finding,) = late_bytes(rig.ctx.state, rig.ctx.displaced)
    assert finding.held.path == "memory/notes.md"
    assert rig.read("memory/notes.md") == b"new notes\n"
    assert MARK.encode() in everything(rig)
    assert list(rig.ctx.state.held.iterdir())
