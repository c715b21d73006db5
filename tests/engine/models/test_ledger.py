"""The ledger: what it keeps of each call, from several processes, of dead ones, and from earlier versions (D49)."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.cost_ledger import CostLedger, LedgerLine, OverBudget
from engine.models.model_task import NOT_SENT, NOTHING_USED, Price, Usage
from engine.models.spending_cap import OVERHEAD, Budget

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)
OLD = b'{"what":"gate","model":"small","tokens":220,"usd":0.25,"latency_ms":12.5}\n'
WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from engine.models.cost_ledger import CostLedger, LedgerLine
ledger, name = CostLedger(Path(sys.argv[1])), sys.argv[2]
def line(usd):
    now = datetime(2026, 3, 15, tzinfo=UTC)
    return LedgerLine(time=now, role="gate", model=name, input=1, output=1, usd=usd)
for _ in range(int(sys.argv[3])):
    key = ledger.reserve(line(1.0))
    if sys.argv[4] == "die":
        break
    ledger.book(key, line(0.5))
"""


KINDS = ("plain", "read", "written", "written for an hour", "batch")


def billed(tokens: int, kind: str) -> Usage:
    """So many tokens of input and of output, the input plain or by the cache."""
    written = tokens if kind.startswith("written") else 0
    return Usage(
        input=tokens if kind in ("plain", "batch") else 0,
        output=tokens,
        cache_read=tokens if kind == "read" else 0,
        cache_write=written,
        cache_write_hour=written if kind.endswith("hour") else 0,
        batch=kind == "batch",
    )


def line(usd: float = 0.5, role: str = "gate") -> LedgerLine:
    return LedgerLine(time=NOW, role=role, model="small", input=1, output=2, usd=usd)


def writer(file: Path, name: str, times: int, then: str = "") -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", WRITER, str(file), name, str(times), then], cwd=Path.cwd())


def budget(ledger: CostLedger, cap: float) -> Budget:
    return Budget(
        cap,
        ledger=ledger,
        price=Price(1.0, 5.0),
        role="gate",
        model="small",
        clock=lambda: NOW,
        timer=lambda: 0.0,
        plan="p-1",
    )


def test_lines_of_earlier_versions_still_count(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(OLD + b"torn {")
    ledger = CostLedger(file)
    ledger.book(ledger.reserve(line()), line())
    old, new = ledger.lines()
    assert (old.time, old.role, old.input, old.usd, old.price) == (None, "gate", 220, 0.25, None)
    assert new.time == NOW and ledger.total() == 0.75
    assert file.read_bytes().startswith(OLD + b"torn {\n")


def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    for one in [writer(file, name, 40) for name in ("one", "two", "three")]:
        assert one.wait(60) == 0
    found = CostLedger(file).lines()
    assert len(found) == 120 and {line.model for line in found} == {"one", "two", "three"}
    assert CostLedger(file).total() == 60.0
    assert len({line.id for line in found}) == 120


def test_a_call_whose_process_died_is_booked_as_an_estimate(tmp_path: Path) -> None:
    file = tmp_path / "ledger.jsonl"
    assert writer(file, "dead", 1, "die").wait(60) == 0
    ledger = CostLedger(file)
    assert ledger.total() == 1.0, "what was reserved counts at once"
    ledger.book(ledger.reserve(line()), line())
    dead, alive = ledger.lines()
    assert (dead.model, dead.usd, dead.estimated, dead.stop) == ("dead", 1.0, True, "cut off")
    assert not alive.estimated and ledger.total() == 1.5


def test_a_line_that_was_written_before_the_process_died_counts_once(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    key = ledger.reserve(line(1.0))
    held = (tmp_path / "ledger.jsonl.reserved").read_bytes()
    ledger.book(key, line(0.5))
    (tmp_path / "ledger.jsonl.reserved").write_bytes(held.replace(str(os.getpid()).encode() + b",", b"999999999,"))
    assert ledger.total() == 0.5
    ledger.book(ledger.reserve(line()), line())
    assert ledger.total() == 1.0


def test_a_cap_over_all_processes_counts_what_is_reserved(tmp_path: Path) -> None:
    one, two = CostLedger(tmp_path / "ledger.jsonl"), CostLedger(tmp_path / "ledger.jsonl")
    key = one.reserve(line(0.6), cap=1.0)
    with pytest.raises(OverBudget):
        two.reserve(line(0.6), cap=1.0)
    two.reserve(line(0.6, role="embeddings"), cap=1.0)
    one.release(key)
    two.reserve(line(0.6), cap=1.0)
    assert one.lines() == ()


def test_only_the_operator_reads_it(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    ledger.book(ledger.reserve(line()), line())
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError):
        CostLedger(tmp_path / "link.jsonl").reserve(line())


def test_prices_are_those_of_the_cache_and_of_batches() -> None:
    price = Price(2.0, 10.0)
    used = Usage(input=100, output=10, cache_read=1000, cache_write=300, cache_write_hour=100)
    assert price.cost(used) == pytest.approx((100 * 2 + 1000 * 0.2 + 200 * 2.5 + 100 * 4 + 10 * 10) / 1e6)
    assert price.cost(Usage(input=100, output=10, batch=True)) == pytest.approx(150e-6)
    assert price.cost(NOTHING_USED) == 0


def test_what_is_raised_in_a_call_leaves_the_worst_case_booked(tmp_path: Path) -> None:
    ledger = CostLedger(tmp_path / "ledger.jsonl")
    made = budget(ledger, 1.0)
    with pytest.raises(KeyboardInterrupt), made.call(800, 100):
        raise KeyboardInterrupt
    (found,) = ledger.lines()
    assert (found.estimated, found.usage.read, found.output, found.plan) == (True, 1000, 100, "p-1")
    assert found.usd == Price(2.0, 5.0).of(1000, 100), "a service may write all of it to its cache for an hour"
    with made.call(800, 100) as booking:
        booking.used(NOTHING_USED, NOT_SENT)
    assert len(ledger.lines()) == 1


@given(st.lists(st.tuples(st.integers(0, 900), st.sampled_from(KINDS)), max_size=30), st.floats(0, 0.05))
def test_d49_no_call_passes_the_cap(used: list[tuple[int, str]], cap: float) -> None:
    """As long as no text has more tokens than bytes, whatever each call uses."""

    class Paper(CostLedger):
        """Keeps its lines in memory."""

        def __init__(self) -> None:
            self.kept: list[LedgerLine] = []

        def reserve(self, most: LedgerLine, cap: float | None = None) -> str:
            return ""

        def book(self, key: str, line: LedgerLine) -> None:
            self.kept.append(line)

    paper = Paper()
    made = budget(paper, cap)
    for tokens, kind in used:
        try:
            with made.call(700, 900) as booking:
                booking.used(billed(tokens, kind), "max_tokens")
        except OverBudget:
            break
    assert sum(line.usd for line in paper.kept) <= cap + 1e-12
    assert all(json.loads(json.dumps(line.usd)) == line.usd for line in paper.kept)


CALL = st.tuples(st.integers(0, 5000), st.integers(1, 500), st.integers(0, 100), st.booleans())
"""Bytes of a question, tokens that its answer may have, the share of them that it has, and whether it is billed."""


@given(st.lists(CALL, max_size=8), st.floats(0.001, 0.05))
def test_d49_a_cap_counts_what_was_used_and_what_is_still_set_aside_once_each(
    tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[int, int, int, bool]], cap: float
) -> None:
    """The spending cap counted double once: what is settled takes the place of what was set aside, to the cent."""
    money = budget(CostLedger(tmp_path_factory.mktemp("ledger") / "ledger.jsonl"), cap)
    spent = used = 0.0
    for size, output, share, is_billed in calls:
        read = size + OVERHEAD
        most = Usage(cache_write=read, cache_write_hour=read, output=output, batch=True)
        if used + money.price.cost(most) > cap + 1e-12:
            with pytest.raises(OverBudget):
                money.reserve(size, output)
            continue
        assert money.reserve(size, output) == most
        told = Usage(input=read * share // 100, output=output * share // 100, batch=True) if is_billed else NOTHING_USED
        money.settle(most, told, billed=is_billed)
        used += money.price.cost(told)
        spent += money.price.cost(told) * is_billed
    assert money.spent.usd == pytest.approx(spent)


@pytest.mark.parametrize("settled", [0, 1, 2, 3])
def test_d49_a_cap_of_three_calls_is_passed_by_no_fourth(tmp_path: Path, settled: int) -> None:
    """However many of them are settled by then: what one used stays counted when another is settled."""
    most = Usage(cache_write=1000 + OVERHEAD, cache_write_hour=1000 + OVERHEAD, output=1000, batch=True)
    money = budget(CostLedger(tmp_path / "ledger.jsonl"), 3.5 * Price(1.0, 5.0).cost(most))
    asked = [money.reserve(1000, 1000) for _ in range(3)]
    for one in asked[:settled]:
        money.settle(one, most, billed=True)
    with pytest.raises(OverBudget):
        money.reserve(1000, 1000)
    for one in asked[settled:]:
        money.settle(one, NOTHING_USED, billed=False)
    for _ in range(3 - settled):
        money.reserve(1000, 1000)
    with pytest.raises(OverBudget):
        money.reserve(1000, 1000)


def test_d49_a_message_of_a_batch_that_was_sent_before_counts_under_the_cap(tmp_path: Path) -> None:
    money = budget(CostLedger(tmp_path / "ledger.jsonl"), 0.01)
    most = Usage(cache_write=1000, cache_write_hour=1000, output=1000, batch=True)
    money.take_over(most)
    money.take_over(most)
    with pytest.raises(OverBudget):
        money.reserve(1000, 1000)
    money.settle(most, NOTHING_USED, billed=False)
    money.settle(most, NOTHING_USED, billed=False)
    assert money.reserve(1000, 1000).output == 1000


def test_d49_what_was_spent_is_the_sum_of_what_was_billed(tmp_path: Path) -> None:
    spends, used = budget(CostLedger(tmp_path / "ledger.jsonl"), 1.0), Usage(input=300, output=40)
    for part in (True, True, False):
        spends.settle(spends.reserve(100, 100), used, billed=part)
    assert (spends.spent.calls, spends.spent.input, spends.spent.output) == (2, 600, 80)
