"""Rewrites git's history without some words: first on a copy, whose final files must equal the present ones (D62)."""

import os
import shutil
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from engine.errors import Conflict, Refused
from engine.history.git import LONG, Git, clean_environment, git_program, run_limited
from engine.history.git_locks import git_at_work, holders
from engine.history.repository import Repository
from engine.lifecycle.forget.plan import HistoryFacts
from engine.lifecycle.forget.sought_words import SoughtWords
from engine.plans.records.operations import Operations
from engine.state.private_files import make_private, remove_private, step, write_private
from engine.workspace.system_calls import fsync_folder

_OURS = "memdeck@localhost"  # the author of memdeck's own commits
_LEFT = ("ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG")
"""Git's files that name or quote earlier commits."""
_CLEANING = (
    ("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all"),
    ("repack", "-a", "-q"),  # on disk with its name before anything that it holds goes
    ("repack", "-a", "-d", "-q"),
    ("prune", "--expire=now"),
)


def history_facts(repository: Repository) -> HistoryFacts:
    """Gives the refs to rewrite, and what belongs to others than the operator; `Refused` if none can be."""
    git = repository.git
    _refuse(git.folder)
    mine = {_OURS, git.line("config", "user.email").casefold(), ""}
    authors = {one.casefold() for one in git.run("log", "--all", "--format=%ae").decode("utf-8", "replace").split("\n")}
    refs = tuple(_refs(git))
    others = [f"commits of {name}" for name in sorted(authors - mine)]
    others += [f"the remote {name} keeps the old one" for name in git.line("remote").split()]
    others += ["stashes but the last are lost"] if "refs/stash" in refs else []
    others += [f"it is that of {git.top}, more than this workspace"] if repository.prefix else []
    return HistoryFacts(refs=refs, others=tuple(others))


def _refuse(folder: Path) -> None:
    for name, what in (("worktrees", "it has linked worktrees"), ("shallow", "it is a shallow copy")):
        place = folder / name
        if place.is_file() or (place.is_dir() and any(place.iterdir())):
            raise Refused(f"git's history cannot be rewritten: {what}", where=str(place), hint="leave --history out")


def rewrite_history(
    repository: Repository, writing: Git, sought: SoughtWords, operations: Operations, scratch: Path
) -> str:
    """Rewrites the history, repeatably, with the same ids; says what was done. `Refused` if HEAD has the words."""
    git, copy, begun = repository.git, scratch / "rewriting", scratch / "rewriting.begun"
    _refuse(git.folder)
    _unlock(git, begun)
    shutil.rmtree(copy, ignore_errors=True)
    try:
        there = _copied(git, copy)
        _filtered(there, sought)
        if git.line("rev-parse", "HEAD^{tree}") != there.line("rev-parse", "HEAD^{tree}"):
            raise Refused("a file of the newest commit still says it: take it out by hand, commit, and forget again")
        commits = dict(row.split() for row in (copy / "filter-repo/commit-map").read_text("ascii").splitlines()[1:])
        step("forget-history")
        _follow(operations, commits)
        write_private(begun, b"")
        _brought_back(git, writing, there)
        step("forget-history-clean")
        for name in _LEFT:
            (git.folder / name).unlink(missing_ok=True)
        for command in _CLEANING:
            writing.run(*command, timeout=5 * LONG, as_owner=True)
            _keep_names(git, "objects", "logs")
    finally:
        _unlock(git, begun)
        shutil.rmtree(copy, ignore_errors=True)
    return f"rewritten, {sum(old != new for old, new in commits.items()):,} commits changed"


def _unlock(git: Git, begun: Path) -> None:
    """Removes the locks that a killed git of memdeck made since `begun`; `Conflict` where another git works."""
    if not begun.exists():
        return
    for lock in git.folder.rglob("*.lock"):
        facts = lock.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_mtime_ns < begun.stat().st_mtime_ns:
            continue
        if holders(facts) or git_at_work((git.folder, git.top)) is not None:
            raise Conflict("another git is at work in it", where=str(lock), hint="memdeck recover, once that has ended")
        lock.unlink(missing_ok=True)
    # A power cut would bring its locks back, and nobody would know whose they are.
    _keep_names(git, "refs", "logs")
    remove_private(begun)


def _keep_names(git: Git, *names: str) -> None:
    """Syncs git's folders, because git syncs only files."""
    for folder in (git.folder, *(folder for name in names for folder in git.folder.glob(f"{name}/**/"))):
        fsync_folder(folder)


def _refs(git: Git) -> dict[str, str]:
    rows = git.run("for-each-ref", "--format=%(refname) %(objectname)").decode("utf-8", "replace").splitlines()
    refs = dict(row.split(" ", 1) for row in rows)
    # A HEAD on no branch is named by no ref.
    return refs if git.line("symbolic-ref", "-q", "HEAD") else {"HEAD": git.commit_id("HEAD"), **refs}


def _pack(git: Git) -> bytes:
    refs = "\n".join(_refs(git).values())
    return git.run("pack-objects", "--revs", "--stdout", "-q", stdin=refs.encode(), timeout=LONG)


def _copied(git: Git, copy: Path) -> Git:
    make_private(copy)
    there, program = Git(copy, copy, git.env), git_program(git.top, git.env)
    form = git.line("rev-parse", "--show-object-format") or "sha1"
    begin = [program, "init", "-q", "--bare", "--template=", f"--object-format={form}", str(copy)]
    run_limited(begin, stdin=b"", env=clean_environment(git.env, git.top))
    there.run("index-pack", "--stdin", stdin=_pack(git), timeout=LONG)
    if head := git.line("symbolic-ref", "-q", "HEAD"):
        there.run("symbolic-ref", "HEAD", head)
    rows = "".join(f"update {name} {ident}\n" for name, ident in _refs(git).items())
    there.run("update-ref", "--no-deref", "--stdin", stdin=rows.encode())
    return there


def _filtered(there: Git, sought: SoughtWords) -> None:
    """Runs the filter in a process of its own, because it uses the current folder."""
    env = {**clean_environment(there.env, there.top), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "engine.lifecycle.forget.filter_copy"]
    texts = msgspec.json.encode(sought.texts)
    code, _, errors = run_limited(command, stdin=texts, env=env, timeout=5 * LONG, cwd=there.folder)
    if code:
        last = " ".join(errors.decode("utf-8", "replace").split())[-200:]
        raise Refused(f"git's history could not be rewritten: {last}", where="git-filter-repo")


def _follow(operations: Operations, commits: Mapping[str, str]) -> None:
    for operation in operations:
        new = commits.get(operation.commit or "", operation.commit)
        if new != operation.commit:
            operations.save(msgspec.structs.replace(operation, commit=new))


def _brought_back(git: Git, writing: Git, there: Git) -> None:
    """Adds the objects, then moves all refs at once, each step durable before the next."""
    after = _refs(there)
    writing.run("unpack-objects", "-q", stdin=_pack(there), timeout=LONG, as_owner=True)
    _keep_names(git, "objects")
    rows = (
        f"update {name} {after[name]} {old}\n" if name in after else f"delete {name} {old}\n"
        for name, old in _refs(git).items()
        if after.get(name) != old
    )
    writing.run("update-ref", "--no-deref", "--stdin", stdin="".join(rows).encode(), as_owner=True)
    _keep_names(git, "refs", "logs")
