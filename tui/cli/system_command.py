"""The options of `memdeck plan SYSTEM`, made from what each system declares."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from engine.errors import UsageError
from engine.plans.system_request import SystemOption, SystemRequest, options_of
from tui.cli.settings import number


class SystemCommand(click.Command):
    """A command whose first argument is a system. It takes the options of all, and refuses those of another one."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The system, options, and what every system takes. Options are those of all, in a help those of the named."""
        first, *common = super().get_params(ctx)
        if _HELP not in ctx.meta:
            return [first, *(_option(one) for one, _ in _options().values()), *common]
        named = next((word for word in ctx.meta.get(_WORDS, ()) if word in _requests()), "")
        return [first, *map(_option, options_of(_requests().get(named, SystemRequest))), *common]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`UsageError` for an option that the system has not (decision G29)."""
        ctx.meta[_WORDS] = tuple(args)
        left = super().parse_args(ctx, args)
        system = ctx.params.get("system")
        for one, owners in _options().values():
            is_asked = ctx.get_parameter_source(one.field) is ParameterSource.COMMANDLINE
            if is_asked and system not in owners and system in _requests():
                what = f"{one.flag} is no option of {system}, but of {', '.join(owners)}"
                raise UsageError(what, hint=f"memdeck plan {system} --help")
        return left

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows the options of the system that was named, else those that every system takes."""
        ctx.meta[_HELP] = True
        super().format_help(ctx, formatter)


_WORDS, _HELP = "memdeck.words", "memdeck.help"


@cache
def _requests() -> dict[str, type[SystemRequest]]:
    """Gives what each system can be asked. No list of the commands' names imports them."""
    from engine.services.systems import SYSTEMS

    return {name: planner.asked for name, planner in SYSTEMS.items()}


@cache
def _options() -> dict[str, tuple[SystemOption, list[str]]]:
    options: dict[str, tuple[SystemOption, list[str]]] = {}
    for system, asked in _requests().items():
        for one in options_of(asked):
            options.setdefault(one.field, (one, []))[1].append(system)
    return options


def request_of(system: str, options: Mapping[str, Any]) -> SystemRequest:
    """Gives what is asked of a system; `UsageError` for a part or a route that is none."""
    kind = _requests()[system]
    values = {}
    for one in options_of(kind):
        values[one.field] = options[one.field]
        if unknown := [word for word in options[one.field] if word not in one.choices] if one.choices else []:
            hint = f"one of: {', '.join(one.choices)}"
            raise UsageError(f"{system} has no such part", where=f"{one.flag} {unknown[0][:80]}", hint=hint)
    if "routes" in values:
        values["routes"] = parse_routes(values["routes"])
    return msgspec.convert(values, kind)


def parse_routes(routes: Sequence[str]) -> dict[int | str, str]:
    """`N=PATH` and `PATTERN=PATH` options as a mapping; each number and each pattern stands once."""
    from engine.compactor.semantic.entry_edit import read_route

    parsed: dict[int | str, str] = {}
    for route in routes:
        entry, path = read_route(route)
        key = number(entry) or ("" if entry.isnumeric() else entry)
        if not key or not path or key in parsed:
            raise UsageError(
                f"{route!r} is not N=PATH or PATTERN=PATH, once each",
                where="--route",
                hint="like 1=memory/semantic/x.md or '*backup*=memory/semantic/x.md'",
            )
        parsed[key] = path
    return parsed


def _option(one: SystemOption) -> click.Option:
    # Words are checked later: two systems have parts of other names under one option.
    words = f"[{'|'.join(one.choices)}]" if one.choices else None
    return click.Option(
        [one.flag, one.field],
        help=one.help,
        metavar=one.metavar or words,
        is_flag=one.is_flag,
        multiple=one.repeated,
        type=click.IntRange(one.least, one.most) if one.number else None,
        default=None if one.repeated else one.default,
    )
