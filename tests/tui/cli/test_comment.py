"""`comment` by command: kept, listed, dropped, and printed as one prompt."""

import json
from pathlib import Path

from tests.tui.cli.conftest import Run
from tests.tui.cli.test_reject import plan  # noqa: F401  (a fixture)


def test_a_comment_is_kept_listed_dropped_and_becomes_a_prompt(run: Run, tmp_path: Path, plan: str) -> None:  # noqa: F811
    where = ("-w", str(tmp_path / "ws"))
    assert run("comment", plan, *where).out == "no comments\n"
    assert run("comment", plan, "--prompt", *where).code == 2
    said = run("comment", plan, "1:3", "write the number", *where)
    assert said.code == 0 and "change 1, line 3" in said.out and "three␛[31m" in said.out
    (kept,) = json.loads(run("comment", plan, "--json", *where).out)
    assert (kept["number"], kept["first"], kept["quoted"], kept["text"]) == (
        1,
        3,
        ["three\x1b[31m"],
        "write the number",
    )
    shown = run("show", plan, "--diff", *where).out
    assert "» comment 1, line 3: write the number" in shown
    (told,) = json.loads(run("show", plan, "--diff", "--json", *where).out)["comments"]
    assert told == kept
    prompt = run("comment", plan, "--prompt", *where).out
    assert "1. change 1, line 3: write the number" in prompt and "<recalled " in prompt and "\x1b" not in prompt
    file = tmp_path / "prompt.txt"
    assert run("comment", plan, "--prompt", "--file", str(file), *where).code == 0
    assert "write the number" in file.read_text()
    assert run("comment", plan, "--prompt", "--file", str(file), *where).code == 3
    assert "dropped 1" in run("comment", plan, "--drop", "1", *where).out
    assert run("comment", plan, "--drop", "1", *where).code == 2
    assert run("comment", plan, "1:3", *where).code == 2
    assert run("comment", plan, "1:99", "x", *where).code == 2
