"""A flush of generated sessions loses no statement, whatever MEMORY.md has room for (B26)."""

import pytest

from tests.benchmarks.evaluate_flush import LAYOUTS, flushed, generated


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("number", "lines"), [(0, 3), (2, 191), (4, 200)])
def test_b26_every_statement_of_a_generated_session_stands_in_a_file_once_it_is_applied(
    layout: str, number: int, lines: int
) -> None:
    said = generated(number)
    made = flushed(said.text, layout, lines)
    assert made.plan is not None and all(gate.passed for gate in made.plan.gates)
    text = "".join(made.files.values())
    assert len(said.keys) > 40 and [key for key in said.keys if key not in text] == []
    assert [item for item in made.items if not made.holds(item)] == []
    memory = next((one for path, one in made.files.items() if path.endswith("MEMORY.md")), "")
    assert memory.count("\n") <= 200
