"""Fetches shared knowledge into a bare repository in the operator's state, and reads its notes (autopoiesis §11,
phase 4). Nothing is checked out, so no filter or hook counts; the policy has the address (decision D22)."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.errors import Refused
from engine.history.git import LONG, Git, GitFailed, git_program, read_regular, run_limited
from engine.history.gitmodules import FOLDER, is_commit
from engine.history.push import REMOTE_SETTINGS, leads_inside, remote_environment, remote_problem
from engine.history.repository import Repository
from engine.history.repository_history import blobs, files_and_others
from engine.state.private_files import make_durable, write_private
from engine.text.safe_text import visible_line
from engine.workspace.foreign_text import incoming
from engine.workspace.layout import is_closed_folder, is_note
from engine.workspace.paths import MAX_FILE, relative_path

MOST_NOTES = 2_000  # notes of one shared repository
MOST_BYTES = 2 * MAX_FILE  # bytes of all of them
_TIP = "refs/memdeck/tip"
_SETTINGS = (*REMOTE_SETTINGS, "fetch.fsckObjects=true", "fetch.recurseSubmodules=false", "gc.auto=0", "core.fsync=all")
_OPTIONS = (
    "--quiet",
    # The newest commit is all that is read.
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-auto-maintenance",
    "--no-write-fetch-head",
)


class SharedNotes(msgspec.Struct, frozen=True):
    """The notes of one commit: bytes by their path below the shared folder. `left_out`: paths that are no notes.
    `held`: notes that the gate for foreign bytes rejects, each with the reason (decision G27)."""

    commit: str
    notes: Mapping[str, bytes]
    left_out: tuple[str, ...]
    held: Mapping[str, str] = {}


class SharedStore:
    """The bare repository of one shared repository in the operator's state."""

    def __init__(self, folder: Path, top: Path, env: Mapping[str, str]) -> None:
        """Takes the workspace as `top`: no program in it is started, and no address may lead into it."""
        self._folder, self._top, self._env = folder, top, dict(env)

    def fetch(self, address: str) -> str:
        """Fetches the newest commit of the address and gives its id; `Refused` for the address, `GitFailed` for git."""
        if problem := remote_problem(address) or leads_inside(address, self._top):
            raise Refused(problem, where="git.shared")
        self._begin()
        settings = [part for item in _SETTINGS for part in ("-c", item)]
        fetch = ("fetch", *_OPTIONS, "--end-of-options", address, f"+HEAD:{_TIP}")
        command = [git_program(self._top, self._env), *settings, *fetch]
        env = remote_environment(self._folder, self._top, self._env)
        code, _, err = run_limited(command, stdin=b"", env=env, timeout=LONG, cwd=self._folder)
        if code != 0:
            raise GitFailed(_reason(err) or f"ended with {code}", where="git fetch", hint="look at git.shared")
        return self.tip()

    def tip(self) -> str:
        """Gives the commit that was fetched last; empty if there is none."""
        try:
            said = read_regular(self._folder / _TIP, 100).decode("ascii", "replace").strip()
        except OSError:
            return ""
        return said if is_commit(said) else ""

    def has(self, commit: str) -> bool:
        return (self._folder / "HEAD").is_file() and self._repository().git.commit_id(commit) != ""

    def notes(self, commit: str) -> SharedNotes:
        """Gives the notes of a commit; `Refused` where they are too many or too large."""
        repository = self._repository()
        files, left = files_and_others(repository, commit)
        kept = {path: file for path, file in files.items() if _is_taken(path)}
        left += [path for path in files if path not in kept]
        if len(kept) > MOST_NOTES or sum(file.size for file in kept.values()) > MOST_BYTES:
            many = f"{len(kept):,} notes, and at most {MOST_NOTES:,} of {MOST_BYTES >> 20} MiB together are shared"
            raise Refused(f"it has {many}", where=self._folder.stem)
        data = blobs(repository, (file.blob for file in kept.values()))
        texts = {path: data[file.blob] for path, file in kept.items() if _is_text(data.get(file.blob))}
        left += [path for path in kept if path not in texts]
        place = f"{FOLDER}{self._folder.stem}/"
        problems = {path: incoming(place + path, text.decode("utf-8")) for path, text in sorted(texts.items())}
        notes = {path: text for path, text in texts.items() if not problems[path]}
        return SharedNotes(commit, notes, tuple(sorted(left)), {path: why for path, why in problems.items() if why})

    def _repository(self) -> Repository:
        return Repository(Git(self._folder, self._folder, self._env), "")

    def _begin(self) -> None:
        """Makes the bare repository without template or hook; removes a killed git's locks, under the state's lock."""
        for left in (*self._folder.glob("*.lock"), *self._folder.glob("refs/memdeck/*.lock")):
            left.unlink()
        head = self._folder / "HEAD"
        if head.is_file() and head.stat().st_size:
            return
        for name in ("objects/info", "objects/pack", "refs/memdeck"):
            make_durable(self._folder / name)
        write_private(self._folder / "config", b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
        write_private(head, b"ref: refs/heads/none\n")  # the last: with it all is there


def _reason(err: bytes) -> str:
    """Gives git's first `fatal:` message; its last line where there is none."""
    lines = err.decode("utf-8", "replace").splitlines()
    fatal = [line.removeprefix("fatal: ") for line in lines if line.startswith("fatal: ")]
    return visible_line((fatal or lines[-1:] or [""])[0])[:400]


def _is_taken(path: str) -> bool:
    """Tells whether a file is a note that the workspace would read."""
    try:
        *folders, name = relative_path(path).split("/")
    except Refused:
        return False
    # Far below what file systems take: the workspace's own folders come in front.
    return is_note(name) and not any(map(is_closed_folder, folders)) and len(os.fsencode(path)) < 1_000


def _is_text(data: bytes | None) -> bool:
    try:
        return data is not None and b"\0" not in data and bool(data.decode("utf-8") or True)
    except UnicodeDecodeError:
        return False
