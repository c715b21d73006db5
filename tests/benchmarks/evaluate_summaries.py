"""How much of what was asked about later survives in a summary, beside three baselines of the same length.

A sample is a note and the words of an answer (MemAware) or of a question (MemoryBank) that the note holds. Kept is the
share of those words that the summary still holds. The baselines take whole lines until the summary's length is reached.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from engine.models.extractive import ExtractiveSummariser
from engine.models.summary import NoteToSummarise, Summary
from engine.text.language import ENGLISH, HAN, HANGUL, KANA
from tests.conftest import SHARED

Baseline = Callable[[Sequence[str], int], str]

_HEADING = re.compile(r"\s*(?:#|-{3,}|[\w-]+: \S+$)")
_WIDE = re.compile(f"[{HAN}{KANA}{HANGUL}]+")
_WORD = re.compile(r"\w+")
_MOST_WORDS = 12
"""Longer answers are explanations, not facts that a note holds word for word."""
_HELD = 0.6
"""Share of an answer's words that a note must hold to count as its source."""


def words(text: str) -> list[str]:
    """Lower-cased words; runs of Chinese, Japanese and Korean as overlapping pairs."""
    return _WORD.findall(_WIDE.sub(_pairs, text.lower()))


def _pairs(run: re.Match[str]) -> str:
    text = run[0]
    return f" {' '.join(map(''.join, pairwise(text))) if len(text) > 1 else text} "


class Sample(msgspec.Struct, frozen=True):
    """A note, and the words that should survive."""

    note: NoteToSummarise
    asked: frozenset[str]


def rows() -> list[tuple[str, str, str]]:
    """One row per kind of note: name, share kept, and the same for the baselines."""
    kinds = (
        ("MemAware transcripts, words of the answer", memaware("evidence_transcripts")),
        ("MemAware days, words of the answer", memaware("evidence_days")),
        ("MemoryBank English, words of a later question", asked_later("en")),
        ("MemoryBank Chinese, words of a later question", asked_later("cn")),
        ("MemoryBank English, words that come up again", mentioned_later("en")),
        ("MemoryBank Chinese, words that come up again", mentioned_later("cn")),
    )
    return [_row(name, samples) for name, samples in kinds]


def _row(name: str, samples: Sequence[Sample]) -> tuple[str, str, str]:
    ours, length, others = kept(samples)
    beside = ", ".join(f"{label} {share:.1%}" for label, share in others.items())
    return name, f"{ours:.1%}", f"{beside} ({len(samples)} samples, {length:.0f} characters)"


def kept(samples: Sequence[Sample]) -> tuple[float, float, dict[str, float]]:
    """Mean share kept by our summaries, their mean length, and the mean share kept by each baseline."""
    notes = list({sample.note.path: sample.note for sample in samples}.values())
    summaries = dict(zip([n.path for n in notes], ExtractiveSummariser().summarise(notes, _no_tick), strict=True))
    texts = {path: text_of(summary) for path, summary in summaries.items()}
    baselines: dict[str, Baseline] = {"first lines": _first, "top TF-IDF lines": _central, "random lines": _random}
    ours = [share_of(sample.asked, texts[sample.note.path]) for sample in samples]
    others = {
        label: _mean(
            [share_of(sample.asked, baseline(_lines(sample.note), len(texts[sample.note.path]))) for sample in samples]
        )
        for label, baseline in baselines.items()
    }
    return _mean(ours), _mean([len(texts[sample.note.path]) for sample in samples]), others


def text_of(summary: Summary) -> str:
    parts = (summary.events, summary.decisions, summary.insights)
    return "\n".join(point.text for part in parts for point in part)


def memaware(field: str) -> list[Sample]:
    """Notes that hold a short answer, each with that answer's words; the same pair once."""
    root = SHARED / "memaware"
    found: dict[tuple[str, str], Sample] = {}
    for question in _questions(root / "questions.jsonl"):
        asked = _telling(question["answer"])
        if not 0 < len(asked) <= _MOST_WORDS:
            continue
        for path in question[field]:
            note = NoteToSummarise(path, (root / path).read_text(encoding="utf-8"))
            if share_of(asked, note.text) >= _HELD:
                found[path, question["answer"]] = Sample(note, asked)
    return list(found.values())


def asked_later(language: str) -> list[Sample]:
    """The days that a dated question asks about, each with the words of the question that the day holds."""
    found: list[Sample] = []
    for user in _users(language):
        for question in _questions(user / "questions.jsonl"):
            for path in question["evidence_days"]:
                note = NoteToSummarise(str(user / path), (user / path).read_text(encoding="utf-8"))
                asked = _telling(question["question"]) & frozenset(words(note.text))
                if asked:
                    found.append(Sample(note, asked))
    return found


def mentioned_later(language: str) -> list[Sample]:
    """Each day with the words that its user's later days take up; not names that all days hold, nor common words."""
    days = {
        user: [NoteToSummarise(str(p), p.read_text(encoding="utf-8")) for p in sorted(user.glob("memory/*.md"))]
        for user in _users(language)
    }
    held = {note.path: _telling(note.text) for notes in days.values() for note in notes}
    counts = Counter(word for found in held.values() for word in found)
    found: list[Sample] = []
    for notes in days.values():
        names = frozenset.intersection(*(held[note.path] for note in notes))
        for place, note in enumerate(notes):
            later = frozenset(word for other in notes[place + 1 :] for word in held[other.path])
            asked = frozenset(word for word in (held[note.path] & later) - names if counts[word] <= len(held) / 5)
            if asked:
                found.append(Sample(note, asked))
    return found


def _users(language: str) -> list[Path]:
    return sorted(path for path in (SHARED / f"memorybank-{language}").iterdir() if path.is_dir())


def _questions(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - ENGLISH


def share_of(asked: frozenset[str], text: str) -> float:
    return len(asked & frozenset(words(text))) / len(asked)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def _no_tick(done: int, total: int) -> None:
    """Nobody watches."""


def _lines(note: NoteToSummarise) -> list[str]:
    return [line.strip() for line in note.text.splitlines() if line.strip() and not _HEADING.match(line)]


def _cut(lines: Sequence[str], length: int) -> str:
    return "\n".join(lines)[:length]


def _first(lines: Sequence[str], length: int) -> str:
    return _cut(lines, length)


def _random(lines: Sequence[str], length: int) -> str:
    return _cut(random.Random(len(lines)).sample(lines, len(lines)), length)


def _central(lines: Sequence[str], length: int) -> str:
    return _cut(by_centre(lines), length)


def by_centre(lines: Sequence[str]) -> Sequence[str]:
    """Lines by their likeness to the centre of the note, nothing else weighed."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    if not any(words(line) for line in lines):
        return lines
    matrix = TfidfVectorizer(tokenizer=words, token_pattern=None, lowercase=False).fit_transform(lines)
    scores = (matrix @ matrix.sum(axis=0).T).ravel().tolist()[0]
    order = sorted(range(len(lines)), key=lambda place: (-round(scores[place], 9), place))
    return [lines[place] for place in order]
