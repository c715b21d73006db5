"""Writes a flush's block in the daily log: items that no other file takes, and a summary of the rest. HIGH and MEDIUM
items always fit; progress and summary share 500 tokens (B14, B15, B21, B26)."""

from collections.abc import Iterable, Sequence

import msgspec

from engine.flush.items import FlushCategory, FlushItem, FlushPriority
from engine.flush.promotions import RestTurn
from engine.models.summary import NoteToSummarise, Summariser
from engine.text.derived import NONE
from engine.text.markdown import code_mask, heading_of
from engine.text.tokens import TokenCounter

MOST_REST = 60_000
"""Most characters of the rest that are summarised, the last ones; 500 tokens cannot say more."""
_TITLES: tuple[tuple[FlushCategory, str], ...] = (
    (FlushCategory.DECISION, "Decisions Made"),
    (FlushCategory.FACT, "Facts Learned"),
    (FlushCategory.CONFIGURATION, "Configurations Changed"),
    (FlushCategory.LEARNING, "Learnings"),
)


class LogBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The text of the block, what did not fit, and the tokens before and after summarising (decision B22)."""

    text: str
    left_out: tuple[tuple[FlushItem, str], ...] = ()  # progress that it does not name, and why (decisions B13, B21)
    summarised_tokens: int = 0
    summary_tokens: int = 0
    remark: str = ""  # the way the summary came about, where a model was asked and the operator should know it


class LogOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options for the rest of a session. `aggressive`: summarises what is normally quoted (decision B13)."""

    tokens: int
    aggressive: bool
    counter: TokenCounter
    summariser: Summariser


_COUNTED = "counted, as --aggressive asks"


class _Room:
    def __init__(self, options: LogOptions) -> None:
        self._counter, self.left = options.counter, options.tokens
        self.left_out: list[tuple[FlushItem, str]] = []
        self.remark = ""

    def take(self, line: str) -> bool:
        tokens = self._counter.count(line + "\n")
        if tokens > self.left:
            return False
        self.left -= tokens
        return True


def log_block(
    heading: str,
    here: Sequence[FlushItem],
    elsewhere: Iterable[tuple[FlushItem, str]],
    rest: Sequence[RestTurn],
    options: LogOptions,
) -> LogBlock:
    """Writes the block of one session. `elsewhere`: items in another file, which are only named by number."""
    room = _Room(options)
    moved: dict[tuple[FlushCategory, str], list[FlushItem]] = {}
    for item, path in elsewhere:
        moved.setdefault((item.category, path), []).append(item)
    # Progress before the summary: what is named goes in while there is room (decision B21).
    written = _within(here, room, options)
    summary, before, after = _rest(rest, room, options)
    lines = [heading, ""]
    for category, title in _TITLES:
        pointers = [f"- {_names(items)} → {path}" for (of, path), items in moved.items() if of is category]
        lines += [f"### {title}", *([*written[category], *pointers] or [NONE]), ""]
    lines += ["### Session Progress", *(written[FlushCategory.PROGRESS] or [NONE]), ""]
    if written[FlushCategory.KEPT]:
        lines += ["### Kept", *written[FlushCategory.KEPT], ""]
    lines += ["### Summary", *(summary or [NONE])]
    text = "\n".join(lines) + "\n"
    left = tuple(room.left_out)
    return LogBlock(text=text, left_out=left, summarised_tokens=before, summary_tokens=after, remark=room.remark)


def _names(items: Sequence[FlushItem]) -> str:
    codes = [item.code for item in items if item.code]
    return ", ".join(codes) or f"{sum(len(item.text.splitlines()) for item in items)} lines"


def item_line(item: FlushItem) -> str:
    """Writes an item by the template (window §Flush Template)."""
    confidence = f"{item.confidence:g}" if item.confidence is not None else ""
    given = {"Rationale": item.rationale, "Source": item.source, "Confidence": confidence}
    fields = "".join(f" | {name}: {value}" for name, value in given.items() if value)
    return f"- {item.code}{': ' if item.code else ''}{item.text}{fields}{item.doubt}"


def marked_block(item: FlushItem) -> str:
    """Returns a marked text word for word, as a bullet or as a block."""
    lines = item.text.split("\n")
    if lines[0].lstrip().startswith(("- ", "* ", "+ ")):
        return item.text
    if len(lines) == 1 and not lines[0].startswith(("#", "|", ">")):
        return f"- {item.text}{item.doubt}"
    return "\n".join(["", *demoted(lines), ""])


def demoted(lines: Sequence[str], top: int = 4) -> list[str]:
    """Shifts headings so that the highest has level `top`."""
    code = list(code_mask(lines))
    levels = [h.level for line, inside in zip(lines, code, strict=True) if not inside and (h := heading_of(line))]
    by = top - min(levels, default=top)
    made = []
    for line, inside in zip(lines, code, strict=True):
        heading = None if inside else heading_of(line)
        made.append(f"{'#' * max(1, min(6, heading.level + by))} {heading.text}" if heading is not None else line)
    return made


def _within(here: Sequence[FlushItem], room: _Room, options: LogOptions) -> dict[FlushCategory, list[str]]:
    """Returns the lines of each category: progress while there is room, all others always (decisions B21, B26)."""
    written: dict[FlushCategory, list[str]] = {category: [] for category in FlushCategory}
    for item in here:
        if item.category is not FlushCategory.PROGRESS:
            whole = item.category in (FlushCategory.LEARNING, FlushCategory.KEPT)
            written[item.category].append(marked_block(item) if whole else item_line(item))
    progress = [item for item in here if item.category is FlushCategory.PROGRESS]
    return written | {FlushCategory.PROGRESS: list(_progress(progress, room, options))}


def _progress(items: Sequence[FlushItem], room: _Room, options: LogOptions) -> Iterable[str]:
    for done, title in ((True, "Completed"), (False, "In Progress")):
        for item in [item for item in items if item.done is done]:
            line = f"- {title}: {item.text}{item.doubt}"
            if item.priority is not FlushPriority.LOW or (not options.aggressive and room.take(line)):
                yield line
            else:
                room.left_out.append((item, _COUNTED if options.aggressive else "no room"))
        if counted := sum(why is _COUNTED and item.done is done for item, why in room.left_out):
            yield f"- {title}: {counted}"


def _rest(rest: Sequence[RestTurn], room: _Room, options: LogOptions) -> tuple[list[str], int, int]:
    if not rest:
        return [], 0, 0
    quoted = [line for part in rest for line in _quoted(part)]
    whole = options.counter.count("\n".join(quoted))
    # Short words are kept as they are said: a summary of them would save nothing.
    if whole <= room.left and not options.aggressive:
        return quoted, 0, 0
    lines = [line for line in _summary(rest, options, room) if room.take(line)]
    return lines, whole, options.counter.count("\n".join(lines))


def _quoted(one: RestTurn) -> list[str]:
    at = f"{one.turn.said_at:%H:%M} " if one.turn.said_at is not None else ""
    said = [f"> {line}" if line.strip() else ">" for line in one.text.split("\n")]
    return [f"> **{at}{one.turn.role}**", *said, ""]


def _summary(rest: Sequence[RestTurn], options: LogOptions, room: _Room) -> Iterable[str]:
    # The end of the session: what was settled last counts.
    text = "\n\n".join(f"{part.turn.role}: {part.text}" for part in rest)[-MOST_REST:]
    (made,) = options.summariser.summarise([NoteToSummarise(path="session", text=text)], lambda _done, _total: None)
    room.remark = made.remark
    points = (*made.events, *made.insights, *made.decisions, *made.facts)
    return dict.fromkeys(f"- {point.text}" for point in points)


def item_name(item: FlushItem) -> str:
    """Returns an item's number or category with its first words."""
    return f"{item.code or item.category.value}: {item.text.splitlines()[0][:120]}"
