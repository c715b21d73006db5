"""Reads a tool's data file: the wrappers, beginnings and envelopes that its harness adds to messages (D57)."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from engine.text.pattern_file import converted, made_of, re2_options, toml_file

FOLDER = Path(__file__).parent
COMMON = "common"  # the rules that hold for every tool, also for one that has no file
_MEMORY = 32 << 20

Becomes = Literal["meta", "act", "off", "untrusted"]


class TextPattern(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Texts of one kind, recognised by beginnings or RE2 patterns. `becomes`: `meta` and `act` remove the whole
    message, `off` removes the match, `untrusted` keeps and marks it."""

    kind: str
    becomes: Becomes = "meta"
    role: Literal["user", "agent"] = "user"
    starts: tuple[str, ...] = ()
    re2: tuple[str, ...] = ()


class PlatformRules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The data file of a tool. `version`, `date`: the latest sources that it is based on."""

    tool: str
    version: str = ""
    date: str
    sources: tuple[str, ...] = ()
    wrappers: dict[Becomes, dict[str, str]] = {}  # tags by what becomes of them, each with its kind
    patterns: tuple[TextPattern, ...] = ()
    silent: dict[str, str] = {}  # replies of the agent that nobody sees, each with its kind
    lines: tuple[str, ...] = ()
    """Known types of lines without a turn: counted by type, never read."""
    markup: tuple[str, ...] = ()  # tags that people write themselves
    generations: tuple[dict[str, Any], ...] = ()
    homes: tuple[dict[str, Any], ...] = ()
    beside: dict[str, str] = {}


class SpeechRules:
    """A tool's rules with the common ones, ready to use: tags by name, compiled patterns."""

    def __init__(self, *files: PlatformRules) -> None:
        self.tags = {
            tag.casefold(): (becomes, kind)
            for file in reversed(files)
            for becomes, tags in file.wrappers.items()
            for tag, kind in tags.items()
        }
        self.markup = frozenset(tag for file in files for tag in file.markup)
        self.silent = {reply: kind for file in files for reply, kind in file.silent.items()}
        self.patterns = tuple(pattern for file in files for pattern in file.patterns)
        self.compiled = {pattern: _compiled(pattern, pattern.kind) for pattern in self.patterns}
        names = "|".join(map(re.escape, sorted(self.tags, key=len, reverse=True)))
        more = r"(?:\s[^<>\n]{0,2000})?>"
        self.known = re.compile(rf"(?i)<({names}){more}")
        self.marks = re.compile(rf"(?i)<(/?)({names}){more}")


@cache
def platform_rules(name: str) -> PlatformRules:
    """Reads the data file of a tool; raises `Damaged` with the file and the wrong key."""
    where = f"engine/sessions/platforms/{name}.toml"
    made = converted(shipped(name), PlatformRules, where)
    for pattern in made.patterns:
        _compiled(pattern, where)
    return made


@cache
def speech_rules(name: str) -> SpeechRules:
    """Returns the rules for a tool's messages; only the common ones if it has no file."""
    own = (platform_rules(name),) if name in names() else ()
    return SpeechRules(*own, platform_rules(COMMON))


@cache
def names() -> tuple[str, ...]:
    """Returns the tools with a data file."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.toml") if file.stem != COMMON))


def line_kind(name: str, entry: Mapping[str, Any]) -> str:
    """Returns the kind by which a line without a turn is counted, `unknown line …` for an unknown type."""
    kind, more = entry.get("type"), entry.get("subtype")
    kind = kind if isinstance(kind, str) and kind else "without a type"
    known = kind in platform_rules(name).lines
    kind = f"{kind} {more}" if isinstance(more, str) and more else kind
    return kind[:60] if known else f"unknown line {kind}"[:60]


def shipped(name: str) -> Mapping[str, Any]:
    """Reads the packaged data of a tool."""
    return toml_file(__package__, f"{name}.toml")


def _compiled(pattern: TextPattern, where: str) -> tuple[Any, ...]:
    import re2

    options = re2_options(_MEMORY)
    return tuple(
        made_of(lambda text: re2.compile(text, options), text, where, pattern.kind, re2.error) for text in pattern.re2
    )
