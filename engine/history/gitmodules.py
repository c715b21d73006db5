"""Reads and writes the entries of `.gitmodules` that are ours: shared knowledge below `knowledge/shared/`. The agent
can write that file, so of an entry only its name and its pin count: the address is that of the operator's policy, and
the path follows from the name. What others wrote there stays, byte for byte. No git ever reads it for us."""

import re
from collections.abc import Mapping

import msgspec

FILE = ".gitmodules"
FOLDER = "knowledge/shared/"  # shared repositories lie here, each in a folder of its name
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ENTRY = re.compile(r'^\[submodule "([^"\n]*)"\][ \t]*\r?\n((?:[ \t]+[^\n]*(?:\n|\Z)|\r?\n(?=[ \t]))*)', re.MULTILINE)
_VALUE = re.compile(r"^[ \t]+([A-Za-z][A-Za-z0-9-]*)[ \t]*=[ \t]*([^\r\n]*?)[ \t]*\r?$", re.MULTILINE)


def is_commit(text: str) -> bool:
    """Tells whether a text is the whole id of a commit."""
    return _ID.fullmatch(text) is not None


class SharedEntry(msgspec.Struct, frozen=True):
    """An entry: the name of a shared repository, the commit that it is pinned to, and the address that stands there."""

    name: str
    pin: str
    address: str


def shared_name(path: str) -> str:
    """Gives the name of the shared repository that a path of the workspace lies in; empty for none."""
    if not path.startswith(FOLDER):
        return ""
    name, slash, _ = path.removeprefix(FOLDER).partition("/")
    return name if slash and NAME.fullmatch(name) else ""


def shared_entries(data: bytes) -> Mapping[str, SharedEntry]:
    """Our entries by name; one without a pin, or with another path, is none."""
    found = {}
    for match in _ENTRY.finditer(data.decode("utf-8", "replace")):
        place = match[1]
        values = {key.casefold(): _unquoted(value) for key, value in _VALUE.findall(match[2])}
        name = place.removeprefix(FOLDER)
        ours = place == f"{FOLDER}{name}" == values.get("path") and NAME.fullmatch(name)
        if ours and is_commit(values.get("pin", "")):
            found[name] = SharedEntry(name, values["pin"], values.get("url", ""))
    return found


def with_entry(text: str, entry: SharedEntry) -> str:
    """Gives the text with this entry in the place of the one of its name, or at the end."""
    path = FOLDER + entry.name
    block = f'[submodule "{path}"]\n\tpath = {path}\n\turl = {_quoted(entry.address)}\n\tpin = {entry.pin}\n'
    for match in _ENTRY.finditer(text):
        if match[1] == path:
            return text[: match.start()] + block + text[match.end() :]
    return text + ("\n" if text and not text.endswith("\n") else "") + block


def without_entry(text: str, name: str) -> str:
    """Gives the text without the entries of a name."""
    return _ENTRY.sub(lambda match: "" if match[1] == FOLDER + name else match[0], text)


def _quoted(value: str) -> str:
    if not re.search(r'[#;"\\]', value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value
