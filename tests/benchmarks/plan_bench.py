"""Planning a compaction of 1,000 notes against the time to tokenise and vectorise the same notes."""

import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta

from engine.compactor.options import CompactorHistory
from engine.compactor.plan import plan_compaction
from engine.models.extractive import ExtractiveSummariser
from engine.plans.planning import Planning
from engine.plans.policy.values import Policy
from engine.text.tokens import counter
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import Capability
from tests.benchmarks.figure import Figure

NOTES = 1_000
NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
STARTS = ("We", "The team", "The deploy", "Decided:", "Lesson:", "The customer", "Always", "The queue", "A test")


def make_notes() -> dict[str, str]:
    """Notes of about 250 words in 5 sections, words by a Zipf-like law, from a fixed seed."""
    chance = random.Random(11)
    words = [f"{chance.choice('bcdfglmnprst')}{chance.choice('aeiou')}{number:x}" for number in range(6_000)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    return {f"memory/working/note-{number:04}.md": _note(chance, words, weights) for number in range(NOTES)}


def _note(chance: random.Random, words: list[str], weights: list[float]) -> str:
    lines = [f"# {' '.join(chance.choices(words, weights, k=3))}", ""]
    for section in range(5):
        lines.append(f"## Section {section}")
        for _ in range(5):
            lines.append(f"- {chance.choice(STARTS)} {' '.join(chance.choices(words, weights, k=9))}.")
    return "\n".join(lines) + "\n"


def _day(path: str) -> date:
    """Sixty days, one after the other."""
    return date(2026, 1, 1) + timedelta(days=int(path[-7:-3]) % 60)


def tokenise_and_vectorise(notes: dict[str, str]) -> None:
    """The floor: count the tokens of every note, and weigh the words of every line."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    tokens = counter("o200k_base")
    for text in notes.values():
        tokens.count(text)
    TfidfVectorizer().fit_transform(list(_lines(notes)))


def _lines(notes: dict[str, str]) -> Iterator[str]:
    return (line for text in notes.values() for line in text.split("\n") if line)


def best(*works: Callable[[], object], rounds: int = 3) -> list[float]:
    """Processor seconds of each work's fastest round; they take turns, so that other load meets them alike."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for seconds, work in zip(times, works, strict=True):
            started = time.process_time()
            work()
            seconds.append(time.process_time() - started)
    return [min(seconds) for seconds in times]


def ratios() -> list[Figure]:
    notes = make_notes()
    data = {path: text.encode() for path, text in notes.items()}
    compactor = frozenset({Capability.COMPACTOR})
    snapshot = snapshot_of(data, NOW, counter("o200k_base"), capabilities=compactor, undated=_day)

    def plan() -> None:
        planning = Planning(snapshot=snapshot, policy=Policy(), now=NOW, counter=counter("o200k_base"))
        history = CompactorHistory(applied=True)
        outcome = plan_compaction(planning, summariser=ExtractiveSummariser(), history=history)
        assert outcome.plan is not None

    tokenise_and_vectorise(notes)
    floor, reached = best(lambda: tokenise_and_vectorise(notes), plan)
    return [
        Figure(
            f"plan a compaction of {NOTES:,} notes ÷ tokenise and vectorise them",
            reached / floor,
            2.0,
            detail=f"{reached * 1000:.0f} ms ÷ {floor * 1000:.0f} ms",
        )
    ]
