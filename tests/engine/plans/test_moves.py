"""Where operations moved files: followed by the operator's records alone, there and back again."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.plans.operation import Operation, OperationKind, OperationState, Rename, Withdraw, Write
from engine.plans.plan import RiskTier
from engine.plans.records.operation_fold import Moves, fold_moves

NOW = datetime(2026, 3, 15, 3, tzinfo=UTC)
NOTE, FILED = "memory/episodic/a.md", "memory/archive/a-archived-2026-03-15.md"


def operation(number: int, *effects: Rename | Write | Withdraw) -> Operation:
    return Operation(
        id=f"o-20260315-{number:04}",
        kind=OperationKind.APPLY,
        plan="p-20260315-0001",
        system="compact",
        trigger="manual",
        risk_tier=RiskTier.B,
        state=OperationState.DONE,
        started_at=NOW,
        finished_at=NOW,
        simulated_clock=False,
        numbers=(1,),
        effects=effects,
        done=tuple(range(len(effects))),
    )


def test_a_moved_file_is_found_where_it_went_and_after_an_undo_where_it_was() -> None:
    moved = fold_moves(Moves(), [operation(1, Rename(NOTE, FILED, "0" * 64))])
    assert moved.place(NOTE) == FILED and moved.place(FILED) == FILED and moved.through == "o-20260315-0001"
    back = fold_moves(moved, [operation(2, Rename(FILED, NOTE, "0" * 64))])
    assert back.place(NOTE) == NOTE and back.place(FILED) == NOTE


def test_a_file_that_is_written_anew_stays_where_it_is() -> None:
    moved = fold_moves(
        Moves(), [operation(1, Rename(NOTE, FILED, "0" * 64)), operation(2, Write(NOTE, None, "1" * 64))]
    )
    assert moved.place(NOTE) == NOTE


def test_an_operation_that_is_running_tells_nothing_yet() -> None:
    running = replace(operation(1, Rename(NOTE, FILED, "0" * 64)), state=OperationState.RUNNING)
    assert fold_moves(Moves(), [running]) == Moves()


NAMES = st.sampled_from(["a", "b", "c", "d"])


@given(st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), max_size=12))
def test_following_always_ends_where_nothing_moved_on(moves: list[tuple[str, str]]) -> None:
    known = fold_moves(Moves(), [operation(n, Rename(a, b, "0" * 64)) for n, (a, b) in enumerate(moves, 1)])
    for name in ("a", "b", "c", "d"):
        assert known.place(name) not in known.places
