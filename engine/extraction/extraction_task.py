"""Extraction as a task of a model: it names sentences and their kinds, and writes none itself (decisions D30, D44). The
words of an entry are the turn's own whoever reads it, and its grade goes by who said it, so that a model can miss a
sentence or take one too many, and invent none."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec

from engine.extraction.entry import EntryKind, ExtractedEntry
from engine.extraction.sentence_kinds import lasting_statements
from engine.extraction.sentence_rules import VERSION, graded_entry, is_work, judged_entries
from engine.models.claude import ModelFailed
from engine.models.model_task import ModelTask, TextModel, closed_schema
from engine.models.summary import NoteTick
from engine.models.summary_task import numbered
from engine.text.transcript_marks import Speaker
from engine.topics.messages import SessionTurn

MOST_PART_CHARACTERS = 12_000
"""Of the turns of one question; a longer session is asked about in parts, and none is cut (decision D29)."""


class SessionPart(msgspec.Struct, frozen=True):
    """Turns of one session next to each other; those behind, up to a reply, tell what counts as confirmed. `at_work`
    tells whether the whole session is one of work on files."""

    turns: tuple[SessionTurn, ...]
    behind: tuple[SessionTurn, ...] = ()
    at_work: bool = False

    def sentences(self) -> list[tuple[SessionTurn, str]]:
        """The sentences that could be entries, each with its turn."""
        return [(turn, one) for turn in self.turns for one in lasting_statements(turn)]


class PartEntries(msgspec.Struct, frozen=True):
    """The entries of a part, who found them, and what the operator is told of that."""

    entries: tuple[ExtractedEntry, ...]
    by: str = VERSION
    remark: str = ""


class FoundEntries(msgspec.Struct, frozen=True):
    """The entries of sessions, each in parts; and lines of transcripts that are known already. A line is found by its
    transcript, the line of its turn and the words; 0 where they stand on none."""

    sessions: Sequence[Sequence[PartEntries]]
    lines: Mapping[tuple[str, int, str], int] = {}


class _NamedSentence(msgspec.Struct, frozen=True):
    line: int
    kind: EntryKind


class ExtractionAnswer(msgspec.Struct, frozen=True):
    """The answer about one part: numbers of sentences, each with its kind."""

    entries: tuple[_NamedSentence, ...]


_ENTRY = closed_schema(line={"type": "integer"}, kind={"type": "string", "enum": [kind.value for kind in EntryKind]})


class ExtractionTask(ModelTask[SessionPart, ExtractionAnswer, PartEntries]):
    """Asks which sentences of a conversation last, and of what kind each is."""

    prompt_name = "extraction"
    schema = closed_schema(entries={"type": "array", "items": _ENTRY})
    max_tokens = 2_000
    answer = ExtractionAnswer

    def offline(self, items: Sequence[SessionPart], tick: NoteTick) -> list[PartEntries]:
        """The entries that rules and likeness find."""
        found: list[PartEntries] = []
        for done, item in enumerate(items):
            tick(done, len(items))
            own = {turn.line for turn in item.turns}
            entries = judged_entries((*item.turns, *item.behind), at_work=item.at_work)
            found.append(PartEntries(tuple(one for one in entries if one.turn.line in own)))
        return found

    def prompt(self, item: SessionPart) -> str:
        """The sentences of a part, numbered, each behind who said it."""
        said = item.sentences()
        return numbered("conversation", [f"{turn.speaker}: {one}" for turn, one in said]) if said else ""

    def judged(self, item: SessionPart, answer: ExtractionAnswer, by: str) -> PartEntries:
        """The entries of the sentences that it names; a number without a sentence makes all of it worthless."""
        said = item.sentences()
        if not all(0 < one.line <= len(said) for one in answer.entries):
            raise ModelFailed("it names sentences that are not there")
        turns = (*item.turns, *item.behind)
        kinds = {one.line: one.kind for one in reversed(answer.entries)}
        found = (
            graded_entry(kind, said[line - 1][1], said[line - 1][0], turns) for line, kind in sorted(kinds.items())
        )
        return PartEntries(tuple(entry for entry in found if entry is not None), by)

    def marked(self, result: PartEntries, why: str) -> PartEntries:
        """The entries that the rules found, with the reason."""
        return msgspec.structs.replace(result, remark=why.replace("written", "read"))


class EntryFinder:
    """Finds the entries of sessions by a model, many parts at once."""

    def __init__(self, model: TextModel) -> None:
        self._model = model

    def found(self, sessions: Sequence[Sequence[SessionTurn]], tick: NoteTick) -> list[list[PartEntries]]:
        """The parts of each session with their entries, in order. Raises what `tick` raises."""
        parts = [list(_parts(turns)) for turns in sessions]
        results = iter(self._model.results(ExtractionTask(), [part for some in parts for part in some], tick))
        return [[next(results) for _ in some] for some in parts]


def _parts(turns: Sequence[SessionTurn]) -> Iterator[SessionPart]:
    """A session in parts of so many characters, none without a turn."""
    starts, size, at_work = [0], 0, is_work(turns)
    for at, turn in enumerate(turns):
        if size and size + len(turn.text) > MOST_PART_CHARACTERS:
            starts.append(at)
            size = 0
        size += len(turn.text)
    for first, end in pairwise((*starts, len(turns))):
        reply = next((at for at in range(end, len(turns)) if turns[at].speaker is Speaker.USER), end - 1)
        yield SessionPart(tuple(turns[first:end]), tuple(turns[end : reply + 1]), at_work)
