"""The checks a tree's plan has passed, shown beside it (tree §Guards)."""

from collections.abc import Collection, Sequence

from engine.plans.plan import Change, Create, QualityGate, Replace
from engine.text.document import Document
from engine.text.frontmatter import read_frontmatter
from engine.text.secrets.detector import find_secrets
from engine.tree.cycle.report import TreeRun
from engine.tree.levels import LEVELS, node_path, node_place
from engine.tree.survey.survey import Survey
from engine.tree.survey.transitions import Action
from engine.workspace.layout import is_raw_log


def gates(survey: Survey, changes: Sequence[Change], run: TreeRun, unread: Collection[str]) -> tuple[QualityGate, ...]:
    """Raw logs untouched, nothing empty, no secret, supplements only add, every day accounted for. `unread` are nodes
    whose logs could not be read as the snapshot has them, which the plan names: the next cycle's."""
    written = [change for change in changes if isinstance(change, Create | Replace)]
    empty = [
        one.path for one in written if not one.content.encode()[read_frontmatter(one.content.encode()).end :].strip()
    ]
    ours = [one for one in written if node_place(one.path) is not None]
    secret = [f"{one.path}: {found}" for one in ours for found in find_secrets(one.content)[:1]]
    raw = [one.path for one in changes if is_raw_log(one.path)]
    lost = [path for path in _lost(survey, run) if path not in unread]
    cut = _cut(survey, written, run)
    return (
        _gate("raw_untouched", raw, "no raw log is written, moved or removed"),
        _gate("not_empty", empty, "every node has a body"),
        _gate("no_secrets", secret, "no node holds a secret"),
        _gate("supplements_only_add", cut, "the body of a fixed node stays as it was"),
        _gate("coverage", lost, "every readable log is in its day, or waits, named"),
    )


def _gate(name: str, failed: Sequence[str], fine: str) -> QualityGate:
    return QualityGate(name, not failed, ", ".join(failed[:3]) if failed else fine)


def _lost(survey: Survey, run: TreeRun) -> list[str]:
    """Days with a readable log that have no node, neither now nor after this plan, and do not wait."""
    waiting = {*run.waiting, *run.held_back}
    level = LEVELS[0]
    paths = ((node_path(level, period), period) for period in survey.tree_files.periods[level])
    return [path for path, day in paths if survey.held(path) is None and survey.raws(day) and path not in waiting]


def _cut(survey: Survey, written: Sequence[Create | Replace], run: TreeRun) -> list[str]:
    """Supplemented nodes whose old body is not the beginning of the new one."""
    numbers = {outcome.n for outcome in run.outcomes if outcome.action is Action.SUPPLEMENT}
    failed = []
    for change in written:
        if change.n in numbers and node_place(change.path) is not None:
            old = Document.from_bytes(survey.snapshot.content(change.path)).body.rstrip("\n")
            if not Document.from_bytes(change.content.encode()).body.startswith(old):
                failed.append(change.path)
    return failed
