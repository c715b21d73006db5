"""Repositories to test with: plain ones, and one in which everything that git could execute leaves a mark."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from engine.errors import MemdeckError
from engine.history.commit import commit_paths
from engine.history.repository import NoRepository, Repository, find_repository
from engine.history.request import CommitReport, CommitRequest, Content, ReadFile, Since, Trailer

AT = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
HOOKS = """
applypatch-msg commit-msg fsmonitor-watchman post-applypatch post-checkout post-commit post-index-change post-merge
post-rewrite pre-applypatch pre-auto-gc pre-commit pre-merge-commit pre-push pre-rebase prepare-commit-msg
proc-receive push-to-checkout reference-transaction sendemail-validate update
"""


def git(folder: Path, *args: str, stdin: bytes | None = None, may_fail: bool = False, at: str = "") -> str:
    """Ordinary git, as a person would call it. `at` is the time of a commit, where it is not now."""
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {"GIT_COMMITTER_DATE": at} if at else {}
    person = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *person, *args], cwd=folder, env=env, input=stdin, capture_output=True, check=False)
    if done.returncode and not may_fail:
        raise AssertionError(f"git {args}: {done.stderr.decode()}")
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def make_repo(folder: Path, files: dict[str, str], *options: str, at: str = "") -> Path:
    """A repository with one commit of `files`; none at all without files."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", *options)
    write(folder, files)
    if files:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "first", at=at)
    return folder


def found(workspace: Path, *outside: Path) -> Repository:
    repository = find_repository(workspace, [str(place) for place in outside], os.environ)
    assert isinstance(repository, Repository), repository
    return repository


def refused(workspace: Path, *outside: Path) -> str:
    repository = find_repository(workspace, [str(place) for place in outside], os.environ)
    assert isinstance(repository, NoRepository)
    return repository.reason


def reader(workspace: Path) -> ReadFile:
    def read(path: str) -> Content | None:
        place = workspace / path
        if place.is_symlink() or place.is_dir():
            raise MemdeckError("not a regular file", where=path)
        return Content(place.read_bytes(), os.access(place, os.X_OK)) if place.exists() else None

    return read


def commit(
    workspace: Path,
    *paths: str,
    filters: dict[str, str] | None = None,
    number: int = 1,
    repository: Repository | None = None,
    since: Since | None = None,
    read: ReadFile | None = None,
    private: tuple[str, ...] = (),
) -> CommitReport:
    """What memdeck commits for an operation that touched `paths`."""
    scratch = workspace.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    request = CommitRequest(
        paths=paths,
        subject="maintenance: compact, 1 change (manual)",
        trailers=(Trailer("Memdeck-Operation", f"o-20260315-{number:04d}"), Trailer("Memdeck-Plan", "p-20260315-0001")),
        at=AT,
        filters=filters or {},
        private=private,
        scratch=scratch,
        since=since,
    )
    return commit_paths(repository or found(workspace), request, read or reader(workspace))


def hostile(workspace: Path, marks: Path) -> Path:
    """Arms everything in the repository that could run a program; each leaves a file in `marks` when it does."""
    marks.mkdir(exist_ok=True)
    program = marks.parent / "program"
    program.write_text(f'#!/bin/sh\ntouch "{marks}/$1-$$"\ncat\nexit 0\n', encoding="utf-8")
    program.chmod(0o755)
    run = str(program)
    for hook in HOOKS.split():
        path = workspace / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\nexec {run} hook-{hook} </dev/null\n", encoding="utf-8")
        path.chmod(0o755)
    included = workspace / ".git" / "included"
    included.write_text(_settings(run, workspace / ".git" / "hooks"), encoding="utf-8")
    with (workspace / ".git" / "config").open("a", encoding="utf-8") as config:
        config.write(f'[includeIf "gitdir:{workspace}/.git"]\n\tpath = included\n[include]\n\tpath = included\n')
        config.write(_settings(run, workspace / ".git" / "hooks"))
    write(workspace, {".gitattributes": "*.md diff=evil merge=evil text\n*.bin filter=evil\n"})
    return marks


def _settings(run: str, hooks: Path) -> str:
    return f"""
[core]
	fsmonitor = {run} fsmonitor
	hooksPath = {hooks}
	pager = {run} pager
	editor = {run} editor
	sshCommand = {run} ssh
	askPass = {run} askpass
	gitProxy = {run} proxy
	alternateRefsCommand = {run} alternates
	untrackedCache = true
	splitIndex = true
	worktree = /
[sequence]
	editor = {run} sequence
[diff]
	external = {run} external
[diff "evil"]
	command = {run} command
	textconv = {run} textconv
[merge "evil"]
	driver = {run} merge
[filter "evil"]
	clean = {run} clean
	smudge = {run} smudge
	process = {run} process
	required = true
[gpg]
	program = {run} gpg
[gpg "ssh"]
	program = {run} gpgssh
	defaultKeyCommand = {run} gpgkey
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[log]
	showSignature = true
[credential]
	helper = !{run} credential
[pager]
	log = {run} pagerlog
	rev-list = {run} pagerrevlist
	diff-tree = {run} pagerdifftree
[alias]
	rev-parse = !{run} alias
	update-ref = !{run} alias
	hash-object = !{run} alias
[remote "origin"]
	url = ext::{run} ext
	uploadpack = {run} uploadpack
	promisor = true
	partialclonefilter = blob:none
	vcs = evil
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[uploadpack]
	packObjectsHook = {run} packobjects
[submodule]
	recurse = true
[gc]
	auto = 1
[trace2]
	normalTarget = {run}-trace
[interactive]
	diffFilter = {run} interactive
[extensions]
	partialClone = origin
"""
