"""Topics on messages with known answers: the whole pipeline without a model, beside its baselines in the same run.

Two kinds of topic files: as generated (a pattern each, gated, medium), and with their instructions alone
(`similarity_only`). `… evaluate_topics calibrate` prints the table of `engine.topics.calibration` anew,
`… evaluate_topics weights` the weights of the offline gate that cross-validation prefers.
"""

import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from engine.search.embedding import Missing
from engine.search.static import static_embedder
from engine.topics.calibration import SCALE, calibrated
from engine.topics.deliberation import Question, Verdict
from engine.topics.files import read_topics
from engine.topics.gate_cache import GateCache
from engine.topics.matcher import Matcher
from engine.topics.offline_gate import CUT, RIVALS, OfflineGate
from engine.topics.tier1 import PatternMatcher
from engine.topics.tier2 import ScorerName, SimilarityScorer
from engine.topics.values import MatchResult, TopicSet
from engine.topics.values import Message as TopicMessage
from tests.conftest import SHARED

Row = tuple[str, str, str]
Floats = NDArray[np.float64]
NOW = datetime(2026, 1, 1, tzinfo=UTC)
FOLDS = 5
CUTS = np.round(np.arange(0.0, 0.9, 0.005), 3)
SCORERS: tuple[ScorerName, ...] = get_args(ScorerName)
TARGET = "reach for F1 > 78, out of scope > 96, neighbours > 88"
OOS, NEIGHBOUR = 96.0, 88.0


class Message(msgspec.Struct):
    text: str
    topics: list[str]
    kind: str
    intent: str = ""


class Quality(NamedTuple):
    """In per cent: precision, recall, F1, and the share of messages rejected as out of scope and as neighbours."""

    precision: float
    recall: float
    f1: float
    out_of_scope: float
    neighbours: float

    def __str__(self) -> str:
        return "P {:.1f} R {:.1f} F1 {:.1f} · oos {:.1f} nbr {:.1f}".format(*self)


def messages(folder: Path) -> list[Message]:
    return [msgspec.json.decode(line, type=Message) for line in (folder / "messages.jsonl").read_bytes().splitlines()]


def topic_files(folder: Path, *, instructions_only: bool) -> TopicSet:
    """The topics as generated, or without their patterns."""
    contents = {f"topics/{file.name}": file.read_bytes() for file in sorted((folder / "topics").glob("*.md"))}
    if instructions_only:
        bare = re.compile(rb"(?ms)^triggers:\n(?:[ -].*?\n)+(?=\w)")
        contents = {path: bare.sub(b"similarity_only: true\n", data, count=1) for path, data in contents.items()}
    found = read_topics(contents)
    assert not [problem for problem in found.problems if problem.error], found.problems
    assert all(bool(topic.triggers) != instructions_only for topic in found.topics)
    return found


def embedder() -> Any:
    found = static_embedder(centred=True)
    return None if isinstance(found, Missing) else found


def matcher(topics: TopicSet, gate: Any, similarity: SimilarityScorer) -> Matcher:
    return Matcher(
        topics,
        patterns=PatternMatcher(topics.topics),
        similarity=similarity,
        gate=gate,
        cache=GateCache(),
        zone="UTC",
        timer=time.perf_counter,
    )


def run(made: Matcher, asked: Sequence[Message]) -> list[MatchResult]:
    return [made.match(TopicMessage(id=str(at), text=one.text), NOW) for at, one in enumerate(asked)]


def quality(asked: Sequence[Message], active: Sequence[Sequence[str]]) -> Quality:
    """Over all pairs of message and topic."""
    pairs = list(zip(asked, active, strict=True))
    right = sum(len(set(one.topics) & set(woken)) for one, woken in pairs)
    said, wanted = sum(map(len, active)), sum(len(one.topics) for one in asked)
    precision, recall = right / max(1, said), right / max(1, wanted)
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    return Quality(*(100 * x for x in (precision, recall, f1, _silent(pairs, "oos"), _silent(pairs, "other-intent"))))


def _silent(pairs: Sequence[tuple[Message, Sequence[str]]], kind: str) -> float:
    of_kind = [woken for one, woken in pairs if one.kind == kind]
    return sum(not woken for woken in of_kind) / max(1, len(of_kind))


# ── the gate's weights and its cut ────────────────────────────────────────────────────────────────────────────────────


class Witness:
    """A gate that writes down what it is asked, and always says no."""

    name = "witness"
    keeps = False

    def __init__(self) -> None:
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Verdict:
        self.asked.append(question)
        return Verdict(yes=False, by=self.name)


class Asked(NamedTuple):
    """The best candidate of a message, as the gate sees it."""

    message: int
    topic: str
    score: float
    rivals: float


def best_questions(topics: TopicSet, similarity: SimilarityScorer, asked: Sequence[Message]) -> list[Asked]:
    """What the offline gate could say yes to: per message the question about its best candidate."""
    witness = Witness()
    made = matcher(topics, witness, similarity)
    found: list[Asked] = []
    for at, one in enumerate(asked):
        witness.asked.clear()
        made.match(TopicMessage(id=str(at), text=one.text), NOW)
        best = [question for question in witness.asked if question.best]
        found += [Asked(at, each.topic.id, each.score, each.rivals) for each in best]
    return found


def folds(asked: Sequence[Message]) -> list[int]:
    """A fold per message: all of one topic's, and all of one neighbour's, in the same, so that none is known before."""
    chance = random.Random(7)
    names = sorted({name for one in asked for name in (*one.topics, one.intent) if name})
    chance.shuffle(names)
    place = {name: at % FOLDS for at, name in enumerate(names)}
    return [
        place[(*one.topics, one.intent)[0]] if one.topics or one.intent else chance.randrange(FOLDS) for one in asked
    ]


def with_cut(asked: Sequence[Message], questions: Sequence[Asked], rivals: float, cut: float) -> list[list[str]]:
    active: list[list[str]] = [[] for _ in asked]
    for each in questions:
        if each.score - rivals * each.rivals >= cut:
            active[each.message].append(each.topic)
    return active


def best_cut(asked: Sequence[Message], questions: Sequence[Asked], rivals: float) -> tuple[float, Quality]:
    """The cut with the best F1 among those that reject enough; the strictest where none does."""
    found = [(float(cut), quality(asked, with_cut(asked, questions, rivals, float(cut)))) for cut in CUTS]
    enough = [each for each in found if each[1].out_of_scope > OOS and each[1].neighbours > NEIGHBOUR]
    return max(enough, key=lambda each: each[1].f1) if enough else found[-1]


def cross_validated(asked: Sequence[Message], questions: Sequence[Asked], rivals: float) -> tuple[Quality, list[float]]:
    """Each fold judged with the cut that the others chose."""
    fold = folds(asked)
    active: list[list[str]] = [[] for _ in asked]
    cuts = []
    for number in range(FOLDS):
        known = {at for at, one in enumerate(fold) if one != number}
        order = {at: place for place, at in enumerate(sorted(known))}
        seen = [each._replace(message=order[each.message]) for each in questions if each.message in known]
        cut, _ = best_cut([asked[at] for at in sorted(known)], seen, rivals)
        cuts.append(cut)
        for at, woken in enumerate(with_cut(asked, questions, rivals, cut)):
            if fold[at] == number:
                active[at] = woken
    return quality(asked, active), cuts


# ── baselines ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def specified(topics: TopicSet, asked: Sequence[Message]) -> Floats:
    """The TF-IDF cosine of §4.2, word for word."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(max_features=5000)
    matrix = vectorizer.fit_transform([topic.instructions for topic in topics.topics])
    found: Floats = (vectorizer.transform([one.text for one in asked]) @ matrix.T).toarray()
    return found


def best_topic(topics: TopicSet, scores: Floats, cut: float) -> list[list[str]]:
    return [[topics.topics[int(row.argmax())].id] if row.max() >= cut else [] for row in scores]


def static_baseline(topics: TopicSet, asked: Sequence[Message]) -> Iterator[Row]:
    plain = static_embedder()
    if not isinstance(plain, Missing):
        rows = plain.embed([topic.instructions for topic in topics.topics])
        scores = np.asarray(plain.embed([one.text for one in asked]) @ rows.T, dtype=np.float64)
        yield "  static vectors ≥ .46, best topic only", str(quality(asked, best_topic(topics, scores, 0.46))), ""


def baselines(topics: TopicSet, asked: Sequence[Message]) -> Iterator[Row]:
    patterns = PatternMatcher(topics.topics)
    matched = [list(patterns.match(TopicMessage(id="", text=one.text)).evidence) for one in asked]
    yield "  Tier 1 patterns only", str(quality(asked, matched)), ""
    scores = specified(topics, asked)
    row = {topic.id: at for at, topic in enumerate(topics.topics)}
    both = [[name for name in names if scores[at, row[name]] >= 0.15] for at, names in enumerate(matched)]
    yield "  Tiers 1 and 2 as specified (≥ .15)", str(quality(asked, both)), ""
    yield from static_baseline(topics, asked)


# ── calibration ───────────────────────────────────────────────────────────────────────────────────────────────────────


def raw_scores(topics: TopicSet, asked: Sequence[Message], name: ScorerName, loaded: Any) -> Floats:
    scorer = SimilarityScorer(topics.topics, name=name, embedder=lambda: loaded)
    return np.stack([np.asarray(scorer.score(one.text).raw, dtype=np.float64) for one in asked])


def wrong(topics: TopicSet, asked: Sequence[Message]) -> NDArray[np.bool_]:
    return np.array([[topic.id not in one.topics for topic in topics.topics] for one in asked])


def anchors(reference: Floats, raw: Floats, off: NDArray[np.bool_]) -> list[float]:
    """The raw figure that lets as many wrong pairs through as each figure of the scale does."""
    shares = [float((reference[off] >= figure).mean()) for figure in SCALE[1:-1]]
    found = [float(np.quantile(raw[off], 1 - share)) for share in shares]
    return [0.0, *found]


def print_calibration() -> None:
    asked, topics, loaded = *_data(False), embedder()
    reference, off = specified(topics, asked), wrong(topics, asked)
    for name in SCORERS:
        found = anchors(reference, raw_scores(topics, asked, name, loaded), off)
        print(f'    "{name}": ({", ".join(f"{each:.4g}" for each in found)}),')


def calibration_rows(topics: TopicSet, asked: Sequence[Message], loaded: Any) -> Iterator[Row]:
    """That .2 and .3 let through what the specification's TF-IDF lets through."""
    reference, off = specified(topics, asked), wrong(topics, asked)

    def shares(scores: Floats) -> str:
        pairs = ((100 * (scores[off] >= cut).mean(), 100 * (scores[~off] >= cut).mean()) for cut in (0.2, 0.3))
        return " · ".join(f"{bad:.1f} / {good:.0f}" for bad, good in pairs)

    yield "wrong / right topics at ≥ .2 and ≥ .3, %: specified", shares(reference), "the scale (D37)"
    for name in SCORERS:
        yield (
            f"    {name}",
            shares(
                np.asarray(calibrated(name, raw_scores(topics, asked, name, loaded).astype(np.float32)), np.float64)
            ),
            "",
        )


# ── report ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _data(instructions_only: bool) -> tuple[list[Message], TopicSet]:
    folder = SHARED / "clinc150"
    return messages(folder), topic_files(folder, instructions_only=instructions_only)


def kind_rows(title: str, instructions_only: bool, loaded: Any) -> Iterator[Row]:
    asked, topics = _data(instructions_only)
    yield f"CLINC150 dev, {title} ({len(asked):,} messages)", "", TARGET
    for name in SCORERS:
        similarity = SimilarityScorer(topics.topics, name=name, embedder=lambda: loaded)
        found, cuts = cross_validated(asked, best_questions(topics, similarity, asked), RIVALS)
        chosen = f"cut {min(cuts):g}–{max(cuts):g}" if name == "blend" else ""
        yield f"  cross-validated, {name}", str(found), chosen
    similarity = SimilarityScorer(topics.topics, embedder=lambda: loaded)
    results = run(matcher(topics, OfflineGate(), similarity), asked)
    calls = sum(result.funnel.gate_calls for result in results) / len(results)
    first = sum(result.funnel.tier1 for result in results) / len(results)
    found = quality(asked, [result.active for result in results])
    yield f"  as shipped (cut {CUT:g})", str(found), f"{calls:.2f} gate calls, {first:.2f} Tier 1 matches a message"
    yield from static_baseline(topics, asked) if instructions_only else baselines(topics, asked)


def rows() -> Iterator[Row]:
    loaded = embedder()
    yield from kind_rows("generated topics", False, loaded)
    yield from kind_rows("instructions only", True, loaded)
    asked, topics = _data(False)
    yield from calibration_rows(topics, asked, loaded)


def print_weights() -> None:
    loaded = embedder()
    for instructions_only in (False, True):
        asked, topics = _data(instructions_only)
        similarity = SimilarityScorer(topics.topics, embedder=lambda: loaded)
        questions = best_questions(topics, similarity, asked)
        for rivals in (0.0, 0.15, 0.3, 0.45, 0.6):
            cut, chosen = best_cut(asked, questions, rivals)
            judged, _ = cross_validated(asked, questions, rivals)
            print(f"rivals {rivals:g}: cross-validated {judged} | all, cut {cut:g}: {chosen}", flush=True)


COMMANDS: Mapping[str, Callable[[], None]] = {"calibrate": print_calibration, "weights": print_weights}


def main(arguments: Sequence[str]) -> int:
    for name in arguments:
        COMMANDS[name]()
    if not arguments:
        for label, value, comparison in rows():
            print(f"{label:<52} {value:>44}  {comparison}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
