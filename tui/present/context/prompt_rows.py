"""Makes the rows of the Context screen: a bar of slots, items with reasons, the prompt, and what platforms load."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple

from engine.context.compile.prompt import CompiledPrompt, ItemState, PromptItem
from engine.context.load.observation import ObservedFile
from engine.context.load.simulation import LoadedFile, LoadState, PlatformLoad, fallen_by_file
from engine.context.platforms.platform import SessionKind
from engine.text.document import split_lines
from engine.text.safe_text import in_column
from tui.present.context import platform_loads as load_words
from tui.present.context import prompt as prompt_words
from tui.present.context.platform_loads import BarPart, stacked_bar
from tui.present.flags import file_flags
from tui.present.glyphs import FLAGGED, LOAD_MARKS, LOAD_STATES
from tui.present.spans import LazyRows, Line, ListRow, Role, Span
from tui.present.words import clock, count, noun, safe, text_lines

_NAME_CELLS, _FIGURE_CELLS = 14, 14  # cells of the columns: `subscriptions` is the longest name of a slot
_LOAD_CELLS = 24  # cells of a platform's bar
_NAMES = 3  # platforms without a sign that share a row
LONGEST_LINE = 2_000  # characters of one line that are shown; the rest is counted


def slot_bar(prompt: CompiledPrompt, width: int) -> ListRow:
    """Draws `7,904/8,192 ▕sys│identity│memory│… ▏`: each slot as wide as its tokens, with its name if it fits."""
    figure = Span(f"{count(prompt.tokens)}/{count(prompt.budget)} ", "strong")
    room = max(12, width - len(figure.text) - 2)
    parts = [BarPart(use.slot.value, use.tokens) for use in prompt.slots if use.tokens]
    return ListRow((figure, *stacked_bar(parts, prompt.budget, room)))


class ItemRows(LazyRows[PromptItem]):
    """Shows an item as a row: state, slot, tokens, name, and why it is not whole."""

    def row(self, index: int) -> ListRow:
        item = self.items[index]
        return item_row(item, named=item.slot is not (self.items[index - 1].slot if index else None))


def item_row(item: PromptItem, *, named: bool) -> ListRow:
    sign = prompt_words.item_sign(item)
    role: Role = "muted" if item.state is ItemState.DROPPED else "text"
    left = (
        sign.mark,
        Span(f" {item.slot.value if named else '':<{_NAME_CELLS}}", "strong"),
        Span(f"{prompt_words.item_figure(item):>{_FIGURE_CELLS}}  ", role),
        Span(prompt_words.item_name(item), role),
    )
    why = prompt_words.item_why(item)
    flagged: Line = (Span(f"  {FLAGGED.glyph} {count(len(item.flags))}", FLAGGED.role),) if item.flags else ()
    return ListRow(left, flagged, (Span(f"  {why}", "muted"),) if why else ())


def item_detail(item: PromptItem) -> tuple[Line, ...]:
    """Shows all that is known of an item, below the list."""
    sign = prompt_words.item_sign(item)
    figures = f"{prompt_words.item_figure(item)} tokens, priority {item.priority}"
    words = f"{sign.word}, {figures}, trust {item.trust or 'unknown'}"
    why = prompt_words.item_why(item)
    where = safe(f"{item.path}:{item.line}" if item.line else item.path) or safe(item.label)
    lines: tuple[Line, ...] = ((Span(where, "title"),), (sign.mark, Span(f" {words}", "text")))
    flagged = file_flags(item.flags).items()
    lines += tuple((FLAGGED.mark, Span(f" line {line}: {broken}", FLAGGED.role)) for line, broken in flagged)
    return (*lines, (Span(why, "warn" if item.reason else "muted"),)) if why else lines


class PromptLines:
    """Shows the prompt as text, with a label at the first line of each item and a mark at the end of the prefix."""

    def __init__(self, prompt: CompiledPrompt) -> None:
        self._lines = tuple(shortened_line(line) for line in split_lines(prompt.prompt))
        starts = _line_starts(prompt.prompt)
        self._labels: dict[int, str] = {}
        self.line_of: dict[int, int] = {}
        """Maps the index of each item to its first line in the prompt (from 0)."""
        for number, item in enumerate(prompt.items):
            if item.end > item.start:
                self.line_of[number] = starts[item.start]
                self._labels[starts[item.start]] = f" ← {item.slot.value} {item.tokens:,}"
        self._fences = frozenset(
            n for n, line in enumerate(self._lines) if line.startswith(("<recalled ", "</recalled "))
        )
        self._prefix = len(split_lines(prompt.prefix.text))

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def digits(self) -> int:
        return len(str(max(1, len(self._lines))))

    def raw(self, index: int) -> str:
        return self._lines[index]

    def roles(self, index: int) -> Line:
        role: Role = "muted" if index in self._fences else "text"
        return (Span(safe(self._lines[index]), role),)

    def item_at(self, index: int) -> int:
        """Returns the index of the item that contains a line."""
        return max((line, number) for number, line in self.line_of.items() if line <= index)[1]

    def origin(self, index: int) -> str:
        return self._labels.get(index, " ─ end of the prefix" if index == self._prefix - 1 else "")


def shortened_line(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} … and {len(line) - LONGEST_LINE:,} more"


def _line_starts(text: str) -> Mapping[int, int]:
    """Maps the offset of each line's first character to the line number (from 0)."""
    starts, at = {0: 0}, 0
    for number, line in enumerate(text.split("\n"), 1):
        at += len(line) + 1
        starts[at] = number
    return starts


Loads = Mapping[SessionKind, Sequence[PlatformLoad]]
Seen = Mapping[str, Sequence[ObservedFile]]
"""Maps a platform's name to the marks of the files that it loads in a main session."""


class LoadRow(NamedTuple):
    """A row, and the file and line (from 1) that it is about; an empty path for none."""

    row: ListRow
    path: str = ""
    line: int = 1


def load_rows(loads: Loads, session: SessionKind, seen: Seen, now: datetime) -> tuple[LoadRow, ...]:
    """Lists platforms with their fallen lines, and their files in the chosen kind of session with marks."""
    rows: list[LoadRow] = []
    for load in loads.get(session, ()):
        if load.used:
            marks = seen.get(load.platform.name, ()) if session is SessionKind.MAIN else ()
            rows += _platform_rows(load, loads, marks, now)
    unused = [load.platform.title for load in loads.get(session, ()) if not load.used]
    for start in range(0, len(unused), _NAMES):
        rows.append(LoadRow(ListRow((Span(f"no sign of {', '.join(unused[start : start + _NAMES])}", "muted"),))))
    return tuple(rows)


def _platform_rows(load: PlatformLoad, loads: Loads, marks: Sequence[ObservedFile], now: datetime) -> Iterator[LoadRow]:
    falls = {kind.value: _fallen(loads, kind, load.platform.name) for kind in SessionKind}
    lost = "  ".join(f"{kind} {lines}" for kind, lines in falls.items() if lines)
    right = (Span("lines that fall off: ", "muted"), Span(lost, "risk")) if lost else (Span("nothing falls off", "ok"),)
    yield LoadRow(ListRow((Span(load.platform.title, "title"),), right))
    if bar := load_words.load_bar(load, _LOAD_CELLS):
        yield LoadRow(ListRow((Span("  "), *bar)))
    for file, mark in zip_longest(load.files, marks[: len(load.files)]):
        yield LoadRow(_file_row(file, mark, now), file.path)
        if mark is not None and mark.difference:
            yield LoadRow(ListRow((Span(f"     ! {safe(mark.difference)}", "warn"),)), file.path)
        for number, why in file_flags(file.flags).items():
            row = ListRow((Span(f"     {number:>5} ", "gutter"), FLAGGED.mark, Span(f" {why}", FLAGGED.role)))
            yield LoadRow(row, file.path, number)
        for line in file.fallen:
            entry = load_words.fallen_words(line)
            left = (Span(f"     {line.line:>5} ", "gutter"), Span(safe(line.text), "removed"))
            row = ListRow(left, (Span(f" {entry}", "muted"),) if entry else ())
            yield LoadRow(row, file.path, line.line)
    for mark in marks[len(load.files) :]:
        yield LoadRow(ListRow((Span(f"     {safe(mark.name)}", "text"),), _mark(mark, now)), mark.path)
        yield LoadRow(ListRow((Span(f"     ! {safe(mark.difference)}", "warn"),)), mark.path)


def _file_row(file: LoadedFile, mark: ObservedFile | None, now: datetime) -> ListRow:
    sign = LOAD_STATES[file.state]
    quiet = file.state is LoadState.MISSING
    left = (
        Span("  "),
        sign.mark,
        Span(f" {in_column(safe(file.name), _NAME_CELLS)}", "muted" if quiet else "text"),
        Span(f" {load_words.file_words(file)}", "muted"),
    )
    verdict = "" if quiet or file.state is LoadState.UNKNOWN else load_words.verdict_words(file)
    return ListRow(left, _mark(mark, now), (Span(f"  {verdict}", sign.role),) if verdict else ())


def _mark(mark: ObservedFile | None, now: datetime) -> Line:
    if mark is None:
        return ()
    sign = LOAD_MARKS[mark.mark.value]
    when = f" {clock(mark.at, now)}" if mark.at is not None else ""
    return (Span(f" {sign.word}{when}", sign.role),)


def _fallen(loads: Loads, kind: SessionKind, name: str) -> int:
    return next((load.fallen for load in loads.get(kind, ()) if load.platform.name == name), 0)


def loads_title(loads: Loads, session: SessionKind) -> Line:
    views = fallen_by_file(loads.get(session, ()))
    lost = sum(max(map(len, view.values())) for view in views.values())
    words = f" {noun(lost, 'line falls', 'lines fall')} off" if lost else " nothing falls off"
    if len(views) == 1 and len(view := next(iter(views.values()))) > 1:
        words = f" lines fall off: {', '.join(f'{count(len(lines))} in {title}' for title, lines in view.items())}"
    return (Span("Load today", "title"), Span(f" {session.value} ·", "muted"), Span(words, "risk" if lost else "ok"))


# ── where there is nothing ─────────────────────────────────────────────────────────────────────────────────────────

INVITATION = "type a message: what would the agent see with it?"
NO_WINDOWS = text_lines("no_window")
WAITING: tuple[Line, ...] = ((Span("compiling…", "muted"),),)


def standing_row(prompt: CompiledPrompt | None, session: SessionKind, budget: int, *, busy: bool) -> ListRow:
    """Makes the line under the field: session, budget, counts of items, and the stable prefix."""
    tokens = f" · {count(budget)} tokens" if budget else ""
    kind = (Span(session.value, "accent"), Span(tokens, "text"))
    if busy:
        return ListRow(kind, (Span("compiling…", "muted"),))
    if prompt is None:
        return ListRow(kind)
    extra = (Span(f" · {prompt_words.prefix_words(prompt)}", "muted"),)
    return ListRow((*kind, Span(f" · {prompt_words.counted(prompt)}", "muted")), (), extra)
