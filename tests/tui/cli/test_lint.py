"""`memdeck lint` as a command."""

import json
from pathlib import Path

import pytest

from tui.cli.main import main


def test_faults_are_named_by_line_and_fixed_in_a_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / "agent"
    (place / "knowledge/journal").mkdir(parents=True)
    note = place / "knowledge/journal/2026-02-16.md"
    note.write_text('---\ndate: 2026-02-15\nupdated: "\\e[31m"\n---\n')
    assert main(["-w", str(place), "lint"]) == 1
    out = capsys.readouterr().out
    assert "knowledge/journal/2026-02-16.md:2  date" in out
    assert "2 faults, 1 with a mechanical fix" in out
    assert main(["-w", str(place), "--json", "lint"]) == 1
    assert [fault["line"] for fault in json.loads(capsys.readouterr().out)] == [2, 3]
    assert main(["-w", str(place), "lint", "--plan"]) == 0
    assert "queued p-" in capsys.readouterr().out
    note.write_text("- sound\n")
    assert main(["-w", str(place), "lint"]) == 0
