"""Sets up git-crypt with the operator's own program, and checks the repository's settings of it without running
them: other settings could make the agent's git commit private files in clear (D22). Finds private files that git has
in clear."""

import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec

from engine.errors import Refused
from engine.history.git import LONG, Git, GitFailed, clean_environment, run_limited, zero_separated
from engine.history.repository import Repository
from engine.history.repository_history import BLOBS_AT_ONCE, blobs, tree_of
from engine.text.document import is_locked
from engine.text.safe_text import visible_line
from engine.workspace.layout import lies_in
from engine.workspace.system_calls import find_program

CRYPT = "git-crypt"
_NO_FILTER = frozenset({"", "unspecified", "unset", "set"})  # as `check-attr` prints it


def filters_of(
    repository: Repository, paths: Sequence[str], index: Path, *, as_committed: bool = False
) -> dict[str, str]:
    """Gives the filter of each path that has one, by the attributes on disk and the committed ones; runs no filter.
    Both count, so that removing one does not commit the file in clear. `as_committed`: both are the same."""
    filters: dict[str, str] = {}
    for where in (("--cached",),) if as_committed else ((), ("--cached",)):
        out = repository.git.run(
            "check-attr", "-z", "--stdin", *where, "filter", stdin=zero_separated(paths), index=index
        )
        cells = os.fsdecode(out).split("\0")
        for path, _, value in zip(cells[::3], cells[1::3], cells[2::3], strict=False):
            if value not in _NO_FILTER:
                filters.setdefault(path, value)
    return filters


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
    """Tells whether bytes on the disk are already encrypted by git-crypt, so that they are not encrypted again."""
    return is_locked(data) and (not driver or is_crypt(driver))


def check_filtered(path: str, data: bytes, out: bytes, driver: str, *, private: bool) -> None:
    """Raises `GitFailed` where an encrypting filter returned `data` unencrypted."""
    clear = not is_locked(out) if is_crypt(driver) else private and out == data
    if clear and data:
        raise GitFailed("its filter gave it back in clear", where=path, hint="look at git.filters in the policy")


def filtered(command: str, path: str, data: bytes, repository: Repository, env: Mapping[str, str]) -> bytes:
    """Passes `data` through a filter command of the policy, without a shell; `%f` is replaced by the path."""
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


_MOST_PATHS = 500  # paths outside the private folders whose history is looked at


class PrivateFile(msgspec.Struct, frozen=True):
    """A private file in git: how many of its versions are in clear, and whether its version in HEAD is."""

    path: str
    in_clear: int
    now: bool


def state_of_refs(repository: Repository) -> str:
    """Gives a text that changes whenever a ref changes, so with every new commit."""
    git = repository.git
    return f"{repository.head()} {git.line('for-each-ref', '--format=%(objectname)')}"


def committed_private(repository: Repository, folders: Sequence[str]) -> dict[str, str]:
    """Gives the blob ids of HEAD's private files, by path."""
    head = repository.head()
    tree = tree_of(repository, head) if head else {}
    names = {repository.prefix + path: path for path in tree}
    drivers = filters_of(repository, list(names), repository.git.folder / "index") if names else {}
    crypt = {names[name] for name, driver in drivers.items() if is_crypt(driver) and name in names}
    return {path: file.blob for path, file in tree.items() if path in crypt or lies_in(path, folders)}


def holds_locked(repository: Repository, folders: Sequence[str]) -> bool:
    """Tells whether HEAD has private files that git-crypt encrypted."""
    return any(is_locked(data) for _, data in _contents(repository, committed_private(repository, folders).values()))


def private_in_clear(repository: Repository, folders: Sequence[str]) -> tuple[PrivateFile, ...]:
    """Finds the private files with a version in clear in the history, sorted by path; empty versions do not count."""
    present = committed_private(repository, folders)
    versions = _versions(repository, (*folders, *sorted(set(present))[:_MOST_PATHS]))
    for path, blob in present.items():
        versions.setdefault(blob, path)
    clear = defaultdict[str, set[str]](set)
    for blob, data in _contents(repository, versions):
        if data and not is_locked(data):
            clear[versions[blob]].add(blob)
    return tuple(PrivateFile(path, len(found), present.get(path) in found) for path, found in sorted(clear.items()))


def _versions(repository: Repository, paths: Sequence[str]) -> dict[str, str]:
    """Gives the blobs that any ref reaches at these paths, each with one of its paths."""
    if not paths or not repository.head():
        return {}
    asked = [repository.prefix + path for path in paths]
    out = repository.git.run("rev-list", "--objects", "--all", "--", *asked, timeout=LONG)
    paths_by_blob: dict[str, str] = {}
    for row in os.fsdecode(out).splitlines():
        blob, _, path = row.partition(" ")
        if path:
            paths_by_blob.setdefault(blob, path.removeprefix(repository.prefix))
    return paths_by_blob


def _contents(repository: Repository, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), BLOBS_AT_ONCE):
        yield from blobs(repository, wanted[start : start + BLOBS_AT_ONCE]).items()


INSTALL = "install it (apt install git-crypt, brew install git-crypt), then memdeck init --private"
_KEY = "git-crypt/keys/default"
_SECTION = f"filter.{CRYPT}"
_REPAIR = f"look at it, then: git config --remove-section {_SECTION}; memdeck init --private"


class CryptSettings(StrEnum):
    """The settings of git-crypt's filter in a repository: memdeck's, none, or others."""

    OURS = "ours"
    NONE = "none"
    OTHER = "other"


class CryptState(msgspec.Struct, frozen=True):
    """git-crypt's program and its filter settings in a repository. `other` is the first setting that differs."""

    program: str | None
    settings: CryptSettings
    other: str = ""

    @property
    def problem(self) -> str:
        """The reason why private files cannot be encrypted here; empty where they can."""
        if self.program is None:
            return "git-crypt is not installed outside the workspace"
        is_other = self.settings is CryptSettings.OTHER
        return f"git's settings name another filter: {self.other}" if is_other else ""

    @property
    def fix(self) -> str:
        """The step that solves the problem."""
        return INSTALL if self.program is None else _REPAIR


def crypt_state(git: Git) -> CryptState:
    """Reads the settings of git-crypt's filter from the repository and the operator; runs no program that they name."""
    program = find_program(CRYPT, git.top, git.env)
    code, out, _ = git.attempt("config", "-z", "--get-regexp", f"^{_SECTION}\\.")
    rows = (row.partition("\n") for row in out.decode("utf-8", "replace").split("\0") if row) if code == 0 else ()
    if not (found := {key.rpartition(".")[2]: value for key, _, value in rows}):
        return CryptState(program, CryptSettings.NONE)
    wanted = _wanted(program or "")
    other = [f"{name} = {found[name]!r}" for name in sorted(found) if found[name] != wanted.get(name)]
    other += [f"{name} is missing" for name in wanted if name not in found]
    if other:
        return CryptState(program, CryptSettings.OTHER, visible_line(f"{_SECTION}.{other[0]}")[:200])
    return CryptState(program, CryptSettings.OURS)


def _wanted(program: str) -> dict[str, str]:
    """Gives the settings that git-crypt itself writes when it is called by its absolute path."""
    return {"smudge": f'"{program}" smudge', "clean": f'"{program}" clean', "required": "true"}


def is_without_key(git: Git) -> bool:
    """Tells whether this repository has no git-crypt key: it was never set up, or it is locked."""
    return not (git.folder / _KEY).exists()


def set_up_crypt(repository: Repository, git: Git, folders: Sequence[str]) -> None:
    """Makes git-crypt's key and settings; raises `Refused` or `GitFailed`. A locked repository gets no second key."""
    state = crypt_state(git)
    if state.program is None or state.problem:
        raise Refused(state.problem, where=str(git.top), hint=state.fix)
    if is_without_key(git):
        if holds_locked(repository, folders):
            raise Refused("the repository is locked", where="git-crypt", hint="git-crypt unlock KEYFILE")
        _init(git, state.program)
    for name, value in _wanted(state.program).items():
        git.run("config", "--local", f"{_SECTION}.{name}", value, as_owner=True)
    git.run("config", "--local", f"diff.{CRYPT}.textconv", f'"{state.program}" diff', as_owner=True)


def _init(git: Git, program: str) -> None:
    env = clean_environment(git.env, git.top) | {"GIT_DIR": str(git.folder), "GIT_WORK_TREE": str(git.top)}
    code, out, err = run_limited([program, "init"], stdin=b"", env=env, cwd=git.top, user=git.owner)
    if code != 0:
        said = " ".join((err or out).decode("utf-8", "replace").split())
        raise GitFailed(visible_line(said)[:300] or f"ended with {code}", where="git-crypt init")
