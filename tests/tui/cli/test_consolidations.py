"""`memdeck consolidations` as typed: one item for a burst, its account, and plans that take it back."""

import json
from pathlib import Path

import pytest

from tests.tui.cli.conftest import Run

ENTRIES = "".join(f"- decision {number} of billing stands\n" for number in range(9))
DREAMT = "# Memory\n\n- decision 0 of billing stands\n- NO_REPLY\n"


@pytest.fixture
def where(run: Run, tmp_path: Path) -> tuple[str, str]:
    """A workspace of OpenClaw in which a night of dreaming came after the operator looked."""
    folder = tmp_path / "agent"
    folder.mkdir()
    (folder / "SOUL.md").write_text("# Soul\n", encoding="utf-8")
    (folder / "MEMORY.md").write_text(f"# Memory\n\n{ENTRIES}", encoding="utf-8")
    run("changes", "--looked", "-w", str(folder))
    (folder / "MEMORY.md").write_text(DREAMT, encoding="utf-8")
    return "-w", str(folder)


def test_a_burst_is_listed_once_with_its_account(run: Run, where: tuple[str, str]) -> None:
    said = run("consolidations", *where).out
    assert said.count("Unknown program") == 1
    assert "9 entries = 1 kept + 0 moved + 0 merged + 8 lost; 1 new, 1 like junk" in said
    (item,) = json.loads(run("consolidations", "list", "--json", *where).out)
    assert (item["tool"], item["state"], item["account"]["lost"]) == ("openclaw", "open", 8)
    assert "1 consolidation by another tool" in run("queue", *where).out


def test_it_is_shown_entry_by_entry_and_taken_back_by_one(run: Run, where: tuple[str, str]) -> None:
    said = run("consolidations", "show", "--diff", *where).out
    assert "1  lost  MEMORY.md:4" in said and "- decision 1 of billing stands" in said
    assert "-- decision 8 of billing stands" in said and "a mark of the tool that wrote it" in said
    made = json.loads(run("consolidations", "plan", "--entry", "1", "--entry", "9", "--json", *where).out)
    assert [(one["op"], one["added"], one["removed"]) for one in made["changes"]] == [("replace", 1, 1)]
    whole = json.loads(run("consolidations", "plan", "--json", *where).out)
    assert [(one["op"], one["added"], one["removed"]) for one in whole["changes"]] == [("replace", 8, 1)]
    assert whole["risk_tier"] == "C"


def test_what_is_kept_waits_no_more(run: Run, where: tuple[str, str]) -> None:
    assert "kept as it is: c-" in run("consolidations", "keep", "--reason", "it was right", *where).out
    assert "no consolidation waits" in run("consolidations", *where).out
    assert "reason: it was right" in run("consolidations", "list", "--all", *where).out


@pytest.mark.parametrize("words", [("show", "c-x"), ("plan", "--entry", "99"), ("plan", "c-x"), ("keep", "c-x")])
def test_what_there_is_not_is_wrong_usage(run: Run, where: tuple[str, str], words: tuple[str, ...]) -> None:
    ran = run("consolidations", *words, *where)
    assert ran.code == 2 and "there is no such" in ran.err


def test_without_a_look_nothing_is_known(run: Run, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    assert "you have not looked yet" in run("consolidations", "-w", str(tmp_path / "agent")).out
