"""Orders the best candidates anew by what a cross-encoder says of the places that answer."""

from collections.abc import Callable, Sequence

import msgspec

from engine.errors import MemdeckError
from engine.search.ranking.ranker import RankedFile
from engine.search.reranker.cross_encoder import CANDIDATES, CrossEncoder
from engine.text.document import split_lines
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Tick

AROUND = 3
"""Lines before and after a chunk that are read with it: a short turn is understood by its neighbours."""


def reranked(
    found: Sequence[RankedFile],
    query: str,
    model: CrossEncoder,
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
