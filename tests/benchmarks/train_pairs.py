"""Fits `engine/extraction/statement_pairs.toml` on the chains of `choose`, and prints what each threshold reaches.

`python -m tests.benchmarks.train_pairs`: figures are of chains left out of the fit, an eighth at a time; `--write` then
fits on all of them. A pair is right where both turns are of one chain; wrong are pairs with its distractors, and with
the eight nearest statements of other chains of the same language. The places are weighed afterwards, beside the odds by
all other signs, on the statements that the prompt for a question recalls.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from engine.context.compile import later_words
from engine.context.compile.fenced_pieces import PromptPiece
from engine.context.compile.later_words import PairWeights, RecalledStatement, StatementPairs
from engine.text.encoder.encoder import TextEncoder, text_encoder
from tests.benchmarks.evaluate_chains import Chain, asked

CHAINS = Path(__file__).parent / "corpora/content/choose/chains.jsonl"
DATA = Path(__file__).parents[2] / "engine/extraction/statement_pairs.toml"
NEAREST, FOLDS, KEEP, PLACES = 8, 8, 3.0, 2
Floats = Any


def main(arguments: Sequence[str]) -> int:
    chains = [json.loads(line) for line in CHAINS.read_text("utf-8").splitlines()]
    encoder = text_encoder()
    assert isinstance(encoder, TextEncoder)
    rows = [row for number in range(len(chains)) for row in _pairs(encoder, chains, number)]
    number, right, signs = (np.array(column, float) for column in zip(*rows, strict=True))
    recalled = [one for language in sorted({one["lang"] for one in chains}) for one in _recalled(chains, language)]
    lists = [row for at, said in recalled for row in _recalled_pairs(encoder, chains[at], at, said)]
    whose, told, seen = (np.array(column, float) for column in zip(*lists, strict=True))
    odds, final = np.zeros(len(lists)), np.zeros(len(lists))
    for fold in range(FOLDS):
        bias, weights = _fitted(signs[number % FOLDS != fold, :-PLACES], right[number % FOLDS != fold])
        odds[whose % FOLDS == fold] = seen[whose % FOLDS == fold, :-PLACES] @ weights + bias
    both = np.c_[odds, seen[:, -PLACES:]]
    for fold in range(FOLDS):
        out = whose % FOLDS == fold
        bias, weights = _fitted(both[~out], told[~out])
        final[out] = both[out] @ weights + bias
    for least in (-2.0, -1.5, -1.0, -0.5, 0.0):
        found, wrong = (final[told == 1] > least).mean(), (final[told == 0] > least).mean()
        sys.stdout.write(f"{least:+.1f}: {found:.1%} of recalled pairs of a chain, {wrong:.3%} of the others\n")
    if "--write" in arguments:
        (first, plain), (bias, (scale, *places)) = _fitted(signs[:, :-PLACES], right), _fitted(both, told)
        comment = "".join(line for line in DATA.read_text("utf-8").splitlines(keepends=True) if line.startswith("#"))
        values = (first * scale + bias, *(plain * scale), *places)
        named = zip(PairWeights.__struct_fields__, values, strict=True)
        DATA.write_text(comment + "".join(f"{name} = {value:.4f}\n" for name, value in named), "utf-8")
    return 0


def _pairs(
    encoder: TextEncoder, chains: list[dict[str, Any]], at: int
) -> Iterator[tuple[int, bool, tuple[float, ...]]]:
    chain, own = chains[at], _said(chains[at])
    turns = len(chain["turns"])
    rest = [text for one in chains if one["lang"] == chain["lang"] and one is not chain for _, text in _said(one)]
    vectors = encoder.encode([*(text for _, text in own), *rest])
    near = [np.argsort(-(vectors[len(own) :] @ vectors[one]))[:NEAREST] for one in range(turns)]
    texts = [*(text for _, text in own), *(rest[place] for some in near for place in some)]
    pairs = StatementPairs(encoder, texts, chain["question"])
    for one, (day, _) in enumerate(own):
        for other, (later, _) in enumerate(own):
            if later >= day and one != other and min(one, other) < turns and (other > one or other < turns <= one):
                yield at, max(one, other) < turns, pairs.signs(one, other)
    for one in range(turns):
        for place in range(NEAREST):
            yield at, False, pairs.signs(one, len(own) + one * NEAREST + place)


def _recalled(chains: Sequence[Chain], language: str) -> Iterator[tuple[int, list[RecalledStatement]]]:
    """The numbers of the chains of a language, each with the statements that the prompt for its question recalls."""
    seen = list[list[RecalledStatement]]()

    def keep(pieces: Sequence[PromptPiece], read: Callable[[str], bytes], _: str) -> list[PromptPiece]:
        seen.append(list(islice(later_words.statements(pieces, read), later_words.MOST_STATEMENTS)))
        return list(pieces)

    with mock.patch.object(later_words, "with_later_words", keep):
        for chain, _ in asked([one for one in chains if one["lang"] == language]):
            yield chains.index(chain), seen[-1]


def _recalled_pairs(
    encoder: TextEncoder, chain: Chain, number: int, said: Sequence[RecalledStatement]
) -> Iterator[tuple[int, bool, tuple[float, ...]]]:
    turns = [_turn(chain, one.text) for one in said]
    pairs = StatementPairs(encoder, [one.text for one in said], chain["question"]) if said else None
    for one, other in product(range(len(said)), repeat=2):
        if pairs is not None and later_words.is_after(said[other], said[one]):
            yield number, 0 <= turns[one] < turns[other], pairs.signs(one, other)


def _turn(chain: Chain, text: str) -> int:
    """The number of the turn of a chain that says a text; -1 for none."""
    texts = [turn["text"] for turn in chain["turns"]]
    return next((at for at, turn in enumerate(texts) if text in turn or turn in text), -1)


def _said(chain: dict[str, Any]) -> list[tuple[str, str]]:
    """What the user said: the turns of the chain first, then its distractors."""
    return [(one["day"], one["text"]) for one in (*chain["turns"], *chain["others"]) if one["role"] == "user"]


def _fitted(signs: Floats, right: Floats) -> tuple[float, Floats]:
    """The bias and the weights of a logistic regression that keeps them small, by Newton's method."""
    middle, spread = signs.mean(0), signs.std(0) + 1e-9
    rows = np.c_[(signs - middle) / spread, np.ones(len(signs))]
    keep, weights = np.r_[np.full(signs.shape[1], KEEP), 0.0], np.zeros(signs.shape[1] + 1)
    for _ in range(25):
        chance = 1 / (1 + np.exp(-rows @ weights))
        bend = (rows * (chance * (1 - chance) + 1e-6)[:, None]).T @ rows + np.diag(keep)
        weights = weights + np.linalg.solve(bend, rows.T @ (right - chance) - keep * weights)
    plain = weights[:-1] / spread
    return float(weights[-1] - plain @ middle), plain


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
