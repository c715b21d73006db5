"""`memory/semantic/_index.md`: one line a shard, for a reader that asks which of many files to open (decision A32)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.compactor.semantic.entry import read_entries
from engine.plans.draft import Draft
from engine.plans.plan import Create, Replace, RiskTier
from engine.text.document import decode
from engine.workspace.layout import SEMANTIC_INDEX
from engine.workspace.snapshot import Snapshot
from engine.workspace.values import MemoryTier

FEWEST_SHARDS = 3  # shards from which an index says more than the names of the files
_SUBJECTS = 4  # subjects of a shard that its line names


def add_index(
    draft: Draft, snapshot: Snapshot, written: Mapping[str, bytes | None], requires_any: Sequence[int]
) -> None:
    """Adds the index as it is with what the plan writes into shards; none for fewer than three of them."""
    texts = {facts.path: snapshot.content(facts.path) for facts in snapshot.tier(MemoryTier.SEMANTIC)}
    texts |= {path: data for path, data in written.items() if data is not None}
    content = "".join(f"- {path.rpartition('/')[2]}: {_subjects(decode(texts[path]))}\n" for path in sorted(texts))
    there = SEMANTIC_INDEX in snapshot.files
    if len(texts) < FEWEST_SHARDS or (there and decode(snapshot.content(SEMANTIC_INDEX)) == content):
        return
    kind = Replace if there else Create
    change = kind(
        n=draft.next_number,
        path=SEMANTIC_INDEX,
        risk_tier=RiskTier.A,
        reason="one line a shard: its subjects",
        content=content,
        requires_any=tuple(requires_any),
    )
    draft.add(change)


def _subjects(text: str) -> str:
    """The subjects that most entries of a shard are about, by the first part of their titles."""
    heads = Counter(entry.title.partition(" – ")[0].strip(" .,;:") for entry in read_entries(text)[0])
    return ", ".join(head for head, _ in heads.most_common(_SUBJECTS)) or "no entries"
