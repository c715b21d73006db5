"""Walks every door of `docs/secrets.md` with forty kinds of secrets: each row holds, and each door has a row."""

import asyncio
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple

import msgspec
import pytest

from engine.context.platforms.platform import SessionKind
from engine.context.probes.file import LONGEST
from engine.extras.mcp.server import make_server
from engine.lifecycle.forget.tombstones import Tombstone, begin, load_tombstones, save_tombstone
from engine.models.egress import outgoing
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.state.private_files import make_private
from engine.text.secrets.detector import MARK, redact
from tests import ready_demo
from tests.engine.text.secrets.kinds import IN_CONTEXT, SELF_EVIDENT
from tests.turn import part
from tests.values import make_plan
from tui.cli.main import main
from tui.registry.commands import COMMANDS
from tui.system import announcement, clipboard

PAGE = Path("docs/secrets.md").read_text("utf-8")
STATE = Path("docs/state.md").read_text("utf-8")
_NAME = re.compile(r"`([^`]+)`")
FORTY = 40
CUT = 200
"""Characters of a path that an error says again: half a secret is not known as one."""


class Row(NamedTuple):
    """A row of the page: where text goes, its doors, and how text passes them."""

    title: str
    doors: frozenset[str]
    how: str


class Kind(NamedTuple):
    """A line that says a secret, and ten characters of it that no clean door tells."""

    line: str
    core: str


def rows() -> list[Row]:
    table = PAGE[PAGE.index("| Where text goes") : PAGE.index("The middle column")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.strip().split("\n")[2:]]
    return [Row(title, frozenset(_NAME.findall(doors)), how) for title, doors, how, _ in cells]


ROWS = rows()


def kinds() -> list[Kind]:
    """The kinds that the detector knows today, one line each; it is asked, so that it may learn and forget."""
    chance = random.Random(31)
    made = [(f"the key of {name} is here: {{}}", make(chance)) for name, make in SELF_EVIDENT.items()]
    made += [(text.replace("{{", "{").replace("}}", "}"), make(chance)) for text, make in IN_CONTEXT.values()]
    plain = [(text, secret) for text, secret in made if secret.isascii() and secret.isprintable() and len(secret) > 11]
    found = [
        Kind(f"- gardens: {text.replace('{}', secret)}", secret[len(secret) // 2 - 5 :][:10]) for text, secret in plain
    ]
    whole = redact("\n".join(one.line for one in found), keep_lines=True)
    known = [one for one in found if one.core not in whole and one.core not in redact(one.line)]
    return known[:: max(1, len(known) // FORTY)]


class World:
    """A demonstration in which each kind stands wherever text of notes and sessions comes from."""

    def __init__(self, base: Path, demo: ready_demo.Demo) -> None:
        self.base, self.demo, self.folder = base, demo, demo.folder
        self.kinds = kinds()
        self.said = "\n".join(one.line for one in self.kinds)
        self.now = datetime.now(UTC)
        self.session = base / "sessions" / "s-1.jsonl"

    def plant(self) -> None:
        notes = ("MEMORY.md", "USER.md", "AGENTS.md", "memory/ROOT.md", "memory/2026-03-13.md", "topics/gardens.md")
        nodes = (
            sorted(self.folder.glob("memory/daily/*.md"))[-1:] + sorted(self.folder.glob("memory/semantic/*.md"))[:1]
        )
        for path in (*notes, *(str(node.relative_to(self.folder)) for node in nodes)):
            self._add(path, f"\n{self.said}\n")
        key = self.kinds[0].line.rpartition(" ")[2]
        head = f"---\ntags: [gardens, '{key}']\n---\n# Gardens\n\n[[{key}]]\n\n"
        self._add("knowledge/projects/gardens.md", f"{head}{self.said}\n")
        probes = [{"question": one.line[:LONGEST], "expect": one.line[:LONGEST]} for one in self.kinds[::5]]
        self._add("probes.yaml", json.dumps({"probes": [*probes, {"question": "x", key: "y"}]}, ensure_ascii=False))
        texts = [f"We decided for the gardens: {one.line[11:]}" for one in self.kinds]
        self.session.parent.mkdir()
        self.session.write_text("".join(map(self._turn, range(len(texts)), texts)))
        git = ["git", "-c", "user.name=silas", "-c", "user.email=silas@example.org"]
        subprocess.run(["git", "add", "-A"], cwd=self.folder, check=True)
        subprocess.run([*git, "commit", "-qm", f"gardens {key}"], cwd=self.folder, check=True)
        self.said_again("MEMORY.md")

    def said_again(self, path: str) -> None:
        """The agent says all of it once more in a note."""
        self._add(path, f"\n{self.said}\n")

    def _add(self, path: str, text: str) -> None:
        file = self.folder / path
        file.write_text((file.read_text("utf-8") if file.exists() else "") + text, "utf-8")

    def _turn(self, number: int, text: str) -> str:
        at = (self.now - timedelta(hours=3) + timedelta(seconds=number)).isoformat().replace("+00:00", "Z")
        parent = f"u{number - 1}" if number else None
        head = {"type": "user", "uuid": f"u{number}", "parentUuid": parent, "sessionId": "s-1", "timestamp": at}
        return json.dumps({**head, "message": {"role": "user", "content": text}}) + "\n"

    @cached_property
    def events(self) -> str:
        """The events of a session for `capture`, with a call of a tool."""
        first = self.now - timedelta(hours=5)
        at = [(first + timedelta(seconds=step)).isoformat() for step in range(len(self.kinds) + 3)]
        start = {"event": "start", "session_id": "ses_x", "started": at[0], "model": "m", "channel": "c", "topic": "t"}
        said = [
            {"event": "message", "role": "user", "content": f"We decided: {one.line}", "time": at[step]}
            for step, one in enumerate(self.kinds, 1)
        ]
        tool = {"event": "tool", "name": "t", "args": self.kinds[0].line, "result": self.said, "time": at[-2]}
        end = {"event": "end", "ended": at[-1], "tokens_in": 1, "tokens_out": 1}
        return "".join(json.dumps(one) + "\n" for one in (start, *said, tool, end))

    @property
    def state(self) -> Path:
        (found,) = (Path(self.demo.env["XDG_STATE_HOME"]) / "memdeck" / "workspaces").iterdir()
        return found

    def kept(self, *names: str) -> list[str]:
        """What the state folder has under these names."""
        files = (file for name in names for file in (self.state / name, *(self.state / name).rglob("*")))
        return [file.read_bytes().decode("latin-1") for file in files if file.is_file()]


Tell = Callable[..., str]
Walk = Callable[[World, Tell], Sequence[str]]


def _probes(_: World, tell: Tell) -> Sequence[str]:
    plan = json.loads(tell("plan", "tree", "--json"))
    return [tell("probe"), tell("probe", "--json"), json.dumps([plan["facts"]["probes"], plan["warnings"]])]


def _search(world: World, tell: Tell) -> Sequence[str]:
    told = [tell("index"), tell("search", "gardens"), tell("search", "gardens", "--json")]
    index = [file.read_bytes().decode("latin-1") for file in world.folder.glob("memory.db*")]
    return [*told, *index, *world.kept("index.journal", "index.seal", "index.turn")]


def _derived(_: World, tell: Tell) -> Sequence[str]:
    made = json.loads(tell("plan", "extract", "--json"))
    shown = [tell("extraction", "--json"), tell("extraction"), tell("plan", "replay"), tell("replay")]
    return [*shown, made["report"], json.dumps(made["facts"])]


def _quoted(world: World, tell: Tell) -> Iterator[str]:
    both = (
        ("tree", "find", "gardens"), ("tree", "root"), ("tree", "memory/2026-03-13.md"),
        ("tree", "life", "memory/2026-03-13.md:6"), ("recall", "when", "gardens"), ("facts",),
        ("recall", "blame", "knowledge/projects/gardens.md"), ("recall", "diff", "2026-03-01"), ("recall", "today"),
        ("recall", "show", "knowledge/projects/gardens.md", "--at", "now"), ("links", "knowledge/projects/gardens.md"),
        ("lint",), ("verify",), ("load",), ("uses",),
        ("compile", "--message", world.said), ("why", world.said, "--message", "gardens"),
        ("changes",), ("digest",), ("flushes", "--search", "gardens"), ("window",), ("consolidations",), ("lifecycle",),
    )  # fmt: skip
    tell("hook", "compact", given=_compaction(world))
    tell("changes", "--looked")
    world.said_again("MEMORY.md")
    for words in part([*both, *((*words, "--json") for words in both)], 3):
        yield tell(*words)
    yield from (tell("changes", "--diff"), tell("digest", "--html"), tell("digest", "--text"))
    yield tell("digest", "--fleet", "--html")
    questions = world.base / "questions.jsonl"
    asked = {"question": world.said, "evidence_paths": ["knowledge/projects/gardens.md"]}
    questions.write_text(json.dumps(asked) + "\n")
    yield tell("evaluate", str(world.folder), "--questions", str(questions))


def _compaction(world: World) -> str:
    event = {"hook_event_name": "PreCompact", "session_id": "s-1", "transcript_path": str(world.session)}
    return json.dumps({**event, "cwd": str(world.folder), "trigger": "auto"})


def _agents(world: World, _: Tell) -> Iterator[str]:
    with Engine.open(world.folder, env=os.environ) as engine:
        agent = AgentService(engine, "silas", SessionKind.MAIN)
        yield repr(agent.search("gardens"))
        for path in ("knowledge/projects/gardens.md", "MEMORY.md", "memory/ROOT.md"):
            yield repr(agent.read(path))
        yield repr(agent.context(world.said))
        yield repr((agent.status(), agent.proposals(), agent.feedback()))


def _topics(world: World, tell: Tell) -> Sequence[str]:
    lines = "".join(json.dumps({"id": str(n), "text": one.line}) + "\n" for n, one in enumerate(world.kinds))
    told = [tell("topics", "match", given=lines), tell("topics", "watch", str(world.session)), tell("topics", "watch")]
    return [*told, tell("topics", "list", "--json"), tell("topics", "tune"), *world.kept("state.db", "state.db-wal")]


def _reasons(world: World, tell: Tell) -> Sequence[str]:
    plan = json.loads(tell("plan", "compact", "--json"))["plan"]
    told = [tell("comment", plan, "1:1", one.line) for one in world.kinds[:5]]
    told += [tell("comment", plan, "--prompt"), tell("reject", plan, "--reason", world.said)]
    return [*told, tell("queue"), tell("queue", "--json"), *world.kept("state.db", "state.db-wal")]


def _errors(world: World, tell: Tell) -> Iterator[str]:
    for said in (one.line.removeprefix("- ") for one in world.kinds if len(one.line) < CUT):
        yield from (tell("plan", said), tell("recall", "show", said, "--at", "now", "--debug"))
    yield "".join((world.state.parents[1] / "errors.jsonl").read_text() for _ in range(1) if _exists(world))


def _exists(world: World) -> bool:
    return (world.state.parents[1] / "errors.jsonl").exists()


def _announced(world: World, _: Tell) -> Sequence[str]:
    told: list[str] = []
    for one in world.kinds:
        announcement.announce("osc9", "gardens", one.line, told.append, world.folder)
        announcement.announce("osc777", one.line, "gardens", told.append, world.folder)
    return told


def _copied(world: World, _: Tell) -> Sequence[str]:
    told: list[str] = []
    env = {"SSH_CONNECTION": "x"}
    return [*told, clipboard.copy(world.said, told.append, world.folder, world.base, env), *told]


def _file(world: World, _: Tell) -> Sequence[str]:
    clipboard.to_file(world.said, world.base / "copies")
    file = world.base / "copies" / "copied.txt"
    assert file.stat().st_mode & 0o777 == 0o600
    return [file.read_text("utf-8")]


def _plans(world: World, tell: Tell) -> Sequence[str]:
    world.said_again("MEMORY.md")
    plan = json.loads(tell("revert", "MEMORY.md", "--json"))["plan"]
    review = tell("import", "claude-code", str(world.session.parent))
    return [tell("show", plan, "--diff"), review, *world.kept("queue", "operations", "displaced")]


def _copies(world: World, tell: Tell) -> Sequence[str]:
    tell("status")
    tell("hook", "compact", given=_compaction(world))
    return world.kept("lasting", "session-backups", "consolidations")


def _caches(world: World, tell: Tell) -> Sequence[str]:
    for system in ("extract", "condense", "replay"):
        tell("plan", system)
    tell("status")
    told = world.kept(
        "flags",
        "cache",
        "operations.cache",
        "transcript-days",
        "transcript-entries",
        "note-ends",
        "windows",
        "last-status",
        "replays",
    )
    assert len(told) >= 4
    return [*told, f"{MARK}the caches hold no mark of their own⟩"]


def _exported(world: World, tell: Tell) -> Sequence[str]:
    _copies(world, tell)  # exact bytes that the state holds
    tell("state", "export", str(world.base / "state.tar"))
    return [(world.base / "state.tar").read_bytes().decode("latin-1")]


def _settings(world: World, tell: Tell) -> Iterator[str]:
    (world.folder / "memory-config.yaml").write_text(f"vault: {json.dumps(world.said)}\n")
    for words in (
        ("policy",),
        ("policy", "--json"),
        ("config",),
        ("keys",),
        ("update-check",),
        ("connect", "--json"),
        ("schedule",),
    ):
        yield tell(*words)


def _commits(world: World, tell: Tell) -> Sequence[str]:
    return [tell("tag", "--json"), tell("explore", "--json"), tell("recall", "when", "gardens", "--json")]


def _forgotten(world: World, _: Tell) -> Sequence[str]:
    state = world.folder.with_name("forgotten")
    make_private(state)
    known = load_tombstones(state)
    hashed = known.hashed([one.line for one in world.kinds])
    stone = Tombstone(operation="o-20260315-0001", at=datetime(2026, 3, 15, tzinfo=UTC), by="", places=1, words=hashed)
    save_tombstone(state, known, stone)
    return [(state / "forgotten.json").read_text("utf-8")]


def _being_forgotten(world: World, _: Tell) -> Sequence[str]:
    state = world.folder.with_name("being-forgotten")
    make_private(state)
    facts = {"forget": {"texts": [one.line for one in world.kinds], "sources": True, "history": False}}
    begin(state, msgspec.structs.replace(make_plan(1, ()), system="forget", facts=facts))
    return [(state / "forgetting.json").read_text("utf-8")]


WALKS: dict[str, Walk] = {
    "the search index": _search,
    "requests to a model": lambda world, _: [outgoing(one.line) for one in world.kinds] + [outgoing(world.said)],
    "what is made of notes": _derived,
    "lines of notes": lambda world, tell: [*_quoted(world, tell)],
    "probes": _probes,
    "answers to the agent": lambda world, tell: [*_agents(world, tell)],
    "archived originals": lambda world, _: [file.read_text("utf-8") for file in world.folder.rglob("*ses_x*.md")],
    "the report of a dry run": lambda _, tell: [tell("reports"), tell("reports", "--json")],
    "the audit log": lambda world, tell: [tell("log"), tell("log", "--json"), *world.kept("audit.jsonl", "audit.head")],
    "the reason of a queue row": _reasons,
    "messages of sessions": _topics,
    "the subject of a commit": _commits,
    "errors": lambda world, tell: [*_errors(world, tell)],
    "notifications": _announced,
    "`y`, a copy": _copied,
    "`Y`, the file": _file,
    "plans and operations": _plans,
    "copies of whole files": _copies,
    "what is quicker kept": _caches,
    "what was forgotten": _forgotten,
    "words that are being forgotten": _being_forgotten,
    "lists of files": lambda _, tell: [tell("status", "--json"), tell("check"), tell("doctor"), tell("recover")],
    "an export": _exported,
    "gauges, trends": lambda _, tell: [tell("trends", "--json"), tell("cost", "--json"), tell("kept", "--json")],
    "settings": lambda world, tell: [*_settings(world, tell)],
    "`e`, the editor": lambda world, _: [str(world.folder / "MEMORY.md")],
}
"""How each row is walked, by the beginning of its first cell."""
EMPTY = frozenset({"the audit log", "the report of a dry run"})
"""Rows of which nothing here makes text that held a secret."""


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> World:
    base = tmp_path_factory.mktemp("doors")
    made = World(base, ready_demo.copy(ready_demo.shared(tmp_path_factory), base))
    made.plant()
    return made


@pytest.fixture
def world(planted: World, monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, planted.demo.env[name])
    monkeypatch.chdir(planted.folder)
    if not list(planted.folder.rglob("*ses_x*.md")):
        _given(("capture",), planted.events)
    return planted


@pytest.fixture
def tell(world: World, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs a command and gives all that it says."""

    def command(*words: str, given: str = "") -> str:
        capsys.readouterr()
        _given(words, given)
        told = capsys.readouterr()
        return told.out + told.err

    return command


def _given(words: Sequence[str], text: str) -> None:
    with TemporaryFile("w+", encoding="utf-8") as file, pytest.MonkeyPatch.context() as patch:
        file.write(text)
        file.seek(0)
        patch.setattr(sys, "stdin", file)
        main(words)


def _shown(text: str) -> str:
    """The text as it is read, whether it was printed as JSON or not."""
    return text.replace('\\"', '"').replace("\\u27e8", "⟨").replace("\\\\", "\\")


def test_there_are_forty_kinds_that_the_detector_knows() -> None:
    assert len({one.core for one in kinds()}) >= FORTY


def test_each_row_has_its_walk_and_each_walk_its_row() -> None:
    titles = [row.title for row in ROWS]
    assert [title for title in titles if sum(title.startswith(begin) for begin in WALKS) != 1] == []
    assert [begin for begin in WALKS if not any(title.startswith(begin) for title in titles)] == []


def test_each_door_has_a_row() -> None:
    """Every command, every tool of the agent's door, every table and file of the state folder."""
    named = {name for row in ROWS for name in row.doors}
    server = make_server(AgentService.__new__(AgentService), lambda: 0.0)
    tools = {tool.name for tool in asyncio.run(server.list_tools())}
    tables = (line.split("|")[1] for line in STATE.split("\n") if line.startswith("| `"))
    state = {name for cell in tables for name in _NAME.findall(cell)}
    assert len(tools) >= 8 and len(state) >= 40
    assert sorted({*COMMANDS, *tools, *state} - named) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: re.sub(r"\W+", "-", row.title)[:40])
def test_a_door_tells_what_its_row_says(row: Row, world: World, tell: Tell) -> None:
    """Decision G27's other side: without secrets means none of forty, exact means all that stand there."""
    begin, walk = next((begin, walk) for begin, walk in WALKS.items() if row.title.startswith(begin))
    told = [_shown(text) for text in walk(world, tell)]
    assert told
    leaks = [
        (one.line[:40], text[max(0, text.find(one.core) - 80) :][:80])
        for one in world.kinds
        for text in told
        if one.core in text
    ]
    if row.how.startswith("exact") and not row.how.startswith("exact path"):
        assert leaks
        return
    assert leaks == []
    if row.how.startswith("without secrets") and begin not in EMPTY:
        assert any("secret: " in text for text in told)
