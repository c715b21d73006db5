"""Survival through journals: the known facts of transcripts that the journal of their day still holds.

MemAware says of each question which fact it needs and in which session it was said; a fact counts where half of its
telling words stand in one row, and within eight words of each other, as in ROOT. The labelled turns are put together as
sessions of chance; there a fact is a turn that holds one. Rivals fill as many bytes of the same day: the first
sentences of its sessions by turns, random sentences of all and of the user alone, its commonest words, and what
extraction by rules takes. Gains are in pairs, with intervals from a bootstrap over days.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from itertools import zip_longest

import msgspec

from engine.extraction.entry import PROMOTED
from engine.extraction.extraction_task import EntryFinder
from engine.extraction.judge import find_entries
from engine.lifecycle.condense.journal import journal_path
from engine.lifecycle.condense.plan import CondensationPlanner, CondenseOptions
from engine.lifecycle.requests import CondensePart
from engine.models.model_task import RuleModel
from engine.plans.plan import Create
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.services.transcripts import closed_transcripts, transcript_turns
from engine.text.document import split_lines
from engine.text.sentences import sentences
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn
from engine.tree.browse.drill import stems
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.snapshot import Snapshot
from engine.workspace.unscanned import snapshot_of
from tests.benchmarks.evaluate_extraction import labelled
from tests.benchmarks.evaluate_tree import NEAR, each_fact_once, gain, percent, stated
from tests.benchmarks.tree_cases import TOKENS, TUNED_UNTIL, Question, load
from tests.conftest import SHARED

Row = tuple[str, str, str]
SHOWN = 20
_NOW = datetime(2026, 11, 24, tzinfo=UTC)
_TURNS, _SESSIONS = 10, 2
"""Turns of a session, and sessions of a day, that are made of labelled turns."""


class Day(msgspec.Struct, frozen=True):
    """A day's turns by session, and the rows of its journal."""

    sessions: tuple[tuple[SessionTurn, ...], ...]
    journal: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of the rows, each with its bullet and line end, as the journal's room is counted."""
        return sum(map(_size, self.journal))


Rival = Callable[[Day], Iterable[str]]


def rows() -> Iterator[Row]:
    """Every figure, for `make eval`."""
    shown: list[str] = []
    if SHARED.is_dir():
        days, facts = memaware()
        for name, first in (("tuned half", True), ("judged half", False)):
            asked = [one for one in facts if (min(one.days) <= TUNED_UNTIL) is first]
            yield from _survival(f"MemAware, {name}", days, asked)
        shown += [row for day in days.values() for row in day.journal]
    for name, seen in (("seen half", True), ("unseen half", False)):
        made, known = of_labelled_turns(seen=seen)
        yield from _survival(f"labelled turns, {name}", made, known)
    for row in random.Random(11).sample(shown, min(SHOWN, len(shown))):
        yield "  row", "", row


def _survival(name: str, days: Mapping[date, Day], asked: Sequence[Question]) -> Iterator[Row]:
    groups = [min(one.days) for one in asked]

    def kept(lines: Callable[[date], Sequence[str]], near: int | None) -> list[bool]:
        return stated([([row for day in sorted(one.days) for row in lines(day)], one) for one in asked], near)

    ours = {near: kept(lambda day: days[day].journal, near) for near in (None, NEAR)}
    used = {day for one in asked for day in one.days}
    size = sum(days[day].size for day in used) / max(1, len(used))
    said = sum(len(turn.text.encode()) for day in used for one in days[day].sessions for turn in one)
    detail = f"half of a fact's words in one row / within {NEAR} words; {len(asked)} facts, {size:,.0f} bytes a day"
    both = f"{percent(ours[None]):.1f} / {percent(ours[NEAR]):.1f} %"
    yield f"{name}: facts in journals", both, f"{detail}, {100 * size * len(used) / said:.1f} % of what was said"
    for label, rival in RIVALS.items():
        lines = {day: fitting(rival(days[day]), days[day].size) for day in used}
        theirs = {near: kept(lines.__getitem__, near) for near in (None, NEAR)}
        gains = " / ".join(gain(ours[near], theirs[near], groups) for near in (None, NEAR))
        yield f"  {label}", f"{percent(theirs[None]):.1f} / {percent(theirs[NEAR]):.1f} %", gains


# ── the days ───────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def memaware() -> tuple[dict[date, Day], list[Question]]:
    """The days of MemAware as one condensation leaves them, and the facts that were said on them, each once."""
    folder = SHARED / "memaware"
    files = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.glob("raw/**/*.md"))}
    snapshot = snapshot_of(files, _NOW, TOKENS)
    with WorkspaceRoot.open(folder) as root:
        turns = [turn for path in closed_transcripts(snapshot) for turn in transcript_turns(root, path)]
        days = condensed(snapshot, turns)
    facts = [one for one in each_fact_once(load(folder).questions) if one.days <= days.keys()]
    return days, facts


def of_labelled_turns(*, seen: bool) -> tuple[dict[date, Day], list[Question]]:
    """Sessions of labelled turns in the order of chance, and each turn of these that holds something."""
    chosen = [one for one in labelled() if one.seen is seen]
    random.Random(5).shuffle(chosen)
    per_day = _TURNS * _SESSIONS
    turns: list[SessionTurn] = []
    facts: list[Question] = []
    for number, one in enumerate(chosen):
        day = date(2026, 1, 1) + timedelta(days=number // per_day)
        session = number // _TURNS
        at = datetime(day.year, day.month, day.day, 9, tzinfo=UTC) + timedelta(minutes=number % per_day)
        path = f"raw/conversations/{day:%Y/%m/%d}/09{session % _SESSIONS:02}-s{session}-labelled.md"
        line = 7 + 3 * (number % _TURNS)
        turns.append(msgspec.structs.replace(one.turn, source=path, line=line, session=f"s{session}", said_at=at))
        if one.kinds and stems(one.turn.text):
            facts.append(Question(one.turn.text, one.turn.text, frozenset({day}), one.turn.text))
    return condensed(snapshot_of(_files(turns), _NOW, TOKENS), turns), facts


def _files(turns: Sequence[SessionTurn]) -> dict[str, bytes]:
    """The transcripts of made sessions: six lines of head, then three for each turn."""
    texts: dict[str, str] = {}
    for one in turns:
        head = f"---\nsession_id: {one.session}\n---\n\n# Labelled\n\n"
        said = f"## {one.time:%H:%M} — {one.role}\n{' '.join(one.text.split())}\n\n"
        texts[one.source] = texts.get(one.source, head) + said
    return {path: text.encode() for path, text in texts.items()}


def condensed(snapshot: Snapshot, turns: Sequence[SessionTurn]) -> dict[date, Day]:
    """Each day with what a condensation, as the daily job plans it, writes into its journal."""
    planning = Planning(snapshot=snapshot, policy=Policy(), now=_NOW, counter=TOKENS)
    options = CondenseOptions(
        turns=turns, week=_NOW.date(), finder=EntryFinder(RuleModel()), parts=(CondensePart.DAILY,)
    )
    plan = CondensationPlanner(planning, options).outcome().plan
    written = {one.path: one.content for one in plan.changes if isinstance(one, Create)} if plan is not None else {}
    by_day: dict[date, dict[str, list[SessionTurn]]] = defaultdict(lambda: defaultdict(list))
    for one in turns:
        by_day[one.time.date()][one.source].append(one)
    return {
        day: Day(tuple(map(tuple, sessions.values())), tuple(_rows(written.get(journal_path(day), ""))))
        for day, sessions in by_day.items()
    }


def _rows(text: str) -> list[str]:
    return [line[2:] for line in split_lines(text) if line.startswith("- ")]


# ── rivals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def first_lines(day: Day) -> Iterator[str]:
    """The first sentences of each session by turns."""
    each = [[said for turn in session for said in _sentences(turn)] for session in day.sessions]
    return (said for row in zip_longest(*each) for said in row if said is not None)


def random_lines(day: Day) -> list[str]:
    return _shuffled(said for session in day.sessions for turn in session for said in _sentences(turn))


def random_lines_of_the_user(day: Day) -> list[str]:
    """Random sentences of those who state the facts: nearer to what a journal is meant to take."""
    users = (turn for session in day.sessions for turn in session if turn.role is Speaker.USER)
    return _shuffled(said for turn in users for said in _sentences(turn))


def common_words(day: Day) -> Iterator[str]:
    """The words that stand most often, twelve a row."""
    counts = Counter(word for session in day.sessions for turn in session for word in stems(turn.text))
    words = [word for word, _ in counts.most_common()]
    return (" ".join(words[at : at + 12]) for at in range(0, len(words), 12))


def extracted_only(day: Day) -> Iterator[str]:
    """What extraction by rules promotes, a sentence of each session by turns."""
    each = [[one.quote for one in find_entries(session) if one.grade in PROMOTED] for session in day.sessions]
    return (said for row in zip_longest(*each) for said in row if said is not None)


RIVALS: dict[str, Rival] = {
    "first sentences": first_lines,
    "random sentences": random_lines,
    "random sentences of the user": random_lines_of_the_user,
    "commonest words": common_words,
    "what extraction takes": extracted_only,
}


def fitting(lines: Iterable[str], room: int) -> list[str]:
    """The lines that fit into so many bytes, in their order; the first that does not is cut to fill them."""
    kept: list[str] = []
    for line in lines:
        size = _size(line)
        if size > room:
            cut = line.encode()[: max(0, room - 3)].decode("utf-8", "ignore").strip()
            return [*kept, cut] if cut else kept
        kept.append(line)
        room -= size
    return kept


def _size(row: str) -> int:
    return len(row.encode("utf-8", "surrogatepass")) + 3


def _sentences(turn: SessionTurn) -> list[str]:
    return [said for line in turn.text.split("\n") for said in sentences(line) if said.strip()]


def _shuffled(lines: Iterable[str]) -> list[str]:
    found = list(lines)
    random.Random(7).shuffle(found)
    return found
