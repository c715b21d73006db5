"""Tells what holds: facts by address, since when, who said it, what they replaced, when they end (D61)."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date

import msgspec

from engine.extraction.addresses import Address, addresses
from engine.extraction.endings import Ending, ending, releases
from engine.extraction.entry import EntryKind, turn_around
from engine.extraction.held import EntryRecords, HeldEntry, HeldReach, RowState, folded, known_entries, reach_of
from engine.extraction.relations import AddressBook, Relation, relation, shares_a_subject
from engine.extraction.rows import holds_entries, is_lasting, present_rows, row_parts, verdict
from engine.text.canonical_json import sha256_hex
from engine.text.secrets.detector import redact
from engine.text.transcript_marks import TURN
from engine.workspace.dates import parse_day
from engine.workspace.generated import line_mask

_BULLET = re.compile(r"\s*[-*+] (?:\[[ x]\] )?(?:\[?(\d{4}-\d\d-\d\d)\]?[:\s—–-]*)?(\S.*?)\s*(?:<!--.*-->\s*)?")
_OVER = re.compile(r"\(superseded\b|^~~|<!-- x:")
_INSIGHT = re.compile(r"\s*(?:\*\*)?Durable Insight:(?:\*\*)?\s*(\S.*)")
_MIRROR = re.compile(r"<!-- memdeck:root:start.*?<!-- memdeck:root:end -->", re.DOTALL)
_TYPED = re.compile(r"⟦\w+:([^⟧]*)⟧")  # a number or a day of a value, as the grammar writes it
_LEAST = 12  # characters of a line that may say something by itself


class EarlierStatement(msgspec.Struct, frozen=True):
    """A statement that a fact replaced or repeats."""

    id: str
    day: str
    text: str


class HeldFact(HeldEntry, frozen=True, kw_only=True):
    """A statement that holds. `subject`, `value`: empty if the grammar finds no address; `day`: empty if unknown.
    `over`: it ended by itself, and nobody confirmed it since."""

    subject: str = ""
    value: str = ""
    who: str = ""
    replaced: tuple[EarlierStatement, ...] = ()
    evidence: tuple[EarlierStatement, ...] = ()
    ends: Ending | None = None
    over: bool = False


class FactCard(msgspec.Struct, frozen=True):
    """Two facts that may be the same, for the operator to decide. `changed`: the difference, empty if none."""

    earlier: str
    later: str
    changed: str = ""
    percent: int = 0

    @property
    def key(self) -> str:
        """A key that does not depend on their order."""
        return " ".join(sorted((self.earlier, self.later)))


class FactsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that held at the end of a day. `due`: ids of those that ended by themselves."""

    on: str
    subject: str
    cards: tuple[FactCard, ...]
    due: tuple[str, ...]
    entries: tuple[HeldFact, ...]
    reach: HeldReach


Lines = Callable[[str], list[str]]


def facts_on(
    day: date, subject: str, records: EntryRecords, written: Iterable[HeldEntry], lines: Lines, still: Iterable[str]
) -> FactsAnswer:
    """Returns the facts that held at a day's end. `written`: lines no plan wrote; `still`: ids that hold on."""
    on, words = day.isoformat(), folded(subject).split()
    known = list(known_entries(records, lines))
    told = ((said, entry.text) for entry in known if entry.day <= on and (said := parse_day(entry.day)) is not None)
    shipped = dict(releases(told))
    before = _earlier(known)
    every = [*(entry for entry in known if entry.kind is not EntryKind.JOURNAL), *written]
    held = [entry for entry in every if entry.day <= on and (entry.superseded is None or entry.superseded.since > on)]
    asked = set(still)
    facts = [_fact(entry, before.get(entry.id, ()), lines, (day, shipped), asked) for entry in held]
    # A line by hand counts where the grammar is sure of its address: the rest are headings, links and lists.
    facts = [fact for fact in facts if fact.id in records.present or not fact.line or (fact.subject and fact.value)]
    facts = [fact for fact in facts if all(word in folded(f"{fact.text} {fact.subject}") for word in words)]
    order = sorted(
        facts, key=lambda one: (one.source is None, not one.subject, one.subject, one.day, one.path, one.line, one.id)
    )
    return FactsAnswer(
        on=on,
        subject=redact(subject),
        cards=tuple(changed_pairs(order, records)),
        due=tuple(fact.id for fact in order if fact.over),
        entries=tuple(order),
        reach=reach_of(known, records.transcripts),
    )


def written_lines(path: str, text: str) -> Iterator[HeldEntry]:
    """Yields the statements of a lasting note that no plan or program wrote: bullets, and insights of shards."""
    pattern = _INSIGHT if path.startswith("memory/semantic/") else _BULLET
    text = redact(_MIRROR.sub(lambda found: "\n" * found[0].count("\n"), text), keep_lines=True)
    copied = line_mask(text)
    for number, line in enumerate(text.split("\n"), 1):
        found = pattern.fullmatch(line.rstrip("\r"))
        if found is None or number in copied or _OVER.search(line) or len(found[found.re.groups]) < _LEAST:
            continue
        said = found[found.re.groups]
        yield HeldEntry(
            id=sha256_hex(" ".join(said.split()).encode("utf-8", "replace"))[:10],
            kind=EntryKind.FACT,
            day=(found[1] if found.re.groups > 1 else "") or "",
            text=said,
            path=path,
            line=number,
            state=RowState.UNKNOWN,
            source=None,
            proven=False,
            superseded=None,
        )


class DatedStatements(msgspec.Struct, frozen=True):
    """The statements of one note that end by themselves, and the releases that it says came out."""

    ends: tuple[tuple[HeldEntry, Ending], ...]
    shipped: tuple[tuple[str, date], ...]


def dated_statements(path: str, text: str) -> DatedStatements:
    """Finds the statements of a note that end by themselves; a statement without a day has no known end."""
    rows = EntryRecords(present_rows(path, text) if holds_entries(path) else {}, {}, ())
    stated = [entry for entry in known_entries(rows, lambda _: []) if entry.superseded is None]
    stated += written_lines(path, text) if is_lasting(path) else ()
    dated = [(entry, said) for entry in stated if (said := parse_day(entry.day)) is not None]
    ends = [(one, end) for one, said in dated if (end := ending(one.text, said)) is not None]
    # As on the page of facts: a line by hand counts where the grammar is sure of its address.
    ids = rows.present.keys()
    sure = [(one, end) for one, end in ends if one.id in ids or any(read.run for read in addresses(one.text))]
    return DatedStatements(tuple(sure), tuple(releases((said, one.text) for one, said in dated if one.id in ids)))


def _earlier(known: Iterable[HeldEntry]) -> Mapping[str, tuple[HeldEntry, ...]]:
    """Returns, by id, all entries that an entry superseded directly or indirectly, newest first."""
    by: dict[str, list[HeldEntry]] = defaultdict(list)
    for entry in known:
        if entry.superseded is not None:
            by[entry.superseded.by].append(entry)

    def chain(ident: str, seen: set[str]) -> Iterator[HeldEntry]:
        for entry in sorted(by.get(ident, ()), key=lambda each: each.day, reverse=True):
            if entry.id not in seen:
                seen.add(entry.id)
                yield entry
                yield from chain(entry.id, seen)

    return {ident: tuple(chain(ident, {ident})) for ident in by}


def _fact(
    one: HeldEntry, earlier: Iterable[HeldEntry], lines: Lines, when: tuple[date, Mapping[str, date]], still: set[str]
) -> HeldFact:
    read = next(iter(addresses(one.text)), None)
    said = parse_day(one.day)
    ends = ending(one.text, said) if said is not None else None
    told = [(bool(relation(one.text, old.text)), EarlierStatement(old.id, old.day, old.text)) for old in earlier]
    return HeldFact(
        **{name: getattr(one, name) for name in HeldEntry.__struct_fields__},
        subject=_subject(one.text, read) if read is not None else "",
        value=_TYPED.sub(r"\1", read.run) if read is not None else "",
        who=_speaker(one, lines),
        replaced=tuple(old for other, old in told if other),
        evidence=tuple(old for other, old in told if not other),
        ends=ends,
        over=ends is not None and one.id not in still and ends.is_over(*when),
    )


def _subject(text: str, read: Address) -> str:
    """Returns the words of a sentence that name its subject, in order."""
    words = ((word, word.casefold()) for word in re.findall(r"[\w'.-]+", text))
    found = (
        word for word, low in words if any(low.startswith(stem) and len(word) - len(stem) < 4 for stem in read.subject)
    )
    return " ".join(dict.fromkeys(found)).strip(".-'")


def _speaker(one: HeldEntry, lines: Lines) -> str:
    """Returns the speaker as the transcript names them; empty if no transcript proves the entry."""
    if one.source is None or not one.proven:
        return ""
    _, turn = turn_around(lines(one.source.path), one.source.start)
    found = TURN.match(turn[0]) if turn else None
    return (f"{found[3]} ({found[4]})" if found[4] else found[3]) if found is not None else ""


def changed_pairs(facts: Iterable[HeldFact], records: EntryRecords) -> Iterator[FactCard]:
    """Yields the pairs with different values at one address and no mark that decides."""
    book, texts = AddressBook(), dict[str, HeldFact]()
    for fact in sorted(facts, key=lambda each: (each.day, each.source.start if each.source else 0)):
        if fact.id in texts or fact.state not in (RowState.KEPT, RowState.UNKNOWN):
            continue
        for ident, told in list(book.related(fact.text)):
            known = told is Relation.REPLACES or {ident, fact.id} <= records.present.keys()
            if not known or not shares_a_subject(texts[ident].text, fact.text):
                continue
            rows = [records.present.get(each) for each in (ident, fact.id)]
            parts = [row_parts(row.text) if row is not None else None for row in rows]
            if not verdict(parts[0], parts[1], (ident, fact.id)):
                yield FactCard(ident, fact.id, f"{texts[ident].value} ⟷ {fact.value}")
        texts[fact.id] = fact
        book.add(fact.id, fact.text)
