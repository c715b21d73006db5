"""Has a model put the sentences of a node's sources shorter; what their lines do not hold stays as it was (C26, D49).
The rules go on choosing what a node says and in which part: a sentence that a model left out is there as before, and so
no answer can lose what a note holds."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby

import msgspec

from engine.models.model_task import ModelTask, TextModel, closed_schema, signature
from engine.models.summary import NoteTick
from engine.models.summary_task import SENTENCES, Sentence, grounded_text, losses, numbered
from engine.tree.nodes.entries import EntryList, Fact, TopicEntry
from engine.tree.topic_headings import KEPT_WHOLE
from engine.workspace.values import LineSpan

MOST_PART_CHARACTERS = 16_000
"""Of the sentences of one question, some 5,000 tokens: a longer source is asked about in parts."""


def _no_tick(done: int, total: int) -> None:
    """Tells nobody of progress."""


class HeadedFact(msgspec.Struct, frozen=True, gc=False):
    """A fact with the number of its entry, and that entry's topic."""

    entry: int
    topic: str
    fact: Fact
    above: str = ""  # the day of the entry, its topic and its heading: what the sentence stands below in the question

    @property
    def text(self) -> str:
        return f"[{self.topic}] {self.fact.text}" if self.topic else self.fact.text


class WrittenFacts(msgspec.Struct, frozen=True):
    """The facts as they are to stand; `by` names the model that wrote any of them, `remark` what went wrong."""

    facts: tuple[HeadedFact, ...]
    by: str = ""
    remark: str = ""


class WrittenSources(msgspec.Struct, frozen=True):
    """The entries of a node's sources as a model wrote them; `by` is empty where none did."""

    reads: list[EntryList]
    by: str = ""
    warnings: tuple[str, ...] = ()


class NodeAnswer(msgspec.Struct, frozen=True):
    """The answer about one part of a node's sources."""

    sentences: tuple[Sentence, ...]


class NodeTask(ModelTask[tuple[HeadedFact, ...], NodeAnswer, WrittenFacts]):
    """Asks for the sentences of a node's sources in fewer words."""

    prompt_name = "node"
    schema = closed_schema(sentences=SENTENCES)
    max_tokens = 8_000
    answer = NodeAnswer

    def __init__(self, most_ungrounded: float) -> None:
        """`most_ungrounded`: share of an answer's sentences that may be dropped before it is not used at all."""
        self._most = most_ungrounded

    def offline(self, items: Sequence[tuple[HeadedFact, ...]], tick: NoteTick) -> list[WrittenFacts]:
        """The facts as they are: the rules that choose among them cut them too."""
        tick(0, len(items))
        return [WrittenFacts(item) for item in items]

    def prompt(self, item: tuple[HeadedFact, ...]) -> str:
        """The sentences, numbered, each behind its topic."""
        return numbered("notes", [one.fact.text for one in item], [one.above for one in item]) if item else ""

    def judged(self, item: tuple[HeadedFact, ...], answer: NodeAnswer, by: str) -> WrittenFacts:
        """The facts, of which those that a held sentence stands on give way to it."""
        texts = [one.text for one in item]
        kept = [
            (text, [item[number - 1] for number in one.lines])
            for one in answer.sentences
            if (text := grounded_text(one, texts)) and len({item[number - 1].entry for number in one.lines}) == 1
        ]
        dropped = losses(len(answer.sentences), len(kept), self._most)
        at: dict[int, list[HeadedFact]] = {id(behind[0]): [] for _, behind in kept}
        for text, behind in kept:
            at[id(behind[0])].append(_joined(text, behind))
        gone = {id(one) for _, behind in kept for one in behind}
        facts = (new for one in item for new in at.get(id(one), () if id(one) in gone else (one,)))
        return WrittenFacts(tuple(facts), by, f"{by}: {dropped[0]}" if dropped else "")

    def marked(self, result: WrittenFacts, why: str) -> WrittenFacts:
        """The facts as they were, with the reason."""
        return msgspec.structs.replace(result, remark=why)


class NodeWriter:
    """Writes the sources of nodes by a model; without one they stay as they are."""

    def __init__(self, model: TextModel | None = None, most_ungrounded: float = 0.0, tick: NoteTick = _no_tick) -> None:
        """`tick` is told while the model is asked, and may raise `Cancelled`."""
        self._model, self._task, self._tick = model, NodeTask(most_ungrounded), tick
        self._known: dict[tuple[HeadedFact, ...], WrittenFacts] = {}
        """Keeps the answers of this run: a question that failed is not paid for again in it."""

    @property
    def by(self) -> str:
        """The model as nodes name it; empty for none."""
        return signature(self._model, self._task) if self._model is not None else ""

    def prepare(self, sources: Iterable[Sequence[EntryList]]) -> None:
        """Asks about the sources of several nodes at once."""
        self._ask([part for reads in sources for part in parts_of(reads)])

    def written(self, reads: Sequence[EntryList]) -> WrittenSources:
        """The sources of one node."""
        if self._model is None:
            return WrittenSources(list(reads))
        parts = list(parts_of(reads))
        self._ask(parts)
        found = [self._known[part] for part in parts]
        by = next((one.by for one in found if one.by), "")
        remarks = tuple(dict.fromkeys(one.remark for one in found if one.remark))
        return WrittenSources(_replaced(reads, found) if by else list(reads), by, remarks)

    def _ask(self, parts: Sequence[tuple[HeadedFact, ...]]) -> None:
        new = list(dict.fromkeys(part for part in parts if part not in self._known))
        if self._model is not None and new:
            self._known |= dict(zip(new, self._model.results(self._task, new, self._tick), strict=True))


OFFLINE = NodeWriter()


def parts_of(reads: Sequence[EntryList]) -> Iterator[tuple[HeadedFact, ...]]:
    """The facts that may be put otherwise, in parts of so many characters; what never shrinks is none of them."""
    part: list[HeadedFact] = []
    size = 0
    for number, entry in enumerate(entry for read in reads for entry in read.entries):
        for fact in entry.facts if entry.type not in KEPT_WHOLE else ():
            one = HeadedFact(number, entry.topic, fact, _above(entry, fact))
            if part and size + len(one.text) > MOST_PART_CHARACTERS:
                yield tuple(part)
                part, size = [], 0
            part.append(one)
            size += len(one.text)
    if part:
        yield tuple(part)


def _above(entry: TopicEntry, fact: Fact) -> str:
    heading = entry.heading if entry.heading != entry.topic else ""
    return " › ".join(filter(None, (str(entry.day), entry.topic, heading, fact.kind)))


def _replaced(reads: Sequence[EntryList], found: Sequence[WrittenFacts]) -> list[EntryList]:
    facts = (one for part in found for one in part.facts)
    new = {number: [one.fact for one in group] for number, group in groupby(facts, key=lambda one: one.entry)}
    numbers = count()

    def written(entry: TopicEntry) -> TopicEntry:
        own = new.get(next(numbers))
        return entry if own is None else msgspec.structs.replace(entry, facts=tuple(own))

    return [EntryList(tuple(map(written, read.entries)), read.dropped) for read in reads]


def _joined(text: str, behind: Sequence[HeadedFact]) -> HeadedFact:
    """A fact in a model's words, with the lines of those it stands on; of another file's only the first one's."""
    first = behind[0].fact
    same = [one.fact.span for one in behind if one.fact.span.path == first.span.path]
    span = LineSpan(first.span.path, min(one.start for one in same), max(one.end for one in same))
    prior = max(one.fact.prior for one in behind)
    return msgspec.structs.replace(behind[0], fact=Fact(first.text, span, first.kind, prior, written=text))
