"""Finds who wrote each line of a file: an operation, a turn of a session, or the commit that first has it. A commit
contains a line whoever wrote it, so it is no proof of an author. A turn is named if the file agrees with its tool call.
No line is attributed to a person."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from engine.history.repository_history import Commit
from engine.monitoring.recall.timeline import Reach, Teller, Timeline, Version
from engine.plans.diff import split_lines
from engine.plans.line_hunks import longest_equal, matching_runs
from engine.sessions.written_files import FileEdit
from engine.text.derived import redacted_lines
from engine.text.document import shown_text


class OriginKind(StrEnum):
    OPERATION = "operation"
    TURN = "turn"
    COMMIT = "commit"
    UNKNOWN = "unknown"


class BlameOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """A line's author. `until`: it was there; `since`: not yet, or None. `ref`: operation, session or commit."""

    kind: OriginKind
    until: datetime
    since: datetime | None = None
    ref: str = ""
    turn: int = 0
    subject: str = ""


class BlamedLine(msgspec.Struct, frozen=True):
    """A line of the file, from 1, and its origin."""

    number: int
    text: str
    origin: BlameOrigin


class Blame(msgspec.Struct, frozen=True):
    """All lines of the present file, and how far back each source reaches."""

    path: str
    lines: tuple[BlamedLine, ...]
    reaches: tuple[Reach, ...]


_WHOLE_SECONDS = timedelta(seconds=1)
"""Git stores whole seconds: an edit in the same second may seem later than its commit."""
MergedLines = Callable[[str, str], Sequence[Commit]]
"""Returns the commit of each line of a file, for a merge and a path."""


def blame(known: Timeline, edits: Sequence[FileEdit] = (), merged: MergedLines | None = None) -> Blame:
    """Blames the last version. `edits`: the file's, by time. `merged` blames a merge's lines on the other branch."""
    text = _Owned()
    before: Version | None = None
    for version in known.versions:
        now = _text(version.data)
        if now != text.text:
            # What an operation of ours wrote no tool call of an agent wrote.
            if not version.made:
                until = version.at + (_WHOLE_SECONDS if version.teller is Teller.GIT else timedelta())
                since = [edit for edit in edits if before is None or edit.at >= before.at]
                text.replay(edit for edit in since if edit.at <= until)
            text.become(now, _origin(version, before))
        before = version
    # After all versions: only then is it known which lines of a merge are still there.
    if merged is not None:
        for version in known.versions:
            text.resolve(version, merged)
    written = redacted_lines(split_lines(shown_text(before.data or b""))) if before is not None else ()
    rows = zip(written, text.owners, strict=True)
    lines_of = tuple(BlamedLine(number, line, origin) for number, (line, origin) in enumerate(rows, 1))
    return Blame(known.path, lines_of, known.reaches)


class _Owned:
    """A text of whole lines, and the origin of each."""

    def __init__(self) -> None:
        self.text = ""
        self.owners: list[BlameOrigin] = []

    def become(self, piece: str, origin: BlameOrigin, begin: int = 0, end: int | None = None) -> None:
        """Replaces the lines between two offsets; unchanged lines keep their origin."""
        old = self.text[begin:end]
        head = _same_start(old, piece)
        tail = _same_end(old[head:], piece[head:])
        left, right = old[head : len(old) - tail], piece[head : len(piece) - tail]
        first = self.text.count("\n", 0, begin + head)
        before = self.owners[first : first + left.count("\n")]
        owners = [origin] * right.count("\n")
        for at, place, length in matching_runs(split_lines(left), split_lines(right)):
            owners[place : place + length] = before[at : at + length]
        self.owners[first : first + len(before)] = owners
        self.text = self.text[:begin] + piece + (self.text[end:] if end is not None else "")

    def resolve(self, merge: Version, merged: MergedLines) -> None:
        """Attributes the lines of a merge to the commits of the other branch."""
        if not merge.merge or all(owner.ref != merge.ref for owner in self.owners):
            return
        commits = merged(merge.ref, merge.path)
        for left, right, length in matching_runs(split_lines(_text(merge.data)), split_lines(self.text)):
            for line, commit in enumerate(commits[left : left + length], right):
                if self.owners[line].ref == merge.ref:
                    kind = OriginKind.COMMIT
                    self.owners[line] = BlameOrigin(kind=kind, until=commit.at, ref=commit.id, subject=commit.subject)

    def replay(self, edits: Iterable[FileEdit]) -> None:
        """Repeats the edits of tool calls; skips those that do not fit, which had failed."""
        for edit in edits:
            origin = BlameOrigin(kind=OriginKind.TURN, until=edit.at, ref=edit.session, turn=edit.turn)
            if edit.old is None:
                self.become(_whole(_same_ends(edit.new)), origin)
            elif edit.old:
                self._replace(_same_ends(edit.old), _same_ends(edit.new), origin, everywhere=edit.everywhere)

    def _replace(self, old: str, new: str, origin: BlameOrigin, *, everywhere: bool) -> None:
        """Replaces a text in place, so that equal lines elsewhere keep their origin."""
        at = self.text.find(old)
        while at >= 0:
            begin = self.text.rfind("\n", 0, at) + 1
            end = self.text.find("\n", at + len(old) - 1) + 1
            piece = self.text[begin:at] + new + self.text[at + len(old) : end]
            self.become(_whole(piece), origin, begin, end)
            at = self.text.find(old, at + len(new)) if everywhere else -1


def _origin(version: Version, before: Version | None) -> BlameOrigin:
    kind = OriginKind.OPERATION if version.made else OriginKind.UNKNOWN
    if version.teller is Teller.GIT and not (version.oldest and before is None):
        kind = OriginKind.COMMIT
    return BlameOrigin(
        kind=kind,
        until=version.at,
        since=before.at if before is not None else None,
        ref=version.ref if kind is not OriginKind.UNKNOWN else "",
        subject=version.subject if kind is not OriginKind.UNKNOWN else "",
    )


def _text(data: bytes | None) -> str:
    return _whole(_same_ends(shown_text(data or b"")))


def _whole(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _same_ends(text: str) -> str:
    r"""Normalises line ends to `\n`: a tool keeps the file's own, whichever its call names."""
    return text.replace("\r\n", "\n")


def _same_start(left: str, right: str) -> int:
    same = longest_equal(lambda length: left[:length] == right[:length], min(len(left), len(right)))
    return left.rfind("\n", 0, same) + 1


def _same_end(left: str, right: str) -> int:
    same = longest_equal(lambda n: left[len(left) - n :] == right[len(right) - n :], min(len(left), len(right)))
    places = len(left) - same, len(right) - same
    if all(not at or text[at - 1] == "\n" for at, text in zip(places, (left, right), strict=True)):
        return same
    cut = left.find("\n", len(left) - same) + 1
    return len(left) - cut if cut else 0
