"""Defines a probe, its answer, and how a plan changes the answer."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum

import msgspec

from engine.plans.annotation import ProbeNote


class ProbePlace(StrEnum):
    """The place where the answer must be found."""

    SEARCH = "search"  # in one of the first files that search finds
    PROMPT = "prompt"  # in the prompt that is compiled for the question in a main session, without history
    TREE = "tree"  # in ROOT, or in a month, week or day that drilling for the question goes through


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """A question, and a text that memory must return (`expect`) or must not (`absent`). `own`: the operator's."""

    question: str
    expect: str = ""
    absent: str = ""
    where: ProbePlace = ProbePlace.SEARCH
    source: str = ""
    own: bool = False

    def without_secrets(self) -> "Probe":
        """Returns the probe as plans and reports show it; the original is asked."""
        from engine.text.derived import redacted_lines

        texts = redacted_lines([" ".join(text.split()) for text in (self.question, self.expect, self.absent)])
        return msgspec.structs.replace(self, question=texts[0], expect=texts[1], absent=texts[2])


class ProbeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a probe. `found`: places of the text; `problem`: why it could not be asked."""

    probe: Probe
    held: bool
    found: tuple[str, ...] = ()
    problem: str = ""


class ProbeOutcome(StrEnum):
    """The change of a probe's answer: it held before and after a plan, only before, only after, or never."""

    KEPT = "kept"
    LOST = "lost"
    GAINED = "gained"
    UNMET = "unmet"
    UNKNOWN = "unknown"  # it could not be asked before or after


class ProbeChange(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to one probe before and after a plan."""

    before: ProbeAnswer
    after: ProbeAnswer

    @property
    def probe(self) -> Probe:
        return self.after.probe

    @property
    def outcome(self) -> ProbeOutcome:
        if self.before.problem or self.after.problem:
            return ProbeOutcome.UNKNOWN
        if self.before.held:
            return ProbeOutcome.KEPT if self.after.held else ProbeOutcome.LOST
        return ProbeOutcome.GAINED if self.after.held else ProbeOutcome.UNMET


def judged(probe: Probe, texts: Iterable[tuple[str, str]]) -> ProbeAnswer:
    """Looks for a probe's text in named texts; ignores case and white space."""
    wanted = plain(probe.expect or probe.absent)
    found = tuple(name for name, text in texts if wanted in plain(text))
    return ProbeAnswer(probe=probe, held=bool(found) if probe.expect else not found, found=found)


def plain(text: str) -> str:
    """Returns the text case folded, with single spaces."""
    return " ".join(text.casefold().split())


_SHORT = 80  # characters of a question in a warning
_BLOCKING = (ProbeOutcome.LOST, ProbeOutcome.UNKNOWN)
"""Outcomes that block: a probe that could not be asked may be lost."""


def probe_note(changes: Sequence[ProbeChange], *, block: bool) -> ProbeNote:
    """Notes the outcomes on a plan. `block`: losing the operator's own probe fails the check; others never do."""
    blocking = [change for change in changes if change.probe.own and change.outcome in _BLOCKING]
    return ProbeNote(
        passed=not (block and blocking),
        detail=outcome_counts(changes),
        warnings=tuple(_warnings(changes)),
        facts=tuple(_fact(change) for change in changes),
    )


def outcome_counts(changes: Sequence[ProbeChange]) -> str:
    """Returns `12 kept, 1 lost, 1 gained`."""
    counts = Counter(change.outcome for change in changes)
    return ", ".join(f"{counts[outcome]} {outcome.value}" for outcome in ProbeOutcome if counts[outcome])


def _warnings(changes: Sequence[ProbeChange]) -> Iterator[str]:
    for change in changes:
        question = change.probe.question
        short = question if len(question) <= _SHORT else f"{question[: _SHORT - 1]}…"
        if change.outcome is ProbeOutcome.LOST:
            yield f"lost: {short!r} in {change.probe.where.value}, {change.probe.source}"
        elif change.outcome is ProbeOutcome.UNKNOWN:
            yield f"not asked: {short!r}: {change.after.problem or change.before.problem}"


def _fact(change: ProbeChange) -> dict[str, str]:
    probe = change.probe
    return {
        "outcome": change.outcome.value,
        "question": probe.question,
        "expect": probe.expect,
        "not": probe.absent,
        "where": probe.where.value,
        "source": probe.source,
    }
