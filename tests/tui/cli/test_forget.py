"""`forget`, the typed word, and the receipt (decision D62)."""

import json

from tests.prepared import Prepared
from tests.tui.cli.conftest import Run, Typist

CODE = "QX-77123"


def test_d62_a_fact_is_forgotten_by_the_typed_word_and_the_receipt_is_told(
    run: Run, workspace: Prepared, typist: Typist
) -> None:
    workspace.write("MEMORY.md", f"# Memory\n\n- the vault code is {CODE}\n- kept\n")
    workspace.write("memory/2026-03-10.md", f"# 2026-03-10\n\n- vault {CODE}\n")
    said = run("forget", CODE)
    assert said.code == 0 and "1 places lose it, 1 keep it" in said.out and " · C · " in said.out, said
    plan = json.loads(run("queue", "--json").out)[0]["plan"]
    typist.types("APPROVED\n")
    done = run("apply", plan)
    assert done.code == 0 and f"receipt of {workspace.engine.history.operations()[0].id}" in done.out
    assert "memory/2026-03-10.md  its bytes, 1 times: a source, which was not asked for (--raw)" in done.out
    assert (workspace.folder / "MEMORY.md").read_text() == "# Memory\n\n- kept\n"
    again = run("receipt", "--json")
    facts = json.loads(again.out)
    assert again.code == 0 and CODE not in again.out
    assert facts.keys() == {
        "operation", "plan", "at", "by", "workspace", "files", "state", "history", "looked", "left",
    }  # fmt: skip
    assert [one["place"] for one in facts["left"]] == ["memory/2026-03-10.md"]
    workspace.write("knowledge/reference/x.md", f"{CODE}\n")
    back = run("receipt", facts["operation"])
    assert back.code == 1 and "knowledge/reference/x.md" in back.out
    undo = run("undo", facts["operation"])
    assert undo.code == 3 and "what was forgotten cannot come back" in undo.err


def test_a_receipt_says_when_nothing_is_left(run: Run, workspace: Prepared, typist: Typist) -> None:
    workspace.write("MEMORY.md", f"# Memory\n\n- the vault code is {CODE}\n")
    plan = json.loads(run("forget", "--line", "MEMORY.md:3", "--raw", "--json").out)["plan"]
    typist.types("APPROVED\n")
    done = json.loads(run("apply", plan["plan"] if isinstance(plan, dict) else plan, "--json").out)
    assert done["receipt"]["left"] == [] and done["state"] == "done"
    assert "nothing says it any more" in run("receipt").out


def test_what_cannot_be_asked_is_told(run: Run, workspace: Prepared) -> None:
    assert run("forget").code == 2 and "what is to be forgotten?" in run("forget").err
    assert run("forget", "!").code == 2 and run("receipt").code == 2 and run("receipt", "/no/such").code == 2
    assert run("forget", CODE).out == "0 places lose it, 0 keep it\nno plan: nothing says it\n"
    assert "--raw" in run("forget", CODE, "--history").err
