"""Commits the agent's own changes to notes on disk (decisions D22, D34, D51), with the agent as author. Omits, with a
reason, changes by our operations, secrets, what the agent's own hook would refuse, and what must be encrypted."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha1, sha256
from pathlib import Path

import msgspec

from engine.history.commit import commit_paths
from engine.history.crypt_setup import filtered, filters_of, ignored
from engine.history.git import GitFailed
from engine.history.repository import Repository
from engine.history.repository_history import TreeFile, tree_of
from engine.history.request import CommitReport, CommitRequest, Content, Person, Trailer
from engine.plans.commit_task import CommitType, conversation_subject, type_of_path
from engine.plans.hook_gate import hook_faults
from engine.plans.policy.values import GitPolicy
from engine.state.private_files import known_record, make_private, remove_private, write_private
from engine.text.canonical_json import canonical_json
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.layout import is_note, lies_in

AGENT = Person("agent", "agent@localhost")  # the author of the agent's own changes; the committer is memdeck
TRAILER = "Memdeck-Agent"
_LISTED = 20  # files that a message names
_SUBJECT = 60  # characters of a first line that a caller words
_PENDING = "agent-commit.json"
_FORMAT = "--show-object-format"

Read = Callable[[str], bytes | None]


class NoteChange(msgspec.Struct, frozen=True):
    """A note that differs from the committed one. `data`: None if it is gone."""

    path: str
    data: bytes | None
    did: str


class AgentCommit(msgspec.Struct, frozen=True):
    """One commit of the agent's changes: its id, its first line, and the notes in it."""

    commit: str
    subject: str
    paths: tuple[str, ...]


class AgentCommits(msgspec.Struct, frozen=True):
    """The commits made, and a line about each omission or failure."""

    commits: tuple[AgentCommit, ...] = ()
    problems: tuple[str, ...] = ()


def note_changes(
    repository: Repository, notes: Iterable[str], read: Read, gone: Callable[[str], bool]
) -> list[NoteChange]:
    """Lists the notes that differ from HEAD, by path; skips ignored ones. `notes`: the present notes; `gone` tells
    whether a committed one was removed for good."""
    head = repository.head()
    committed = tree_of(repository, head) if head else {}
    long = repository.git.line("rev-parse", _FORMAT) == "sha256"
    there = sorted(notes)
    changes = [
        NoteChange(path, data, "changed" if path in committed else "added")
        for path in there
        if (data := read(path)) is not None and _differs(committed.get(path), data, long)
    ]
    left = (path for path in sorted(set(committed) - set(there)) if is_note(path.rpartition("/")[2]))
    changes += [NoteChange(path, None, "removed") for path in left if gone(path)]
    names = [repository.prefix + change.path for change in changes if change.did == "added"]
    hidden = ignored(repository, names, repository.git.folder / "index") if names else frozenset()
    return [change for change in changes if repository.prefix + change.path not in hidden]


def _differs(known: TreeFile | None, data: bytes, long: bool) -> bool:
    # Most differences show in the size, without a hash.
    if known is None or known.size != len(data):
        return True
    algorithm = sha256 if long else sha1
    return algorithm(b"blob %d\0%s" % (len(data), data)).hexdigest() != known.blob


def committable(
    repository: Repository, changes: Sequence[NoteChange], is_ours: Callable[[NoteChange], bool], rules: GitPolicy
) -> tuple[list[NoteChange], list[str]]:
    """Returns the changes to commit as the agent's, and why others are omitted. `rules`: the policy's."""
    names = [repository.prefix + change.path for change in changes]
    drivers = filters_of(repository, names, repository.git.folder / "index") if names else {}
    kept: list[NoteChange] = []
    problems: list[str] = []
    for change in changes:
        driver = drivers.get(repository.prefix + change.path, "")
        why = _objection(change, driver, is_ours, rules)
        if not why and driver and _is_committed(repository, change, rules.filters[driver]):
            continue
        if why:
            problems.append(f"{change.path}: left to be committed by hand, {why}")
        else:
            kept.append(change)
    return kept, problems


def _is_committed(repository: Repository, change: NoteChange, command: str) -> bool:
    """Tells whether the filtered note is committed already; its unfiltered bytes always differ."""
    git, name = repository.git, repository.prefix + change.path
    try:
        known = tree_of(repository, "HEAD").get(change.path) if repository.head() else None
        made = filtered(command, name, change.data or b"", repository, git.env)
    except GitFailed:
        return False  # the commit says why
    return change.data is not None and not _differs(known, made, git.line("rev-parse", _FORMAT) == "sha256")


def _objection(change: NoteChange, driver: str, is_ours: Callable[[NoteChange], bool], rules: GitPolicy) -> str:
    # No filter that the repository names runs here, only those of the policy.
    if driver and driver not in rules.filters:
        return f"git filters it by {driver}"
    if not driver and lies_in(change.path, rules.private) and change.data is not None:
        return "it is private, and .gitattributes names no filter that encrypts it"
    # It is ours to commit, with the operation's own trailers.
    if is_ours(change):
        return "an operation of yours left it so"
    if change.data is None:
        return ""
    if find_secrets(change.data.decode("utf-8", "replace")):
        return "it holds a secret"
    return next((fault.what for fault in hook_faults(change.path, change.data) if fault.refuses), "")


def commit_changes(
    repository: Repository,
    changes: Sequence[NoteChange],
    at: datetime,
    sessions: Sequence[str],
    scratch: Path,
    rules: GitPolicy,
    said: str = "",
) -> AgentCommits:
    """Commits the changes, one commit a type (D51). `sessions`: open ones. `said` replaces the number of files."""
    made, problems = [], list[str]()
    for kind in CommitType:
        group = [change for change in changes if type_of_path(change.path) is kind]
        if not group:
            continue
        subject, told = _subject(kind, group, said), sessions
        if kind is CommitType.CONVERSATION:
            told = [change.path for change in group[:_LISTED]]
        named = [f"{change.path}: {change.did}" for change in group[:_LISTED]]
        more = [f"and {len(group) - _LISTED:,} more"] if len(group) > _LISTED else []
        key = sha256("\0".join([repository.head(), *(change.path for change in group)]).encode("utf-8", "replace"))
        request = CommitRequest(
            paths=tuple(change.path for change in group),
            subject=subject,
            body=(*named, *more),
            trailers=(*(Trailer("Session", path) for path in told), Trailer(TRAILER, key.hexdigest()[:16])),
            at=at,
            filters=rules.filters,
            private=rules.private,
            scratch=scratch,
            author=AGENT,
        )
        report = _made(repository, request, {change.path: change.data for change in group})
        if report.commit:
            made.append(AgentCommit(report.commit, subject, request.paths))
        problems += report.problems
        if report.owed:
            break
    return AgentCommits(tuple(made), tuple(problems))


def _subject(kind: CommitType, group: Sequence[NoteChange], said: str) -> str:
    if kind is CommitType.CONVERSATION and len(group) == 1:
        return redact(visible_line(conversation_subject(group[0].path)))
    count = "1 file" if len(group) == 1 else f"{len(group):,} files"
    return f"{kind.value}: {redact(visible_line(said))[:_SUBJECT] or f'{count} changed by the agent'}"


class _Pending(msgspec.Struct, frozen=True):
    """A commit in progress, so that the index can be repaired if the process dies after moving the branch."""

    paths: tuple[str, ...]
    subject: str
    trailers: tuple[Trailer, ...]
    at: datetime


def _made(repository: Repository, request: CommitRequest, data: Mapping[str, bytes | None]) -> CommitReport:
    file = request.scratch / _PENDING
    make_private(request.scratch)
    # Before the branch moves: a kill behind it leaves an index that does not follow.
    write_private(file, canonical_json(_Pending(request.paths, request.subject, request.trailers, request.at)))
    report = commit_paths(repository, request, lambda path: _content(data[path]))
    if not (report.owed and report.commit):
        remove_private(file)
    return report


def _content(data: bytes | None) -> Content | None:
    return None if data is None else Content(data)


def is_pending(scratch: Path) -> bool:
    """Tells whether a commit of the agent's changes was interrupted."""
    return (scratch / _PENDING).exists()


def finish_pending(repository: Repository, scratch: Path, read: Read, rules: GitPolicy) -> tuple[str, ...]:
    """Repairs the index after an interrupted commit; returns why it still cannot, else nothing."""
    file = scratch / _PENDING
    if (pending := known_record(file, _Pending)) is None:
        return ()
    told = msgspec.structs.asdict(pending)
    request = CommitRequest(**told, filters=rules.filters, private=rules.private, scratch=scratch, author=AGENT)
    report = commit_paths(repository, request, lambda path: _content(read(path)))
    if report.owed:
        return report.problems
    remove_private(file)
    return ()
