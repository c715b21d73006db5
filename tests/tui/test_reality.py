"""Memory against reality on screen: what is gone stands in a list, opens its line, and becomes a plan."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from engine.services.engine import Engine
from tests.engine.lifecycle.reality.shop import made_memory, made_shop
from tests.tui.conftest import Deck, deck, holds, shows
from tests.values import NOW
from tui.present.spans import plain
from tui.present.verified_claims import week
from tui.screens.context.wrong_claims import RealityScreen


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


async def test_probes_facts_and_claims_stand_on_one_page_with_what_changed(tmp_path: Path) -> None:
    said = "- `docs/guide.md` says how\n- so does `docs/other.md`\n- 2026-03-0{}: The port is {}.\n"
    workspace, at = made_memory(tmp_path / "agent", said.format(1, 5434)), [NOW]
    (workspace / "probes.yaml").write_text("probes:\n- {question: which port, expect: '5434'}\n")
    (workspace / "docs").mkdir()
    for name in ("guide.md", "other.md"):
        (workspace / "docs" / name).write_text("# Guide\n")
    with Engine.open(workspace, clock=lambda: at[0]) as console:

        def told() -> tuple[dict[str, Any], str]:
            facts, lines = week(console, console.probes.ask())
            return facts["changed"], "\n".join(map(plain, lines))

        assert told()[0] == {"probes": [], "new": [], "ended": [], "claims": []}, "the first look is no change"
        (workspace / "MEMORY.md").write_text("# Memory\n\n" + said.format(9, 5439))
        (workspace / "docs/guide.md").unlink()
        at[0] += timedelta(days=1)
        changed, text = told()
        assert [one["question"] for one in changed["probes"]] == ["which port"]
        assert [one["verdict"] for one in changed["claims"]] == ["gone"] and len(changed["new"]) == 1
        assert "0 of 1 probe hold" in text and "path docs/guide.md gone" in text and "+ The port is 5439." in text
        at[0] += timedelta(days=9)
        assert told()[0] == {"probes": [], "new": [], "ended": [], "claims": []}, "a week later it is old"
        async with deck(console) as pilot:
            await pilot.press("5", "escape", "b")
            await shows(pilot, "What changed since", "0 of 1 probe hold", "expects “5434”")
