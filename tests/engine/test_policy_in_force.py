"""The operator's policy while a prompt or a dialog is open, and records of what did not happen."""

from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from engine.errors import Refused, Stale
from engine.plans.operation import Approval, ConfirmationAnswer
from engine.plans.plan import Plan
from engine.services.engine import Engine
from tests.tui.cli.approvals import an_approval

NOW = datetime(2026, 3, 15, 3, 0, tzinfo=UTC)


class Place:
    """A workspace with old notes, and the operator's own folders beside it."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.policy = folder / "agent", folder / "config" / "memdeck" / "policy.yaml"
        self.env = {
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "HOME": str(folder),
        }
        notes = self.workspace / "memory" / "working"
        notes.mkdir(parents=True)
        self.policy.parent.mkdir(parents=True)
        for day in range(1, 13):
            text = (
                f"# Day {day}\n\n- We decided to keep the queue number {day} because a rollback took {day} minutes.\n"
            )
            (notes / f"2026-02-{day:02}-note.md").write_text(text)

    def open(self) -> Engine:
        return Engine.open(self.workspace, now=NOW, env=self.env)

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in self.workspace.rglob("*") if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def planned(console: Engine) -> tuple[Plan, Approval]:
    plan = console.plans.make("compact").plan
    assert plan is not None
    answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
    return plan, msgspec.structs.replace(an_approval(plan), answers=answers)


@pytest.mark.parametrize(
    "text", ["limits: {cooldown_hours: 48}\n", "limits: {semantic: {hard: 99999}}\n", "limits: [", "zone: Mars\n"]
)
def test_a_policy_that_changed_while_a_prompt_is_open_stops_the_apply(place: Place, text: str) -> None:
    before = place.files()
    with place.open() as console:
        plan, approval = planned(console)
        place.policy.write_text(text, "utf-8")
        with pytest.raises(Stale, match="policy changed") as stale:
            console.plans.apply(plan, approval)
        assert stale.value.exit_code == 4 and "plan again" in stale.value.hint
        assert place.files() == before and console.history.operations() == ()
        assert [record.kind for record in console.history.audit()] == []
        assert "policy" in {item.id for item in console.status.read().degraded}
        place.policy.unlink()
        assert "policy" not in {item.id for item in console.status.read().degraded}
        assert console.plans.apply(*planned(console)).state.value == "done"


def test_a_policy_that_was_only_touched_stops_nothing(place: Place) -> None:
    place.policy.write_text("zone: UTC\n", "utf-8")
    with place.open() as console:
        plan, approval = planned(console)
        place.policy.write_text("# the same\nzone: UTC\n", "utf-8")
        assert console.plans.apply(plan, approval).state.value == "done"


def test_a_policy_that_changed_while_an_undo_is_asked_for_stops_it(place: Place) -> None:
    with place.open() as console:
        console.plans.apply(*planned(console))
        reversal, after = console.history.reversal(), place.files()
        place.policy.write_text("git: {commit: false}\n", "utf-8")
        approval = msgspec.structs.replace(
            an_approval(console.plans.load(reversal.plan)),
            target=reversal.digest,
            numbers=reversal.numbers,
            risk_tier=reversal.risk_tier,
            nonce="another",
        )
        with pytest.raises(Stale, match="policy changed"):
            console.history.undo(reversal, approval)
        assert place.files() == after


@pytest.mark.parametrize("state", ["applied", "rejected", "superseded"])
def test_a_rejection_that_may_not_be_leaves_no_record(place: Place, state: str) -> None:
    with place.open() as console:
        plan, approval = planned(console)
        if state == "applied":
            console.plans.apply(plan, approval)
        elif state == "rejected":
            console.plans.reject(plan.id, "not now")
        else:
            (place.workspace / "memory" / "working" / "2026-02-01-note.md").write_text("# other\n")
            console.plans.make("compact")
        assert {entry.id: entry.state.value for entry in console.plans.queue()}[plan.id] == state
        before = console.history.audit()
        with pytest.raises(Refused):
            console.plans.reject(plan.id, "x")
        assert console.history.audit() == before


def test_a_rejection_by_the_end_of_an_id_is_recorded_under_the_whole_one(place: Place) -> None:
    with place.open() as console:
        plan, _ = planned(console)
        console.plans.reject(plan.id[-4:], "not now")
        assert console.history.audit()[-1].data["plan"] == plan.id


def test_a_reason_with_a_secret_is_kept_without_it(place: Place) -> None:
    with place.open() as console:
        plan, _ = planned(console)
        entry = console.plans.reject(plan.id, "the password is Xk29sLq81!mZ, so no")
        assert entry.state_reason.startswith("the password is ⟨secret: password⟩")
    kept = [file.read_bytes() for file in (place.workspace.parent / "state").rglob("*") if file.is_file()]
    assert kept and not any(b"Xk29sLq81" in data for data in kept)


def test_a_policy_that_names_the_transformer_of_before_opens_and_says_what_stands_in(place: Place) -> None:
    place.policy.write_text("search: {embedder: transformer}\ntopics: {scorer: transformer}\n")
    with place.open() as console:
        told = {one.id: one.fix for one in console.status.read().degraded}
        assert console.search.find("queue").hits
    assert told["search.embedder"] == "set search.embedder: auto"
    assert told["topics.scorer"] == "set topics.scorer: blend"
