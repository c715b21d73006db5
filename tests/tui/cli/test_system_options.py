"""What `memdeck plan SYSTEM` can be asked is what the system declares, in its help too; another system's is refused."""

import pytest

from engine.errors import UsageError
from engine.lifecycle.requests import PrunePart, PruneRequest
from engine.plans.planning import PlanRequest
from engine.plans.system_request import given, options_of
from engine.services.engine import Engine
from engine.services.systems import SYSTEMS
from engine.tree.cycle.idle import TreeRequest
from tests.prepared import Prepared
from tests.tui.cli.conftest import Run

PAIRS = [
    (system, other, one)
    for system, planner in SYSTEMS.items()
    for other in SYSTEMS.values()
    for one in options_of(other.asked)
    if one.field not in {own.field for own in options_of(planner.asked)}
]


@pytest.mark.parametrize("system", [name for name, one in SYSTEMS.items() if not one.usage])
def test_g29_an_option_of_another_system_is_refused_by_name(system: str, workspace: Prepared, run: Run) -> None:
    others = {one.flag: one for name, _, one in PAIRS if name == system}
    for flag, one in others.items():
        value = () if one.is_flag else (one.choices[0] if one.choices else "1=memory/semantic/a.md",)
        value = ("2",) if one.number else value
        ended = run("plan", system, flag, *value)
        assert ended.code == 2 and f"{flag} is no option of {system}" in ended.err
        assert run("queue", "--json").out.strip() == "[]"


@pytest.mark.parametrize("system", [name for name, one in SYSTEMS.items() if not one.usage])
def test_the_help_of_a_system_shows_its_own_options_alone(system: str, run: Run) -> None:
    shown = run("plan", system, "--help").out
    own = {one.flag: one.help for one in options_of(SYSTEMS[system].asked)}
    assert all(flag in shown and words.split()[0] in shown for flag, words in own.items())
    assert not [one.flag for name, _, one in PAIRS if name == system and f"{one.flag} " in shown]


def test_g29_the_engine_refuses_it_as_the_command_does(workspace: Prepared) -> None:
    with (
        Engine.open(workspace.folder, env=workspace.env) as engine,
        pytest.raises(UsageError, match="compact has no option only"),
    ):
        engine.plans.make("compact", PlanRequest(PruneRequest((PrunePart.FILES,))))


def test_what_differs_from_nothing_asked_is_named() -> None:
    assert given(TreeRequest(drain=True, take=("root",))) == {"drain": True, "take": ("root",)}
    assert not any(given(one.asked()) for one in SYSTEMS.values() if not one.usage)


def test_a_part_that_is_none_is_named_with_those_there_are(workspace: Prepared, run: Run) -> None:
    ended = run("plan", "condense", "--only", "memory")
    assert ended.code == 2 and "--only memory" in ended.err and "daily, weekly" in ended.err
