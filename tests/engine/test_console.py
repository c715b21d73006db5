"""The one door: what stays open when a record behind it is damaged."""

import os
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.errors import Refused, UsageError
from engine.plans.operation import ConfirmationAnswer
from engine.services.engine import Engine
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from tests.engine.history.repos import git
from tests.tui.cli.approvals import an_approval

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    notes = folder / "memory" / "working"
    notes.mkdir(parents=True)
    for day in range(1, 13):
        text = f"# Day {day}\n\n- We decided to keep the queue number {day} because a rollback took {day} minutes.\n"
        (notes / f"2026-02-{day:02}-note.md").write_text(text)
    return folder


def _state(workspace: Path) -> Path:
    with Engine.open(workspace) as console:
        return console._opened.state.path


def test_a_damaged_operation_record_is_named_and_closes_nothing(workspace: Path) -> None:
    record = _state(workspace) / "operations" / "o-20260101-0001.json"
    record.write_text("{")
    with Engine.open(workspace, now=NOW) as console:
        assert "records" in {item.id for item in console.status.read().degraded}
        assert console.history.operations() == ()
        assert [finding.id for finding in console.history.verify()] == ["operation_damaged"]
        assert "operation_damaged" in {finding.id for finding in console.maintenance.check()}


def test_an_operation_that_was_cut_off_is_named_with_the_way_on_until_it_is_recovered(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW) as console:
        plan = console.plans.make("compact").plan
        assert plan is not None

        def died(name: str) -> None:
            if name == "rename":
                raise _Died

        answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
        with hooked(died), pytest.raises(_Died):
            console.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
    with Engine.open(workspace, now=NOW) as console:
        (first, *_) = console.status.read().degraded
        assert first.id == "recover" and "was cut off half-way" in first.what and "memdeck recover" in first.fix
        console.maintenance.recover()
        assert "recover" not in {item.id for item in console.status.read().degraded}


def test_what_git_lacks_is_shown_in_the_status_until_it_is_settled(workspace: Path) -> None:
    git(workspace, "init", "-q")
    git(workspace, "add", "-A")
    git(workspace, "commit", "-q", "-m", "first")
    (workspace / ".git/MERGE_HEAD").write_text(git(workspace, "rev-parse", "HEAD"), encoding="ascii")
    with Engine.open(workspace, now=NOW) as console:
        plan = console.plans.make("compact").plan
        assert plan is not None
        answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
        done = console.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
        (owed,) = [item for item in console.status.read().degraded if item.id == "commit_owed"]
        assert done.id in owed.what and "a merge is under way" in owed.what and "memdeck recover" in owed.fix
        assert [finding.id for finding in console.maintenance.doctor()].count("commit_owed") == 1
        (workspace / ".git/MERGE_HEAD").unlink()
        assert "commit_settled" in {finding.id for finding in console.maintenance.recover()}
        assert "commit_owed" not in {item.id for item in console.status.read().degraded}


def test_a_journal_that_cannot_be_read_is_not_promised_to_be_recovered(workspace: Path) -> None:
    (_state(workspace) / "journal.json").write_text("{")
    with Engine.open(workspace, now=NOW) as console:
        (first, *_) = console.status.read().degraded
        assert first.id == "records" and "the journal cannot be read" in first.what and "memdeck check" in first.fix


class _Died(BaseException):
    """Ends a writer where it stands, as a kill does: nothing below catches it."""


def test_a_dry_run_queues_a_plan_and_writes_nothing(workspace: Path) -> None:
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()}
    with Engine.open(workspace, now=NOW) as console:
        outcome = console.plans.make("compact")
        assert outcome.plan is not None
        assert [entry.id for entry in console.plans.queue()] == [outcome.plan.id]
        assert outcome.plan.simulated_clock
    assert {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file()} == before


def test_a19_a_sharding_that_was_applied_was_the_first_run(workspace: Path) -> None:
    shard = workspace / "memory/semantic/openclaw.md"
    shard.parent.mkdir()
    entry = (
        "Title: Rule {0}\nContext: On day {0}.\nDurable Insight: When thing {0} grows, look at its neighbour first.\n"
    )
    shard.write_text("\n".join(entry.format(number) for number in range(60)))
    with Engine.open(workspace, now=NOW) as console:
        (plan,) = console.plans.make("compact").also
        assert [question.id for question in plan.confirmations] == ["first_run"]
        answers = (ConfirmationAnswer(id="first_run", reason="backed up"),)
        console.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
        assert not console.status.read().first_run
        compaction = console.plans.make("compact").plan
        assert compaction is not None
        assert compaction.confirmations == (), "and it began no cooldown: nothing was appended"


def test_a_plan_goes_stale_when_the_agent_changes_its_source(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW) as console:
        console.plans.make("compact")
        path = "memory/working/2026-02-01-note.md"
        (workspace / path).write_text("changed\n")
        console.status.changed([path])
        entry = console.plans.queue()[0]
        assert entry.state == "stale"
        assert path in entry.state_reason


def test_an_unknown_system_names_those_there_are(workspace: Path) -> None:
    with Engine.open(workspace) as console, pytest.raises(UsageError, match="compact"):
        console.plans.make("defrag")


def test_g19_state_inside_the_workspace_is_refused(workspace: Path) -> None:
    env = {"XDG_STATE_HOME": str(workspace / ".state"), "XDG_CONFIG_HOME": str(workspace.parent), "HOME": "/nowhere"}
    with pytest.raises(Refused):
        Engine.open(workspace, env=env)


def test_a_rejected_plan_keeps_its_reason(workspace: Path) -> None:
    with Engine.open(workspace, now=NOW) as console:
        plan = console.plans.make("compact").plan
        assert plan is not None
        entry = console.plans.reject(plan.id, "not this week")
        assert (entry.state, entry.state_reason) == ("rejected", "not this week")
        # The log can never be changed: what is forgotten later may not stand in it.
        assert console.history.audit()[-1].data["reason_sha256"] == sha256_hex(b"not this week")


def test_a_hurried_look_at_a_large_tree_says_that_its_figures_are_of_before(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.services.status_figures.LARGE", 5)
    log = workspace / "memory" / "2026-02-01.md"
    log.write_text("# Log\n- drained the queue\n")
    with Engine.open(workspace, now=NOW) as console:
        assert console.status.read().tree["raw"] == 1
        (workspace / "memory" / "2026-02-02.md").write_text("# Log\n- more work\n")
        hurried = console.status.changed(["memory/2026-02-02.md"]).tree
        assert (hurried["raw"], hurried["earlier"]) == (1, True)
        after = console.status.changed([]).tree
        assert after["raw"] == 2 and "earlier" not in after
        (workspace / "memory" / "working" / "2026-02-01-note.md").write_text("# Other\n")
        assert "earlier" not in console.status.changed(["memory/working/2026-02-01-note.md"]).tree, (
            "no part of the tree"
        )


def test_g23_every_record_is_readable_by_the_operator_alone(tmp_path: Path, workspace: Path) -> None:
    home = tmp_path / "home"
    env = {"XDG_STATE_HOME": str(home), "XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}
    umask = os.umask(0o022)
    try:
        with Engine.open(workspace, now=NOW, env=env) as console:
            plan = console.plans.make("compact").plan
            assert plan is not None
            answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
            console.plans.apply(plan, msgspec.structs.replace(an_approval(plan), answers=answers))
            console.search.find("queue")
            console.status.read()
    finally:
        os.umask(umask)
    open_to_others = [
        path
        for path in (home / "memdeck").rglob("*")
        if "held" not in path.parts and path.stat().st_mode & 0o077  # held files are the agent's own, with their mode
    ]
    assert open_to_others == [] and (home / "memdeck").stat().st_mode & 0o077 == 0
