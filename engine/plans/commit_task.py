"""The commit message of a plan as a task of a model: what its diff changes, in sentences that its lines hold (D30). A
model is asked while the plan is made, so that applying it waits for nobody, and the person who approves has read it."""

from collections.abc import Iterator, Sequence

import msgspec

from engine.models.model_task import ModelTask, TextModel, closed_schema
from engine.models.summary import NoteTick
from engine.models.summary_task import SENTENCES, Sentence, grounded_text, losses, numbered
from engine.plans.commit_text import FACT
from engine.plans.diff import FileDiff, RowKind
from engine.plans.plan import Plan

MOST_SENTENCES = 8  # sentences of a model in one commit message
MOST_PART_CHARACTERS, MOST_PARTS = 8_000, 4
"""Characters of changed lines that one question holds, and the questions of one plan: the rest is not told."""
_MARKS = {RowKind.ADDED: "+", RowKind.REMOVED: "−"}


class DiffText(msgspec.Struct, frozen=True):
    """A part of a diff: one line for each changed line, behind its file and its mark."""

    lines: tuple[str, ...]


class CommitSentences(msgspec.Struct, frozen=True):
    """The sentences about one part of a diff; empty where no model wrote any."""

    lines: tuple[str, ...] = ()
    remark: str = ""


class CommitAnswer(msgspec.Struct, frozen=True):
    """The answer about one part of a diff."""

    sentences: tuple[Sentence, ...]


class CommitTask(ModelTask[DiffText, CommitAnswer, CommitSentences]):
    """Asks for what a diff changes, in a sentence or two."""

    prompt_name = "commit"
    schema = closed_schema(sentences=SENTENCES)
    max_tokens = 400
    answer = CommitAnswer

    def __init__(self, most_ungrounded: float) -> None:
        """`most_ungrounded`: share of an answer's sentences that may be dropped before it is not used at all."""
        self._most = most_ungrounded

    def offline(self, items: Sequence[DiffText], tick: NoteTick) -> list[CommitSentences]:
        """Nothing: the reasons of the changes tell what a diff does."""
        tick(len(items), len(items))
        return [CommitSentences() for _ in items]

    def prompt(self, item: DiffText) -> str:
        """Gives the changed lines, numbered."""
        return numbered("diff", item.lines) if item.lines else ""

    def judged(self, item: DiffText, answer: CommitAnswer, by: str) -> CommitSentences:
        """Gives the sentences that their lines hold."""
        kept = [text for one in answer.sentences if (text := grounded_text(one, item.lines))]
        dropped = losses(len(answer.sentences), len(kept), self._most)
        return CommitSentences(tuple(kept), f"{by}: {dropped[0]}" if dropped else "")

    def marked(self, result: CommitSentences, why: str) -> CommitSentences:
        """No sentences, with the reason."""
        return msgspec.structs.replace(result, remark=f"message of the commit {why}")


def with_commit_text(
    plan: Plan, diffs: Sequence[FileDiff], model: TextModel, most_ungrounded: float, tick: NoteTick
) -> Plan:
    """Gives the plan with what a model says of its diff, or with the reason why it says nothing."""
    found = model.results(CommitTask(most_ungrounded), list(_parts(diffs)), tick)
    said = list(dict.fromkeys(line for part in found for line in part.lines))[:MOST_SENTENCES]
    remarks = tuple(dict.fromkeys(part.remark for part in found if part.remark))
    plan = msgspec.structs.replace(plan, warnings=(*plan.warnings, *remarks))
    if not said:
        return plan
    told = "\n".join(("The commit of the whole plan will say:", *(f"  - {line}" for line in said)))
    return msgspec.structs.replace(plan, facts=plan.facts | {FACT: said}, report=f"{plan.report.rstrip()}\n\n{told}\n")


def _parts(diffs: Sequence[FileDiff]) -> Iterator[DiffText]:
    """Gives the changed lines of a plan in parts; of very large diffs only the first ones."""
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
