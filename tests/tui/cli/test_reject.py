"""`reject` of some hunks, and `show --hunks`: the rest is queued, the old plan rejected with the reason."""

import json
from pathlib import Path

import pytest

from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from tests.tui.cli.conftest import Run

NOTE = "memory/working/a.md"
OLD = "".join(f"line {number}\n" for number in range(1, 13))
NEW = OLD.replace("line 3\n", "three\x1b[31m\n").replace("line 9\n", "")


@pytest.fixture
def plan(tmp_path: Path, own_home: Path) -> str:
    note = tmp_path / "ws" / NOTE
    note.parent.mkdir(parents=True)
    note.write_text(OLD, encoding="utf-8")
    asked = NoteProposal(path=NOTE, action="replace", content=NEW, reason="learnt", base=sha256_hex(OLD.encode()))
    with Engine.open(tmp_path / "ws") as console:
        return console.proposals.propose(asked, "claude").id


def test_hunks_are_listed_by_name_with_every_hidden_character_visible(run: Run, tmp_path: Path, plan: str) -> None:
    where = ("-w", str(tmp_path / "ws"))
    shown = run("show", plan, "--hunks", *where).out
    assert "1#1  @@ -3,1 +3,1 @@" in shown and "+three␛[31m" in shown and "\x1b" not in shown
    (change,) = json.loads(run("show", plan, "--hunks", "--json", *where).out)
    assert (change["change"], change["path"], change["whole"]) == (1, NOTE, None)
    assert [(one["name"], one["removed"]) for one in change["hunks"]] == [("1#1", ["line 3\n"]), ("1#2", ["line 9\n"])]


def test_the_rest_is_queued_and_the_old_plan_rejected(run: Run, tmp_path: Path, plan: str) -> None:
    where = ("-w", str(tmp_path / "ws"))
    said = run("reject", plan, "1#1", "--reason", "three is a number", *where)
    assert said.code == 0 and f"rejected {plan} in part · queued p-" in said.out
    old, new = json.loads(run("queue", "--json", *where).out)
    assert (old["state"], new["state"]) == ("rejected", "pending")
    assert "-line 9" in run("show", new["plan"], "--diff", *where).out
    assert f"Without hunk 1#1 of {plan}: three is a number" in run("show", new["plan"], *where).out


def test_to_keep_and_wrong_use(run: Run, tmp_path: Path, plan: str) -> None:
    where = ("--reason", "no", "-w", str(tmp_path / "ws"))
    kept = json.loads(run("reject", plan, "1#1", "--keep", "--json", *where).out)
    assert [(one["added"], one["removed"]) for one in kept["changes"]] == [(1, 1)]
    assert run("reject", kept["plan"], "--keep", *where).code == 2
    none = run("reject", kept["plan"], "1#1", *where)
    assert none.code == 0 and "nothing would be left of it: memdeck reject" in none.out
    wrong = run("reject", kept["plan"], "1#5", *where)
    assert wrong.code == 2 and "it has 1 hunks" in wrong.err
