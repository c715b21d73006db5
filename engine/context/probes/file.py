"""Reads `probes.yaml`, which is untrusted (decision G13), and suggests probes from notes."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from engine.context.probes.probe import Probe, ProbePlace
from engine.text.document import Document
from engine.text.limited_yaml import YamlProblem, load
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import find_secrets, redact

NAME = "probes.yaml"
MOST_BYTES = 256 * 1024  # bytes of a file of probes; a larger one is refused whole
MOST = 200  # probes of one file that are asked: each costs a search before and after every plan
LONGEST = 500  # characters of a question, and of the text that is expected
_KEYS = ("question", "expect", "not", "where", "workspace")


class ProbeProblem(msgspec.Struct, frozen=True):
    """An invalid probe and the reason."""

    where: str
    message: str


class ReadProbes(msgspec.Struct, frozen=True):
    """The valid probes of a file, and the problems of the others."""

    probes: tuple[Probe, ...] = ()
    problems: tuple[ProbeProblem, ...] = ()

    def with_problem(self, where: str, message: str) -> "ReadProbes":
        return ReadProbes(self.probes, (*self.problems, ProbeProblem(where, message)))


def read_probes(data: bytes, name: str, workspace: str, *, own: bool) -> ReadProbes:
    """Reads the probes for the folder `workspace`; an invalid one becomes a problem, the others are asked."""
    if len(data) > MOST_BYTES:
        return ReadProbes().with_problem(name, f"it is larger than {MOST_BYTES // 1024} KB")
    try:
        value = load(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return ReadProbes().with_problem(name, "it is not UTF-8")
    except YamlProblem as problem:
        return ReadProbes().with_problem(f"{name}:{problem.line}", problem.reason)
    listed = value.get("probes", "") if isinstance(value, dict) else value
    if listed == "":
        return ReadProbes()
    if not isinstance(listed, list):
        return ReadProbes().with_problem(name, "`probes:` must be a list")
    read = list(_each(listed, name, workspace, own=own))
    probes = [item for item in read if isinstance(item, Probe)]
    problems = [item for item in read if isinstance(item, ProbeProblem)]
    if len(probes) > MOST:
        problems.append(ProbeProblem(name, f"{len(probes) - MOST} probes after the first {MOST} are not asked"))
    return ReadProbes(tuple(probes[:MOST]), tuple(problems))


def _each(listed: list[Any], name: str, workspace: str, *, own: bool) -> Iterator[Probe | ProbeProblem]:
    for number, item in enumerate(listed, 1):
        where = f"{name} #{number}"
        if fault := _fault(item):
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
    if not isinstance(item, Mapping):
        return "it must have a `question:`"
    if unknown := [key for key in item if key not in _KEYS]:
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


MOST_WORDS = 12  # words of a line that are expected: a longer text is seldom found again word for word
FEWEST_WORDS = 4  # a shorter line tells too little to be asked for
_ASKED = 6  # words of the line that the question names
_BULLET = "-*+ \t"

Statement = tuple[str, str]  # a heading or title, and a line below it


def statements(data: bytes) -> Iterator[Statement]:
    """Yields the significant lines of a note outside code, each with its heading."""
    heading = ""
    lines = Document.from_bytes(data).body.splitlines()
    for line, is_code in zip(lines, code_mask(lines), strict=True):
        found = None if is_code else heading_of(line)
        if found is not None:
            heading = found.text
        elif not is_code and not line.lstrip().startswith(("<!--", "|", ">")):
            yield heading, line.strip().lstrip(_BULLET)


def suggestions(notes: Iterable[Iterable[Statement]]) -> Iterator[Probe]:
    """Yields suggested probes, one from each note in turn, without repeated expected texts."""
    waiting = deque(_probes(note) for note in notes)
    seen: set[str] = set()
    while waiting:
        # A note is read no sooner than its turn comes: a caller may want ten probes of ten thousand notes.
        if (probe := next(waiting[0], None)) is None:
            waiting.popleft()
            continue
        waiting.rotate(-1)
        if probe.expect.casefold() not in seen:
            seen.add(probe.expect.casefold())
            yield probe


def _probes(note: Iterable[Statement]) -> Iterator[Probe]:
    for heading, line in note:
        told = line.split()
        question = " ".join(f"{heading.rstrip('?:')}: {' '.join(told[:_ASKED])}?".split())
        expected = " ".join(told[:MOST_WORDS])
        fits = len(question) <= LONGEST and len(expected) <= LONGEST
        if heading and len(told) >= FEWEST_WORDS and fits and not find_secrets(f"{question}\n{expected}"):
            yield Probe(question=question, expect=expected)


def yaml_of(probes: Iterable[Probe]) -> str:
    """Writes probes as `probes.yaml` has them."""
    import yaml

    items = [{"question": probe.question, "expect": probe.expect, "where": probe.where.value} for probe in probes]
    return str(yaml.safe_dump({"probes": items}, allow_unicode=True, sort_keys=False, width=110))
