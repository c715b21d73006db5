"""Faults are drawn where programs can be wrong, and what tests make of them is told as it is."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.mutation.__main__ import ROOMS, all_mutants, equivalent, key, near_tests
from tests.mutation.mutants import MODULE, compiles, drawn, mutants_of
from tests.mutation.nursery import Order, carry_out, exchange
from tests.mutation.reach import IMPORTED, INTO, Reach, Reached, rows_in
from tests.mutation.reach import ROOMS as WATCHED
from tests.mutation.trial import near, portions
from tests.turn import ROOT

SOURCE = '''"""Two is greater than 1."""
LIMIT = 3
class Till:
    """Has 4 drawers."""
    def open(self, by: int | None = 5) -> bool:
        """Opens 6 of them."""
        if not by or by > LIMIT:
            raise ValueError(f"{by + 7} of 8")
        self.held = count(by, most=9)
        self.held += 1
        return self.name == "till" and self.held is not None
'''


def test_faults_are_made_of_what_a_program_does_and_not_of_what_it_says() -> None:
    mutants = mutants_of("till.py", SOURCE.encode())
    assert {(one.kind, one.new) for one in mutants} == {
        ("constant", "LIMIT = 4"),
        ("constant", "def open(self, by: int | None = 6) -> bool:"),
        ("not", "if by or by > LIMIT:"),
        ("boolean", "if not by and by > LIMIT:"),
        ("compare", "if not by or by >= LIMIT:"),
        ("constant", "self.held = count(by, most=10)"),
        ("argument", "self.held = count(by)"),
        ("assign", "self.held -= 1"),
        ("assign", "self.held = 1"),
        ("constant", "self.held += 2"),
        ("compare", 'return self.name != "till" and self.held is not None'),
        ("compare", 'return self.name == "till" and self.held is None'),
        ("boolean", 'return self.name == "till" or self.held is not None'),
        ("token", "return self.name == 'tillx' and self.held is not None"),
        ("return", 'return not (self.name == "till" and self.held is not None)'),
    }
    assert {one.function for one in mutants} == {MODULE, "Till.open"}
    assert all(compiles(one, SOURCE.encode()) for one in mutants)
    assert len({one.id for one in mutants}) == len(mutants)


def test_a_draw_stays_where_other_lines_change() -> None:
    before, after = (mutants_of("till.py", text.encode()) for text in (SOURCE, f"import re\n\n{SOURCE}"))
    assert [one.id for one in drawn(before, 5, seed=1)] == [one.id for one in drawn(after, 5, seed=1)]
    assert [one.id for one in drawn(before, 5, seed=1)] != [one.id for one in drawn(before, 5, seed=2)]


def test_each_fault_that_is_said_to_be_equivalent_is_one_that_can_be_drawn() -> None:
    """A reason speaks of the lines as they are: where they change, the fault is judged anew."""
    gone = equivalent().keys() - {key(mutant) for mutant in all_mutants()}
    assert not gone, f"no longer in the code, take it out of equivalent.toml: {sorted(gone)}"
    assert all(len(reason) > 20 for reason in equivalent().values())


def test_each_room_has_tests_that_are_near() -> None:
    tests = near_tests()
    assert all(f"tests/engine/{room}" in tests for room in ROOMS)
    assert all((ROOT / test).exists() for test in tests)


def test_tests_are_chosen_by_the_lines_that_they_ran() -> None:
    rows = [
        Reached("tests/engine/plans/test_a.py::far", 1.0, {"engine/models/a.py": [5]}),
        Reached("tests/engine/models/test_a.py::slow", 9.0, {"engine/models/a.py": [3]}),
        Reached("tests/engine/models/test_a.py::quick", 0.1, {"engine/models/a.py": [3]}),
        Reached(IMPORTED, 0.0, {"engine/models/a.py": [1, 2, 4]}),
    ]
    source = b"A = 1\ndef f(b=2):\n    return b + A\ndef g():\n    return A\n"
    by_line = {one.line: one for one in mutants_of("engine/models/a.py", source)}
    constant, default, added = (by_line[line] for line in (1, 2, 3))
    lines, (quick, slow, far) = (
        range(1, 6),
        ("models/test_a.py::quick", "models/test_a.py::slow", "plans/test_a.py::far"),
    )
    assert [test.removeprefix("tests/engine/") for test in near(added, Reach(rows), lines)] == [quick, slow]
    assert [test.removeprefix("tests/engine/") for test in near(constant, Reach(rows), lines)] == [quick, slow, far]
    importing = ["tests/engine/plans/test_a.py"]
    assert [test.removeprefix("tests/engine/") for test in near(constant, Reach(rows), [], importing)] == [far]
    assert near(default, Reach(rows), lines) == near(constant, Reach(rows), lines)


def test_a_fault_that_the_quick_tests_do_not_notice_is_shown_to_the_others() -> None:
    seconds = {"a": 12.0, "b": 7.0, "c": 3.0, "d": 30.0, "e": 1.0}
    reach = Reach(Reached(test, needed, {}) for test, needed in seconds.items())
    assert list(portions(list(seconds), reach)) == [["a", "b"], ["c"], ["d"], ["e"]]
    assert list(portions([], reach)) == []


def test_code_is_exchanged_only_where_a_function_holds_it() -> None:
    module = ModuleType("till")
    module.__file__ = "till.py"
    source = "def f(a=1):\n    return a + 1\nclass B:\n    @property\n    def g(self):\n        return 2\nC = 1\n"
    exec(source, vars(module))
    assert exchange(module, "f", source.replace("a + 1", "a - 1").encode()) and module.f(3) == 2
    assert exchange(module, "B.g", source.replace("return 2", "return 3").encode()) and module.B().g == 3
    assert not exchange(module, "f", source.replace("a + 1", "a - 1").replace("a=1", "a=2").encode())
    assert not exchange(module, MODULE, source.replace("C = 1", "C = 2").encode())


TESTS = """from rooms.till import more

def test_more():
    assert more(2) == 3

def test_of_nothing():
    pass
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small product with a test that notices much and not all."""
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms/till.py").write_text("def more(a: int) -> int:\n    return a + 1 if a > 0 else 0\n")
    (tmp_path / "test_till.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = soak\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    return tmp_path


def test_a_fault_is_noticed_where_a_test_fails_and_survives_where_none_does(tree: Path) -> None:
    file, tests = tree / "rooms/till.py", ("test_till.py::test_more",)
    source = file.read_text()
    order = Order("rooms/till.py", "more", tests, limit=120, fresh=True)
    file.write_text(source.replace("a + 1", "a - 1"))
    assert carry_out(order, tree / "log").noticed == tests[0]
    file.write_text(source.replace("a > 0", "a > 1"))
    assert carry_out(order, tree / "log").noticed == ""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_each_test_is_known_with_the_lines_that_it_ran(
    tree: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    (tree / "conftest.py").write_text("import rooms.till\n")
    monkeypatch.setenv(INTO, str(tree))
    monkeypatch.setenv(WATCHED, "rooms")
    monkeypatch.setenv("PYTEST_PLUGINS", "tests.mutation.reach")
    words = ["-m", "pytest", "-q", "-n", workers, "-p", "no:cacheprovider", "test_till.py"]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    reach = Reach(rows_in(tree))
    assert reach.tests("rooms/till.py", [2]) == {"test_till.py::test_more"}
    assert reach.tests("rooms/till.py", [1]) == {IMPORTED}, "also where the first to import it is `conftest.py`"
    assert "test_till.py::test_of_nothing" in reach.seconds, "one that runs no line of the product is known too"
