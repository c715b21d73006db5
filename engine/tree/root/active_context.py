"""ROOT's Active Context: open tasks, then what the nodes of the last days say (tree §Step 5)."""

from collections import Counter
from collections.abc import Collection, Iterable

from engine.models.cleaning import point_text
from engine.text.derived import derived_line
from engine.tree.nodes.node_sections import SummaryLine
from engine.tree.nodes.phrases import telegram
from engine.tree.nodes.restated import Told
from engine.tree.nodes.worth import PhraseWeights, Said
from engine.tree.root.lines import fact_label
from engine.tree.root.sources import RootSources
from engine.tree.survey.status import WORKING
from engine.tree.topic_headings import KEPT_WHOLE
from engine.workspace.values import LineSpan

ACTIVE_DAYS = 7
"""Days back, today included, whose nodes fill Active Context."""
ACTIVE_WORDS = 20
"""Words of a phrase of the last days."""
UNTITLED_AT_ONCE = 6
"""Phrases without a topic that stand beside the first one of every topic, and again beside the second."""
MOST_RECENT = 200
"""Phrases of the recent days that Active Context chooses from."""


def active_lines(sources: RootSources, over: Collection[str], weights: PhraseWeights) -> Iterable[SummaryLine]:
    """Lists what is in progress: open tasks, then what matters most of the last days, each topic's best first.

    `over`: keys of the topics that are over.
    """
    yield from _open_tasks(sources)
    yield from _recent(sources, over, weights)


def _open_tasks(sources: RootSources) -> Iterable[SummaryLine]:
    for task in sources.tasks:
        if not task.over:
            goal = f": {task.goal}" if task.goal else ""
            yield SummaryLine(f"- {task.name}{goal} (in progress)", (LineSpan(WORKING, task.line, task.line),))


def _recent(sources: RootSources, over: Collection[str], weights: PhraseWeights) -> Iterable[SummaryLine]:
    """Phrases of the last days, decisions before requests; of what is over only how it ended."""
    recent = [
        entry
        for path in sources.recent_days(ACTIVE_DAYS)
        for entry in sources.entries(path)
        if entry.type not in KEPT_WHOLE
    ]
    said = [
        one
        for one in weights.said(recent, ACTIVE_WORDS)
        if one.entry.key not in over or not one.entry.topic or one.entry.done
    ]
    said.sort(key=lambda one: (-one.weight, -one.entry.day.toordinal(), one.fact.span, one.text))
    told: Counter[str] = Counter()
    ranked: list[tuple[int, int, Said]] = []
    # Turn by turn: the best phrase of every topic, then the second of each; one busy topic would else fill it all.
    for place, one in enumerate(said):
        ranked.append((told[one.entry.key] if one.entry.topic else place // UNTITLED_AT_ONCE, place, one))
        told[one.entry.key] += bool(one.entry.topic)
    told_before = Told()
    for *_, one in sorted(ranked, key=lambda pair: pair[:2])[:MOST_RECENT]:
        text = derived_line(point_text(telegram(one.text)))
        if text and told_before.take(text):
            yield SummaryLine(f"- {fact_label(one.entry, one.fact)}{text}", (one.fact.span,))
