"""What a plan makes of memory as gauges: in the plan's head and in the dialog."""

from collections.abc import Iterator

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.plan import Append, Plan, PlanState, Replace, RiskTier
from engine.plans.policy.values import Limits
from engine.plans.sizes import PlanSizes, TierSize, WrittenFile, tier_sizes
from engine.text.tokens import BytesCounter
from engine.workspace.unscanned import snapshot_of
from engine.workspace.values import MemoryTier
from tests.values import IDENTITY, NOW, compaction, diff_of, entry_of
from tui.present.approvals import approval_question
from tui.present.approvals.effect_gauges import gauges
from tui.present.approvals.plan_head import LoadedPlan, PlanProgress, head
from tui.present.spans import plain

GROWS = Append(n=1, path="memory/semantic/openclaw.md", risk_tier=RiskTier.C, reason="", content="y" * 99)
SHARD = WrittenFile(path=GROWS.path, text="x" * 1_078, changes=(GROWS,), limits=(900, 1_020, 1_200))
WORKING = TierSize(MemoryTier.WORKING, 13, 10)


def numbers_of(plan: Plan) -> tuple[int, ...]:
    return tuple(change.n for change in plan.changes)


@given(st.integers(1, 6), st.data())
def test_moves_empty_a_tier_and_new_notes_fill_one(notes: int, data: st.DataObject) -> None:
    plan = compaction(notes=notes)
    files = {change.path: b"# Note\n" for change in plan.changes if change.path.startswith("memory/working/")}
    snapshot = snapshot_of(files, NOW, BytesCounter(), workspace=IDENTITY)
    working, episodic = tier_sizes(plan, snapshot, Limits())
    assert (working.files, working.after(plan.changes)) == (notes, 0)
    assert (episodic.files, episodic.after(plan.changes)) == (0, notes)
    assert msgspec.structs.replace(working, files=0).after(plan.changes) == 0
    some = data.draw(st.sets(st.sampled_from(numbers_of(plan))))
    chosen = [change for change in plan.changes if change.n in some]
    assert working.after(chosen) + sum(change.path in files for change in chosen) == notes


def test_a_plan_that_moves_no_note_has_no_tier() -> None:
    plan = compaction()
    assert tier_sizes(plan, snapshot_of({}, NOW, BytesCounter(), workspace=IDENTITY), Limits())
    assert gauges(plan, PlanSizes(), numbers_of(plan)) == ()


def test_head_and_dialog_draw_the_same_gauges_while_the_plan_is_open() -> None:
    plan = compaction(notes=4)
    sizes = PlanSizes((SHARD,), (WORKING,))
    loaded = LoadedPlan(plan=plan, digest=plan.digest, diffs=tuple(map(diff_of, plan.changes)), sizes=sizes)
    drawn = [plain(line) for line in gauges(plan, sizes, numbers_of(plan))]
    assert drawn[0].startswith("openclaw.md    ▕") and drawn[0].endswith("▏ 1,078 → 1,177")
    assert drawn[1].startswith("working notes  ▕") and drawn[1].endswith("▏ 13 → 9")
    told = [plain(line) for line in head(entry_of(plan), loaded, numbers_of(plan), PlanProgress())]
    assert [line[10:] for line in told if line[10:] in drawn] == drawn and f"effect    {drawn[0]}" in told
    asked = [plain(line) for line in approval_question.about_plan(loaded, numbers_of(plan)).body]
    assert asked[1:3] == drawn
    over = [plain(line) for line in head(entry_of(plan, PlanState.APPLIED), loaded, numbers_of(plan), PlanProgress())]
    assert not any(line.startswith("effect") for line in over)


def test_the_chosen_changes_are_gone_through_once_however_many_there_are() -> None:
    class Counted(tuple[int, ...]):
        rounds = 0

        def __iter__(self) -> Iterator[int]:
            Counted.rounds += 1
            return super().__iter__()

    plan = compaction(notes=9)
    gauges(plan, PlanSizes((SHARD,), (WORKING,)), Counted(numbers_of(plan)))
    assert Counted.rounds == 1


def test_only_marked_changes_move_a_gauge() -> None:
    plan = compaction(notes=4)
    (line,) = gauges(plan, PlanSizes((), (WORKING,)), (1, 2))
    assert plain(line).endswith("13 → 12")
    assert gauges(plan, PlanSizes((SHARD,), ()), (2,)) == ()


def test_what_is_added_is_seen_at_any_size_and_never_drawn_as_what_was_there() -> None:
    plan = compaction(notes=4)
    for more, least in ((1, 1), (85, 1), (600, 5)):
        grows = msgspec.structs.replace(GROWS, content="y" * more)
        shard = msgspec.structs.replace(SHARD, text="x" * 1_081, changes=(grows,))
        (line,) = gauges(plan, PlanSizes((shard,)), (1,))
        added = [span for span in line if "▒" in span.text]
        assert sum(len(span.text) for span in added) >= least and {span.role for span in added} == {"accent"}
    shorter = Replace(n=1, path=GROWS.path, risk_tier=RiskTier.C, reason="", content="y" * 1_080)
    (line,) = gauges(plan, PlanSizes((msgspec.structs.replace(SHARD, text="x" * 1_081, changes=(shorter,)),)), (1,))
    assert "░" in plain(line) and "▒" not in plain(line)
