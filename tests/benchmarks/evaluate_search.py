"""Retrieval on questions with known answers: what search finds, beside the best known rivals in the same run.

`python -m tests.benchmarks.evaluate_search FOLDER` does the same on any folder with a `questions.jsonl`, whose lines
hold `question` and `evidence_transcripts` (or `evidence_paths`). The questions themselves are never indexed.
"""

import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import mean

import apsw
import msgspec

from engine.models.language import ENGLISH
from engine.search.choice import Wish, load_embedder
from engine.search.searcher import Searcher
from engine.search.values import Request
from engine.workspace.paths import Root
from engine.workspace.scan import Scanner
from engine.workspace.snapshot import Snapshot
from engine.workspace.tokens import counter
from tests.conftest import SHARED

Row = tuple[str, str, str]
Ranker = Callable[[str], Sequence[str]]
"""Paths for a question, best first."""

DEPTH = 200
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RESAMPLES = 1_000
MERGES = ("adaptive", "specification", "rrf", "words")


class Question(msgspec.Struct):
    question: str
    evidence_transcripts: list[str] = []
    evidence_paths: list[str] = []
    category: str = ""

    @property
    def evidence(self) -> frozenset[str]:
        return frozenset(self.evidence_transcripts or self.evidence_paths)


class Place:
    """A folder with questions, its transcripts copied beside nothing else, and a searcher over them."""

    def __init__(self, folder: Path, base: Path, wish: Wish) -> None:
        lines = (folder / "questions.jsonl").read_bytes().splitlines()
        asked = (msgspec.json.decode(line, type=Question) for line in lines if line.strip())
        workspace = base / "workspace"
        self.files = _copied(folder, workspace)
        self.questions = [one for one in asked if one.evidence & self.files.keys()]
        self.root = Root.open(workspace)
        scanner = Scanner(self.root, cache_file=base / "cache", counter=counter("words*1.3"), zone="UTC")
        self.snapshot: Snapshot = scanner.scan(NOW)
        self.searcher = Searcher(self.root, base, partial(load_embedder, wish))
        self.searcher.update(self.snapshot)

    def close(self) -> None:
        self.searcher.close()
        self.root.close()

    def ranked(self, merge: str, text: str) -> list[str]:
        request = Request(text=text, n=DEPTH, merge=merge, seconds=None)
        return [path for path, _ in self.searcher.ranked(request, self.snapshot)]


def _copied(folder: Path, workspace: Path) -> dict[str, str]:
    """Copies every transcript, or every note where there are no transcripts, and gives the texts by path."""
    notes = sorted((folder / "raw").rglob("*.md")) or sorted(folder.rglob("*.md"))
    texts: dict[str, str] = {}
    for note in notes:
        path = note.relative_to(folder)
        target = workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(note.read_bytes())
        texts[path.as_posix()] = note.read_text("utf-8", "replace")
    return texts


# ── rivals ────────────────────────────────────────────────────────────────────────────────────────────────────────


def distinct_terms(files: Mapping[str, str]) -> Ranker:
    """What a loop around ripgrep does: files by how many of the query's words they hold."""
    lowered = {path: text.lower() for path, text in files.items()}

    def rank(text: str) -> list[str]:
        words = _words(text)
        counts = {path: sum(word in body for word in words) for path, body in lowered.items()}
        return sorted(counts, key=lambda path: -counts[path])

    return rank


def full_text(files: Mapping[str, str], tokenizer: str = "porter unicode61") -> Ranker:
    """FTS5 over whole files, quoted words joined with OR."""
    database = apsw.Connection(":memory:")
    database.execute(f"CREATE VIRTUAL TABLE notes USING fts5(path UNINDEXED, body, tokenize='{tokenizer}')")
    database.executemany("INSERT INTO notes VALUES (?, ?)", files.items())

    def rank(text: str) -> list[str]:
        condition = " OR ".join(f'"{word}"' for word in _words(text))
        sql = f"SELECT path FROM notes WHERE notes MATCH ? ORDER BY rank LIMIT {DEPTH}"
        return [str(row[0]) for row in database.execute(sql, (condition,))] if condition else []

    return rank


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(word for word in re.findall(r"\w+", text.lower()) if word not in ENGLISH))


# ── figures ───────────────────────────────────────────────────────────────────────────────────────────────────────


def ranks(questions: Sequence[Question], rank: Ranker) -> list[float]:
    """The place of the first evidence for each question; infinite where it was not found."""
    found: list[float] = []
    for one in questions:
        places = (number for number, path in enumerate(rank(one.question), 1) if path in one.evidence)
        found.append(next(places, float("inf")))
    return found


def shares(places: Sequence[float]) -> tuple[float, float, float, float]:
    """hit@1, @5, @10 in per cent, and the mean reciprocal rank."""
    hit1, hit5, hit10 = (100 * mean(place <= most for place in places) for most in (1, 5, 10))
    return hit1, hit5, hit10, mean(1 / place for place in places)


def interval(places: Sequence[float]) -> str:
    """The middle 95 % of the mean reciprocal rank over resampled questions."""
    chance = random.Random(5)
    inverse = [1 / place for place in places]
    means = sorted(mean(chance.choices(inverse, k=len(inverse))) for _ in range(RESAMPLES))
    return f"MRR 95 %: {means[25]:.3f}–{means[-26]:.3f}"


def line(places: Sequence[float]) -> str:
    return "{:.1f}/{:.1f}/{:.1f} {:.3f}".format(*shares(places))


def keyword_questions(files: Mapping[str, str], count: int = 300) -> list[Question]:
    """Two to four rare words from one paragraph of one file, as a person types who knows what he looks for."""
    chance = random.Random(11)
    found: dict[str, set[str]] = {}
    paragraphs = [(path, part) for path, text in sorted(files.items()) for part in text.split("\n\n") if len(part) > 80]
    for path, part in paragraphs:
        for word in _words(part):
            found.setdefault(word, set()).add(path)
    made: list[Question] = []
    while len(made) < count and paragraphs:
        path, part = chance.choice(paragraphs)
        rare = sorted((word for word in _words(part) if word.isalpha() and len(word) > 3), key=lambda w: len(found[w]))
        if len(rare) >= 6:
            words = chance.sample(rare[: max(6, len(rare) // 3)], chance.choice((2, 3, 3, 4)))
            made.append(Question(" ".join(words), evidence_paths=[path]))
    return made


def report(name: str, place: Place) -> Iterator[Row]:
    """Ours per difficulty, then the other merges and the rivals."""
    ours = ranks(place.questions, partial(place.ranked, "adaptive"))
    yield f"{name}: search ({len(place.questions)} questions)", line(ours), interval(ours)
    kinds = sorted({one.category for one in place.questions})
    for kind in kinds if len(kinds) > 1 else ():
        part = [at for at, one in zip(ours, place.questions, strict=True) if one.category == kind]
        yield f"    {kind} ({len(part)})", line(part), ""
    for merge in MERGES[1:]:
        yield f"  merge {merge}", line(ranks(place.questions, partial(place.ranked, merge))), ""
    yield "  FTS5 porter, whole files", line(ranks(place.questions, full_text(place.files))), ""
    yield "  FTS5 trigram, whole files", line(ranks(place.questions, full_text(place.files, "trigram"))), ""
    yield "  ripgrep, distinct words", line(ranks(place.questions, distinct_terms(place.files))), ""


def keyword_report(place: Place) -> Iterator[Row]:
    asked = keyword_questions(place.files)
    for merge in MERGES:
        found = ranks(asked, partial(place.ranked, merge))
        yield (
            f"  keywords ({len(asked)}), merge {merge}",
            line(found),
            "reach for ≥ words" if merge == "adaptive" else "",
        )


def memory_bank(language: str, wish: Wish) -> Iterator[Row]:
    """All users of one language: each asks in a workspace of his own."""
    places: dict[str, list[float]] = {}
    questions = 0
    for folder in sorted((SHARED / f"memorybank-{language}").iterdir()):
        with tempfile.TemporaryDirectory() as base:
            place = Place(folder, Path(base), wish)
            questions += len(place.questions)
            for merge in MERGES:
                places.setdefault(f"merge {merge}", []).extend(ranks(place.questions, partial(place.ranked, merge)))
            rivals = {"FTS5 porter": full_text(place.files), "FTS5 trigram": full_text(place.files, "trigram")}
            for name, rank in rivals.items():
                places.setdefault(name, []).extend(ranks(place.questions, rank))
            place.close()
    target = {"cn": 69, "en": 63}[language]
    for name, found in places.items():
        compared = f"reach for > {target} hit@1 · {interval(found)}" if name == "merge adaptive" else ""
        yield f"MemoryBank {language} ({questions}), {name}", line(found), compared


def rows(wish: Wish | None = None) -> Iterator[Row]:
    """hit@1/@5/@10 in per cent and MRR, on the data sets."""
    chosen = wish or Wish()
    yield "best of nine baselines, MemAware", "19.6/37.4/46.5 0.286", "reach for more"
    with tempfile.TemporaryDirectory() as base:
        place = Place(SHARED / "memaware", Path(base), chosen)
        yield from report("MemAware", place)
        yield from keyword_report(place)
        place.close()
    for language in ("cn", "en"):
        yield from memory_bank(language, chosen)


def main(arguments: Sequence[str]) -> int:
    for folder in arguments:
        with tempfile.TemporaryDirectory() as base:
            place = Place(Path(folder), Path(base), Wish())
            for label, value, comparison in report(Path(folder).name, place):
                print(f"{label:<48} {value:>22}  {comparison}", flush=True)
            place.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
