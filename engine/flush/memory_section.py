"""Our section of MEMORY.md that flushes promote into: every byte outside of it stays (decisions B11, C18, D23)."""

from collections.abc import Sequence

import msgspec

from engine.errors import MemdeckError
from engine.flush.items import FlushCategory, FlushItem
from engine.flush.log_block import item_line, marked_block
from engine.plans.plan import Change, Move
from engine.text.document import Document, Unreadable, split_lines
from engine.text.safe_text import without_markers
from engine.workspace.memory_md import MEMORY_MD_LINES, MEMORY_MD_PATHS

START = "<!-- memdeck:flush:start -->"
END = "<!-- memdeck:flush:end -->"
MOST_LINES = dict(MEMORY_MD_LINES)["full"]
_NEW = f"{START}\n## Saved from sessions\n{END}\n"


def own_marks(change: Change) -> frozenset[int]:
    """The lines (from 1) of a change that are our own markers: what was said bears none."""
    if isinstance(change, Move) or change.path not in MEMORY_MD_PATHS:
        return frozenset()
    return frozenset(n for n, line in enumerate(split_lines(change.content), 1) if line in (START, END))


class Promoted(msgspec.Struct, frozen=True, kw_only=True):
    """The whole new file, where there is one, and why there is none."""

    content: bytes | None = None
    inserts: bool = False
    """The section is put in for the first time, which is tier C."""
    refused: str = ""


def promote(path: str, data: bytes | None, items: Sequence[FlushItem], day: str) -> Promoted:
    """The file with the items at the end of our section; `refused` where it cannot grow or cannot be read."""
    if data is None:
        head = "---\ntype: memory\n---\n\n# Core Memory\n\n" if path.startswith("knowledge/") else "# Memory\n\n"
        data = head.encode()
    try:
        document = Document.from_bytes(data)
    except (MemdeckError, Unreadable) as error:
        return Promoted(refused=f"{path} cannot be read: {error.message}")
    text = "".join(f"{_entry(item, day)}\n" for item in items)
    starts, ends = data.count(START.encode()), data.count(END.encode())
    inserts = not starts and not ends
    if inserts:
        made = document.append(("" if data.endswith(b"\n\n") else "\n") + _NEW.replace(END, text + END))
    # Exactly one pair, in order: with any other the bytes between two marks may be somebody else's (decision C18).
    elif starts == ends == 1 and data.find(START.encode()) < data.find(END.encode()):
        at = data.find(END.encode())
        made = document.replace_span(at, at, text)
    else:
        return Promoted(refused=f"{path}: its memdeck:flush markers are broken")
    lines = made.count(b"\n")
    # A file that is over already may shrink or stay; it may not grow (decision D23).
    if lines > MOST_LINES and lines > data.count(b"\n"):
        return Promoted(refused=f"{path} would have {lines} lines, over {MOST_LINES}: prune it first")
    return Promoted(content=made, inserts=inserts)


def _entry(item: FlushItem, day: str) -> str:
    """An item with its date; what was marked stays word for word, its marker lines made harmless."""
    if item.category is FlushCategory.LEARNING:
        block = marked_block(item)
        said = f"- {day}: {block[2:]}" if block.startswith("- ") and "\n" not in block else block
    else:
        said = f"- {day} {item_line(item)[2:]}"
    return without_markers(said)
