"""The words of a text that a later question will need: weighed against the other entries, and picked by their price."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

import msgspec

from engine.text.language import ENGLISH, GERMAN, HAN, HANGUL, KANA
from engine.text.tokens import TokenCounter

_WIDE = f"{HAN}{KANA}{HANGUL}"
_TERM = re.compile(rf"[{_WIDE}]+|[^\W_{_WIDE}](?:[^\W{_WIDE}]|[.+#&/'’@-](?=[^\W_{_WIDE}])){{0,59}}[+#]{{0,2}}")
_MARKER = re.compile(r"⟨[^⟨⟩\n]{1,40}⟩")
"""The marks that stand for a secret or for a character that cannot be seen: memdeck's words, and none of the text."""
_WIDE_RUN = re.compile(f"[{_WIDE}]+")
_STOP = (
    ENGLISH
    | GERMAN
    | frozenset(
        """
        i'm i've i'd i'll it's that's let's don't can't won't didn't doesn't isn't aren't i’m i’ve i’d it’s that’s don’t
        you're you've they're we're we've there's here's what's really also like get got going go make made want need
        know think thinking good great thanks thank sure yes ok okay well maybe lot bit something anything things thing
        way much many even still around able try trying using use used new any help please would could should being
        does doing done having here very too let look looking sounds sound idea ideas tips recommend recommendations
        suggestions suggest wondering definitely since while both each other others another same own few most
        user assistant request analysis outcome decisions references
        """.split()  # noqa: SIM905  (a table reads better than a list of quoted words)
    )
)
_MODAL = frozenset({"may", "might"})
"""Small they tell nothing; with a capital, May is a month."""


class Keyword(msgspec.Struct, frozen=True, gc=False):
    """A word as written, and the stem that its other forms share."""

    surface: str
    key: str


def terms(text: str) -> Iterator[Keyword]:
    """The telling words of a text in order; Chinese, Japanese and Korean as overlapping pairs (decision D12)."""
    for match in _TERM.finditer(_MARKER.sub(" ", text) if "⟨" in text else text):
        word = match[0]
        if _is_wide(word[0]):
            for pair in ("".join(two) for two in pairwise(word)) if len(word) > 1 else (word,):
                yield Keyword(pair, pair)
            continue
        key = stem(word)
        if key and len(word) > 1:
            yield Keyword(word, key)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English Snowball stem, lower case; empty for words that tell nothing. Other scripts stay as they are."""
    if word in _MODAL:
        return ""
    lower = word.casefold().replace("’", "'")
    if lower in _STOP:
        return ""
    lower = lower.removesuffix("'s")
    if lower in _STOP:
        return ""
    return _stemmed()(lower) if lower.isascii() else lower


@lru_cache(maxsize=1)
def _stemmed() -> Callable[[str], str]:
    import Stemmer  # not before the first word is read: `status` starts without it

    found: Callable[[str], str] = Stemmer.Stemmer("english").stemWord
    return found


def _is_wide(char: str) -> bool:
    return not char.isascii() and _WIDE_RUN.match(char) is not None


class Weighting(msgspec.Struct, frozen=True, kw_only=True):
    """The weights of a word: tf^`tf` × idf^`rarity` × entries^`spread` × bonuses ÷ tokens^`price`.

    Measured: a question uses the words a day keeps coming back to, not those that stand there once.
    """

    tf: float = 1.0
    rarity: float = 0.5
    price: float = 0.8
    spread: float = 0.3
    name: float = 1.2
    """Bonus of a capitalised word that is not the first of its sentence, and of one with digits."""
    number: float = 0.4
    """The share left of the weight of a bare number, which tells nothing without its words."""


RANKED, RANK_HALVES = 4.0, 10
"""The weight of the first word of a keyword line, and the number of words after which it is half."""
MEASURED = Weighting()
"""`tests/benchmarks/evaluate_tree.py` compares others with it."""


class KeywordBag(msgspec.Struct, frozen=True):
    """The words of one stretch of text: their weight by stem, and the form each is written in."""

    counts: dict[str, float]
    surfaces: dict[str, str]
    names: frozenset[str]
    spread: dict[str, int] = {}
    """In how many entries each stem stands, where that was counted."""


class WeightedText(NamedTuple):
    """A text with its prior. `ranked`: a line of keywords, the weightiest first."""

    text: str
    prior: float = 1.0
    ranked: bool = False


def bag(texts: Iterable[WeightedText]) -> KeywordBag:
    """The bag of some texts with their priors."""
    counts: dict[str, float] = {}
    forms: dict[str, Counter[str]] = {}
    names: set[str] = set()
    for text, prior, ranked in texts:
        for place, term in enumerate(terms(text)):
            worth = prior * RANKED / (1 + place / RANK_HALVES) if ranked else prior
            counts[term.key] = counts.get(term.key, 0.0) + worth
            forms.setdefault(term.key, Counter())[term.surface] += 1
            if place and (term.surface[0].isupper() or any(map(str.isdigit, term.surface))):
                names.add(term.key)
    surfaces = {key: min(found, key=lambda form: (-found[form], len(form), form)) for key, found in forms.items()}
    return KeywordBag(counts, surfaces, frozenset(names))


def merged(bags: Sequence[KeywordBag]) -> KeywordBag:
    """Several bags as one, with the number of them that each stem is in."""
    if len(bags) == 1:
        return bags[0]
    counts: dict[str, float] = {}
    surfaces: dict[str, str] = {}
    spread: dict[str, int] = {}
    for one in bags:
        surfaces |= one.surfaces
        for key, count in one.counts.items():
            counts[key] = counts.get(key, 0.0) + count
            spread[key] = spread.get(key, 0) + 1
    return KeywordBag(counts, surfaces, frozenset[str]().union(*(one.names for one in bags)), spread)


def rarity(bags: Sequence[KeywordBag]) -> dict[str, float]:
    """Computes how rare each stem is among the bags: ln(1 + N / df)."""
    found: Counter[str] = Counter()
    for one in bags:
        found.update(one.counts.keys())
    return {key: math.log(1 + len(bags) / count) for key, count in found.items()}


class Prices:
    """Tokens of a word with the blank before it, each counted once."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    def of(self, word: str) -> int:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = max(1, self._counter.count(" " + word))
        return found


def weigh(one: KeywordBag, rare: Mapping[str, float], prices: Prices, how: Weighting = MEASURED) -> dict[str, float]:
    """The weight of each stem of a bag."""
    weights: dict[str, float] = {}
    for key, count in one.counts.items():
        value = count**how.tf * rare.get(key, 1.0) ** how.rarity * one.spread.get(key, 1) ** how.spread
        if key in one.names:
            value *= how.name
        if key.isdigit():
            value *= how.number
        weights[key] = round(value / prices.of(one.surfaces[key]) ** how.price, 9)
    return weights


def pick(weights: Mapping[str, float], one: KeywordBag, prices: Prices, budget: int) -> list[str]:
    """The stems that fit into so many tokens, the weightiest first; always the same for the same text."""
    chosen: list[str] = []
    left = budget
    for key in sorted(weights, key=lambda key: (-weights[key], key)):
        price = prices.of(one.surfaces[key])
        if price <= left:
            chosen.append(key)
            left -= price
        if left <= 0:
            break
    return chosen


def telegram(one: KeywordBag, texts: Iterable[str], chosen: Mapping[str, str], said: set[str]) -> str:
    """The chosen words of a bag, the weightiest first, each once; what `said` holds is left out, and grows.

    `chosen` maps a stem to the form to write, the weightiest first. Pairs of wide characters that follow each other in
    the texts become one word again.
    """
    pieces: list[tuple[int, str]] = []
    wide: dict[str, int] = {}
    for rank, (key, form) in enumerate(chosen.items()):
        if key in said or key not in one.counts:
            continue
        if _is_wide(key[0]):
            wide[key] = rank
        else:
            said.add(key)
            pieces.append((rank, form))
    for text in texts if wide else ():
        for match in _WIDE_RUN.finditer(text):
            pieces += _wide_runs(match[0], wide, said)
    return " ".join(piece for _, piece in sorted(pieces))


def _wide_runs(word: str, chosen: Mapping[str, int], said: set[str]) -> list[tuple[int, str]]:
    """Stretches of wide characters that chosen pairs cover and that were not said yet, each with its best rank."""
    covered = [0] * len(word)
    for place in range(max(1, len(word) - 1)):
        pair = word[place : place + 2]
        if pair in chosen and pair not in said:
            said.add(pair)
            rank = chosen[pair] + 1
            covered[place : place + len(pair)] = [
                min(rank, known) if known else rank for known in covered[place : place + len(pair)]
            ]
    runs: list[tuple[int, str]] = []
    for is_chosen, group in groupby(zip(word, covered, strict=True), key=lambda pair: pair[1] > 0):
        found = list(group)
        if is_chosen:
            runs.append((min(rank for _, rank in found) - 1, "".join(char for char, _ in found)))
    return runs
