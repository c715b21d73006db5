"""Plans the tuning of topic files: the edits, with precision and recall before and after (autopoiesis §5.5)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine.errors import MemdeckError
from engine.plans.plan import Create, Plan, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.document import Document
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact
from engine.topics.decision_log import LogEntry, UsefulnessJudgement
from engine.topics.files.exemplars import exemplars_path
from engine.topics.files.topic_file import is_topic_path, read_topic
from engine.topics.matcher import Matching
from engine.topics.topic import Topic
from engine.tuning.figures import MatcherFor, TopicFigures, Trials
from engine.tuning.proposals import LEAST_NO, LEAST_SAMPLES, Proposal, TopicContent, propose
from engine.tuning.questions import JudgementQuestion, questions, samples_by_topic
from engine.workspace.snapshot import Snapshot

SYSTEM = "tune"
FEW = 20  # judgements below which the figures are called few
_EVERYDAY = 2_000  # messages of the log, the newest: a word that is common among them is no trigger
_NAMED = 40  # characters of a message in the reason for no plan
_SHOWN = 120  # characters of a message in the report

MatcherOf = Callable[[Sequence[Topic]], Matching]


class Log(msgspec.Struct, frozen=True):
    """The operator's log of decisions: the judged messages, their judgements, and recent messages to compare with."""

    judged: tuple[LogEntry, ...] = ()
    judgements: tuple[UsefulnessJudgement, ...] = ()
    recent: tuple[LogEntry, ...] = ()


def plan_tuning(planning: Planning, *, log: Log, matcher_of: MatcherOf) -> PlanOutcome:
    """Plans the edits of topic files that the judged messages suggest, or says why there are none."""
    topics = dict(_topics(planning.snapshot))
    samples = samples_by_topic(log.judged, log.judgements)
    everyday = [entry.text for entry in log.recent[-_EVERYDAY:]]
    proposals: list[Proposal] = []
    asked: list[JudgementQuestion] = []
    wanted = [name for name in samples if name in topics]
    for name in planning.steps(wanted, "topics"):
        topic, content = topics[name]
        # With all other topics beside it, as messages meet them.
        trials = Trials(_among([other for other, _ in topics.values() if other.id != name], matcher_of), planning.now)
        proposal = propose(topic, content, samples[name], everyday, trials)
        if proposal is not None:
            proposals.append(proposal)
        # Without enough wrong activations the gate never opens wider: ask for judgements.
        if sum(not sample.useful for sample in samples[name]) < LEAST_NO:
            known = {judgement.message for judgement in log.judgements if judgement.topic == name}
            asked += questions(topic, log.recent, known, trials.matcher_for(topic), planning.now)
    counts = {name: len(samples[name]) for name in wanted}
    report = redact("\n".join(map(visible_line, _report(proposals, counts, asked))) + "\n", keep_lines=True)
    facts = _facts(proposals, counts, asked)
    if not proposals:
        return PlanOutcome(plan=None, reason_no_action=_why_nothing(counts, asked), report=report, facts=facts)
    return PlanOutcome(plan=_plan(planning, proposals, report, counts, facts), report=report)


def _among(others: Sequence[Topic], matcher_of: MatcherOf) -> MatcherFor:
    return lambda topic: matcher_of([*others, topic])


def _topics(snapshot: Snapshot) -> Iterator[tuple[str, tuple[Topic, TopicContent]]]:
    for path in snapshot.files:
        if is_topic_path(path):
            try:
                beside = exemplars_path(path)
                content = TopicContent(
                    snapshot.content(path), snapshot.content(beside) if beside in snapshot.files else b""
                )
            except MemdeckError:
                continue
            topic = read_topic(path, content.data, content.exemplars).topic
            if topic is not None:
                yield topic.id, (topic, content)


def _plan(
    planning: Planning, proposals: Sequence[Proposal], report: str, counts: Mapping[str, int], facts: dict[str, Any]
) -> Plan:
    draft = Draft(planning)
    for proposal in proposals:
        _add_changes(draft, planning.snapshot, proposal, counts[proposal.topic])
    return draft.finish(SYSTEM, "judgements", gates=_gates(planning.snapshot, proposals), report=report, facts=facts)


def _add_changes(draft: Draft, snapshot: Snapshot, proposal: Proposal, count: int) -> None:
    """Adds the changes of the topic's file and of its exemplars' file."""
    few = (f"only {count} judged messages stand behind it",) if count < FEW else ()
    exemplars = exemplars_path(proposal.path)
    for path, data in ((proposal.path, proposal.content.data), (exemplars, proposal.content.exemplars)):
        if (snapshot.content(path) if path in snapshot.files else b"") == data:
            continue
        steps = "; ".join(step.what for step in proposal.steps if step.is_of_exemplars is (path == exemplars))
        reason = f"{steps}: {_arrow(proposal.before, proposal.after)}"
        kind, warnings = Replace if path in snapshot.files else Create, (*few, proposal.expected.words)
        # It changes when an agent is told what a person wrote: the strictest tier (decisions §Risk tiers).
        draft.write(kind, path, data.decode("utf-8"), reason, RiskTier.C, warnings=warnings)


def _gates(snapshot: Snapshot, proposals: Sequence[Proposal]) -> Iterator[QualityGate]:
    changed = [one.path for one in proposals if _body(snapshot.content(one.path)) != _body(one.content.data)]
    yield QualityGate("body_untouched", not changed, ", ".join(changed) or "below the frontmatter every byte stays")
    bad = [one.path for one in proposals if read_topic(one.path, one.content.data, one.content.exemplars).topic is None]
    yield QualityGate("readable", not bad, ", ".join(bad) or "every topic is read without an error afterwards")
    worse = [proposal.topic for proposal in proposals if proposal.expected.after.worth < proposal.expected.before.worth]
    yield QualityGate("not_worse", not worse, ", ".join(worse) or "no topic decides worse on held-back judgements")


def _body(data: bytes) -> bytes:
    return data[Document.from_bytes(data).frontmatter.end :]


def _report(
    proposals: Sequence[Proposal], counts: Mapping[str, int], asked: Sequence[JudgementQuestion]
) -> Iterator[str]:
    yield (
        "🎯 Tuning of topics (dry run: nothing is written until it is approved)" if proposals else "🎯 Tuning of topics"
    )
    for proposal in proposals:
        yield f"   {proposal.topic}: {counts[proposal.topic]} judged messages"
        for step in proposal.steps:
            yield f"      {step.what}: {_arrow(step.before, step.after)}"
        yield f"      {proposal.expected.words}"
    for name in sorted(set(counts) - {one.topic for one in proposals}):
        enough = "nothing decides better" if counts[name] >= LEAST_SAMPLES else "too few to tell"
        yield f"   {name}: {counts[name]} judged messages, {enough}"
    yield from _asking(asked)


def _asking(asked: Sequence[JudgementQuestion]) -> Iterator[str]:
    """Yields the messages that are worth a judgement, with the command for it."""
    for name in dict.fromkeys(question.topic for question in asked):
        yield f"   {name}: fewer than {LEAST_NO} messages judged as not useful; the topic gate opens no wider."
        yield "   These would tell most (n and y on the Topics screen, or this command):"
        for question in asked:
            if question.topic == name:
                yield f"      memdeck topics tune --judge {question.message} {name} yes|no|unsure"
                yield f"         {'activated it' if question.woke else 'did not'}: {question.text[:_SHOWN]}"


def _why_nothing(counts: Mapping[str, int], asked: Sequence[JudgementQuestion]) -> str:
    if not counts:
        return "no decision was judged yet: mark some as useful or not on the Topics screen"
    if max(counts.values()) < LEAST_SAMPLES:
        return f"too few judgements: {LEAST_SAMPLES} of one topic are the least"
    reason = "no change of a threshold, a pattern or a bypass decides better on what was judged"
    texts = [f"“{visible_line(redact(one.text))[:_NAMED]}”" for one in asked[:3]]
    return f"{reason}; judge these first, for {asked[0].topic}: {', '.join(texts)}" if asked else reason


def _arrow(before: TopicFigures, after: TopicFigures) -> str:
    calls = f", topic gate calls {before.gate_calls} → {after.gate_calls}"
    arrow = f"precision {_percent(before.precision)} → {_percent(after.precision)} %,"
    arrow += f" recall {_percent(before.recall)} → {_percent(after.recall)} %"
    return arrow + calls if before.gate_calls or after.gate_calls else arrow


def _percent(share: float | None) -> str:
    return "—" if share is None else f"{100 * share:.0f}"


def _facts(
    proposals: Sequence[Proposal], counts: Mapping[str, int], asked: Sequence[JudgementQuestion]
) -> dict[str, Any]:
    """Gives the figures for JSON, shares as text, because a plan's digest takes no float."""
    return {
        "judged": dict(counts),
        "proposals": [
            {
                "topic": proposal.topic,
                "edits": [step.what for step in proposal.steps],
                **_both(proposal.before, proposal.after),
                "held_back": {
                    **_both(proposal.expected.before, proposal.expected.after),
                    "change": proposal.expected.change,
                    "interval": [proposal.expected.low, proposal.expected.high],
                },
            }
            for proposal in proposals
        ],
        "worth_judging": [
            {"message": one.message, "topic": one.topic, "text": redact(one.text[:_SHOWN]), "woke": one.woke}
            for one in asked
        ],
    }


def _both(before: TopicFigures, after: TopicFigures) -> dict[str, Any]:
    return {"before": _figures(before), "after": _figures(after)}


def _figures(of: TopicFigures) -> dict[str, Any]:
    shares = {"precision": of.precision, "recall": of.recall}
    texts = {name: None if share is None else f"{share:.3f}" for name, share in shares.items()}
    return msgspec.structs.asdict(of) | texts
