"""Fits a piece of text into a slot: fenced, counted, and taken whole, cut or dropped."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec

from engine.context.compile.prompt import ItemState, PromptItem, PromptSlot
from engine.plans.flags import poisoned_lines
from engine.plans.plan import Flag
from engine.plans.trust_label import UNTRUSTED_MARK, Trust
from engine.text.canonical_json import sha256_hex
from engine.text.document import Document
from engine.text.markdown import code_mask, heading_of
from engine.text.safe_text import visible
from engine.text.secrets.detector import redact
from engine.text.tokens import TokenCounter

NAME = "recalled"
NONCE_DIGITS = 12  # hexadecimal digits of a fence's nonce: 48 bits of the content's hash, which it cannot contain (D40)
_OPENERS = re.compile("[<\uff1c\ufe64\u2039\u27e8\u3008\u2329\u276e\u02c2\u1438\u226a\u00ab]")
_SIGNS = re.compile("[^a-z/]")
_LETTERS = str.maketrans("аеіоԁӏс", "aeiodlc")  # cyrillic letters that look like the Latin ones of the name


def fenced(text: str, slot: str, source: str, trust: Trust) -> str:
    """Returns the text in its fence; begins with `<` and ends with a line end, so that token counts add up."""
    inside = harmless(text).strip("\n")
    where = harmless(source).replace("\n", "␊").replace('"', "'").replace("<", "&lt;").replace(">", "&gt;")
    nonce = sha256_hex(f"{trust.value}\0{where}\0{inside}".encode("utf-8", "surrogatepass"))[:NONCE_DIGITS]
    return f'<{NAME} {nonce} {slot} "{where}" trust={trust.value}>\n{inside}\n</{NAME} {nonce}>\n'


def harmless(text: str) -> str:
    """Makes hidden characters visible, except tabs, and escapes what looks like a fence."""
    text = text.replace("\r\n", "\n")
    shown = "\t".join(map(visible, text.split("\t"))) if not text.isprintable() else text
    if NAME[0] not in shown.casefold() and shown.isascii():
        return shown
    return "\n".join(_escaped(line) if _OPENERS.search(line) else line for line in shown.split("\n"))


def _escaped(line: str) -> str:
    """Escapes every bracket in a line that seems to be followed by the fence's name."""
    return _OPENERS.sub(lambda found: "&lt;" if _looks_like_fence(line[found.end() :]) else found[0], line)


def _looks_like_fence(rest: str) -> bool:
    """Tells whether a text begins with the fence's name, ignoring signs, blanks, width and look-alikes."""
    # A sign that is shown, such as ⟨U+200B⟩, has letters and digits of its own, which are no part of the name.
    plain = re.sub("⟨U\\+[0-9A-F]+⟩|[␀-␦]", "", rest[:400])
    folded = unicodedata.normalize("NFKD", plain).casefold().translate(_LETTERS)
    return _SIGNS.sub("", folded).lstrip("/").startswith(NAME)


class NoteText(msgspec.Struct, frozen=True, gc=False):
    """A note's text, its first line's number, and the flags that make it untrusted. `owned`: seen or approved bytes."""

    text: str
    first_line: int
    flags: tuple[Flag, ...]
    marked: bool = False  # it says of itself that nobody vouches for it, as an imported memory does (decision G27)
    owned: bool = False

    @property
    def trust(self) -> Trust:
        if self.flags or self.marked:
            return Trust.UNTRUSTED
        return Trust.OPERATOR if self.owned else Trust.AGENT


@lru_cache(maxsize=512)
def note_text(data: bytes, flags: tuple[Flag, ...] | None = None) -> NoteText:
    """Reads a note's bytes; finds flags unless they are given. Raises `Unreadable` for what is no text."""
    document = Document.from_bytes(data)
    body = document.body.replace("\r\n", "\n")
    first = document.frontmatter.body_line
    if flags is None:
        flags = tuple(Flag(first - 1 + flag.line, flag.rule) for flag in poisoned_lines(body))
    marked = UNTRUSTED_MARK.items() <= document.frontmatter.values.items()
    return NoteText(redact(body, keep_lines=True), first, flags, marked)


def flags_of(texts: Sequence[str], *, encoded: bool = True) -> list[tuple[Flag, ...]]:
    """Returns the flags of several texts, checked in one pass, which is several times faster than one by one."""
    gap = "\n\n"
    flags = poisoned_lines(gap.join(texts), encoded=encoded) if texts else ()  # to check nothing loads the rules too
    found, line = [], 1
    for text in texts:
        last = line + text.count("\n")
        found.append(tuple(Flag(flag.line - line + 1, flag.rule) for flag in flags if line <= flag.line <= last))
        line = last + len(gap)
    return found


def trust_of(text: str) -> Trust:
    """Returns the trust of a text in the workspace, where the agent can write (promise F2)."""
    return Trust.UNTRUSTED if poisoned_lines(text) else Trust.AGENT


ENOUGH = 0.5  # the share of what would fit that a cut at a heading has to keep; below it the cut is after a line


def cut_text(text: str, fits: Callable[[str], bool]) -> tuple[str, str] | None:
    """Returns the longest beginning that fits with its marker, and the place of the cut in words; None if none does."""
    lines = text.split("\n")
    most = _most(lines, fits)
    if most == 0:
        return None
    # Headings outside of code; not of the first line, before which there is nothing.
    marks = enumerate(zip(lines, code_mask(lines), strict=True))
    headings = (n for n, (line, code) in marks if 0 < n <= most and not code and heading_of(line) is not None)
    at = max(headings, default=0)
    if at and at >= ENOUGH * most and fits(_kept(lines, at)):  # its marker may be a figure longer
        return _kept(lines, at), f'cut at "{lines[at].strip()}"'
    return _kept(lines, most), f"cut after line {most}"


def _most(lines: list[str], fits: Callable[[str], bool]) -> int:
    """Returns the greatest number of lines that fits, by bisection."""
    low, high = 0, len(lines) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(_kept(lines, middle)) else (low, middle - 1)
    return low


def _kept(lines: list[str], most: int) -> str:
    left = len(lines) - most
    return "\n".join((*lines[:most], f"[… {left} more line{'s' if left != 1 else ''} left out]"))


LEAST = 24  # tokens of room below which nothing is cut to fit: its fences would take more than what they hold


class PromptPiece(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A text for a slot. `refused`: the reason to drop it; `limit`: the most tokens it may take."""

    slot: PromptSlot
    label: str
    path: str = ""
    line: int = 0
    text: str = ""
    trust: Trust = Trust.AGENT
    flags: tuple[Flag, ...] = ()
    score: float | None = None
    refused: str = ""
    limit: int | None = None
    limit_reason: str = ""

    @property
    def source(self) -> str:
        """The place that the fence names."""
        where = self.path or self.label
        return f"{where}:{self.line}" if self.line else where

    @property
    def block(self) -> str:
        return self.block_of(self.text)

    def block_of(self, text: str) -> str:
        """Returns the text as in the prompt: in its own fence, except turns and the operator's texts (decision D65)."""
        if self.slot is PromptSlot.HISTORY:  # no further line may look like another turn
            return harmless(text).strip("\n").replace("\n", "\n  ") + "\n"
        if self.trust is Trust.OPERATOR:
            return "\n".join((f"[{harmless(self.source)}]", harmless(text).strip("\n"), ""))
        return _fenced(text, self.slot.value, self.source, self.trust)


_fenced = lru_cache(maxsize=4096)(fenced)  # Remembered: another message of the same session has the same files


class RememberedCounts:
    """A token counter that caches the count of each text."""

    MOST = 4096

    def __init__(self, counter: TokenCounter) -> None:
        self.name = counter.name
        self.degraded_reason = counter.degraded_reason
        self.count = lru_cache(maxsize=self.MOST)(counter.count)


class SlotFill:
    """Takes pieces into a slot while there is room; records an item for every piece."""

    def __init__(self, room: int, counter: TokenCounter) -> None:
        self.room = max(0, room)
        self.used = 0
        self.blocks: list[str] = []
        self.items: list[PromptItem] = []
        self._counter = counter

    @property
    def left(self) -> int:
        return self.room - self.used

    def take(self, piece: PromptPiece, *, may_cut: bool) -> bool:
        """Takes a piece whole or cut; returns True if whole."""
        if piece.refused:
            return self._keep(piece, ItemState.DROPPED, 0, piece.refused)
        whole = self._counter.count(piece.block)
        room = self.left if piece.limit is None else min(self.left, piece.limit)
        if whole <= room:
            return self._keep(piece, ItemState.INCLUDED, whole, "", piece.block)
        limited = piece.limit is not None and piece.limit < self.left
        why = piece.limit_reason if limited else f"{whole:,} tokens, {max(0, room):,} left"
        cut = None
        if may_cut and room >= LEAST:
            cut = cut_text(piece.text, lambda text: self._counter.count(piece.block_of(text)) <= room)
        if cut is None:
            return self._keep(piece, ItemState.DROPPED, whole, f"does not fit: {why}", rest=piece.text)
        # The last line of what is kept says how much is left out.
        rest = "\n".join(piece.text.split("\n")[cut[0].count("\n") :])
        return self._keep(piece, ItemState.CUT, whole, f"{cut[1]}: {why}", piece.block_of(cut[0]), rest)

    def _keep(
        self, piece: PromptPiece, state: ItemState, whole: int, reason: str, block: str = "", rest: str = ""
    ) -> bool:
        """Records a piece's item and block; returns True if the piece is whole."""
        tokens = self._counter.count(block) if block else 0
        self.used += tokens
        self.blocks += [block] if block else []
        item = PromptItem(
            slot=piece.slot,
            label=piece.label,
            path=piece.path,
            line=piece.line,
            tokens=tokens,
            whole=whole,
            score=piece.score,
            state=state,
            reason=reason,
            trust=piece.trust.value,
            flags=piece.flags,
            end=len(block),
            rest=rest if piece.limit is None else "",
        )
        self.items.append(item)
        return state is ItemState.INCLUDED
