"""Shows probes: how memory answers them now, and how it would after a waiting plan."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.context.probes.file import ProbeProblem
from engine.context.probes.probe import Probe, ProbeAnswer, ProbeChange
from tui.present.glyphs import HOLDS, HOLDS_NOT, PROBES, UNREADABLE, Sign
from tui.present.spans import Line, Span
from tui.present.words import noun, safe

NONE = "no probes: name questions in probes.yaml; memdeck probe --suggest 20 writes a beginning"
_MOST_FOUND = 3  # places of an answer that are named; the others are counted


def answer_sign(answer: ProbeAnswer) -> Sign:
    return UNREADABLE if answer.problem else HOLDS if answer.held else HOLDS_NOT


def expected_words(probe: Probe) -> str:
    """Returns `expects “zebra crossing” in search`, or `must not find …`."""
    wanted, text = ("expects", probe.expect) if probe.expect else ("must not find", probe.absent)
    return safe(f"{wanted} “{text}” in {probe.where.value}")


def found_words(answer: ProbeAnswer) -> str:
    """Names the places where the expected text was found, or says why the probe could not run."""
    if answer.problem:
        return safe(answer.problem)
    more = len(answer.found) - _MOST_FOUND
    listed = ", ".join(answer.found[:_MOST_FOUND])
    return safe(f"{listed} and {more} more" if more > 0 else listed)


def answers_words(answers: Sequence[ProbeAnswer]) -> str:
    """Returns `19 of 20 probes hold`."""
    held = sum(answer.held and not answer.problem for answer in answers)
    return f"{held} of {noun(len(answers), 'probe')} {'holds' if held == 1 else 'hold'}"


def problem_words(problem: ProbeProblem) -> str:
    return safe(f"{problem.where}: {problem.message}")


def probe_lines(
    answers: Sequence[ProbeAnswer], problems: Iterable[ProbeProblem], plans: Mapping[str, Sequence[Mapping[str, Any]]]
) -> tuple[Line, ...]:
    """Lists the probes as memory answers them now, then how each waiting plan changes the answers."""
    lines: list[Line] = [(Span(answers_words(answers) if answers else NONE, "title"),)]
    for answer in answers:
        lines.append((Span("  "), answer_sign(answer).mark, Span(f" {safe(answer.probe.question)}", "strong")))
        lines.append((Span(f"      {expected_words(answer.probe)}  ", "text"), Span(found_words(answer), "muted")))
    lines += [(Span("  ! ", "warn"), Span(problem_words(problem), "muted")) for problem in problems]
    for plan, facts in plans.items():
        lines += [(), *_plan_lines(plan, facts)]
    return tuple(lines)


def _plan_lines(plan: str, facts: Sequence[Mapping[str, Any]]) -> list[Line]:
    counts = Counter(str(fact["outcome"]) for fact in facts)
    said = ", ".join(f"{number} {outcome}" for outcome, number in counts.items())
    lines: list[Line] = [(Span(f"{safe(plan)}  ", "title"), Span(said, "muted"))]
    for fact in facts:
        sign = PROBES.get(str(fact["outcome"]), PROBES["unknown"])
        if sign.word != "kept":
            lines.append((Span("  "), sign.span, Span(f"  {safe(str(fact['question']))}", "text")))
    return lines


def answer_json(answer: ProbeAnswer) -> dict[str, Any]:
    return _probe_json(answer.probe) | {
        "held": None if answer.problem else answer.held,
        "found": list(answer.found),
        "problem": answer.problem or None,
    }


def change_json(change: ProbeChange) -> dict[str, Any]:
    sides = {name: answer_json(side) for name, side in (("before", change.before), ("after", change.after))}
    kept = {name: {key: side[key] for key in ("held", "found", "problem")} for name, side in sides.items()}
    return _probe_json(change.probe) | {"outcome": change.outcome.value} | kept


def _probe_json(probe: Probe) -> dict[str, Any]:
    return {
        "question": probe.question,
        "expect": probe.expect or None,
        "not": probe.absent or None,
        "where": probe.where.value,
        "source": probe.source,
        "own": probe.own,
    }
