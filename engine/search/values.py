"""Defines the request and the answer of a search, and the category of each path (autopoiesis §2, §7.2)."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from enum import StrEnum

import msgspec

from engine.search.dates.days_in_question import DaySpan
from engine.search.naming import safe_name
from engine.workspace.layout import IDENTITY_FILES, is_archived, tier_of

NAME = "memory.db"  # the index, at the root of the workspace: untrusted, and disposable
SECONDS = 2.0  # seconds that a search may spend on bringing changed files in


class Category(StrEnum):
    """The kind of text in a file: a closed set, used to narrow a search (decision D10)."""

    IDENTITY = "identity"
    MEMORY = "memory"
    JOURNAL = "journal"
    PROJECT = "project"
    PERSON = "person"
    PROCEDURE = "procedure"
    REFERENCE = "reference"
    CONVERSATION = "conversation"
    TOPIC = "topic"
    NODE = "node"
    TIER = "tier"


_IDENTITY = frozenset({*IDENTITY_FILES, "CLAUDE.md", "HEARTBEAT.md"})
_FOLDERS: tuple[tuple[str, Category], ...] = (
    ("raw/conversations/", Category.CONVERSATION),
    ("knowledge/identity/", Category.IDENTITY),
    ("knowledge/memory/", Category.MEMORY),
    ("knowledge/journal/", Category.JOURNAL),
    ("knowledge/projects/", Category.PROJECT),
    ("knowledge/people/", Category.PERSON),
    ("knowledge/procedures/", Category.PROCEDURE),
    ("knowledge/reference/", Category.REFERENCE),
    ("topics/", Category.TOPIC),
    ("DailyLogs/", Category.JOURNAL),
    ("archive/", Category.REFERENCE),
)
_NODE = re.compile(r"memory/(?:daily|weekly|monthly)/|memory/ROOT\.md$")


def category_of(path: str) -> Category:
    """The category of a workspace-relative path; `reference` if no rule matches."""
    if path in _IDENTITY:
        return Category.IDENTITY
    if path == "MEMORY.md":
        return Category.MEMORY
    for folder, category in _FOLDERS:
        if path.startswith(folder):
            return category
    if tier_of(path) is not None:
        return Category.TIER
    if _NODE.match(path):
        return Category.NODE
    return Category.MEMORY if path.startswith("memory/") else Category.REFERENCE


class SearchMethod(StrEnum):
    """The method by which a search was answered: words and vectors, words alone, or a walk through the files."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    RIPGREP = "ripgrep"
    PYTHON = "python"


class CopyLevel(StrEnum):
    """The level of a copy of one fact, from the spoken words to the final summary."""

    TRANSCRIPT = "transcript"
    LOG = "log"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ROOT = "root"
    ARCHIVE = "archive"


class SearchCopy(msgspec.Struct, frozen=True):
    """Another file with the same content as a hit, and the line there."""

    path: str
    level: CopyLevel
    line: int

    @property
    def label(self) -> str:
        """The path as it may be shown, without a secret."""
        return safe_name(self.path)


class RankingRule(StrEnum):
    """A ranking rule that applies only to notes or questions of a certain shape."""

    SHORT_TURNS = "short turns"
    WINDOW = "window of turns"
    USERS_WORDS = "user's words"
    DATES = "dates"


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to search. `seconds`: the time for bringing files in; None: no limit."""

    text: str
    n: int = 10
    category: Category | None = None
    operators: bool = False
    since: date | None = None
    until: date | None = None
    seconds: float | None = SECONDS
    merge: str = "adaptive"
    dates: bool = True  # files near the days that the query speaks of come first
    seen_from: date | None = None  # the day from which the query's days are read; None: that of the snapshot
    without: frozenset[RankingRule] = frozenset()  # rules that are left out, to see what they change
    pieces: int = 0  # places that each hit names, the best one first


class HitPiece(msgspec.Struct, frozen=True, gc=False):
    """Lines of a hit that answer by themselves. `score` orders pieces of all hits of one answer."""

    line: int
    end_line: int
    score: float


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """One file found, with its best place. `score`, the sum of `words`, `meaning` and `dates`, orders one answer's hits
    only. `bm25`: the best chunk's share, 0 to 1; `vector`: its cosine or None. `title`, `snippet`: safe to show."""

    path: str
    category: Category
    title: str
    line: int
    end_line: int
    score: float
    bm25: float
    vector: float | None
    snippet: str
    day: str = ""
    words: float = 0.0
    meaning: float = 0.0
    dates: float = 0.0
    copies: tuple[SearchCopy, ...] = ()  # the same fact on other levels, from the transcript up
    pieces: tuple[HitPiece, ...] = ()  # as many as the request asked for

    @property
    def archived(self) -> bool:
        """Tells whether the file lies in an archive (decision D52)."""
        return is_archived(self.path)

    @property
    def label(self) -> str:
        """The path as it may be shown and copied: without a secret, but `search --like` still finds it."""
        return safe_name(self.path)


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The hits, best first, one per file. `engine`: the method; `degraded`: why the answer may be worse or older."""

    query: str
    hits: tuple[SearchHit, ...]
    engine: SearchMethod
    degraded: tuple[str, ...] = ()
    pending: int = 0  # files that could not be brought in within the time there was
    words: tuple[str, ...] = ()
    """The strings that were looked for, as typed and in lower case, longest first: to be highlighted."""
    spans: tuple[DaySpan, ...] = ()  # the days that the query speaks of, near which files came first


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an update, and the content of the index."""

    files: int
    chunks: int
    added: int
    removed: int
    vectors: int
    embedder: str
    pending: int = 0
    lacking: int = 0  # chunks that have no vectors of the chosen embedder yet
    size: int = 0  # bytes of the files that were read
    remarks: tuple[str, ...] = ()


class IndexState(msgspec.Struct, frozen=True, kw_only=True):
    """The progress of the index: files still to bring in, chunks without vectors, and any problem."""

    files: int = 0
    pending: int = 0
    chunks: int = 0
    lacking: int = 0
    embedder: str = ""
    problem: str = ""

    @property
    def is_fresh(self) -> bool:
        return not self.pending and not self.lacking and not self.problem


class MonthCount(msgspec.Struct, frozen=True):
    """The hits of one month, which is named by its first day."""

    month: date
    hits: int


def by_month(hits: Iterable[SearchHit]) -> tuple[MonthCount, ...]:
    """Counts the hits of every month from the first to the last dated hit. Hits without a day are not counted."""
    counts = Counter(date.fromisoformat(hit.day).replace(day=1) for hit in hits if hit.day)
    if not counts:
        return ()
    first, last = (month.year * 12 + month.month - 1 for month in (min(counts), max(counts)))
    months = (date(number // 12, number % 12 + 1, 1) for number in range(first, last + 1))
    return tuple(MonthCount(month, counts[month]) for month in months)
