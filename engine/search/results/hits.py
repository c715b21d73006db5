"""Reads each note found, so that its line and snippet are current, and folds copies of one fact."""

import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from itertools import islice

import msgspec

from engine.errors import MemdeckError
from engine.search.query import Query
from engine.search.ranking.file_scores import ScoredFile
from engine.search.ranking.ranker import RankedFile
from engine.search.results.recency import TIE
from engine.search.results.snippet import SnippetLine, place
from engine.search.values import CopyLevel, SearchCopy, SearchHit, category_of
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.language import ASKED
from engine.text.safe_text import visible_line
from engine.text.words import cut
from engine.workspace.layout import is_archived, is_raw_log
from engine.workspace.snapshot import Snapshot

SHARE = 0.5  # the share of a line's words that make it a copy
AROUND = 8  # lines on either side that belong to a place: a fact of a node is often said over several turns
FEWEST = 2  # words that a line needs to be told from another
_FOLDER = re.compile(r"^raw/(?:.*/)?([0-9]{4})/([0-9]{2})/([0-9]{2})/")
_NODE = re.compile(r"memory/(daily|weekly|monthly)/([0-9]{4})-(?:W([0-9]{2})|([0-9]{2})(?:-([0-9]{2}))?)\.md")
LARGEST = 1_000_000  # bytes of a file that is looked at: reading a larger one takes longer than the whole search
_ORDER = {level: at for at, level in enumerate(CopyLevel)}


class _Said(msgspec.Struct, frozen=True):
    line: int = 0
    said: frozenset[str] = frozenset()
    around: frozenset[str] = frozenset()


class _Rung(msgspec.Struct, frozen=True):
    found: RankedFile
    level: CopyLevel
    first: date
    last: date


class _Places:
    """Reads the lines found, each once, and only if another file may say the same."""

    def __init__(self, asked: Query, snapshot: Snapshot) -> None:
        self._asked, self._snapshot = asked, snapshot
        self._read: dict[str, _Said] = {}

    def rung(self, file: RankedFile) -> _Rung | None:
        level, facts = level_of(file.path), self._snapshot.files.get(file.path)
        if level is None or facts is None or facts.size > LARGEST:
            return None
        days = _days(file.path, level, None if facts.date.low_confidence else facts.date.day)
        return _Rung(file, level, *days) if days is not None else None

    def same(self, rung: _Rung, other: _Rung) -> bool:
        """Tells whether two files of different levels say the same."""
        if rung.level is other.level or rung.first > other.last or other.first > rung.last:
            return False
        low, high = (self.said(rung.found) for rung in sorted((rung, other), key=lambda rung: _ORDER[rung.level]))
        return len(high.said) >= FEWEST and len(high.said & low.around) >= SHARE * len(high.said)

    def said(self, file: RankedFile) -> _Said:
        if file.path not in self._read:
            self._read[file.path] = self._look(file)
        return self._read[file.path]

    def _look(self, file: RankedFile) -> _Said:
        try:
            lines = split_lines(self._snapshot.reader(file.path).decode("utf-8", "replace"))
        except MemdeckError:
            return _Said()
        line = place(lines[file.start - 1 : file.end], file.start, self._asked).line
        return _Said(line, _words(lines[line - 1 : line]), _words(lines[max(0, line - 1 - AROUND) : line + AROUND]))


def folded(found: Sequence[RankedFile], asked: Query, snapshot: Snapshot, most: int) -> list[RankedFile]:
    """The first `most` files that are not copies of an earlier one, each with its copies, transcripts first."""
    # Copies stand on different levels: among files of one level nothing has to be read.
    if len({level_of(file.path) for file in found} - {None}) < 2:
        return list(found[:most])
    places = _Places(asked, snapshot)
    kept: list[tuple[RankedFile, list[_Rung]]] = []
    for file in found:
        rung = places.rung(file)
        home = next((rungs for _, rungs in kept if rung and any(places.same(rung, other) for other in rungs)), None)
        if home is not None and rung is not None:
            home.append(rung)
        elif len(kept) < most:
            kept.append((file, [rung] if rung is not None else []))
    return [_with_copies(file, rungs[1:], places) for file, rungs in kept]


def _with_copies(file: RankedFile, others: Sequence[_Rung], places: _Places) -> RankedFile:
    ladder = sorted(others, key=lambda rung: (_ORDER[rung.level], rung.found.path))
    lines = ((rung.found, places.said(rung.found).line) for rung in ladder)
    copies = tuple(msgspec.structs.replace(copy, start=line, end=line) for copy, line in lines)
    return msgspec.structs.replace(file, copies=copies) if copies else file


def level_of(path: str) -> CopyLevel | None:
    """The level of a file among copies of one fact; None for notes written by hand."""
    if (node := _NODE.fullmatch(path)) is not None:
        return {"daily": CopyLevel.DAY, "weekly": CopyLevel.WEEK, "monthly": CopyLevel.MONTH}[node[1]]
    if path == "memory/ROOT.md":
        return CopyLevel.ROOT
    if is_archived(path):
        return CopyLevel.ARCHIVE
    if path.startswith("raw/"):
        return CopyLevel.TRANSCRIPT
    return CopyLevel.LOG if is_raw_log(path) or path.startswith("DailyLogs/") else None


def _days(path: str, level: CopyLevel, own: date | None) -> tuple[date, date] | None:
    """The days that a file covers, where `own` is its own date; None if unknown."""
    node, folder = _NODE.fullmatch(path), _FOLDER.search(path)
    try:
        if level is CopyLevel.WEEK and node is not None:
            monday = date.fromisocalendar(int(node[2]), int(node[3]), 1)
            return monday, monday + timedelta(6)
        if level is CopyLevel.MONTH and node is not None:
            # The weeks of a month are those whose Thursday lies in it (decision C3): up to three days outside.
            first = date(int(node[2]), int(node[4]), 1)
            return first - timedelta(3), first + timedelta(33)
        if own is None and folder is not None:
            own = date(int(folder[1]), int(folder[2]), int(folder[3]))
    except (ValueError, TypeError, OverflowError):
        return None
    if level is CopyLevel.ROOT or (level is CopyLevel.ARCHIVE and own is None):
        # A file without a day of its own may be about any.
        return date.min, date.max
    return (own, own) if own is not None else None


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in cut("\n".join(lines)).words if len(word) > 1 and word not in ASKED)


def hits(found: Iterable[RankedFile], asked: Query, snapshot: Snapshot, most: int) -> tuple[SearchHit, ...]:
    """At most `most` hits. A note deleted since is left out."""
    return tuple(islice((hit for file in found if (hit := _hit(file, asked, snapshot)) is not None), most))


def _hit(file: RankedFile, asked: Query, snapshot: Snapshot) -> SearchHit | None:
    if (facts := snapshot.files.get(file.path)) is None:
        return None
    try:
        data = snapshot.reader(file.path)
    except MemdeckError:
        return None
    shown, end = _place(data, file, asked)
    cosine, (score, words, meaning, dates) = file.scored.cosine, _parts(file.scored)
    levels = ((copy, level_of(copy.path)) for copy in file.copies)
    return SearchHit(
        path=file.path,
        category=category_of(file.path),
        title=visible_line(file.title),
        line=shown.line,
        end_line=end,
        score=score,
        bm25=round(file.scored.bm25, 6),
        vector=None if cosine is None else round(cosine, 6),
        snippet=shown.snippet,
        day=facts.date.day.isoformat(),
        words=words,
        meaning=meaning,
        dates=dates,
        pieces=file.pieces,
        copies=tuple(SearchCopy(copy.path, level, copy.start) for copy, level in levels if level is not None),
    )


def _parts(scored: ScoredFile) -> tuple[float, float, float, float]:
    """The score and its parts, rounded so that they add up: the part rounded furthest takes the remainder."""
    score, exact = round(scored.score, TIE), (scored.words, scored.meaning, scored.dates)
    parts = [round(part, TIE) for part in exact]
    left = score - sum(parts)
    furthest = max(range(len(parts)), key=lambda at: (exact[at] - parts[at]) * left)
    parts[furthest] = round(parts[furthest] + left, TIE)
    return score, parts[0], parts[1], parts[2]


def _place(data: bytes, file: RankedFile, asked: Query) -> tuple[SnippetLine, int]:
    """The best line of the chunk; or of the whole note if the chunk has no word of the query, but the title does."""
    lines = split_lines(data.decode("utf-8", "replace"))
    shown = place(lines[file.start - 1 : file.end], file.start, asked)
    if shown.value or not file.scored.bm25:
        return shown, file.end
    first = max(1, read_frontmatter(data).body_line)
    other = place(lines[first - 1 :], first, asked)
    return (other, other.line) if other.value else (shown, file.end)
