"""Tells which changes in git's folder a plan may make (decision G15): `init` adds memdeck's own hooks, `branches`
turns branches of explorations and replays into tags (D55)."""

import re
from collections.abc import Callable

from engine.history.hook_scripts import HOOKS
from engine.plans.plan import Append, Change, Create, Move, Replace

INIT, BRANCHES = "init", "branches"
PREFIXES = ("explore/", "extract/")  # the beginnings of the branches that try something: explorations, and replays
TAGS = "memory/"  # the beginning of the tag that stays in a branch's place; the branch's name follows
PACKED = ".git/packed-refs"
_HEADS, _TAGS = ".git/refs/heads/", ".git/refs/tags/" + TAGS
_LOGS = (".git/logs/refs/heads/", ".git/logs/refs/tags/" + TAGS)
_PACKED_HEADS = tuple(f" refs/heads/{prefix}".encode() for prefix in PREFIXES)
_CHECKED_OUT = tuple(f"ref: refs/heads/{prefix}".encode() for prefix in PREFIXES)
_ID = re.compile(r"(?:[0-9a-f]{40}|[0-9a-f]{64})\n")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?<!\.lock)(?<!\.)")
_WORKTREE = re.compile(r"\.git/worktrees/[^/]+/HEAD")


def is_branch_name(name: str) -> bool:
    """Tells whether `name` can be one part of a ref, of letters, digits, `.`, `_` and `-`."""
    return _NAME.fullmatch(name) is not None and ".." not in name and len(name) <= 100


def in_git(path: str) -> bool:
    return path.startswith(".git/")


def names_crypt(change: Change) -> bool:
    """Tells whether a change makes git encrypt files with git-crypt."""
    return (
        isinstance(change, Create | Append)
        and change.path == ".gitattributes"
        and " filter=git-crypt" in change.content
    )


def may_change(system: str, change: Change, read: Callable[[str], bytes]) -> bool:
    """Tells whether this system may make a change in git's folder. `read` gives the present bytes."""
    match system, change:
        case "init", Create(path=path, content=content):
            return HOOKS.get(path) == content
        case "branches", Create(path=path, content=content):
            return _is_kept(path, _TAGS) and _ID.fullmatch(content) is not None
        case "branches", Move(path=path, to=to):
            return _moves(path, to, _HEADS, _TAGS) or _moves(path, to, *_LOGS)
        case "branches", Replace(path=path, content=content) if path == PACKED:
            return _only_explorations_left(read(path), content.encode("utf-8", "surrogateescape"))
        case "branches", Replace(path=path, content=content):
            # A worktree that has a branch of an exploration checked out comes to name its commit instead.
            known = _WORKTREE.fullmatch(path) and _ID.fullmatch(content)
            return bool(known) and read(path).startswith(_CHECKED_OUT)
        case _:
            return False


def _is_kept(path: str, folder: str) -> bool:
    prefix = _prefix(path, folder)
    return bool(prefix) and is_branch_name(path.removeprefix(folder + prefix))


def _prefix(path: str, folder: str) -> str:
    """Gives the prefix, such as `explore/`, of a branch path below `folder`; empty if there is none."""
    return next((prefix for prefix in PREFIXES if path.startswith(folder + prefix)), "")


def _moves(path: str, to: str, source: str, target: str) -> bool:
    """Tells whether a branch becomes the tag of its name, perhaps with a number."""
    return _prefix(path, source) == _prefix(to, target) and _is_kept(path, source) and _is_kept(to, target)


def _only_explorations_left(old: bytes, new: bytes) -> bool:
    """Tells whether the packed refs lost nothing but branches of explorations and replays."""
    wanted = iter(new.splitlines(keepends=True))
    following = next(wanted, None)
    for line in old.splitlines(keepends=True):
        if line == following:
            following = next(wanted, None)
        elif not any(head in line for head in _PACKED_HEADS):
            return False
    return following is None
