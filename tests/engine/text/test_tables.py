"""Every table of words and patterns is checked when it is loaded: a fault names the file and the key (D57, D59)."""

import importlib
import pkgutil
import tomllib
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import engine
from engine.errors import MemdeckError
from engine.extraction import address_words, endings, words
from engine.flush import label_words
from engine.models import cue_matcher, labels
from engine.sessions.platforms import rules as platforms
from engine.text import pattern_file
from engine.text.pattern_file import PatternFile, WordTables
from engine.text.poison.rules import table
from engine.text.secrets import rules as secrets
from tests.source import ROOT

ROOMS = ("text", "workspace", "models", "search", "topics", "extraction", "sessions", "flush", "compactor", "tree")
"""Rooms of the engine that read what people wrote."""
LANGUAGES = ("engine/extraction/languages", "engine/models/languages")


@cache
def files_of_patterns() -> tuple[PatternFile, ...]:
    """Every file of patterns that a module of the engine keeps."""
    found: dict[int, PatternFile] = {}
    for module in pkgutil.walk_packages(engine.__path__, "engine."):
        if ".extras." not in module.name:  # other programs' libraries
            made = importlib.import_module(module.name)
            found |= {id(value): value for value in vars(made).values() if isinstance(value, PatternFile)}
    return tuple(sorted(found.values(), key=place_of))


def place_of(one: PatternFile) -> str:
    return f"{one._package.replace('.', '/')}/{one._name}"


def word_tables(kept: WordTables) -> None:
    made = WordTables(kept._package, kept._sections)
    for key in made.keys:
        if not key.startswith("cues."):
            made.compiled(key)


def poison_rules(name: str) -> None:
    for _ in table._rules(name):
        pass


def loaders() -> Iterator[tuple[str, Callable[[], object]]]:
    """Each file of a language, a tool or a kind that is no file of patterns, and what loads it anew."""
    for language in address_words.LANGUAGES:
        name = f"engine/extraction/address_tables/{language}.toml"
        yield name, partial(address_words._table.__wrapped__, language)
    for folder, kept in zip(LANGUAGES, (words.TABLES, cue_matcher.TABLES), strict=True):
        for file in sorted((ROOT / folder).glob("*.toml")):
            yield f"{folder}/{file.name}", partial(word_tables, kept)
    for file in sorted(label_words.FOLDER.glob("*.toml")):
        yield f"engine/flush/languages/{file.name}", partial(label_words.label_words, file.name)
    for name in table.FILES:
        yield f"engine/text/poison/rules/{name}.toml", partial(poison_rules, name)
    for name in (*platforms.names(), platforms.COMMON):
        yield f"engine/sessions/platforms/{name}.toml", partial(platforms.platform_rules.__wrapped__, name)
    yield "engine/extraction/endings.toml", endings._languages.__wrapped__
    yield "engine/text/secrets/rules.toml", secrets.rules.__wrapped__
    yield "engine/models/labels.toml", lambda: importlib.reload(labels)


LOADERS = dict(loaders())


def with_change(monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    """Has one file read as it were with a change."""
    text, real = (ROOT / name).read_text("utf-8"), tomllib.loads

    def loads(given: str) -> dict[str, Any]:
        table = real(given)
        if given == text:
            change(table)
        return table

    monkeypatch.setattr(tomllib, "loads", loads)


def first_text(value: Any, *keys: Any) -> tuple[Any, ...]:
    """The way to the first text of a table that is a pattern or a word, and no name or date."""
    if isinstance(value, str):
        return keys
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    quiet = ("tool", "version", "date", "sources", "name", "edges")
    ways = (first_text(each, *keys, key) for key, each in pairs if key not in quiet)
    return next((way for way in ways if way), ())


def put(table: Any, way: tuple[Any, ...], value: object) -> None:
    for key in way[:-1]:
        table = table[key]
    table[way[-1]] = value


def take_out(section: str, key: str, table: dict[str, Any]) -> None:
    del table[section][key]


def pattern_of(one: PatternFile, key: str) -> object:
    """A pattern of a file that is read anew."""
    return PatternFile(one._package, one._name, one._keys, one._section)[key]


def refused(load: Callable[[], object], name: str) -> str:
    with pytest.raises(MemdeckError) as raised:
        load()
    assert Path(name).name in raised.value.where, raised.value.line()
    return raised.value.line()


@pytest.mark.parametrize("name", LOADERS)
def test_a_key_that_is_unknown_is_told_with_its_file(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with_change(monkeypatch, name, lambda table: table.update({"nonsense": {"nonsense": "x"}}))
    assert "nonsense" in refused(LOADERS[name], name)


@pytest.mark.parametrize("name", LOADERS)
def test_a_text_without_a_word_is_told_with_its_key(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    way = first_text(tomllib.loads((ROOT / name).read_text("utf-8")))
    with_change(monkeypatch, name, lambda table: put(table, way, ""))
    if "sessions/platforms" not in name:  # an empty beginning of a text is tried below, as a pattern
        refused(LOADERS[name], name)


@pytest.mark.parametrize("one", files_of_patterns(), ids=place_of)
def test_a_file_of_patterns_names_each_fault(monkeypatch: pytest.MonkeyPatch, one: PatternFile) -> None:
    keys, name = one._keys.split(), place_of(one)
    for key in keys:
        # A text of words is no pattern, and some of it would be one: only that it is refused is looked at.
        for change in (
            partial(put, way=(one._section, key), value="(open"),
            partial(put, way=(one._section, key), value=" "),
        ):
            with monkeypatch.context() as patch:
                with_change(patch, name, change)
                assert key in refused(partial(pattern_of, one, key), name)
        with monkeypatch.context() as patch:
            with_change(patch, name, partial(take_out, one._section, key))
            assert key in refused(partial(pattern_of, one, key), name)
    with_change(monkeypatch, name, lambda table: put(table, (one._section, "nonsense"), "x"))
    assert "nonsense" in refused(partial(pattern_of, one, keys[0]), name)


def test_every_table_of_words_is_looked_at() -> None:
    """A table that nobody checks is listed here, with the reason."""
    told = {
        "engine/sessions/window/usable.toml": "numbers by platform, which tests name",
        "engine/text/joiners.toml": "ranges of Unicode, held equal to its tables by a test",
        "engine/workspace/sync_copies.toml": "names of files, each tried by a test",
        "engine/workspace/instruction_files.toml": "names of files",
        "engine/extraction/statement_pairs.toml": "weights of a fitted layer, whose names its reader checks",
        "engine/models/known_models.toml": "names, held equal to those of the SDK by a test",
        "engine/text/poison/rule_words.toml": "names of rules: each rule has one by a test",
        "engine/flush/forms.toml": "forms of labels, whose patterns name their key",
        "engine/search/dates/dates.toml": "forms of dates",
        "engine/topics/patterns/code_signs.toml": "signs of program languages",
        "engine/models/session_lines.toml": "patterns by the words in which a person reads the reason",
        "engine/compactor/extraction/sections.toml": "headings",
        "engine/tree/nodes/node_parts.toml": "headings",
        "engine/tree/browse/named_dates.toml": "forms of dates",
        "engine/tree/survey/notices.toml": "sentences for a reader, by the state of a node",
        "engine/compactor/semantic/pollution.toml": "patterns by the words in which a person reads the rule",
        "engine/compactor/semantic/pollution_languages.toml": "the same in five languages",
    }
    known = {*LOADERS, *map(place_of, files_of_patterns()), *told}
    there = {file.relative_to(ROOT).as_posix() for room in ROOMS for file in (ROOT / "engine" / room).rglob("*.toml")}
    assert there - known == set()


def test_a_part_that_is_not_above_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_file, "source", lambda _package, _name: b"[patterns]\nx = 'a\xc2\xabNO\xc2\xbb'\n")
    with pytest.raises(MemdeckError, match=r"x\.toml, patterns\.x: there is no part «NO» above it"):
        pattern_file.pattern_file("engine.text", "x.toml")
