"""Asks a model which sentences of a session last (decisions D30, D44). It only names sentences and kinds: the words
stay the turn's own and the grade depends on the speaker, so that it can invent nothing."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from engine.extraction.entry import EntryKind, ExtractedEntry
from engine.extraction.judge import VERSION, graded_entry, is_work, judged_entries
from engine.extraction.sentence_kinds import lasting_statements
from engine.models.claude import ModelFailed
from engine.models.model_task import ModelTask, TextModel, closed_schema
from engine.models.summary import NoteTick
from engine.models.summary_task import numbered
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn

MOST_PART_CHARACTERS = 12_000
"""Most characters of turns in one question; longer sessions are asked in parts, never cut (decision D29)."""


class SessionPart(msgspec.Struct, frozen=True):
    """Adjacent turns of a session. `behind`: later turns up to a reply. `at_work`: the session is work on files."""

    turns: tuple[SessionTurn, ...]
    behind: tuple[SessionTurn, ...] = ()
    at_work: bool = False

    def sentences(self) -> list[tuple[SessionTurn, str]]:
        """Returns the sentences that could be entries, with their turns."""
        return [(turn, statement) for turn in self.turns for statement in lasting_statements(turn)]


class PartEntries(msgspec.Struct, frozen=True):
    """The entries of a part, who found them, and a remark for the operator."""

    entries: tuple[ExtractedEntry, ...]
    by: str = VERSION
    remark: str = ""


class FoundEntries(msgspec.Struct, frozen=True):
    """The entries of sessions in parts. `lines`: known lines by path, line of the turn and words; 0 if unknown."""

    sessions: Sequence[Sequence[PartEntries]]
    lines: Mapping[tuple[str, int, str], int] = {}


class _NamedSentence(msgspec.Struct, frozen=True):
    line: int
    kind: EntryKind


class ExtractionAnswer(msgspec.Struct, frozen=True):
    """A model's answer about one part: numbers of sentences with their kinds."""

    entries: tuple[_NamedSentence, ...]


_ENTRY = closed_schema(line={"type": "integer"}, kind={"type": "string", "enum": [kind.value for kind in EntryKind]})


class ExtractionTask(ModelTask[SessionPart, ExtractionAnswer, PartEntries]):
    """Asks which sentences of a conversation last, and their kinds."""

    prompt_name = "extraction"
    schema = closed_schema(entries={"type": "array", "items": _ENTRY})
    max_tokens = 2_000
    answer = ExtractionAnswer

    def offline(self, items: Sequence[SessionPart], tick: NoteTick) -> list[PartEntries]:
        """Finds the entries by rules and likeness."""
        found: list[PartEntries] = []
        for done, item in enumerate(items):
            tick(done, len(items))
            own = {turn.line for turn in item.turns}
            entries = judged_entries((*item.turns, *item.behind), at_work=item.at_work)
            found.append(PartEntries(tuple(entry for entry in entries if entry.turn.line in own)))
        return found

    def prompt(self, item: SessionPart) -> str:
        """Returns the numbered sentences of a part, each after its speaker."""
        said = item.sentences()
        return numbered("conversation", [f"{turn.speaker}: {one}" for turn, one in said]) if said else ""

    def judged(self, item: SessionPart, answer: ExtractionAnswer, by: str) -> PartEntries:
        """Returns the entries of the named sentences; raises `ModelFailed` if a number has no sentence."""
        said = item.sentences()
        if not all(0 < entry.line <= len(said) for entry in answer.entries):
            raise ModelFailed("it names sentences that are not there")
        turns = (*item.turns, *item.behind)
        kinds = {entry.line: entry.kind for entry in reversed(answer.entries)}
        found = (
            graded_entry(kind, said[line - 1][1], said[line - 1][0], turns) for line, kind in sorted(kinds.items())
        )
        return PartEntries(tuple(entry for entry in found if entry is not None), by)

    def marked(self, result: PartEntries, why: str) -> PartEntries:
        """Returns the entries found by rules, with the reason."""
        return msgspec.structs.replace(result, remark=why.replace("written", "read"))


class EntryFinder:
    """Has a model find the entries of sessions, many parts at once."""

    def __init__(self, model: TextModel) -> None:
        self._model = model

    def found(self, sessions: Sequence[Sequence[SessionTurn]], tick: NoteTick) -> list[list[PartEntries]]:
        """Returns the parts of each session with their entries. Raises what `tick` raises."""
        parts = [list(_parts(turns)) for turns in sessions]
        results = iter(self._model.results(ExtractionTask(), [part for some in parts for part in some], tick))
        return [[next(results) for _ in some] for some in parts]


def _parts(turns: Sequence[SessionTurn]) -> Iterator[SessionPart]:
    """Yields a session in parts of limited size, each with at least one turn."""
    starts, size, at_work = [0], 0, is_work(turns)
    for at, turn in enumerate(turns):
        if size and size + len(turn.text) > MOST_PART_CHARACTERS:
            starts.append(at)
            size = 0
        size += len(turn.text)
    for first, end in pairwise((*starts, len(turns))):
        reply = next((at for at in range(end, len(turns)) if turns[at].speaker is Speaker.USER), end - 1)
        yield SessionPart(tuple(turns[first:end]), tuple(turns[end : reply + 1]), at_work)
