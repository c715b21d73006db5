"""What must hold after a fault, before and after `recover`; each breach is one plain line."""

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import TEMPORARY_PREFIX
from tests.soak.commands import Command
from tests.soak.place import Place, contents, is_ours
from tests.soak.process import HUNG, Ran

CODES = frozenset({0, 1, 3, 4, 5, 6})
"""The exit codes of CLI.md; 2 is for a wrong use, which no fault is."""
LOOKS = ("recover", "recover", "queue --json", "log --verify", "status", "check --deep")
"""What is asked after every fault, in this order."""
READERS = ("trends", "reports", "kept", "changes", "doctor", "topics list", "topics tune --log", "search", "tree")
_SAID = re.compile(r"not committed|omitted from the commit|git status may show|owed")
"""What a command says where the repository was left behind."""


class Whole(msgspec.Struct, frozen=True):
    """The user's files at one instant, what git sees as changed, and the operator's crontab and units."""

    files: Mapping[str, bytes]
    dirty: frozenset[str]
    schedule: Mapping[str, bytes]
    locks: frozenset[str] = frozenset()

    @classmethod
    def look(cls, place: Place) -> "Whole":
        return cls(place.files(), _dirty(place), place.schedule(), locks(place))


class Pictures(msgspec.Struct, frozen=True):
    """The files before a command and after it; `between`: where one of its plans is done and the other not."""

    before: Whole
    after: Whole
    between: tuple[Whole, ...] = ()

    @property
    def wholes(self) -> tuple[Whole, ...]:
        return (self.before, self.after, *self.between)

    def holding(self, files: Mapping[str, bytes]) -> Whole | None:
        """Which of them these files are."""
        return next((whole for whole in self.wholes if whole.files == files), None)


class Runs(Protocol):
    """What runs commands in the place, as the stage of the command under test knows its plans."""

    place: Place

    def again(self, known: Command) -> Ran: ...

    def several(self, every: Sequence[str]) -> list[Ran]: ...


def problems_of(
    runs: Runs, known: Command, ran: Ran, pictures: Pictures, *, thorough: bool, told: str = ""
) -> Iterator[str]:
    """Everything wrong after one fault. Repairs on the way, as the operator would: by `recover`.

    `told`: where it said that all is done, or undone, so it is, whatever came after.
    """
    yield from _manners("it", ran, killed=True)
    yield from _old_or_new(runs.place, known, pictures)
    yield from _lost(runs.place, pictures, known.remade)
    yield from _schedule(runs.place, pictures)
    names = (*LOOKS, *READERS) if thorough else LOOKS
    looked = runs.several(names)
    for name, look in zip(names, looked, strict=True):
        yield from _ended(name, look)
    here = pictures.holding(runs.place.files())
    if here is None:
        yield f"the tree is neither old nor new: {_difference(runs.place, pictures)}"
    elif told and known.changes and (told == "done") != (here.files == pictures.after.files):
        yield f"the tree is {'not ' * (told == 'done')}the new one, though it ended as {told}"
    elif known.forgets and here.files == pictures.after.files:
        yield from _forgotten(runs.place, known.forgets)
    # An exploration's lock keeps its index until its replay goes on; the next run takes it over.
    yield from (f"a lock is left: {lock}" for lock in _left(runs, pictures) if not lock.startswith("worktrees/"))
    second, queue = looked[1:3]
    if runs.place.owed() or any(owed in second.out for owed in ("transcript_owed", "commit_owed")):
        yield from _settled(runs, pictures)
    elif "nothing to recover" not in second.out:
        yield f"the second recover found something: {_short(second.out)}"
    yield from _queue(known, queue)
    yield from _alarm(runs, known, ran, is_done=here is not None and here.files == pictures.after.files)
    said = "".join(f"{one.out}{one.err}{one.shown}" for one in (ran, *looked))
    yield from _repository(runs.place, pictures, said)
    yield from _again(runs, known, pictures, here)
    yield from (f"a lock is left for good: {lock}" for lock in _left(runs, pictures))


def told_by(ran: Ran, *, recovers: bool) -> Literal["", "done", "undone"]:
    """What a command that ended well says of the plan. `recover` goes forward or back, and says which; of one that was
    over, or not begun, it says nothing."""
    if ran.code != 0:
        return ""
    if not recovers:
        return "done"
    return "undone" if "cut off, and was undone" in ran.out else "done" if "and was finished" in ran.out else ""


def _manners(who: str, ran: Ran, *, killed: bool = False) -> Iterator[str]:
    """It ends in time with a known code, and fails in one line."""
    if ran.code == HUNG:
        yield f"{who} hung"
    elif ran.code not in CODES and not (killed and ran.code == -signal.SIGKILL):
        yield f"{who} ended with {ran.code}: {_short(ran.err)}"
    for word in ("Traceback", "report it", "Exception ignored"):
        if word in ran.err or word in ran.shown:
            yield f"{who} said {word!r}: {_short(ran.err)}"


def _ended(who: str, ran: Ran) -> Iterator[str]:
    yield from _manners(who, ran)
    # That agents lost what they always load is no fault of ours, and `doctor` says so by its code.
    if ran.code in CODES and ran.code != 0 and "■ loss" not in ran.out:
        yield f"{who} ended with {ran.code}: {_short(ran.err or ran.out)}"


def _old_or_new(place: Place, known: Command, pictures: Pictures) -> Iterator[str]:
    files = place.files()
    if not known.changes:
        if pictures.holding(files) is None:
            yield f"it changed notes: {_difference(place, pictures)}"
        return
    for path, data in files.items():
        if known.grows and TEMPORARY_PREFIX in path:
            continue  # `recover` takes it away
        if not any(_is_like(whole.files.get(path), data, grows=known.grows) for whole in pictures.wholes):
            yield f"{path} is neither old nor new"
    for path in set.intersection(*(set(whole.files) for whole in pictures.wholes)) - files.keys():
        yield f"{path} is missing"


def _is_like(whole: bytes | None, data: bytes, *, grows: bool) -> bool:
    return whole == data or (grows and whole is not None and whole.startswith(data))


def _lost(place: Place, pictures: Pictures, remade: Sequence[str]) -> Iterator[str]:
    """Every byte of before is in the workspace, aside, or in the store (whose names are hashes)."""
    hashes = {sha256_hex(data) for _, data in contents(place.workspace)}
    for name, data in contents(place.folders["state"]):
        hashes |= {sha256_hex(data), "".join(name.split("/")[-2:]), name.rpartition("/")[2]}
    for path, data in pictures.before.files.items():
        if path not in remade and sha256_hex(data) not in hashes:
            yield f"the old bytes of {path} are lost"


def _forgotten(place: Place, words: str) -> Iterator[str]:
    """No file of the state or the workspace, but for git's packed objects, says what was forgotten."""
    for folder in (place.workspace, place.folders["state"]):
        for name, data in contents(folder):
            if words.encode() in data:
                yield f"{name} still says what was forgotten"


def _queue(known: Command, queue: Ran) -> Iterator[str]:
    """Every plan can be read, and none is left half-way."""
    open_ended = {"applying", "conflict"} | (set() if "--only" in known.step.arguments else {"partial"})
    for entry in json.loads(queue.out or "[]"):
        if entry["damage"] or entry["state"] in open_ended:
            yield f"the queue has {entry['plan']} as {entry['state']} {entry['damage']}"


def _alarm(runs: Runs, known: Command, ran: Ran, *, is_done: bool) -> Iterator[str]:
    """The alarm of a loss stands until it is answered, and then no more (G26)."""
    if not known.loss:
        return
    (status,) = runs.several(("status --json",))
    is_told = any(alarm["id"] == "loss" for alarm in json.loads(status.out or "{}").get("alarms", ()))
    is_answered = known.loss == "ends" and (is_done if known.changes else ran.code == 0)
    if is_answered and is_told:
        yield "the alarm of a loss goes on, though it was answered"
    elif not is_told and (known.loss == "stays" or (known.changes and not is_done)):
        yield "the alarm of a loss is gone, though nobody answered it"


def _schedule(place: Place, pictures: Pictures) -> Iterator[str]:
    for path, data in place.schedule().items():
        if all(whole.schedule.get(path) != data for whole in pictures.wholes):
            yield f"{path} of the operator is neither old nor new"


def _settled(runs: Runs, pictures: Pictures) -> Iterator[str]:
    """What git is owed is made once its locks are gone, which a git leaves that is killed."""
    for lock in (runs.place.workspace / ".git").rglob("*.lock"):
        lock.unlink()
    first, second = runs.several(("recover", "recover"))
    if runs.place.owed():
        yield f"git is free, and is owed something still: {_short(first.out)}"
    if "nothing to recover" not in second.out:
        yield f"what was owed is settled, and recover found something: {_short(second.out)}"
    yield from _repository(runs.place, pictures, "omitted from the commit" * ("omitted from the commit" in first.out))


def _repository(place: Place, pictures: Pictures, said: str) -> Iterator[str]:
    if not (place.workspace / ".git/HEAD").exists():
        return
    checked = _git(place, "fsck", "--no-dangling", "--strict")
    if checked.returncode != 0:
        yield f"git fsck: {_short(checked.stderr)}"
    files, dirty = place.files(), _dirty(place)
    known = [whole.dirty for whole in pictures.wholes if whole.files == files]
    # Less than was changed before is no fault: a commit that was owed is made.
    if known and not any(dirty <= one for one in known) and not _SAID.search(said):
        yield f"git is behind, and nothing was said: {sorted(dirty - known[0])[:3]}"


def _again(runs: Runs, known: Command, pictures: Pictures, here: Whole | None) -> Iterator[str]:
    """The same command once more: what was old becomes new, what writes no note ends as if nothing had been."""
    if known.changes and here is not pictures.before:
        return
    ran = runs.again(known)
    if ran.code not in known.again:
        yield f"the same command again ended with {ran.code}: {_short(ran.err or ran.out)}"
    elif runs.place.files() != pictures.after.files:
        yield f"the same command again left another tree: {_difference(runs.place, pictures)}"


def _difference(place: Place, pictures: Pictures) -> str:
    """The paths in which the files differ from the nearest whole tree."""
    files = place.files()
    differences = [
        sorted(path for path in {*files, *whole.files} if files.get(path) != whole.files.get(path))
        for whole in pictures.wholes
    ]
    return ", ".join(min(differences, key=len)[:4])


def _dirty(place: Place) -> frozenset[str]:
    """What git sees as changed among the user's files."""
    lines = _git(place, "status", "--porcelain", "-uall").stdout.splitlines()
    return frozenset(line for line in lines if not is_ours(line[3:]))


def _left(runs: Runs, pictures: Pictures) -> list[str]:
    return sorted(locks(runs.place) - pictures.before.locks)


def locks(place: Place) -> frozenset[str]:
    """The locks of git in the workspace, and what memdeck keeps beside them."""
    folder = place.workspace / ".git"
    every = (*folder.rglob("*.lock"), *folder.glob("index.memdeck-*"), *folder.glob("memdeck-*"))
    return frozenset(str(path.relative_to(folder)) for path in every)


def _git(place: Place, *arguments: str) -> "subprocess.CompletedProcess[str]":
    git = shutil.which("git") or "git"
    return subprocess.run(
        [git, *arguments], cwd=place.workspace, env=place.environment(), capture_output=True, text=True, check=False
    )


def _short(text: str) -> str:
    return " ".join(text.split())[-300:]
