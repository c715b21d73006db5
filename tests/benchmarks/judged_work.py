"""Sessions of strangers' work on code: how much an extraction of them promotes (decision D59)."""

import re
from collections.abc import Iterator

from engine.lifecycle.requests import ImportRequest
from engine.plans.plan import Create, Replace
from engine.plans.planning import PlanOutcome, PlanRequest
from tests.benchmarks.corpora.judged import Part
from tests.benchmarks.judged_shared import Place, Row, place
from tests.conftest import SHARED

WORK = (
    ("claude-code", "claude-code/09-real-spotter"),
    ("claude-code", "claude-code/10-sample-simonw"),
    ("claude-code", "claude-code/11-sample-daaain"),
    ("pi", "pi/01-real"),
)
"""Each with the kind of import that reads it."""
_TURN = re.compile(r"(?m)^## \d\d:\d\d — (?:user|agent)\b")


def rows(_part: Part) -> Iterator[Row]:
    if not SHARED.is_dir():
        return
    with place() as there:
        for kind, folder in WORK:
            request = PlanRequest(ImportRequest(kind, str(SHARED / "sessions" / folder)))
            with there.open() as engine:
                _put(there, engine.plans.make("import", request))
        with there.open() as engine:
            entries = engine.plans.make("extract").facts.get("entries", {})
        turns = sum(len(_TURN.findall(file.read_text("utf-8"))) for file in there.workspace.rglob("raw/**/*.md"))
    share = f"{1000 * len(entries) / max(1, turns):.1f} per 1,000 of {turns} turns; target ≤ 6"
    yield "entries promoted of real work on code", str(len(entries)), share


def _put(there: Place, outcome: PlanOutcome) -> None:
    """Writes what a plan would."""
    for change in outcome.plan.changes if outcome.plan else ():
        assert isinstance(change, Create | Replace)
        file = there.workspace / change.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(change.content, "utf-8")
