"""A memory tier holds, once a plan is applied, what it held and what comes, without what goes."""

from engine.plans.plan import Change
from engine.plans.policy.values import Limits
from engine.plans.sizes import PlanSizes, TierSize, lasting_files
from engine.workspace.values import MemoryTier
from tests.engine.plans.rig import append, create, move
from tests.values import make_plan


def test_every_note_that_comes_and_every_one_that_goes_is_counted() -> None:
    tier = TierSize(MemoryTier.EPISODIC, files=5, limit=3)
    changes: list[Change] = [
        *(move(n, f"memory/episodic/{n}.md", f"memory/archive/{n}.md") for n in (1, 2, 3)),
        *(create(n, f"memory/episodic/{n}.md", "new\n") for n in (4, 5)),
        append(6, "memory/episodic/4.md", "more\n"),
        move(7, "memory/working/7.md", "memory/episodic/7.md"),
        move(8, "memory/episodic/8.md", "memory/episodic/9.md"),
        create(9, "memory/semantic/9.md", "elsewhere\n"),
    ]
    assert tier.after(changes) == 5
    assert TierSize(MemoryTier.EPISODIC, files=1, limit=3).after(changes[:3]) == 0, "none is missing twice"


def test_a_file_that_lasts_is_measured_where_its_lines_change() -> None:
    changes: list[Change] = [
        append(1, "memory/semantic/a.md", "more\n"),
        append(2, "memory/working/b.md", "more\n"),
        move(3, "memory/semantic/c.md", "memory/semantic/d.md"),
        create(4, "memory/semantic/e.md", ""),
    ]
    sizes = PlanSizes(lasting_files(make_plan(1, changes), lambda _: b"what is there\n", Limits()))
    (size,) = sizes.files(range(1, 5))
    assert (size.path, size.changes, size.after - size.before) == ("memory/semantic/a.md", (1,), 5)
