"""Learns engine/text/poison/steering/weights.msgpack: run once after a change of the concepts or of the sets.

Logistic regression over runs of two to five characters, words, pairs of near words, concepts and pairs of concepts.
Whole sets are left out in turn, for one author's lines are alike: the threshold is the lowest with which no more than
`ALARMS` of the harmless lines of the left-out authors are flagged, the exact rules included. `phrases` and `feedback`
were put together by chance from lists of phrases in each language, by one who had read lines of the authors: what is
printed for a left-out author flatters, and so do the exact rules, which were mended on these sets. The sets
`independent_held` and `held_b` are never read here.
With `judge` nothing is written, nor with `half`, which learns from half of all lines and judges the other.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

from engine.demo.workspace import make_demo
from engine.text.poison.classifier import find_exact
from engine.text.poison.folded_text import fold
from engine.text.poison.steering.concepts import concept_names
from engine.text.poison.steering.grams import BITS, LENGTHS, plain, runs, word_numbers, words
from engine.text.poison.steering.score import FILE, Weights, WeightTable, concepts_of, is_dense
from tests.benchmarks.evaluate_poison import AUTHORS, CORPORA, Labelled, labelled
from tests.conftest import SHARED

OUT = Path(__file__).parents[2] / "engine" / "text" / "poison" / "steering" / FILE
SETS = {**dict.fromkeys(AUTHORS, 2.0), "independent_dev": 2.0, "seen": 1.0, "unseen": 1.0, "evading": 1.0,
        "feedback": 0.5, "phrases": 0.05}  # fmt: skip
"""Each set with how much a line of it counts."""
CORPUS, LINES, LONGEST = 0.02, 2500, 240  # how much a line of a corpus counts; lines of each; characters
STRENGTH, GRAM_SHARE, CONCEPT_SHARE = 10.0, 0.25, 0.09
"""Of scikit-learn's C, and how freely a weight grows; chosen by leaving out authors: 3 to 10, .15 to .5, .05 to .3."""
ALARMS = 0.02  # of the harmless lines of left-out authors, by the model and the exact rules together
NODES, LONG = 0.1, 480  # how much a line of a node counts; characters of a list of topics
FOLDS = 5
FEWEST = 2  # lines that hold what is weighed
FLOOR_LOSS = 0.002  # of the flagged lines may be lost to the floor
LEAST = 0.002  # smaller weights of pairs are left out
Columns = Sequence[Sequence[int] | np.ndarray]


class Lines(msgspec.Struct, frozen=True):
    """Every line to learn from: its set, its label, how much it counts, and what it holds."""

    sets: np.ndarray
    hostile: np.ndarray
    much: np.ndarray
    runs: csr_matrix
    words: csr_matrix
    concepts: csr_matrix


class Model(msgspec.Struct, frozen=True):
    """What was learned: one weight for each column of `Lines`, not yet rounded to bytes."""

    bias: float
    runs: np.ndarray
    words: np.ndarray
    concepts: np.ndarray

    def run_scores(self, lines: Lines) -> np.ndarray:
        return np.asarray(shrunk(lines.runs) @ self.runs)

    def scores(self, lines: Lines) -> np.ndarray:
        rest = shrunk(lines.words) @ self.words + lines.concepts @ self.concepts
        return np.asarray(self.run_scores(lines) + rest + self.bias)


def rows() -> Iterator[tuple[str, Labelled, float]]:
    """Every labelled line; text in an encoding has no words to learn from."""
    for name, much in SETS.items():
        yield from ((name, one, much) for one in labelled(name) if not (one.hostile and one.kind == "encoded"))
    for line in corpus_lines():
        yield "corpus", Labelled(line, "", "corpus", "harmless"), CORPUS
    for line in node_lines():
        yield "corpus", Labelled(line, "", "corpus", "harmless"), NODES


def corpus_lines() -> list[str]:
    drawn = random.Random(1)
    lines: list[str] = []
    for name in CORPORA:
        some = [line for file in sorted((SHARED / name).rglob("*.md")) for line in file.read_text("utf-8").splitlines()]
        some = [line for line in some if 15 < len(line) <= LONGEST]
        lines += drawn.sample(some, min(LINES, len(some)))
    return lines


def node_lines() -> list[str]:
    """Lines that memdeck itself makes of notes: digests and lists of topics have a style of their own."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "demo"
        place.mkdir()
        env = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), folder)
        make_demo(place, now=datetime(2026, 3, 15, 9, 30, tzinfo=UTC), env=env, git=False)
        files = [*place.glob("memory/*ly/*.md"), place / "memory/ROOT.md"]
        lines = {line for file in sorted(files) for line in file.read_text("utf-8").splitlines()}
    return sorted(line for line in lines if 15 < len(line) <= LONG)


def lines_of(found: list[tuple[str, Labelled, float]]) -> Lines:
    texts = [plain(fold(one.text).text.strip()) for _, one, _ in found]
    many = len(concept_names())
    place = {pair: many + number for number, pair in enumerate(combinations(range(many), 2))}
    spoken = [concepts_of(text) for text in texts]
    return Lines(
        sets=np.array([name for name, _, _ in found]),
        hostile=np.array([one.hostile for _, one, _ in found]),
        much=np.array([much for _, _, much in found]),
        runs=matrix([np.concatenate([all_ for n, all_ in runs(text) if n in LENGTHS]) for text in texts], 1 << BITS),
        words=matrix([word_numbers(words(text)) for text in texts], 1 << BITS),
        concepts=matrix([[*one, *(place[two] for two in combinations(one, 2))] for one in spoken], many + len(place)),
    )


def matrix(columns: Columns, width: int) -> csr_matrix:
    """How often each text holds what a column stands for."""
    ends = np.cumsum([0, *map(len, columns)])
    numbers = np.array(list(chain.from_iterable(columns)), dtype=np.int64)
    made = csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(columns), width))
    made.sum_duplicates()
    return made


def shrunk(counted: csr_matrix) -> csr_matrix:
    """Counts by the root of their sum: a long line does not outweigh a short one."""
    return diags(1 / np.sqrt(np.maximum(1, np.asarray(counted.sum(1)).ravel()))) @ counted


def rarity(counted: csr_matrix) -> np.ndarray:
    """How freely the weight of each column grows: more for the rare, not at all for what one line alone holds."""
    lines = np.bincount(counted.indices, minlength=counted.shape[1])
    return np.asarray(np.where(lines < FEWEST, 0, np.log((1 + counted.shape[0]) / (1 + lines)) + 1))


def learned(lines: Lines, kept: np.ndarray) -> Model:
    """The model that the `kept` lines teach."""
    freely = [rarity(part[kept]) * GRAM_SHARE for part in (lines.runs, lines.words)]
    parts = [shrunk(part) @ diags(free) for part, free in zip((lines.runs, lines.words), freely, strict=True)]
    features = hstack([*parts, lines.concepts * CONCEPT_SHARE]).tocsr()[kept]
    fitted = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=300, solver="liblinear", random_state=0)
    fitted.fit(features, lines.hostile[kept], sample_weight=lines.much[kept])
    by_run, by_word, by_concept = np.split(fitted.coef_[0], [1 << BITS, 2 << BITS])
    return Model(float(fitted.intercept_[0]), by_run * freely[0], by_word * freely[1], by_concept * CONCEPT_SHARE)


def left_out(lines: Lines) -> tuple[np.ndarray, np.ndarray]:
    """The score of each line of the authors by what the other sets teach, and that of its runs alone."""
    scores, by_run = np.full(len(lines.sets), np.nan), np.full(len(lines.sets), np.nan)
    for author in AUTHORS:
        own = lines.sets == author
        model = learned(lines, ~own)
        scores[own], by_run[own] = model.scores(lines)[own], model.run_scores(lines)[own]
    return scores, by_run


def cut(scores: np.ndarray, ruled: np.ndarray, hostile: np.ndarray) -> float:
    """The lowest threshold with which no more than `ALARMS` of the harmless lines of left-out authors are flagged."""
    harmless = ~hostile & ~np.isnan(scores)
    allowed = int(ALARMS * harmless.sum()) - int(ruled[harmless].sum())
    return float(np.sort(scores[harmless & ~ruled])[::-1][max(0, allowed)])


def floors(scores: np.ndarray, by_run: np.ndarray, dense: np.ndarray, threshold: float) -> tuple[float, float]:
    """The floors of other scripts and of dense ones: by left-out lines, for those learned from have higher runs."""
    flagged = scores > threshold
    return tuple(float(np.quantile(by_run[flagged & some], FLOOR_LOSS)) for some in (~dense, dense))  # type: ignore[return-value]


def table(by_number: np.ndarray) -> WeightTable:
    step = float(np.abs(by_number).max()) / 127
    return WeightTable(step, np.round(by_number / step).astype(np.int8).tobytes())


def weights(model: Model, threshold: float, least: tuple[float, float]) -> Weights:
    names = concept_names()
    numbers = [round(float(each), 3) for each in model.concepts]
    pairs = ["+".join(pair) for pair in combinations(names, 2)]
    return Weights(
        threshold=round(threshold, 3),
        floor=round(least[0], 3),
        dense_floor=round(least[1], 3),
        bias=round(model.bias, 3),
        runs=table(model.runs),
        words=table(model.words),
        concepts=dict(zip(names, numbers[: len(names)], strict=True)),
        pairs={pair: each for pair, each in zip(pairs, numbers[len(names) :], strict=True) if abs(each) >= LEAST},
    )


def told(lines: Lines, scores: np.ndarray, ruled: np.ndarray, threshold: float) -> None:
    """Prints, by left-out author, what the model flags alone and with the exact rules."""
    for author in AUTHORS:
        own = np.flatnonzero(lines.sets == author)
        above, hostile = scores[own] > threshold, lines.hostile[own]
        both = above | ruled[own]
        shares = [f"{flags[hostile].mean():.1%} / {flags[~hostile].mean():.1%}" for flags in (above, both)]
        print(f"{author} left out: flagged / false alarms {shares[0]}, with the rules {shares[1]}")


def half(found: list[tuple[str, Labelled, float]], lines: Lines) -> None:
    """Prints what half of all authors' lines teaches of the other half, which a hash of each text drew beforehand.

    Both halves have the same authors, which flatters; the exact rules had seen most of these lines too.
    """
    pooled = np.isin(lines.sets, (*AUTHORS, "seen", "unseen", "evading", "independent_dev"))
    unseen = pooled & np.array([sha256(one.text.encode()).digest()[-1] % 2 == 1 for _, one, _ in found])
    ruled = np.array([own and bool(find_exact(one.text)) for own, (_, one, _) in zip(pooled, found, strict=True)])
    scores, folds = np.full(len(found), np.nan), np.arange(len(found)) % FOLDS
    for part in range(FOLDS):
        own = pooled & ~unseen & (folds == part)
        scores[own] = learned(lines, ~unseen & ~own).scores(lines)[own]
    above = learned(lines, ~unseen).scores(lines) > cut(scores, ruled, lines.hostile)
    flagged, drawn = above | ruled, np.zeros(len(found), dtype=bool)
    drawn[random.Random(1).sample(list(np.flatnonzero(unseen)), int((flagged & unseen).sum()))] = True
    hostile, harmless = unseen & lines.hostile, unseen & ~lines.hostile
    print(f"unseen half: {hostile.sum()} hostile, {harmless.sum()} harmless")
    for name, flags in (("flagged / false alarms", flagged), ("the exact rules alone", ruled), ("placebo", drawn)):
        print(f"  {name}: {flags[hostile].mean():.1%} / {flags[harmless].mean():.1%}")


def main(arguments: Sequence[str]) -> None:
    """With `judge` or `half` nothing is written."""
    found = list(rows())
    lines = lines_of(found)
    if "half" in arguments:
        half(found, lines)
        return
    scores, by_run = left_out(lines)
    ruled = np.array([name in AUTHORS and bool(find_exact(one.text)) for name, one, _ in found])
    threshold = cut(scores, ruled, lines.hostile)
    told(lines, scores, ruled, threshold)
    if "judge" in arguments:
        return
    model = learned(lines, np.ones(len(lines.sets), dtype=bool))
    dense = np.array([is_dense(one.text) for _, one, _ in found])
    least = floors(scores, by_run, dense, threshold)
    OUT.write_bytes(msgspec.msgpack.encode(weights(model, threshold, least)))
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, threshold {threshold:.2f}, floors {least[0]:.2f}, {least[1]:.2f}")


if __name__ == "__main__":
    main(sys.argv[1:])
