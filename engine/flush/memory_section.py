"""Writes promoted items into our section of MEMORY.md; other bytes stay unchanged (decisions B11, C18, D23)."""

from collections.abc import Sequence

import msgspec

from engine.flush.items import FlushCategory, FlushItem, FlushPriority
from engine.flush.log_block import item_line, marked_block
from engine.plans.plan import Change, Move
from engine.text.document import Document, split_lines
from engine.text.safe_text import without_markers
from engine.workspace.layout import MEMORY_MD_LINES, MEMORY_MD_PATHS
from engine.workspace.unscanned import count_lines

START = "<!-- memdeck:flush:start -->"
END = "<!-- memdeck:flush:end -->"
MOST_LINES = dict(MEMORY_MD_LINES)["full"]
_NEW = f"{START}\n## Saved from sessions\n{END}\n"


def own_marks(change: Change) -> frozenset[int]:
    """Returns the line numbers, from 1, of our markers in a change."""
    if isinstance(change, Move) or change.path not in MEMORY_MD_PATHS:
        return frozenset()
    return frozenset(n for n, line in enumerate(split_lines(change.content), 1) if line in (START, END))


class Promoted(msgspec.Struct, frozen=True, kw_only=True):
    """The new file if an item was added, and why each other item waits (decision B26)."""

    content: bytes | None = None
    inserts: bool = False  # the section is put in for the first time, which is tier C
    waiting: dict[FlushItem, str] = {}
    lines: int = 0  # lines that all the items take, with the section where it is new


def promote(path: str, data: bytes | None, items: Sequence[tuple[FlushItem, str]], unread: str = "") -> Promoted:
    """Adds the items by priority while lines last (B21, B26). `unread`: why an existing file cannot be read."""
    if unread:
        return _all_wait(items, f"{path} cannot be read: {unread}")
    if data is None:
        head = "---\ntype: memory\n---\n\n# Core Memory\n\n" if path.startswith("knowledge/") else "# Memory\n\n"
        data = head.encode()
    starts, ends = data.count(START.encode()), data.count(END.encode())
    if inserts := not starts and not ends:
        data = Document.from_bytes(data).append(("" if data.endswith(b"\n\n") else "\n") + _NEW)
    # Exactly one pair, in order: with any other the bytes between two marks may be somebody else's (decision C18).
    elif not starts == ends == 1 or data.find(START.encode()) > data.find(END.encode()):
        return _all_wait(items, f"{path}: its memdeck:flush markers are broken")
    waiting: dict[FlushItem, str] = {}
    taken: set[FlushItem] = set()
    room = MOST_LINES - count_lines(data)
    needed = sum(_entry(item, day).count("\n") + 1 for item, day in items) + _NEW.count("\n") * inserts
    order = list(FlushPriority)
    for item, day in sorted(items, key=lambda item: order.index(item[0].priority)):
        lines = _entry(item, day).count("\n") + 1
        # A file that is over already may shrink or stay; it may not grow (decision D23).
        if lines > room:
            waiting[item] = f"{lines} of {MOST_LINES} lines of {path} asked for and {max(room, 0)} left"
            continue
        room -= lines
        taken.add(item)
    if not taken:
        return Promoted(waiting=waiting, lines=needed)
    text = "".join(f"{_entry(item, day)}\n" for item, day in items if item in taken)
    at = data.find(END.encode())
    made = Document.from_bytes(data).replace_span(at, at, text)
    return Promoted(content=made, inserts=inserts, waiting=waiting, lines=needed)


def _all_wait(items: Sequence[tuple[FlushItem, str]], why: str) -> Promoted:
    return Promoted(waiting={item: why for item, _ in items})


def _entry(item: FlushItem, day: str) -> str:
    if item.category is FlushCategory.LEARNING:
        block = marked_block(item)
        said = f"- {day}: {block[2:]}" if block.startswith("- ") and "\n" not in block else block
    else:
        said = f"- {day} {item_line(item)[2:]}"
    return without_markers(said)
