"""Predicts each path after applying a plan, and finds links and other things that can never be written (A9)."""

import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from engine.errors import MemdeckError, Refused, Stale
from engine.plans.git_places import in_git, may_change
from engine.plans.operation import Effect, Rename, Withdraw, Write
from engine.plans.plan import Append, Change, Create, Move, Plan, Replace
from engine.plans.system_request import System
from engine.text.canonical_json import sha256_hex
from engine.workspace.layout import CONVERSATIONS
from engine.workspace.paths import MAX_KEPT, FileMissing, WorkspaceRoot, relative_path

_OFF_LIMITS = frozenset({".git", ".memdeck"})
"""Folders that no plan may write, except through `git_places`: git runs its own, and `.memdeck` has displaced files."""


class Prediction(msgspec.Struct, frozen=True):
    """The effects in order, at most one for each path, and their new bytes by sha256."""

    effects: tuple[Effect, ...]
    contents: dict[str, bytes]


class _File(msgspec.Struct):
    """A simulated file. `before` is None if it was missing; `after` is None if it moved to `moved_to`."""

    before: bytes | None
    after: bytes | None
    moved_to: str | None = None
    arrived: bool = False


def predict(plan: Plan, numbers: tuple[int, ...], read: Callable[[str], bytes]) -> Prediction:
    """Simulates the chosen changes on the inputs' bytes, in the plan's order (promise A2); all writes to a path
    become one effect. `Refused` where a change does not fit the ones before it."""
    bound = {item.path: item.sha256 for item in plan.inputs}
    files: dict[str, _File] = {}
    forgets = plan.system == System.FORGET  # the one change of a source, which the operator asks for by name
    for change in plan.changes:
        if change.n in numbers:
            paths = (change.path, change.to) if isinstance(change, Move) else (change.path,)
            if any(map(in_git, paths)) and not may_change(plan.system, change, read):
                raise Refused("no plan may write here", where=change.path)
            if change.path.startswith(f"{CONVERSATIONS}/") and not isinstance(change, Create) and not forgets:
                raise Refused("a transcript is never changed after its close", where=change.path)
            _simulate(change, files, bound, read)
    return _prediction(files)


def contents_after(plan: Plan, read: Callable[[str], bytes]) -> dict[str, bytes | None]:
    """Gives the bytes of each path after the plan, None for a path that moves away; raises as `predict`."""
    prediction = predict(plan, tuple(change.n for change in plan.changes), read)
    return bytes_after(prediction.effects, prediction.contents.__getitem__, read)


def bytes_after(
    effects: Iterable[Effect], written: Callable[[str], bytes], read: Callable[[str], bytes]
) -> dict[str, bytes | None]:
    """Gives the bytes of each path after `effects`, None for no file. `written` gives new bytes by their sha256."""
    after: dict[str, bytes | None] = {}
    for effect in effects:
        match effect:
            case Write():
                after[effect.path] = written(effect.after)
            case Rename():
                after |= {effect.to: read(effect.path), effect.path: None}
            case Withdraw():
                after[effect.path] = None
    return after


def _simulate(
    change: Change, files: dict[str, _File], bound: Mapping[str, str | None], read: Callable[[str], bytes]
) -> None:
    file = _look(change.path, files, bound, read)
    match change:
        case Create(content=content):
            if file.after is not None:
                raise Refused("it is to be created but is there already", where=change.path)
            _write(change.path, file, _encoded(change.path, content))
        case Append(content=content):
            _write(change.path, file, _present(change.path, file) + _encoded(change.path, content))
        case Replace(content=content):
            _present(change.path, file)
            _write(change.path, file, _encoded(change.path, content))
        case Move(to=to):
            _move(change.path, file, to, _look(to, files, bound, read))


def _look(path: str, files: dict[str, _File], bound: Mapping[str, str | None], read: Callable[[str], bytes]) -> _File:
    if path not in files:
        refuse_off_limits(path.removeprefix(".git/") if in_git(path) else path)  # what is in git's was checked before
        data = read(path) if bound.get(path) is not None else None
        files[path] = _File(data, data)
    return files[path]


def refuse_off_limits(path: str) -> None:
    """Raises `Refused` for a path outside the workspace or inside git's or memdeck's folder (decision G15)."""
    parts = PurePosixPath(relative_path(path)).parts
    if any(part.casefold() in _OFF_LIMITS for part in parts):
        raise Refused("no plan may write here", where=path)


def _write(path: str, file: _File, data: bytes) -> None:
    if file.moved_to is not None or file.arrived:
        raise Refused("one plan cannot both move and write a file", where=path, hint="use two plans")
    file.after = data


def _present(path: str, file: _File) -> bytes:
    if file.after is None:
        raise Stale("the plan needs this file, which it did not find", where=path, hint="plan again")
    return file.after


def _move(path: str, file: _File, to: str, target: _File) -> None:
    data = _present(path, file)
    if data != file.before or file.arrived:
        raise Refused("one plan cannot both write and move a file", where=path, hint="use two plans")
    if target.after is not None or target.before is not None or target.moved_to is not None:
        raise Refused("the place it is to move to is taken", where=to)
    file.after, file.moved_to = None, to
    target.after, target.arrived = data, True


def _encoded(path: str, content: str) -> bytes:
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("its new content is not valid Unicode", where=path) from error


def _prediction(files: Mapping[str, _File]) -> Prediction:
    effects: list[Effect] = []
    contents: dict[str, bytes] = {}
    for path, file in files.items():
        if file.moved_to is not None and file.before is not None:
            effects.append(Rename(path, file.moved_to, sha256_hex(file.before), len(file.before)))
        elif file.after is not None and not file.arrived and file.after != file.before:
            after = sha256_hex(file.after)
            effects.append(Write(path, None if file.before is None else sha256_hex(file.before), after))
            contents[after] = file.after
    return Prediction(tuple(effects), contents)


def effect_sides(effects: Iterable[Effect]) -> Iterator[tuple[str, str | None, str | None]]:
    """Yields each path that effects changed, with its sha256 before and after; None for no file."""
    for effect in effects:
        match effect:
            case Write(path=path, before=before, after=after):
                yield path, before, after
            case Withdraw(path=path, before=before):
                yield path, before, None
            case Rename(path=path, to=to, sha256=sha256):
                yield path, sha256, None
                yield to, None, sha256


def paths_of(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Gives every path that the effects change, in order."""
    return tuple(path for path, _, _ in effect_sides(effects))


def manifest(effects: Iterable[Effect]) -> dict[str, str | None]:
    """Gives each changed path's sha256 afterwards; None for no file."""
    return {path: after for path, _, after in effect_sides(effects)}


def reverse(effects: Iterable[Effect]) -> tuple[Effect, ...]:
    """Gives the effects that undo `effects`, last one first."""
    return tuple(map(_reverse, reversed(tuple(effects))))


def _reverse(effect: Effect) -> Effect:
    match effect:
        case Write(path=path, before=before, after=after):
            return Withdraw(path, after) if before is None else Write(path, after, before)
        case Rename(path=path, to=to, sha256=sha256, size=size):
            return Rename(to, path, sha256, size)
        case Withdraw(path=path, before=before):
            return Write(path, None, before)


def present_sha256(root: WorkspaceRoot, path: str) -> str | None:
    """Gives the hash of the file at `path`; None for nothing; the reason in words for anything but a regular file."""
    try:
        return sha256_hex(root.read(path, MAX_KEPT))
    except FileMissing:
        return None
    except Refused as refusal:
        return refusal.message


def plan_obstacle(root: WorkspaceRoot, plan: Plan) -> str:
    """Gives the problem of a path in the plan that can never be written, with a fix; empty if there is none."""
    paths = (path for change in plan.changes for path in (change.path, change.to if isinstance(change, Move) else ""))
    return next(filter(None, (obstacle(root, path) for path in dict.fromkeys(filter(None, paths)))), "")


def obstacle(root: WorkspaceRoot, path: str, *, is_folder: bool = False) -> str:
    """Gives the problem that prevents a file or folder at `path`, such as a link, with a fix, or empty."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        place = "/".join(parts[:depth])
        if kind := _in_the_way(root, place, is_folder=is_folder or depth < len(parts)):
            return f"{place} is {kind}; remove it, then plan again"
    return ""


def _in_the_way(root: WorkspaceRoot, place: str, *, is_folder: bool) -> str:
    try:
        facts = root.lstat(place)
    except MemdeckError:
        return ""  # the way to it is no folder any more, which the apply finds
    if facts is None:
        return ""
    if stat.S_ISLNK(facts.st_mode):
        return "a link"
    if is_folder:
        return "" if stat.S_ISDIR(facts.st_mode) else "no folder"
    if stat.S_ISDIR(facts.st_mode):
        return "a folder"
    return "" if stat.S_ISREG(facts.st_mode) else "no regular file"
