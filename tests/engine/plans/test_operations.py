"""The operations' records: ids that sort, damage that is named; and the journal of the one under way."""

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from engine.errors import Damaged, UsageError
from engine.plans.operation import Operation, OperationKind, OperationState, Rename, Withdraw, Write
from engine.plans.plan import RiskTier
from engine.plans.records.journal import Journal, Phase, Slot, clear_journal, load_journal
from engine.plans.records.operations import Operations
from engine.state.folder import StateFolder
from tests.engine.plans.rig import START


def make(name: str) -> Operation:
    return Operation(
        id=name,
        kind=OperationKind.APPLY,
        plan="p-20260315-0001",
        system="compact",
        trigger="manual",
        risk_tier=RiskTier.B,
        state=OperationState.DONE,
        started_at=START,
        finished_at=START,
        simulated_clock=False,
        numbers=(1, 2, 3),
        effects=(Write("a.md", None, "1"), Rename("b.md", "c.md", "2"), Withdraw("d.md", "3")),
        done=(0, 1, 2),
    )


def test_operations_come_back_newest_first(tmp_path: Path) -> None:
    store = Operations(tmp_path)
    assert tuple(store.walk()) == ()
    names = ["o-20260314-0001", "o-20260315-0001", "o-20260315-0002", "o-20260315-9999", "o-20260315-10000"]
    for name in names:
        store.save(make(name))
    assert [operation.id for operation in tuple(Operations(tmp_path).walk())] == names[::-1]
    assert store.load("o-20260315-0002") == make("o-20260315-0002")


def test_ids_follow_each_other_even_when_the_clock_does_not(tmp_path: Path) -> None:
    store = Operations(tmp_path)
    assert store.next_id(START) == "o-20260315-0001"
    store.save(make("o-20260315-0001"))
    assert store.next_id(START) == "o-20260315-0002"
    assert store.next_id(START + timedelta(days=1)) == "o-20260316-0001"
    assert store.next_id(START - timedelta(days=30)) == "o-20260315-0002", "undo goes by their order"


def test_an_operation_is_found_by_the_unique_end_of_its_id(tmp_path: Path) -> None:
    store = Operations(tmp_path)
    for name in ("o-20260314-0001", "o-20260315-0001", "o-20260315-0002"):
        store.save(make(name))
    assert store.load("0002").id == "o-20260315-0002"
    assert store.load("0315-0001").id == "o-20260315-0001"
    for unclear, why in (("0001", "more than one"), ("0007", "no such"), ("", "more than one")):
        with pytest.raises(UsageError, match=why):
            store.load(unclear)


def test_a_damaged_record_is_named_and_a_changed_one_read_again(tmp_path: Path) -> None:
    store = Operations(tmp_path)
    store.save(make("o-20260315-0001"))
    store.load("o-20260315-0001")
    store.save(msgspec.structs.replace(make("o-20260315-0001"), state=OperationState.UNDONE))
    assert store.load("o-20260315-0001").state is OperationState.UNDONE
    (tmp_path / "o-20260315-0001.json").write_bytes(b"{")
    with pytest.raises(Damaged, match="cannot be read") as damaged:
        store.load("o-20260315-0001")
    assert "o-20260315-0001.json" in damaged.value.where


def test_the_journal_is_there_until_it_is_cleared(tmp_path: Path) -> None:
    state = StateFolder(tmp_path)
    assert load_journal(state) is None
    slot = Slot(name="o-1-1", stage_yard="state", keep_yard="in:memory", inode=(1, 2))
    journal = Journal(phase=Phase.STAGING, operation=make("o-20260315-0001"), slots=(slot,), remove=("x",))
    journal.save(state)
    assert load_journal(state) == journal
    journal.at(Phase.EFFECTS).save(state)
    loaded = load_journal(state)
    assert loaded is not None
    assert loaded.phase is Phase.EFFECTS
    state.journal.write_bytes(b"[]")
    with pytest.raises(Damaged, match="journal"):
        load_journal(state)
    clear_journal(state)
    clear_journal(state)
    assert load_journal(state) is None
