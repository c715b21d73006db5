"""`memdeck mcp`, driven by a client of the official SDK: it searches, reads and proposes; nothing on it approves."""

import errno
import io
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult

from engine.extras.mcp.server import CallLimit, make_server
from engine.plans.plan import PlanState
from engine.services.agent import AgentService
from engine.services.engine import Engine
from engine.text.canonical_json import sha256_hex
from engine.workspace.values import Progress, Tick
from tests.engine.history.repos import hostile, make_repo, write
from tests.turn import TURN
from tui.cli.mcp import BoundedLines

NOTE = "memory/working/2026-03-02-billing.md"
FILES = {
    NOTE: "# Billing\n\n- We decided that invoices of billing go out on Fridays because customers asked.\n",
    "memory/2026-03-02.md": "## Billing [project]\n- invoices\n",
    "memory/ROOT.md": "# ROOT\n\n- billing\n",
    "MEMORY.md": "# Core\n\n- keep it short\n",
    "private/diary.md": "billing diary\n",
}
TOOLS = [
    *("memory_search", "memory_get", "memory_context", "memory_propose"),
    *("memory_proposals", "memory_status", "search", "fetch"),
]


@pytest.fixture
def workspace(tmp_path: Path, own_home: Path) -> Path:
    folder = tmp_path / "agent"
    write(folder, FILES)
    return folder


@pytest.fixture
def engine(workspace: Path) -> Iterator[Engine]:
    with Engine.open(workspace) as opened:
        yield opened


async def accepting(context: Any, params: Any) -> ElicitResult:
    """A client that says yes to whatever it is asked."""
    return ElicitResult(action="accept", content={"APPROVED": "APPROVED", "answer": "yes"})


@asynccontextmanager
async def over_stdio(workspace: Path) -> AsyncIterator[Client]:
    arguments = ["-m", "tui.cli", "-w", str(workspace), "mcp"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ), cwd=Path.cwd())
    async with Client(stdio_client(server), elicitation_callback=accepting) as client:
        yield client


@asynccontextmanager
async def here(engine: Engine, calls: int = 1_000_000) -> AsyncIterator[Client]:
    """The same server in this process."""
    server = make_server(AgentService(engine, "tester"), lambda: 0.0, calls)
    async with Client(server, elicitation_callback=accepting) as client:
        yield client


async def asked(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def test_parameters_are_described_and_an_unknown_one_is_refused_by_its_name(engine: Engine) -> None:
    async with here(engine) as client:
        for tool in (await client.list_tools()).tools:
            parts = tool.input_schema.get("properties", {})
            assert [name for name, part in parts.items() if not part.get("description")] == [], tool.name
        assert "lines" in await refused(client, "memory_get", path=NOTE, lines=3)
        note = await asked(client, "memory_get", path=NOTE)
        change = {"path": NOTE, "action": "append", "content": "- paid\n", "reason": "a customer paid"}
        assert (await asked(client, "memory_propose", **change, sha256=note["sha256"]))["state"] == "pending"


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content)


def contents(workspace: Path) -> dict[str, bytes]:
    """Every byte below the workspace but for the search index, which is no memory and can be deleted (D14)."""
    files = (file for file in workspace.rglob("*") if file.is_file() and not file.name.startswith("memory.db"))
    return {str(file.relative_to(workspace)): file.read_bytes() for file in files}


async def test_a_client_of_the_sdk_searches_compiles_and_proposes_over_stdio(workspace: Path) -> None:
    before = contents(workspace)
    async with over_stdio(workspace) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
        found = await asked(client, "memory_search", query="when do invoices go out", limit=3)
        assert found["results"][0]["path"] == NOTE and found["results"][0]["text"].startswith("<recalled ")
        note = await asked(client, "fetch", id=found["results"][0]["id"])
        assert note["sha256"] == sha256_hex(FILES[NOTE].encode())
        told = await client.call_tool("memory_context", {"message": "billing invoices"})
        assert "Fridays" in str(told.content) and told.structured_content is None
        change = {"path": NOTE, "action": "append", "content": "- paid\n", "reason": "a customer paid"}
        made = await asked(client, "memory_propose", **change, base_sha256=note["sha256"])
        assert (made["state"], made["risk_tier"]) == ("pending", "B")
        assert (await asked(client, "memory_proposals"))["proposals"] == [made]
        assert (await asked(client, "memory_status"))["waiting"] == 1
    assert contents(workspace) == before
    with Engine.open(workspace) as engine:
        (entry,) = engine.plans.queue()
        assert (entry.id, entry.state) == (made["id"], PlanState.PENDING)
        assert entry.trigger.startswith("proposed by ")


async def test_d64_what_the_platform_of_a_client_has_loaded_is_not_compiled_for_it(engine: Engine) -> None:
    """Claude Code loads 200 lines of MEMORY.md by itself; a client of another name loads none."""
    lines = "".join(f"- the ledger of depot {number} is closed\n" for number in range(1, 221))
    write(engine.workspace, {"CLAUDE.md": "Use the ledger.\n", "MEMORY.md": f"# Memory\n{lines}"})
    told = {name: AgentService(engine, name).context("the ledger of a depot").text for name in ("claude-code", "desk")}
    assert "depot 7 is" in told["desk"]
    assert "depot 7 is" not in told["claude-code"] and "depot 215 is" in told["claude-code"]


async def test_annotations_are_true_and_answers_have_a_schema(engine: Engine) -> None:
    async with here(engine) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        reads = {name: tool.annotations.read_only_hint for name, tool in tools.items() if tool.annotations}
        assert reads == dict.fromkeys(TOOLS, True) | {"memory_propose": False}
        assert all(tool.annotations and tool.annotations.destructive_hint is False for tool in tools.values())
        assert [name for name, tool in tools.items() if not tool.output_schema] == ["memory_context"]
        assert client.server_capabilities is not None


async def test_resources_and_the_prompt_are_fenced_and_lead_nowhere_else(engine: Engine) -> None:
    async with here(engine) as client:
        root = (await client.read_resource("memory://root")).contents[0]
        assert "billing" in str(root) and "<recalled " in str(root)
        assert "Fridays" in str((await client.read_resource(f"memory://file/{NOTE}")).contents[0])
        assert "nothing was refused yet" in str(await client.read_resource("memory://feedback"))
        assert "memdeck plan prune" in str(await client.read_resource("memory://systems"))
        assert "billing" in str(await client.get_prompt("recall", {"topic": "billing"}))
        for path in ("private/diary.md", "..%2f..%2fetc/passwd", "%2e%2e/x.md", "memory.db", "none.md"):
            with pytest.raises(Exception, match=r".") as problem:
                await client.read_resource(f"memory://file/{path}")
            assert "diary" not in str(problem.value).replace(path, "") and "root:" not in str(problem.value)


async def test_a_resource_that_is_not_read_says_why_and_a_long_one_how_it_goes_on(engine: Engine) -> None:
    write(engine.workspace, {"memory/working/long.md": "a line of it\n" * 4_000})
    async with here(engine, calls=2) as client:
        with pytest.raises(MCPError, match=r"private/diary\.md: there is no such note"):
            await client.read_resource("memory://file/private/diary.md")
        long = str((await client.read_resource("memory://file/memory/working/long.md")).contents[0])
        assert "cut: memory_get goes on at offset 24000 of 52000" in long
        with pytest.raises(MCPError, match="wait a little"):
            await client.read_resource("memory://root")


def test_a_message_above_the_bound_ends_what_is_read() -> None:
    lines = BoundedLines(io.BytesIO(b"one\n" + b"x" * 10 + b"\ntwo\n"), most=9)
    assert [lines.read1(), lines.read1(), lines.read1()] == [b"one\n", b"", b""] and lines.too_large
    whole = BoundedLines(io.BytesIO(b"x" * 8 + b"\n"), most=9)
    assert whole.readable() and whole.read1() == b"x" * 8 + b"\n" and not whole.too_large


async def test_what_is_refused_says_why_and_what_is_unforeseen_says_nothing(engine: Engine) -> None:
    async with here(engine) as client:
        assert "there is no such note" in await refused(client, "memory_get", path="private/diary.md")
        assert "read it again" in await refused(
            client, "memory_propose", path=NOTE, action="append", content="x\n", reason="y", base_sha256="0" * 64
        )
        engine.plans.queue()
        await refused(client, "no_such_tool")
        await refused(client, "memory_search", query=["a"])


async def test_an_error_of_the_machine_is_told_without_its_path(engine: Engine) -> None:
    class Full(AgentService):
        def status(self, tick: Tick | None = None) -> Any:
            raise OSError(errno.ENOSPC, "No space left on device", "/home/operator/state/queue/lock")

    async with Client(make_server(Full(engine, "x"), lambda: 0.0)) as client:
        said = await refused(client, "memory_status")
    assert "No space left on device" in said and "operator" not in said


async def test_calls_are_limited_by_the_minute(engine: Engine) -> None:
    async with here(engine, calls=2) as client:
        await asked(client, "memory_proposals")
        await asked(client, "memory_proposals")
        assert "wait a little" in await refused(client, "memory_proposals")
    seconds = iter((0.0, 1.0, 2.0, 61.5))
    limit = CallLimit(lambda: next(seconds), most=2)
    assert [limit.allows() for _ in range(4)] == [True, True, False, True]


async def test_a_call_tells_its_progress_and_stops_where_the_client_cancels(engine: Engine) -> None:
    class Slow(AgentService):
        ticks = 0

        def status(self, tick: Tick | None = None) -> Any:
            assert tick is not None
            while True:
                self.ticks += 1
                time.sleep(0.001)
                tick(Progress("looking", self.ticks, 10_000_000))

    agent, told, seconds = Slow(engine, "x"), [], count(step=0.04)

    async def told_of(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with Client(make_server(agent, lambda: next(seconds))) as client:
        with anyio.move_on_after(0.5):
            await client.call_tool("memory_status", {}, progress_callback=told_of)
        assert len(told) > 1 and told[0] == (1.0, 10_000_000.0, "looking")
        assert all(after[0] - before[0] == 3 for before, after in pairwise(told))
        await asked(client, "memory_proposals")
        seen = agent.ticks
        await asked(client, "memory_proposals")
        assert agent.ticks <= seen + 1


# ── Nothing changes, whatever is called ─────────────────────────────────────────────────────────────────────────────

VALUES: tuple[Any, ...] = (
    *(NOTE, "MEMORY.md", "memory/ROOT.md", "private/diary.md", "../../x.md", "/etc/passwd", ".git/config", "memory.db"),
    *(
        "create",
        "append",
        "replace",
        "archive",
        "move",
        "delete",
        "approve",
        "APPROVED",
        "accept",
        "yes",
        "",
        "\0",
        "\x1b[31m",
        "x" * 500,
    ),
    *(
        "memory/working/new.md",
        sha256_hex(FILES[NOTE].encode()),
        "p-20260315-0001",
        "$(touch x)",
        "; rm -rf /",
        "billing",
    ),
    *(0, -1, 10**12, 1.5, True, None, [], {"a": 1}),
)
ARGUMENTS = (
    *("query", "path", "id", "message", "action", "content", "reason"),
    *("base_sha256", "to", "limit", "offset", "budget"),
)


PROPOSES = ("path", "action", "content", "reason", "base_sha256", "sha256", "to")


async def call_at_random(client: Client, chance: random.Random) -> None:
    """One call of any tool, resource or prompt, with any arguments; half of them of the tool that proposes."""
    name = chance.choice((*TOOLS, *["memory_propose"] * 6, "memory_approve", "apply"))
    arguments = {key: chance.choice(VALUES) for key in ARGUMENTS if chance.random() < 0.8}
    if name == "memory_propose":  # with any other it is refused before it is looked at
        arguments = {key: value for key, value in arguments.items() if key in PROPOSES or chance.random() < 0.02}
    if chance.random() < 0.4:
        arguments |= {"path": f"memory/working/{chance.randrange(9)}.md", "action": "create", "content": "accept\n"}
    if chance.random() < 0.1:
        await _read(client, str(chance.choice(VALUES)))
        return
    await client.call_tool(name, arguments)


async def _read(client: Client, path: str) -> None:
    try:
        await client.read_resource(f"memory://file/{path}")
    except Exception as error:  # noqa: BLE001 (any refusal will do)
        assert "Traceback" not in str(error)


async def run_random_calls(engine: Engine, count: int, seed: int) -> None:
    chance = random.Random(seed)
    async with here(engine) as client:
        for _ in range(count):
            await call_at_random(client, chance)


async def test_d53_random_calls_of_a_client_that_accepts_everything_change_no_byte(engine: Engine) -> None:
    before = contents(engine.workspace)
    await run_random_calls(engine, 300, TURN)
    assert contents(engine.workspace) == before
    states = {entry.state for entry in engine.plans.queue()}
    assert states <= {PlanState.PENDING, PlanState.SUPERSEDED} and states
    assert engine.history.operations() == ()


@pytest.mark.soak
@pytest.mark.timeout(3000)
async def test_d53_ten_thousand_random_calls_change_no_byte(engine: Engine) -> None:
    before = contents(engine.workspace)
    await run_random_calls(engine, 10_000, TURN)
    assert contents(engine.workspace) == before and engine.history.operations() == ()


async def test_d22_no_call_runs_anything_of_a_hostile_repository(tmp_path: Path, own_home: Path) -> None:
    workspace = make_repo(tmp_path / "agent", FILES)
    marks = hostile(workspace, tmp_path / "marks")
    with Engine.open(workspace) as engine:
        await run_random_calls(engine, 60, TURN)
    assert list(marks.iterdir()) == []
