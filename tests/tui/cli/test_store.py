"""`memdeck store`: a review of what changed at a memory store, and a push that only typing on a terminal sends."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.engine.extras.store_server import STORE, StoreServer, store_server
from tests.engine.history.repos import write
from tests.engine.lifecycle.applying import approve
from tests.engine.models.loopback import KEY
from tests.tui.cli.conftest import Run, Typist

NOTE = "knowledge/projects/billing.md"
FIRST = "# Billing\n\n- Invoices go out on Fridays.\n"


@pytest.fixture
def server() -> Iterator[StoreServer]:
    with store_server() as made:
        made.texts[f"/{NOTE}"] = FIRST
        yield made


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path, server: StoreServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    (own_home / "config/memdeck").mkdir(parents=True)
    (own_home / "config/memdeck/policy.yaml").write_text(f"llm: {{url: '{server.url}'}}\n", "utf-8")
    write(tmp_path / "agent", {"knowledge/projects/_active.md": "# Active\n"})
    return tmp_path / "agent"


@pytest.fixture
def ours(workspace: Path, run: Run) -> Path:
    """The store was pulled and taken in; then the note was changed here."""
    assert run("-w", str(workspace), "store", "pull", STORE).code == 0
    with Engine.open(workspace) as engine:
        approve(engine, engine.plans.load(engine.plans.queue()[0].id))
    write(workspace, {NOTE: FIRST + "- Paid.\n"})
    return workspace


def test_a_pull_queues_a_review_and_lists_the_store(run: Run, workspace: Path, server: StoreServer) -> None:
    server.texts["/private/x.md"] = "x\n"
    ran = run("-w", str(workspace), "store", "pull", STORE)
    assert ran.code == 0 and "2 texts" in ran.out and "queued p-" in ran.out and "private/x.md" in ran.err
    assert STORE in run("-w", str(workspace), "store").out
    asked = json.loads(run("-w", str(workspace), "store", "pull", STORE, "--json").out)
    assert asked["texts"] == 2 and len(asked["not_pulled"]) == 1
    assert not (workspace / NOTE).exists() and server.writes == []


def test_a_push_is_shown_and_sent_once_the_word_is_typed(
    run: Run, ours: Path, server: StoreServer, typist: Typist
) -> None:
    shown = run("-w", str(ours), "store", "push", STORE, "--show")
    assert shown.code == 0 and "+- Paid." in shown.out and server.writes == []
    typist.types("yes\n")
    assert run("-w", str(ours), "store", "push", STORE).code != 0 and server.writes == []
    typist.types("APPROVED\n")
    ran = run("-w", str(ours), "store", "push", STORE)
    assert ran.code == 0 and f"{NOTE}: sent" in ran.out
    assert "+- Paid." in typist.shown() and "no undo reverses it" in typist.shown()
    assert server.texts[f"/{NOTE}"] == FIRST + "- Paid.\n"
    assert "nothing to send" in run("-w", str(ours), "store", "push", STORE).out


def test_what_changed_there_since_is_told_with_its_own_exit_code(
    run: Run, ours: Path, server: StoreServer, typist: Typist
) -> None:
    server.texts[f"/{NOTE}"] = "# Theirs\n"
    typist.types("APPROVED\n")
    ran = run("-w", str(ours), "store", "push", STORE)
    assert ran.code == 4 and "changed since" in ran.out and "store pull" in ran.out
    assert server.texts[f"/{NOTE}"] == "# Theirs\n"


def test_nothing_but_a_terminal_can_approve(run: Run, ours: Path, server: StoreServer, no_terminal: None) -> None:
    ran = run("-w", str(ours), "store", "push", STORE)
    assert ran.code == 3 and "terminal" in ran.err
    assert run("-w", str(ours), "store", "push", STORE, "--read-only").code == 3
    assert server.writes == []


@pytest.mark.parametrize("wrong", [["take"], ["pull"], ["push"], ["pull", STORE, "a.md"], ["pull", "../x"]])
def test_what_is_no_command_says_what_is(run: Run, workspace: Path, wrong: list[str]) -> None:
    ran = run("-w", str(workspace), "store", *wrong)
    assert ran.code == 2 and ran.err
