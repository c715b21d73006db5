"""Finds a note's claims that a repository can confirm, by their form and place."""

import re
from collections.abc import Container, Iterator, Mapping
from enum import StrEnum
from functools import cache

import msgspec

from engine.text.markdown import code_mask, heading_of
from engine.text.pattern_file import PatternFile, converted, made_of, pattern_file

_FILE = "engine/lifecycle/reality/claims.toml"
_MOST_LINE = 4_000  # characters of a line that are read: a program made what goes on for longer
_CODE = re.compile(r"`([^`\n]{1,400})`")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9_]{0,9}\Z")
_ITEM = re.compile(r"\s*[-*+] (?:\[\[)?(?:\*\*)?([^\W\d_][\w .'-]{1,40}?)(?:\*\*)?(?:\]\])?\s*(?:[:：—–(]|$)")
WORDS = PatternFile(__package__, "claims.toml", "endings products plain open people projects", "words")


class ClaimKind(StrEnum):
    PATH = "path"
    COMMAND = "command"
    COMMIT = "commit"
    BRANCH = "branch"
    VERSION = "version"
    SETTING = "setting"
    PORT = "port"
    URL = "url"
    DATE = "date"
    LINK = "link"
    NAME = "name"


class Claim(msgspec.Struct, frozen=True):
    """A claim at a note's line, from 1, and its column. `about`: a command's runner, the name of a version or value,
    or a folder. `row` is the whole line, `block` its paragraph's number, `section` its heading's."""

    kind: ClaimKind
    path: str
    line: int
    start: int
    text: str
    about: str = ""
    row: str = ""
    block: int = 0
    section: int = 0

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class _Form(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: ClaimKind
    pattern: str
    about: str = ""
    code: bool = False
    known: str = ""
    hides: bool = False


@cache
def _forms() -> tuple[tuple[_Form, re.Pattern[str]], ...]:
    forms = converted(pattern_file(__package__, "claims.toml")["claim"], tuple[_Form, ...], f"{_FILE}, claim")
    return tuple((form, made_of(re.compile, form.pattern, _FILE, f"claim, {form.kind}")) for form in forms)


def claims_in(path: str, text: str, known: Mapping[str, Container[str]]) -> Iterator[Claim]:
    """Yields the claims of a note, by line. `known` has the repository's names, such as `folders` and `commits`."""
    lines, folder, block, section = text.split("\n"), "", 0, 0
    for number, (whole, fenced) in enumerate(zip(lines, code_mask(lines), strict=True), 1):
        row = whole.rstrip("\r")[:_MOST_LINE]
        heading = None if fenced else heading_of(row)
        block += heading is not None or not row.strip()
        section += heading is not None
        if heading is not None:
            words = set(heading.text.casefold().split())
            folder = next((name for name in ("people", "projects") if words and words <= WORDS.words(name)), "")
        elif folder and not fenced and (item := _ITEM.match(row)):
            yield Claim(ClaimKind.NAME, path, number, item.start(1), item[1], folder, row, block, section)
        for kind, start, said, about in sorted(set(_in_line(row, known, fenced=fenced)), key=lambda each: each[1]):
            yield Claim(kind, path, number, start, said, about, row, block, section)


def _in_line(
    row: str, known: Mapping[str, Container[str]], *, fenced: bool
) -> Iterator[tuple[ClaimKind, int, str, str]]:
    codes = [(0, len(row))] if fenced else [match.span(1) for match in _CODE.finditer(row)]
    for form, pattern in _forms():
        for first, last in codes if form.code else [(0, len(row))]:
            for match in pattern.finditer(row[first:last]):
                start, said = first + match.start("text"), match["text"]
                about = form.about or match.groupdict().get("about", "").casefold()
                if form.known and (about or said) not in known[form.known]:
                    continue
                code = any(begin <= start and start + len(said) <= end for begin, end in codes)
                if form.kind is ClaimKind.PATH and not _is_path(said, known["folders"], row[:start], code=code):
                    continue
                yield form.kind, start, said, about
                if form.hides:
                    row = f"{row[:start]}{' ' * len(said)}{row[start + len(said) :]}"


def _is_path(text: str, folders: Container[str], before: str, *, code: bool) -> bool:
    """Tells whether a word is the path of a file or folder, by its ending or by the existing folders."""
    parts = text.rstrip("/").split("/")
    rooted = before.endswith("/") and not before.endswith("./")
    if not all(part.strip(".") for part in parts) or (rooted and parts[0] not in folders):
        return False
    ending = _ENDING.search(parts[-1])
    is_file = ending is not None and ending[0][1:].lower() in WORDS.words("endings")
    if ending is not None and (len(parts) == 1 or is_file):
        stem = parts[-1][: ending.start()].strip("._")
        return is_file and bool(stem) and text.lower() not in WORDS.words("products")
    if "/" not in text or not re.search(r"[^\W\d_]", parts[-1]):
        return False
    if code or text.endswith("/"):
        return parts[0] in folders
    # Outside of code "a/b" is two words as often as a path: the folders above tell them apart.
    return "/".join(parts) in folders or (len(parts) > 2 and "/".join(parts[:-1]) in folders)
