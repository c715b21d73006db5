"""Makes the options of `memdeck plan SYSTEM` from the declaration of each system."""

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
    """A command with a system as its first argument; it refuses the options of other systems."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Returns the system, options, and common parameters; in a help only the named system's options."""
        first, *common = super().get_params(ctx)
        if _HELP not in ctx.meta:
            return [first, *(_option(option) for option, _ in _options().values()), *common]
        named = next((word for word in ctx.meta.get(_WORDS, ()) if word in _requests()), "")
        return [first, *map(_option, options_of(_requests().get(named, SystemRequest))), *common]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parses the arguments. Raises `UsageError` for an option of another system (decision G29)."""
        ctx.meta[_WORDS] = tuple(args)
        left = super().parse_args(ctx, args)
        system = ctx.params.get("system")
        for option, owners in _options().values():
            is_asked = ctx.get_parameter_source(option.field) is ParameterSource.COMMANDLINE
            if is_asked and system not in owners and system in _requests():
                what = f"{option.flag} is no option of {system}, but of {', '.join(owners)}"
                raise UsageError(what, hint=f"memdeck plan {system} --help")
        return left

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows the options of the named system, else those common to all."""
        ctx.meta[_HELP] = True
        super().format_help(ctx, formatter)


_WORDS, _HELP = "memdeck.words", "memdeck.help"


@cache
def _requests() -> dict[str, type[SystemRequest]]:
    """Returns the request type of each system; imported only when a plan is made."""
    from engine.services.systems import SYSTEMS

    return {name: planner.asked for name, planner in SYSTEMS.items()}


@cache
def _options() -> dict[str, tuple[SystemOption, list[str]]]:
    options: dict[str, tuple[SystemOption, list[str]]] = {}
    for system, asked in _requests().items():
        for option in options_of(asked):
            options.setdefault(option.field, (option, []))[1].append(system)
    return options


def request_of(system: str, options: Mapping[str, Any]) -> SystemRequest:
    """Makes the request of a system from the options. Raises `UsageError` for an unknown part or route."""
    kind = _requests()[system]
    values = {}
    for option in options_of(kind):
        values[option.field] = options[option.field]
        if unknown := [word for word in options[option.field] if word not in option.choices] if option.choices else []:
            hint = f"one of: {', '.join(option.choices)}"
            raise UsageError(f"{system} has no such part", where=f"{option.flag} {unknown[0][:80]}", hint=hint)
    if "routes" in values:
        values["routes"] = parse_routes(values["routes"])
    return msgspec.convert(values, kind)


def parse_routes(routes: Sequence[str]) -> dict[int | str, str]:
    """Reads `N=PATH` and `PATTERN=PATH` options. Raises `UsageError` if a number or pattern occurs twice."""
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


def _option(option: SystemOption) -> click.Option:
    # Words are checked later: two systems have parts of other names under one option.
    words = f"[{'|'.join(option.choices)}]" if option.choices else None
    return click.Option(
        [option.flag, option.field],
        help=option.help,
        metavar=option.metavar or words,
        is_flag=option.is_flag,
        multiple=option.repeated,
        type=click.IntRange(option.least, option.most) if option.number else None,
        default=None if option.repeated else option.default,
    )
