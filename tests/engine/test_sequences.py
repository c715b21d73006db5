"""A stateful model of whole services: the agent, an operator with two consoles, cron, imports and connections act in
any order, while clocks jump, the policy changes and programs crash. No line is lost, the audit log is whole, nothing is
approved by itself, what is forgotten stays away, and every derived node is true to its sources or marked stale."""

import itertools
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from engine.errors import MemdeckError
from engine.extras.connect.connection import Connections, is_connected, plan_connection, undone, write_changes
from engine.extras.connect.tool_data import ToolPlaces
from engine.lifecycle.requests import ForgetRequest, ImportRequest
from engine.plans.operation import Approval, ConfirmationAnswer, Operation
from engine.plans.plan import OPEN_STATES, Plan, PlanState
from engine.plans.planning import PlanRequest
from engine.plans.records.journal import load_journal
from engine.services.engine import Engine
from engine.state.folder import state_home
from engine.state.private_files import hooked
from engine.text.canonical_json import sha256_hex
from engine.tree.levels import LEVELS, ROOT_PATH, Freshness, NodeStatus
from engine.tree.survey.tree_status import root_freshness
from tests.engine.plans.campaign import Crash, crash_at
from tests.tui.cli.approvals import an_approval
from tests.turn import examples

TOKEN = re.compile(rb"token\d{5}x")
START = datetime(2026, 3, 16, 12, tzinfo=UTC)
SYSTEMS = ("tree",) * 6 + ("compact", "condense", "prune", "lint", "distill")
_crashes = st.one_of(st.none(), st.none(), st.none(), st.integers(1, 80))


class Services(RuleBasedStateMachine):
    """`wanted` holds the words that memdeck met and that nobody but it may have taken away; each stands in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.folder, self.home = self.place / "workspace", self.place / "home"
        self.env = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "XDG_STATE_HOME": str(self.home / "state")}
        self.env["XDG_CONFIG_HOME"] = str(self.home / "config")
        (self.home / "config" / "memdeck").mkdir(parents=True, mode=0o700)
        self.folder.mkdir()
        self.now, self.numbers = START, itertools.count()
        self.wanted, self.forgotten = set[bytes](), set[bytes]()
        self.granted: dict[str, Approval] = {}
        self.fixed = dict[str, set[bytes]]()  # the words that each fixed node said while its sources did
        self.settings: str | None = None
        self.write("MEMORY.md", f"# Memory\n\n- Ana prefers {self.token()} for deploys\n")
        for day in ("2026-03-09", "2026-03-10"):
            self.write(
                f"memory/2026-03-{day:02}.md", f"# 2026-03-{day:02}\n\n- We decided on {self.token()} for Bravo.\n"
            )
        self.open()

    def open(self) -> None:
        """Both consoles begin anew, as new processes would."""
        self.console, self.other = (Engine.open(self.folder, env=self.env, clock=lambda: self.now) for _ in range(2))

    def close(self) -> None:
        for one in (self.console, self.other):
            one.close()

    def teardown(self) -> None:
        self.close()
        shutil.rmtree(self.place)

    def token(self) -> str:
        return f"token{next(self.numbers):05}x"

    def write(self, path: str, text: str, mode: str = "a") -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open(mode) as opened:
            opened.write(text)

    # The agent ------------------------------------------------------------------------------------------------

    @rule(day=st.integers(8, 16), kind=st.sampled_from(["decided on", "learnt about", "talked about"]))
    def the_agent_logs(self, day: int, kind: str) -> None:
        self.write(f"memory/2026-03-{day:02}.md", f"- We {kind} {self.token()} for project Kestrel.\n")

    @rule(path=st.sampled_from(["MEMORY.md", "memory/working/a.md", "knowledge/projects/kestrel.md"]))
    def the_agent_notes(self, path: str) -> None:
        self.write(path, f"- The port of {self.token()} is 9042.\n")

    @rule(day=st.integers(8, 16), how=st.sampled_from(["rewrites", "removes"]))
    def the_agent_destroys(self, day: int, how: str) -> None:
        """What it takes away itself is not ours to keep, as far as no plan displaced it before."""
        file = self.folder / f"memory/2026-03-{day:02}.md"
        if how == "removes":
            file.unlink(missing_ok=True)
        else:
            self.write(f"memory/{file.name}", f"# again\n\n- We decided on {self.token()} instead.\n", "w")
        self.wanted &= self.reachable()

    # The world ------------------------------------------------------------------------------------------------

    @rule(hours=st.sampled_from([-30, -1, 1, 26, 24 * 8, 24 * 40]))
    def the_clock_jumps(self, hours: int) -> None:
        self.now += timedelta(hours=hours)

    @rule()
    def the_operator_turns_to_the_other_console(self) -> None:
        self.console, self.other = self.other, self.console

    @rule(root=st.sampled_from([3000, 1500]))
    def the_policy_changes(self, root: int) -> None:
        """The consoles that are open notice, and are opened anew."""
        (self.home / "config/memdeck/policy.yaml").write_text(f"limits: {{root_tokens: {root}}}\n")
        self.close()
        self.open()

    @rule(job=st.sampled_from(["daily", "weekly", "monthly"]))
    def cron_runs(self, job: str) -> None:
        before = self.tree()
        self.console.schedule.run(job)
        assert self.notes(self.tree()) == self.notes(before), "a scheduled dry run applied something"

    # The operator ---------------------------------------------------------------------------------------------

    @rule(system=st.sampled_from(SYSTEMS), data=st.data(), crash=_crashes)
    def plan_and_decide(self, system: str, data: st.DataObject, crash: int | None) -> None:
        self.decide(self.attempt(lambda: self.console.plans.make(system).plan), data, crash)

    @rule(data=st.data(), crash=_crashes)
    def decide_an_old_plan(self, data: st.DataObject, crash: int | None) -> None:
        waiting = [one.id for one in self.console.plans.queue() if one.state in OPEN_STATES and not one.damage]
        if waiting:
            self.decide(self.console.plans.load(data.draw(st.sampled_from(waiting))), data, crash)

    @rule(data=st.data(), crash=_crashes)
    def revert(self, data: st.DataObject, crash: int | None) -> None:
        """Takes back what the agent changed in a note since the operator looked."""
        changed = [one.path for one in self.console.review.since_looked().changes]
        if changed:
            path = data.draw(st.sampled_from(changed))
            self.decide(self.attempt(lambda: self.console.revert.plan((path,)).plan), data, crash, whole=True)
        elif data.draw(st.booleans()):
            self.console.review.looked(look=True)

    @rule(data=st.data())
    def import_a_session(self, data: st.DataObject) -> None:
        place, said = self.place / "sessions", self.token()
        place.mkdir(exist_ok=True)
        for role in ("user", "assistant"):
            text = f"We decided on {said} for the import."
            line: dict[str, object] = {
                "type": role,
                "uuid": str(uuid4()),
                "sessionId": said,
                "timestamp": "2026-03-11T10:00:00Z",
            }
            line |= {"message": {"role": role, "content": [{"type": "text", "text": text}]}}
            with (place / f"{said}.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
        asked = PlanRequest(ImportRequest("claude-code", str(place)))
        self.decide(self.attempt(lambda: self.console.plans.make("import", asked).plan), data, None)

    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        there = sorted(self.tokens(self.tree()) - self.forgotten)
        if not there:
            return
        word = data.draw(st.sampled_from(there))
        asked = PlanRequest(ForgetRequest(words=(word.decode(),), raw=True))
        plan = self.attempt(lambda: self.console.plans.make("forget", asked).plan)
        if isinstance(plan, Plan) and self.apply(plan, None, None) is not None:
            self.wanted.discard(word)
            self.forgotten.add(word)

    @rule()
    def undo_the_last(self) -> None:
        def undo() -> Operation:
            what = self.console.history.reversal(None)
            plan = self.console.plans.load(self.console._opened.operations.load(what.operation).plan)
            yes = self.grant(an_approval(plan, self.now))
            yes = msgspec.structs.replace(
                yes, target=what.digest, numbers=what.numbers, risk_tier=what.risk_tier, nonce=yes.nonce
            )
            self.granted[yes.nonce] = yes
            return self.console.history.undo(what, yes)

        self.met()
        self.attempt(undo)

    @rule(data=st.data())
    def redo_the_last(self, data: st.DataObject) -> None:
        self.decide(self.attempt(lambda: self.console.history.redo()), data, None)

    @rule(edited=st.booleans())
    def connect_and_disconnect(self, edited: bool) -> None:
        """A tool's settings get ours, and to the byte what they were once they go again."""
        file = self.folder.parent / "project/.claude/settings.local.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        before = file.read_bytes() if file.exists() else None
        places = ToolPlaces("claude-code", self.env, self.folder.parent / "project", ("memdeck",), self.folder)
        connections = Connections(state_home(self.env))
        changes, record = plan_connection(places, ("hooks",), None, self.now)
        write_changes(changes)
        connections.keep(record)
        assert is_connected(record)
        if edited:
            text = json.loads(file.read_text())
            file.write_text(json.dumps(text | {"model": self.token()}))
        write_changes([undone(one) for one in record.files])
        connections.forget(record)
        after = file.read_bytes() if file.exists() else None
        assert after == before if not edited else b"memdeck" not in (after or b"") and b"model" in (after or b"")

    # How plans are decided ------------------------------------------------------------------------------------

    def attempt(self, action: Callable[[], "object"]) -> "object | None":
        try:
            return action()
        except MemdeckError:
            return None

    def decide(self, plan: object, data: st.DataObject, crash: int | None, *, whole: bool = False) -> None:
        """Refuses a plan, leaves it, or applies it: all of it, or some of its changes."""
        if not isinstance(plan, Plan):
            return
        how = "apply" if whole else data.draw(st.sampled_from(["apply", "apply", "apply", "some", "refuse", "leave"]))
        numbers = tuple(change.n for change in plan.changes)
        if how == "refuse":
            self.attempt(lambda: self.console.plans.reject(plan.id, "no"))
        elif how != "leave":
            if how == "some":
                numbers = tuple(sorted(data.draw(st.sets(st.sampled_from(numbers), min_size=1))))
            self.apply(plan, numbers, crash)

    def apply(self, plan: Plan, numbers: tuple[int, ...] | None, crash: int | None) -> Operation | None:
        answers = tuple(ConfirmationAnswer(id=question.id, reason="yes") for question in plan.confirmations)
        yes = msgspec.structs.replace(self.grant(an_approval(plan, self.now)), answers=answers)
        if numbers is not None:
            yes = msgspec.structs.replace(yes, numbers=numbers, risk_tier=plan.tier_of(numbers))
        self.granted[yes.nonce] = yes
        self.met()
        before = self.tree()
        try:
            if crash is None:
                return self.console.plans.apply(plan, yes)
            with hooked(crash_at(crash)):
                return self.console.plans.apply(plan, yes)
        except MemdeckError:
            assert self.notes(self.tree()) == self.notes(before), "an apply that failed left something behind"
        except Crash:
            self.close()
            self.open()
            self.console.maintenance.recover()
            assert load_journal(self.console._opened.state) is None
        return None

    def grant(self, yes: Approval) -> Approval:
        return msgspec.structs.replace(yes, nonce=uuid4().hex)

    def met(self) -> None:
        self.wanted |= self.tokens(self.tree()) - self.forgotten

    # What holds at all times ----------------------------------------------------------------------------------

    @invariant()
    def no_line_is_lost(self) -> None:
        assert self.wanted <= self.reachable()

    @invariant()
    def what_is_forgotten_stays_away(self) -> None:
        assert not self.forgotten & self.reachable()

    @invariant()
    def the_audit_log_is_whole(self) -> None:
        heads = [one.audit_head for one in self.console._opened.operations.walk() if one.audit_head is not None]
        assert self.console._opened.audit.verify(heads) == ()

    @invariant()
    def nothing_is_approved_by_itself(self) -> None:
        operations = tuple(self.console._opened.operations.walk())
        used = [one.approval for one in operations if one.approval is not None]
        assert len(used) == len(operations) == len({yes.nonce for yes in used})
        assert {yes.nonce for yes in used} <= self.granted.keys()
        assert not any(one.state is PlanState.APPLYING for one in self.console.queue.entries())

    @invariant()
    def every_node_is_true_to_its_sources_or_marked_stale(self) -> None:
        """A node that says it is fresh has no word that its sources, as they lie there now, do not say. A fixed one may
        have said it before: where the agent wrote a log anew, its body stays, and all of the log is added (C4)."""
        opened, files = self.console._opened, self.tree()
        survey = opened.survey(opened.scan())
        for node in (node for level in LEVELS for node in survey.nodes(level)):
            if node.exists and node.freshness is Freshness.FRESH:
                said = {path: files.get(path, b"") for path, _ in node.sources}
                words = self.tokens({node.path: files[node.path]})
                before = self.fixed.setdefault(node.path, set()) if node.status is NodeStatus.FIXED else set()
                assert words <= self.tokens(said) | before, node
                before |= words
                assert all(sha256_hex(said[path]) == sha256 for path, sha256 in node.sources), node
        if root_freshness(survey) is Freshness.FRESH:
            below = {path: data for path, data in files.items() if path.startswith("memory/") and path != ROOT_PATH}
            assert self.tokens({ROOT_PATH: files[ROOT_PATH]}) <= self.tokens(below)

    def tree(self) -> dict[str, bytes]:
        """Every note, by its path."""
        found = (file for file in self.folder.rglob("*") if file.is_file())
        return {str(file.relative_to(self.folder)): file.read_bytes() for file in found if "memory.db" not in file.name}

    def notes(self, tree: dict[str, bytes]) -> dict[str, bytes]:
        return {path: data for path, data in tree.items() if path.endswith(".md")}

    def tokens(self, tree: dict[str, bytes]) -> set[bytes]:
        return {word for data in tree.values() for word in TOKEN.findall(data)}

    def reachable(self) -> set[bytes]:
        """The words that stand in a note, or in bytes that are kept for undo."""
        store, state = self.console._opened.displaced, self.console._opened.state
        kept = {sha256: store.get(sha256) for sha256 in store.hashes()}
        held = {str(file): file.read_bytes() for file in state.held.glob("*") if file.is_file()}
        return self.tokens(self.tree()) | self.tokens(kept) | self.tokens(held)


_CALM = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


def sequences(count: int, steps: int) -> None:
    """Runs so many sequences of at most so many steps."""
    calm = settings(max_examples=count, stateful_step_count=steps, deadline=None, suppress_health_check=_CALM)
    run_state_machine_as_test(Services, settings=calm)


def test_services_keep_what_they_promise_in_any_order() -> None:
    sequences(examples(300), 6)


@pytest.mark.soak
def test_services_keep_what_they_promise_for_thousands_of_sequences() -> None:
    sequences(5000, 20)
    print("\n5,000 sequences of up to 20 steps of whole services")
