"""Reads the sources of a node and the entries in them (decision C19)."""

from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from engine.errors import MemdeckError
from engine.text.document import Document, split_lines
from engine.text.secrets.detector import redact
from engine.text.text_lines import TextLines
from engine.text.tokens import TokenCounter
from engine.tree.levels import node_place
from engine.tree.nodes.entries import EntryList, EntryText, read_entries
from engine.tree.source_references import RawLines, raw_day, trace
from engine.tree.survey.node_topics import near_day
from engine.tree.survey.source_hashes import Source
from engine.tree.survey.survey import Survey
from engine.workspace.values import LineSpan

KEY = "raw-tokens"
_DIGITS = 9
"""Digits of a stated number of tokens: an agent may write more than Python reads as a number."""


def raw_tokens(path: str, values: Mapping[str, str | list[str]], own: int) -> int:
    """Tokens of raw log that a source stands for: those it states, or its own where it is a log or states none."""
    stated = values.get(KEY, "")
    if raw_day(path) is not None or not isinstance(stated, str) or not stated.isdecimal() or len(stated) > _DIGITS:
        return own
    return max(1, int(stated))


class NodeSource(msgspec.Struct, frozen=True, dict=True):
    """A source as it was read."""

    path: str
    sha256: str
    document: Document

    @property
    def first(self) -> int:
        return self.document.frontmatter.body_line

    @property
    def body(self) -> str:
        return self.document.body

    @cached_property
    def reading(self) -> EntryList:
        """The entries of its whole body, worked out once: the summary and the topics of a node both ask for them."""
        return read_text(self.path, self.document, self.first)

    def extent(self, counter: TokenCounter) -> int:
        """Tokens of raw log that it stands for."""
        return raw_tokens(self.path, self.document.frontmatter.values, counter.count(self.body))


def gather(survey: Survey, sources: Iterable[Source]) -> tuple[list[NodeSource], list[str], list[str]]:
    """Reads sources; those that cannot be read are named, with the reason, and the run goes on (decision C19)."""
    origins: list[NodeSource] = []
    missing: list[str] = []
    reasons: list[str] = []
    for path, sha256 in sources:
        try:
            origins.append(NodeSource(path, sha256, Document.from_bytes(survey.read(path))))
        except MemdeckError as error:
            missing.append(path)
            reasons.append(f"{path} cannot be read: {error.message}")
    return origins, missing, reasons


def whole_span(origin: NodeSource) -> LineSpan:
    return LineSpan(origin.path, 1, max(1, origin.document.line_count))


def source_label(path: str) -> str:
    place = node_place(path)
    return place[1] if place else path.rpartition("/")[2]


def read_origin(origin: NodeSource, first: int | None = None) -> EntryList:
    """The entries of a source from line `first` on, or of its whole body."""
    return origin.reading if first is None else read_text(origin.path, origin.document, first)


def read_clean(origin: NodeSource, first: int | None = None) -> EntryList:
    """The same without secrets, for the names in frontmatter."""
    text = origin.document.text
    clean = redact(text, keep_lines=True)
    # Most texts have no secret: the entries that were read already are those.
    if clean == text:
        return read_origin(origin, first)
    return read_text(origin.path, Document.from_bytes(clean.encode()), first or origin.first)


def read_text(path: str, document: Document, first: int) -> EntryList:
    """The entries of a raw log or node from line `first` on, each with the raw lines it came from."""
    day = near_day(path)
    if raw_day(path) is None:
        return read_entries(EntryText(path=path, lines=trace(document.lines[first - 1 :], first, day), day=day))
    text = document.text_from(first)
    lines = split_lines(text) if "\r" in text else TextLines(text)
    return read_entries(EntryText(path=path, lines=RawLines(path, lines, first), day=day))
