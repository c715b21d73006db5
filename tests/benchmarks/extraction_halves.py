"""Extraction on turns that were labelled before the rules were read: one half widened them, the other was judged once.

`varied_turns.tsv` holds turns written in many registers, `real_turns.tsv` turns of real chats by file and line alone,
since the data sets are not part of the project. Odd rows were for widening, even rows are for judging. A capital letter
is a kind that the turn holds, a small one a kind that is right too, but not asked for.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from engine.extraction.entry import EntryKind
from engine.services.transcripts import transcript_turns
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.workspace.paths import WorkspaceRoot
from tests.benchmarks.evaluate_extraction import AT, CORPORA, LETTERS, Score
from tests.conftest import SHARED

Judge = Callable[[SessionTurn], set[EntryKind]]
VARIED, REAL = CORPORA / "varied_turns.tsv", CORPORA / "real_turns.tsv"
_ROUNDS = 1000
_SAID = re.compile(r"- (?:[^:]+): (.*)")
KEYWORDS: dict[EntryKind, str] = {
    EntryKind.DECISION: r"decid|agreed|we will|entschieden|beschlossen|vereinbart|决定|选|定了",
    EntryKind.LESSON: r"learned|lesson|turns out|never|gelernt|merke|ursache|教训|发现|原来",
    EntryKind.PERSON: r"\bmy (?:wife|husband|sister|brother)|works|meine? (?:frau|mann)|heißt|负责|妈|爸|老师",
    EntryKind.PROCEDURE: r"first|then|step|zuerst|dann|schritt|先|然后|步骤",
    EntryKind.FACT: r"\d|\b(?:is|are)\b|\b(?:ist|sind)\b|是",
    EntryKind.JOURNAL: r"yesterday|finished|fixed|went|gestern|fertig|habe ich|昨天|今天|了。",
    EntryKind.PREFERENCE: r"prefer|like|please|mag|lieber|bitte|喜欢|请",
    EntryKind.CORRECTION: r"\bno\b|wrong|\bnot\b|nein|falsch|nicht|不对|错|不是",
}
"""What somebody would search for: a rival that knows the kinds and no grammar."""


class JudgedTurn(NamedTuple):
    """A turn, the kinds that it holds, and those that are right too."""

    language: str
    turn: SessionTurn
    kinds: frozenset[EntryKind]
    too: frozenset[EntryKind]


@cache
def half(*, judging: bool, real: bool) -> tuple[JudgedTurn, ...]:
    """One half of the written or of the real turns; none of the latter where the data sets are not present."""
    if real and not SHARED.is_dir():
        return ()
    rows = (REAL if real else VARIED).read_text("utf-8").splitlines()
    return tuple(_turn(row, real=real) for number, row in enumerate(rows, 1) if (number % 2 == 0) is judging)


def _turn(row: str, *, real: bool) -> JudgedTurn:
    language, role, letters, text = row.split("\t")
    said = _text_at(text) if real else text.replace("\\n", "\n")
    turn = SessionTurn(source="x.md", line=1, session="s", role=Speaker(role), text=said, said_at=AT)
    kinds = frozenset(LETTERS[letter] for letter in letters if letter in LETTERS)
    return JudgedTurn(language, turn, kinds, frozenset(LETTERS[one.upper()] for one in letters if one.islower()))


def _text_at(place: str) -> str:
    path, _, number = place.rpartition(":")
    folder, _, inner = path.partition("/")
    if inner.startswith("raw/"):
        with WorkspaceRoot.open(SHARED / folder) as root:
            return next(one.text for one in transcript_turns(root, inner) if one.line == int(number))
    line = (SHARED / path).read_text("utf-8").split("\n")[int(number) - 1]
    found = _SAID.fullmatch(line)
    assert found is not None, f"no turn at {place}"
    return found[1]


def by_keywords(turn: SessionTurn) -> set[EntryKind]:
    return {kind for kind, words in KEYWORDS.items() if re.search(words, turn.text, re.IGNORECASE)}


def score(turns: Iterable[JudgedTurn], found: Iterable[set[EntryKind]]) -> Score:
    right = wrong = missed = 0
    for one, kinds in zip(turns, found, strict=True):
        right, missed = right + len(kinds & one.kinds), missed + len(one.kinds - kinds)
        wrong += len(kinds - one.kinds - one.too)
    return Score(right, wrong, missed)


def f1(made: Score) -> float:
    return 2 * made.right / max(1, 2 * made.right + made.wrong + made.missed)


def placebo(turns: Sequence[JudgedTurn], found: Sequence[set[EntryKind]]) -> tuple[float, float]:
    """Precision and recall where what was found is dealt out to other turns by chance, the mean of many deals."""
    chance, deals = random.Random(1), [list(found) for _ in range(200)]
    for deal in deals:
        chance.shuffle(deal)
    made = [score(turns, deal) for deal in deals]
    return sum(one.precision for one in made) / len(made), sum(one.recall for one in made) / len(made)


def middle(values: Iterable[float]) -> str:
    """The middle 95 % of the values of a bootstrap."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) * 25 // 1000], ordered[len(ordered) * 975 // 1000]
    return f"{low:+.2f} to {high:+.2f}" if low < 0 else f"{low:.2f} to {high:.2f}"


def drawn_anew(turns: Sequence[JudgedTurn], *judges: Sequence[set[EntryKind]]) -> Iterator[list[Score]]:
    """The scores of each judge over the same turns, drawn with repetition."""
    chance = random.Random(2)
    for _ in range(_ROUNDS):
        at = chance.choices(range(len(turns)), k=len(turns))
        yield [score([turns[one] for one in at], [found[one] for one in at]) for found in judges]


def rows(rules: Judge, cues: Judge) -> Iterator[tuple[str, str, str]]:
    """What the rules reach on each half, and on the judged one the rivals and how far the rules are above them."""
    for judging in (False, True):
        for real in (False, True):
            turns = half(judging=judging, real=real)
            if turns:
                name = f"{'real' if real else 'written'} turns, {'judged' if judging else 'widening'} half"
                made = score(turns, [rules(one.turn) for one in turns])
                yield name, f"{made.precision:.2f} / {made.recall:.2f}", f"{len(turns)} turns, precision / recall"
    yield from _judged_rows(rules, cues)


def _judged_rows(rules: Judge, cues: Judge) -> Iterator[tuple[str, str, str]]:
    turns = (*half(judging=True, real=False), *half(judging=True, real=True))
    found = [rules(one.turn) for one in turns]
    rivals = {
        "keywords": [by_keywords(one.turn) for one in turns],
        "cue words alone": [cues(one.turn) for one in turns],
    }
    again = list(drawn_anew(turns, found, *rivals.values()))
    made = score(turns, found)
    inner = f"{middle(one[0].precision for one in again)} / {middle(one[0].recall for one in again)}"
    yield "judged half, rules", f"{made.precision:.2f} / {made.recall:.2f}", f"{len(turns)} turns; 95 %: {inner}"
    for number, (name, theirs) in enumerate(rivals.items(), 1):
        their = score(turns, theirs)
        gain = f"F1 of the rules {f1(made) - f1(their):+.2f} ({middle(f1(one[0]) - f1(one[number]) for one in again)})"
        yield f"judged half, {name}", f"{their.precision:.2f} / {their.recall:.2f}", gain
    precision, recall = placebo(turns, found)
    yield "judged half, placebo", f"{precision:.2f} / {recall:.2f}", "what the rules found, dealt out by chance"
    for language in ("en", "de", "zh"):
        own = [at for at, one in enumerate(turns) if one.language == language]
        made = score([turns[at] for at in own], [found[at] for at in own])
        yield f"judged half, {language}", f"{made.precision:.2f} / {made.recall:.2f}", f"{len(own)} turns"
