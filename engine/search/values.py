"""Defines the request and the answer of a search, and the category of each path (autopoiesis §2, §7.2)."""

import re
from collections import Counter
from collections.abc import Iterable
from datetime import date
from enum import StrEnum

import msgspec

from engine.search.dates.days import DaySpan
from engine.search.naming import safe_name
from engine.workspace.layout import IDENTITY_FILES, is_archived, tier_of

NAME = "memory.db"  # the index, at the root of the workspace: untrusted, and disposable
SECONDS = 2.0  # seconds that a search may spend on bringing changed files in


class Category(StrEnum):
    """The kind of text that a file holds: the closed set that a search can be narrowed to (decision D10)."""

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
    """The category of a workspace-relative path. What no rule names is `reference`."""
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
    """The way in which a search was answered: words and vectors, words alone, or a walk through the files."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    RIPGREP = "ripgrep"
    PYTHON = "python"


class CopyLevel(StrEnum):
    """The level of a copy of one fact, from what was said up to what is kept of it."""

    TRANSCRIPT = "transcript"
    LOG = "log"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ROOT = "root"
    ARCHIVE = "archive"


class SearchCopy(msgspec.Struct, frozen=True):
    """Another file that says what a hit says, and the line where it does."""

    path: str
    level: CopyLevel
    line: int

    @property
    def label(self) -> str:
        """The path as it may be shown, without a secret."""
        return safe_name(self.path)


class RankingRule(StrEnum):
    """A rule of ranking that reads a shape of notes or questions, and says nothing of others."""

    SHORT_TURNS = "short turns"
    WINDOW = "window of turns"
    USERS_WORDS = "user's words"
    DATES = "dates"


class SearchRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request to search. `seconds`: how long it may bring files in; None for as long as it takes."""

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


class SearchHit(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was found, with its best place. `score` orders hits of one answer and means nothing across answers;
    it is the sum of `words`, `meaning` and `dates`, each to three decimals. `bm25` is the best chunk's share of the
    words' score, from 0 to 1; `vector` the cosine of the best chunk, None where no vectors took part. `title`,
    `snippet` are safe to show."""

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

    @property
    def archived(self) -> bool:
        """Tells whether the file lies in an archive (decision D52)."""
        return is_archived(self.path)

    @property
    def label(self) -> str:
        """The path as it may be shown and copied: without a secret, and still known to `search --like`."""
        return safe_name(self.path)


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The hits of one search, best first, one per file, and what answered. `degraded` says in a sentence each why this
    answer may be worse or older than it could be; empty when all is well."""

    query: str
    hits: tuple[SearchHit, ...]
    engine: SearchMethod
    degraded: tuple[str, ...] = ()
    pending: int = 0  # files that could not be brought in within the time there was
    words: tuple[str, ...] = ()
    """The strings that were looked for, as typed and lower-cased, longest first: to be marked in a text."""
    spans: tuple[DaySpan, ...] = ()  # the days that the query speaks of, near which files came first


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an update of the index, and what is in it now."""

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
    """The progress of the index: files to bring in, chunks without vectors, and why it goes no further."""

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
    """The hits whose file is of one month, named by its first day."""

    month: date
    hits: int


def by_month(hits: Iterable[SearchHit]) -> tuple[MonthCount, ...]:
    """Every month between the first and the last dated hit, empty ones as 0; hits without a day count nowhere."""
    counts = Counter(date.fromisoformat(hit.day).replace(day=1) for hit in hits if hit.day)
    if not counts:
        return ()
    first, last = (month.year * 12 + month.month - 1 for month in (min(counts), max(counts)))
    months = (date(number // 12, number % 12 + 1, 1) for number in range(first, last + 1))
    return tuple(MonthCount(month, counts[month]) for month in months)
