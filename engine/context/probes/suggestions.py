"""Suggests probes from what memory holds: a telling line of a note, and the question that its heading makes of it."""

from collections.abc import Iterable, Iterator

from engine.context.probes.file import LONGEST
from engine.context.probes.probe import Probe
from engine.text.document import Document
from engine.text.markdown import code_mask, heading_of
from engine.text.secrets.detector import find_secrets

MOST_WORDS = 12
"""Words of a line that are expected: a longer text is seldom found again word for word."""
FEWEST_WORDS = 4
"""A shorter line tells too little to be asked for."""
_ASKED = 6
"""Words of the line that the question names."""
_BULLET = "-*+ \t"

Statement = tuple[str, str]
"""A heading or title, and a line below it."""


def statements(data: bytes) -> Iterator[Statement]:
    """Yields the lines of a note that say something, each with the heading above it; code is passed over."""
    heading = ""
    lines = Document.from_bytes(data).body.splitlines()
    for line, is_code in zip(lines, code_mask(lines), strict=True):
        found = None if is_code else heading_of(line)
        if found is not None:
            heading = found.text
        elif not is_code and not line.lstrip().startswith(("<!--", "|", ">")):
            yield heading, line.strip().lstrip(_BULLET)


def suggestions(notes: Iterable[Iterable[Statement]]) -> Iterator[Probe]:
    """Yields probes, one of each note in turn, each expected text once."""
    waiting = [_probes(note) for note in notes]
    seen: set[str] = set()
    while waiting:
        further = []
        for probes in waiting:
            probe = next(probes, None)
            if probe is not None:
                further.append(probes)
                if probe.expect.casefold() not in seen:
                    seen.add(probe.expect.casefold())
                    yield probe
        waiting = further


def _probes(note: Iterable[Statement]) -> Iterator[Probe]:
    for heading, line in note:
        told = line.split()
        question = " ".join(f"{heading.rstrip('?:')}: {' '.join(told[:_ASKED])}?".split())
        expected = " ".join(told[:MOST_WORDS])
        fits = len(question) <= LONGEST and len(expected) <= LONGEST
        if heading and len(told) >= FEWEST_WORDS and fits and not find_secrets(f"{question}\n{expected}"):
            yield Probe(question=question, expect=expected)


def yaml_of(probes: Iterable[Probe]) -> str:
    """The probes as they stand in `probes.yaml`."""
    import yaml

    items = [{"question": one.question, "expect": one.expect, "where": one.where.value} for one in probes]
    return str(yaml.safe_dump({"probes": items}, allow_unicode=True, sort_keys=False, width=110))
