"""Notes on changed lines that say something else than before: a number, a name, a lost guard, a denial, a source."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from engine.compactor.semantic.pollution import NEGATION, NUMBER
from engine.errors import MemdeckError
from engine.plans.diff import DiffRow, FileDiff, LineNote, RowKind, replacements
from engine.plans.plan import Plan
from engine.text.language import SMALL, language_of
from engine.text.poison.missing_sources import cited_sources
from engine.tree.nodes.kept_or_left_out import NODE_WORDS

_ALIKE = 0.3  # share of the shorter line's words that the other has too if one replaces the other
_SAID = 0.5  # share of a line's words that the note it cites must have
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_STEM = 5  # letters by which a word of a line and one of its source are the same
_GENERATED = "tree"  # the system whose lines memdeck counts and computes again each time
Read = Callable[[str], str]


def with_notes(plan: Plan, diffs: Sequence[FileDiff], read: Read) -> tuple[FileDiff, ...]:
    """Gives the diffs of a plan with the notes on their lines; `read` gives the text of a note."""
    if plan.system == _GENERATED:
        return tuple(diffs)
    kept = {row.text for diff in diffs for row in diff.rows if row.kind is not RowKind.REMOVED}
    return tuple(
        replace(diff, notes=dict(_notes(diff, kept, read))) if diff.path.endswith(".md") else diff for diff in diffs
    )


def _notes(diff: FileDiff, kept: set[str], read: Read) -> Iterator[tuple[int, tuple[LineNote, ...]]]:
    rows = diff.rows
    small = {word for row in rows if diff.removed for word in _WORD.findall(row.text) if word[0].islower()}
    for removed, added in replacements(rows):
        pairs = dict(_pairs([rows[at] for at in removed], [rows[at] for at in added]))
        for at in added:
            old, row = pairs.get(rows[at]), rows[at]
            notes = [*(_said_otherwise(old.text, row.text, small) if old else ()), *_uncited(row.text, read)]
            if notes and row.right_no is not None:
                yield row.right_no, tuple(notes)
        for row in {rows[at] for at in removed} - {*pairs.values()}:
            if row.left_no is not None and row.text not in kept and (guards := _guards(row.text)):
                yield -row.left_no, (LineNote("guard", f"goes with “{', '.join(guards)}”"),)


def _pairs(removed: list[DiffRow], added: list[DiffRow]) -> Iterator[tuple[DiffRow, DiffRow]]:
    """Pairs each added row with the removed one that it replaces; rows that share too few words have no pair."""
    left, in_order = list(removed), len(removed) == len(added)
    for at, row in enumerate(added):
        likest = removed[at] if in_order else max(left, key=lambda old: _shared(old.text, row.text), default=None)
        if likest is not None and _shared(likest.text, row.text) >= _ALIKE:
            left.remove(likest)
            yield row, likest


def _shared(old: str, new: str) -> float:
    one, other = ({word.casefold() for word in _WORD.findall(text)} for text in (old, new))
    return len(one & other) / max(1, min(len(one), len(other)))


def _said_otherwise(old: str, new: str, small: set[str]) -> Iterator[LineNote]:
    """Notes in what a line differs from the one that it replaces. `small`: words that stand without a capital."""
    for kind, before, after in (
        ("number", Counter(NUMBER.findall(old)), Counter(NUMBER.findall(new))),
        ("name", Counter(_names(old, new, small)), Counter(_names(new, old, small))),
    ):
        if (gone := before - after) and (came := after - before):
            yield LineNote(kind, f"{kind}: {', '.join(gone)} → {', '.join(came)}")
    guards, guards_now = Counter(_guards(old)), Counter(_guards(new))
    if guards.total() > guards_now.total():
        yield LineNote("guard", f"loses “{', '.join(guards - guards_now)}”")
    denials, denials_now = (Counter(NEGATION["negation"].findall(text.casefold())) for text in (old, new))
    if denials_now.total() > denials.total():
        yield LineNote("denial", f"says “{', '.join(denials_now - denials)}” now")


def _guards(text: str) -> list[str]:
    found = (*NODE_WORDS["telling"].findall(text), *NEGATION["negation"].findall(text))
    return [*dict.fromkeys(word.casefold() for word in found if not word[0].isdigit())]


def _names(text: str, other: str, small: set[str]) -> Iterator[str]:
    """Gives the capitalised words that are names; the first word is one where it never stands without a capital."""
    if language_of(f"{text} {other}") == "de":  # there every noun has a capital
        return
    for at, word in enumerate(_WORD.findall(text)):
        plain = word.removesuffix("'s").removesuffix("’s")
        if word[0].isupper() and any(map(str.islower, word)) and (at or not {word.casefold()} & (small | SMALL)):
            yield plain


def _uncited(text: str, read: Read) -> Iterator[LineNote]:
    """Notes the sources that a line cites and that do not say what it says."""
    paths = [path for path, _ in cited_sources(text) if path.endswith(".md")]
    said = re.sub("|".join(map(re.escape, paths)), "", text) if paths else ""
    words = {word.casefold()[:_STEM] for word in _WORD.findall(said) if word.casefold() not in SMALL}
    for path in paths if len(words) > 1 else ():
        with suppress(MemdeckError):
            note = read(path).casefold()
            has_numbers = {*NUMBER.findall(said)} <= {*NUMBER.findall(note)}
            if not has_numbers or sum(word in note for word in words) < _SAID * len(words):
                yield LineNote("source", f"{path} does not say this")
