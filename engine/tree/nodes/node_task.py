"""Has a model shorten the sentences of a node's sources (C26, D49). The rules still choose what a node says; a sentence
that the model left out stays as it was, so that no answer loses anything."""

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
"""Most characters of one question, some 5,000 tokens; a longer source is asked about in parts."""


def _no_tick(done: int, total: int) -> None:
    """Ignores progress."""


class HeadedFact(msgspec.Struct, frozen=True, gc=False):
    """A fact with the number and topic of its entry."""

    entry: int
    topic: str
    fact: Fact
    above: str = ""  # the day of the entry, its topic and its heading: what the sentence stands below in the question

    @property
    def text(self) -> str:
        return f"[{self.topic}] {self.fact.text}" if self.topic else self.fact.text


class WrittenFacts(msgspec.Struct, frozen=True):
    """The facts with a model's wording. `by`: the model, if it wrote any; `remark`: the error, if any."""

    facts: tuple[HeadedFact, ...]
    by: str = ""
    remark: str = ""


class WrittenSources(msgspec.Struct, frozen=True):
    """The entries of a node's sources in a model's wording; `by` is empty if no model wrote any."""

    reads: list[EntryList]
    by: str = ""
    warnings: tuple[str, ...] = ()


class NodeAnswer(msgspec.Struct, frozen=True):
    """A model's answer about one part of a node's sources."""

    sentences: tuple[Sentence, ...]


class NodeTask(ModelTask[tuple[HeadedFact, ...], NodeAnswer, WrittenFacts]):
    """Asks a model to shorten the sentences of a node's sources."""

    prompt_name = "node"
    schema = closed_schema(sentences=SENTENCES)
    max_tokens = 8_000
    answer = NodeAnswer

    def __init__(self, most_ungrounded: float) -> None:
        """`most_ungrounded`: largest share of an answer's sentences without a source before it is refused whole."""
        self._most = most_ungrounded

    def offline(self, items: Sequence[tuple[HeadedFact, ...]], tick: NoteTick) -> list[WrittenFacts]:
        """Returns the facts unchanged: the rules that choose among them shorten them too."""
        tick(0, len(items))
        return [WrittenFacts(item) for item in items]

    def prompt(self, item: tuple[HeadedFact, ...]) -> str:
        """Returns the numbered sentences, each behind its topic."""
        return numbered("notes", [fact.fact.text for fact in item], [fact.above for fact in item]) if item else ""

    def judged(self, item: tuple[HeadedFact, ...], answer: NodeAnswer, by: str) -> WrittenFacts:
        """Replaces facts by the sentences of the answer that are grounded in them."""
        texts = [fact.text for fact in item]
        kept = [
            (text, [item[number - 1] for number in sentence.lines])
            for sentence in answer.sentences
            if (text := grounded_text(sentence, texts))
            and len({item[number - 1].entry for number in sentence.lines}) == 1
        ]
        dropped = losses(len(answer.sentences), len(kept), self._most)
        at: dict[int, list[HeadedFact]] = {id(behind[0]): [] for _, behind in kept}
        for text, behind in kept:
            at[id(behind[0])].append(_joined(text, behind))
        gone = {id(fact) for _, behind in kept for fact in behind}
        facts = (new for fact in item for new in at.get(id(fact), () if id(fact) in gone else (fact,)))
        return WrittenFacts(tuple(facts), by, f"{by}: {dropped[0]}" if dropped else "")

    def marked(self, result: WrittenFacts, why: str) -> WrittenFacts:
        """Returns the unchanged facts, with the reason."""
        return msgspec.structs.replace(result, remark=why)


class NodeWriter:
    """Has a model word the sources of nodes; without a model they stay unchanged."""

    def __init__(self, model: TextModel | None = None, most_ungrounded: float = 0.0, tick: NoteTick = _no_tick) -> None:
        """`tick` is called while the model works, and may raise `Cancelled`."""
        self._model, self._task, self._tick = model, NodeTask(most_ungrounded), tick
        self._known: dict[tuple[HeadedFact, ...], WrittenFacts] = {}
        """Keeps the answers of this run: a question that failed is not paid for again in it."""

    @property
    def by(self) -> str:
        """The model's signature in nodes; empty without a model."""
        return signature(self._model, self._task) if self._model is not None else ""

    def prepare(self, sources: Iterable[Sequence[EntryList]]) -> None:
        """Asks about the sources of several nodes in one go."""
        self._ask([part for reads in sources for part in parts_of(reads)])

    def written(self, reads: Sequence[EntryList]) -> WrittenSources:
        """Returns the sources of one node in the model's wording."""
        if self._model is None:
            return WrittenSources(list(reads))
        parts = list(parts_of(reads))
        self._ask(parts)
        found = [self._known[part] for part in parts]
        by = next((part.by for part in found if part.by), "")
        remarks = tuple(dict.fromkeys(part.remark for part in found if part.remark))
        return WrittenSources(_replaced(reads, found) if by else list(reads), by, remarks)

    def _ask(self, parts: Sequence[tuple[HeadedFact, ...]]) -> None:
        new = list(dict.fromkeys(part for part in parts if part not in self._known))
        if self._model is not None and new:
            self._known |= dict(zip(new, self._model.results(self._task, new, self._tick), strict=True))


OFFLINE = NodeWriter()


def parts_of(reads: Sequence[EntryList]) -> Iterator[tuple[HeadedFact, ...]]:
    """Yields the facts that may be reworded, in parts of limited size; what never shrinks is excluded."""
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
    facts = (fact for part in found for fact in part.facts)
    new = {number: [fact.fact for fact in group] for number, group in groupby(facts, key=lambda fact: fact.entry)}
    numbers = count()

    def written(entry: TopicEntry) -> TopicEntry:
        own = new.get(next(numbers))
        return entry if own is None else msgspec.structs.replace(entry, facts=tuple(own))

    return [EntryList(tuple(map(written, read.entries)), read.dropped) for read in reads]


def _joined(text: str, behind: Sequence[HeadedFact]) -> HeadedFact:
    """Returns a fact in a model's words with the lines of the facts behind it that are in the first one's file."""
    first = behind[0].fact
    same = [fact.fact.span for fact in behind if fact.fact.span.path == first.span.path]
    span = LineSpan(first.span.path, min(part.start for part in same), max(part.end for part in same))
    prior = max(fact.fact.prior for fact in behind)
    return msgspec.structs.replace(behind[0], fact=Fact(first.text, span, first.kind, prior, written=text))
