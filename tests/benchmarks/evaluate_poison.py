"""Poison on lines with known answers, beside a list of well-known phrases and a guess at the same rate.

The lines are our own. `seen` is the half that the rules were made with; `unseen` was written before the rules, but by
the same hand and with the rules' words in mind, so its figure flatters. `evading` was written once the rules stood, by
one who knew them and wished to pass: it is the other end. `independent_dev` and `independent_held` are by an author
who never saw the rules: concepts and weights were made with the first, the second was only counted.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from engine.text.poison.classifier import find_poison
from tests.conftest import SHARED

Row = tuple[str, str, str]
FOLDER = Path(__file__).parents[1] / "engine" / "text" / "poison"
CORPORA = ("memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn")
DRAWS = 2000
TARGET = "reach for ≥ 90 % and ≤ 2 %"
PHRASES = (
    "ignore previous instructions", "ignore all previous instructions", "disregard the above", "forget everything",
    "you are now", "new instructions", "system prompt", "developer mode", "jailbreak", "do anything now", "act as",
    "pretend to be", "reveal your", "override", "bypass", "without asking", "do not tell", "curl", "rm -rf", "base64",
)  # fmt: skip


class Labelled(msgspec.Struct, frozen=True):
    """A text with its language, its kind, and the label `hostile` or `harmless`."""

    text: str
    language: str
    kind: str
    label: str

    @property
    def hostile(self) -> bool:
        return self.label == "hostile"


class _Stranger(msgspec.Struct, frozen=True):
    """A text of the independent sets, as their author wrote it down."""

    text: str
    lang: str
    kind: str
    hostile: bool

    def labelled(self) -> Labelled:
        return Labelled(self.text, self.lang, self.kind, "hostile" if self.hostile else "harmless")


def labelled(half: str) -> list[Labelled]:
    """The texts of one file: `seen`, `unseen` or `evading`."""
    lines = (FOLDER / f"{half}.jsonl").read_bytes().splitlines()
    if half.startswith("independent"):
        return [msgspec.json.decode(line, type=_Stranger).labelled() for line in lines]
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def shares(texts: Sequence[Labelled], flags: Callable[[Labelled], bool]) -> tuple[float, float]:
    """Per cent of the hostile texts that are flagged, and of the harmless ones."""

    def share(some: list[Labelled]) -> float:
        return 100 * sum(map(flags, some)) / len(some) if some else 0.0

    return share([one for one in texts if one.hostile]), share([one for one in texts if not one.hostile])


def classifier(one: Labelled) -> bool:
    return bool(find_poison(one.text))


def phrases(one: Labelled) -> bool:
    return any(phrase in one.text.lower() for phrase in PHRASES)


def half_rows(half: str) -> Iterator[Row]:
    texts = labelled(half)
    yield f"poison, {half} ({len(texts)} texts): flagged / false alarms", _pair(shares(texts, classifier)), TARGET
    yield "  twenty well-known phrases", _pair(shares(texts, phrases)), ""
    low, high = interval(texts)
    yield "  flagged more than by the phrases", f"{low:+.1f} to {high:+.1f} points", "paired bootstrap, 95 %"
    rate = sum(map(classifier, texts)) / len(texts)
    guess = random.Random(half)
    yield "  guesses at the same rate", _pair(shares(texts, lambda _: guess.random() < rate)), ""
    for language in dict.fromkeys(one.language for one in texts):
        some = [one for one in texts if one.language == language]
        yield f"  {language}", _pair(shares(some, classifier)), f"{len(some)} texts"
    for hostile, name in ((True, "flagged"), (False, "false alarms")):
        for kind in dict.fromkeys(one.kind for one in texts if one.hostile is hostile):
            some = [one for one in texts if one.kind == kind and one.hostile is hostile]
            yield f"  {name}, {kind}", f"{shares(some, classifier)[not hostile]:.0f} %", f"{len(some)} texts"


def interval(texts: Sequence[Labelled]) -> tuple[float, float]:
    """How many points more of the hostile texts the classifier flags than the phrases do: 2.5 % and 97.5 % of draws."""
    gains = [classifier(one) - phrases(one) for one in texts if one.hostile]
    drawn = random.Random(7)
    means = sorted(100 * sum(drawn.choices(gains, k=len(gains))) / len(gains) for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40]


def _pair(found: tuple[float, float]) -> str:
    return f"{found[0]:.1f} / {found[1]:.1f} %"


def corpus_row(name: str) -> Row:
    """Alarms over notes that nobody poisoned, by line."""
    texts = [file.read_text("utf-8") for file in sorted((SHARED / name).rglob("*.md"))]
    lines = sum(text.count("\n") for text in texts)
    started = time.perf_counter()
    alarms = sum(len({found.line for found in find_poison(text)}) for text in texts)
    speed = sum(len(text.encode()) for text in texts) / 1e6 / (time.perf_counter() - started)
    return f"poison, {name}: alarms in {lines:,} lines", f"{alarms} ({alarms / lines:.3%})", f"{speed:.1f} MB/s"


def rows() -> Iterator[Row]:
    yield from half_rows("seen")
    yield from half_rows("unseen")
    yield from half_rows("evading")
    yield from half_rows("independent_dev")
    yield from half_rows("independent_held")
    for name in CORPORA:
        yield corpus_row(name)
