"""Holds the global options of a command, and opens the engine that they name."""

import os
import sys
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from engine.errors import Damaged, UsageError
from engine.text.digits import whole_number
from tui.registry.commands import GLOBAL_OPTIONS, OURS, Parameter, words_of

if TYPE_CHECKING:
    from engine.schedule.due_times import MachineRest
    from engine.services.engine import Engine
    from tui.cli.output import Answer

FIRST_YEAR, LAST_YEAR = 1970, 9000  # dates that every calendar computation can take a few centuries either way

MOST_DIGITS = 9  # digits of a count; Python refuses to read one of more than 4,300


@dataclass
class Settings:
    """The global options of one run of the command."""

    workspace: str | None = None
    json: bool = False
    now: str | None = None
    policy: str | None = None
    no_color: bool = False
    debug: bool = False
    read_only: bool = False
    no_pager: bool = False


def global_options() -> list[click.Option]:
    """Makes the global options for one command; each stores its value in the shared `Settings`."""
    return [
        _option(name, row, callback=_store, expose_value=False, is_eager=True) for name, row in GLOBAL_OPTIONS.items()
    ]


def command(
    name: str, cls: type[click.Command] = click.Command
) -> Callable[[Callable[..., "Answer | int"]], click.Command]:
    """Makes a command with the parameters of the TOML file beside its module and the global options. Its function takes
    the `Settings` first, and returns its answer, or the exit code if it printed itself."""

    def wrap(function: Callable[..., "Answer | int"]) -> click.Command:
        words = words_of(function.__module__)[name]

        @wraps(function)
        def run(settings: Settings, /, *arguments: Any, **options: Any) -> int:
            answer = function(settings, *arguments, **options)
            return answer if isinstance(answer, int) else shown(settings, answer, paged=words.paged)

        arguments = [click.Argument([name], **_attributes(row)) for name, row in words.arguments.items()]
        options = [_option(name, row) for name, row in words.options.items()]
        params = [*arguments, *options, *global_options()]
        return cls(name, callback=click.pass_obj(run), params=params, help=words.help, short_help=words.short)

    return wrap


def group(
    name: str,
    module: str,
    *commands: click.Command,
    default: click.Command | None = None,
    cls: type[click.Group] = click.Group,
) -> click.Group:
    """Makes a group of commands with words from the TOML file of `module`; without a subcommand `default` runs."""

    @click.pass_context
    def run(context: click.Context) -> None:
        if default is not None and context.invoked_subcommand is None:
            context.invoke(default)

    words, is_free = words_of(module)[name], default is not None
    given: dict[str, Any] = {"help": words.help, "short_help": words.short, "params": global_options()}
    return cls(name, commands=commands, callback=run, invoke_without_command=is_free, **given)


def _option(name: str, row: Parameter, **more: Any) -> click.Option:
    return click.Option([*row.flags(name), name], **_attributes(row), **more)


def _attributes(row: Parameter) -> dict[str, Any]:
    """Returns the attributes of a parameter by click's names; missing ones keep click's defaults."""
    given = msgspec.to_builtins(row)
    kind: click.ParamType[Any] | None = None
    if row.choices:
        kind = click.Choice(row.taken(), case_sensitive=not row.any_case)
    elif row.least is not None:
        kind = click.IntRange(row.least, row.most)
    elif row.path:
        kind = click.Path(path_type=Path)
    completed: dict[str, Any] = {} if kind else {"shell_complete": _completions}
    return {key: value for key, value in given.items() if key not in OURS} | {"type": kind} | completed


def _completions(_context: click.Context, parameter: click.Parameter, start: str) -> list[CompletionItem]:
    """Completes systems, folders or files for a shell, by the placeholder of an option."""
    if parameter.name == "system":
        from engine.services.systems import SYSTEMS

        return [CompletionItem(name) for name in SYSTEMS if name.startswith(start)]
    kind = {"DIR": "dir", "FILE": "file"}.get(parameter.metavar or "")
    return [CompletionItem(start, type=kind)] if kind else []


def shown(settings: Settings, answer: "Answer", *, paged: bool = False) -> int:
    """Prints the answer of a command, in a pager if it may be long, and returns the exit code."""
    from tui.cli.output import print_json, stderr, stdout

    for remark in answer.remarks:
        stderr(settings.no_color).line("memdeck: ", remark)
    if settings.json:
        print_json(answer.json() if callable(answer.json) else answer.json)
    else:
        if paged and not settings.no_pager and sys.stdout.isatty():
            from tui.cli.pager import show_in_pages

            show_in_pages(answer.text, stdout(settings.no_color), workspace_path(settings))
        else:
            stdout(settings.no_color).show(answer.text, live=answer.live)
        for remark in answer.text_remarks:
            stderr(settings.no_color).line("memdeck: ", remark)
    if answer.error is not None:
        raise answer.error
    return answer.code


def workspace_path(settings: Settings) -> Path:
    """Returns the workspace folder as an absolute path. Raises `Damaged` if the current folder is gone."""
    if settings.workspace == "":
        raise UsageError("an empty name is no folder", where="--workspace", hint="give -w DIR, or leave it out")
    try:
        return Path.cwd() if settings.workspace is None else Path(settings.workspace).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise Damaged(f"no such folder: {error}", where=settings.workspace or ".", hint="give -w DIR") from error


def simulated_now(settings: Settings) -> datetime | None:
    """Returns the what-if time in UTC, None for the real clock; a time without an offset is UTC."""
    if settings.now is None:
        return None
    from engine.workspace.dates import instant

    try:
        at = instant(settings.now, datetime.now(UTC), "UTC", day_at=time.min)
    except UsageError as error:
        raise UsageError(f"{settings.now!r} is not a date or time", where="--now", hint=error.hint) from error
    if not FIRST_YEAR <= at.year <= LAST_YEAR:
        what = f"{settings.now} is out of range"
        raise UsageError(what, where="--now", hint=f"give a year from {FIRST_YEAR} to {LAST_YEAR}")
    return at


def new_console(settings: Settings) -> "Engine":
    """Opens the engine on the chosen workspace; the caller closes it."""
    from engine.services.engine import Engine

    policy_file = Path(settings.policy).expanduser().absolute() if settings.policy is not None else None
    now = simulated_now(settings)
    return Engine.open(
        workspace_path(settings), policy_file=policy_file, now=now, read_only=settings.read_only, rest=_rest
    )


def _rest() -> "MachineRest":
    """Returns since when the machine is up and how long it slept, which a system clock does not count."""
    from engine.schedule.due_times import MachineRest

    up = clock.clock_gettime(getattr(clock, "CLOCK_BOOTTIME", clock.CLOCK_MONOTONIC))
    awake = clock.clock_gettime(getattr(clock, "CLOCK_UPTIME_RAW", clock.CLOCK_MONOTONIC))
    return MachineRest(datetime.now(UTC) - timedelta(seconds=up), timedelta(seconds=up - awake))


def arguments_of(settings: Settings, workspace: Path) -> tuple[str, ...]:
    """Returns the global options that another run needs to open the same workspace from another folder."""
    policy = str(Path(settings.policy).expanduser().absolute()) if settings.policy is not None else None
    given = (("-w", str(workspace)), ("--now", settings.now), ("--policy", policy))
    return tuple(part for name, value in given if value is not None for part in (name, value))


@contextmanager
def open_console(settings: Settings) -> Iterator["Engine"]:
    """Opens the engine on the chosen workspace, and closes it at the end."""
    console = new_console(settings)
    try:
        yield console
    finally:
        console.close()


@contextmanager
def open_at(settings: Settings, at: str | None) -> Iterator["Engine"]:
    """Opens the engine on the notes at a date and prints how well they are known; without a date, on the workspace."""
    with open_console(settings) as console:
        if at is None:
            yield console
            return
        from engine.services.engine import Engine
        from engine.services.planned_workspace import past_folder
        from tui.cli.output import stderr
        from tui.present.history.recall_words import tree_words

        instant = console.recall.instant(at)
        if instant > console.now():
            raise UsageError("nobody knows what is to come", where=at, hint="give a date in the past")
        policy_file = Path(settings.policy).expanduser().absolute() if settings.policy is not None else None
        with past_folder(console.recall, instant, os.environ) as past:
            for line in tree_words(past.tree):
                stderr(settings.no_color).line(line)
            with Engine.open(
                past.workspace, policy_file=policy_file, now=instant, env=past.env, read_only=True
            ) as engine:
                engine.search.writes = True  # the folder is thrown away
                yield engine


def opened(settings: Settings, at: str | None = None) -> "Engine":
    """Opens the engine, as `open_at` does, until the command has answered."""
    return click.get_current_context().with_resource(open_at(settings, at))


def number(text: str) -> int | None:
    """Reads a number as a person types it; None for other text, and for one of too many digits, which `int` refuses."""
    return whole_number(text, MOST_DIGITS)


def _store(context: click.Context, parameter: click.Parameter, value: Any) -> None:
    name = parameter.name
    if name and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
        setattr(context.ensure_object(Settings), name, value)
