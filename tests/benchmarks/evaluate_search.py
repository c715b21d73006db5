"""Retrieval on questions with known answers: what search finds, beside the best known rivals in the same run.

`memdeck evaluate FOLDER` does the same on any folder; here the data sets are measured, and keywords made from them.
"""

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from engine.search.embedding.choice import load_embedder
from engine.search.embedding.embedder import Embedder, NoEmbedder
from engine.search.embedding.settings import EmbeddingSettings
from engine.search.evaluation.baselines import words_of
from engine.search.evaluation.figures import RetrievalFigures
from engine.search.evaluation.questions import EvaluationQuestion
from engine.search.evaluation.report import MERGES, OURS, EvaluationFolder, RankingRow, kinds_of, ranks, rows_of
from tests.conftest import SHARED

Line = tuple[str, str, str]
Load = Callable[[], Embedder | NoEmbedder]
TARGETS = {"cn": 69, "en": 63}


def shown(found: RetrievalFigures) -> str:
    return f"{found.hit1:.1f}/{found.hit5:.1f}/{found.hit10:.1f} {found.mrr:.3f}"


def compared(row: RankingRow) -> str:
    """The row's own interval, and by how much ours is above it, in pairs."""
    text = f"MRR 95 %: {row.mrr_interval.low:.3f}–{row.mrr_interval.high:.3f}"
    if row.name != OURS:
        text += f" · ours {row.gain:+.3f} ({row.gain_interval.low:+.3f} to {row.gain_interval.high:+.3f})"
    return text


def keyword_questions(files: Mapping[str, str], count: int = 300) -> list[EvaluationQuestion]:
    """Two to four rare words from one paragraph of one file, as a person types who knows what he looks for."""
    chance = random.Random(11)
    found: dict[str, set[str]] = {}
    paragraphs = [(path, part) for path, text in sorted(files.items()) for part in text.split("\n\n") if len(part) > 80]
    for path, part in paragraphs:
        for word in words_of(part):
            found.setdefault(word, set()).add(path)
    made: list[EvaluationQuestion] = []
    while len(made) < count and paragraphs:
        path, part = chance.choice(paragraphs)
        rare = sorted(
            (word for word in words_of(part) if word.isalpha() and len(word) > 3), key=lambda w: len(found[w])
        )
        if len(rare) >= 6:
            words = chance.sample(rare[: max(6, len(rare) // 3)], chance.choice((2, 3, 3, 4)))
            made.append(EvaluationQuestion(" ".join(words), frozenset({path})))
    return made


def memaware(load: Load) -> Iterator[Line]:
    """Ours per difficulty, then the other merges and the rivals; then keywords, where the words alone are the rival."""
    with tempfile.TemporaryDirectory() as base:
        place = EvaluationFolder(SHARED / "memaware", Path(base), load)
        found = {name: ranks(place.questions, rank) for name, rank in place.rankers().items()}
        rows = rows_of(found, place.questions)
        yield f"MemAware: search ({len(place.questions)} questions)", shown(rows[0].figures), compared(rows[0])
        for row in kinds_of(found[OURS], place.questions):
            yield f"    {row.name} ({row.figures.questions})", shown(row.figures), compared(row).partition(" · ")[0]
        for row in rows[1:]:
            yield f"  {row.name}", shown(row.figures), compared(row)
        asked = keyword_questions(place.files)
        keywords = {name: ranks(asked, partial(place.ranked, merge)) for name, merge in MERGES.items()}
        for row in rows_of(keywords, asked):
            yield f"  keywords ({len(asked)}), {row.name}", shown(row.figures), compared(row)
        place.close()


def memory_bank(language: str, load: Load) -> Iterator[Line]:
    """All users of one language: each asks in a workspace of his own."""
    places: dict[str, list[float]] = {}
    asked: list[EvaluationQuestion] = []
    for folder in sorted((SHARED / f"memorybank-{language}").iterdir()):
        with tempfile.TemporaryDirectory() as base:
            place = EvaluationFolder(folder, Path(base), load)
            asked += place.questions
            for name, rank in place.rankers().items():
                places.setdefault(name, []).extend(ranks(place.questions, rank))
            place.close()
    for row in rows_of(places, asked):
        target = f"reach for > {TARGETS[language]} hit@1 · " if row.name == OURS else ""
        yield f"MemoryBank {language} ({len(asked)}), {row.name}", shown(row.figures), target + compared(row)


def rows(wish: EmbeddingSettings | None = None) -> Iterator[Line]:
    """hit@1/@5/@10 in per cent and MRR, on the data sets."""
    load = partial(load_embedder, wish or EmbeddingSettings())
    yield "best of nine baselines, MemAware", "19.6/37.4/46.5 0.286", "reach for more"
    yield from memaware(load)
    for language in TARGETS:
        yield from memory_bank(language, load)
