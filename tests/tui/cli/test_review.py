"""`review` by command: the plan, its account, and what is refused."""

import json
from pathlib import Path

from tests.tui.cli.conftest import Run


def test_two_folders_become_a_plan_with_an_account(run: Run, tmp_path: Path) -> None:
    for folder, text in (("ws", "- one\n"), ("before", "- one\n"), ("after", "- one\n- two\n")):
        (tmp_path / folder / "knowledge").mkdir(parents=True)
        (tmp_path / folder / "knowledge/x.md").write_text(text, encoding="utf-8")
    where = ("-w", str(tmp_path / "ws"))
    made = json.loads(run("review", str(tmp_path / "before"), str(tmp_path / "after"), "--json", *where).out)
    assert [(one["op"], one["path"]) for one in made["changes"]] == [("append", "knowledge/x.md")]
    said = run("review", str(tmp_path / "before"), str(tmp_path / "after"), *where).out
    assert "1 entries = 1 kept + 0 merged + 0 archived + 0 omitted" in said and "queued p-" in said
    ran = run("review", str(tmp_path / "before"), str(tmp_path / "gone"), *where)
    assert ran.code == 2 and "AFTER is no folder that can be read" in ran.err
