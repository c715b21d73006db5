"""Learns engine/text/poison/steering/weights.msgpack: run once after a change of the sets (docs/poison.md).

Two models, whose scores are added: logistic regression over runs of two to five characters, words and pairs of near
words; and two layers over the vectors of the encoder. The threshold is the lowest with which no more than `ALARMS` of
the real lines to choose by are flagged, of prose and of pages each. The sets `independent_held` and
`held_b`, what lies in `fire/held`, and the real lines to judge with are never read here. With `judge` nothing is
written: authors, kinds and languages of the sets to choose by are left out in turn.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
from scipy.sparse import csr_matrix, diags, hstack
from sklearn.linear_model import LogisticRegression

from engine.demo.workspace import make_demo
from engine.text.encoder.encoder import NoEncoder, text_encoder
from engine.text.poison.classifier import find_exact
from engine.text.poison.folded_text import fold
from engine.text.poison.steering.grams import BITS, LENGTHS, plain, runs, word_numbers, words
from engine.text.poison.steering.score import FILE, Layer, Weights, WeightTable, pieces
from tests.benchmarks.evaluate_poison import AUTHORS, CHOSEN, Labelled, labelled
from tests.benchmarks.real_lines import real_lines

OUT = Path(__file__).parents[2] / "engine" / "text" / "poison" / "steering" / FILE
OWN = Path(__file__).parent / "corpora" / "steering_lines.tsv"
MUCH = {**dict.fromkeys(AUTHORS, 1.0), **dict.fromkeys(CHOSEN, 3.0), "own": 3.0, "independent_dev": 1.5,
        "seen": 1.0, "unseen": 1.0, "evading": 1.0, "feedback": 0.5, "phrases": 0.05,
        "nodes": 0.5, "notes": 0.5, "docs": 0.3, "turns": 0.5}  # fmt: skip
"""How much a line of each set counts; a real line of another source counts `OTHERS`."""
OTHERS = 0.2
MOST = {"notes": 3000, "docs": 2500, "turns": 100, "chats": 1500}  # lines of a source that are learnt from
PAGES, MANY, RICH = 400, 1200, ("de", "es", "fr", "it", "pt")  # of a language's pages; more where poison has more
STRENGTH, GRAM_SHARE = 10.0, 0.25  # of scikit-learn's C, and how freely a weight grows
UNITS, SCALE, ROUNDS, STEP, SHRINK = 48, 4.0, 10, 2e-3, 1e-4  # of the layer: its width, and how it is learnt
ALARMS, LET_THROUGH, SIFTED = 0.004, 0.08, 0.25
"""Of real lines: flagged, shown to the encoder, and looked at for their words."""
FEWEST = 2  # lines that hold what is weighed
GROUPS = 4  # kinds and languages are left out by the quarter
MANNERS = frozenset({"persona", "persona-always"})  # kinds of standing orders
SAME_KIND = {"exfiltration": "exfil", "standing-approval": "approval", "install-run": "run", "run-install": "run",
             "persona-always": "persona", "self-replication": "replicate", "later-trigger": "trigger",
             "polite-indirect": "indirect", "disable-checks": "checks", "fake-authority": "authority",
             "trust-change": "trust", "forged-system": "forged"}  # fmt: skip
"""What several authors call by different names."""
Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


class Lines(msgspec.Struct, frozen=True):
    """Every piece to learn from: of which line, how much it counts, what it holds, and the encoder's vector."""

    labels: list[tuple[str, Labelled]]
    of: Any
    much: Floats
    grams: csr_matrix
    freely: Floats
    vectors: Any

    def hostile(self) -> Flags:
        return np.array([one.hostile for _, one in self.labels])

    def where(self, holds: Callable[[str, Labelled], bool]) -> Flags:
        return np.array([holds(*label) for label in self.labels])

    def highest(self, scores: Floats) -> Floats:
        """The highest score of each line's pieces."""
        found = np.full(len(self.labels), -99.0)
        np.maximum.at(found, self.of, scores)
        return found


class Model(msgspec.Struct, frozen=True):
    """What was learnt: the weight of each gram and the layer over vectors."""

    bias: float
    grams: Floats
    layer: list[Any]

    def letters(self, lines: Lines) -> Floats:
        return np.asarray(lines.grams @ self.grams + self.bias)

    def scores(self, lines: Lines) -> Floats:
        inner, least, outer, last = self.layer
        return np.asarray(self.letters(lines) + np.maximum(lines.vectors @ inner + least, 0) @ outer + last)


def labels() -> Iterator[tuple[str, Labelled]]:
    """Every labelled line; text in an encoding has no words to learn from."""
    for name in MUCH:
        if name not in ("own", "nodes", "notes", "docs", "turns"):
            yield from ((name, one) for one in labelled(name) if not (one.hostile and one.kind == "encoded"))
    for line in OWN.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            language, sign, kind, text = line.split("\t")
            yield "own", Labelled(text.replace("\\n", "\n"), language, kind, "hostile" if sign == "+" else "harmless")
    yield from (("nodes", Labelled(line, "", "learn", "harmless")) for line in node_lines())
    for part in ("learn", "choose"):
        for source, some in real_lines(part).items():
            yield from (
                (source, Labelled(text, source, part, "harmless"))
                for text in some[: MOST.get(source, MANY if source in RICH else PAGES)]
            )


def node_lines() -> list[str]:
    """Lines of the demo: its notes, and what memdeck makes of them, with a style of its own."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "demo"
        place.mkdir()
        env = dict.fromkeys(("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), folder)
        make_demo(place, now=datetime(2026, 3, 15, 9, 30, tzinfo=UTC), env=env, git=False)
        files = [*place.glob("memory/*ly/*.md"), *place.glob("memory/working/*.md"), place / "memory/ROOT.md"]
        return sorted({line for file in files for line in file.read_text("utf-8").splitlines() if len(line) > 11})


def lines_of(found: list[tuple[str, Labelled]]) -> Lines:
    encoder = text_encoder()
    assert not isinstance(encoder, NoEncoder)
    cut = [(n, one.text[p.start : p.end]) for n, (_, one) in enumerate(found) for p in pieces(one.text)]
    texts = [plain(fold(text).text.strip()) for _, text in cut]
    by_run = matrix([np.concatenate([each for n, each in runs(text) if n in LENGTHS]) for text in texts])
    by_word = matrix([word_numbers(words(text)) for text in texts])
    return Lines(
        found,
        np.array([n for n, _ in cut]),
        np.array([MUCH.get(found[n][0], OTHERS) for n, _ in cut]),
        hstack([shrunk(by_run), shrunk(by_word)]).tocsr(),
        np.concatenate([rarity(by_run), rarity(by_word)]) * GRAM_SHARE,
        encoder.encode([text for _, text in cut]),
    )


def matrix(columns: Sequence[Sequence[int] | Any]) -> csr_matrix:
    """How often each text holds what a column stands for."""
    ends = np.cumsum([0, *map(len, columns)])
    numbers = np.array(list(chain.from_iterable(columns)), dtype=np.int64)
    made = csr_matrix((np.ones(len(numbers), np.float32), numbers, ends), shape=(len(columns), 1 << BITS))
    made.sum_duplicates()
    return made


def shrunk(counted: csr_matrix) -> csr_matrix:
    """Counts by the root of their sum: a long line does not outweigh a short one."""
    return diags(1 / np.sqrt(np.maximum(1, np.asarray(counted.sum(1)).ravel()))) @ counted


def rarity(counted: csr_matrix) -> Floats:
    """How freely the weight of each column grows: more for the rare, not at all for what one line alone holds."""
    lines = np.bincount(counted.indices, minlength=counted.shape[1])
    return np.asarray(np.where(lines < FEWEST, 0, np.log((1 + counted.shape[0]) / (1 + lines)) + 1))


def learned(lines: Lines, kept: Flags) -> Model:
    """The model that the `kept` lines teach."""
    some = np.flatnonzero(kept[lines.of])
    features, hostile = (lines.grams @ diags(lines.freely)).tocsr()[some], lines.hostile()[lines.of[some]]
    fitted = LogisticRegression(C=STRENGTH, class_weight="balanced", max_iter=200, solver="liblinear", random_state=0)
    fitted.fit(features, hostile, sample_weight=lines.much[some])
    layer = layer_of(lines.vectors[some], hostile, lines.much[some])
    return Model(float(fitted.intercept_[0]), fitted.coef_[0] * lines.freely, layer)


def layer_of(vectors: Any, hostile: Flags, much: Floats) -> list[Any]:
    """Two layers learnt by Adam, in batches drawn from a fixed seed; both labels weigh the same."""
    chance, size, step = np.random.default_rng(0), vectors.shape[1], 0
    both = np.where(hostile, much / much[hostile].sum(), much / much[~hostile].sum()) * len(much) / 2
    parts = [chance.normal(0, SCALE / np.sqrt(size), (size, UNITS)), np.zeros(UNITS),
             chance.normal(0, 1 / np.sqrt(UNITS), UNITS), np.zeros(1)]  # fmt: skip
    parts = [part.astype(np.float32) for part in parts]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    for turn in range(ROUNDS):
        order = chance.permutation(len(much))
        for batch in np.array_split(order, len(order) // 256 + 1):
            step += 1
            for number, slope in enumerate(slopes(parts, SCALE * vectors[batch], hostile[batch], both[batch])):
                first[number] = 0.9 * first[number] + 0.1 * slope
                second[number] = 0.999 * second[number] + 0.001 * slope * slope
                way = first[number] / (1 - 0.9**step) / (np.sqrt(second[number] / (1 - 0.999**step)) + 1e-8)
                parts[number] = (parts[number] - STEP * (1 - turn / ROUNDS) * way).astype(np.float32)
    return [SCALE * parts[0], *parts[1:]]


def slopes(parts: list[Any], vectors: Any, hostile: Flags, much: Floats) -> list[Any]:
    """How the loss of a batch grows with each weight."""
    inner, least, outer, last = parts
    units = np.maximum(vectors @ inner + least, 0)
    wrong = much * (1 / (1 + np.exp(-(units @ outer + last))) - hostile) / len(much)
    below = np.outer(wrong, outer) * (units > 0)
    return [
        vectors.T @ below + SHRINK * inner,
        below.sum(0),
        units.T @ wrong + SHRINK * outer,
        wrong.sum(keepdims=True),
    ]


def is_choice(name: str, one: Labelled) -> bool:
    return one.kind == "choose"


def cut(scores: Floats, lines: Lines, share: float) -> float:
    """The lowest threshold with which no more than `share` of prose and of pages to choose by lie above it, and of the
    notes among the prose, which are few, no more than twice that share."""
    choice = lines.where(is_choice)
    pages, notes = lines.where(lambda name, _: len(name) == 2), lines.where(lambda name, _: name == "notes")
    parts = ((choice & ~pages, share), (choice & pages, share), (choice & notes, 2 * share))
    return max(float(np.quantile(scores[part], 1 - some)) for part, some in parts)


def table(by_number: Floats) -> WeightTable:
    step = float(np.abs(by_number).max()) / 127
    return WeightTable(step, np.round(by_number / step).astype(np.int8).tobytes())


def rounded(numbers: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(float(one), 4) for one in numbers)


def orders(lines: Lines, model: Model) -> tuple[float, ...]:
    """The weights that tell a standing order from other poison, by the units of the layer."""
    some = np.flatnonzero(lines.hostile()[lines.of] & (lines.much >= 1))
    some = np.array([n for n in some if lines.labels[lines.of[n]][0] in ("own", *CHOSEN)])
    manner = np.array([lines.labels[lines.of[n]][1].kind in MANNERS for n in some])
    units = np.maximum(lines.vectors[some] @ model.layer[0] + model.layer[1], 0)
    fitted = LogisticRegression(C=0.1, class_weight="balanced", max_iter=500, random_state=0).fit(units, manner)
    return rounded([*fitted.coef_[0], fitted.intercept_[0]])


def judge(lines: Lines, ruled: Flags) -> None:
    """Prints what is flagged of authors, kinds and languages that taught the model nothing, a quarter at a time."""
    choice, chosen = lines.where(is_choice), lines.where(lambda name, _: name in CHOSEN)
    ways: dict[str, Callable[[str, Labelled], str]] = {
        "author": lambda name, _: name if name in CHOSEN else "",
        "kind": lambda name, one: SAME_KIND.get(one.kind, one.kind) if name in ("own", *CHOSEN) else "",
        "language": lambda name, one: one.language if name in ("own", *CHOSEN) else "",
    }
    for way, group in ways.items():
        names = np.array([group(*label) for label in lines.labels])
        parts = sorted(set(names[chosen & lines.hostile()]))
        for part in range(min(GROUPS, len(parts))):
            out = np.isin(names, parts[part::GROUPS]) & (lines.hostile() | (way != "kind"))
            model = learned(lines, ~(out | choice))
            letters, scores = lines.highest(model.letters(lines)), lines.highest(model.scores(lines))
            above = (letters > cut(letters, lines, LET_THROUGH)) & (scores > cut(scores, lines, ALARMS))
            told(lines, out & chosen, above | ruled, way, group)


def told(lines: Lines, some: Flags, flagged: Flags, way: str, group: Callable[[str, Labelled], str]) -> None:
    """Prints the share that is flagged of some lines: of each group, and where authors are left out of all else too."""
    groups = {way: group}
    if way == "author":
        groups |= {"kind": lambda _, one: SAME_KIND.get(one.kind, one.kind), "language": lambda _, one: one.language}
    for title, name_of in groups.items():
        names = np.array([name_of(*label) for label in lines.labels])
        for name in sorted(set(names[some & lines.hostile()])):
            own = some & (names == name)
            hostile, harmless = own & lines.hostile(), own & ~lines.hostile()
            near = f"{flagged[harmless].sum()} of {harmless.sum()}"
            print(
                f"{way} out, {title} {name}: {flagged[hostile].sum()} of {hostile.sum()}, near misses {near}",
                flush=True,
            )


def main(arguments: Sequence[str]) -> None:
    """With `judge` nothing is written."""
    lines = lines_of(list(labels()))
    if "judge" in arguments:
        judge(lines, lines.where(lambda name, one: name in CHOSEN and bool(find_exact(one.text))))
    else:
        write(lines)


def write(lines: Lines) -> None:
    model = learned(lines, ~lines.where(is_choice))
    runs_alone = np.concatenate([model.grams[: 1 << BITS], np.zeros(1 << BITS)])
    by_gram = np.split(model.grams, 2)
    found = Weights(
        threshold=round(cut(lines.highest(model.scores(lines)), lines, ALARMS), 3),
        alone=round(cut(lines.highest(model.letters(lines)), lines, ALARMS), 3),
        gate=round(cut(lines.highest(model.letters(lines)), lines, LET_THROUGH), 3),
        floor=round(cut(lines.highest(np.asarray(lines.grams @ runs_alone)), lines, SIFTED), 3),
        bias=round(model.bias, 3),
        runs=table(by_gram[0]),
        words=table(by_gram[1]),
        layer=Layer(
            table(model.layer[0].ravel()),
            rounded(model.layer[1]),
            rounded([*model.layer[2], float(model.layer[3][0])]),
            orders(lines, model),
        ),
    )
    OUT.write_bytes(msgspec.msgpack.encode(found))
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, {found.threshold}, {found.alone}, {found.gate}, {found.floor}")


if __name__ == "__main__":
    main(sys.argv[1:])
