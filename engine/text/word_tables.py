"""Reads tables of patterns that are data: a TOML file a language, in the folder `languages` of a package. A table has a
pattern on each line, a `\\` at a line's end goes on in the next, and `<TIME>` stands for the class of that name. What
is wrong with a file is told with its name and its table, so that it can be mended without Python."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from engine.errors import Damaged
from engine.text.pattern_file import Made, fault, folder_of, made_of, toml_file

_GOES_ON = re.compile(r"\\\n\s*")
_CLASS = re.compile(r"<([A-Z_]+)>")
_CLASSES, _EDGES = "classes", "edges"


class WordTables:
    """The tables of one package, of all its languages together; its files are read when a table is first asked for."""

    def __init__(self, package: str, sections: Mapping[str, Collection[str]]) -> None:
        """`sections` are the names of the tables that there may be, by section; classes have any name."""
        self._package, self._sections = package, sections

    def lines(self, key: str, *, edges: bool | None = None) -> tuple[str, ...]:
        """The patterns of a table such as `doubt.play`; of languages whose words have edges or none, where asked."""
        files, read = self._files, self._tables.get(key, {})
        names = (name for name in read if edges in (None, bool(files[name].get(_EDGES, True))))
        return tuple(line for name in names for line in read[name])

    @property
    def keys(self) -> Collection[str]:
        """The tables that there are."""
        return self._tables.keys()

    def alternatives(self, key: str) -> str:
        """The patterns of a table in one."""
        return "|".join(self.lines(key))

    def compiled(self, key: str, make: Callable[[str], re.Pattern[str]] = re.compile) -> re.Pattern[str]:
        """A table as one pattern."""
        try:
            return make(self.alternatives(key))
        except re.error:
            for line in self.lines(key):
                self.checked(line, make)
            raise

    def checked(self, line: str, make: Callable[[str], Made], refusal: type[Exception] = re.error) -> Made:
        """Makes a pattern of a line; where that is refused, the error says of which file and table the line is."""
        places = ((name, key) for key, read in self._tables.items() for name, some in read.items() if line in some)
        name, key = next(places, ("", ""))
        return made_of(make, line, self._where(name), key, refusal)

    @cached_property
    def _files(self) -> dict[str, dict[str, Any]]:
        folder = folder_of(self._package) / "languages"
        return {path.name: self._read(path.name) for path in sorted(folder.iterdir(), key=str)}

    @cached_property
    def _tables(self) -> dict[str, dict[str, list[str]]]:
        """The lines of each table by its key and the file that has them."""
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
        """The text with its lines joined, and each class in its place."""
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
