"""Takes the items out of a session and keeps the rest, so that nothing is lost (window §Content Processing)."""

from collections.abc import Sequence

import msgspec

from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry
from engine.flush.items import FlushCategory, FlushItem, FlushSession
from engine.flush.marks import REACHES, Mark, MarkedSpan, Reach, indent_of, marked_spans, marks_of, without_marks
from engine.flush.stated_lines import stated_lines
from engine.flush.statements import fields_of, reasoned, statement
from engine.text.markdown import code_mask, heading_of
from engine.text.transcript_marks import UNTRUSTED
from engine.topics.messages import SessionTurn

_OWN = frozenset({FlushCategory.DECISION, FlushCategory.FACT, FlushCategory.CONFIGURATION})
"""The categories that become separate items even below a curated heading."""
_CATEGORIES = {
    EntryKind.DECISION: FlushCategory.DECISION,
    EntryKind.FACT: FlushCategory.FACT,
    EntryKind.PERSON: FlushCategory.FACT,
    EntryKind.LESSON: FlushCategory.LEARNING,
    EntryKind.PROCEDURE: FlushCategory.LEARNING,
    EntryKind.PREFERENCE: FlushCategory.LEARNING,
    EntryKind.CORRECTION: FlushCategory.LEARNING,
    EntryKind.JOURNAL: FlushCategory.PROGRESS,
}


class RestTurn(msgspec.Struct, frozen=True):
    """The text of a turn without its items (decision B2)."""

    turn: SessionTurn
    text: str


class Extracted(msgspec.Struct, kw_only=True):
    """The items of a session, the rest, what was discarded on purpose, and marked lines without an item."""

    items: list[FlushItem] = []
    rest: list[RestTurn] = []
    discarded: list[str] = []
    both_marks: list[str] = []  # lines marked to be kept and to be left out: they are kept (decision B4)
    retried: int = 0  # marks that only a retry took in (decision B20)
    missing: list[str] = []


def extract(session: FlushSession, reaches: Sequence[Reach] = REACHES) -> Extracted:
    """Takes the items out of a session's turns, in order."""
    reader = _Reader(session.session, reaches)
    judged = _judged(session)
    for turn in session.turns:
        reader.read(turn, judged.get(turn.number, ()))
    return reader.found


def _judged(session: FlushSession) -> dict[int, list[ExtractedEntry]]:
    """Returns the judge's entries and offers by turn number, without an agent's reports of its work."""
    from engine.extraction.judge import judged_entries

    # By number: several turns of a session may stand on one line of its file, and any mark makes the words a proposal.
    turns = [
        msgspec.structs.replace(turn, line=turn.number, mark=UNTRUSTED if turn.mark else "") for turn in session.turns
    ]
    found: dict[int, list[ExtractedEntry]] = {}
    for entry in judged_entries(turns, offers=True):
        if entry.kind is not EntryKind.JOURNAL or entry.grade is not EntryGrade.INFERRED:
            found.setdefault(entry.turn.number, []).append(entry)
    return found


class _Reader:
    def __init__(self, session: str, reaches: Sequence[Reach]) -> None:
        self._session, self._reaches = session, reaches
        self._known: dict[tuple[FlushCategory, str], int] = {}
        self.found = Extracted()

    def read(self, turn: SessionTurn, judged: Sequence[ExtractedEntry] = ()) -> None:
        lines = turn.text.split("\n")
        # Marks first: a marked line is not read again as a decision or a fact.
        taken, curated = self._take_marked(turn, lines) if "[" in turn.text else (set(), set())
        left = self._take_stated(turn, lines, taken, curated, judged)
        for entry in judged:
            self._take_judged(turn, entry, left)
        if text := "\n".join(left).strip():
            self.found.rest.append(RestTurn(turn, text))

    # ── what is marked ─────────────────────────────────────────────────────────────────────────────────────────────

    def _take_marked(self, turn: SessionTurn, lines: list[str]) -> tuple[set[int], set[int]]:
        """Takes the marked lines; returns them, and the separate items below curated headings."""
        spans, left = marked_spans(lines, self._reaches[:1])
        if left:
            again, left = marked_spans(lines, self._reaches[1:]) if len(self._reaches) > 1 else ([], left)
            known = {span.at for span in spans}
            again = [span for span in again if span.at not in known]
            spans, self.found.retried = sorted([*spans, *again]), self.found.retried + len(again)
        found = {span.at for span in spans}
        self.found.missing += [f"turn {turn.number}: {lines[at].strip()}" for at in left if at not in found]
        taken, curated, apart = set[int](), set[int](), set[int]()
        # The widest first, and last what is only temporary, so that what is to be kept within it is taken before.
        for span in sorted(spans, key=lambda span: (span.marks == {Mark.TEMPORARY}, span.start - span.end, span.start)):
            below = _items_below(lines, span) - taken
            apart |= below
            if Mark.CURATE in span.marks and heading_of(lines[span.at]) is not None:
                curated |= below
            if not (taken | apart).issuperset(range(span.start, span.end)):
                self._take_span(turn, lines, span, taken, apart)
        return taken, curated

    def _take_span(
        self, turn: SessionTurn, lines: list[str], span: MarkedSpan, taken: set[int], apart: set[int]
    ) -> None:
        """Takes a marked span except lines already taken: a curated bullet in a temporary section stays curated."""
        own = [n for n in range(span.start, span.end) if n not in taken and n not in apart]
        taken.update(own)
        if span.marks == {Mark.TEMPORARY}:
            self.found.discarded.append(f"turn {turn.number}: {_shown(lines[span.at])} [TEMPORARY], {len(own)} lines")
            return
        if Mark.TEMPORARY in span.marks:
            self.found.both_marks.append(f"turn {turn.number}: {_shown(lines[span.at])}")
        curated = Mark.CURATE in span.marks
        drop = (Mark.CURATE, Mark.TEMPORARY)
        text = "\n".join(_dedented([without_marks(lines[n], *drop) if marks_of(lines[n]) else lines[n] for n in own]))
        category = FlushCategory.LEARNING if curated else FlushCategory.KEPT
        self._add(category, text.strip("\n"), turn, marks=span.marks)

    # ── what is stated ─────────────────────────────────────────────────────────────────────────────────────────────

    def _take_stated(
        self, turn: SessionTurn, lines: list[str], taken: set[int], curated: set[int], judged: Sequence[ExtractedEntry]
    ) -> list[str]:
        heard = {n for n, line in enumerate(lines) if any(entry.quote in line for entry in judged)} if judged else ()
        said = stated_lines(lines, taken, heard)
        for number, one in said.items:
            marks = frozenset({Mark.CURATE} if number in curated or one.promote else ())
            more = {"rationale": one.rationale, "source": one.source, "confidence": one.confidence, "done": one.done}
            # An agent names as learnt what it made of its own work: nobody has agreed to it.
            own = one.category is FlushCategory.LEARNING and not marks
            self._add(one.category, one.text, turn, marks=marks, grade=EntryGrade.INFERRED if own else None, **more)
        if said.code:
            self.found.discarded.append(f"turn {turn.number}: {said.code} lines of code or output")
        return said.left

    def _take_judged(self, turn: SessionTurn, one: ExtractedEntry, left: list[str]) -> None:
        """Takes an entry of the judge whose words nobody marked or labelled (decision B27)."""
        at = next((at for at, line in enumerate(left) if one.quote in line), -1)
        if at < 0:
            return
        category = _CATEGORIES[one.kind]
        text, why = reasoned(one.quote) if category is FlushCategory.DECISION else (one.quote, "")
        self._add(category, text, turn, rationale=why, done=one.kind is EntryKind.JOURNAL, grade=one.grade)
        rest = left[at].replace(one.quote, "", 1)
        left[at] = rest if rest.strip(" -*+>") else ""

    def _add(self, category: FlushCategory, text: str, turn: SessionTurn, **more: object) -> None:
        if not text.strip():
            return
        values = {"category": category, "text": text, "session": self._session, "turn": turn.number, "line": turn.line}
        # What is not known to be the owner's is at most proposed: the log has it, MEMORY.md does not (decision D57).
        more |= {"grade": EntryGrade.PROPOSED} if turn.mark else {}
        item = msgspec.structs.replace(msgspec.convert(values, FlushItem), **more)
        place = self._known.setdefault((category, item.key), len(self.found.items))
        if place == len(self.found.items):
            self.found.items.append(item)
        else:
            self.found.items[place] = self.found.items[place].said_again(item)


def _items_below(lines: Sequence[str], span: MarkedSpan) -> set[int]:
    """Returns the lines below a mark that are separate items: decisions, facts, settings. In a section all of them,
    below a bullet or paragraph only those that are not indented."""
    found: set[int] = set()
    if span.end == span.at + 1 or span.marks == {Mark.TEMPORARY}:
        return found
    code, section = list(code_mask(lines)), heading_of(lines[span.at]) is not None
    if section and Mark.CURATE not in span.marks:
        return found
    for number in range(span.at + 1, span.end):
        line = lines[number]
        nested = not section and indent_of(line) > indent_of(lines[span.start])
        if code[number] or nested or marks_of(line) or heading_of(line) is not None:
            continue
        said = statement(line)
        if (said is not None and said.category in _OWN) or (number - 1 in found and fields_of(line)):
            found.add(number)
    return found


def _dedented(lines: Sequence[str]) -> list[str]:
    indents = [len(line) - len(line.lstrip(" ")) for line in lines if line.strip()]
    cut = indents[0] if indents else 0
    return [line[min(cut, len(line) - len(line.lstrip(" "))) :] for line in lines]


def _shown(line: str) -> str:
    return without_marks(line).strip()[:120]
