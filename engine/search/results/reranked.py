"""Orders the best candidates anew by what a model says that reads question and note together."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from engine.errors import MemdeckError
from engine.search.ranking.ranker import RankedFile
from engine.text.document import split_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

CANDIDATES = 30
"""Files that are read with the question, some 10 ms each: a third of a second."""
AROUND = 3
"""Lines before and after a chunk that are read with it: a short turn is understood by its neighbours."""


class Reranker(Protocol):
    """Reads question and text together; the extra `rerank` brings one."""

    def scores(
        self, query: str, texts: Sequence[str], stop: Callable[[], bool] = ..., tick: Tick | None = None
    ) -> list[float]:
        """Gives each text a number from 0 to 1 by how well it answers. Raises `RerankingFailed`."""
        ...


class NoReranker(msgspec.Struct, frozen=True):
    """No reranker though one is asked for, and why: search keeps its own order and says so."""

    reason: str


class RerankingFailed(Exception):
    """The model gave no scores; `str` says why in half a sentence."""


def reranked(
    found: Sequence[RankedFile],
    query: str,
    model: Reranker,
    snapshot: Snapshot,
    stop: Callable[[], bool],
    tick: Tick | None = None,
) -> list[RankedFile]:
    """The best candidates by the model's score, the others after them as they were; `RerankingFailed` as it says. What
    a file gains by the days of the question stays added: the model knows no days."""
    best, rest = found[:CANDIDATES], found[CANDIDATES:]
    scores = model.scores(query, [_text(one, snapshot) for one in best], stop, tick)
    marked = [msgspec.structs.replace(one, rerank=score) for one, score in zip(best, scores, strict=True)]
    return [*sorted(marked, key=lambda one: -((one.rerank or 0) + one.scored.dates)), *rest]


def _text(one: RankedFile, snapshot: Snapshot) -> str:
    try:
        lines = split_lines(snapshot.reader(one.path).decode("utf-8", "replace"))
    except MemdeckError:
        return ""
    return "\n".join((one.title, *lines[max(0, one.start - 1 - AROUND) : one.end + AROUND]))
