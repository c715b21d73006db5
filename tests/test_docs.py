"""README and pages cannot drift: every command, global option and setting stands in them."""

import re
from pathlib import Path

import click
import pytest

from engine.plans.policy.file import parse_policy, policy_values
from engine.plans.policy.values import Policy
from tui.registry.commands import COMMANDS, GLOBAL_OPTIONS, load

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
COMMAND_PAGE, SETTING_PAGE = ((ROOT / "docs" / name).read_text("utf-8") for name in ("commands.md", "configuration.md"))
UNFULFILLED = ("llm.",)
"""Settings that `memdeck doctor` says have no effect yet: the README promises nothing of them."""


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "open"])
def test_every_command_is_documented_and_explains_its_options(name: str) -> None:
    assert f"`memdeck {name}" in COMMAND_PAGE
    command = load(name)
    assert command is not None
    own = [parameter for parameter in command.get_params(click.Context(command)) if isinstance(parameter, click.Option)]
    assert [option.name for option in own if not option.help] == []


@pytest.mark.parametrize("option", [row.flags(name)[-1] for name, row in GLOBAL_OPTIONS.items()])
def test_every_global_option_is_documented(option: str) -> None:
    assert option in COMMAND_PAGE


def test_every_setting_is_documented() -> None:
    keys = [value.key for value in policy_values(Policy(), {}) if not value.key.startswith(UNFULFILLED)]
    missing = [key for key in keys if not re.search(rf"\b{key.rsplit('.', 1)[-1]}\b", SETTING_PAGE)]
    assert missing == []


def test_the_policy_that_the_page_shows_is_one_and_holds_the_defaults() -> None:
    shown = re.findall(r"```yaml\n(.*?)```", SETTING_PAGE, re.DOTALL)[-1]
    policy, keys = parse_policy(shown, "configuration.md")
    assert policy == Policy()
    assert len(keys) > 20


def test_the_first_screen_of_the_readme_says_what_it_is_for_whom_and_how_it_is_had() -> None:
    assert README.count("\n") <= 150
    first = "\n".join(README.split("\n")[:30])
    for told in (
        "changes nothing until you approve",
        "Claude Code",
        "OpenClaw",
        "pip install",
        "memdeck connect",
        ".svg",
    ):
        assert told in first


def test_every_picture_that_the_readme_shows_is_there() -> None:
    pictures = re.findall(r"\]\((screenshots/[^)]+)\)", README)
    assert pictures and all((ROOT / picture).is_file() for picture in pictures)


def test_the_commands_that_make_a_cluster_stand_on_a_page() -> None:
    """In the order in which somebody runs them: a scheduler, a worker on each machine, a replay there."""
    blocks = re.findall(r"(?ms)^```\w*\n(.*?)^```", (ROOT / "docs" / "cluster.md").read_text("utf-8"))
    starts = ("dask scheduler --", "dask worker tcp://", "memdeck plan replay --scheduler tcp://")
    (block,) = [one for one in blocks if starts[0] in one]
    lines = [line for line in block.splitlines() if line.startswith(starts)]
    assert [line.startswith(start) for line, start in zip(lines, starts, strict=True)] == [True] * 3
