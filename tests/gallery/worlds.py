"""Workspaces that scenes are about. Each is made once in a process, on its first use, and changed by no scene."""

import os
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import msgspec

from engine.extras.batches.batch_records import BatchFolder, BatchState
from engine.extras.stores.memory_store import Sending
from engine.extras.stores.store_service import SentText
from engine.plans.operation import LIFETIME
from engine.plans.planning import PlanRequest
from engine.services.engine import Engine
from engine.services.proposals import NoteProposal
from engine.text.canonical_json import sha256_hex
from engine.tree.cycle.idle import TreeRequest
from tests.engine.lifecycle.applying import approve
from tests.engine.lifecycle.events import end, start
from tests.engine.lifecycle.events import said as message
from tests.engine.sessions.window_logs import answer, compacted, given_beside, said
from tests.ready_demo import Demo, copy_to, make
from tests.soak.commands import StandInStore, a_lost_batch
from tests.tui.cli.approvals import an_approval
from tests.tui.hostile import hostile_strings

NOW = datetime(2026, 3, 15, 9, 30, tzinfo=UTC)


class Workspace:
    """A folder with an operator's state of its own, which is there as long as the process."""

    def __init__(self) -> None:
        self._kept = TemporaryDirectory(prefix="gallery-")
        base = Path(self._kept.name)
        self.folder = base / "silas"
        self.folder.mkdir()
        self.env = {"XDG_STATE_HOME": f"{base}/state", "XDG_CONFIG_HOME": f"{base}/config", "HOME": str(base)}

    def open(self, now: datetime = NOW) -> Engine:
        return Engine.open(self.folder, env=self.env, clock=lambda: now)

    def write(self, path: str, text: str) -> None:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as opened:
            opened.write(text)

    def settle(self) -> None:
        """Dates every file by the clock of the scenes: no note of theirs is of the future."""
        for file in self.folder.rglob("*"):
            os.utime(file, (NOW.timestamp(), NOW.timestamp()))

    def grow(self) -> None:
        """Makes the tree of all logs, as of yesterday."""
        with self.open(NOW - timedelta(days=1)) as console:
            plan = console.plans.make("tree", PlanRequest(TreeRequest(drain=True))).plan
            assert plan is not None
            now = console.real_now()
            console.plans.apply(
                plan, msgspec.structs.replace(an_approval(plan), granted_at=now, expires_at=now + LIFETIME)
            )


Make = Callable[[Workspace], None]


@cache
def _made(make: Make) -> Workspace:
    workspace = Workspace()
    make(workspace)
    return workspace


def forget() -> None:
    """Has each workspace made anew when it is next asked for: a scene may have left something in one."""
    _made.cache_clear()


def _world(make: Make) -> Callable[[], Engine]:
    return lambda: _made(make).open()


def demo_to_change() -> Callable[[], Engine]:
    """A demonstration that no scene shares, for one who applies plans."""
    workspace = Workspace()
    _demo(workspace)
    return workspace.open


@cache
def _ready(*, git: bool) -> tuple[Demo, TemporaryDirectory[str]]:
    """A demonstration that is opened by nobody, and the folder that keeps it; it takes ten times as long as a copy."""
    kept = TemporaryDirectory(prefix="gallery-")
    return make(Path(kept.name), git=git), kept


def _copy(workspace: Workspace, *, git: bool) -> None:
    copy_to(_ready(git=git)[0], workspace.folder, workspace.env)


def _demo(workspace: Workspace) -> None:
    _copy(workspace, git=True)
    with workspace.open() as console:
        console.plans.make("compact")


def _replayed(workspace: Workspace) -> None:
    """Transcripts that wait to be extracted, and a replay of them."""
    _demo(workspace)
    with workspace.open() as console:
        console.plans.make("extract")
        console.plans.make("replay")


def _compared(workspace: Workspace) -> None:
    """The same, for scenes of the comparison: of two sessions both extractors found something."""
    _replayed(workspace)


def _judged(workspace: Workspace) -> None:
    """The same, for a scene that judges the sessions."""
    _compared(workspace)


def _extracted(workspace: Workspace) -> None:
    """Decisions that were taken into memory, one superseded since, and a further extraction that waits."""
    _demo(workspace)
    later = "I prefer short answers. We decided to use KeyDB for the cache of billing."
    cache = ("We decided to use Redis for the cache of billing.", "We decided to use Valkey for the cache of billing.")
    for day, words in (("02-01", cache[0]), ("03-10", cache[1]), ("03-12", later)):
        at = f"2026-{day}T10:00:00Z"
        events = (start(f"ses_{day}", at), message("Where were we?", at=at), message(words, at=at), end(at))
        with workspace.open() as console:
            list(console.capture.record(events))
            plan = console.plans.make("extract").plan
            if day != "03-12":
                approve(console, plan)


_ROUTE = "".join(f"- stop {stop}: loading bay {stop % 4 + 1}, keys at the gate\n" for stop in range(1, 19))
_ROUTES = f"# Depot routes\n\nThe lorries start at five.\n\n{_ROUTE}"


def _proposed(workspace: Workspace) -> None:
    """A proposal with several hunks waits."""
    _demo_without_plans(workspace)
    workspace.write("knowledge/projects/depot-routes.md", _ROUTES)
    new = _ROUTES.replace("start at five", "start at half past four, since the ferry leaves at six")
    new = new.replace("stop 7: loading bay 4, keys at the gate\n", "stop 7: closed in March\n")
    new = new.replace("- stop 12: loading bay 1, keys at the gate\n", "")
    new += "- stop 19: loading bay 2, ring the bell\n- stop 20: loading bay 3\n"
    asked = NoteProposal(
        path="knowledge/projects/depot-routes.md",
        action="replace",
        content=new,
        reason="the ferry has another time-table",
        base=sha256_hex(_ROUTES.encode()),
    )
    with workspace.open() as console:
        plan = console.proposals.propose(asked, "claude").id
        console.comments.add(plan, "1:3", "from which day on?")
        console.comments.add(plan, "1:22-23", "both need the number of a key")


_REMEMBERED = """\
# Memory

## Decisions

- 2026-02-10: orders stay in the monolith until the backlog is empty
- 2026-02-17: the new checkout sees 5 % of the carts, then 20 %
- 2026-02-24: releases are made blue-green, never on a Friday
- 2026-03-03: KeyDB holds the cache of billing
- 2026-03-05: exports are checked by their row count

## Lessons

- a dump of the exports takes 40 minutes, so it runs at night
- look at the queue of billing before a deploy
- the load balancer drains for 90 seconds

## People

- Maria looks after the exports, Tom after the releases
"""
_CONSOLIDATED = """\
# Memory

## Decisions

- 2026-02-24: releases are made blue-green by Tom, never on a Friday or a holiday
- 2026-03-03: KeyDB holds the cache of billing

## Lessons

- look at the queue of billing before a deploy

## Promoted From Short-Term Memory (2026-03-15)

<!-- openclaw-memory-promotion:memory:memory/2026-03-14.md:12:14 -->
- kubectl get pods -n billing [score=0.853 recalls=4 avg=0.710 source=memory/2026-03-14.md:12-14]
- Tom asked for the window of the next release
"""


def _dreamt(workspace: Workspace) -> None:
    """A night in which another tool rewrote the memory, after the operator had looked."""
    _demo(workspace)
    memory = workspace.folder / "MEMORY.md"
    memory.write_text(_REMEMBERED, encoding="utf-8")
    with workspace.open(NOW - timedelta(hours=12)) as console:
        console.review.looked(look=True)
        for item in console.consolidations.look():  # of the memory that is written here
            console.consolidations.keep(item.consolidation.id)
    memory.write_text(_CONSOLIDATED, encoding="utf-8")
    workspace.write("memory/people.md", "# People\n\n- Maria looks after the exports, Tom after the releases\n")
    for path in ("MEMORY.md", "memory/people.md"):
        night = (NOW - timedelta(hours=6)).timestamp()
        os.utime(workspace.folder / path, (night, night))


def _stored(workspace: Workspace) -> None:
    """A memory store that was pulled, and a note of it that was changed here since."""
    _demo(workspace)
    with workspace.open() as console, patch("engine.extras.stores.store_service.MemoryStore", StandInStore):
        approve(console, console.stores.pull("memstore_01").outcome.plan)
    workspace.write("knowledge/reference/stored.md", "- Changed here.\n")
    workspace.settle()


def stored() -> Engine:
    """The demonstration with that store, at which somebody changes every text before it is sent."""
    opened = _made(_stored).open()
    changed = [SentText(one.path, Sending.CHANGED) for one in opened.stores.outgoing("memstore_01").texts]
    opened.stores.__dict__["push"] = lambda _push, _approval: tuple(changed)
    return opened


_PROBES = """\
probes:
  - {question: How are releases made?, expect: blue-green}
  - {question: Which carts saw the new checkout?, expect: "5 %", where: tree}
  - {question: How are releases made?, not: big bang, where: prompt}
  - {question: What is the capital?, expect: Paris}
"""


def _batched(workspace: Workspace) -> None:
    """A batch at Claude, and one of which nobody knows whether it was made."""
    _replayed(workspace)
    with workspace.open() as console:
        folder = BatchFolder(console._opened.state.path / "batches")
    folder.save(a_lost_batch())
    sent = msgspec.structs.replace(a_lost_batch(), state=BatchState.SENT, remote="msgbatch_01HkcTjaV5uDC8jWR4ZsDV8d")
    folder.save(msgspec.structs.replace(sent, id="20260315-091500-00000001", made_at=NOW - timedelta(minutes=15)))


def _probed(workspace: Workspace) -> None:
    config = Path(workspace.env["XDG_CONFIG_HOME"], "memdeck")
    config.mkdir(parents=True)
    (config / "probes.yaml").write_text(_PROBES, encoding="utf-8")
    _demo(workspace)


def _flushed(workspace: Workspace) -> None:
    """A followed session that was compacted twice, the first time saved, and hardly smaller the second time."""
    log = workspace.folder.parent / "claude" / "s-1.jsonl"
    log.parent.mkdir()
    log.write_text(said("go") + answer("m1", (0, 160_000, 0), text="- drain the queue first [CURATE]"))
    with workspace.open() as console:
        console.sessions.follow(log)
        console.flushes.before_compaction(str(log))
    with log.open("a") as file:
        file.write(compacted(160_000) + said("on") + answer("m2", (0, 31_000, 0)))
        file.write(compacted(31_000, "manual", uuid="c") + answer("m3", (0, 27_000, 0)))
    workspace.settle()


def a_session(turns: int) -> str:
    """A session file: notes that memory gave, that the agent read and wrote, and a compaction."""
    lines = []
    for n in range(1, turns + 1):
        at = f"2026-03-15T{7 + n // 60:02}:{n % 60:02}:00Z"
        lines.append(said(f"step {n}: when do we switch the depot to events?", at=at))
        if n % 7 == 0:
            lines.append(given_beside(f"topics/depot-{n % 3}.md:3", at=at))
        tool = {3: "Read", 4: "Write"}.get(n % 9)
        tokens = (0, 3_000 * (n if n <= turns // 2 else n - turns // 2), 0)
        lines.append(answer(f"m{n}", tokens, blocks=1, at=at, tool=tool or ""))
        if n == turns // 2:
            lines.append(compacted(3_000 * n))
    return "".join(lines)


def _long_session(workspace: Workspace) -> None:
    """The demonstration with a followed session of 80 turns."""
    _demo(workspace)
    log = workspace.folder.parent / "claude" / "4f1c-9d1e.jsonl"
    log.parent.mkdir()
    log.write_text(a_session(80))
    with workspace.open() as console:
        console.sessions.follow(log)


def _demo_without_plans(workspace: Workspace) -> None:
    _copy(workspace, git=False)


def _empty(workspace: Workspace) -> None:
    """Nothing at all."""


_SUBJECTS = ("login flow [project]", "Ana [user]", "billing run [project]", "tone of mails [feedback]", "plants [user]")


def _ten_years(workspace: Workspace) -> None:
    """A log about every third week, for ten years."""
    for number in range(0, 3650, 19):
        day = NOW.date() - timedelta(days=number)
        first, second = _SUBJECTS[number % 5], _SUBJECTS[(number + 1) % 5]
        workspace.write(
            f"memory/{day}.md",
            f"# {day}\n\n## {first}\n- step {number} is done\n\n## {second}\n- {number % 37} items looked at\n",
        )
    workspace.grow()
    workspace.write(f"memory/{date(2026, 2, 24)}.md", "\n## late [project]\n- came after the day was closed\n")
    workspace.settle()


def _hostile(workspace: Workspace) -> None:
    """Logs, topics and names of files made of hostile text."""
    strings = [text.encode("utf-8", "replace").decode() for text in list(hostile_strings())[:90]]
    for number in range(6):
        day = NOW.date() - timedelta(days=number)
        said = "".join(
            f"\n## {text.replace(chr(10), ' ')[:200]} [project]\n- {text[:300]}\n"
            for text in strings[number * 15 : number * 15 + 15]
        )
        workspace.write(f"memory/{day}.md", f"# {day}\n{said}")
    workspace.write("memory/2026-03-14-[bold red]x.md", "# x\n\n## [@click=app.quit]x[/]\n- a\n")
    workspace.write("topics/evil.md", '---\ntriggers:\n  - pattern: "("\n---\n# [@click=app.quit]x[/] \u202e\n')
    workspace.grow()
    workspace.settle()


def _linked(workspace: Workspace) -> None:
    """Notes that link to each other; one link leads nowhere, one to two notes."""
    workspace.write(
        "knowledge/reference/queue.md", "# The queue\n\nAsk [[ana]], see [[atlas#Now|Atlas]] or [[old-queue]].\n"
    )
    workspace.write("knowledge/people/ana.md", "# Ana\n\n- keeps [the queue](../reference/queue.md#night) at night\n")
    workspace.write("knowledge/projects/atlas.md", "# Atlas\n\n## Now\n\n- waits for [[queue]] and for [[notes]]\n")
    workspace.write("knowledge/procedures/night.md", "# Night\n\n1. Drain [[reference/queue|the queue]]\n")
    workspace.settle()


demo = _world(_demo)
"""The demonstration, with a plan of the compactor that waits."""
flushed = _world(_flushed)
"""Compactions of a followed session."""
long_session = _world(_long_session)
"""A followed session with what memory did in it."""
probed = _world(_probed)
"""The demonstration with probes that were asked of its plan."""
replayed = _world(_replayed)
"""The demonstration with an extraction and a replay that wait."""
compared = _world(_compared)
"""The demonstration with a replay that can be judged blind."""
judged = _world(_judged)
"""The same, whose sessions a scene judges."""
extracted = _world(_extracted)
"""The demonstration with entries that were taken into memory, and a further extraction that waits."""
proposed = _world(_proposed)
"""The demonstration in no repository, and a proposal with several hunks."""
batched = _world(_batched)
"""The same, and two batches of questions that are not over."""
dreamt = _world(_dreamt)
"""The demonstration after a night of dreaming."""
without_git = _world(_demo_without_plans)
"""The demonstration in no repository, and no plan waits."""
empty = _world(_empty)
ten_years = _world(_ten_years)
hostile = _world(_hostile)
linked = _world(_linked)
