"""Puts answers about the past into words, for the commands and the console."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.monitoring.recall.blame import BlameOrigin, OriginKind
from engine.monitoring.recall.occurrences import Occurrence
from engine.monitoring.recall.past_tree import PastTree
from engine.monitoring.recall.timeline import Reach, Teller, Version
from tui.present.words import moment, noun

if TYPE_CHECKING:
    from engine.services.recall import PastFileText

TELLERS = {Teller.GIT: "git", Teller.OPERATION: "operations", Teller.SEEN: "last seen", Teller.NOW: "now"}


def occurrence_words(seen: Occurrence) -> tuple[str, str]:
    """Returns when a text came or went, as `2026-03-01 14:02 came`, and the source of that knowledge."""
    what = " and ".join(word for count, word in ((seen.came, "came"), (seen.went, "went")) if count) or "changed"
    when = f"after {moment(seen.since)}" if seen.since is not None else moment(seen.at)
    match seen.teller:
        case Teller.GIT:
            ours = f", operation {seen.operation}" if seen.operation else ""
            told = f"git {seen.ref[:12]}{ours}  {seen.subject}"
        case Teller.OPERATION:
            told = f"operation {seen.ref}  {seen.subject}"
        case Teller.NOW:
            when, told = f"before {moment(seen.at)}", "not committed, in no operation: nobody saw it come"
        case _:
            told = "not committed, in no operation: since it was last seen"
    return f"{when}  {what}", told


def origin_words(origin: BlameOrigin) -> tuple[str, str]:
    """Returns who wrote a line, and when."""
    match origin.kind:
        case OriginKind.OPERATION:
            return f"operation {origin.ref}", moment(origin.until)
        case OriginKind.TURN:
            return f"session {origin.ref[:8]} line {origin.turn}", moment(origin.until)
        case OriginKind.COMMIT:
            return f"commit {origin.ref[:12]}", moment(origin.until)
        case _:
            since = f"between {moment(origin.since)} and" if origin.since is not None else "before"
            return "unknown", f"{since} {moment(origin.until)}"


def reach_words(reaches: Iterable[Reach]) -> tuple[str, ...]:
    """Says how far back each source reaches, one line each."""
    lines = []
    for reach in reaches:
        since = f"back to {moment(reach.since)}" if reach.since is not None else "nothing"
        lines.append(f"{TELLERS[reach.teller]}: {since}{f' ({reach.note})' if reach.note else ''}")
    return tuple(lines)


def version_words(past: "PastFileText") -> tuple[str, ...]:
    """Describes a file at an instant: its version, the source of that knowledge, and the next known version."""
    lines = [f"{past.timeline.path} at {moment(past.at)}"]
    if past.version is None:
        lines.append("not known at that time")
    else:
        gone = "" if past.version.data is not None else ", there was no such file"
        lines.append(f"{told_by(past.version)}{gone}")
        if past.version.path != past.timeline.path:
            lines.append(f"it was called {past.version.path}")
    if past.following is not None and past.following.teller is not Teller.NOW:
        lines.append(f"the next that is known: {told_by(past.following)}")
    return (*lines, *reach_words(past.timeline.reaches))


def tree_words(tree: PastTree) -> tuple[str, ...]:
    """Counts the files that existed at an instant, and the uncertain and unknown ones."""
    unsure = sum(not file.sure for file in tree.files.values())
    lines = [f"{noun(len(tree.files), 'file')} at {moment(tree.at)}"]
    if tree.commit:
        lines[0] += f", from git {tree.commit[:12]} and the operations after it"
    if unsure:
        lines.append(f"not sure: {noun(unsure, 'file')}, of which no commit and no operation tells just then")
    if tree.unknown:
        lines.append(f"not known: {noun(len(tree.unknown), 'file')}, written since: {', '.join(tree.unknown[:3])}")
    return tuple(lines)


def told_by(version: Version) -> str:
    match version.teller:
        case Teller.GIT:
            return f"git {version.ref[:12]} of {moment(version.at)}: {version.subject}"
        case Teller.OPERATION:
            how = "written by" if version.made else "met by"
            return f"{how} operation {version.ref} of {moment(version.at)}"
        case Teller.SEEN:
            return f"seen {moment(version.at)}"
        case Teller.NOW:
            return f"as it is now, {moment(version.at)}"
