"""Gives files and changes a trust label, the lowest of all their sources (promise F2). Labels come from the
operator's records of a path or of its bytes, and from where a line is; no summary, move or rewrite raises one."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from engine.errors import MemdeckError
from engine.plans.flags import poisoned_lines
from engine.plans.plan import Append, Change, Create, Flag, Move, Replace
from engine.plans.records.operation_fold import TrustRecords
from engine.plans.trust_label import UNTRUSTED_MARK, Trust, TrustLabel, lowest
from engine.text.canonical_json import sha256_hex
from engine.text.document import each_line
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import code_mask
from engine.workspace.generated import line_mask
from engine.workspace.values import LineSpan

SAME_WORDS = 4  # words in a row that a text may not share with its source to count as the operator's own
OwnLines = Callable[[str, str], Collection[int]]
"""Gives the lines of a file, by its path and text, that have memdeck's own marks."""
_QUOTE = re.compile(r" {0,3}>")
_WORD = re.compile(r"\w+")


class TrustLineage:
    """Labels the changes of one plan in order, so that later changes inherit the labels of earlier ones."""

    def __init__(
        self,
        read: Callable[[str], bytes],
        records: TrustRecords,
        *,
        doubted: Mapping[str, str] | None = None,
        typed: Collection[int] = (),
        own: OwnLines = lambda _path, _text: (),
    ) -> None:
        """Takes as `doubted` the untrusted paths with reasons, and as `typed` the changes that the operator wrote."""
        self._read, self._records, self._own = read, records, own
        self._doubted, self._typed = doubted or {}, typed
        self._made: dict[str, TrustLabel] = {}
        self._files: dict[str, _File | None] = {}

    def of_change(self, change: Change, flags: Sequence[Flag]) -> TrustLabel | None:
        """Gives the lowest label of a change's sources, its flags and its import; None if there is none."""
        labels = [*self._labels(change), *self._foreign(change)]
        if flags:
            where = f"{change.path}: line {flags[0].line} of change {change.n}"
            labels.append(TrustLabel(Trust.UNTRUSTED, f"{where}: {flags[0].rule}"))
        if (found := lowest(labels)) is not None:
            target = change.to if isinstance(change, Move) else change.path
            self._made[target] = lowest([found, *self._stays(change)]) or found
        return found

    def _labels(self, change: Change) -> Iterator[TrustLabel]:
        spans = tuple(dict.fromkeys((*change.sources, *(origin.source for origin in change.origins))))
        match change:
            case Move(path=path):
                yield self._whole(path)
            case Create() | Append() | Replace() if change.n in self._typed and self._is_own(change.content, spans):
                yield TrustLabel(Trust.OPERATOR, "typed by the operator")
            case Replace(path=path) if not spans:
                yield self._whole(path)
            case _:
                yield from map(self._span, spans)
        if isinstance(change, Replace):
            yield from self._known(change.path)

    def _foreign(self, change: Change) -> Iterator[TrustLabel]:
        """Yields the untrusted label of imported text, which stays until the operator rewrites it (G27)."""
        label = change.trust
        if isinstance(label, TrustLabel) and label.trust is Trust.UNTRUSTED and change.n not in self._typed:
            yield label

    def _stays(self, change: Change) -> Iterator[TrustLabel]:
        """Yields the label of earlier changes to the same file, to which a change appends."""
        if isinstance(change, Append) and change.path in self._made:
            yield self._made[change.path]

    def _known(self, path: str) -> Iterator[TrustLabel]:
        file = self._file(path)
        known = self._records.of(path, file.sha256) if file is not None else None
        if known is not None:
            yield known

    def _whole(self, path: str) -> TrustLabel:
        return self._span(LineSpan(path, 1, 1 << 30))

    def _span(self, span: LineSpan) -> TrustLabel:
        if span.path in self._doubted:
            return TrustLabel(Trust.UNTRUSTED, f"{span.path}: {self._doubted[span.path]}")
        if span.path in self._made:
            return self._made[span.path]
        if (file := self._file(span.path)) is None:
            return TrustLabel(Trust.UNTRUSTED, f"{span.path} is not there")
        known = self._records.of(span.path, file.sha256)
        if known is not None and file.sha256 in self._records.contents:
            return known  # these very bytes were labelled when they were written
        return lowest([*([known] if known else ()), file.label(span)]) or file.label(span)

    def _file(self, path: str) -> "_File | None":
        if path not in self._files:
            try:
                self._files[path] = _File(path, self._read(path), self._own)
            except MemdeckError:
                self._files[path] = None
        return self._files[path]

    def _is_own(self, text: str, spans: Iterable[LineSpan]) -> bool:
        typed = _runs(text)
        files = ((span, self._file(span.path)) for span in spans)
        return all(file is not None and typed.isdisjoint(_runs(file.text(span))) for span, file in files)


class _File:
    """One present source file, with the lines that lower its label."""

    def __init__(self, path: str, data: bytes, own: OwnLines) -> None:
        text = data.decode("utf-8", "replace")
        self._path, self._own = path, own
        self._whole = text
        self.sha256 = sha256_hex(data)

    @cached_property
    def _flags(self) -> tuple[Flag, ...]:
        return poisoned_lines(self._whole, lambda: self._own(self._path, self._whole))

    @cached_property
    def _quotes(self) -> list[int]:
        return sorted(_quoted(self._whole) | line_mask(self._whole))

    def text(self, span: LineSpan) -> str:
        return "\n".join(islice(each_line(self._whole), span.start - 1, span.end))

    def label(self, span: LineSpan) -> TrustLabel:
        flag = next((one for one in self._flags if span.start <= one.line <= span.end), None)
        if flag is not None:
            return TrustLabel(Trust.UNTRUSTED, f"{self._path}:{flag.line}: {flag.rule}")
        if UNTRUSTED_MARK.items() <= read_frontmatter(self._whole.encode("utf-8", "replace")).values.items():
            return TrustLabel(Trust.UNTRUSTED, f"{self._path} says so of itself")
        line = next((one for one in self._quotes if span.start <= one <= span.end), None)
        if line is not None:
            return TrustLabel(Trust.TOOL, f"{self._path}:{line} is quoted")
        return TrustLabel(Trust.AGENT, f"{self._path} is the agent's to write")


def _quoted(text: str) -> set[int]:
    inside = code_mask(each_line(text))
    return {number for number, line in enumerate(each_line(text), 1) if next(inside) or _QUOTE.match(line)}


def _runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return frozenset(zip(*(words[at:] for at in range(SAME_WORDS)), strict=False))
