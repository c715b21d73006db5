"""`mcp`: starts the server through which an agent's program searches, reads and proposes."""

import time

import click

from tui.cli.settings import Settings, command, open_console

KINDS = ("main", "shared", "subagent", "cron")
"""The values of `SessionKind`, without loading the engine."""


@command("mcp", short_help="Serves the memory to an agent's program over stdio (MCP).")
@click.option("--agent", default="", metavar="NAME", help="Who proposes; without it what the client calls itself.")
@click.option("--session", type=click.Choice(KINDS), default="main", help="Its kind.")
def mcp_command(settings: Settings, agent: str, session: str) -> None:
    """Lets a program search, read and propose. Proposals wait in the queue; nothing here can approve.

    Needs the extra: pip install 'memdeck[mcp]'.
    """
    from engine.context.platforms.platform import SessionKind
    from engine.services.agent import AgentService
    from tui.cli.mcp_server import make_server

    with open_console(settings) as console:
        make_server(AgentService(console, agent, SessionKind(session)), time.monotonic).run("stdio")
