"""Shows a question and its hits, as rows, a preview and a line that says who answered."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import lru_cache

import msgspec

from engine.search.dates.span import DaySpan
from engine.search.naming import safe_name
from engine.search.values import Category, IndexState, SearchAnswer, SearchCopy, SearchHit, SearchMethod
from engine.text.safe_text import cell_width
from engine.workspace.values import Progress
from tui.present import markdown
from tui.present.search.dates import day_words
from tui.present.spans import Line, ListRow, Role, Span
from tui.present.words import count, noun, safe

MOST = 100
"""Hits that are asked for: nobody reads on so far, and more are found by a better question."""
LONGEST_LINE = 4_000
"""Characters of one line that are shown; the rest is counted."""
_MOST_MARKED = 40
"""Words of a question that are marked in the hits: each is an alternative of one pattern."""
_APART = 4
"""Cells between a title and a path, and behind that."""
_STEM_FROM = 6
"""Letters from which a word is marked in its other forms too."""


class Filters(msgspec.Struct, frozen=True):
    """The limits of a search."""

    category: Category | None = None
    since: date | None = None
    until: date | None = None
    operators: bool = False
    days: bool = True
    """Days in the query count."""

    @property
    def any(self) -> bool:
        return self != Filters()


class SearchState(msgspec.Struct, frozen=True):
    """One question: a query with its filters, or a note that others should be like."""

    text: str = ""
    filters: Filters = Filters()
    like: str = ""

    @property
    def nothing(self) -> bool:
        return not self.text.strip() and not self.like


class SearchOutcome(msgspec.Struct, frozen=True):
    """The answer to a question, and how many milliseconds it took."""

    asked: SearchState
    answer: SearchAnswer
    milliseconds: float


_ENGINES: dict[SearchMethod, tuple[str, Role]] = {
    SearchMethod.HYBRID: ("BM25 + vectors", "ok"),
    SearchMethod.LEXICAL: ("words alone", "warn"),
    SearchMethod.RIPGREP: ("ripgrep, without the index", "warn"),
    SearchMethod.PYTHON: ("file by file, without the index", "warn"),
}


# ── rows ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class HitRows:
    """Two rows a hit: what it is, and the line that was found. `scores`: the parts of its score in place of that."""

    def __init__(self, answer: SearchAnswer, room: Callable[[], int], *, scores: bool = False) -> None:
        """`room`: the cells of a row, which a path is shortened to."""
        self._answer, self._room, self._scores = answer, room, scores
        self._words = pattern(answer.words)

    def __len__(self) -> int:
        return 2 * len(self._answer.hits)

    def row(self, index: int) -> ListRow:
        hit = self._answer.hits[index // 2]
        return self._found(hit) if index % 2 else self._named(hit)

    def _named(self, hit: SearchHit) -> ListRow:
        title, kind = safe(hit.title), f"{'archived ' if hit.archived else ''}{hit.category.value} "
        kind = f"+{len(hit.copies)} {kind}" if hit.copies else kind
        place = path_within(
            hit.label, self._room() - cell_width(title) - cell_width(kind) - cell_width(hit.day) - _APART
        )
        role: Role = "warn" if hit.archived else "info"
        right = (Span(kind, role), Span(hit.day, "muted"))
        return ListRow((Span(title, "strong"),), right, (Span(f"  {place}", "muted"),))

    def _found(self, hit: SearchHit) -> ListRow:
        if self._scores:
            return ListRow((Span("  "), *score_parts(hit, self._answer.hits[0].score)))
        return ListRow((Span("  "), *marked(safe(hit.snippet), self._words, "muted")))


SCORE_CELLS = 8
"""Cells of the bar before a score."""


def score_parts(hit: SearchHit, best: float) -> Line:
    """`▕████▒▒ ▏ 1.440 = words 0.830 + meaning 0.610`: a sum, and a bar as long as it is beside the best one."""
    full, words = (round(SCORE_CELLS * min(1.0, part / best)) if best > 0 else 0 for part in (hit.score, hit.words))
    has_meaning = hit.vector is not None or hit.meaning
    meaning = (Span(" + meaning ", "muted"), Span(f"{hit.meaning:.3f}", "info")) if has_meaning else ()
    dates = (Span(" + dates ", "muted"), Span(f"{hit.dates:.3f}", "accent")) if hit.dates else ()
    reranked = (Span(f" · reranked {hit.rerank:.3f}", "info"),) if hit.rerank is not None else ()
    return (
        *(Span("▕", "rule"), Span("█" * words, "bar_ok"), Span("▒" * (full - words), "info")),
        *(Span(" " * (SCORE_CELLS - full), "bar_empty"), Span("▏ ", "rule"), Span(f"{hit.score:.3f}", "accent")),
        *(Span(" = words ", "muted"), Span(f"{hit.words:.3f}", "text"), *meaning, *dates, *reranked),
    )


# ── marking what was looked for ─────────────────────────────────────────────────────────────────────────────────────


@lru_cache(maxsize=8)
def pattern(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Finds the words in a text, longer ones also with other endings; None where there are none."""
    parts = [_form(word) for word in words[:_MOST_MARKED] if word.strip()]
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _form(word: str) -> str:
    if len(word) >= _STEM_FROM and word.isascii() and word.isalpha():
        return rf"(?<![A-Za-z]){re.escape(word[:-2])}[a-z]{{0,6}}"
    if word.isascii() and word.isalnum():
        return rf"(?<![A-Za-z0-9]){re.escape(word)}" + (r"(?![A-Za-z0-9])" if len(word) < 4 else "")
    return re.escape(word)


def marked(text: str, words: re.Pattern[str] | None, role: Role = "text") -> Line:
    """Text with what was looked for set apart."""
    if words is None:
        return (Span(text, role),)
    return tuple(_marked(text, words, role))


def _marked(text: str, words: re.Pattern[str], role: Role) -> Iterator[Span]:
    at = 0
    for match in words.finditer(text):
        if match.end() > at:
            if match.start() > at:
                yield Span(text[at : match.start()], role)
            yield Span(match[0], "accent")
            at = match.end()
    if at < len(text) or not text:
        yield Span(text[at:], role)


# ── the preview ─────────────────────────────────────────────────────────────────────────────────────────────────────


class NoteLines:
    """A note to be read: its lines, those of the chunk that was found, and the words marked in them."""

    def __init__(self, lines: Sequence[str], hit: SearchHit, words: tuple[str, ...]) -> None:
        self._lines = tuple(line if len(line) <= LONGEST_LINE else _cut(line) for line in lines)
        self._inside = markdown.insides(self._lines)
        self._words = pattern(words)
        self._first, self._last = hit.line - 1, hit.end_line - 1

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def digits(self) -> int:
        return len(str(max(1, len(self._lines))))

    def raw(self, index: int) -> str:
        return self._lines[index]

    def roles(self, index: int) -> Line:
        line = self._lines[index]
        if not line.isprintable():
            return marked(safe(line), self._words)
        spans: list[Span] = []
        at = 0
        for part in markdown.parts(line, self._inside[index]):
            spans += [
                *marked(line[at : part.start], self._words),
                *marked(line[part.start : part.end], self._words, part.role),
            ]
            at = part.end
        spans += marked(line[at:], self._words)
        return tuple(span for span in spans if span.text)

    def origin(self, index: int) -> str:
        return " ← found" if index == self._first else ""

    def matches(self) -> tuple[int, ...]:
        """The lines that hold something of what was looked for."""
        if self._words is None:
            return ()
        words = self._words
        return tuple(n for n, line in enumerate(self._lines) if words.search(line))


def _cut(line: str) -> str:
    return f"{line[:LONGEST_LINE]} … and {len(line) - LONGEST_LINE:,} more characters on this line"


def preview_title(hit: SearchHit, width: int) -> Line:
    """`memory/working/deploy.md:14` in at most so many cells: the name and the line last longest."""
    line = f":{hit.line}"
    return (Span(path_within(hit.label, width - len(line)), "title"), Span(line, "accent"))


def path_within(path: str, width: int) -> str:
    """A path without as many of its first folders as it takes to fit."""
    shown = safe(path)
    parts = path.split("/")
    while cell_width(shown) > width and len(parts) > 1:
        del parts[0]
        shown = safe(f"…/{'/'.join(parts)}")
    return shown


def at_copy(hit: SearchHit, number: int) -> SearchHit:
    """The hit with the place of one of its copies, counted from 1; 0 is its own."""
    if not 0 < number <= len(hit.copies):
        return hit
    copy = hit.copies[number - 1]
    return msgspec.structs.replace(hit, path=copy.path, line=copy.line, end_line=copy.line)


def preview_foot(hit: SearchHit, lines: int, matches: int, number: int = 0) -> Line:
    """`tier · 2026-03-02 · 88 lines · 3 matches · also in day memory/daily/2026-03-02.md:4`.

    Of copy `number` of a hit: `copy 1 of 2, day · 88 lines · …`.
    """
    words = f"{'archived · ' if hit.archived else ''}{hit.category.value} · {hit.day} · {noun(lines, 'line')}"
    if 0 < number <= len(hit.copies):
        words = f"copy {number} of {len(hit.copies)}, {hit.copies[number - 1].level.value} · {noun(lines, 'line')}"
    words += f" · {noun(matches, 'match', 'matches')}" if matches else ""
    also = " · ".join(copy_words(copy) for copy in hit.copies)
    return (Span(words, "muted"), *((Span(f" · also in {also}", "info"),) if also else ()))


def copy_words(copy: SearchCopy) -> str:
    """`week memory/weekly/2026-W10.md:12`."""
    return f"{copy.level.value} {safe(copy.label)}:{copy.line}"


# ── who answered ──────────────────────────────────────────────────────────────────────────────────────────────────


def filter_words(filters: Filters) -> Line:
    """`any category · any date`, what is narrowed in another colour."""
    return _joined([Span(words, "warn" if narrows else "muted") for words, narrows in _filters(filters)])


def _filter_row(filters: Filters, right: Line) -> ListRow:
    """The filters before what stands at the right; those that narrow nothing give way."""
    narrows = [Span(words, "warn") for words, narrow in _filters(filters) if narrow]
    if not narrows:
        return ListRow(filter_words(filters), right)
    wide = [Span(f" · {words}", "muted") for words, narrow in _filters(filters) if not narrow]
    return ListRow(_joined(narrows), right, tuple(wide))


def _joined(spans: Sequence[Span]) -> Line:
    return (spans[0], *(part for span in spans[1:] for part in (Span(" · ", "muted"), span)))


def _filters(filters: Filters) -> Iterator[tuple[str, bool]]:
    """Each filter in words, and whether it narrows anything."""
    yield (filters.category.value, True) if filters.category else ("any category", False)
    yield day_words(filters.since, filters.until), bool(filters.since or filters.until)
    if filters.operators:
        yield "+must -not word*", True
    if not filters.days:
        yield "days in the query ignored", True


def standing_row(found: SearchOutcome | None, filters: Filters, *, busy: bool) -> ListRow:
    """The line under the field: filters, how many files, who answered, how fast."""
    if found is None or found.asked.nothing:
        return _filter_row(filters, (Span("searching…", "muted"),) if busy else ())
    words, role = _ENGINES[found.answer.engine]
    hits = len(found.answer.hits)
    files = f"the best {hits} files" if hits >= MOST else noun(hits, "file")
    right: Line = (Span(f"{files} · ", "muted"), Span(words, role), Span(f" · {found.milliseconds:.0f} ms", "muted"))
    if busy:
        right = (Span("searching…", "muted"),)
    if not found.asked.like:
        return _with_days(_filter_row(filters, right), found.answer.spans)
    folder, _, name = safe_name(found.asked.like).rpartition("/")
    where: Line = (Span(f"  {safe(folder)}", "muted"),) if folder else ()
    return ListRow((Span("like ", "muted"), Span(safe(name), "warn")), right, where)


def _with_days(row: ListRow, spans: Sequence[DaySpan]) -> ListRow:
    """The row with the days that the query speaks of first, as a chip, and the key that takes them away."""
    if not spans:
        return row
    chip = Span(f"[near {', '.join(span.days for span in spans)}]", "accent")
    return ListRow((chip, Span(" d", "key"), Span(" off · ", "muted"), *row.left), row.right, row.extra)


def trouble(found: SearchOutcome | None) -> tuple[Line, ...]:
    """Says why this answer may be worse than it could be, a line each."""
    if found is None:
        return ()
    fell_back = found.answer.engine in (SearchMethod.RIPGREP, SearchMethod.PYTHON)
    sign = Span("▲ " if fell_back else "! ", "risk" if fell_back else "warn")
    lines: tuple[Line, ...] = tuple((sign, Span(safe(words), "warn")) for words in found.answer.degraded)
    hits = found.answer.hits
    if hits and not any(hit.bm25 for hit in hits) and not found.asked.like:
        lines += ((Span("· no note holds these words; these come nearest in meaning", "info"),),)
    return lines


def index_words(standing: IndexState | None, progress: Progress | None) -> tuple[Line, Line]:
    """Says how far the index is, while it is not fresh: `indexing 120/4,000`, and a bar where there is room for one."""
    if standing is None and progress is None:
        return (), ()
    if standing is not None and standing.problem:
        return (Span("▲ ", "risk"), Span(safe(f"index: {standing.problem}"), "warn")), ()
    if progress is not None and progress.total and progress.done < progress.total:
        full = round(progress.share * 10)
        mb = f" · {progress.size / 1e6:,.0f}/{progress.total_size / 1e6:,.0f} MB" if progress.total_size >= 1e7 else ""
        words = Span(f"{safe(progress.stage)} {count(progress.done)}/{count(progress.total)}{mb}", "info")
        bar = (Span("█" * full, "bar_ok"), Span(" " * (10 - full), "bar_empty"))
        return (words,), (Span(" ▕", "rule"), *bar, Span("▏", "rule"))
    if standing is not None and (standing.pending or standing.lacking):
        what = f"{noun(standing.pending, 'file')} to index" if standing.pending else ""
        return (Span(what or f"{noun(standing.lacking, 'chunk')} to embed", "info"),), ()
    return (), ()


def with_index(row: ListRow, index: tuple[Line, Line]) -> ListRow:
    """The line under the field with how far the index is: in the place of filters that narrow nothing."""
    words, bar = index
    before = () if row.left == filter_words(Filters()) else (*row.left, Span("   "))
    right = () if words and words[0].role == "risk" else row.right  # why it goes no further is read whole
    return ListRow((*before, *words), right, bar) if words else row


# ── where there is nothing ────────────────────────────────────────────────────────────────────────────────────────

INVITATION = "type to search knowledge, memory and transcripts"
WELCOME = (
    ("rollback Straße", "words, in any language"),
    ("why did we switch?", "a question"),
    ("“blue-green switch”", "words in a row"),
    ("ses_a1b2  C++  io.py", "names, or parts of them"),
)
WELCOME_KEYS = (
    ("enter", "to what was found, where these keys work:"),
    ("c", "one category"),
    ("f", "some days"),
    ("m", "more like the note under the cursor"),
)


NO_NOTES: tuple[Line, ...] = (
    (Span("there is nothing to search yet", "strong"),),
    (Span("notes in knowledge/, memory/ and raw/ are found as soon as the agent writes them", "muted"),),
)


def empty_words(
    found: SearchOutcome | None, filters: Filters, saved: int, *, no_notes: bool = False
) -> tuple[Line, ...]:
    """Words the list without hits: how to ask, or why nothing was found and what may help."""
    if found is None or found.asked.nothing:
        keys = (*WELCOME_KEYS, *((("S", noun(saved, "saved search", "saved searches")),) if saved else ()))
        return (
            *((Span(f"{asked:<23}", "accent"), Span(what, "muted")) for asked, what in WELCOME),
            (),
            *((Span(f"{key:<7}", "key"), Span(what, "muted")) for key, what in keys),
        )
    if found.asked.like:
        return ((Span("nothing else is like this note", "muted"),), _key("esc", "back to the query"))
    if no_notes:
        return NO_NOTES
    lines: tuple[Line, ...] = (
        (Span("nothing found", "strong"),),
        (Span("other words, or fewer of them, may find it", "muted"),),
    )
    if filters.any:
        narrowed = tuple(words for words, narrows in _filters(filters) if narrows)
        lines += ((), _key("esc", f"takes away: {' · '.join(narrowed)}"))
    return lines


def _key(key: str, words: str) -> Line:
    return (Span(key, "key"), Span(f" {words}", "muted"))


def error_words(title: str, words: str) -> tuple[Line, ...]:
    """A search that could not be made."""
    return ((Span(f"✗ {safe(title)}", "blocked"),), (Span(safe(words), "muted"),))
