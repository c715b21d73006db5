"""The options of `memdeck plan SYSTEM`, made from what each system declares."""

from collections.abc import Mapping, Sequence
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from engine.errors import UsageError
from engine.plans.system_request import SystemOption, SystemRequest, options_of
from engine.services.systems import SYSTEMS
from tui.cli.settings import number


class SystemCommand(click.Command):
    """A command whose first argument is a system. It takes the options of all, and refuses those of another one."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self._owners: dict[str, list[str]] = {}
        for system, planner in SYSTEMS.items():
            for one in options_of(planner.asked):
                owners = self._owners.setdefault(one.field, [])
                owners.append(system)
                if len(owners) == 1:
                    self.params.append(_option(one))

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """`UsageError` for an option that the system has not (decision G29)."""
        ctx.meta[_WORDS] = tuple(args)
        left = super().parse_args(ctx, args)
        system = ctx.params.get("system")
        for field, owners in self._owners.items():
            if system in SYSTEMS and system not in owners and ctx.get_parameter_source(field) in _BY_HAND:
                flag = next(param.opts[0] for param in self.params if param.name == field)
                raise UsageError(
                    f"{flag} is no option of {system}, but of {', '.join(owners)}",
                    hint=f"memdeck plan {system} --help",
                )
        return left

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Shows the options of the system that was named, else those that every system takes."""
        system = next((word for word in ctx.meta[_WORDS] if word in SYSTEMS), None)
        own = {one.field: one for one in options_of(SYSTEMS[system].asked)} if system is not None else {}
        every, self.params = self.params, [one for one in self.params if one.name not in self._owners]
        try:
            self.params[1:1] = [_option(one) for one in own.values()]
            super().format_help(ctx, formatter)
        finally:
            self.params = every


_WORDS = "memdeck.words"
_BY_HAND = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def request_of(system: str, options: Mapping[str, Any]) -> SystemRequest:
    """Gives what is asked of a system; `UsageError` for a part or a route that is none."""
    kind = SYSTEMS[system].asked
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
