"""What a strict operator approves of summaries and entries of strangers' notes, and how they meet one judge's labels.

Verdicts are read from `content/judged.jsonl` (see `content.sheet`): a share is printed with its 95 % interval, and with
the number of items whose text is still the one that was read. Labels: 40 short notes with lines worth keeping and lines
that must never be chosen.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import sqrt
from pathlib import Path

import msgspec

from engine.compactor.extraction.durability import passing_rules
from engine.compactor.semantic.entry import KnownTitle, SemanticEntry, read_entries
from engine.compactor.semantic.pollution import NearEntries, line_pollution
from engine.text.canonical_json import sha256_hex
from tests.benchmarks.content.notes import (
    HALVES,
    OURS,
    RIVALS,
    ROOT,
    RealNote,
    Summarised,
    entries,
    half_of,
    notes,
    summarised,
)
from tests.benchmarks.content.sheet import JUDGED, VERDICTS, Verdict
from tests.benchmarks.weekly_loop import TOKENS

Row = tuple[str, str, str]
CORPORA = Path(__file__).parent / "corpora/content"


def rows() -> Iterator[Row]:
    yield from _verdict_rows()
    yield _overhead_row()
    for half in ("choose", "held"):
        yield from _set_rows(half)
    for half in HALVES:
        yield from _label_rows(half)


def _set_rows(half: str) -> Iterator[Row]:
    """Near duplicates and pollution of other authors: totals, since most kinds have few items."""
    groups = [json.loads(line) for line in (CORPORA / half / "near.jsonl").read_text("utf-8").splitlines()]
    again, others = list[bool](), list[bool]()
    for group in groups:
        same, near = ([_entry(row) for row in group[key]] for key in ("entries", "neighbours"))
        again += [_is_asked(one, other) for one, other in combinations(same, 2)]
        others += [_is_asked(one, other) for one in same for other in near]
    share = sum(again) / len(again)
    yield (
        f"near duplicates, {half}: asked",
        f"{share:.0%}",
        f"neighbours taken for the same {sum(others) / len(others):.1%}",
    )
    rows = [json.loads(line) for line in (CORPORA / half / "pollution.jsonl").read_text("utf-8").splitlines()]
    caught = [bool(line_pollution(row["text"], 1) or passing_rules(row["text"])) for row in rows if row["polluted"]]
    good = [row["text"] for row in rows if not row["polluted"]]
    refused = [bool(line_pollution(text, 1)) for text in good]
    asked = [not line_pollution(text, 1) and bool(passing_rules(text)) for text in good]
    yield (
        f"pollution, {half}: refused or asked about",
        f"{sum(caught) / len(caught):.0%}",
        f"good ones refused {sum(refused) / len(refused):.1%}, asked about {sum(asked) / len(asked):.1%}",
    )


def _entry(row: dict[str, str]) -> SemanticEntry:
    return SemanticEntry(title=row["title"], insight=row["insight"])


def _is_asked(one: SemanticEntry, other: SemanticEntry) -> bool:
    """Tells whether the card asks "again?" of a pair, with nothing that it says has changed."""
    return any(
        not found.changed for found in NearEntries([(KnownTitle(other.title, "x", 1), other.insight)]).duplicates(one)
    )


def _overhead_row() -> Row:
    """The tokens of an entry beside its insight, over the sources that rules may be chosen on (decision A29)."""
    found = [text for _, text in entries(notes(HALVES[0]))]
    insights = [read_entries(text)[0][0].insight for text in found]
    beside = sorted(TOKENS.count(f"{text}\n") - TOKENS.count(said) for text, said in zip(found, insights, strict=True))
    words = [len(read_entries(text)[0][0].title.replace(" – ", " ").split()) for text in found]
    fitting = sum(2 <= count <= 6 for count in words)
    return (
        "tokens of an entry beside its insight, choose half",
        f"{sum(beside) / max(1, len(beside)):.1f}",
        f"{len(found)} entries, at most {max(beside, default=0)}; titles of two to six words {fitting} of {len(found)}",
    )


def _verdict_rows() -> Iterator[Row]:
    read = (
        [msgspec.json.decode(line, type=Verdict) for line in JUDGED.read_bytes().splitlines()]
        if JUDGED.exists()
        else []
    )
    now = {sha256_hex(one.text.encode())[:16] for half in HALVES for one in summarised(notes(half))} if read else set()
    groups = {(one.reader, one.kind, one.system) for one in read}
    for reader, kind, system in sorted(groups, key=lambda group: (*group[:2], group[2] != OURS)):
        mine = [one for one in read if (one.reader, one.kind, one.system) == (reader, kind, system)]
        counts = Counter(one.verdict for one in mine)
        low, high = interval(counts["approve"], len(mine))
        shares = " / ".join(f"{counts[verdict] / len(mine):.0%}" for verdict in VERDICTS)
        silly = sum(one.silly for one in mine) / max(1, sum(one.bullets for one in mine))
        same = sum(one.output in now for one in mine)
        yield (
            f"{reader}: {kind}, {system}: approve / edit / refuse",
            shares,
            f"{len(mine)} read, approved {low:.0%} to {high:.0%}, silly {silly:.1%} of bullets, {same} still as read",
        )


def _label_rows(half: str) -> Iterator[Row]:
    labels = {row["note"]: row for row in map(json.loads, (ROOT / "labels.jsonl").read_text("utf-8").splitlines()[1:])}
    given = [one for one in _labelled(labels) if half_of(one.source) == half]
    made = list(summarised(given))
    for system in (OURS, *RIVALS):
        yield _label_row(half, system, [one for one in made if one.system == system], labels)


def _labelled(labels: dict[str, dict[str, object]]) -> Iterator[RealNote]:
    for path in sorted(labels):
        yield RealNote(path, (ROOT / path).read_text("utf-8", "replace"))


def _label_row(half: str, system: str, made: Sequence[Summarised], labels: dict[str, dict[str, object]]) -> Row:
    kept = wanted = silly = lines = 0
    for one in made:
        keep, never = (set(_numbers(labels[one.note][name])) for name in ("keep", "silly"))
        kept, wanted = kept + len(keep & set(one.lines)), wanted + len(keep)
        silly, lines = silly + len(never & set(one.lines)), lines + len(one.lines)
    covered = kept / max(1, wanted)
    return (
        f"labels, {half}, {system}: keep covered",
        f"{covered:.0%}",
        f"{silly} silly of {lines} lines, {len(made)} notes",
    )


def _numbers(value: object) -> list[int]:
    assert isinstance(value, list)
    return [int(one) for one in value]


def interval(hits: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z, share = 1.96, hits / of
    middle, half = share + z * z / (2 * of), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (middle - half) / (1 + z * z / of), (middle + half) / (1 + z * z / of)
