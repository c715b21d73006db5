"""Reads `probes.yaml`: the operator's, or one in the workspace, of which nothing is believed (decision G13)."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine.context.probes.probe import Probe, ProbePlace
from engine.text.limited_yaml import YamlProblem, load
from engine.text.secrets.detector import redact

NAME = "probes.yaml"
MOST_BYTES = 256 * 1024
"""Bytes of a file of probes; a larger one is refused whole."""
MOST = 200
"""Probes of one file that are asked: each costs a search before and after every plan."""
LONGEST = 500
"""Characters of a question, and of the text that is expected."""
_KEYS = ("question", "expect", "not", "where", "workspace")


class ProbeProblem(msgspec.Struct, frozen=True):
    """A probe that is not asked, and the reason."""

    where: str
    message: str


class ReadProbes(msgspec.Struct, frozen=True):
    """The probes of a file, and what is wrong with the others."""

    probes: tuple[Probe, ...] = ()
    problems: tuple[ProbeProblem, ...] = ()

    def with_those_of(self, other: "ReadProbes") -> "ReadProbes":
        """Both together."""
        return ReadProbes((*self.probes, *other.probes), (*self.problems, *other.problems))

    def with_problem(self, where: str, message: str) -> "ReadProbes":
        return ReadProbes(self.probes, (*self.problems, ProbeProblem(where, message)))


def read_probes(data: bytes, name: str, workspace: str, *, own: bool) -> ReadProbes:
    """Reads the probes for the folder `workspace`; a bad one is left out and named, the others are asked."""
    if len(data) > MOST_BYTES:
        return _unread(name, f"it is larger than {MOST_BYTES // 1024} KB")
    try:
        value = load(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _unread(name, "it is not UTF-8")
    except YamlProblem as problem:
        return _unread(f"{name}:{problem.line}", problem.reason)
    listed = value.get("probes", "") if isinstance(value, dict) else value
    if listed == "":
        return ReadProbes()
    if not isinstance(listed, list):
        return _unread(name, "`probes:` must be a list")
    read = list(_each(listed, name, workspace, own=own))
    probes = [one for one in read if isinstance(one, Probe)]
    problems = [one for one in read if isinstance(one, ProbeProblem)]
    if len(probes) > MOST:
        problems.append(ProbeProblem(name, f"{len(probes) - MOST} probes after the first {MOST} are not asked"))
    return ReadProbes(tuple(probes[:MOST]), tuple(problems))


def _unread(where: str, message: str) -> ReadProbes:
    return ReadProbes().with_problem(where, message)


def _each(listed: list[Any], name: str, workspace: str, *, own: bool) -> Iterator[Probe | ProbeProblem]:
    for number, item in enumerate(listed, 1):
        where = f"{name} #{number}"
        fault = _fault(item)
        if fault:
            yield ProbeProblem(where, fault)
        elif item.get("workspace", workspace).rstrip("/") == workspace:
            yield Probe(
                question=item["question"].strip(),
                expect=item.get("expect", "").strip(),
                absent=item.get("not", "").strip(),
                where=ProbePlace(item.get("where", ProbePlace.SEARCH.value)),
                source=where,
                own=own,
            )


def _fault(item: Any) -> str:
    """Says what is wrong with an item; empty where nothing is."""
    if not isinstance(item, Mapping):
        return "it must have a `question:`"
    unknown = [key for key in item if key not in _KEYS]
    if unknown:
        return f"unknown key `{redact(str(unknown[0]))[:60]}`; there are {', '.join(_KEYS)}"
    if not all(isinstance(value, str) for value in item.values()):
        return "each value must be a text"
    if not item.get("question", "").strip():
        return "it has no `question:`"
    if bool(item.get("expect", "").strip()) == bool(item.get("not", "").strip()):
        return "it needs one of `expect:` and `not:`"
    if any(len(item.get(key, "")) > LONGEST for key in ("question", "expect", "not")):
        return f"it is longer than {LONGEST} characters"
    if item.get("where", ProbePlace.SEARCH.value) not in list(ProbePlace):
        return f"`where:` is one of {', '.join(ProbePlace)}"
    return ""
