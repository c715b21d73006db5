"""Asks a model for summaries: each sentence names its source lines, and unproven sentences are dropped."""

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from engine.models.claude import ModelFailed
from engine.models.egress import fenced, outgoing
from engine.models.evidence import ungrounded
from engine.models.model_task import ModelTask, TextModel, closed_schema, signature
from engine.models.owners import below, read_note
from engine.models.plain_line import point_text
from engine.models.sentence_candidates import ReadNote, SentenceCandidate
from engine.models.session_lines import secret_lines
from engine.models.summary import NoteTick, NoteToSummarise, Point, Summariser, Summary
from engine.text.document import split_lines
from engine.text.markdown import MarkdownHeading, code_mask, heading_of

MOST_NAMED = 8  # lines that one sentence may stand on
_SENTENCE = closed_schema(text={"type": "string"}, lines={"type": "array", "items": {"type": "integer"}})
SENTENCES = {"type": "array", "items": _SENTENCE}
"""The schema of sentences with the numbers of their sources."""
_PARTS = ("events", "decisions", "insights", "facts")


class Sentence(msgspec.Struct, frozen=True):
    """A model's sentence, and the numbers of the sentences that it is based on."""

    text: str
    lines: tuple[int, ...]


class SummaryAnswer(msgspec.Struct, frozen=True):
    """A model's answer about one note."""

    events: tuple[Sentence, ...]
    decisions: tuple[Sentence, ...]
    insights: tuple[Sentence, ...]
    facts: tuple[Sentence, ...]


class SummaryTask(ModelTask[NoteToSummarise, SummaryAnswer, Summary]):
    """Asks for the summary of a note."""

    prompt_name = "summary"
    schema = closed_schema(**dict.fromkeys(_PARTS, SENTENCES))
    max_tokens = 4_000
    answer = SummaryAnswer

    def __init__(self, rules: Summariser, most_ungrounded: float) -> None:
        """`most_ungrounded`: largest share of unproven sentences before the answer is refused whole."""
        self._rules, self._most = rules, most_ungrounded

    def offline(self, items: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """Returns summaries by rules."""
        return self._rules.summarise(items, tick)

    def prompt(self, item: NoteToSummarise) -> str:
        """Returns the numbered sentences of a note."""
        reading = read_note(item)
        return prompt_of(item, reading) if reading.candidates else ""

    def judged(self, item: NoteToSummarise, answer: SummaryAnswer, by: str) -> Summary:
        """Returns the sentences that their lines prove."""
        reading = read_note(item)
        candidates = reading.candidates
        written = {part: getattr(answer, part) for part in _PARTS}
        kept = {part: [point for one in written[part] if (point := _point(one, candidates))] for part in _PARTS}
        count, left = sum(map(len, written.values())), sum(map(len, kept.values()))
        dropped = losses(count, left, self._most)
        parts = [tuple(kept[part]) for part in _PARTS]
        remark = f"written by {by.partition(' ')[2]}; {dropped[0]}" if dropped else ""
        return Summary(parts[0], parts[1], parts[2], dropped, parts[3], reading.title, by, remark)

    def marked(self, result: Summary, why: str) -> Summary:
        """Returns the offline summary with the reason."""
        parts = (result.events, result.decisions, result.insights, result.dropped, result.facts, result.title)
        return Summary(*parts, self._rules.name, why)


class ModelSummariser:
    """Has a model summarise."""

    def __init__(self, model: TextModel, task: SummaryTask) -> None:
        self.name, _, self.version = signature(model, task).partition(" ")
        self._model, self._task = model, task

    def summarise(self, notes: Sequence[NoteToSummarise], tick: NoteTick) -> list[Summary]:
        """Returns one summary per note, in order. Raises what `tick` raises."""
        return self._model.results(self._task, notes, tick)


def losses(count: int, left: int, most: float) -> tuple[str, ...]:
    """Says how many sentences were dropped; raises `ModelFailed` if too many or all."""
    lost = count - left
    # Of an answer that invents much the rest is not believed either (decision G9).
    if not left or lost > most * count:
        raise ModelFailed(f"{lost} of its {count} sentences are not held by the lines they name")
    return (f"{lost:,} × sentence that its lines do not hold",) if lost else ()


def prompt_of(note: NoteToSummarise, reading: ReadNote) -> str:
    """Returns a note's numbered sentences with headings and speakers, fenced; raises `Unsendable` for a secret."""
    title = note.path.rpartition("/")[2].removesuffix(".md")
    lines, top = split_lines(note.text), tuple[MarkdownHeading, ...]((MarkdownHeading(0, title),))
    prose = ("" if inside else line for line, inside in zip(lines, code_mask(lines), strict=True))
    above = list(accumulate(prose, _deeper, initial=top))
    said = [f"{one.speaker}: {one.text}" if one.speaker else one.text for one in reading.candidates]
    places = (min(max(0, candidate.start - note.first_line), len(above) - 1) for candidate in reading.candidates)
    return numbered("note", said, [" › ".join(heading.text for heading in above[place]) for place in places])


def _deeper(above: tuple[MarkdownHeading, ...], line: str) -> tuple[MarkdownHeading, ...]:
    found = heading_of(line)
    if found is None or not found.text:
        return above
    return (*(heading for heading in above if heading.level < found.level), found)


def numbered(name: str, texts: Sequence[str], above: Sequence[str] = ()) -> str:
    """Numbers texts from 1, masks secrets, and fences them as data; `above`: headings, written when they change."""
    lines: list[str] = []
    for place, text in enumerate(texts):
        if above and (not place or above[place] != above[place - 1]):
            lines.append(f"# {above[place]}")
        lines.append(f"{place + 1}. {text}")
    return fenced(name, outgoing("\n".join(lines), keep_lines=True))


def grounded_text(sentence: Sentence, texts: Sequence[str]) -> str:
    """Returns the sentence as one line if the texts that it names prove it; else nothing."""
    if not 0 < len(sentence.lines) <= MOST_NAMED or not all(0 < n <= len(texts) for n in sentence.lines):
        return ""
    text = point_text(" ".join(sentence.text.split()))
    if not text or secret_lines(text) or ungrounded(text, [texts[number - 1] for number in sentence.lines]):
        return ""
    return text


def _point(sentence: Sentence, candidates: Sequence[SentenceCandidate]) -> Point | None:
    text = grounded_text(sentence, [below(candidate.owner, candidate.text) for candidate in candidates])
    if not text:
        return None
    sources = [candidates[number - 1] for number in sentence.lines]
    return Point(text, min(source.start for source in sources), max(source.end for source in sources))
