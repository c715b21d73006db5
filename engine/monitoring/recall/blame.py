"""Says of each line of a file who wrote it: an operation of ours, a turn of a session, a commit, or when at the latest.

A commit holds what stood in the file, whoever wrote it, so it is named and nobody's name is taken from it. A turn is
named where the file's own bytes agree with what its tool call wrote. No line is ever given to a person.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from engine.history.file_edits import FileEdit
from engine.history.past import Commit
from engine.monitoring.recall.timeline import Reach, Teller, Timeline, Version
from engine.plans.diff import split_lines
from engine.plans.line_matching import matching_runs
from engine.text.document import shown_text


class OriginKind(StrEnum):
    OPERATION = "operation"
    TURN = "turn"
    COMMIT = "commit"
    UNKNOWN = "unknown"


class BlameOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Names who wrote a line. `until` is when it was there; `since` when it was not yet, None where nobody knows.

    `ref` is the operation, the session or the commit; `turn` the line of the session's file.
    """

    kind: OriginKind
    until: datetime
    since: datetime | None = None
    ref: str = ""
    turn: int = 0
    subject: str = ""


class BlamedLine(msgspec.Struct, frozen=True):
    """A line of the file, counted from 1, and its origin."""

    number: int
    text: str
    origin: BlameOrigin


class Blame(msgspec.Struct, frozen=True):
    """All lines of a file as it is now, and who could be asked, how far back."""

    path: str
    lines: tuple[BlamedLine, ...]
    reaches: tuple[Reach, ...]


_WHOLE_SECONDS = timedelta(seconds=1)
"""Git keeps whole seconds: an edit of the same second may seem later than its commit."""


MergedLines = Callable[[str, str], Sequence[Commit]]
"""Gives the commit of each line of a file, by its path, as a merge has it."""


def blame(known: Timeline, edits: Sequence[FileEdit] = (), merged: MergedLines | None = None) -> Blame:
    """Blames the last version. `edits` are those of the file, under any of its names, in order of time.

    What came with a merge belongs to the commit of the other branch, where `merged` tells it.
    """
    text = _Owned()
    before: Version | None = None
    for version in known.versions:
        lines = _lines(version)
        if lines != text.lines:
            if not version.made:
                text.replay(_between(edits, before, version))
            text.become(lines, _origin(version, before))
        before = version
    if merged is not None:
        for version in known.versions:
            text.resolve(version, merged)
    written = split_lines(shown_text(before.data or b"")) if before is not None else ()
    rows = zip(written, text.owners, strict=True)
    lines_of = tuple(BlamedLine(number, line, origin) for number, (line, origin) in enumerate(rows, 1))
    return Blame(known.path, lines_of, known.reaches)


class _Owned:
    """The lines of a text, each with where it comes from."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.owners: list[BlameOrigin] = []

    def become(self, lines: list[str], origin: BlameOrigin, start: int = 0, end: int | None = None) -> None:
        """The lines from `start` to `end` are these now: those that were among them before keep their origin."""
        owners = [origin] * len(lines)
        for left, right, length in matching_runs(self.lines[start:end], lines):
            owners[right : right + length] = self.owners[start + left : start + left + length]
        self.lines[start:end], self.owners[start:end] = lines, owners

    def resolve(self, merge: Version, merged: MergedLines) -> None:
        """Gives the lines that a merge brought to the commits of the other branch."""
        if not merge.merge or all(owner.ref != merge.ref for owner in self.owners):
            return
        commits = merged(merge.ref, merge.path)
        for left, right, length in matching_runs(_lines(merge), self.lines):
            for line, commit in enumerate(commits[left : left + length], right):
                if self.owners[line].ref == merge.ref:
                    self.owners[line] = BlameOrigin(
                        kind=OriginKind.COMMIT, until=commit.at, ref=commit.id, subject=commit.subject
                    )

    def replay(self, edits: Iterable[FileEdit]) -> None:
        """Does again what tool calls say they did; one that does not fit the text had failed."""
        for edit in edits:
            origin = BlameOrigin(kind=OriginKind.TURN, until=edit.at, ref=edit.session, turn=edit.turn)
            old, new = edit.old and _same_ends(edit.old), _same_ends(edit.new)
            if old is None:
                self.become(split_lines(new), origin)
            elif old:
                self._replace(old, new, origin, everywhere=edit.everywhere)

    def _replace(self, old: str, new: str, origin: BlameOrigin, *, everywhere: bool) -> None:
        """Replaces a text where it stands, so that equal lines elsewhere keep their origin."""
        text = "".join(f"{line}\n" for line in self.lines)
        at = text.find(old)
        while at >= 0:
            first, last = text.count("\n", 0, at), text.count("\n", 0, at + len(old) - 1)
            begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old) - 1) + 1
            piece = text[begin:at] + new + text[at + len(old) : end]
            self.become(split_lines(piece), origin, first, last + 1)
            text = text[:begin] + piece + text[end:]
            at = text.find(old, at + len(new)) if everywhere else -1


def _between(edits: Sequence[FileEdit], before: Version | None, version: Version) -> Iterator[FileEdit]:
    until = version.at + (_WHOLE_SECONDS if version.teller is Teller.GIT else timedelta())
    return (edit for edit in edits if (before is None or edit.at >= before.at) and edit.at <= until)


def _origin(version: Version, before: Version | None) -> BlameOrigin:
    """Names the origin of the lines that are new in a version and that no turn wrote."""
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


def _lines(version: Version) -> list[str]:
    return split_lines(_same_ends(shown_text(version.data or b"")))


def _same_ends(text: str) -> str:
    """The text with `\\n` for each `\\r\\n`: a tool keeps the file's line ends, whichever its call names."""
    return text.replace("\r\n", "\n")
