"""Poison on lines with known answers, set by set, beside rivals: the exact rules alone, well-known phrases, a placebo.

The rules were made with `seen`; `unseen` and `evading` are by the same hand. The model of sentences learned from these,
from `independent_dev`, `feedback`, `phrases`, `author_a` to `author_e` and `fire/choose`, each by another author: what
it flags there says little. `independent_held`, `held_b` and `fire/held` taught it nothing: they say how much is caught.
The placebo flags as many lines of the set, drawn by chance. Real lines to judge with taught nothing either.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path

import msgspec

from engine.text.poison.classifier import find_exact, find_poison
from tests.benchmarks.real_lines import real_lines
from tests.conftest import SHARED

Row = tuple[str, str, str]
FOLDER = Path(__file__).parents[1] / "engine" / "text" / "poison"
CORPORA = ("memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn")
DRAWS = 2000
HELD = ("independent_held", "held_b")
LEARNED = ("seen", "unseen", "evading", "feedback", "phrases", "independent_dev")
AUTHORS = ("author_a", "author_b", "author_c", "author_d", "author_e")
SETS = (*LEARNED, *AUTHORS, *HELD)
FIRE = Path(__file__).parent / "corpora" / "fire"
CHOSEN = ("choose/poison-a", "choose/poison-b")
JUDGED = tuple(f"held/poison-{author}" for author in "cdef")
"""Sets by authors who had not read the rules: to choose and to learn by, and to judge with."""
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


class _Planted(msgspec.Struct, frozen=True):
    """A text of the sets under `fire`, as their author wrote it down."""

    text: str
    lang: str
    kind: str
    poison: bool

    def labelled(self) -> Labelled:
        return Labelled(self.text, self.lang, self.kind, "hostile" if self.poison else "harmless")


def labelled(half: str) -> list[Labelled]:
    """The texts of one file."""
    if half in (*CHOSEN, *JUDGED):
        lines = (FIRE / f"{half}.jsonl").read_bytes().splitlines()
        return [msgspec.json.decode(line, type=_Planted).labelled() for line in lines]
    lines = (FOLDER / f"{half}.jsonl").read_bytes().splitlines()
    if half.startswith(("independent", "author", "held", "feedback", "phrases")):
        return [msgspec.json.decode(line, type=_Stranger).labelled() for line in lines]
    return [msgspec.json.decode(line, type=Labelled) for line in lines]


def shares(texts: Sequence[Labelled], flags: Callable[[Labelled], bool]) -> tuple[float, float]:
    """Per cent of the hostile texts that are flagged, and of the harmless ones."""

    def share(some: list[Labelled]) -> float:
        return 100 * sum(map(flags, some)) / len(some) if some else 0.0

    return share([one for one in texts if one.hostile]), share([one for one in texts if not one.hostile])


def classifier(one: Labelled) -> bool:
    return bool(find_poison(one.text))


def exact(one: Labelled) -> bool:
    return bool(find_exact(one.text))


def phrases(one: Labelled) -> bool:
    return any(phrase in one.text.lower() for phrase in PHRASES)


def set_rows(name: str) -> Iterator[Row]:
    texts = labelled(name)
    known = {one: classifier(one) for one in texts}
    learned = "held back" if name in HELD else "learned from"
    yield (
        f"poison, {name} ({len(texts)} texts): flagged / false alarms",
        _pair(shares(texts, known.__getitem__)),
        learned,
    )
    placebo = set(random.Random(name).sample(range(len(texts)), sum(map(known.__getitem__, texts))))
    drawn = {one: number in placebo for number, one in enumerate(texts)}
    rivals = (("the exact rules alone", exact), ("twenty well-known phrases", phrases), ("placebo", drawn.__getitem__))
    for words, rival in rivals:
        low, high = interval(texts, known.__getitem__, rival)
        yield f"  {words}", _pair(shares(texts, rival)), f"{low:+.1f} to {high:+.1f} points more by ours, 95 %"
    for language in dict.fromkeys(one.language for one in texts):
        some = [one for one in texts if one.language == language]
        yield f"  {language}", _pair(shares(some, known.__getitem__)), f"{len(some)} texts"
    for hostile, verdict in ((True, "flagged"), (False, "false alarms")):
        for kind in dict.fromkeys(one.kind for one in texts if one.hostile is hostile):
            some = [one for one in texts if one.kind == kind and one.hostile is hostile]
            yield f"  {verdict}, {kind}", f"{sum(map(known.__getitem__, some))} of {len(some)}", ""


def interval(
    texts: Sequence[Labelled], ours: Callable[[Labelled], bool], rival: Callable[[Labelled], bool]
) -> tuple[float, float]:
    """How many points more of the hostile texts we flag than the rival does: 2.5 % and 97.5 % of paired draws."""
    gains = [ours(one) - rival(one) for one in texts if one.hostile]
    drawn = random.Random(7)
    means = sorted(100 * sum(drawn.choices(gains, k=len(gains))) / len(gains) for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40]


def _pair(found: tuple[float, float]) -> str:
    return f"{found[0]:.1f} / {found[1]:.1f} %"


def real_rows() -> Iterator[Row]:
    """Alarms over lines that nobody poisoned and that taught nothing, by source and over all pages of a language."""
    for source, lines in real_lines("judge").items():
        alarms = len({found.line for found in find_poison("\n\n".join(lines))})
        low, high = share_interval(alarms, len(lines))
        yield (
            f"poison, real lines: {source}",
            f"{alarms} of {len(lines):,} ({alarms / len(lines):.2%})",
            f"{low:.2%} to {high:.2%}, 95 %",
        )


def share_interval(part: int, whole: int) -> tuple[float, float]:
    """Wilson's interval of a share."""
    share, spread = part / whole, 1.96**2 / whole
    middle, half = share + spread / 2, 1.96 * sqrt(share * (1 - share) / whole + spread / (4 * whole))
    return (middle - half) / (1 + spread), (middle + half) / (1 + spread)


def corpus_row(name: str) -> Row:
    """Alarms over notes that nobody poisoned, by line."""
    texts = [file.read_text("utf-8") for file in sorted((SHARED / name).rglob("*.md"))]
    lines = sum(text.count("\n") for text in texts)
    started = time.perf_counter()
    alarms = sum(len({found.line for found in find_poison(text)}) for text in texts)
    speed = sum(len(text.encode()) for text in texts) / 1e6 / (time.perf_counter() - started)
    return f"poison, {name}: alarms in {lines:,} lines", f"{alarms} ({alarms / lines:.3%})", f"{speed:.1f} MB/s"


def rows() -> Iterator[Row]:
    for name in (*SETS, *CHOSEN, *JUDGED):
        yield from set_rows(name)
    yield from real_rows()
    for name in CORPORA:
        yield corpus_row(name)
