"""A new system is one folder and one line: its command, its words, its page and its plan in the queue follow (G29)."""

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from docs import make
from engine.lifecycle.requests import PrunePart
from engine.services.agent import AgentService
from engine.services.planner import Planner
from engine.services.systems import SYSTEMS
from tests.prepared import Prepared
from tests.tui.cli.conftest import Run
from tests.tui.conftest import console_of, deck, holds, settled
from tui.cli import system_command

OPTIONS = """
from typing import Annotated
from engine.plans.system_request import SystemRequest, option

class GreetRequest(SystemRequest, frozen=True):
    times: Annotated[int, option("How often, from 1 to 3.", "N", least=1, most=3)] = 1
"""
PLANNER = """
from engine.plans.planning import Draft
from engine.plans.plan import Create, RiskTier
from engine.plans.planning import PlanOutcome
from greet.options import GreetRequest

def plan_greeting(_opened, planning, request):
    draft = Draft(planning)
    text = "hello\\n" * request.of(GreetRequest).times
    number, path = draft.next_number, "memory/greeting.md"
    draft.add(Create(n=number, path=path, risk_tier=RiskTier.A, reason="polite", content=text))
    plan = draft.finish("greet", "asked", gates=(), report="one greeting\\n", facts={})
    return PlanOutcome(plan=plan, report=plan.report)
"""


@pytest.fixture
def greet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Planner]:
    """A system in a folder of its own, and the line that names it."""
    folder = tmp_path / "systems" / "greet"
    folder.mkdir(parents=True)
    for name, text in (("__init__.py", ""), ("options.py", OPTIONS), ("planner.py", PLANNER)):
        (folder / name).write_text(text, "utf-8")
    monkeypatch.syspath_prepend(folder.parent)
    options, planner = (importlib.import_module(f"greet.{name}") for name in ("options", "planner"))
    system = Planner("greet", "says hello in a note", "", planner.plan_greeting, asked=options.GreetRequest)
    monkeypatch.setitem(SYSTEMS, "greet", system)
    _forget()
    yield system
    _forget()
    for name in ("greet", "greet.options", "greet.planner"):
        sys.modules.pop(name)


def _forget() -> None:
    """The command line reads the systems once in a process."""
    system_command._requests.cache_clear()
    system_command._options.cache_clear()


def test_its_command_takes_its_options_and_queues_its_plan(greet: Planner, workspace: Prepared, run: Run) -> None:
    assert "--times N" in run("plan", greet.name, "--help").out
    assert f"{greet.name} " in run("plan", "--list").out and greet.title in run("plan", "--list").out
    (row,) = [one for one in json.loads(run("plan", "--list", "--json").out) if one["system"] == greet.name]
    assert (row["does"], row["command"]) == (greet.title, "memdeck plan greet")
    words = {"type": "integer", "minimum": 1, "maximum": 3, "default": 1, "description": "How often, from 1 to 3."}
    assert row["options"]["properties"] == {"--times": words}
    assert run("plan", greet.name, "--times", "4").code == 2
    assert run("plan", greet.name, "--only", "memory").code == 2, "an option of another system"
    assert run("plan", greet.name, "--times", "2").code == 0
    (entry,) = json.loads(run("queue", "--json").out)
    assert entry["system"] == greet.name
    assert run("show", entry["plan"], "--diff").out.count("+hello") == 2


def test_an_agents_program_is_told_of_it_with_its_options(greet: Planner, workspace: Prepared) -> None:
    told = {one["system"]: one for one in json.loads(AgentService(workspace.engine, "silas").systems())}
    assert told[greet.name]["does"] == greet.title
    assert list(told) == list(SYSTEMS)
    assert told["prune"]["options"]["properties"]["--only"]["items"] == {"$ref": "#/$defs/PrunePart"}
    assert told["prune"]["options"]["$defs"]["PrunePart"]["enum"] == sorted(PrunePart)


def test_its_page_tells_what_it_does_and_takes(greet: Planner) -> None:
    page = make.PAGES["systems.md"]()
    assert f"| `{greet.name}` | {greet.title} |  | `--times N` How often, from 1 to 3. |" in page


async def test_the_palette_and_the_command_line_have_it(greet: Planner, workspace: Prepared) -> None:
    async with deck(workspace) as pilot:
        await settled(pilot)
        assert (f"plan {greet.name}", greet.title) in console_of(pilot).commander.completions("plan ")
        await pilot.press("ctrl+p", *greet.title)
        await pilot.press("enter")
        await holds(pilot, lambda: bool(workspace.engine.plans.queue()), "its plan in the queue")
    assert [entry.system for entry in workspace.engine.plans.queue()] == [greet.name]
