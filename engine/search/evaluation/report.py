"""Measures search on folders of notes with a `questions.jsonl` each, beside its rivals in the same run. The notes are
copied first, so that the measured folder is not changed and the questions are not searched."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

import msgspec

from engine.errors import UsageError
from engine.search.embedding.embedder import Embedder, NoEmbedder
from engine.search.evaluation.baselines import DEPTH, distinct_terms, full_text, full_text_chunks, fused, words_of
from engine.search.evaluation.figures import Interval, RetrievalFigures, figures, hit1_gain, mrr_gain, mrr_interval
from engine.search.evaluation.questions import NAME, EvaluationQuestion, EvaluationSet, read_questions
from engine.search.indexing.chunks import chunks
from engine.search.ranking.file_scores import TURNS
from engine.search.searcher import Searcher
from engine.search.values import RankingRule, SearchRequest
from engine.state.database import StateDatabase
from engine.text.tokens import counter
from engine.workspace.paths import WorkspaceRoot
from engine.workspace.scanner import Scanner
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import Progress, Tick

HitRanker = Callable[[str], Sequence[tuple[str, ...]]]  # the paths of each hit for a question, best hit first
OURS = "search"
MERGES = {
    OURS: "adaptive",
    "merge 0.4/0.6": "specification",
    "merge RRF": "rrf",
    "words alone": "words",
    "vectors alone": "meaning",
}
"""The name of each of our rankings in the report. Only the first one reads the days in a question."""
NAMED = 3  # labels that cannot be used are named up to so many; all of them in the report
_FIRST = 10  # hits by which a rule is seen to change something
_NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""Dates of notes only break ties between equal scores: any fixed day will do."""


class RankingRow(msgspec.Struct, frozen=True):
    """One ranking's figures. `gain` is that of our search over it in mean reciprocal rank, question by question;
    `hit1_gain` the same in percent of the questions whose evidence comes first."""

    name: str
    figures: RetrievalFigures
    mrr_interval: Interval
    gain: float = 0.0
    gain_interval: Interval = Interval(0.0, 0.0)
    hit1_gain: float = 0.0
    hit1_interval: Interval = Interval(0.0, 0.0)


class RuleReach(msgspec.Struct, frozen=True):
    """A ranking rule's reach in percent: files that it applies to; questions whose first ten hits change without it."""

    name: str
    files: float
    questions: float


class FolderRow(msgspec.Struct, frozen=True):
    """Our search on the questions of one folder among several."""

    folder: str
    figures: RetrievalFigures


class EvaluationReport(msgspec.Struct, frozen=True):
    """Our search, then the other rankings; ours again for each kind of question. `remarks`: what was left out.
    `adversarial`: questions without an answer, in no figure; `unusable`: labels by line, with the reason."""

    notes: int
    rows: tuple[RankingRow, ...]
    kinds: tuple[RankingRow, ...] = ()
    remarks: tuple[str, ...] = ()
    adversarial: int = 0
    unusable: tuple[str, ...] = ()
    rules: tuple[RuleReach, ...] = ()
    folders: tuple[FolderRow, ...] = ()


class EvaluationFolder:
    """A copy of a folder's notes under `base`, and a searcher over them."""

    def __init__(
        self,
        folder: Path,
        base: Path,
        load_embedder: Callable[[], Embedder | NoEmbedder],
        *,
        questions: EvaluationSet | None = None,
        tick: Tick | None = None,
    ) -> None:
        self.read = questions or read_questions(folder / NAME)
        workspace = base / "workspace"
        workspace.mkdir(parents=True)
        self.files = _copied(folder, workspace, self.read.about_transcripts)
        self.questions = [
            question for question in self.read.asked if question.answerable and not unusable_label(question, self.files)
        ]
        self.root = WorkspaceRoot.open(workspace)
        scanner = Scanner(self.root, cache_file=base / "cache", counter=counter("words*1.3"), zone="UTC")
        self.snapshot: Snapshot = scanner.scan(_NOW)
        self.searcher = Searcher(self.root, StateDatabase(base), load_embedder)
        self.searcher.update(self.snapshot, tick=tick)
        self._day_after = _day_after(self.snapshot)

    def close(self) -> None:
        self.searcher.close()
        self.root.close()

    def hits(
        self, merge: str, text: str, *, dates: bool = False, without: frozenset[RankingRule] = frozenset()
    ) -> Sequence[tuple[str, ...]]:
        """Returns the paths of each hit, its own first, best hit first: copies of one fact are one hit. `dates`: days
        in the question count, as seen from the day after the newest note."""
        request = SearchRequest(
            text=text,
            n=DEPTH,
            merge=merge,
            seconds=None,
            dates=dates and RankingRule.DATES not in without,
            seen_from=self._day_after,
            without=without,
        )
        return self.searcher.ranked(request, self.snapshot)

    def changed(self, rule: RankingRule, text: str) -> bool:
        """Tells whether the first ten hits of a question change without a rule."""
        whole, less = (self.hits(MERGES[OURS], text, dates=True, without=frozenset(those)) for those in ((), (rule,)))
        return whole[:_FIRST] != less[:_FIRST]

    def shaped(self, rule: RankingRule) -> int:
        """Counts the files that a rule applies to."""
        match rule:
            case RankingRule.SHORT_TURNS:
                return len(self.files) if self.searcher.weights is TURNS else 0
            case RankingRule.WINDOW:
                return sum(len(list(islice(chunks(text), 2))) > 1 for text in self.files.values())
            case RankingRule.USERS_WORDS:
                return self.searcher.weights.spoken * sum(
                    any(piece.role == "user" for piece in chunks(text)) for text in self.files.values()
                )
            case RankingRule.DATES:
                return sum(not facts.date.low_confidence for facts in self.snapshot.files.values())

    def ranked(self, merge: str, text: str) -> list[str]:
        """The paths of the hits, best first."""
        return [paths[0] for paths in self.hits(merge, text)]

    def rankers(self) -> dict[str, HitRanker]:
        """Every ranking in the comparison, ours first."""
        porter = full_text(self.files)
        rivals = {
            "RRF of three lists": fused(porter, partial(self.ranked, "words"), partial(self.ranked, "meaning")),
            "BM25 over 900 characters": full_text_chunks(self.files),
            "FTS5 porter, whole files": porter,
            "FTS5 trigram, whole files": full_text(self.files, "trigram"),
            "ripgrep, distinct words": distinct_terms(self.files),
        }
        first = partial(self.hits, MERGES[OURS], dates=True)
        ours: dict[str, HitRanker] = {OURS: first}
        ours |= {name: partial(self.hits, merge) for name, merge in MERGES.items() if name != OURS}
        one_by_one = {name: lambda text, rank=rank: [(path,) for path in rank(text)] for name, rank in rivals.items()}
        return ours | one_by_one


def _day_after(snapshot: Snapshot) -> date:
    """The day after the newest note with a date of its own: questions are asked when everything has been written."""
    days = (facts.date.day for facts in snapshot.files.values() if not facts.date.low_confidence)
    return max(days, default=_NOW.date()) + timedelta(days=1)


def _copied(folder: Path, workspace: Path, transcripts: bool) -> dict[str, str]:
    """Copies every note, or every transcript if the questions are about those. Returns the texts by path."""
    texts: dict[str, str] = {}
    for note in (transcripts and sorted((folder / "raw").rglob("*.md"))) or sorted(folder.rglob("*.md")):
        path = PurePosixPath(note.relative_to(folder))
        if note.is_symlink() or not note.is_file() or any(part.startswith(".") for part in path.parts):
            continue
        with suppress(OSError):
            data = note.read_bytes()
            target = workspace / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            texts[path.as_posix()] = data.decode("utf-8", "replace")
    return texts


class _Pool:
    def __init__(self) -> None:
        self.places: dict[str, list[float]] = {}
        self.asked: list[EvaluationQuestion] = []
        self.changed: dict[RankingRule, int] = dict.fromkeys(RankingRule, 0)
        self.shaped: dict[RankingRule, int] = dict.fromkeys(RankingRule, 0)
        self.notes = self.adversarial = 0
        self.remarks, self.unusable, self.folders = list[str](), list[str](), list[FolderRow]()

    def add(self, place: EvaluationFolder, name: str, within: str, tick: Tick | None) -> None:
        """Asks every ranking every question of a folder. `within` keeps the paths of two folders apart."""
        asked, of = place.questions, f", {name}" if within else ""
        for ranking, rank in place.rankers().items():
            found = ranks(asked, rank, f"{ranking}{of}", tick)
            self.places.setdefault(ranking, []).extend(found)
            if ranking == OURS:
                self.folders.append(FolderRow(name, figures(found)))
        for rule in RankingRule:
            self.shaped[rule] += place.shaped(rule)
            for number, question in enumerate(asked if self.shaped[rule] else ()):
                if tick is not None:
                    tick(Progress(f"asking, without {rule}{of}:", number, len(asked)))
                self.changed[rule] += place.changed(rule, question.text)
        self.asked += [
            msgspec.structs.replace(question, evidence=frozenset(within + path for path in question.evidence))
            for question in asked
        ]

    def note(self, place: EvaluationFolder, label: str) -> None:
        """Counts a folder's notes and labels, and records what was left out."""
        self.notes += len(place.files)
        self.adversarial += sum(not question.answerable for question in place.read.asked)
        self.unusable += [label + words for words in _unusable(place.read, place.files)]
        self.remarks += [label + words for words in _remarks(place)]

    def report(self) -> EvaluationReport:
        many = max(1, len(self.asked))
        return EvaluationReport(
            notes=self.notes,
            rows=rows_of(self.places, self.asked),
            kinds=kinds_of(self.places[OURS], self.asked),
            remarks=tuple(self.remarks),
            adversarial=self.adversarial,
            unusable=tuple(self.unusable),
            rules=tuple(
                RuleReach(rule, 100 * self.shaped[rule] / max(1, self.notes), 100 * self.changed[rule] / many)
                for rule in RankingRule
            ),
            folders=tuple(self.folders) if len(self.folders) > 1 else (),
        )


def evaluate(
    folders: Sequence[Path],
    base: Path,
    load_embedder: Callable[[], Embedder | NoEmbedder],
    *,
    questions: Path | None = None,
    keep: Callable[[EvaluationQuestion], bool] = lambda _: True,
    tick: Tick | None = None,
) -> EvaluationReport:
    """Asks every ranking every question of all folders together. `base` is an empty folder for the copies, `keep`
    selects questions, and `tick` may raise to stop. Raises `UsageError` for a bad folder or question."""
    for folder in folders:
        if not folder.is_dir():
            raise UsageError("there is no such folder", where=str(folder))
    if questions is not None and len(folders) > 1:
        raise UsageError("one file of questions cannot be about several folders", where=str(questions))
    read = {folder: read_questions(questions or folder / NAME) for folder in folders}
    pool = _Pool()
    for number, folder in enumerate(folders):
        several = len(folders) > 1
        place = EvaluationFolder(folder, base / str(number), load_embedder, questions=read[folder], tick=tick)
        try:
            place.questions = [question for question in place.questions if keep(question)]
            pool.note(place, f"{folder.name}: " if several else "")
            if place.questions:
                pool.add(place, folder.name, f"{number}/" if several else "", tick)
            elif not several:
                raise UsageError(_nothing_to_ask(read[folder], place.files), where=NAME)
        finally:
            place.close()
    if not pool.asked:
        raise UsageError("no question of any folder names a note of it", where=NAME)
    return pool.report()


def _nothing_to_ask(read: EvaluationSet, files: Mapping[str, str]) -> str:
    if not files:
        return "there is no note (*.md) in the folder"
    if not any(question.evidence for question in read.asked):
        return "no question says in `evidence_paths` which notes answer it"
    wanted = sorted(next(question.evidence for question in read.asked if question.evidence))[0]
    return f"no question's evidence is among the {len(files):,} notes; the first names {wanted[:80]}"


def unusable_label(question: EvaluationQuestion, files: Mapping[str, str]) -> str:
    """Returns the reason for which a question's label cannot be used; empty if it can."""
    if not words_of(question.text):
        return "asks for nothing"
    if not question.evidence:
        return "names no evidence"
    if not question.evidence & files.keys():
        return f"names {sorted(question.evidence)[0][:80]}, which is no note of the folder"
    return ""


def _unusable(read: EvaluationSet, files: Mapping[str, str]) -> tuple[str, ...]:
    reasons = ((question.line, unusable_label(question, files)) for question in read.asked if question.answerable)
    return tuple(f"line {line} {reason}" for line, reason in reasons if reason)


def _remarks(place: EvaluationFolder) -> tuple[str, ...]:
    remarks, read = list[str](), place.read
    if adversarial := sum(not question.answerable for question in read.asked):
        remarks.append(f"{adversarial:,} questions without an answer are counted apart: no figure holds them")
    if unusable := _unusable(read, place.files):
        remarks.append(
            f"{len(unusable):,} of {len(read.asked):,} questions cannot be used: {'; '.join(unusable[:NAMED])}"
        )
    if read.ignored:
        remarks.append(f"fields that say nothing to it: {', '.join(read.ignored[:12])}")
    if isinstance(embedder := place.searcher.embedder, NoEmbedder):
        remarks.append(f"by words alone: {embedder.reason}")
    return tuple(remarks)


def ranks(
    questions: Sequence[EvaluationQuestion], rank: HitRanker, name: str = "", tick: Tick | None = None
) -> list[float]:
    """Returns the rank of each question's first evidence; infinite if it was not found."""
    found: list[float] = []
    for number, question in enumerate(questions):
        if tick is not None:
            tick(Progress(f"asking, {name}:", number, len(questions)))
        places = (at for at, paths in enumerate(rank(question.text), 1) if not question.evidence.isdisjoint(paths))
        found.append(next(places, float("inf")))
    return found


def rows_of(found: Mapping[str, Sequence[float]], asked: Sequence[EvaluationQuestion]) -> tuple[RankingRow, ...]:
    """The figures of each ranking. The first is ours, and its gain over the others is computed in pairs."""
    groups = [question.evidence for question in asked]
    ours = next(iter(found.values()))
    return tuple(
        RankingRow(
            name,
            figures(places),
            mrr_interval(places, groups),
            *mrr_gain(ours, places, groups),
            *hit1_gain(ours, places, groups),
        )
        for name, places in found.items()
    )


def kinds_of(ours: Sequence[float], asked: Sequence[EvaluationQuestion]) -> tuple[RankingRow, ...]:
    """The figures of our ranking for each kind of question, if there are several."""
    kinds = sorted({question.kind for question in asked})
    rows = []
    for kind in kinds if len(kinds) > 1 else ():
        part = [
            (place, question.evidence) for place, question in zip(ours, asked, strict=True) if question.kind == kind
        ]
        places = [place for place, _ in part]
        rows.append(RankingRow(kind or "other", figures(places), mrr_interval(places, [group for _, group in part])))
    return tuple(rows)
