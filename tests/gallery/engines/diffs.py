"""Plans whose diffs are long, folded, of bytes, of nothing, or of a move."""

from engine.plans.diff import FileDiff, line_diff
from engine.plans.plan import Change, Move, Replace, RiskTier
from tests.gallery.engines.stage_engine import StageEngine
from tests.values import make_plan

OLD = "".join(f"- line {n} of the old text, with some words in it\n" for n in range(1, 400))
NEW = (
    OLD.replace("line 5 of the old", "line 5 of the new")
    .replace("line 200 of", "line 200, mended, of")
    .replace("- line 300 of the old text, with some words in it\n", "")
)


def kinds_of_diff() -> StageEngine:
    """Plans 1 to 6: a long diff with folds, bytes, nothing that differs, 20,000 lines, a move, no change at all."""
    engine = StageEngine()
    twenty_thousand = "".join(f"- line {n}\n" for n in range(20_000))

    def replace(path: str) -> Replace:
        return Replace(n=1, path=path, risk_tier=RiskTier.B, reason="the raw log grew", content=NEW)

    def of(path: str, before: str, after: str, added: int, removed: int, note: str = "") -> FileDiff:
        rows = () if note else line_diff(before, after)
        return FileDiff(path=path, to=None, rows=rows, added=added, removed=removed, note=note)

    week, archive = "memory/weekly/2026-W11.md", "memory/archive/2026-03-02-deploy-archived-2026-03-15.md"
    note = "memory/working/2026-03-02-deploy.md"
    moved = Move(n=1, path=note, to=archive, risk_tier=RiskTier.B, reason="its summary is change 1")
    pairs: tuple[tuple[Change, FileDiff], ...] = (
        (replace(week), of(week, OLD, NEW, 2, 3)),
        (replace("memory/weekly/a.md"), of("memory/weekly/a.md", "", "", 0, 0, "not text: 48,213 become 50,001 bytes")),
        (replace("memory/weekly/same.md"), of("memory/weekly/same.md", OLD, OLD, 0, 0)),
        (replace("memory/weekly/big.md"), of("memory/weekly/big.md", "", twenty_thousand, 20_000, 0)),
        (moved, FileDiff(path=note, to=archive, rows=(), added=0, removed=0, note="moved as it is")),
    )
    engine.queue_of([*(make_plan(number, [change]) for number, (change, _) in enumerate(pairs, 1)), make_plan(6, [])])
    engine.write(note, OLD)
    own = {f"p-20260315-{number:04}": (diff,) for number, (_, diff) in enumerate(pairs, 1)}
    engine.stub.answers("plans.diffs", lambda plan: own.get(plan.id, ()))
    return engine
