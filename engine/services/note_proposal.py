"""A proposed change of one note, and the checks it passes before the operator sees it (decisions D23, D53, D54)."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import msgspec

from engine.errors import Refused, UsageError
from engine.lifecycle.archive.places import archive_place
from engine.lifecycle.archive.protection import protection
from engine.plans.guarded_paths import is_guarded
from engine.plans.plan import Append, Change, Create, Move, Replace, RiskTier
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import find_secrets, redact
from engine.workspace.free_names import FreeNames
from engine.workspace.layout import is_closed_folder, is_note, is_raw_log, lies_in, tier_of
from engine.workspace.memory_md import MEMORY_MD_CAP, is_memory_md
from engine.workspace.paths import relative_path
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

LARGEST = 64 * 1024
"""Bytes of one proposal."""
LONGEST_REASON = 400
"""Characters of an agent's reason that are shown."""
LONGEST_PATH, LONGEST_NAME = 1_000, 255
"""Bytes of a path, and of each name in it."""
_MADE = ("memory/daily/", "memory/weekly/", "memory/monthly/")
_PRIVATE = frozenset({"private", "secrets"})
"""Names of folders of which nothing is given to an agent's program, at any depth."""
_PLACED = ("archive", "move")
"""Actions that leave a note's text as it is."""


class NoteProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed change of one note: create, append, replace, archive or move; `base` is its sha256 as it was read."""

    path: str
    action: str
    content: str
    reason: str
    base: str = ""
    to: str = ""
    """The path that a note moves to."""


def is_served(path: str, private: Iterable[str]) -> bool:
    """Tells whether an agent's program may read a path: no private folder, no hidden one, no name that leaves.

    `private` are the folders of the policy's `git.private`. A name that holds a secret is not given away either.
    """
    *folders, name = path.split("/")
    try:
        inside = relative_path(path) == path
    except Refused:
        return False
    closed = any(is_closed_folder(one) or one.casefold() in _PRIVATE for one in folders)
    return inside and is_note(name) and not closed and not lies_in(path, private) and redact(path) == path


def safe_reason(reason: str) -> str:
    """An agent's reason as it is shown: one line, short, without secrets."""
    return redact(visible_line(reason))[:LONGEST_REASON]


def checked_change(proposal: NoteProposal, snapshot: Snapshot, today: date, private: Sequence[str]) -> Change:
    """The change that a proposal asks for; `Refused` with the reason where the operator should never see it."""
    path = proposal.path
    why = next(_problems(proposal, snapshot, private), "")
    if why:
        raise Refused(why, where=path[:200])
    reason = safe_reason(proposal.reason)
    tier = RiskTier.C if proposal.action == "replace" or is_guarded(path) else RiskTier.B
    match proposal.action:
        case "create":
            return Create(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case "append":
            return Append(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case "replace":
            return Replace(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
        case "archive":
            return _move(path, FreeNames(snapshot).free_path(archive_place(path, today)), tier, reason)
        case "move":
            return _move(path, proposal.to, RiskTier.C if is_guarded(proposal.to) else tier, reason)
        case other:
            raise UsageError("create, append, replace, archive or move", where=other[:40])


def _move(path: str, to: str, tier: RiskTier, reason: str) -> Move:
    return Move(n=1, path=path, to=to, risk_tier=tier, reason=reason)


def _problems(proposal: NoteProposal, snapshot: Snapshot, private: Sequence[str]) -> Iterator[str]:
    path, there = proposal.path, snapshot.files.get(proposal.path)
    yield from _place_problems(path, private)
    if not proposal.reason.strip():
        yield "it needs a reason"
    if proposal.action == "create" and there is not None:
        yield "there is such a note: read it, then append or replace"
    if proposal.action != "create" and (there is None or proposal.base != there.sha256):
        yield "the note is not as you read it: read it again and send its sha256" if there else "there is no such note"
    if proposal.action in _PLACED:
        yield from _move_problems(proposal, snapshot, private)
    else:
        yield from _text_problems(proposal)
        yield from _too_long(proposal, there.lines if there is not None else 0)


def _place_problems(path: str, private: Sequence[str]) -> Iterator[str]:
    """The reason why no program writes to a path."""
    if not is_served(path, private):
        yield "not a note that can be proposed"
        return
    if len(path.encode()) > LONGEST_PATH or any(len(name.encode()) > LONGEST_NAME for name in path.split("/")):
        yield "its path is too long for a disk"
    found = path.casefold()  # some disks find a file by its name in any case
    if is_raw_log(found) or found.startswith("raw/"):
        yield "raw logs and transcripts are never changed"
    if found.startswith(_MADE) or found == "memory/root.md":
        yield "memdeck makes this file from others"
    if tier_of(found) in (MemoryTier.EPISODIC, MemoryTier.SEMANTIC, MemoryTier.ARCHIVE):
        yield "memdeck writes this memory from working notes: propose a note under memory/working/"


def _text_problems(proposal: NoteProposal) -> Iterator[str]:
    data = proposal.content.encode("utf-8", "surrogatepass")
    if not proposal.content.strip() or len(data) > LARGEST:
        yield f"a proposal has 1 to {LARGEST:,} bytes of text"
    if "\0" in proposal.content or any("\ud800" <= char <= "\udfff" for char in proposal.content):
        yield "it is not text"
    elif find_secrets(proposal.content):
        yield "it holds a secret"


def _move_problems(proposal: NoteProposal, snapshot: Snapshot, private: Sequence[str]) -> Iterator[str]:
    """The reason why a note stays where it is, or has no place to go to (decisions D7, G4)."""
    path, to = proposal.path, proposal.to
    text = snapshot.content(path).decode("utf-8", "replace")
    if kept := protection(path, snapshot.files[path].frontmatter, text):
        yield f"it stays where it is: {kept}"
    if proposal.action == "archive":
        if not archive_place(path, date.min):
            yield "it has no place in the archive"
        return
    for problem in _place_problems(to, private):
        yield f"the new place: {problem}"
    if FreeNames(snapshot).free_path(to) != to:
        yield "there is something at the new place"


def _too_long(proposal: NoteProposal, lines: int) -> Iterator[str]:
    """MEMORY.md does not grow beyond its cap (decision D23)."""
    if is_memory_md(proposal.path):
        after = proposal.content.count("\n") + (lines if proposal.action == "append" else 0)
        if after > MEMORY_MD_CAP and after > lines:
            yield f"MEMORY.md has {MEMORY_MD_CAP} lines at most: propose to replace something"
