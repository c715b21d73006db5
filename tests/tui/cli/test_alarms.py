"""Alarms as typed: `status`, `doctor`, `digest`, `revert` and `changes --accept` of a loss (decision G26)."""

import json
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run, Typist

ENTRIES = "# Memory\n\n" + "".join(f"- decision {number} of billing stands\n" for number in range(40))
NOTHING = "- forgot\n"


@pytest.fixture
def where(run: Run, tmp_path: Path) -> tuple[str, str]:
    """A workspace whose MEMORY.md an agent overwrote while no memdeck ran."""
    memory = tmp_path / "agent" / "MEMORY.md"
    memory.parent.mkdir()
    memory.write_text(ENTRIES, encoding="utf-8")
    run("status", "-w", str(memory.parent))
    memory.write_text(NOTHING, encoding="utf-8")
    return "-w", str(memory.parent)


def test_g26_a_loss_stands_first_and_doctor_exits_6_until_it_is_reverted(run: Run, where: tuple[str, str]) -> None:
    made = json.loads(run("status", "--json", *where).out)
    (alarm,) = [one for one in made["alarms"] if one["id"] == "loss"]
    assert made["alarms"][0] == alarm and set(alarm) == {"id", "path", "detail", "fix"}
    assert made["headline"] == f"MEMORY.md: {alarm['detail']}" and "lost 40 of 40 entries" in alarm["detail"]
    said = run("status", *where).out
    assert said.index("■ MEMORY.md: lost 40 of 40 entries") < said.index("memory ")
    assert "→ memdeck revert MEMORY.md reverts it" in said
    assert "Alarms  1" in run("digest", "--text", *where).out
    assert json.loads(run("digest", "--json", *where).out)["alarms"][0]["path"] == "MEMORY.md"
    doctor = run("doctor", *where)
    assert doctor.code == 6 and doctor.out.startswith("■ loss  loss · MEMORY.md: lost 40")
    assert "1 change" in run("revert", "MEMORY.md", *where).out


def test_g26_only_a_person_at_a_terminal_keeps_a_loss(run: Run, where: tuple[str, str], typist: Typist) -> None:
    typist.answers("Keep it as it is? [y/N] ", "n\n")
    assert run("changes", "--accept", "MEMORY.md", *where).code == 3
    assert run("doctor", *where).code == 6
    typist.answers("Keep it as it is? [y/N] ", "y\n")
    assert "accepted as it is: MEMORY.md" in run("changes", "--accept", "MEMORY.md", *where).out
    assert run("doctor", *where).code == 0
    assert run("changes", "--accept", "MEMORY.md", *where).code == 2


def test_g26_without_a_terminal_nobody_keeps_one(run: Run, where: tuple[str, str], no_terminal: None) -> None:
    assert run("changes", "--accept", "MEMORY.md", *where).code == 3
    assert run("doctor", *where).code == 6
