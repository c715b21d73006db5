"""Splits a note's lines into blocks: paragraphs, items, quotes and rows, each with its role and speaker."""

import re
from bisect import bisect_right
from collections import Counter
from itertools import pairwise

import msgspec

from engine.models.labels import Role, Speaker, comes_off, heading_role, key_role, speaker_of
from engine.models.plain_line import without_markup
from engine.text.markdown import heading_of
from engine.text.pattern_file import PatternFile

_FORMS = PatternFile(__package__, "block_patterns.toml", "mark letter link_only key table_rule tag dated")
_MARKS = frozenset("#-*+•·‣◦▪>|=0123456789")
_LINK_STARTS = ("http", "<", "[", "!", "file:", "mailto:")
_KEY_REACH = 40  # characters in which a key's colon must stand; looking for it there first spares most the pattern
_LONGEST_LABEL = 120  # characters at a heading's end in which its speaker is looked for


class Block(msgspec.Struct, frozen=True, gc=False):
    """A paragraph, item, quote or table row as one line; `first` is its first line's index. `breaks`: offsets in `text`
    where further lines begin, with their indexes. `label`: length of a leading `name:` that may be a speaker's. `rest`:
    the role of the sentences after the first, as a `lesson:` applies only to the first."""

    text: str
    first: int
    role: Role
    kind: str
    speaker: Speaker
    breaks: tuple[tuple[int, int], ...] = ()
    label: int = 0
    rest: Role | None = None  # None: the same as `role`

    def line(self, offset: int) -> int:
        """Returns the line index of the character at `offset`."""
        after = bisect_right(self.breaks, (offset, 1 << 62)) if self.breaks else 0
        return self.breaks[after - 1][1] if after else self.first


class _Item(msgspec.Struct, frozen=True, gc=False):
    """An open list item: its indent, its key's role, and whether it is marked [TEMPORARY]."""

    indent: int
    role: Role
    temporary: bool


class BlockReader:
    """Reads one line at a time; `flush` closes the open block."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.headings: list[tuple[str, int]] = []
        self.dropped: Counter[str] = Counter()
        self.pending: list[tuple[str, int]] = []
        self._kind, self._opening = "paragraph", ""
        self._section_role: Role = ""
        self._list_role: Role = ""  # the role that a line such as `Decisions:` gives to of the list below it
        self._turn: Speaker = ""
        self._turn_level = 0  # level of the heading that opened the turn; 0 where a label did
        self.assistant_labels = 0
        self._items: list[_Item] = []
        self._temporary_level = 0
        self._temporary_block = False

    def read(self, index: int, line: str, stripped: str) -> None:
        """Reads one non-blank line."""
        if stripped[:2] == "- " and stripped[2:3] != "[":
            self._item(index, indent(line), stripped[2:].lstrip())
            return
        match = _FORMS["mark"].match(stripped) if stripped[0] in _MARKS else None
        group = match.lastgroup if match else None
        if match is None or group is None:
            self._text(index, line, stripped)
        elif group == "item":
            self._item(index, indent(line), stripped[match.end() :])
        elif group == "heading":
            self.flush()
            if (heading := heading_of(stripped)) is not None:
                self._heading(index, heading.text, heading.level)
        elif group == "quote":
            self._quoted(index, stripped)
        elif group == "row":
            self._row(index, stripped)
        else:
            self._underline(stripped)

    def leave_out(self, stripped: str) -> None:
        """Skips a line: it closes the open block, and may name the next speaker."""
        self.flush()
        match = _key_of(stripped)
        self._turn = (speaker_of(match["key"]) if match else "") or self._turn

    def _heading(self, index: int, text: str, level: int) -> None:
        if level <= self._temporary_level:
            self._temporary_level = 0
        if not self._temporary_level and _temporary(text):
            self._temporary_level = level
        title = without_markup(text).strip()
        if "[" in title:
            title = _FORMS["tag"].sub("", title).strip()
        self._section_role = "insight" if title.endswith("[feedback]") else heading_role(title)
        speaker = turn_of(title)
        # A heading inside a turn, deeper than the turn's own, is still said by the same speaker.
        if speaker or level <= self._turn_level or not self._turn_level:
            self._turn, self._turn_level = speaker, level if speaker else 0
        self._list_role = ""
        self._items.clear()
        if self._temporary_level:
            self.dropped["temporary line"] += 1
        elif _FORMS["letter"].search(title):
            self.headings.append((title, index))

    def _item(self, index: int, indent: int, text: str) -> None:
        if self.pending:
            self.flush()
        outer = self._outer(indent) if self._items else None
        temporary = (outer is not None and outer.temporary) or ("[" in text and _temporary(text))
        self._items.append(_Item(indent, outer.role if outer else self._list_role, temporary))
        self._kind, self._temporary_block = "item", temporary
        self._add(index, text)

    def _outer(self, indent: int) -> _Item | None:
        """Returns the list item that contains text at `indent`, and closes deeper ones."""
        while self._items and self._items[-1].indent >= indent:
            self._items.pop()
        return self._items[-1] if self._items else None

    def _quoted(self, index: int, stripped: str) -> None:
        text = stripped.lstrip("> \t")
        if text.startswith(("- ", "* ", "• ", "|")):
            self.read(index, text, text)
            return
        if self._kind != "quote" or (self.pending and _opens_with_label(text, self.pending[-1][0])):
            self.flush()
        self._kind = "quote"
        self._add(index, text)

    def _row(self, index: int, stripped: str) -> None:
        self.flush()
        if _FORMS["table_rule"].match(stripped):
            self.dropped["markup-only line"] += 1
            if self.blocks and self.blocks[-1].kind == "row" and self.blocks[-1].first == index - 1:
                self.blocks.pop()
                self.dropped["table heading"] += 1
            return
        self._kind = "row"
        self._add(index, " · ".join(cell.strip() for cell in stripped.split("|") if cell.strip()))
        self.flush()

    def _text(self, index: int, line: str, stripped: str) -> None:
        is_next = stripped[:2] == "**" == self._opening  # lines that open in bold are a list without its marks
        is_next |= self._kind == "item" and line[:1].isdigit() and _FORMS["dated"].match(line) is not None
        if self.pending and (self._kind == "quote" or is_next or _opens_with_label(stripped, self.pending[-1][0])):
            self.flush()
        self._opening = stripped[:2]
        if not self.pending:
            outer = self._outer(indent(line)) if self._items else None
            self._temporary_block = outer is not None and outer.temporary
        self._temporary_block = self._temporary_block or _temporary(stripped)
        self._add(index, stripped)

    def _underline(self, stripped: str) -> None:
        """Reads a line of `===` or `---`, which makes a single text line above it a heading."""
        self.dropped["markup-only line"] += 1
        if self._kind == "paragraph" and len(self.pending) == 1:
            text, index = self.pending.pop()
            self._heading(index, text, 1 if stripped[0] == "=" else 2)
        self.flush()

    def _add(self, index: int, text: str) -> None:
        if not text:
            return
        if not (text[0].isalnum() or _FORMS["letter"].search(text)):
            self.dropped["markup-only line"] += 1
        elif text.startswith(_LINK_STARTS) and _FORMS["link_only"].fullmatch(text):
            self.dropped["link-only line"] += 1
        else:
            plain = without_markup(text)
            self.pending.append(((_FORMS["tag"].sub("", plain) if "[" in plain else plain).strip(), index))

    def flush(self) -> None:
        """Closes the open block, and finds its speaker and role."""
        pending, kind = self.pending, self._kind
        self._kind = "paragraph"
        if not pending:
            return
        self.pending = []
        if self._temporary_level or self._temporary_block:
            self.dropped["temporary line"] += len(pending)
            self._temporary_block = False
            return
        role, speaker, label, rest = self._label(pending, kind)
        if len(pending) > 1:
            text, first, breaks = joined(pending)
            if text:
                self.blocks.append(Block(text, first, role, kind, speaker, breaks, label, rest))
        elif pending[0][0]:
            self.blocks.append(Block(pending[0][0], pending[0][1], role, kind, speaker, (), label, rest))

    def _label(self, pending: list[tuple[str, int]], kind: str) -> tuple[Role, Speaker, int, Role | None]:
        """Removes a known `key:` or `speaker:` from the block's front. Returns its role and speaker, the length of
        another `name:` (0 for none), and the role after the first sentence if it differs."""
        item = self._items[-1] if kind == "item" and self._items else None
        inherited: Role = item.role if item else ""
        match = _key_of(pending[0][0]) if kind != "row" else None
        if item is None:
            self._list_role = ""
        if match is None:
            if item is None and kind == "paragraph" and len(pending) == 1 and (own := key_role(pending[0][0])):
                self._list_role = own
                pending[0] = ("", pending[0][1])
            return inherited or self._section_role, self._turn, 0, None
        key, value, index = match["key"], match["value"].strip(), pending[0][1]
        if speaker := speaker_of(key):
            self._turn = speaker
            self.assistant_labels += speaker == "assistant"
            pending[0] = (value, index)
            return inherited or self._section_role, speaker, 0, None
        own = key_role(key)
        if item:
            self._items[-1] = _Item(item.indent, own or inherited, item.temporary)
        elif not value and len(pending) == 1:
            own = own or heading_role(key)
            self._list_role = own
        label = 0 if own else match.start("value")
        if (own and not value) or (comes_off(key) and _stands_alone(value)):
            pending[0] = (value, index)
        around = inherited or self._section_role
        alone = own in ("decision", "insight") and bool(value) and comes_off(key)
        return own or around, self._turn, label, around if alone else None


def turn_of(title: str) -> Speaker:
    """Returns the speaker that a heading such as `User` or `11:07 — user` names; empty if none."""
    words = title[-_LONGEST_LABEL:].split()
    if not words or (len(words) > 1 and words[-2][-1] not in "—–-|:："):
        return ""
    return speaker_of(words[-1])


def _key_of(text: str) -> re.Match[str] | None:
    head = text[:_KEY_REACH]
    return _FORMS["key"].match(text) if ":" in head or "：" in head else None


def _opens_with_label(stripped: str, before: str) -> bool:
    """Tells whether a label begins a new block: `user:`, `outcome:`, or any label after another."""
    if (match := _key_of(stripped)) is None:
        return False
    return bool(speaker_of(match["key"]) or key_role(match["key"])) or _key_of(before) is not None


def _temporary(text: str) -> bool:
    """Tells whether text is marked [TEMPORARY] and so never derived from; [CURATE] wins (decision B4)."""
    return "[TEMPORARY]" in text and "[CURATE]" not in text


def _stands_alone(value: str) -> bool:
    """Tells whether a value is clear without its key: four words, or eight characters without blanks."""
    return value.count(" ") >= 3 or (not value.isascii() and len(value) >= 8)


def indent(line: str) -> int:
    """Returns the number of leading blanks."""
    if line[:1] not in " \t\u3000":
        return 0
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())


def joined(pending: list[tuple[str, int]]) -> tuple[str, int, tuple[tuple[int, int], ...]]:
    """Joins lines to one text; returns it with the first line's index, and where the others begin."""
    parts = [(text, index) for text, index in pending if text] or [("", pending[0][1])]
    text, first = parts[0]
    pieces, breaks, length = [text], [], len(text)
    for (before, _), (after, index) in pairwise(parts):
        if not (_wide(before[-1]) and _wide(after[0])):
            pieces.append(" ")
            length += 1
        breaks.append((length, index))
        pieces.append(after)
        length += len(after)
    return "".join(pieces), first, tuple(breaks)


def _wide(character: str) -> bool:
    """Tells whether a character is Chinese or Japanese, which are written without blanks."""
    return "\u3000" <= character <= "\u9fff" or "\uf900" <= character <= "\uffef"
