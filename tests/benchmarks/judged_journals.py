"""Hard negatives that reach a journal or MEMORY.md, and how much a session of work on code gives (decision D59)."""

import re
from collections.abc import Iterator
from random import Random

from engine.plans.plan import Create, LineOrigin, Replace
from engine.plans.planning import ImportRequest, PlanRequest
from engine.plans.status import PlanOutcome
from tests.benchmarks.corpora.judged import Part, items
from tests.benchmarks.judged_entries import kinds_by_words
from tests.benchmarks.judged_shared import Place, Row, caught, compared, place
from tests.conftest import SHARED

MEMORY = "MEMORY.md"
WORK = (
    ("claude-code", "claude-code/09-real-spotter"),
    ("claude-code", "claude-code/10-sample-simonw"),
    ("claude-code", "claude-code/11-sample-daaain"),
    ("pi", "pi/01-real"),
)
"""Sessions of strangers' work on code, each with the kind of import that reads it."""
_TURN = re.compile(r"(?m)^## \d\d:\d\d — (?:user|agent)\b")


def rows(part: Part) -> Iterator[Row]:
    yield from _negatives(part)
    if SHARED.is_dir():
        yield _work()


def _negatives(part: Part) -> Iterator[Row]:
    """Each hard negative is a session of one day, whose journal is written and whose week is then rolled up."""
    every, chance = items(part, "hard_negatives"), Random(7)
    with place() as there:
        there.workspace.joinpath(MEMORY).write_text("# Memory\n\n## Key Decisions\n\n## Lessons Learned\n", "utf-8")
        with there.open() as engine:
            paths = [caught(engine, one["id"], one["turns"]) for one in every]
            told = {origin.source.path for origin in _put(there, engine.plans.make("condense", _asked("daily")))}
        with there.open() as engine:
            rolled = list(_put(there, engine.plans.make("condense", _asked("weekly", "2026-W46"))))
    scores, keyword = [float(path in told) for path in paths], [float(bool(kinds_by_words(one))) for one in every]
    placebo = [float(chance.random() < 0.7) for _ in every]
    yield compared("hard negatives that reach a journal", scores, keyword, placebo, "0 is right")
    yield "  of these in MEMORY.md", str(len(rolled)), "0 is right"


def _asked(part: str, *take: str) -> PlanRequest:
    return PlanRequest(only=(part,), take=take)


def _put(there: Place, outcome: PlanOutcome) -> Iterator[LineOrigin]:
    """Writes what a plan would, and gives the origin of each row that it adds."""
    for change in outcome.plan.changes if outcome.plan else ():
        assert isinstance(change, Create | Replace)
        file = there.workspace / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change.content, "utf-8")
        yield from change.origins


def _work() -> Row:
    with place() as there:
        for kind, folder in WORK:
            with there.open() as engine:
                request = PlanRequest(imported=ImportRequest(kind, str(SHARED / "sessions" / folder)))
                list(_put(there, engine.plans.make("import", request)))
        with there.open() as engine:
            entries = engine.plans.make("extract").facts.get("entries", {})
        turns = sum(len(_TURN.findall(file.read_text("utf-8"))) for file in there.workspace.rglob("raw/**/*.md"))
    return (
        "work on code, entries promoted",
        str(len(entries)),
        f"{1000 * len(entries) / max(1, turns):.1f} per 1,000 of {turns} turns; ≤ 6",
    )
