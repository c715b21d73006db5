"""The encoder's opinion where words do not decide: of the topics nearest by words, and of the candidates (§4.2).

Words, static vectors and the encoder together, or the encoder's lead over the second topic alone: a message in other
words, or in another language, is nearest to one topic, if far from all. Weights were chosen on two thirds of the
intents of CLINC150 and judged once on the last (`tests.benchmarks.evaluate_topics`).
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engine.topics.similarity.scorer import passages
from engine.topics.topic import Topic

if TYPE_CHECKING:
    from engine.text.arrays import Doubles, Floats

NEAREST = 8  # topics by words that are compared with the message: of 30 topics the right one is hardly ever another
MOST = 64  # candidates that are compared with it too, the nearest by words
SHARE, UNSEEN = 1.5, 0.05
"""The weight of the encoder's cosine beside words and vectors, and the cosine of a topic that is not compared."""
RIVALS, COHORT = 0.5, 3  # the weight of the mean of the best other topics against one
SURE, LEAST, LEAD = 1.15, 0.25, 0.2
"""The sum for a yes; and the cosine and its lead over every other topic that are one without words."""
YES, HALF = 0.35, 0.5
"""The figure of a yes on the scale of the gate's table, and the share of it below which a figure is 0."""


class SentenceEncoder(Protocol):
    """Vectors of length 1 for texts of many languages; zeros for a text that says nothing."""

    def encode(self, texts: Sequence[str]) -> "Floats": ...


class TopicMeanings:
    """The centre of each topic's passages, made when a message is first compared with it."""

    def __init__(self, load: Callable[[], SentenceEncoder | None], earlier: "TopicMeanings | None" = None) -> None:
        self._load = load
        self._centres: dict[str, Floats] = earlier._centres if earlier else {}

    def figures(self, text: str, topics: Sequence[Topic], words: "Floats", candidates: Sequence[int]) -> Any:
        """The sum of all scorers for each topic and its figure on the table's scale; None where there is no encoder.
        `words` are the raw figures of words and static vectors."""
        import numpy as np

        encoder = self._load()
        if encoder is None or not len(topics):
            return None
        mine = sorted(candidates, key=lambda row: -float(words[row]))[:MOST]
        rows = np.unique(np.array([*np.argsort(-words, kind="stable")[:NEAREST], *mine]))
        cosines = np.full(len(topics), UNSEEN)
        centres = np.stack([self._centre(encoder, topics[row]) for row in rows])
        # With other texts beside it a vector differs by 2e-7: three places decide.
        cosines[rows] = np.round(np.vecdot(centres, encoder.encode([text])[0]), 3)
        together = words + SHARE * cosines
        sums = together - RIVALS * _best_others(together)
        leads = np.where(cosines >= LEAST, cosines - _best_others(cosines, 1), 0.0)
        reached = np.maximum(sums / SURE, leads / LEAD)
        # What speaks against a topic is in its sum: other topics' figures below half of a yes are nothing.
        return together.astype(np.float32), np.clip(YES * np.where(reached < HALF, 0, reached), 0, 1).astype(np.float32)

    def _centre(self, encoder: SentenceEncoder, topic: Topic) -> "Floats":
        found = self._centres.get(topic.sha256)
        if found is None:
            centre = encoder.encode(list(passages(topic)) or [""]).mean(axis=0)
            length = float((centre * centre).sum()) ** 0.5
            found = self._centres[topic.sha256] = centre / max(length, 1e-9)
        return found


def _best_others(values: "Floats | Doubles", count: int = COHORT) -> "Doubles":
    """For each topic the mean of the best figures among the others; 0 where there is no other."""
    import numpy as np

    order = np.argsort(-values, kind="stable")[: count + 1]
    top = values[order]
    found = np.full(len(values), top[:count].mean())
    for place, row in enumerate(order[:count]):
        others = np.delete(top, place)
        found[row] = others.mean() if len(others) else 0.0
    return found
