"""A proposed change of one note, and the checks it passes before the operator sees it (decisions D23, D53, D54)."""

from collections.abc import Iterator, Sequence
from datetime import date

import msgspec

from engine.errors import Refused, UsageError
from engine.lifecycle.archive.places import archive_place, protection
from engine.plans.flags import foreign
from engine.plans.plan import Append, Change, Create, Move, Replace, RiskTier
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.workspace.foreign_text import place_problem, text_problem
from engine.workspace.layout import MEMORY_MD_CAP, is_guarded, is_memory_md
from engine.workspace.snapshot import FreeNames, Snapshot

LARGEST = 64 * 1024  # bytes of one proposal
LONGEST_REASON = 400  # characters of an agent's reason that are shown
_KINDS: dict[str, type[Create] | type[Append] | type[Replace]] = {
    "create": Create,
    "append": Append,
    "replace": Replace,
}
_PLACED = ("archive", "move")  # actions that leave a note's text as it is


class NoteProposal(msgspec.Struct, frozen=True, kw_only=True):
    """A proposed change of one note: create, append, replace, archive or move; `base` is its sha256 as it was read."""

    path: str
    action: str
    content: str
    reason: str
    base: str = ""
    to: str = ""  # the path that a note moves to


def safe_reason(reason: str) -> str:
    """An agent's reason as it is shown: one line, short, without secrets."""
    return redact(visible_line(reason))[:LONGEST_REASON]


def checked_change(
    proposal: NoteProposal, snapshot: Snapshot, today: date, private: Sequence[str], agent: str
) -> Change:
    """The change that a proposal asks for; `Refused` with the reason where the operator should never see it."""
    path = proposal.path
    why = next(_problems(proposal, snapshot, private), "")
    if why:
        raise Refused(why, where=path[:200])
    reason = safe_reason(proposal.reason)
    tier = RiskTier.C if proposal.action == "replace" or is_guarded(path) else RiskTier.B
    match proposal.action:
        case "create" | "append" | "replace" as action:
            kind = _KINDS[action]
            change = kind(n=1, path=path, risk_tier=tier, reason=reason, content=proposal.content)
            return foreign(change, proposal.content, f"proposed by {agent}")
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
    if why := place_problem(path, private):
        yield why
        return
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


def _text_problems(proposal: NoteProposal) -> Iterator[str]:
    data = proposal.content.encode("utf-8", "surrogatepass")
    if not proposal.content.strip() or len(data) > LARGEST:
        yield f"a proposal has 1 to {LARGEST:,} bytes of text"
    if why := text_problem(proposal.content):
        yield why


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
    if why := place_problem(to, private):
        yield f"the new place: {why}"
        return
    if FreeNames(snapshot).free_path(to) != to:
        yield "there is something at the new place"


def _too_long(proposal: NoteProposal, lines: int) -> Iterator[str]:
    """MEMORY.md does not grow beyond its cap (decision D23)."""
    if is_memory_md(proposal.path):
        after = proposal.content.count("\n") + (lines if proposal.action == "append" else 0)
        if after > MEMORY_MD_CAP and after > lines:
            yield f"MEMORY.md has {MEMORY_MD_CAP} lines at most: propose to replace something"
