"""Finds the paths that git would filter (git-crypt, LFS), and runs the filters that the policy names (D22)."""

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.history.git import GitFailed, clean_environment, run_limited, zero_separated
from engine.history.repository import Repository
from engine.text.document import is_locked
from engine.workspace.system_calls import find_program

CRYPT = "git-crypt"
_NO_FILTER = frozenset({"", "unspecified", "unset", "set"})


def filters_of(
    repository: Repository, paths: Sequence[str], index: Path, *, as_committed: bool = False
) -> dict[str, str]:
    """The filter of each path that has one. Asking runs nothing. The attributes on disk and those committed both count:
    whoever drops one from `.gitattributes` does not get the next version in clear. `as_committed`: both are the same,
    and asked for once."""
    found: dict[str, str] = {}
    for where in (("--cached",),) if as_committed else ((), ("--cached",)):
        out = repository.git.run(
            "check-attr", "-z", "--stdin", *where, "filter", stdin=zero_separated(paths), index=index
        )
        cells = os.fsdecode(out).split("\0")
        for path, _, value in zip(cells[::3], cells[1::3], cells[2::3], strict=False):
            if value not in _NO_FILTER:
                found.setdefault(path, value)
    return found


def ignored(repository: Repository, paths: Sequence[str], index: Path) -> frozenset[str]:
    """Picks those of `paths` that git ignores and does not track."""
    # `check-ignore` knows no literal paths, so `./` keeps it from reading a leading colon as something special.
    asked = zero_separated(f"./{path}" for path in paths)
    more = {"GIT_LITERAL_PATHSPECS": "0"}
    code, out, err = repository.git.attempt("check-ignore", "-z", "--stdin", stdin=asked, index=index, more=more)
    if code not in (0, 1):
        raise GitFailed(err.decode("utf-8", "replace").strip(), where="git check-ignore")
    return frozenset(path.removeprefix("./") for path in os.fsdecode(out).split("\0") if path)


def is_crypt(driver: str) -> bool:
    """Tells whether a filter is one of git-crypt's: by its default key, or by one with a name."""
    return driver == CRYPT or driver.startswith(f"{CRYPT}-")


def is_encrypted(data: bytes, driver: str) -> bool:
    """Tells whether a file lies on the disk as git-crypt keeps it: it is committed as it is, not encrypted twice."""
    return is_locked(data) and (not driver or is_crypt(driver))


def check_filtered(path: str, data: bytes, out: bytes, driver: str, *, private: bool) -> None:
    """`GitFailed` where a filter that should encrypt gave `data` back in clear."""
    clear = not is_locked(out) if is_crypt(driver) else private and out == data
    if clear and data:
        raise GitFailed("its filter gave it back in clear", where=path, hint="look at git.filters in the policy")


def filtered(command: str, path: str, data: bytes, repository: Repository, env: Mapping[str, str]) -> bytes:
    """Passes `data` through the policy's filter. The command is run without a shell; `%f` in it stands for the path."""
    try:
        words = [word.replace("%f", path) for word in shlex.split(command)]
    except ValueError as error:
        raise GitFailed(f"the filter's command cannot be read: {error}", where=path) from error
    top = repository.git.top
    program = find_program(words[0], top, env) if words else None
    if program is None:
        raise GitFailed(f"the filter {command!r} names no program outside the workspace", where=path)
    clean = {name: value for name, value in env.items() if not name.startswith("GIT_")} | clean_environment(env, top)
    code, out, err = run_limited([program, *words[1:]], stdin=data, cwd=top, env=clean)
    if code != 0:
        raise GitFailed(f"its filter ended with {code}: {err.decode('utf-8', 'replace').strip()[:200]}", where=path)
    return out
