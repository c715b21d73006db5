"""Memory against reality on screen: what is gone stands in a list, opens its line, and becomes a plan."""

from pathlib import Path

from engine.services.engine import Engine
from tests.engine.lifecycle.reality.shop import made_memory, made_shop
from tests.tui.conftest import Deck, deck, holds, shows
from tests.values import NOW
from tui.screens.context.reality import RealityScreen


async def opened(pilot: Deck) -> None:
    await pilot.press("5", "escape", "v")
    await holds(pilot, lambda: isinstance(pilot.app.screen, RealityScreen), "the screen")


async def test_what_is_gone_is_listed_planned_and_opened(tmp_path: Path) -> None:
    repository, _ = made_shop(tmp_path / "shop")
    lines = "- run `make deploy`\n- `src/app/ledger.py`\n"
    workspace = made_memory(tmp_path / "agent", lines)
    config = tmp_path / "config" / "memdeck"
    config.mkdir(parents=True)
    (config / "policy.yaml").write_text(f"verify: {{repositories: {{{workspace}: {repository}}}}}\n")
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_STATE_HOME": str(tmp_path / "state"), "PATH": "/usr/bin"}
    console = Engine.open(workspace, env=env, clock=lambda: NOW)
    async with deck(console) as pilot:
        await opened(pilot)
        await shows(pilot, "Not so any more", "deploy", "MEMORY.md:4", "never verified")
        await pilot.press("p")
        await holds(pilot, lambda: len(console.plans.queue()) == 1, "a plan")
        await pilot.press("down", "t")
        await holds(pilot, lambda: len(console.plans.queue()) == 2, "a plan of one line")
        await pilot.press("enter")
        await holds(pilot, lambda: not isinstance(pilot.app.screen, RealityScreen), "the file")
        await shows(pilot, "ledger.py")
