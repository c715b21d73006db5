"""Asks git once for the settings of the operator that a commit depends on."""

from pathlib import Path

import msgspec

from engine.history.git import SHORT, Git
from engine.history.request import Person

_FILES = r"^(core\.(excludes|attributes)|blame\.ignorerevs)file$"
_ALL = r"^(core\.(excludes|attributes)file|blame\.ignorerevsfile|user\.(name|email))$"


class OperatorSettings(msgspec.Struct, frozen=True):
    """The files of rules that the settings name, and the person; either part of it is empty where there is none."""

    rule_files: tuple[Path, ...]
    person: Person


def operator_settings(git: Git) -> OperatorSettings:
    """Gives the settings in force, of a person the last ones."""
    rows = _rows(git, _ALL)
    files = [value for key, value in rows if key.endswith("file")]
    if any(value.startswith(("~", "%")) for value in files):  # git alone knows what that stands for
        files = [value for _, value in _rows(git, _FILES, "--type=path")]
    told = dict(rows)
    person = Person(told.get("user.name", "").strip(), told.get("user.email", "").strip())
    return OperatorSettings(tuple(git.top / value for value in files if value), person)


def _rows(git: Git, keys: str, *options: str) -> list[tuple[str, str]]:
    code, out, _ = git.attempt("config", "-z", *options, "--get-regexp", keys, timeout=SHORT)
    text = out.decode("utf-8", "surrogateescape") if code == 0 else ""
    return [(row.partition("\n")[0], row.partition("\n")[2]) for row in text.split("\0") if row]
