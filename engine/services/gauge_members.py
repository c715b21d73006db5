"""Gives what a gauge counts: notes of a memory tier, entries of a shard, or sections of a loaded file."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime

from engine.compactor.limits.evaluation import eligible
from engine.compactor.semantic.entry import titles
from engine.monitoring.chart import GaugeMember
from engine.plans.policy.values import Policy
from engine.text.document import Document
from engine.text.markdown import code_mask, heading_of
from engine.text.tokens import TokenCounter
from engine.tree.levels import ROOT_PATH
from engine.workspace.layout import MEMORY_MD_PATHS
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

_SECTION_LEVEL = 3  # headings down to this level begin a section


def gauge_members(
    gauge: str, snapshot: Snapshot, policy: Policy, now: datetime, counter: TokenCounter
) -> tuple[GaugeMember, ...]:
    """Gives the members of a gauge, none for an unknown one: notes oldest first, but for tokens largest first and for
    the archive newest first; entries newest first; sections in order. `Stale` for a changed file."""
    # The compactor counts ages in UTC (decision G5).
    today = now.astimezone(UTC).date()
    match gauge.partition(".")[::2] if not gauge.startswith("semantic:") else ("semantic", gauge[9:]):
        case ("working" | "episodic") as tier, figure:
            notes = _notes(snapshot, MemoryTier(tier), policy, today)
            return tuple(sorted(notes, key=lambda note: -note.tokens) if figure == "tokens" else notes)
        case "archive", _:
            return tuple(reversed(_notes(snapshot, MemoryTier.ARCHIVE, policy, today)))
        case "semantic", path if path in snapshot.files:
            document = Document.from_bytes(snapshot.content(path))
            starts = [(title.line, title.title) for title in titles(path, document.text)]
            return tuple(reversed(list(_stretches(path, document.lines, starts, counter))))
        case "root", _ if ROOT_PATH in snapshot.files:
            return _sections(ROOT_PATH, snapshot, counter)
        case "memory_md", _:
            found = next((path for path in MEMORY_MD_PATHS if path in snapshot.files), None)
            return _sections(found, snapshot, counter) if found else ()
        case _:
            return ()


def _notes(snapshot: Snapshot, tier: MemoryTier, policy: Policy, today: date) -> list[GaugeMember]:
    files = list(snapshot.tier(tier))
    limits = {MemoryTier.WORKING: policy.limits.working, MemoryTier.EPISODIC: policy.limits.episodic}.get(tier)
    old = {file.facts.path for file in eligible(files, limits, today)} if limits is not None else set()
    return [
        GaugeMember(
            path=facts.path,
            line=1,
            title=facts.path.rpartition("/")[2],
            tokens=facts.tokens,
            lines=facts.lines,
            age_days=facts.date.age_days(today),
            eligible=facts.path in old,
        )
        for facts in sorted(files, key=lambda facts: (facts.date.day, facts.path))
    ]


def _sections(path: str, snapshot: Snapshot, counter: TokenCounter) -> tuple[GaugeMember, ...]:
    """Gives the sections of a file by its headings; text before the first heading is a section too."""
    lines = Document.from_bytes(snapshot.content(path)).lines
    outside = ((at, line) for at, (line, code) in enumerate(zip(lines, code_mask(lines), strict=True), 1) if not code)
    heads = ((at, heading_of(line)) for at, line in outside)
    starts = [(at, head.text) for at, head in heads if head is not None and head.level <= _SECTION_LEVEL]
    if lines and (not starts or starts[0][0] > 1):
        starts.insert(0, (1, "(before the first heading)"))
    return tuple(_stretches(path, lines, starts, counter))


def _stretches(
    path: str, lines: Sequence[str], starts: Sequence[tuple[int, str]], counter: TokenCounter
) -> Iterator[GaugeMember]:
    ends = [*(line for line, _ in starts[1:]), len(lines) + 1]
    for (line, title), end in zip(starts, ends, strict=False):
        text = "\n".join(lines[line - 1 : end - 1])
        yield GaugeMember(path=path, line=line, title=title, tokens=counter.count(text), lines=end - line)
