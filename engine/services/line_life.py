"""Follows a line through memory, from raw log to semantic entry, each with its text. A rung is *stated* where a file
names the lines; otherwise it is the most similar line of the same days."""

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

import msgspec

from engine.compactor.semantic.entry import SemanticEntry, read_entries
from engine.compactor.semantic.provenance import entry_sources
from engine.errors import MemdeckError, UsageError
from engine.text.derived import redacted_lines
from engine.text.document import Document
from engine.tree.browse.browser import Browser, NodeLine
from engine.tree.browse.drill import stems
from engine.tree.levels import node_place
from engine.tree.source_references import raw_day
from engine.workspace.dates import name_date
from engine.workspace.values import LineSpan, MemoryTier

SAME_WORDS = 0.6  # share of the shorter line's telling words that another line must have to say the same
_FEWEST_WORDS = 3  # telling words that two lines must share: fewer are shared by chance
_MOST_LINES = 6  # lines of a rung that are listed
_SEMANTIC = "memory/semantic/"


class RungLink(StrEnum):
    """The way in which a rung is linked to the line asked about."""

    ASKED = "asked"
    STATED = "stated"
    WORDS = "same words"
    PERIOD = "sums up its period"
    NONE = "nothing of it"
    MISSING = "not there"


class RungLine(msgspec.Struct, frozen=True):
    """A line of a file, counted from 1."""

    number: int
    text: str


class LifeRung(msgspec.Struct, frozen=True, kw_only=True):
    """One rung of the ladder; `level` is `raw`, `daily`, `weekly`, `monthly`, `root`, `note` or `semantic`."""

    level: str
    path: str
    link: RungLink
    lines: tuple[RungLine, ...] = ()

    @property
    def span(self) -> LineSpan | None:
        """The rung's lines from the first to the last; None without lines."""
        return LineSpan(self.path, self.lines[0].number, self.lines[-1].number) if self.lines else None


class LineLife(msgspec.Struct, frozen=True, kw_only=True):
    """The ladder of a line, from its raw log upwards."""

    asked: LineSpan
    rungs: tuple[LifeRung, ...]


def line_life(browser: Browser, path: str, line: int) -> LineLife:
    """Gives the ladder of line `line` (from 1) of a file; `UsageError` for an unknown file or line."""
    return _Life(browser, path, line).ladder()


class _Life:
    """Builds one ladder; skips files that cannot be read."""

    def __init__(self, browser: Browser, path: str, line: int) -> None:
        self._browser, self._path = browser, path
        self._snapshot = browser.survey.snapshot
        if path not in self._snapshot.files:
            raise UsageError("no such note", where=path, hint="memdeck tree life memory/2026-03-15.md:12")
        self._texts = redacted_lines(Document.from_bytes(self._snapshot.content(path)).lines)
        if not 1 <= line <= len(self._texts):
            raise UsageError(f"it has {len(self._texts)} lines", where=f"{path}:{line}")
        self._asked = RungLine(line, self._texts[line - 1])

    def ladder(self) -> LineLife:
        entry = self._entry_asked()
        note = self._note(entry)
        said = entry.insight if entry is not None else self._asked.text
        raw = self._raw(note, said)
        words = [line.text for rung in (raw, note) if rung is not None for line in rung.lines] or [said]
        rungs = filter(None, (raw, *self._nodes(raw, words), note, self._semantic(entry, raw, note, words)))
        asked = LineSpan(self._path, self._asked.number, self._asked.number)
        return LineLife(asked=asked, rungs=tuple(rungs))

    # The ends of the ladder

    def _entry_asked(self) -> SemanticEntry | None:
        """Gives the entry of a shard that the line belongs to; None if there is none."""
        if not self._path.startswith(_SEMANTIC):
            return None
        entries = read_entries("\n".join(self._texts))[0]
        above = [entry for entry in entries if min(entry.lines.values(), default=1) <= self._asked.number]
        return above[-1] if above else None

    def _note(self, entry: SemanticEntry | None) -> LifeRung | None:
        """Gives the note that an entry was made from, or the note that was asked about."""
        if entry is not None:
            span = next(iter(entry_sources(entry, self._snapshot)), None)
            path = self._where_now(span.path) if span is not None else None
            if span is None or path is None or raw_day(path) is not None:
                return None
            return self._stated("note", path, span)
        if raw_day(self._path) is None and node_place(self._path) is None and not self._path.startswith(_SEMANTIC):
            return LifeRung(level="note", path=self._path, link=RungLink.ASKED, lines=(self._asked,))
        return None

    def _stated(self, level: str, path: str, span: LineSpan) -> LifeRung:
        return _rung(level, path, RungLink.STATED, self._lines_of(path)[span.start - 1 : span.end][:_MOST_LINES])

    def _where_now(self, path: str) -> str | None:
        """Gives the present path of a note, which the archive names by day; None where it is gone."""
        if path in self._snapshot.files:
            return path
        archived = f"{MemoryTier.ARCHIVE.value}/{path.rpartition('/')[2].removesuffix('.md')}-archived-"
        moved = [facts.path for facts in self._snapshot.tier(MemoryTier.ARCHIVE) if archived in facts.path]
        return max(moved, default=None)

    def _raw(self, note: LifeRung | None, said: str) -> LifeRung | None:
        """Gives the raw lines: those asked about, those that line or entry names, or the most similar of its day."""
        if raw_day(self._path) is not None:
            return LifeRung(level="raw", path=self._path, link=RungLink.ASKED, lines=(self._asked,))
        if (stated := self._stated_raw()) is not None:
            return self._stated("raw", stated.path, stated)
        day, _ = name_date((note.path if note is not None else self._path).rpartition("/")[2])
        if day is None:
            return None
        texts = [line.text for line in note.lines] if note is not None else [said]
        paths = self._browser.survey.tree_files.raws.get(day, ())
        for path in paths:
            if (found := _nearest(self._lines_of(path), texts)) is not None:
                return _rung("raw", path, RungLink.WORDS, [found])
        return LifeRung(level="raw", path=paths[0], link=RungLink.NONE) if paths else None

    def _stated_raw(self) -> LineSpan | None:
        if node_place(self._path) is not None:
            return self._browser.lines(self._path)[self._asked.number - 1].source
        entry = self._entry_asked()
        spans = entry_sources(entry, self._snapshot) if entry is not None else ()
        return next((span for span in spans if raw_day(span.path) is not None), None)

    # Between them

    def _nodes(self, raw: LifeRung | None, words: Sequence[str]) -> Iterator[LifeRung]:
        """Yields day, week, month and ROOT, in this order; without raw lines the nodes above the line's own."""
        start = raw.path if raw is not None else self._path if node_place(self._path) is not None else None
        if start is None:
            return
        above = [path for path in reversed(self._browser.breadcrumbs(start)) if node_place(path) is not None]
        span = raw.span if raw is not None else None
        for path in above:
            yield self._node_rung(path, span, words, above)

    def _node_rung(self, path: str, raw: LineSpan | None, words: Sequence[str], above: Collection[str]) -> LifeRung:
        level = self._browser.node(path).level
        if path == self._path:
            return LifeRung(level=level, path=path, link=RungLink.ASKED, lines=(self._asked,))
        if path not in self._snapshot.files:
            return LifeRung(level=level, path=path, link=RungLink.MISSING)
        lines = self._node_lines(path)
        stated = [line for line in lines if raw is not None and line.source is not None and _meet(line.source, raw)]
        if stated:
            return _rung(level, path, RungLink.STATED, [RungLine(one.number, one.text) for one in stated[:_MOST_LINES]])
        nearest = _nearest([RungLine(node_line.number, node_line.text) for node_line in lines], words)
        if nearest is not None:
            return _rung(level, path, RungLink.WORDS, [nearest])
        period = [line for line in lines if line.child is not None and line.child.path in above and line.source is None]
        if (common := _most_common(period, words)) is not None:
            return _rung(level, path, RungLink.PERIOD, [RungLine(common.number, common.text)])
        return LifeRung(level=level, path=path, link=RungLink.NONE)

    def _semantic(
        self, asked: SemanticEntry | None, raw: LifeRung | None, note: LifeRung | None, words: Sequence[str]
    ) -> LifeRung:
        """Gives the semantic entry that was asked about, that names these lines, or that is most similar."""
        if asked is not None:
            return _entry_rung(self._path, asked, RungLink.ASKED)
        if self._path.startswith(_SEMANTIC):
            return LifeRung(level="semantic", path=self._path, link=RungLink.ASKED, lines=(self._asked,))
        spans = [rung.span for rung in (raw, note) if rung is not None and rung.span is not None]
        likely: tuple[float, str, SemanticEntry] | None = None
        for path, entry in self._entries():
            sources = [(span, self._where_now(span.path)) for span in entry_sources(entry, self._snapshot)]
            known = [LineSpan(now, span.start, span.end) for span, now in sources if now is not None]
            if any(_meet(source, other) for source in known for other in spans):
                return _entry_rung(path, entry, RungLink.STATED)
            alike = max((likeness(text, f"{entry.context} {entry.insight}") for text in words), default=0.0)
            if alike >= SAME_WORDS and (likely is None or alike > likely[0]):
                likely = (alike, path, entry)
        if likely is not None:
            return _entry_rung(likely[1], likely[2], RungLink.WORDS)
        return LifeRung(level="semantic", path=_SEMANTIC, link=RungLink.NONE)

    def _entries(self) -> Iterator[tuple[str, SemanticEntry]]:
        for facts in self._snapshot.tier(MemoryTier.SEMANTIC):
            text = "\n".join(line.text for line in self._lines_of(facts.path))
            yield from ((facts.path, entry) for entry in read_entries(text)[0])

    def _lines_of(self, path: str) -> list[RungLine]:
        try:
            texts = redacted_lines(Document.from_bytes(self._snapshot.content(path)).lines)
        except MemdeckError:
            return []
        return [RungLine(number, text) for number, text in enumerate(texts, 1)]

    def _node_lines(self, path: str) -> Sequence[NodeLine]:
        try:
            return self._browser.lines(path)
        except MemdeckError:
            return ()


def likeness(text: str, other: str) -> float:
    """Gives the share of the shorter text's telling words that the other has too; 0 where too few are shared."""
    left, right = frozenset(stems(text)), frozenset(stems(other))
    common = len(left & right)
    return common / min(len(left), len(right)) if common >= _FEWEST_WORDS else 0.0


def _nearest(lines: Sequence[RungLine], texts: Sequence[str]) -> RungLine | None:
    rated = ((max((likeness(line.text, text) for text in texts), default=0.0), -line.number, line) for line in lines)
    best = max(rated, key=lambda rate: rate[:2], default=None)
    return best[2] if best is not None and best[0] >= SAME_WORDS else None


def _most_common(lines: Sequence[NodeLine], texts: Sequence[str]) -> NodeLine | None:
    asked = frozenset(stem for text in texts for stem in stems(text))
    best = max(lines, key=lambda line: len(asked & frozenset(stems(line.text))), default=None)
    return best if best is not None and asked & frozenset(stems(best.text)) else None


def _meet(span: LineSpan, other: LineSpan) -> bool:
    return span.path == other.path and span.start <= other.end and other.start <= span.end


def _rung(level: str, path: str, link: RungLink, lines: Sequence[RungLine]) -> LifeRung:
    return LifeRung(level=level, path=path, link=link if lines else RungLink.MISSING, lines=tuple(lines))


def _entry_rung(path: str, entry: SemanticEntry, link: RungLink) -> LifeRung:
    texts = (RungLine(entry.lines[label], f"{label}: {text}") for label, text in entry.fields() if label in entry.lines)
    return _rung("semantic", path, link, tuple(texts))
