"""Everything that was chosen by looking at messages, chosen anew without the fold that is judged.

That is how much TF-IDF counts beside the vectors, the table that puts figures on the scale (decision D37), how much
rivals count against a topic, and the offline gate's cut.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.topics.similarity.scorer import SCALE
from engine.topics.similarity.tier2 import TopicScores, TopicSimilarity
from engine.topics.topic import Topic

Floats = NDArray[np.float64]
FOLDS = 5
OOS, NEIGHBOUR = 98.5, 90.0
SHARES = (0.0, 0.2, 0.35, 0.5, 0.7)
RIVALS_TRIED = (0.0, 0.15, 0.3, 0.45, 0.6)
CUTS = np.round(np.arange(0.0, 0.9, 0.005), 3)


class Message(msgspec.Struct):
    text: str
    topics: list[str]
    kind: str
    intent: str = ""


class Quality(NamedTuple):
    """In per cent: precision, recall, F1, and the share of messages rejected as out of scope and as neighbours."""

    precision: float
    recall: float
    f1: float
    out_of_scope: float
    neighbours: float

    def __str__(self) -> str:
        return "P {:.1f} R {:.1f} F1 {:.1f} · oos {:.1f} nbr {:.1f}".format(*self)

    @property
    def enough(self) -> bool:
        """Whether as many messages are rejected as should be."""
        return self.out_of_scope > OOS and self.neighbours > NEIGHBOUR


class Asked(NamedTuple):
    """The best candidate of a message, as the offline gate sees it."""

    message: int
    topic: str
    score: float
    rivals: float


class Fit(NamedTuple):
    """What was chosen, and what it comes to on the messages it was chosen by."""

    share: float
    rivals: float
    cut: float
    reached: Quality


class Fixed(TopicSimilarity):
    """Gives figures that were worked out before, on the scale that a table makes; none of a part of a message."""

    def __init__(self, topics: Sequence[Topic], raw: Mapping[str, Floats], table: Sequence[float]) -> None:
        super().__init__(topics)
        self._raw = raw
        self._table = table

    @property
    def missing(self) -> str:
        return ""

    def score(self, text: str) -> TopicScores:
        raw = self._raw.get(text, np.zeros(len(self.topics)))
        return TopicScores("fixed", raw, np.interp(raw, self._table, SCALE).astype(np.float32))


def anchors(reference: Floats, raw: Floats, off: NDArray[np.bool_], most: float) -> list[float]:
    """The raw figures that let as many wrong pairs through as each figure of the scale does; `most` is the last."""
    shares = [float((reference[off] >= figure).mean()) for figure in SCALE[1:-1]]
    return [0.0, *(float(np.quantile(raw[off], 1 - share)) for share in shares), most]


def folds(asked: Sequence[Message]) -> list[int]:
    """A fold per message: all of one topic's, and all of one neighbour's, in the same, so that none is known before."""
    chance = random.Random(7)
    names = sorted({name for one in asked for name in (*one.topics, one.intent) if name})
    chance.shuffle(names)
    place = {name: at % FOLDS for at, name in enumerate(names)}
    return [
        place[(*one.topics, one.intent)[0]] if one.topics or one.intent else chance.randrange(FOLDS) for one in asked
    ]


def quality(asked: Sequence[Message], active: Sequence[Sequence[str]]) -> Quality:
    """Over all pairs of message and topic."""
    pairs = list(zip(asked, active, strict=True))
    right = sum(len(set(one.topics) & set(woken)) for one, woken in pairs)
    said, wanted = sum(map(len, active)), sum(len(one.topics) for one in asked)
    silent = (_silent(pairs, "oos"), _silent(pairs, "other-intent"))
    return _quality(right, said, wanted, *silent)


def _quality(right: float, said: float, wanted: float, *silent: float) -> Quality:
    precision, recall = right / max(1, said), right / max(1, wanted)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return Quality(*(100 * x for x in (precision, recall, f1, *silent)))


def _silent(pairs: Sequence[tuple[Message, Sequence[str]]], kind: str) -> float:
    of_kind = [woken for one, woken in pairs if one.kind == kind]
    return sum(not woken for woken in of_kind) / max(1, len(of_kind))


def with_cut(asked: Sequence[Message], questions: Sequence[Asked], rivals: float, cut: float) -> list[list[str]]:
    """The topics of each message that come to a yes."""
    active: list[list[str]] = [[] for _ in asked]
    for each in questions:
        if each.score - rivals * each.rivals >= cut:
            active[each.message].append(each.topic)
    return active


def best_cut(asked: Sequence[Message], questions: Sequence[Asked], rivals: float, known: set[int]) -> Fit:
    """The cut with the best F1 among those that reject enough of the known messages; the strictest where none does."""
    seen = [each for each in questions if each.message in known]
    figures = np.array([each.score - rivals * each.rivals for each in seen])
    hits = np.array([each.topic in asked[each.message].topics for each in seen], dtype=bool)
    loudest = dict.fromkeys(known, -1.0)
    for each, figure in zip(seen, figures, strict=True):
        loudest[each.message] = max(loudest[each.message], float(figure))
    kinds = {
        kind: np.array([loudest[at] for at in known if asked[at].kind == kind]) for kind in ("oos", "other-intent")
    }
    wanted = sum(len(asked[at].topics) for at in known)
    fits: list[Fit] = []
    for cut in CUTS:
        yes = figures >= cut
        silent = (float((of_kind < cut).mean()) if len(of_kind) else 0.0 for of_kind in kinds.values())
        reached = _quality(float((yes & hits).sum()), float(yes.sum()), wanted, *silent)
        fits.append(Fit(0.0, rivals, float(cut), reached))
    return _best(fits)


def _best(fits: Sequence[Fit]) -> Fit:
    enough = [each for each in fits if each.reached.enough]
    return max(enough, key=lambda each: each.reached.f1) if enough else fits[-1]


class Blind:
    """Chooses by some messages: `questions` tells the best candidates by raw figures and a table, for all messages."""

    def __init__(
        self,
        asked: Sequence[Message],
        raws: Mapping[float, Floats],
        reference: Floats,
        off: NDArray[np.bool_],
        ask: Callable[[Floats, Sequence[float]], list[Asked]],
    ) -> None:
        self._asked = asked
        self._raws = raws
        self._reference = reference
        self._off = off
        self._ask = ask

    def fit(self, known: set[int]) -> tuple[Fit, list[Asked]]:
        """The best choice by the known messages, with the questions about all messages that it leads to."""
        rows = np.array(sorted(known))
        found: list[tuple[Fit, list[Asked]]] = []
        for share, raw in self._raws.items():
            table = anchors(self._reference[rows], raw[rows], self._off[rows], 1.0 + share)
            questions = self._ask(raw, table)
            found += [
                (best_cut(self._asked, questions, rivals, known)._replace(share=share), questions)
                for rivals in RIVALS_TRIED
            ]
        best = _best([fit for fit, _ in found])
        return next(each for each in found if each[0] is best)

    def judged(self) -> tuple[Quality, list[Fit]]:
        """Each fold judged by what the others chose."""
        fold, active = folds(self._asked), [list[str]() for _ in self._asked]
        fits = []
        for number in range(FOLDS):
            fit, questions = self.fit({at for at, one in enumerate(fold) if one != number})
            fits.append(fit)
            for at, woken in enumerate(with_cut(self._asked, questions, fit.rivals, fit.cut)):
                if fold[at] == number:
                    active[at] = woken
        return quality(self._asked, active), fits


def chosen(fits: Sequence[Fit]) -> Iterator[str]:
    """`share .35–.5`, for what was chosen in the folds."""
    for name in ("share", "rivals", "cut"):
        values = sorted({getattr(fit, name) for fit in fits})
        yield f"{name} {values[0]:g}" + (f"–{values[-1]:g}" if len(values) > 1 else "")
