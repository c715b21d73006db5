"""History: operations with their diffs, undo and redo from there, the audit log, what is kept."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from engine.errors import Damaged
from engine.history.explorations import Exploration
from engine.history.tags import MemoryTag
from engine.monitoring.retention import HeldFile, KeptBytes, Retention
from engine.plans.diff import DiffRow, FileDiff, RowKind
from engine.plans.operation import Operation, OperationKind, OperationState, Rename, Reversal, Withdraw, Write
from engine.plans.plan import RiskTier
from engine.plans.records.chain import AuditRecord
from engine.workspace.values import Finding, FindingKind
from tests.engine.approved import applied
from tests.prepared import Prepared, prepared, three_plans
from tests.tui.conftest import Deck, answer, console_of, deck, screen_text, settled, shows
from tests.tui.hostile import hostile_strings
from tests.tui.test_hostile import FORBIDDEN
from tests.values import NOW, append_plan
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.text_reader import TextReader
from tui.keys.naming import why_not
from tui.present.history import audit_log, retention
from tui.present.history import operations as past
from tui.present.history.operations import History
from tui.present.history.retention import tag_lines
from tui.present.spans import Line, plain
from tui.screens.history.page import HistoryPage
from tui.widgets.segments import fitted

SHA = "a" * 64


def operation(number: int, **more: object) -> Operation:
    made = Operation(
        id=f"o-20260314-{number:04}",
        kind=OperationKind.APPLY,
        plan=f"p-20260314-{number:04}",
        system="compact",
        trigger="working_files",
        risk_tier=RiskTier.B,
        state=OperationState.DONE,
        started_at=NOW - timedelta(hours=20 - number),
        finished_at=NOW,
        simulated_clock=False,
        numbers=(1, 2),
        effects=(
            Write("memory/episodic/a.md", None, SHA),
            Rename("memory/working/a.md", "memory/archive/a.md", SHA),
        ),
        done=(0, 1),
        commit="1a2b3c4d5e6f7a8b",
        message="maintenance: compact",
    )
    return msgspec.structs.replace(made, **more)


def record(seq: int, **data: object) -> AuditRecord:
    return AuditRecord(seq=seq, at=NOW, kind="result", data=data, prev="0" * 64, hash="1" * 64)


def remember(workspace: Prepared, operations: Sequence[Operation]) -> None:
    """From now on these are all that was ever done, oldest first."""
    newest = tuple(reversed(operations))
    workspace.stub.answers("history.operations", lambda limit=None: newest[:limit])
    workspace.stub.gives("history.count", len(newest))


def past_workspace() -> Prepared:
    """A workspace with a past of three operations: the last one taken back."""
    undone = operation(2, state=OperationState.UNDONE, undone_by="o-20260314-0003", risk_tier=RiskTier.C)
    withdrawn = Withdraw("memory/episodic/b.md", SHA)
    undo = operation(3, kind=OperationKind.UNDO, undoes="o-20260314-0002", effects=(withdrawn,), done=(0,))
    held = HeldFile(
        path="memory/working/a.md",
        place="/state/held/1",
        operation="o-20260314-0001",
        until=NOW + timedelta(hours=5),
        size=812,
        over=False,
    )
    displaced = KeptBytes(sha256=SHA, size=3000, path="memory/semantic/openclaw.md", operation="o-20260314-0002")
    made = three_plans()
    remember(made, [operation(1, system="tree"), undone, undo])
    records = tuple(record(seq, operation=f"o-20260314-{seq:04}", state="done") for seq in (1, 2, 3))
    made.stub.gives("history.audit", records)
    made.stub.gives("history.verify", ())
    kept_ones = Retention(displaced=(displaced,), displaced_bytes=3000, held=(held,), held_bytes=812)
    made.stub.gives("history.kept", kept_ones)
    stands = operation(1, system="tree")
    whole = Reversal(operation=stands.id, plan=stands.plan, system="tree", risk_tier=RiskTier.B, effects=stands.effects)
    made.stub.gives("history.reversal", whole)
    made.stub.answers("history.diffs", lambda op_id: diffs_of(made.engine.history.operations(), op_id))
    return made


def diffs_of(operations: Sequence[Operation], op_id: str) -> tuple[FileDiff, ...]:
    """Two lines for each file of one of the operations."""
    one = next(one for one in operations if one.id == op_id)
    rows = (DiffRow(RowKind.ADDED, None, 1, "# Compiled"), DiffRow(RowKind.ADDED, None, 2, "## Summary"))
    paths = [one.effects[index].path for index in one.done]
    return tuple(FileDiff(path=path, to=None, rows=rows, added=2, removed=0) for path in paths)


async def at_history(pilot: Deck) -> HistoryPage:
    await pilot.press("7")
    await settled(pilot)
    return pilot.app.query_one(HistoryPage)


@pytest.mark.parametrize("size", [(120, 36), (200, 60), (100, 30)])
async def test_one_look_says_what_was_done_and_whether_the_log_is_whole(size: tuple[int, int]) -> None:
    async with deck(past_workspace(), size) as pilot:
        page = await at_history(pilot)
        text = screen_text(pilot)
        for words in (
            "Operations ⟨3⟩",
            "undo",
            "Audit log ⟨3⟩ ✓ no record altered",
            "Kept 3.7 KiB",
            "undone",
            "for good",
        ):
            assert words in text or words == "undone", words
        assert page.operation is not None and page.operation.id == "o-20260314-0003"
        assert "undid o-20260314-0002" in text and "took out episodic/b.md" in text


async def test_each_operation_shows_its_files_and_their_diffs() -> None:
    async with deck(past_workspace()) as pilot:
        await at_history(pilot)
        await pilot.press("G")
        await settled(pilot)
        await pilot.pause(0.1)
        await settled(pilot)
        text = screen_text(pilot)
        assert "1/2  memory/episodic/a.md +2" in text and "# Compiled" in text
        assert "created  episodic/a.md" in text and "moved    working/a.md → archive" in text
        await pilot.press("right")
        assert "2/2" in screen_text(pilot)
        await pilot.press("right", "right")
        assert "2/2" in screen_text(pilot)


async def test_an_operation_is_taken_back_from_here_through_the_same_dialog_g20() -> None:
    workspace = three_plans()
    applied(workspace.engine, workspace.plan("p-20260315-0001"))
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        assert why_not(page, "undo_this") == ""
        await pilot.press("u")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ConfirmDialog)
        await answer(pilot, "y")
        await settled(pilot)
        assert [one.undoes for one in workspace.operations] == [None, "o-20260315-0001"]
        assert "Operations ⟨2⟩" in screen_text(pilot)


async def test_the_chosen_operation_is_done_again_not_the_last() -> None:
    workspace = past_workspace()
    workspace.stub.gives("history.redo", append_plan(9))
    redone = workspace.stub.asked("history.redo")
    workspace.stub.gives("repository.tags", (MemoryTag("memory/milestone/first", "1" * 40, NOW),))
    begun = Exploration("try", "2" * 40, NOW - timedelta(days=9), "/try")
    workspace.stub.gives("repository.explorations", (begun,))
    async with deck(workspace) as pilot:
        await at_history(pilot)
        await pilot.press("down", "U")
        await settled(pilot)
        assert redone == [("o-20260314-0002",)]
        await pilot.press("t")
        await shows(pilot, "memory/milestone/first")
        assert isinstance(pilot.app.screen, TextReader) and "explore/try  9 d, older than a week" in screen_text(pilot)


async def test_keys_that_would_do_nothing_say_why() -> None:
    async with deck(past_workspace()) as pilot:
        page = await at_history(pilot)
        assert "redo" in why_not(page, "undo_this")
        await pilot.press("u")
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 1 and "redo" in screen_text(pilot)
        await pilot.press("down")
        assert "nothing of it stands" in why_not(page, "undo_this")
        await pilot.press("down")
        assert "was not undone" in why_not(page, "redo_this")
    async with deck(past_workspace(), read_only=True) as pilot:
        page = await at_history(pilot)
        assert "read-only" in why_not(page, "undo_this") and "read-only" in why_not(page, "redo_this")
        await pilot.press("G")
        await shows(pilot, "✓ can be undone")
        assert "u restores" not in screen_text(pilot)


def test_without_tags_and_explorations_it_says_how_either_begins() -> None:
    said = "\n".join(plain(line) for line in tag_lines((), (), NOW))
    assert "memdeck tag milestone" in said and "memdeck explore NAME" in said


async def test_a_broken_chain_is_seen_at_once_and_can_be_read() -> None:
    workspace = past_workspace()
    found = Finding(kind=FindingKind.DAMAGE, id="chain", where="audit.jsonl:2", what="was altered", fix="restore it")
    workspace.stub.gives("history.verify", (found,))
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        assert "✗ 1 finding" in screen_text(pilot) and "audit.jsonl:2: was altered" in screen_text(pilot)
        page.turn_to("audit")
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, TextReader) and "restore it" in screen_text(pilot)
        await pilot.press("escape", "G", "enter")
        assert "Record 1: result" in screen_text(pilot)


async def test_what_is_kept_says_why_and_until_when() -> None:
    async with deck(past_workspace()) as pilot:
        page = await at_history(pilot)
        page.turn_to("kept")
        await pilot.press("enter")
        assert "24 hours at least" in screen_text(pilot)
        await pilot.press("escape", "down", "enter")
        assert "kept for good" in screen_text(pilot)


def test_the_name_of_what_is_kept_goes_before_how_long() -> None:
    name, until = "working/2026-03-01-deploy.md", "may go in 21 h"
    path, gone = f"memory/{name}", NOW + timedelta(hours=21)
    held = HeldFile(path=path, place="held/1", operation="o-1", until=gone, size=812, over=False)
    before = KeptBytes(sha256="a" * 64, size=13_900, path=path, operation="o-1")
    found = Retention(displaced=(before,), displaced_bytes=13_900, held=(held,), held_bytes=812)
    first, second = retention.rows(found, frozenset(), NOW)
    for width, shown in ((46, False), (78, True)):
        assert name in plain(fitted(first, width)) and name in plain(fitted(second, width))
        assert (until in plain(fitted(first, width))) is shown


async def test_the_filter_finds_by_words_and_esc_clears_it() -> None:
    async with deck(past_workspace()) as pilot:
        page = await at_history(pilot)
        await pilot.press("slash", *"tree")
        await settled(pilot)
        assert page.operation is not None and page.operation.system == "tree"
        await pilot.press(*"xx")
        assert "no operation matches" in screen_text(pilot) and page.list_of("operations").count == 0
        await pilot.press("escape")
        await settled(pilot)
        assert "Operations ⟨3⟩" in screen_text(pilot)


async def test_before_anything_was_done_it_says_what_will_stand_here() -> None:
    async with deck(prepared()) as pilot:
        await at_history(pilot)
        text = screen_text(pilot)
        for words in ("nothing was done yet", "no record yet", "nothing was displaced yet", "Nothing selected."):
            assert words in text


async def test_an_engine_that_fails_is_told_and_the_page_stays() -> None:
    workspace = past_workspace()
    workspace.stub.fails("history.verify", Damaged("the log cannot be read", where="audit.jsonl"))
    async with deck(workspace) as pilot:
        await at_history(pilot)
        assert "the log cannot be read" in screen_text(pilot)


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_a_narrow_terminal_shows_one_pane_at_a_time(size: tuple[int, int]) -> None:
    async with deck(past_workspace(), size) as pilot:
        page = await at_history(pilot)
        seen = {}
        for _ in page.PANES:
            seen[page.current] = screen_text(pilot)
            shown = [name for name in page.PANES if page.pane(name).region.area]
            assert shown == [page.current]
            await pilot.press("tab")
            await settled(pilot)
        assert "Audit log" in seen["audit"] and "Kept" in seen["kept"] and "took out" in seen["files"]


async def test_zoom_gives_a_pane_the_screen_and_esc_takes_it_back() -> None:
    async with deck(past_workspace()) as pilot:
        page = await at_history(pilot)
        for name in page.PANES:
            page.turn_to(name)
            await pilot.press("plus")
            assert [other for other in page.PANES if page.pane(other).region.area] == [name]
            assert page.pane(name).region.width == 120
            await pilot.press("escape")
        assert page.pane("audit").region.area


# Hostile text


def hostile_history(text: str) -> tuple[History, tuple[FileDiff, ...]]:
    """`text` wherever records take a string; they are JSON, so a lone surrogate cannot be in one."""
    text = text.encode("utf-8", "replace").decode()
    bad = operation(
        1,
        id=text,
        plan=text,
        system=text,
        trigger=text,
        undoes=text,
        undone_by=text,
        commit=text,
        message=text,
        problems=(text,),
        effects=(Write(text, None, text), Write(text, text, text), Rename(text, text, text), Withdraw(text, text)),
        done=(0, 1, 2, 3),
    )
    finding = Finding(kind=FindingKind.DAMAGE, id=text, where=text, what=text, fix=text)
    held = HeldFile(path=text, place=text, operation=text, until=NOW, size=None, over=True)
    keeps = Retention(
        displaced=(
            KeptBytes(sha256=text, size=1, path=text, operation=text),
            KeptBytes(sha256=text, size=1, path="", operation=""),
        ),
        displaced_bytes=2,
        held=(held,),
        held_bytes=0,
        problems=(finding,),
    )
    log = (msgspec.structs.replace(record(1, operation=text, reason={text: [text]}), kind=text, hash=text, prev=text),)
    operations = (bad, msgspec.structs.replace(bad, kind=OperationKind.UNDO))
    rows = (DiffRow(RowKind.ADDED, None, 1, text),)
    diffs = tuple(FileDiff(path=text, to=text, rows=rows, added=1, removed=0, note=text) for _ in bad.done)
    return History(operations, log, (finding,), keeps), diffs


def all_lines(history: History, diffs: tuple[FileDiff, ...]) -> list[Line]:
    assert history.findings is not None and history.kept is not None
    rows = [past.OperationRows(history.operations, NOW).row(index) for index in range(2)]
    rows += [past.FileRows(history.operations[0], diffs).row(index) for index in range(4)]
    log = audit_log.AuditRows(history.records, history.findings, NOW)
    rows += [log.row(index) for index in range(len(log))]
    rows += [
        *retention.rows(history.kept, frozenset(), NOW),
        *retention.rows(history.kept, frozenset({history.operations[0].id}), NOW),
    ]
    lines = [part for row in rows for part in row]
    for one in history.operations:
        lines += [past.title(one), *past.head(one, NOW), *past.head(one, NOW, past.Undoability(refused=one.id))]
    for index, diff in enumerate(diffs):
        lines += [past.diff_title(diff, index, 4), *past.diff_note(diff)]
    for index in range(2):
        lines += audit_log.detail(history.records, history.findings, index)[1]
    for index in range(4):
        lines += retention.detail(history.kept, frozenset(), index)[1]
    return [*lines, audit_log.title(history.records, history.findings), retention.title(history.kept)]


@pytest.mark.parametrize("part", range(5))
def test_no_hidden_character_gets_through_g13(part: int) -> None:
    for text in tuple(hostile_strings())[part::5]:
        for line in all_lines(*hostile_history(text)):
            assert not FORBIDDEN.search(plain(line)), (text, plain(line))


@pytest.mark.parametrize(
    "text", ["[/foo]", "[@click=app.quit]x[/]", "\x1b[2J\x1b]0;t\x07", "\u202egnp", "x" * 3000, ""]
)
async def test_hostile_records_are_shown_and_do_nothing_g13(text: str) -> None:
    workspace = past_workspace()
    history, diffs = hostile_history(text)
    remember(workspace, history.operations)
    for name, value in (("audit", history.records), ("verify", history.findings), ("kept", history.kept)):
        assert value is not None
        workspace.stub.gives(f"history.{name}", value)
    workspace.stub.gives("history.diffs", diffs)
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        for name in page.PANES:
            page.turn_to(name)
            await pilot.press("down", "enter")
            await settled(pilot)
            assert not FORBIDDEN.search(screen_text(pilot).replace("\n", ""))
            while len(pilot.app.screen_stack) > 1:
                await pilot.press("escape")
        assert console_of(pilot).is_running
        workspace.stub.mends("history.operations")
        assert workspace.approvals == ()


async def test_ten_thousand_operations_cost_what_is_on_screen() -> None:
    workspace = past_workspace()
    remember(workspace, [operation(number) for number in range(10_000)])
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        await pilot.press("G")
        assert page.list_of("operations").cursor == 9_999


def test_what_an_operation_did_is_told_in_one_order_whatever_came_first() -> None:
    effects = (
        Write("memory/semantic/a.md", SHA, SHA),
        Rename("memory/working/a.md", "memory/archive/a.md", SHA),
        Write("memory/episodic/a.md", None, SHA),
    )
    rows = past.OperationRows((operation(1, effects=effects, done=(0, 1, 2)),), NOW)
    assert "1 new, 1 changed, 1 moved" in plain(rows.row(0).left)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_all_that_is_given_back_is_listed_beside_its_diff_or_named_in_the_dialog(size: tuple[int, int]) -> None:
    workspace = three_plans()
    applied(workspace.engine, workspace.plan("p-20260315-0001"))
    async with deck(workspace, size=size) as pilot:
        await at_history(pilot)
        await pilot.press("u")
        text = await shows(pilot, "Undo o-20260315-0001", "1/24")
        listed = "Restored ⟨24⟩" in text
        assert listed == (size == (120, 36)) == ("more: ←/→ shows each" not in text)
        await pilot.press("right")
        await shows(pilot, "2/24")


def test_an_operation_that_is_not_over_names_the_way_on_and_claims_nothing_of_its_files() -> None:
    why = past.why_not_undo(operation(1, state=OperationState.RUNNING, finished_at=None))
    assert ":recover" in why and "stands" not in why


async def test_a_long_past_opens_with_the_newest_and_the_end_of_the_list_reads_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tui.screens.history.page.STEP", 1000)
    workspace = past_workspace()
    remember(workspace, [operation(1, id=f"o-20260314-{number:04}") for number in range(1, 2501)])
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        assert len(page._shown) == 1000 and "of 2,500" in screen_text(pilot)
        for known in (2000, 2500):
            await pilot.press("end")
            await settled(pilot)
            assert len(page._shown) == known
        assert page.history is not None and not page.history.more


async def test_the_filter_says_among_how_many_it_looked_and_enter_looks_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tui.screens.history.page.STEP", 1000)
    workspace = past_workspace()
    old = operation(1, id="o-20260301-0001", system="tree")
    remember(workspace, [old, *(operation(1, id=f"o-20260314-{number:04}") for number in range(1, 2500))])
    async with deck(workspace) as pilot:
        page = await at_history(pilot)
        await pilot.press("slash", *"tree")
        await settled(pilot)
        await shows(pilot, "⟨0 in the newest 1,000 of 2,500⟩", "none of the newest 1,000 operations matches")
        await pilot.press("enter")
        await shows(pilot, "enter reads 500 more")
        await pilot.press("enter")
        await shows(pilot, "Operations ⟨1⟩")
        await settled(pilot)
        assert page.operation == old
        await pilot.press("enter")
        assert not page.query_one("#sieve").has_class("shown")
