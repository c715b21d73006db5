"""Sets git-crypt up in a repository by the operator's own program, and looks at what the repository says of it (D22).
Nothing that the repository names is run, and its settings are only read. They count for the agent's own git: where they
are not exactly ours, that git would commit private files in clear, or run a program of somebody's.
Finds private files that git has in clear."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from engine.errors import Refused
from engine.history.git import LONG, Git, GitFailed, clean_environment, run_limited
from engine.history.git_filters import CRYPT, filters_of, is_crypt
from engine.history.repository import Repository
from engine.history.repository_history import BLOBS_AT_ONCE, blobs, tree_of
from engine.text.document import is_locked
from engine.text.safe_text import visible_line
from engine.workspace.layout import lies_in
from engine.workspace.system_calls import find_program

_MOST_PATHS = 500  # paths outside the private folders whose history is looked at


class PrivateFile(msgspec.Struct, frozen=True):
    """A private file that git knows: how many of its versions are in clear, and whether that of HEAD is one."""

    path: str
    in_clear: int
    now: bool


def state_of_refs(repository: Repository) -> str:
    """Gives a text that changes with every ref, and so with every commit that is kept."""
    git = repository.git
    return f"{repository.head()} {git.line('for-each-ref', '--format=%(objectname)')}"


def committed_private(repository: Repository, folders: Sequence[str]) -> dict[str, str]:
    """Gives the private files of HEAD, each with its blob."""
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
    """Finds private files with a version in clear somewhere in the history, by path. An empty one says nothing."""
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
    """Gives every blob of these paths that a ref leads to, with a path it has had."""
    if not paths or not repository.head():
        return {}
    asked = [repository.prefix + path for path in paths]
    out = repository.git.run("rev-list", "--objects", "--all", "--", *asked, timeout=LONG)
    found: dict[str, str] = {}
    for row in os.fsdecode(out).splitlines():
        blob, _, path = row.partition(" ")
        if path:
            found.setdefault(blob, path.removeprefix(repository.prefix))
    return found


def _contents(repository: Repository, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    wanted = list(dict.fromkeys(names))
    for start in range(0, len(wanted), BLOBS_AT_ONCE):
        yield from blobs(repository, wanted[start : start + BLOBS_AT_ONCE]).items()


INSTALL = "install it (apt install git-crypt, brew install git-crypt), then memdeck init --private"
_KEY = "git-crypt/keys/default"
_SECTION = f"filter.{CRYPT}"
_REPAIR = f"look at it, then: git config --remove-section {_SECTION}; memdeck init --private"


class CryptSettings(StrEnum):
    """The settings of git-crypt's filter: ours, none, or other ones."""

    OURS = "ours"
    NONE = "none"
    OTHER = "other"


class CryptState(msgspec.Struct, frozen=True):
    """The operator's git-crypt and its settings in a repository. `other` is the first one that is not ours."""

    program: str | None
    settings: CryptSettings
    other: str = ""

    @property
    def problem(self) -> str:
        """Says why private files cannot be encrypted here; empty where nothing is in the way."""
        if self.program is None:
            return "git-crypt is not installed outside the workspace"
        if self.settings is CryptSettings.OTHER:
            return f"git's settings name another filter: {self.other}"
        return ""

    @property
    def fix(self) -> str:
        """Says what to do about the problem."""
        return INSTALL if self.program is None else _REPAIR


def crypt_state(git: Git) -> CryptState:
    """Reads what the repository and the operator's settings say of git-crypt's filter; runs nothing of it."""
    program = find_program(CRYPT, git.top, git.env)
    code, out, _ = git.attempt("config", "-z", "--get-regexp", f"^{_SECTION}\\.")
    rows = (row.partition("\n") for row in out.decode("utf-8", "replace").split("\0") if row) if code == 0 else ()
    found = {key.rpartition(".")[2]: value for key, _, value in rows}
    if not found:
        return CryptState(program, CryptSettings.NONE)
    wanted = _wanted(program or "")
    other = [f"{name} = {found[name]!r}" for name in sorted(found) if found[name] != wanted.get(name)]
    other += [f"{name} is missing" for name in wanted if name not in found]
    if other:
        return CryptState(program, CryptSettings.OTHER, visible_line(f"{_SECTION}.{other[0]}")[:200])
    return CryptState(program, CryptSettings.OURS)


def _wanted(program: str) -> dict[str, str]:
    """Gives the settings of the filter, as git-crypt itself writes them when it is called by its absolute path."""
    return {"smudge": f'"{program}" smudge', "clean": f'"{program}" clean', "required": "true"}


def is_without_key(git: Git) -> bool:
    """Tells whether git-crypt has no key in this repository: it was never set up, or it is locked."""
    return not (git.folder / _KEY).exists()


def set_up_crypt(repository: Repository, git: Git, folders: Sequence[str]) -> None:
    """Makes git-crypt's key where there is none, and its settings; `Refused` or `GitFailed` where that cannot be. `git`
    is the one with which the git folder is written. A repository that is locked gets no second key."""
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
    """Has git-crypt make its key. It asks git for its folder and writes settings, and runs nothing else."""
    env = clean_environment(git.env, git.top) | {"GIT_DIR": str(git.folder), "GIT_WORK_TREE": str(git.top)}
    code, out, err = run_limited([program, "init"], stdin=b"", env=env, cwd=git.top, user=git.owner)
    if code != 0:
        said = " ".join((err or out).decode("utf-8", "replace").split())
        raise GitFailed(visible_line(said)[:300] or f"ended with {code}", where="git-crypt init")
