"""The use ledger: what does not earn its place, counted without a word of a prompt, and rules that end."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UsageError
from engine.lifecycle.references.reference_days import DAYS_LOADED, RARE, used_entries
from engine.lifecycle.requests import ForgetRequest, PrunePart, PruneRequest
from engine.plans.memory_status import UseCounts
from engine.plans.plan import PlanState, QueueEntry
from engine.plans.planning import PlanRequest
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.services.uses import ANSWER
from tests.engine.approved import applied
from tests.engine.history.repos import write

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
MEMORY = """# Memory

- The staging cluster of Bravo listens at port 9042
- Invoices of Kestrel go out on the ninth of each month

## Pinned

- Zebra crossings are painted by Olga
"""


@pytest.fixture
def console(tmp_path: Path, own_home: Path) -> Iterator[Engine]:
    workspace = tmp_path / "agent"
    write(workspace, {"MEMORY.md": MEMORY, "AGENTS.md": "- Be kind\n", "knowledge/people/ana.md": "# Ana\n"})
    with Engine.open(workspace, clock=lambda: NOW) as opened:
        yield opened


def said(role: str, text: str, at: datetime, session: str) -> str:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": role, "timestamp": at.isoformat(), "sessionId": session, "message": message})


def sessions(console: Engine, folder: Path, days: int, answer: str = "Invoices of Kestrel went out") -> None:
    folder.mkdir(exist_ok=True)
    for n in range(days):
        at = NOW - timedelta(days=n, hours=1)
        lines = [said("user", "a question about PRIVATE-WORDS", at, f"s{n}"), said("assistant", answer, at, f"s{n}")]
        (folder / f"s{n}.jsonl").write_text("\n".join(lines) + "\n")
    console.sessions.follow(folder)


def state_of(console: Engine) -> bytes:
    console._opened.database.close()
    return b"".join(file.read_bytes() for file in console.state_folder.glob("state.db*"))


def test_an_entry_that_is_loaded_daily_and_never_used_is_told_and_goes_by_a_plan(
    console: Engine, tmp_path: Path
) -> None:
    sessions(console, tmp_path / "sessions", DAYS_LOADED - 1)
    assert console.uses.lists().idle == ()
    sessions(console, tmp_path / "sessions", DAYS_LOADED)
    console._opened.last_runs.forget("uses")
    (told,) = console.uses.lists().idle
    assert (told[0].text, told[1]) == ("- The staging cluster of Bravo listens at port 9042", DAYS_LOADED)
    assert console.uses.lists().idle == (told,), "a second look counts nothing twice"
    assert b"PRIVATE" not in state_of(console) and b"Kestrel" not in state_of(console)
    assert console.status.read().uses == UseCounts(idle=1)
    assert console.plans.make("prune").plan is None, "below the cap nothing goes unasked"
    applied(console, console.plans.make("prune", PlanRequest(PruneRequest(only=(PrunePart.UNUSED,)))))
    left = (console.workspace / "MEMORY.md").read_text()
    assert "Bravo" not in left and "Kestrel" in left and "Zebra" in left
    assert "Bravo" in next((console.workspace / "archive/memory").glob("*.md")).read_text()
    assert console.uses.lists().idle == ()
    assert console.status.read().uses == UseCounts()


def test_what_was_asked_for_and_not_found_is_a_hash_unless_the_operator_asked(console: Engine) -> None:
    agent = AgentService(console, "agent")
    for _ in range(2):
        assert agent.search("qzxv wjkp").results == []
    console.uses.not_found("Where is the KEY to the xylophone", own=True)
    own, secret = sorted(console.uses.lists().not_found, key=lambda one: not one.said)
    assert (secret.days, secret.said, own.said) == (1, "", "Where is the KEY to the xylophone")
    console.uses.not_found("where is  the key to the XYLOPHONE")
    assert set(console.uses.lists().not_found) == {secret, own}, "the same question, by an agent"
    assert b"qzxv" not in state_of(console)
    entry = console.uses.write_down(own.id, "below the third stair")
    assert entry.state is PlanState.PENDING and not (console.workspace / ANSWER.format(own.id)).exists()
    applied(console, console.plans.load(entry.id))
    assert "below the third stair" in (console.workspace / ANSWER.format(own.id)).read_text()
    assert console.uses.lists().not_found == (secret,)
    with pytest.raises(UsageError):
        console.uses.write_down("none", "text")
    asked = PlanRequest(ForgetRequest(words=("xylophone",)))
    applied(console, console.plans.make("forget", asked))
    assert b"xylophone" not in state_of(console)


def dry_run(console: Engine, day: int, *, unattended: bool = True) -> QueueEntry:
    """A plan of the tree, each time for another raw log."""
    write(console.workspace, {f"memory/2026-03-{day:02}.md": f"# 2026-03-{day:02}\n- decided to ship build {day}\n"})
    plan = console.plans.make("tree", PlanRequest(unattended=unattended)).plan
    assert plan is not None
    return next(one for one in console.queue.entries() if one.id == plan.id)


def test_a_rule_refuses_what_is_refused_often_for_so_many_plans_and_never_approves(console: Engine) -> None:
    for day in (1, 1, 1):
        console.plans.reject(dry_run(console, day).id, "not now")
    console.schedule.run("daily")
    assert console.status.read().uses == UseCounts(refused=1), "the daily job counts"
    (refused,) = console.uses.lists().refused
    assert (refused.kind[0], refused.count, refused.rule) == ("tree", 3, None)
    for until, times in ((NOW, 5), (NOW + timedelta(days=400), 5), (NOW + timedelta(days=9), 101)):
        with pytest.raises(UsageError):
            console.uses.rule(refused.id, refuse=True, until=until, times=times)
    console.uses.rule(refused.id, refuse=True, until=NOW + timedelta(days=9), times=2)
    console.uses.lists()
    assert console.status.read().uses == UseCounts(), "there is a rule for it"
    assert dry_run(console, 1, unattended=False).state is PlanState.PENDING, "what you ask for is not refused"
    before = console.workspace.joinpath("memory/2026-03-01.md").read_bytes()
    states = [dry_run(console, 1) for _ in range(3)]
    assert [one.state for one in states] == [PlanState.REJECTED, PlanState.REJECTED, PlanState.PENDING]
    assert states[0].state_reason == "by your rule until 2026-04-09, which takes 1 more"
    assert console.workspace.joinpath("memory/2026-03-01.md").read_bytes() == before
    console.uses.rule(refused.id, refuse=False, until=NOW + timedelta(days=9), times=3)
    assert dry_run(console, 1).snoozed_until == NOW + timedelta(days=9)
    console.uses.rule(refused.id, refuse=False, until=NOW + timedelta(days=9), times=0)
    assert console.uses.lists().refused[0].rule is None
    (console.state_folder / "use-counts").unlink()
    with Engine.open(console.workspace, clock=lambda: NOW, read_only=True) as looking:
        assert looking.uses.lists().refused, "a look that may keep nothing keeps no lengths"
        with pytest.raises(Refused):
            looking.uses.rule(refused.id, refuse=True, until=NOW + timedelta(days=9), times=2)
    assert not (console.state_folder / "use-counts").exists()
    with pytest.raises(UsageError):
        console.uses.rule("none", refuse=True, until=NOW + timedelta(days=9), times=2)


WORDS = st.frozensets(st.sampled_from("abcdefgh"))


@given(st.lists(WORDS, max_size=9), WORDS)
def test_an_answer_used_an_entry_by_words_that_few_have(entries: list[frozenset[str]], answer: frozenset[str]) -> None:
    for n, words in enumerate(entries):
        shared = words & answer
        rare = [word for word in shared if sum(word in other for other in entries) <= RARE]
        assert (n in used_entries(answer, entries)) == (len(shared) >= 2 and bool(rare))
