"""Reads a note as blocks of prose with their line numbers, and counts what is left out of a summary."""

import re
from collections import Counter
from typing import NamedTuple

from engine.models.cleaning import without_markup
from engine.models.cue_match import heading_role, speaker_role
from engine.models.noise import Noise

_LINE = re.compile(
    r"(?P<blank>[ \t\u3000]*)(?:(?P<heading>#{1,6})(?=[ \t]|$)|(?P<fence>`{3,}|~{3,})"
    r"|(?P<item>(?:[-*+•·‣◦▪]|\d{1,9}[.)]|[a-z][)])(?=[ \t]|$)(?:[ \t]+\[[ xX]\](?=[ \t]))?)|(?P<quote>>)|(?P<row>\|))?"
)
_LETTER = re.compile(r"[^\W_]")
_UNDERLINE = re.compile(r"(?:=+|-+)$")
_LINK_ONLY = re.compile(r"(?:<?(?:https?|file|mailto)://?\S+>?|!?\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\])[\s,;.|]*")
_KEY = re.compile(
    r"(?P<key>[^\s:：][^:：\n]{0,30}?)\s*(?:[:：]\*{0,2}|\*\*[:：])(?:\s+|(?<=：)|$)(?P<value>.*)", re.DOTALL
)
_CELLS = re.compile(r"\s*\|\s*")
_TABLE_RULE = re.compile(r"[|:\-\s]+$")
_SPEAKER_HEADING = re.compile(r".*(?:—|–|-|\||:)\s*(\S+)\s*$")
_TEMPORARY = "[TEMPORARY]"
_CURATE = "[CURATE]"
_TAG = re.compile(r"\s*\[(?:TEMPORARY|CURATE|REFERENCE|NEVER_PRUNE)\]")


class Block(NamedTuple):
    """A paragraph, item, quote or table row as one line of text. `lines` pairs offsets of `text` with line indexes."""

    text: str
    lines: list[tuple[int, int]]
    section: int
    role: str
    kind: str
    speaker: str


class Parsed(NamedTuple):
    """What a note holds. Line indexes count from 0 within the text given."""

    blocks: list[Block]
    headings: list[tuple[str, int]]
    dropped: Counter[str]


def read_blocks(lines: list[str], left_out: dict[int, str]) -> Parsed:
    """Splits cleaned lines into blocks; `left_out` names lines that must not be read, with the reason."""
    reader = _Reader(left_out)
    noise = Noise(lines)
    for index, line in enumerate(lines):
        reason = left_out.get(index) or noise.reason(index, line)
        if reason:
            reader.leave_out(reason)
        else:
            reader.read(index, line)
    reader.flush()
    return Parsed(reader.blocks, reader.headings, reader.dropped)


class _Reader:
    """Takes lines one at a time. `flush` closes the block under way."""

    def __init__(self, left_out: dict[int, str]) -> None:
        self.blocks: list[Block] = []
        self.headings: list[tuple[str, int]] = []
        self.dropped: Counter[str] = Counter()
        self._pending: list[tuple[str, int]] = []
        self._kind = "paragraph"
        self._section = 0
        self._section_role = ""
        self._section_speaker = ""
        self._turn_speaker = ""
        self._lead_in_role = ""
        self._items: list[tuple[int, str, bool]] = []
        """Open list items, outermost first: indent, role, temporary."""
        self._temporary_level = 0
        self._temporary_block = False
        self._indent = 0
        self._item_start = False

    def leave_out(self, reason: str) -> None:
        self.flush()
        self.dropped[reason] += 1

    def read(self, index: int, line: str) -> None:
        match = _LINE.match(line)
        group = match.lastgroup if match else None
        if match is None or not line.strip():
            self._blank()
        elif group == "heading":
            self._heading(index, line, len(match["heading"]))
        elif group == "item":
            self._item(index, line, match)
        elif group == "quote":
            self._quoted(index, line)
        elif group == "row":
            self._row(index, line)
        else:
            self._text(index, line, _width(match["blank"]))

    def _blank(self) -> None:
        self.flush()

    def _heading(self, index: int, line: str, level: int) -> None:
        self.flush()
        title = line.strip().strip("#").strip()
        if self._temporary_level and level <= self._temporary_level:
            self._temporary_level = 0
        if _TEMPORARY in title and _CURATE not in title and not self._temporary_level:
            self._temporary_level = level
        title = _TAG.sub("", without_markup(title)).strip()
        self._section += 1
        self._section_role = heading_role(title)
        if not self._section_role and title.endswith("[feedback]"):
            self._section_role = "insight"
        named = _SPEAKER_HEADING.match(title)
        self._section_speaker = speaker_role(named[1] if named else title)
        self._turn_speaker = self._lead_in_role = ""
        self._items.clear()
        if self._temporary_level:
            self.dropped["temporary line"] += 1
        elif _LETTER.search(title):
            self.headings.append((title, index))

    def _item(self, index: int, line: str, match: re.Match[str]) -> None:
        self.flush()
        indent = _width(match["blank"])
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        text = line[match.end() :].strip()
        outer = self._items[-1] if self._items else (-1, self._lead_in_role, False)
        temporary = outer[2] or (_TEMPORARY in text and _CURATE not in text)
        self._items.append((indent, outer[1], temporary))
        self._kind, self._indent, self._temporary_block = "item", indent, temporary
        self._add(index, text)

    def _quoted(self, index: int, line: str) -> None:
        if self._kind != "quote":
            self.flush()
        self._kind = "quote"
        self._add(index, line.lstrip(" \t>"))

    def _row(self, index: int, line: str) -> None:
        self.flush()
        if _TABLE_RULE.match(line):
            self.dropped["markup line"] += 1
            if self.blocks and self.blocks[-1].kind == "row" and self.blocks[-1].lines[0][1] == index - 1:
                self.blocks.pop()
                self.dropped["table heading"] += 1
            return
        cells = [cell for cell in _CELLS.split(line.strip().strip("|").strip()) if cell]
        self._kind = "row"
        self._add(index, " · ".join(cells))
        self.flush()

    def _text(self, index: int, line: str, indent: int) -> None:
        stripped = line.strip()
        if _UNDERLINE.match(stripped):
            self._underline(index)
            return
        if self._pending and (self._kind == "quote" or _opens_with_label(stripped)):
            self.flush()
        if not self._pending:
            while self._items and self._items[-1][0] >= indent:
                self._items.pop()
            self._temporary_block = bool(self._items and self._items[-1][2]) or (
                _TEMPORARY in stripped and _CURATE not in stripped
            )
        self._add(index, stripped)

    def _underline(self, index: int) -> None:
        """A line of `===` or `---`: under one line of text it makes a heading of it."""
        self.dropped["markup line"] += 1
        if self._kind == "paragraph" and len(self._pending) == 1:
            text, at = self._pending.pop()
            self._heading(at, f"# {text}", 2)
        self.flush()

    def _add(self, index: int, text: str) -> None:
        if text and _LINK_ONLY.fullmatch(text):
            self.dropped["link-only line"] += 1
        elif text and not _LETTER.search(text):
            self.dropped["markup line"] += 1
        elif text:
            self._pending.append((_TAG.sub("", without_markup(text)).strip(), index))

    def flush(self) -> None:
        """Closes the block under way and works out whose words they are and what they are about."""
        pending, kind = self._pending, self._kind
        self._pending, self._kind = [], "paragraph"
        if not pending:
            return
        if self._temporary_level or self._temporary_block:
            self.dropped["temporary line"] += len(pending)
            self._temporary_block = False
            return
        pending, role, speaker = self._labelled(pending, kind)
        text, lines = _joined(pending)
        if _LETTER.search(text):
            self.blocks.append(Block(text, lines, self._section, role, kind, speaker))

    def _labelled(self, pending: list[tuple[str, int]], kind: str) -> tuple[list[tuple[str, int]], str, str]:
        """Takes a known `key:` or `speaker:` off the front, and says what it meant."""
        first, index = pending[0]
        inherited = self._items[-1][1] if kind == "item" and self._items else ""
        role = inherited or self._section_role
        match = _KEY.match(first)
        if kind == "row" or match is None:
            if kind != "item":
                self._lead_in_role = ""
            return pending, role, self._turn_speaker or self._section_speaker
        key, value = match["key"].strip("*_ "), match["value"].strip()
        speaker, own = speaker_role(key), heading_role(key)
        if speaker:
            self._turn_speaker = speaker
            return [(value, index), *pending[1:]], role, speaker
        if kind == "item" and self._items:
            self._items[-1] = (self._items[-1][0], own or inherited, self._items[-1][2])
        else:
            self._lead_in_role = own if not value and len(pending) == 1 else ""
        if own and not value:
            return [("", index), *pending[1:]], own, self._turn_speaker
        if own and _says_enough(value):
            return [(value, index), *pending[1:]], own, self._turn_speaker
        return pending, own or role, self._turn_speaker or self._section_speaker


def _opens_with_label(line: str) -> bool:
    """A `user:` or `outcome:` at the start of a line begins a block of its own."""
    if ":" not in line[:34] and "：" not in line[:34]:
        return False
    match = _KEY.match(line)
    key = match["key"].strip("*_ ") if match else ""
    return bool(key and (speaker_role(key) or heading_role(key)))


def _says_enough(value: str) -> bool:
    """A value that can stand without its key: four words, or eight characters of a script without blanks."""
    return value.count(" ") >= 3 or (not value.isascii() and len(value) >= 8)


def _width(blank: str) -> int:
    return len(blank.expandtabs(4))


def _joined(pending: list[tuple[str, int]]) -> tuple[str, list[tuple[int, int]]]:
    """One text of several lines, with the offset at which each begins; wide scripts join without a blank."""
    text = ""
    lines: list[tuple[int, int]] = []
    pieces: list[str] = []
    length = 0
    last = ""
    for part, index in pending:
        if not part:
            continue
        if last and not (last >= "\u2e80" and part[0] >= "\u2e80" and not "\uac00" <= last <= "\ud7a3"):
            pieces.append(" ")
            length += 1
        lines.append((length, index))
        pieces.append(part)
        length += len(part)
        last = part[-1]
    text = "".join(pieces)
    return text, lines
