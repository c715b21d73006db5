"""Reads TOML files of patterns and words, in which `«NAME»` means the part of that name. Checks a file when it is first
read; errors name the file and the key."""

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from engine.errors import Damaged

Made = TypeVar("Made")
_PART = re.compile("«([A-Z_]+)»")


def folder_of(package: str) -> Path:
    """Returns the folder of a package. Importing `importlib.resources` would be a twentieth of `memdeck queue`."""
    return Path(import_module(package).__path__[0])


def source(package: str, name: str) -> bytes:
    """Reads the bytes of a package's file."""
    return (folder_of(package) / name).read_bytes()


def toml_file(package: str, name: str) -> dict[str, Any]:
    """Reads the table of a package's file."""
    try:
        return tomllib.loads(source(package, name).decode("utf-8"))
    except ValueError as error:
        raise fault(f"{package.replace('.', '/')}/{name}", "", str(error)) from error


def pattern_file(package: str, name: str) -> dict[str, Any]:
    """Reads a file's table with all parts filled in. Refuses an empty text, which would match everything."""
    where, table = f"{package.replace('.', '/')}/{name}", toml_file(package, name)
    parts: dict[str, str] = {}
    for part, pattern in table.pop("parts", {}).items():
        parts[part] = _whole(pattern, parts, where, f"parts.{part}")
    return {key: _whole(value, parts, where, key) for key, value in table.items()}


def converted(table: Any, form: type[Made], where: str) -> Made:
    """Converts a table to a type; raises for an unknown, missing or wrong key."""
    try:
        return msgspec.convert(table, form)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise fault(where, place.strip("`."), what[:1].lower() + what[1:]) from error


def fault(where: str, key: str, problem: str) -> Damaged:
    """Makes the error about a key of a file."""
    hint = "correct the file, or install memdeck again"
    return Damaged(problem, where=f"{where}, {key}" if key else where, hint=hint)


def made_of(
    make: Callable[[str], Made], pattern: str, where: str, key: str, refusal: type[Exception] = re.error
) -> Made:
    """Makes something of a pattern; an error names its file and key."""
    try:
        return make(pattern)
    except refusal as error:
        raise fault(where, key, f"{error}: {pattern[:80]}") from error


def re2_options(memory: int, *, fold: bool = False) -> Any:
    """Returns options for an RE2 pattern: memory in bytes for its automaton; `fold`: ignore case."""
    import re2

    options = re2.Options()
    options.max_mem = memory
    options.case_sensitive = not fold
    # RE2 logs to standard error, which is the console's screen.
    options.log_errors = False
    return options


def _whole(value: Any, parts: Mapping[str, str], where: str, key: str) -> Any:
    """Fills parts into all texts of a value."""
    match value:
        case str() if not value.strip():
            raise fault(where, key, "there is nothing in it")
        case str():
            if unknown := [name for name in _PART.findall(value) if name not in parts]:
                raise fault(where, key, f"there is no part «{unknown[0]}» above it")
            return _PART.sub(lambda part: parts[part[1]], value)
        case list():
            return [_whole(each, parts, where, key) for each in value]
        case dict():
            return {name: _whole(each, parts, where, f"{key}.{name}".strip(".")) for name, each in value.items()}
    return value


class PatternFile(dict[str, re.Pattern[str]]):
    """The patterns of a file's section by key, each compiled on first use."""

    def __init__(self, package: str, name: str, keys: str, section: str = "patterns") -> None:
        super().__init__()
        self._package, self._name, self._keys, self._section = package, name, keys, section
        self._lists: dict[str, frozenset[str]] = {}

    def __missing__(self, key: str) -> re.Pattern[str]:
        where = f"{self._package.replace('.', '/')}/{self._name}"
        return self.setdefault(key, made_of(re.compile, self.texts[key], where, f"{self._section}.{key}"))

    def words(self, key: str) -> frozenset[str]:
        """Returns the words of a text that lists words."""
        if key not in self._lists:
            self._lists[key] = frozenset(self.texts[key].split())
        return self._lists[key]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The texts of the section by key."""
        section = pattern_file(self._package, self._name).get(self._section, {})
        where = f"{self._package.replace('.', '/')}/{self._name}, {self._section}"
        keys = msgspec.defstruct("Keys", [(key, str) for key in self._keys.split()], forbid_unknown_fields=True)
        return dict(msgspec.structs.asdict(converted(section, keys, where)))


_GOES_ON = re.compile(r"\\\n\s*")
_CLASS = re.compile(r"<([A-Z_]+)>")
_CLASSES, _EDGES = "classes", "edges"
_MEMORY = 8 << 20  # bytes that RE2 may use for one pattern
_WIDER = (
    (re.compile(r"\(\?!(?:\\.|[^()\\]|\((?:\\.|[^()\\]|\([^()]*\))*\))*\)"), ""),
    (r"\p{N}", r"(?-i:[A-ZÄÖÜ])"),
    (re.compile(r"\[(?:\^[^\]]*|[^\]]*\\[dw][^\]]*)\]"), "."),
    (re.compile(r"\{[1-9]\d*(?:,\d*)?\}\??"), "+"),
    (re.compile(r"\{\d+(?:,\d*)?\}\??"), "*"),
    (re.compile(r"^\\b"), r"(?m:^|[^A-Za-z0-9_\\n])"),
    (re.compile(r"\\b$"), r"(?m:$|[^A-Za-z0-9_\\n])"),
    (re.compile(r"(?<!\[)(?<!m:)\^"), r"(?m:^|[.!?…。！？｡)])[^A-Za-z\\n]*"),
    (re.compile(r"\\b|(?<!m:)\$"), ""),
    (r"\d", r"[0-9\x{80}-\x{10ffff}]"),
    (r"\w", r"[_0-9A-Za-z\x{80}-\x{10ffff}]"),
)
"""Widens a pattern: drops bounds of repetition, lookaheads and inner word boundaries. `[^…]` becomes any character, as
quotations are cut out of a sentence before the exact patterns see it. A sentence begins with a line, or after the end
of another sentence."""


class WordTables:
    """The tables of one package for all its languages, read on first use."""

    def __init__(self, package: str, sections: Mapping[str, Collection[str]]) -> None:
        """`sections`: names of the allowed tables, by section; classes may have any name."""
        self._package, self._sections = package, sections

    def lines(self, key: str, *, edges: bool | None = None) -> tuple[str, ...]:
        """Returns the patterns of a table; `edges`: only of languages with or without word boundaries."""
        files, read = self._files, self._tables.get(key, {})
        names = (name for name in read if edges in (None, bool(files[name].get(_EDGES, True))))
        return tuple(line for name in names for line in read[name])

    @property
    def keys(self) -> Collection[str]:
        """The names of the existing tables."""
        return self._tables.keys()

    def alternatives(self, key: str) -> str:
        """Returns a table as one pattern text."""
        return "|".join(self.lines(key))

    def compiled(self, key: str, make: Callable[[str], re.Pattern[str]] = re.compile) -> re.Pattern[str]:
        """Returns a table as one compiled pattern."""
        try:
            return make(self.alternatives(key))
        except re.error:
            for line in self.lines(key):
                self.checked(line, make)
            raise

    def checked(self, line: str, make: Callable[[str], Made], refusal: type[Exception] = re.error) -> Made:
        """Makes something of a line; an error names the line's file and table."""
        places = ((name, key) for key, read in self._tables.items() for name, some in read.items() if line in some)
        name, key = next(places, ("", ""))
        return made_of(make, line, self._where(name), key, refusal)

    def filter_over(self, patterns: Sequence[str], prepared: Callable[[str], str] = str) -> Any:
        """Builds an RE2 set filter over the widened patterns, or None; one combined pattern would be far slower."""
        import re2

        options, made = re2_options(_MEMORY, fold=True), re2.Filter()
        for pattern in patterns:
            self.checked(pattern, lambda line: made.Add(_widened(prepared(line)), options), re2.error)
        if patterns:
            made.Compile()
        return made if patterns else None

    @cached_property
    def _files(self) -> dict[str, dict[str, Any]]:
        folder = folder_of(self._package) / "languages"
        return {path.name: self._read(path.name) for path in sorted(folder.iterdir(), key=str)}

    @cached_property
    def _tables(self) -> dict[str, dict[str, list[str]]]:
        """The lines of each table, by key and file."""
        classes: dict[str, str] = {}
        for name, key, text in self._texts((_CLASSES,)):
            classes[key.partition(".")[2]] = self._written_out(name, key, text.strip(), classes)
        tables: dict[str, dict[str, list[str]]] = {}
        for name, key, text in self._texts(self._sections):
            lines = [line.strip() for line in self._written_out(name, key, text, classes).split("\n")]
            tables.setdefault(key, {})[name] = [line for line in lines if line]
        return tables

    def _texts(self, sections: Collection[str]) -> Iterator[tuple[str, str, str]]:
        for name, data in self._files.items():
            for section in sections:
                for key, text in data.get(section, {}).items():
                    yield name, f"{section}.{key}", text

    def _written_out(self, name: str, key: str, text: str, classes: Mapping[str, str]) -> str:
        """Joins continued lines, and fills in classes."""
        text = _GOES_ON.sub("", text)
        if unknown := [found for found in _CLASS.findall(text) if found not in classes]:
            raise self._fault(name, key, f"there is no class <{unknown[0]}> above it")
        return _CLASS.sub(lambda found: classes[found[1]], text)

    def _read(self, name: str) -> dict[str, Any]:
        tables = toml_file(self._package, f"languages/{name}")
        for section, table in tables.items():
            if section != _EDGES:
                self._check(name, section, table)
        return tables

    def _check(self, name: str, section: str, tables: Any) -> None:
        if section not in (_CLASSES, *self._sections) or not isinstance(tables, dict):
            raise self._fault(name, section, f"no such section; one of: {', '.join((_CLASSES, *self._sections))}")
        for key, text in tables.items():
            if section != _CLASSES and key not in self._sections[section]:
                known = ", ".join(self._sections[section])
                raise self._fault(name, f"{section}.{key}", f"no such table; one of: {known}")
            if not isinstance(text, str) or not text.strip():
                raise self._fault(name, f"{section}.{key}", "it is no text of patterns")

    def _where(self, name: str) -> str:
        return f"{self._package.replace('.', '/')}/languages/{name}"

    def _fault(self, name: str, key: str, problem: str) -> Damaged:
        return fault(self._where(name), key, problem)


def filter_bytes(text: str) -> bytes:
    """Encodes a text for a filter, with `İ` and `ı` as `i`: Python equates them, RE2 does not."""
    return text.replace("İ", "i").replace("ı", "i").encode("utf-8", "replace")


def _widened(pattern: str) -> str:
    for narrow, wide in _WIDER:
        pattern = pattern.replace(narrow, wide) if isinstance(narrow, str) else narrow.sub(wide, pattern)
    return pattern
