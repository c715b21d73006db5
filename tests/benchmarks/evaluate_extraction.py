"""Extraction: precision and recall of the kinds of entries over labelled turns, by halves.

Beside it the cue words alone, without what takes a sentence out again. A turn of a kind counts once.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from engine.extraction.entry import EntryGrade, EntryKind, ExtractedEntry
from engine.extraction.judge import find_entries
from engine.extraction.own_words import statements
from engine.models.cue_matcher import matcher
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn

Row = tuple[str, str, str]
CORPORA = Path(__file__).parent / "corpora"
CORPUS, FURTHER = CORPORA / "labelled_turns.tsv", CORPORA / "further_turns.tsv"
LETTERS = {
    "D": EntryKind.DECISION, "L": EntryKind.LESSON, "P": EntryKind.PERSON, "H": EntryKind.PROCEDURE,
    "F": EntryKind.FACT, "J": EntryKind.JOURNAL, "W": EntryKind.PREFERENCE, "C": EntryKind.CORRECTION,
}  # fmt: skip
AT = datetime(2026, 1, 1, tzinfo=UTC)
Judge = Callable[[SessionTurn], set[EntryKind]]


class LabelledTurn(NamedTuple):
    """A turn with the kinds that it holds; `seen`: the rules were written by the half that it belongs to."""

    language: str
    turn: SessionTurn
    kinds: frozenset[EntryKind]
    seen: bool


class Score(NamedTuple):
    """Kinds of turns that were found and right, found and wrong, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 0.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 0.0


@cache
def labelled(corpus: Path = CORPUS) -> tuple[LabelledTurn, ...]:
    """Every turn of a corpus. `FURTHER` was labelled by a person who had not read the rules, and then widened them."""
    return tuple(map(_turn, corpus.read_text("utf-8").splitlines()))


def _turn(row: str) -> LabelledTurn:
    language, role, letters, text = row.replace("\\n", "\n").split("\t")
    turn = SessionTurn(source="x.md", line=1, session="s", role=Speaker(role), text=text, said_at=AT)
    kinds = frozenset(LETTERS[letter] for letter in letters if letter in LETTERS)
    return LabelledTurn(language, turn, kinds, blake2b(text.encode(), digest_size=1).digest()[0] % 2 == 0)


def found(turn: SessionTurn) -> tuple[ExtractedEntry, ...]:
    """The entries of a turn but for proposals, which nobody has agreed to."""
    return tuple(one for one in find_entries([turn]) if one.grade is not EntryGrade.PROPOSED)


def by_rules(turn: SessionTurn) -> set[EntryKind]:
    return {one.kind for one in found(turn)}


def by_cues(turn: SessionTurn) -> set[EntryKind]:
    """The kinds of the cue words alone: what a search for them would give."""
    names = {"decision": EntryKind.DECISION, "insight": EntryKind.LESSON, "rule": EntryKind.LESSON}
    names |= {"outcome": EntryKind.JOURNAL, "fact": EntryKind.FACT}
    return {names[cue] for said in statements(turn.text) for cue in matcher().cues(said) if cue in names}


def score(judge: Judge, *, seen: bool | None = None, language: str = "", corpus: Path = CORPUS) -> Score:
    """The score of one half or of both, of one language or of all."""
    right = wrong = missed = 0
    for one in labelled(corpus):
        if seen in (None, one.seen) and language in ("", one.language):
            kinds = judge(one.turn)
            right, wrong = right + len(kinds & one.kinds), wrong + len(kinds - one.kinds)
            missed += len(one.kinds - kinds)
    return Score(right, wrong, missed)


def inferred_share() -> float:
    """The share of all that was found that is inferred, but for what an agent reports of its own work."""
    found_in = (entry for one in labelled() for entry in found(one.turn))
    every = [one for one in found_in if one.turn.role is Speaker.USER or one.kind is not EntryKind.JOURNAL]
    return sum(entry.grade is EntryGrade.INFERRED for entry in every) / len(every)


def rows() -> Iterator[Row]:
    yield "labelled turns", str(len(labelled())), "English, German, Chinese; 41 % hard negatives"
    for seen in (True, False):
        half = "seen" if seen else "unseen"
        for name, judge in (("rules", by_rules), ("cue words alone", by_cues)):
            made = score(judge, seen=seen)
            yield f"precision, {half} half, {name}", f"{made.precision:.3f}", "target ≥ 0.90"
            yield f"recall, {half} half, {name}", f"{made.recall:.3f}", "target ≥ 0.60"
    for language in ("en", "de", "zh"):
        made = score(by_rules, seen=False, language=language)
        yield f"unseen half, {language}", f"{made.precision:.2f} / {made.recall:.2f}", "precision / recall"
    for name, judge in (("rules", by_rules), ("cue words alone", by_cues)):
        made = score(judge, corpus=FURTHER)
        note = f"{len(labelled(FURTHER))} turns by which the rules were widened"
        yield f"further turns, {name}", f"{made.precision:.2f} / {made.recall:.2f}", note
    from tests.benchmarks.extraction_halves import rows as halves  # it reads the scores of this module

    yield from halves(by_rules, by_cues)
    yield "inferred share", f"{inferred_share():.1%}", "target ≤ 5 %"
