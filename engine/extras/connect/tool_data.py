"""Describes each tool that memdeck connects with: its settings files and their new values, from a TOML file (D63)."""

import json
import shlex
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.context.platforms.platform import slug_of
from engine.errors import UsageError
from engine.extras.connect.json_text import read_json
from engine.extras.importers.generations import Home
from engine.text.pattern_file import converted, toml_file

FOLDER = Path(__file__).parent
NAMES = ("claude-code", "openclaw", "codex", "gemini", "hermes", "hipocampus")
Format = Literal["json", "toml", "yaml"]
Part = Literal["hooks", "mcp"]


class SettingsEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A value for a place in a settings file. `item`: it is added to the list there, beside others."""

    place: tuple[str, ...]
    value: Any
    reason: str
    part: Part
    item: bool = False


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A settings file of a tool, with memdeck's values for it."""

    at: str
    format: Format
    about: str
    entries: tuple[SettingsEntry, ...]


class ToolData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool's home, data and settings files. `version`, `date`: the examined release; `before`: from this version on,
    the settings' form is unknown. `memory` and `workspace` may contain `{home}`, `{project}` and `{slug}`."""

    tool: str
    version: str
    date: str
    sources: tuple[str, ...]
    before: str
    home: str
    sessions: str = ""
    database: str = ""  # the file of all sessions, where events name none
    follow: str = ""
    platform: str
    memory: tuple[str, ...] = ()
    workspace: str
    scope: Literal["project", "person"]
    files: tuple[SettingsFile, ...] = ()
    by_hand: tuple[str, ...] = ()  # lines to be typed instead, such as a command of the tool itself
    note: str = ""
    through: str = ""  # the key of the project's own settings that names the tool through which this one runs


@cache
def tool_data(name: str) -> ToolData:
    """The data of a tool. `UsageError` names the known ones."""
    if name not in NAMES:
        raise UsageError("there is no such tool", where=name, hint=f"one of: {', '.join(NAMES)}")
    return converted(toml_file(__package__, f"{name}.toml"), ToolData, f"engine/extras/connect/{name}.toml")


class ToolPlaces:
    """Fills in a tool's data: folders, and the command that starts memdeck on a workspace."""

    def __init__(
        self, name: str, env: Mapping[str, str], project: Path, words: Sequence[str] = (), workspace: Path | None = None
    ) -> None:
        self.name, self.data, self.project = name, tool_data(name), project
        self._known = {**env, "project": str(project), "slug": slug_of(str(project))}
        self.home = self.path(self.data.home)
        self._known["home"] = str(self.home)
        self.workspace = workspace or self.path(self.data.workspace)
        self._words = [*words, "-w", str(self.workspace)]

    def path(self, text: str) -> Path:
        """A path from the data; it may contain `*`."""
        path = Home(at=text).path(self._known)
        home = self._known.get("HOME", "")
        return Path(home + path[1:] if home and path.startswith("~") else path).expanduser()

    def value(self, value: Any) -> Any:
        """Fills in a value: `{shell:WORDS}` becomes a shell line that never fails, `{line:WORDS}` one without a shell,
        `{apart:WORDS}` and `{sh apart:WORDS}` in the background, `{program}` the program, `{words:WORDS}` arguments."""
        match value:
            case dict():
                return {self.value(key): self.value(item) for key, item in value.items()}
            case list():
                return [item for each in value for item in self._items(each)]
            case str() if value.startswith("{shell:"):
                return f"{shlex.join([*self._words, *_asked(value)])} 2>/dev/null || true"
            case str() if value.startswith("{sh apart:"):
                return shlex.join(["sh", "-c", self.value("{" + value.removeprefix("{sh "))])
            case str() if value.startswith("{apart:"):
                # A tool that ends kills its hooks after a second, and this one takes longer.
                line = shlex.join([*self._words, *_asked(value)])
                return f"{{ nohup {line} <&3 >/dev/null 2>&1 & }} 3<&0"
            case str() if value.startswith("{line:"):
                return shlex.join([*self._words, *_asked(value)])
            case str() if value == "{program}":
                return self._words[0]
            case str() if value == "{project}":
                return str(self.project)
        return value

    def _items(self, value: Any) -> list[Any]:
        if isinstance(value, str) and value.startswith("{words:"):
            return [*self._words[1:], *_asked(value)]
        return [self.value(value)]

    def line(self, text: str) -> str:
        """A command line for typing."""
        words = [*self._words, "mcp"]
        server = json.dumps({"command": words[0], "args": words[1:]})
        plan = shlex.join([*self._words, "plan", "tree", "--scheduled"])
        filled = {
            "{mcp}": shlex.join(words),
            "{json}": shlex.quote(server),
            "{plan}": f"{plan} >/dev/null 2>&1 || true",
        }
        for name, value in filled.items():
            text = text.replace(name, value)
        return text


def tool_places(
    name: str, env: Mapping[str, str], folder: Path, program: Sequence[str], workspace: Path | None = None
) -> ToolPlaces:
    """The places of a tool for a folder's project; for a tool that runs through another one, those of that tool."""
    project, through = project_of(folder), tool_data(name).through
    if through:
        name, workspace = _runs_on(project, through), workspace or project
    return ToolPlaces(name, env, project, program, workspace)


def _runs_on(project: Path, key: str) -> str:
    """The tool that hipocampus uses in a project, from its own settings."""
    file = project / "hipocampus.config.json"
    try:
        value = read_json(file.read_text("utf-8"), str(file)).value
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("there is no hipocampus in this project", where=str(file)) from error
    return str(value.get(key, "claude-code")) if isinstance(value, dict) else "claude-code"


def project_of(folder: Path) -> Path:
    """The top of the folder's repository, or the folder itself: Claude Code's idea of a project."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").is_dir()), folder)


def _asked(value: str) -> list[str]:
    return shlex.split(value.partition(":")[2].removesuffix("}"))
