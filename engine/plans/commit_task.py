"""Asks a model for a plan's commit message: what its diff changes, in sentences that its lines support (D30). It is
asked while the plan is made, so that applying does not wait and the operator can read it."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

from engine.models.model_task import ModelTask, TextModel, closed_schema
from engine.models.summary import NoteTick
from engine.models.summary_task import SENTENCES, Sentence, grounded_text, losses, numbered
from engine.plans.diff import FileDiff, RowKind
from engine.plans.plan import Change, Move, Plan
from engine.workspace.layout import CONVERSATIONS, IDENTITY_FILES

FACT = "commit"  # the key of the plan's facts under which a model's sentences about its diff are
SESSION = "Session: "
"""Begins a line that names a transcript and becomes a trailer; every other line of the body is a bullet."""
MOST_LINES = 20  # lines of a commit message's body, and transcripts among its trailers


class CommitType(StrEnum):
    """The first word of a message (autopoiesis §3.2). `explore` is for commits of a branch, never for a plan's."""

    CONVERSATION = "conversation"
    MEMORY = "memory"
    IDENTITY = "identity"
    MAINTENANCE = "maintenance"
    EXTRACT = "extract"


def commit_message(plan: Plan, numbers: Sequence[int]) -> str:
    """Gives subject, body and sessions for some changes of a plan; a model's sentences only for all changes."""
    said = plan.facts.get(FACT) if len(numbers) == len(plan.changes) else None
    body = [str(line) for line in said] if isinstance(said, list) else list(_reasons(plan, set(numbers)))
    lines = [f"- {' '.join(line.split())}" for line in body]
    sessions = [f"{SESSION}{path}" for path in _sessions(plan, set(numbers))]
    return "\n".join((subject(plan, numbers), "", *lines, *sessions))


def conversation_subject(path: str) -> str:
    name = path.rpartition("/")[2].removesuffix(".md")
    return f"{CommitType.CONVERSATION}: {name.split('-', 2)[-1]}"


def subject(plan: Plan, numbers: Sequence[int]) -> str:
    """Gives the first line of an apply's commit: `maintenance: compact, 1 change (manual)` (decisions D22, D51)."""
    count = "1 change" if len(numbers) == 1 else f"{len(numbers)} changes"
    chosen = [change for change in plan.changes if change.n in set(numbers)]
    return f"{commit_type(chosen)}: {plan.system}, {count} ({plan.trigger})"


def commit_type(changes: Sequence[Change]) -> CommitType:
    """Gives the type by the changes' paths and their sources; mixed changes are `maintenance` (D51)."""
    types = {_type(change) for change in changes}
    return types.pop() if len(types) == 1 else CommitType.MAINTENANCE


def _type(change: Change) -> CommitType:
    if isinstance(change, Move):
        return CommitType.MAINTENANCE
    extracted = change.sources and all(source.path.startswith(f"{CONVERSATIONS}/") for source in change.sources)
    if extracted and not change.path.startswith(("archive/", "memory/", f"{CONVERSATIONS}/")):
        return CommitType.EXTRACT
    return type_of_path(change.path)


def type_of_path(path: str) -> CommitType:
    if path.startswith(f"{CONVERSATIONS}/"):
        return CommitType.CONVERSATION
    if path in IDENTITY_FILES or path.startswith("knowledge/identity/"):
        return CommitType.IDENTITY
    return CommitType.MEMORY if path.startswith(("knowledge/", "topics/")) else CommitType.MAINTENANCE


def _sessions(plan: Plan, numbers: set[int]) -> list[str]:
    """Gives the transcripts that the chosen changes come from or write, at most as many as the body has lines."""
    transcripts: dict[str, None] = {}
    for change in plan.changes:
        if change.n in numbers:
            paths = [change.path, *(span.path for span in change.sources)]
            transcripts |= dict.fromkeys(path for path in paths if path.startswith(f"{CONVERSATIONS}/"))
    return [path for path in transcripts if path.isprintable()][:MOST_LINES]


def _reasons(plan: Plan, numbers: set[int]) -> Iterator[str]:
    chosen = [change for change in plan.changes if change.n in numbers]
    for change in chosen[:MOST_LINES]:
        to = f" → {change.to}" if isinstance(change, Move) else ""
        yield f"{change.path}{to}: {change.reason}"
    if len(chosen) > MOST_LINES:
        yield f"and {len(chosen) - MOST_LINES:,} more"


MOST_SENTENCES = 8  # sentences of a model in one commit message
MOST_PART_CHARACTERS, MOST_PARTS = 8_000, 4
"""The characters of changed lines in one question, and the most questions for one plan."""
_MARKS = {RowKind.ADDED: "+", RowKind.REMOVED: "−"}


class DiffText(msgspec.Struct, frozen=True):
    """A part of a diff: each changed line after its file and its mark."""

    lines: tuple[str, ...]


class CommitSentences(msgspec.Struct, frozen=True):
    """The sentences about one part of a diff; empty where no model wrote any."""

    lines: tuple[str, ...] = ()
    remark: str = ""


class CommitAnswer(msgspec.Struct, frozen=True):
    """A model's answer about one part of a diff."""

    sentences: tuple[Sentence, ...]


class CommitTask(ModelTask[DiffText, CommitAnswer, CommitSentences]):
    """Asks what a diff changes, in a sentence or two."""

    prompt_name = "commit"
    schema = closed_schema(sentences=SENTENCES)
    max_tokens = 400
    answer = CommitAnswer

    def __init__(self, most_ungrounded: float) -> None:
        """Takes `most_ungrounded`: the share of an answer's sentences that may be dropped; above it all are."""
        self._most = most_ungrounded

    def offline(self, items: Sequence[DiffText], tick: NoteTick) -> list[CommitSentences]:
        """Gives no sentences: the changes' reasons already tell what a diff does."""
        tick(len(items), len(items))
        return [CommitSentences() for _ in items]

    def prompt(self, item: DiffText) -> str:
        return numbered("diff", item.lines) if item.lines else ""

    def judged(self, item: DiffText, answer: CommitAnswer, by: str) -> CommitSentences:
        """Gives the sentences that the diff's lines support."""
        kept = [text for sentence in answer.sentences if (text := grounded_text(sentence, item.lines))]
        dropped = losses(len(answer.sentences), len(kept), self._most)
        return CommitSentences(tuple(kept), f"{by}: {dropped[0]}" if dropped else "")

    def marked(self, result: CommitSentences, why: str) -> CommitSentences:
        return msgspec.structs.replace(result, remark=f"message of the commit {why}")


def with_commit_text(
    plan: Plan, diffs: Sequence[FileDiff], model: TextModel, most_ungrounded: float, tick: NoteTick
) -> Plan:
    """Gives the plan with a model's sentences about its diff, or with the reason why there are none."""
    found = model.results(CommitTask(most_ungrounded), list(_parts(diffs)), tick)
    said = list(dict.fromkeys(line for part in found for line in part.lines))[:MOST_SENTENCES]
    remarks = tuple(dict.fromkeys(part.remark for part in found if part.remark))
    plan = msgspec.structs.replace(plan, warnings=(*plan.warnings, *remarks))
    if not said:
        return plan
    told = "\n".join(("The commit of the whole plan will say:", *(f"  - {line}" for line in said)))
    return msgspec.structs.replace(plan, facts=plan.facts | {FACT: said}, report=f"{plan.report.rstrip()}\n\n{told}\n")


def _parts(diffs: Sequence[FileDiff]) -> Iterator[DiffText]:
    """Yields the changed lines of a plan in parts; of a very large diff only the first."""
    part: list[str] = []
    size = made = 0
    changed = ((diff.path, row) for diff in diffs for row in diff.rows if row.kind in _MARKS and row.text.strip())
    for path, row in changed:
        line = f"{path} {_MARKS[row.kind]} {' '.join(row.text.split())[:MOST_PART_CHARACTERS]}"
        if part and size + len(line) > MOST_PART_CHARACTERS:
            yield DiffText(tuple(part))
            part, size, made = [], 0, made + 1
            if made == MOST_PARTS:
                return
        part.append(line)
        size += len(line)
    if part:
        yield DiffText(tuple(part))
