"""Takes what must last out of a session; nothing is lost between that and the rest (window §Content Processing)."""

from collections.abc import Sequence

import msgspec

from engine.flush.items import FlushCategory, FlushItem
from engine.flush.marks import REACHES, Mark, MarkedSpan, Reach, marked_spans, marks_of, without_marks
from engine.flush.statements import rationale_line, statement
from engine.flush.unsaved_turns import FlushSession, FlushTurn
from engine.text.markdown import fence_after, heading_of


class RestTurn(msgspec.Struct, frozen=True):
    """The part of a turn that is left once its items are taken out (decision B2)."""

    turn: FlushTurn
    text: str


class Extracted(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a session, the rest, what was discarded on purpose, and marked lines that nothing could take in."""

    items: tuple[FlushItem, ...]
    rest: tuple[RestTurn, ...]
    discarded: tuple[str, ...] = ()
    both_marks: tuple[str, ...] = ()
    """Lines marked to be kept and to be left out: they are kept (decision B4)."""
    retried: int = 0
    """Marks that only a retry took in (decision B20)."""
    missing: tuple[str, ...] = ()


def extract(session: FlushSession, reaches: Sequence[Reach] = REACHES) -> Extracted:
    """Reads the turns of a session in order."""
    reader = _Reader(session.session, reaches)
    for turn in session.turns:
        reader.read(turn)
    return Extracted(
        items=tuple(reader.items),
        rest=tuple(reader.rest),
        discarded=tuple(reader.discarded),
        both_marks=tuple(reader.both),
        retried=reader.retried,
        missing=tuple(reader.missing),
    )


class _Reader:
    def __init__(self, session: str, reaches: Sequence[Reach]) -> None:
        self._session = session
        self._reaches = reaches
        self._known: set[tuple[FlushCategory, str]] = set()
        self.items: list[FlushItem] = []
        self.rest: list[RestTurn] = []
        self.discarded: list[str] = []
        self.both: list[str] = []
        self.missing: list[str] = []
        self.retried = 0

    def read(self, turn: FlushTurn) -> None:
        lines = turn.text.split("\n")
        # Marks first: a marked line is not read again as a decision or a fact.
        taken = self._take_marked(turn, lines) if "[" in turn.text else set()
        left = self._take_stated(turn, lines, taken)
        text = "\n".join(left).strip()
        if text:
            self.rest.append(RestTurn(turn, text))

    # ── what is marked ─────────────────────────────────────────────────────────────────────────────────────────────

    def _take_marked(self, turn: FlushTurn, lines: list[str]) -> set[int]:
        spans, left = marked_spans(lines, self._reaches[:1])
        if left:
            again, left = marked_spans(lines, self._reaches[1:]) if len(self._reaches) > 1 else ([], left)
            known = {span.at for span in spans}
            again = [span for span in again if span.at not in known]
            spans, self.retried = sorted([*spans, *again]), self.retried + len(again)
        found = {span.at for span in spans}
        self.missing += [f"turn {turn.number}: {lines[at].strip()}" for at in left if at not in found]
        taken: set[int] = set()
        for span in sorted(spans, key=_worth):
            if not taken.issuperset(range(span.start, span.end)):
                self._take_span(turn, lines, span, taken)
        return taken

    def _take_span(self, turn: FlushTurn, lines: list[str], span: MarkedSpan, taken: set[int]) -> None:
        """Takes what no span before it took: a curated bullet of a temporary section is curated."""
        own = [n for n in range(span.start, span.end) if n not in taken]
        taken.update(own)
        if span.marks == {Mark.TEMPORARY}:
            self.discarded.append(f"turn {turn.number}: {_shown(lines[span.at])} [TEMPORARY], {len(own)} lines")
            return
        if Mark.TEMPORARY in span.marks:
            self.both.append(f"turn {turn.number}: {_shown(lines[span.at])}")
        curated = Mark.CURATE in span.marks
        drop = (Mark.CURATE, Mark.TEMPORARY)
        text = "\n".join(_dedented([without_marks(lines[n], *drop) if marks_of(lines[n]) else lines[n] for n in own]))
        category = FlushCategory.LEARNING if curated else FlushCategory.KEPT
        self._add(category, text.strip("\n"), turn, marks=span.marks)

    # ── what is stated ─────────────────────────────────────────────────────────────────────────────────────────────

    def _take_stated(self, turn: FlushTurn, lines: list[str], taken: set[int]) -> list[str]:
        left: list[str] = []
        fence, decision, code = "", -1, 0
        for number, line in enumerate(lines):
            if number in taken:
                decision = -1
                continue
            above, fence = fence, fence_after(fence, line.lstrip(" \t>"))
            # A mark or a decision inside a code fence is an example (decision B3).
            if above or fence:
                code += 1
                continue
            why = rationale_line(line)
            # The reason may stand on a line of its own below the decision (decision B5).
            if why and decision >= 0 and not self.items[decision].rationale:
                self.items[decision] = msgspec.structs.replace(self.items[decision], rationale=why)
            elif not line.strip():
                left.append(line)
            else:
                place = self._state(turn, line)
                if place is None:
                    left.append(line)
                is_decision = place is not None and place >= 0 and self.items[place].category is FlushCategory.DECISION
                decision = place if is_decision and place is not None else -1
        if code:
            self.discarded.append(f"turn {turn.number}: {code} lines of code or output")
        return left

    def _state(self, turn: FlushTurn, line: str) -> int | None:
        """Takes a line that states something of a category; gives its place, -1 for what was said before."""
        found = statement(line) if heading_of(line) is None else None
        if found is None:
            return None
        return self._add(
            found.category,
            found.text,
            turn,
            rationale=found.rationale,
            source=found.source,
            confidence=found.confidence,
            done=found.done,
        )

    def _add(self, category: FlushCategory, text: str, turn: FlushTurn, **more: object) -> int:
        values = {"category": category, "text": text, "session": self._session, "turn": turn.number, "line": turn.line}
        item = msgspec.convert(values, FlushItem)
        item = msgspec.structs.replace(item, **more)
        if not text.strip() or (category, item.key) in self._known:
            return -1
        self._known.add((category, item.key))
        self.items.append(item)
        return len(self.items) - 1


def _worth(span: MarkedSpan) -> tuple[bool, int, int]:
    """Sorts what is only temporary last, so that what is to be kept within it is taken before; the widest first."""
    return (span.marks == {Mark.TEMPORARY}, -(span.end - span.start), span.start)


def _dedented(lines: Sequence[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    cut = indents[0] if indents else 0
    return [line[min(cut, len(line) - len(line.lstrip(" "))) :] for line in lines]


def _shown(line: str) -> str:
    return without_marks(line).strip()[:120]
