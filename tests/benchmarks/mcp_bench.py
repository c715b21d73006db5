"""A search over stdio, as an agent's program makes it, against the same search in this process (autopoiesis §9.1)."""

import asyncio
import gc
import os
import random
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from engine.services.agent import AgentService
from engine.services.engine import Engine
from tests.benchmarks.figure import Figure
from tests.benchmarks.search_bench import Language, make_notes

CHUNKS, QUERIES = 10_000, 60
"""A thousand notes of ten sections, and the questions asked of each side, by turns."""


def ratios() -> list[Figure]:
    """The median over stdio by the median in this process."""
    with tempfile.TemporaryDirectory() as base:
        folder = Path(base) / "workspace"
        make_notes(folder, CHUNKS)
        env = {**os.environ, "XDG_STATE_HOME": f"{base}/s", "XDG_CONFIG_HOME": f"{base}/c", "HOME": base}
        with Engine.open(folder, env=env) as engine:
            engine.search.index()
            gc.freeze()  # what the bench itself made is not walked in its own half
            here, wire = asyncio.run(_both(AgentService(engine, "bench"), folder, env))
    detail = f"p50 {1e3 * median(wire):.0f} ms over stdio, {1e3 * median(here):.0f} ms in process, {CHUNKS:,} chunks"
    return [Figure("search over stdio (MCP) ÷ in process", median(wire) / median(here), 1.3, detail=detail)]


async def _both(agent: AgentService, folder: Path, env: Mapping[str, str]) -> tuple[list[float], list[float]]:
    """Seconds of each question, asked here and over the wire; which comes first is drawn."""
    arguments = ["-m", "tui.cli", "-w", str(folder), "mcp", "--agent", "bench"]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(env), cwd=Path.cwd())
    language, chance = Language(), random.Random(3)
    here: list[float] = []
    wire: list[float] = []
    async with Client(stdio_client(server)) as client:
        for number in range(QUERIES + 5):
            query = " ".join(language.asked(3))
            for side in chance.sample((here, wire), 2):
                began = time.perf_counter()
                if side is wire:
                    result = await client.call_tool("memory_search", {"query": query, "limit": 10})
                    assert not result.is_error, result
                else:
                    agent.search(query, 10)
                if number >= 5:
                    side.append(time.perf_counter() - began)
    return here, wire


if __name__ == "__main__":
    print(ratios())
