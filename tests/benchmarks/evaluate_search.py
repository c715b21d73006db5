"""Retrieval on questions with known answers: what search finds, beside its rivals in the same run.

`memdeck evaluate FOLDER` does the same on any folder; here the data sets are measured, our own corpora, and keywords
made from one of them. `corpora` says which are for choosing and which for judging. The chat for judging, the log and
MemAware were looked at while settings were chosen, so their figures are no clean held-out ones; the third chat's are.
"""

import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from engine.search.embedding.embedder import Embedder, EmbeddingSettings, NoEmbedder, load_embedder
from engine.search.evaluation.baselines import words_of
from engine.search.evaluation.figures import RetrievalFigures
from engine.search.evaluation.questions import EvaluationQuestion
from engine.search.evaluation.report import MERGES, EvaluationFolder, RankingRow, evaluate, ranks, rows_of
from tests.benchmarks.corpora import CHAT_FOR_CHOOSING, CHAT_FOR_JUDGING, CHAT_HELD_OUT, LOG, write_corpus
from tests.conftest import SHARED

Line = tuple[str, str, str]
Load = Callable[[], Embedder | NoEmbedder]


def shown(found: RetrievalFigures) -> str:
    return f"{found.hit1:.1f}/{found.hit5:.1f}/{found.hit10:.1f} {found.mrr:.3f}"


def compared(row: RankingRow, *, is_ours: bool = False) -> str:
    """The row's own interval, and by how much ours is above it, in pairs."""
    text = f"MRR 95 %: {row.mrr_interval.low:.3f}–{row.mrr_interval.high:.3f}"
    if is_ours:
        return text
    text += f" · ours {row.gain:+.3f} ({row.gain_interval.low:+.3f} to {row.gain_interval.high:+.3f})"
    return text + f", hit@1 {row.hit1_gain:+.1f} ({row.hit1_interval.low:+.1f} to {row.hit1_interval.high:+.1f})"


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


@contextmanager
def opened(folder: Path, load: Load) -> Iterator[EvaluationFolder]:
    with tempfile.TemporaryDirectory() as base:
        place = EvaluationFolder(folder, Path(base), load)
        try:
            yield place
        finally:
            place.close()


def measured(name: str, folders: Iterable[Path], load: Load, *, without: str = "") -> Iterator[Line]:
    """Ours on all folders together, for each kind of question, and where its rules applied; then the rivals.

    `without`: a kind of question that is left out.
    """
    with tempfile.TemporaryDirectory() as base:
        keep = (lambda one: one.kind != without) if without else (lambda _: True)
        report = evaluate(list(folders), Path(base), load, keep=keep)
    ours, *rivals = report.rows
    yield f"{name}: {ours.name} ({ours.figures.questions} questions)", shown(ours.figures), compared(ours, is_ours=True)
    for row in report.kinds:
        yield f"    {row.name} ({row.figures.questions})", shown(row.figures), compared(row, is_ours=True)
    for row in rivals:
        yield f"  {row.name}", shown(row.figures), compared(row)
    for rule in report.rules:
        yield f"  rule: {rule.name}", f"{rule.files:.0f} % of files", f"changed {rule.questions:.0f} % of questions"


def corpus(title: str, names: Sequence[str], load: Load, *, named: bool = True, without: str = "") -> Iterator[Line]:
    """Our own corpora, written anew; the questions of several together."""
    with tempfile.TemporaryDirectory() as base:
        folders = [Path(base, name) for name in names]
        for name, folder in zip(names, folders, strict=True):
            write_corpus(name, folder, named=named)
        yield from measured(title, folders, load, without=without)


def keywords(load: Load) -> Iterator[Line]:
    """Words from the notes of MemAware, where the words alone are the rival."""
    with opened(SHARED / "memaware", load) as place:
        asked = keyword_questions(place.files)
        found = {name: ranks(asked, partial(place.hits, merge)) for name, merge in MERGES.items()}
        for at, row in enumerate(rows_of(found, asked)):
            yield f"  keywords ({len(asked)}), {row.name}", shown(row.figures), compared(row, is_ours=not at)


def rows(wish: EmbeddingSettings | None = None) -> Iterator[Line]:
    """hit@1/@5/@10 in per cent and MRR, on our own corpora and, where they are, on the data sets."""
    load = partial(load_embedder, wish or EmbeddingSettings())
    yield from corpus("chat for choosing", [CHAT_FOR_CHOOSING], load)
    yield from corpus("chat for choosing, as user and agent", [CHAT_FOR_CHOOSING], load, named=False)
    yield from corpus("chat for judging", [CHAT_FOR_JUDGING], load)
    yield from corpus("chat for judging, as user and agent", [CHAT_FOR_JUDGING], load, named=False)
    yield from corpus("chat held out", [CHAT_HELD_OUT], load)
    yield from corpus("chat held out, as user and agent", [CHAT_HELD_OUT], load, named=False)
    chats = [CHAT_FOR_CHOOSING, CHAT_FOR_JUDGING, CHAT_HELD_OUT]
    for how, named in (("", True), (", as user and agent", False)):
        yield from corpus(f"three chats, questions without a date{how}", chats, load, named=named, without="dated")
    yield from corpus("engineering log, for judging", [LOG], load)
    if not SHARED.is_dir():
        return
    for language in ("en", "cn"):
        yield from measured(f"MemoryBank {language}", sorted((SHARED / f"memorybank-{language}").iterdir()), load)
    yield from measured("MemAware dev", [SHARED / "memaware"], load)
    yield from keywords(load)
