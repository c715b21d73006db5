"""The hunks of a change in the console: chosen or refused, and the rest comes under the cursor as a plan of its own."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.plans.diff import file_diff
from engine.plans.plan import Create, Plan, PlanState, Replace, RiskTier
from engine.plans.plan_hunks import ChangeHunk, ChangeHunks
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from tests.ready_demo import Demo
from tests.tui.conftest import console_of, deck, holds, shows
from tests.values import tree_plan
from tui.dialogs.line_input import AskLine
from tui.present.approvals.hunks import HunkRows, hunk_lines
from tui.present.approvals.plan_head import LoadedPlan
from tui.present.spans import plain
from tui.screens.approvals.hunks import HunkScreen
from tui.screens.approvals.page import ApprovalsPage
from tui.screens.approvals.viewed_plans import seen_again

NOTE = "knowledge/projects/routes.md"
OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 3\n", "three\x1b[2J\n").replace("line 10\n", "").replace("line 17\n", "line 17\nmore\n")


def hunk(number: int, left: int, right: int, removed: str = "", added: str = "") -> ChangeHunk:
    gone, new = ((text,) if text else () for text in (removed, added))
    return ChangeHunk(change=1, number=number, path=NOTE, left=left, right=right, removed=gone, added=new)


THERE = ChangeHunks(
    change=1,
    path=NOTE,
    hunks=(hunk(1, 3, 3, "line 3\n", "three\x1b[2J\n"), hunk(2, 10, 10, "line 10\n"), hunk(3, 18, 17, "", "more\n")),
)
DIFF = file_diff(NOTE, OLD.encode(), NEW.encode())


def test_each_hunk_has_its_name_its_lines_and_some_around_with_nothing_hidden() -> None:
    lines = hunk_lines(THERE, DIFF)
    rows = HunkRows(THERE, lines, ())
    said = [plain(rows.row(at).left).rstrip() for at in range(len(rows))]
    assert said[:6] == [
        "·          1#1  +1  −1",
        "     1   line 1",
        "     2   line 2",
        "     3 − line 3",
        "     3 + three␛[2J",
        "     4   line 4",
    ]
    assert not any("\x1b" in row for row in said)
    there = [line.new for line in lines if line.new is not None]
    assert there == sorted(set(there))


def proposed(engine: Engine) -> Plan:
    (engine.workspace / NOTE).parent.mkdir(parents=True, exist_ok=True)
    (engine.workspace / NOTE).write_text(OLD, encoding="utf-8")
    asked = NoteProposal(path=NOTE, action="replace", content=NEW, reason="learnt", base=sha256_hex(OLD.encode()))
    return engine.plans.load(engine.proposals.propose(asked, "claude").id)


async def test_a_refused_hunk_makes_the_rest_a_plan_of_its_own(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    old = proposed(engine)
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(old.id)
        await shows(pilot, "three␛[2J")
        await pilot.press("h")
        await holds(pilot, lambda: isinstance(pilot.app.screen, HunkScreen), "the hunks")
        await shows(pilot, "1#3")
        await pilot.press("n", "enter")
        await holds(pilot, lambda: isinstance(pilot.app.screen, AskLine), "the reason")
        await pilot.press(*"needed", "enter")
        await holds(pilot, lambda: console_of(pilot).page.id == "approvals", "the page")
        await holds(pilot, lambda: len(engine.plans.queue()) > len([old]), "the new plan")
        states = {one.id: (one.state, one.state_reason) for one in engine.plans.queue()}
        assert states[old.id] == (PlanState.REJECTED, "hunk 1#2: needed")
        (new,) = (one for one in engine.plans.queue() if one.system == "proposal" and one.state is PlanState.PENDING)
        (change,) = engine.plans.load(new.id).changes
        assert isinstance(change, Replace)
        assert change.content == NEW.replace("line 9\n", "line 9\nline 10\n")
        await shows(pilot, new.id)


async def test_a_hunk_is_refused_from_its_diff_in_three_keys_and_what_was_seen_stays_seen(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    old = proposed(engine)
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(old.id)
        await shows(pilot, "three␛[2J")
        page = pilot.app.query_one(ApprovalsPage)
        await holds(pilot, lambda: bool(page.selection.loaded and page.desk.seen(page.selection.loaded)), "it is seen")
        await pilot.press("enter", "n", "X")
        await shows(pilot, "Refuse 1 hunk", "1#2")
        await pilot.press("enter")
        await holds(pilot, lambda: page.selection.entry not in (None, engine.plans.queue()[0]), "the new plan")
        await shows(pilot, "Made again")
        await holds(pilot, lambda: page.selection.loaded is not None, "it is read")
        loaded = page.selection.loaded
        assert loaded is not None and loaded.plan.id != old.id
        (change,) = loaded.plan.changes
        assert isinstance(change, Replace) and change.content == NEW.replace("line 9\n", "line 9\nline 10\n")


async def test_marked_changes_are_refused_together_and_the_question_names_them(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    plan = engine.plans.make("compact").plan
    assert plan is not None
    summaries = [one.n for one in plan.changes if one.path.startswith("memory/episodic/") and isinstance(one, Create)]
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(plan.id)
        await shows(pilot, plan.id)
        page = pilot.app.query_one(ApprovalsPage)
        page.turn_to("changes")
        for number in summaries[:2]:
            page.plan.changes.action_turn(number - page.selection.number)
            await pilot.press("space")
        await pilot.press("k", "k", "k")
        for key in ("X", "r"):
            await pilot.press(key)
            await shows(pilot, f"Refuse change {summaries[0]}, {summaries[1]}", "it goes with change")
            await pilot.press("escape")
            await holds(pilot, lambda: not console_of(pilot).in_dialog, "the page")
        page.turn_to("diff")
        page.plan.changes.action_turn(summaries[2] - page.selection.number)
        await pilot.press("space")
        assert set(summaries[:3]) <= page.selection.marks, "space marks in the diff too"
        page.turn_to("queue")
        await pilot.press("r")
        await shows(pilot, f"Reject {plan.id}")


@given(st.data())
def test_what_a_plan_says_as_another_did_stays_seen(data: st.DataObject) -> None:
    lines = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)
    sides = data.draw(st.lists(st.tuples(lines, lines), min_size=1, max_size=4))
    old = loaded_of([("\n".join(left), "\n".join(right)) for left, right in sides])
    seen = frozenset(data.draw(st.sets(st.integers(1, len(sides)))))
    assert seen_again(old, old, seen) == seen
    more = loaded_of([("\n".join(left), "\n".join([*right, "new"])) for left, right in sides])
    assert seen_again(old, more, seen) == frozenset()
    added = [("", "\n".join(["first", *right])) for _, right in sides]
    less = loaded_of([("", right + "\nlast") for _, right in added])
    assert seen_again(less, loaded_of(added), seen) == seen


def loaded_of(sides: list[tuple[str, str]]) -> LoadedPlan:
    changes = tuple(
        Replace(n=n, path=f"memory/{n}.md", risk_tier=RiskTier.B, reason="", content=new)
        for n, (_, new) in enumerate(sides, 1)
    )
    plan = msgspec.structs.replace(tree_plan(), changes=changes)
    diffs = tuple(
        file_diff(change.path, old.encode(), new.encode()) for change, (old, new) in zip(changes, sides, strict=True)
    )
    return LoadedPlan(plan=plan, digest="", diffs=diffs)


async def test_a_comment_on_marked_lines_is_shown_copied_and_dropped(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    plan = proposed(engine)
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(plan.id)
        await shows(pilot, "three␛[2J")
        await pilot.press("h")
        await shows(pilot, "1#3")
        await pilot.press("C")
        await shows(pilot, "no comment yet")
        await pilot.press("c")
        await shows(pilot, "put the cursor on a line")
        await pilot.press("j", "m", "j", "j", "j", "c")
        await holds(pilot, lambda: isinstance(pilot.app.screen, AskLine), "the comment")
        await pilot.press(*"plainly", "enter")
        await shows(pilot, "» lines 1–3: plainly")
        (one,) = engine.comments.of_plan(plan.id)
        assert (one.lines.first, one.lines.last, one.lines.old) == (1, 3, False)
        await pilot.press("C")
        await shows(pilot, "copied")
        assert "1. change 1, lines 1–3: plainly" in pilot.app.clipboard
        assert "<recalled " in pilot.app.clipboard and "\x1b" not in pilot.app.clipboard
        await pilot.press("escape")
        await shows(pilot, "lines 1–3  plainly")
        await pilot.press("h")
        await shows(pilot, "» lines 1–3: plainly")
        await pilot.press("j", "j", "j", "j", "j", "D")
        await holds(pilot, lambda: engine.comments.of_plan(plan.id) == (), "no comment")


async def test_a_number_key_drops_no_marked_hunk(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    plan = engine.plans.make("compact").plan
    assert plan is not None
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(plan.id)
        await shows(pilot, plan.id)
        await pilot.press("h")
        await holds(pilot, lambda: isinstance(pilot.app.screen, HunkScreen), "the hunks")
        screen = pilot.app.screen
        assert isinstance(screen, HunkScreen)
        screen._marks = frozenset({1})
        for key in ("1", "-"):
            await pilot.press(key)
            await shows(pilot, "1 marked hunk not in a plan yet")
            assert pilot.app.screen is screen
        await pilot.press("escape")
        await shows(pilot, "esc again drops them")
        await pilot.press("escape", "1")
        await holds(pilot, lambda: console_of(pilot).page.id == "overview", "the page")


async def test_refusing_an_entry_takes_along_what_depends_on_it_and_the_box_says_so(own_demo: Demo) -> None:
    """A hunk in four keys, all but a change in two: the time stamp and the move go with the only entry."""
    engine = own_demo.open_today()
    plan = engine.plans.make("compact").plan
    assert plan is not None
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(plan.id)
        await shows(pilot, plan.id)
        await pilot.press("h")
        await holds(pilot, lambda: isinstance(pilot.app.screen, HunkScreen), "the hunks")
        await shows(pilot, "1#1")
        await pilot.press("x", "enter")
        refused = engine.hunks.refusal(plan, ["1#1"])
        left = len(plan.changes) - len(refused.changes)
        assert {one.change for one in refused.along} and left
        await shows(pilot, "Refuse 1 hunk", "it goes with change", f"The rest, {left} changes")
        await pilot.press("enter")
        await holds(pilot, lambda: console_of(pilot).page.id == "approvals", "the page")
        await shows(pilot, f"Changes 1/{left}")
        (new,) = (one for one in engine.plans.queue() if one.system == "compact" and one.state is PlanState.PENDING)
        paths = [change.path for change in plan.changes if change.n not in refused.changes]
        assert [change.path for change in engine.plans.load(new.id).changes] == paths
        await pilot.press("X")
        await shows(pilot, "Refuse change 1", "becomes a plan of its own")
        await pilot.press("escape")


async def test_a_line_that_says_a_number_otherwise_is_flagged_in_its_diff_and_in_the_box(own_demo: Demo) -> None:
    engine = own_demo.open_today()
    (engine.workspace / NOTE).parent.mkdir(parents=True, exist_ok=True)
    (engine.workspace / NOTE).write_text(OLD + "- Below 40 percent is stopped\n", encoding="utf-8")
    new = OLD + "- Below 4 percent counts as stopped\n"
    base = sha256_hex((engine.workspace / NOTE).read_bytes())
    asked = NoteProposal(path=NOTE, action="replace", content=new, reason="learnt", base=base)
    plan = engine.proposals.propose(asked, "claude")
    async with deck(engine) as pilot:
        await console_of(pilot).open_plan(plan.id)
        await shows(pilot, "⚑ number: 40 → 4", "⚑ 1 line changes a number", "f shows each")
        await pilot.press("f")
        page = pilot.app.query_one(ApprovalsPage)
        await holds(pilot, lambda: page.plan.diff.row is not None and page.plan.diff.row.right_no == 21, "the line")
        await pilot.press("X")
        await shows(pilot, "that is all of the plan")
        await pilot.press("s", "ctrl+a")
        await shows(pilot, "Type APPROVED", "⚑ 1 line changes a number")
