"""Reads `console.yaml` and checks each key and value; a fault names file, line and a fix."""

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, get_args

import msgspec

from engine.errors import MemdeckError, UsageError

Notify = Literal["off", "bell", "osc9", "osc777", "desktop"]
"""The way to announce a plan that arrives while the operator is elsewhere."""


PLACEHOLDERS = ("{path}", "{line}", "{id}", "{workspace}")
"""Arguments that stand for parts of the selection, and for the workspace."""


class OwnCommand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A program of the operator's that runs on the selection, without a shell; `confirm` asks first."""

    key: str
    argv: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    confirm: Literal["on", "off"] = "on"


class ConsoleSettings(msgspec.Struct, frozen=True):
    """The settings in use; the defaults are those of a console without a file."""

    theme: str = ""  # empty: night, or the 16 colours of the terminal where it has no more
    mouse: bool = True
    motion: bool = True
    notify: Notify = "off"
    update_check: bool = False
    keys: Mapping[str, tuple[str, ...]] = {}
    commands: tuple[OwnCommand, ...] = ()


ABOUT: dict[str, str] = {
    "theme": "the colours: night, paper, …; `:theme` lists them; what is chosen there holds where this names none",
    "mouse": "`on`: clicks and the wheel work too; `off`: the terminal keeps the mouse, for selecting text",
    "motion": "`on`: charts move while data comes in; `off`: they change only when something happened",
    "notify": "announces a new plan outside of the console: `off`, `bell`, `osc9`, `osc777` or `desktop` (notify-send)",
    "update_check": "`on`: `memdeck update-check` may ask the package index for a newer version; nothing else asks it",
    "commands": "programs of yours on the selection: `- {key: f6, argv: [less, '{path}'], confirm: off}`",
    "keys": "other keys, by name: `approvals.reject: R`, `list.down: [down, n]`; `memdeck keys` names them all",
}
"""Every setting and what it does."""

_SWITCH = ("on", "off")
CHOICES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("mouse", "motion", "update_check"), _SWITCH),
    "notify": get_args(Notify),
}
"""Settings with a closed choice."""


NAME = "console.yaml"
_MOST_BYTES = 64 * 1024  # bytes of the settings; a larger file is refused before it is parsed


class SettingsError(UsageError, title="console.yaml"):
    """A wrong setting, which keeps its default."""


class SettingsRead(NamedTuple):
    """The settings in use, the problems of the others, and in `lines` the line of each key (from 1)."""

    settings: ConsoleSettings
    problems: tuple[MemdeckError, ...] = ()
    lines: Mapping[str, int] = {}
    where: str = NAME

    def problem(self, key: str, what: str, hint: str) -> SettingsError:
        """Makes the error of one key, with its line."""
        line = self.lines.get(key)
        return SettingsError(f"`{key}`: {what}", where=f"{self.where}:{line}" if line else self.where, hint=hint)


Signature = tuple[int, int]


def signature_of(path: Path | None) -> Signature | None:
    """Returns the write time and size of a file, which change with its content; None if it is unreadable."""
    try:
        status = path.stat() if path is not None else None
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size) if status else None


def settings_path(config_home: Path) -> Path:
    """Returns the path of the operator's file in the folder `config_home`, which also holds their policy."""
    return config_home / NAME


def read_settings(path: Path, workspace: Path) -> SettingsRead:
    """Reads the settings of a file, or the defaults without one. A file inside the workspace is refused, since agents
    write there. Faults are listed in `problems`, and all other settings apply."""
    try:
        text = _text(path, workspace)
    except MemdeckError as error:
        return SettingsRead(ConsoleSettings(), (error,), where=str(path))
    read = SettingsRead(ConsoleSettings(), where=str(path)) if text is None else parse_settings(text, str(path))
    return _own_alone(read, path) if read.settings.commands else read


def _own_alone(read: SettingsRead, path: Path) -> SettingsRead:
    """Removes the commands of a file that another user can write, since they run as the operator."""
    from engine.plans.policy.file import operator_bytes

    try:
        operator_bytes(path, must_exist=True)
    except MemdeckError as error:
        wrong = read.problem("commands", error.message, "none of them runs")
        alone = msgspec.structs.replace(read.settings, commands=())
        return read._replace(settings=alone, problems=(*read.problems, wrong))
    return read


def _text(path: Path, workspace: Path) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SettingsError(f"it cannot be read: {error.strerror}", where=str(path)) from error
    from engine.plans.policy.file import is_inside

    if is_inside(path, workspace):
        raise SettingsError("it lies inside the workspace, where the agent can write", where=str(path), hint="not read")
    if len(data) > _MOST_BYTES:
        raise SettingsError("it is larger than 64 KB", where=str(path))
    try:
        # Windows editors put a BOM in front.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError("it is not UTF-8", where=str(path)) from error


def parse_settings(text: str, where: str) -> SettingsRead:
    import yaml

    from engine.text.limited_yaml import YamlProblem, load

    try:
        values = load(text)
        # The loader that the limits were held with: the other one of PyYAML's two refuses some texts more.
        node = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except YamlProblem as problem:
        return SettingsRead(
            ConsoleSettings(), (SettingsError(problem.reason, where=f"{where}:{problem.line}"),), where=where
        )
    if values in ("", "~", "null"):
        return SettingsRead(ConsoleSettings(), where=where)
    if not isinstance(values, dict):
        wrong = SettingsError("it must be keys with values", where=f"{where}:1", hint="like `theme: paper`")
        return SettingsRead(ConsoleSettings(), (wrong,), where=where)
    return _checked(SettingsRead(ConsoleSettings(), lines=dict(_lines(node, "")), where=where), values)


def _checked(read: SettingsRead, values: Mapping[str, Any]) -> SettingsRead:
    good: dict[str, Any] = {}
    problems: list[MemdeckError] = []
    for key, value in values.items():
        if (wrong := _wrong(key, value)) is not None:
            problems.append(read.problem(key, *wrong))
        else:
            good[key] = _converted(key, value)
    return read._replace(settings=msgspec.structs.replace(read.settings, **good), problems=tuple(problems))


def _wrong(key: str, value: Any) -> tuple[str, str] | None:
    """Says what is wrong with a setting and what to do; None if it is right."""
    if key not in ABOUT:
        close = difflib.get_close_matches(key, ABOUT, n=1)
        return "there is no such setting", f"did you mean {close[0]}?" if close else f"there are {', '.join(ABOUT)}"
    if key == "keys":
        good = isinstance(value, dict) and all(isinstance(key, str | list) for key in value.values())
        return None if good or value == "" else ("it takes names with keys", "like `approvals.reject: R`")
    if key == "commands":
        try:
            _commands(value)
        except ValueError as error:
            return str(error), "like `- {key: f6, argv: [less, '{path}']}`"
        return None
    if not isinstance(value, str):
        return "it takes one word", f"like `{key}: {CHOICES.get(key, ('night',))[0]}`"
    choice = CHOICES.get(key)
    if choice and _yes_or_no(value) not in choice:
        close = difflib.get_close_matches(value, choice, n=1)
        return (
            f"{value!r} is none of {', '.join(choice)}",
            f"did you mean {close[0]}?" if close else f"like {choice[0]}",
        )
    return None


def _commands(value: Any) -> tuple[OwnCommand, ...]:
    """Reads the commands. Raises `ValueError` if a placeholder is the program or only a part of an argument."""
    commands = msgspec.convert(value, tuple[OwnCommand, ...])
    words = ((word, at) for command in commands for at, word in enumerate(command.argv))
    for word, at in words:
        if any(name in word and (name != word or not at) for name in PLACEHOLDERS):
            raise ValueError(f"{word!r}: a name is an argument of its own, and no program")
    return commands


def _yes_or_no(value: str) -> str:
    return {"true": "on", "yes": "on", "false": "off", "no": "off"}.get(value.casefold(), value)


def _converted(key: str, value: Any) -> Any:
    if key == "keys":
        listed = value.items() if isinstance(value, dict) else ()
        return {name: (bound,) if isinstance(bound, str) else tuple(map(str, bound)) for name, bound in listed}
    if key == "commands":
        return _commands(value)
    word = _yes_or_no(value) if key in CHOICES else value
    return word == "on" if set(CHOICES.get(key, ())) == {"on", "off"} else word


def _lines(node: Any, before: str) -> Iterator[tuple[str, int]]:
    if getattr(node, "id", "") != "mapping":
        return
    for key, value in node.value:
        yield before + str(key.value), key.start_mark.line + 1
        if not before:
            yield from _lines(value, f"{key.value}.")
