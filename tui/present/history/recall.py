"""Answers about the past in words, for the commands and the console alike."""

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


def occurrence_words(one: Occurrence) -> tuple[str, str]:
    """Says when and what, as `2026-03-01 14:02  came`; and who tells it."""
    what = " and ".join(word for count, word in ((one.came, "came"), (one.went, "went")) if count) or "changed"
    when = f"after {moment(one.since)}" if one.since is not None else moment(one.at)
    match one.teller:
        case Teller.GIT:
            ours = f", operation {one.operation}" if one.operation else ""
            told = f"git {one.ref[:12]}{ours}  {one.subject}"
        case Teller.OPERATION:
            told = f"operation {one.ref}  {one.subject}"
        case Teller.NOW:
            when, told = f"before {moment(one.at)}", "not committed, in no operation: nobody saw it come"
        case _:
            told = "not committed, in no operation: since it was last seen"
    return f"{when}  {what}", told


def origin_words(origin: BlameOrigin) -> tuple[str, str]:
    """Says who wrote a line, and when."""
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
    """Says how far back each source reaches, a line for each."""
    found = []
    for reach in reaches:
        since = f"back to {moment(reach.since)}" if reach.since is not None else "nothing"
        found.append(f"{TELLERS[reach.teller]}: {since}{f' ({reach.note})' if reach.note else ''}")
    return tuple(found)


def version_words(past: "PastFileText") -> tuple[str, ...]:
    """Says what was there at an instant, who tells it, and what is known of the time until the next version."""
    found = [f"{past.timeline.path} at {moment(past.at)}"]
    if past.version is None:
        found.append("not known at that time")
    else:
        gone = "" if past.version.data is not None else ", there was no such file"
        found.append(f"{told_by(past.version)}{gone}")
        if past.version.path != past.timeline.path:
            found.append(f"it was called {past.version.path}")
    if past.following is not None and past.following.teller is not Teller.NOW:
        found.append(f"the next that is known: {told_by(past.following)}")
    return (*found, *reach_words(past.timeline.reaches))


def tree_words(tree: PastTree) -> tuple[str, ...]:
    """Counts the files that there were, and of how many that is not sure."""
    unsure = sum(not file.sure for file in tree.files.values())
    found = [f"{noun(len(tree.files), 'file')} at {moment(tree.at)}"]
    if tree.commit:
        found[0] += f", from git {tree.commit[:12]} and the operations after it"
    if unsure:
        found.append(f"not sure: {noun(unsure, 'file')}, of which no commit and no operation tells just then")
    if tree.unknown:
        found.append(f"not known: {noun(len(tree.unknown), 'file')}, written since: {', '.join(tree.unknown[:3])}")
    return tuple(found)


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
