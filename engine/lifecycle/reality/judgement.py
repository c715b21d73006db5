"""Judges claims by a repository: they hold, are gone, moved, differ, or are unknown."""

import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from posixpath import dirname, join, normpath
from urllib.parse import urlsplit

import msgspec

from engine.lifecycle.reality.claim import WORDS, Claim, ClaimKind, claims_in
from engine.lifecycle.reality.repository_view import FileFact, RepositoryView
from engine.workspace.dates import name_date, parse_day

_PAST = ("memory/daily/", "memory/weekly/", "memory/monthly/", "DailyLogs/", "knowledge/journal/", "imports/")
"""Folders of notes about the past, beside all notes with a day in their name."""
_TELLS = "it tells of its day"
_NUMBERS = re.compile(r"\d+(?:\.\d+){0,3}")


class ClaimVerdict(StrEnum):
    HOLDS = "holds"
    GONE = "gone"
    MOVED = "moved"
    DIFFERS = "differs"
    UNKNOWN = "cannot tell"


_IDS = (ClaimKind.COMMIT, ClaimKind.BRANCH)
_OF_CODE = (ClaimKind.PATH, ClaimKind.COMMAND, *_IDS)


class JudgedClaim(msgspec.Struct, frozen=True):
    """A claim with its verdict. `there`: the path and line, or commit, that shows it; `value`: the present value."""

    claim: Claim
    verdict: ClaimVerdict
    there: str = ""
    value: str = ""
    why: str = ""


def is_dated(path: str) -> bool:
    """Tells whether a note is about one day or period, so that it stays as it is."""
    return path.startswith(_PAST) or name_date(path.rpartition("/")[2])[0] is not None


class ClaimJudge:
    """Judges the claims of notes by one repository. `notes` are the workspace's; `in_workspace` tells whether a path
    exists; `prefix` is the workspace's path in the repository, empty or ending with `/`."""

    def __init__(
        self,
        view: RepositoryView,
        today: date,
        notes: Collection[str] = (),
        in_workspace: Callable[[str], bool] = lambda _: False,
        prefix: str = "",
    ) -> None:
        self._view, self._today, self._notes = view, today, notes
        self._in_workspace, self._prefix = in_workspace, prefix
        self._known: dict[str, Container[str]] = {
            "folders": view.folders,
            "commits": view.commits,
            "branches": view.branches,
            "versions": view.facts["version"],
            "settings": view.facts["setting"],
        }
        self._judges: Mapping[ClaimKind, Callable[[Claim], JudgedClaim]] = {
            ClaimKind.PATH: self._path,
            ClaimKind.COMMAND: self._command,
            ClaimKind.COMMIT: self._commit,
            ClaimKind.BRANCH: self._branch,
            ClaimKind.VERSION: lambda claim: _compared(
                claim, view.facts["version" if claim.about else "own"].get(claim.about, ()), _admits
            ),
            ClaimKind.SETTING: lambda claim: _compared(claim, view.facts["setting"].get(claim.about, ())),
            ClaimKind.PORT: self._port,
            ClaimKind.DATE: self._date,
            ClaimKind.NAME: self._name,
            ClaimKind.URL: _address,
        }

    def judged(self, path: str, text: str) -> Iterator[JudgedClaim]:
        """Judges the claims of one note. Claims about something else than this repository are unknown, not gone:
        those in a note or paragraph whose paths mostly never existed, and ids below a heading where nothing holds."""
        found = [self._judges[claim.kind](claim) for claim in claims_in(path, text, self._known)]
        paths = [one for one in found if one.claim.kind is ClaimKind.PATH]
        missing = [one for one in paths if one.verdict is not ClaimVerdict.HOLDS]
        ignored = self._view.ignored(path for one in missing for path in (one.claim.text, one.there) if path)
        held = [one.claim.section for one in found if one.claim.kind in _OF_CODE and one.verdict is ClaimVerdict.HOLDS]
        nobody = {one.claim.block for one in paths if one.verdict is ClaimVerdict.UNKNOWN}
        strange = nobody - {one.claim.block for one in paths if one.verdict is not ClaimVerdict.UNKNOWN}
        here = len(held) > sum(one.verdict is ClaimVerdict.UNKNOWN for one in paths)
        for one in found:
            claim = one.claim
            if one.verdict not in (ClaimVerdict.GONE, ClaimVerdict.MOVED) or claim.kind not in _OF_CODE:
                yield one
            elif claim.text in ignored or one.there in ignored:
                yield _unknown(claim, "git ignores it")
            # A path says by its folders whose it is, an id by nothing: something beside it must be of here.
            elif here and claim.block not in strange and (claim.kind not in _IDS or claim.section in held):
                yield one
            else:
                yield _unknown(claim, "it is of something else")

    def _path(self, claim: Claim) -> JudgedClaim:
        view, said = self._view, claim.text.rstrip("/")
        below, beside = said.removeprefix(f"{view.top.rpartition('/')[2]}/"), normpath(join(dirname(claim.path), said))
        for path in dict.fromkeys((said, below, self._prefix + beside, self._prefix + said)):
            if view.has(path):
                return _holds(claim, path)
        if self._in_workspace(said) or self._in_workspace(beside):
            return _holds(claim, "the workspace")
        if there := _ending_in(view.by_name, below):
            return _holds(claim, there[0])
        for path in _ending_in(view.removed_by_name, below):
            commit, to = view.removed[path]
            to = to if to and view.has(to) else self._namesake(path)
            why = f"{'renamed' if to else 'removed'} by {commit}"
            return JudgedClaim(claim, ClaimVerdict.MOVED if to else ClaimVerdict.GONE, path, to, why)
        if "/" in below and (to := self._namesake(below)):
            return JudgedClaim(claim, ClaimVerdict.MOVED, to, to, "the only one of that name")
        if "/" in below and below.partition("/")[0] in view.folders:
            return _gone(claim, "no commit had it" if view.is_whole else "not there")
        return _unknown(claim, "nothing of that name was ever there")

    def _namesake(self, path: str) -> str:
        """Gives the only file with the name of a path; empty if there is none or several."""
        name = path.rpartition("/")[2].casefold()
        found = self._view.by_name.get(name, ()) if "." in name else ()
        return found[0] if len(found) == 1 else ""

    def _commit(self, claim: Claim) -> JudgedClaim:
        git = self._view.git
        if claim.text in self._view.commits or (git is not None and git.commit_id(claim.text)):
            return _holds(claim, f"commit {claim.text}")
        return _gone(claim, "no such commit") if self._view.is_whole else _unknown(claim, "the history is not whole")

    def _branch(self, claim: Claim) -> JudgedClaim:
        if claim.text in self._view.branches:
            return _holds(claim, claim.text)
        return _gone(claim, "no such branch") if self._view.git is not None else _unknown(claim, "no git")

    def _command(self, claim: Claim) -> JudgedClaim:
        facts = self._view.facts
        own = facts.get(f"target {claim.about}", {})
        if claim.text in own:
            return _holds(claim, own[claim.text][0].place)
        if not own or claim.about in WORDS.words("open"):
            return _unknown(claim, f"no file of {claim.about} names it")
        for gives, named in facts.items():
            if gives.startswith("target ") and claim.text in named:
                value, place = f"{gives[7:]} {claim.text}", named[claim.text][0].place
                return JudgedClaim(claim, ClaimVerdict.MOVED, place, value, "another runner has it")
        return _gone(claim, f"not in {next(iter(own.values()))[0].path}")

    def _port(self, claim: Claim) -> JudgedClaim:
        words, ports = _words(claim.row) - WORDS.words("plain"), self._view.ports
        same = [fact for fact in ports if fact.value == claim.text]
        return _compared(claim, same or [fact for fact in ports if words & _words(f"{fact.name} {fact.path}")])

    def _date(self, claim: Claim) -> JudgedClaim:
        day = parse_day(claim.text)
        if day is None or day >= self._today:
            return _holds(claim, "") if day else _gone(claim, "there is no such day")
        return _unknown(claim, _TELLS) if is_dated(claim.path) else _gone(claim, "that day is over")

    def _name(self, claim: Claim) -> JudgedClaim:
        folder = f"knowledge/{claim.about}/"
        notes = [note for note in self._notes if note.startswith(folder)]
        for note in notes:
            if _words(claim.text) <= _words(note[len(folder) :]):
                return _holds(claim, note)
        return _gone(claim, f"no file in {folder}") if notes else _unknown(claim, f"there is no {folder}")


def _holds(claim: Claim, there: str) -> JudgedClaim:
    return JudgedClaim(claim, ClaimVerdict.HOLDS, there)


def _gone(claim: Claim, why: str) -> JudgedClaim:
    return JudgedClaim(claim, ClaimVerdict.GONE, "", "", why)


def _unknown(claim: Claim, why: str) -> JudgedClaim:
    return JudgedClaim(claim, ClaimVerdict.UNKNOWN, "", "", why)


def _ending_in(by_name: Mapping[str, Sequence[str]], path: str) -> tuple[str, ...]:
    found, wanted = by_name.get(path.rpartition("/")[2].casefold(), ()), f"/{path.casefold()}"
    return tuple(sorted((one for one in found if f"/{one.casefold()}".endswith(wanted)), key=len))


def _address(claim: Claim) -> JudgedClaim:
    """Judges an address by its form alone, without asking."""
    try:
        parts = urlsplit(claim.text)
        fits = bool(parts.hostname or parts.scheme == "file") and parts.port != 0
    except ValueError:
        fits = False
    return _unknown(claim, "well formed; it was not asked") if fits else _gone(claim, "no address has this form")


def _compared(claim: Claim, facts: Sequence[FileFact], admits: Callable[[str, str], bool] | None = None) -> JudgedClaim:
    """Judges a value by the files' values; a note about a day cannot differ. Without `admits` it must be equal."""
    for fact in facts:
        if admits(fact.value, claim.text) if admits is not None else _bare(fact) == claim.text:
            return JudgedClaim(claim, ClaimVerdict.HOLDS, fact.place, fact.value)
    if not facts or is_dated(claim.path) or not _bare(facts[0]):
        return _unknown(claim, _TELLS if facts else "no file says it")
    if admits is None and len({_bare(fact) for fact in facts}) > 1:
        return _unknown(claim, "files differ on it")
    return JudgedClaim(claim, ClaimVerdict.DIFFERS, facts[0].place, _bare(facts[0]))


def _bare(fact: FileFact) -> str:
    return fact.value.strip("\"' ,;")


def _admits(required: str, said: str) -> bool:
    """Tells whether a manifest's version allows another: `^18.2` admits 18 and 18.3, not 17."""
    if (found := _NUMBERS.search(required)) is None:
        return False
    least, asked = ([int(part) for part in one.split(".")] for one in (found[0], said))
    short, operator = min(len(least), len(asked)), required[: found.start()].strip(" v\"'")
    if least[:short] == asked[:short]:
        return True
    # The parts that must be the same: none above a floor, the first after `^`, the first two after `~`.
    fixed = {">=": 0, ">": 0, "^": 1, "~": 2, "~=": max(1, len(least) - 1)}.get(operator)
    return fixed is not None and asked > least and asked[:fixed] == least[:fixed]


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{3,}", text.casefold()))
