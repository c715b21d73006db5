"""The data of a tool that memdeck connects with: its settings files and what goes into them, a TOML file each (D63)."""

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
    """A value for a place of a settings file. `item`: it goes into the list there, beside what others put in."""

    place: tuple[str, ...]
    value: Any
    reason: str
    part: Part
    item: bool = False


class SettingsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A settings file of a tool, with what memdeck puts into it."""

    at: str
    format: Format
    about: str
    entries: tuple[SettingsEntry, ...]


class ToolData(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tool: where it lives, what it keeps, its settings files. `version` and `date` say what was looked at. `before`
    is the version from which on the form of its settings is not known. `sessions`: the kind of its sessions. `memory`
    and `workspace` may name `{home}`, `{project}` and `{slug}`. `scope`: what one set of settings holds for."""

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
    """The data of a tool; `UsageError` names those that there are."""
    if name not in NAMES:
        raise UsageError("there is no such tool", where=name, hint=f"one of: {', '.join(NAMES)}")
    return converted(toml_file(__package__, f"{name}.toml"), ToolData, f"engine/extras/connect/{name}.toml")


class ToolPlaces:
    """Fills the places of a tool's data in: folders, and the command that starts memdeck on a workspace."""

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
        """A path of the data; it may hold `*`."""
        path = Home(at=text).path(self._known)
        home = self._known.get("HOME", "")
        return Path(home + path[1:] if home and path.startswith("~") else path).expanduser()

    def value(self, value: Any) -> Any:
        """Fills a value of the data in: `{shell:WORDS}` becomes a line of shell that never fails, `{line:WORDS}` one
        without a shell, `{apart:WORDS}` one that goes on by itself, `{sh apart:WORDS}` that for a tool without a
        shell, `{program}` the program, `{words:WORDS}` its arguments."""
        match value:
            case dict():
                return {self.value(key): self.value(one) for key, one in value.items()}
            case list():
                return [one for each in value for one in self._items(each)]
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
        """A line to be typed."""
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
    """The places of a tool for the project that a folder is in; of one that runs through another tool, that one's."""
    project, through = project_of(folder), tool_data(name).through
    if through:
        name, workspace = _runs_on(project, through), workspace or project
    return ToolPlaces(name, env, project, program, workspace)


def _runs_on(project: Path, key: str) -> str:
    """The tool on which hipocampus runs in a project, as its own settings say."""
    file = project / "hipocampus.config.json"
    try:
        value = read_json(file.read_text("utf-8"), str(file)).value
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("there is no hipocampus in this project", where=str(file)) from error
    return str(value.get(key, "claude-code")) if isinstance(value, dict) else "claude-code"


def project_of(folder: Path) -> Path:
    """The top of the repository that a folder lies in, else the folder: what Claude Code takes for the project."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").is_dir()), folder)


def _asked(value: str) -> list[str]:
    return shlex.split(value.partition(":")[2].removesuffix("}"))
