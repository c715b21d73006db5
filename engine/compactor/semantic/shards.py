"""Tracks the shards while a plan is made: their text, and their size after each append (A11, A13)."""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from engine.compactor.semantic.entry import KnownTitle, read_entries, titles
from engine.errors import MemdeckError, UsageError
from engine.plans.plan import Create, Replace, RiskTier
from engine.plans.planning import Draft
from engine.text.document import Document, decode
from engine.text.tokens import TokenCounter
from engine.workspace.layout import SEMANTIC_INDEX
from engine.workspace.paths import relative_path
from engine.workspace.snapshot import Snapshot, obstacle
from engine.workspace.values import MemoryTier

FOLDER = "memory/semantic"


class ShardOutlook(msgspec.Struct, frozen=True, kw_only=True):
    """A shard's tokens now and after all appends."""

    path: str
    tokens: int
    projected: int


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of an append to a shard, in tokens. `content`: the exact text that is added."""

    content: str
    creates: bool
    before: int
    after: int


class Shard:
    """One file of semantic memory, which only grows. `problem`: why nothing can be appended."""

    def __init__(
        self, path: str, data: bytes | None, counter: TokenCounter, *, tokens: int = 0, problem: str = ""
    ) -> None:
        self.path = path
        self.exists = data is not None
        self.problem = problem
        self.on_disk = self.data = data or b""
        self._counter = counter
        self._newline = Document.from_bytes(self.data).newline
        self.tokens = self.projected = tokens

    def room_for(self, entry: str) -> Room:
        """Returns the effect of appending the text of an entry."""
        content = self._gap() + entry.replace("\n", self._newline)
        # The whole text is counted: tokens of two texts do not add up, since a token may cross the seam.
        after = self._counter.count(decode(self.data + content.encode()))
        return Room(content=content, creates=not self.exists, before=self.projected, after=after)

    def full(self) -> Room:
        """Returns the effect on a shard above its limit: nothing is added."""
        return Room(content="", creates=False, before=self.projected, after=self.projected)

    def take(self, room: Room) -> None:
        """Appends an entry."""
        self.data += room.content.encode()
        self.projected = room.after
        self.exists = True

    def _gap(self) -> str:
        """Returns the blank line before an entry. Each append has its own, so that any can be omitted."""
        if not decode(self.data):
            return ""
        if not self.data.endswith(b"\n"):
            return 2 * self._newline
        return "" if self.data.endswith((b"\n\n", b"\n\r\n")) else self._newline


class Shards:
    """All shards of a snapshot, and routed ones that do not exist yet."""

    def __init__(self, snapshot: Snapshot, counter: TokenCounter) -> None:
        self._snapshot = snapshot
        self._counter = counter
        self._shards: dict[str, Shard] = {}
        self.unreadable: dict[str, str] = {}
        for facts in snapshot.tier(MemoryTier.SEMANTIC):
            try:
                data = snapshot.content(facts.path)
                tokens = facts.tokens if snapshot.tokenizer == counter.name else counter.count(decode(data))
                self._shards[facts.path] = Shard(facts.path, data, counter, tokens=tokens)
            except MemdeckError as error:
                self.unreadable[facts.path] = error.message
        for item in snapshot.skipped_under(FOLDER):
            if item.path.endswith(".md"):
                self.unreadable[item.path] = item.reason

    def __getitem__(self, path: str) -> Shard:
        if path not in self._shards:
            problem = self.unreadable.get(path) or obstacle(self._snapshot, FOLDER) or self._case_twin(path)
            self._shards[path] = Shard(path, None, self._counter, problem=problem)
        return self._shards[path]

    def existing(self) -> tuple[Shard, ...]:
        """Returns the shards of the snapshot, sorted by path."""
        return tuple(self._shards[path] for path in sorted(self._shards) if path in self._snapshot.files)

    def present(self) -> tuple[Shard, ...]:
        """Returns the shards that exist or have appends, sorted by path."""
        return tuple(self._shards[path] for path in sorted(self._shards) if self._shards[path].exists)

    def paths(self) -> tuple[str, ...]:
        return tuple(shard.path for shard in self.present())

    def titles(self) -> tuple[KnownTitle, ...]:
        return tuple(title for shard in self.existing() for title in titles(shard.path, decode(shard.on_disk)))

    def outlook(self) -> tuple[ShardOutlook, ...]:
        """Returns the size of every shard that exists or has appends, sorted by path."""
        return tuple(ShardOutlook(path=s.path, tokens=s.tokens, projected=s.projected) for s in self.present())

    def _case_twin(self, path: str) -> str:
        # On a file system that folds case the two would be one file, and an append would go into the other.
        alike = (file for file in (*self._snapshot.files, *self._shards) if file.casefold() == path.casefold())
        return next((f"{twin} differs from it in case only" for twin in alike if twin != path), "")


def checked_route(path: str) -> str:
    """Returns the operator's path of a shard; raises `UsageError` if it is none (decisions A13, G15)."""
    try:
        path = relative_path(path)
    except MemdeckError as error:
        raise UsageError(error.message, where=path, hint=f"route to {FOLDER}/NAME.md") from error
    folder, _, name = path.rpartition("/")
    if folder != FOLDER or path == SEMANTIC_INDEX or not name.endswith(".md") or name.startswith(".") or name == ".md":
        raise UsageError("an entry can only be routed to a shard", where=path, hint=f"route to {FOLDER}/NAME.md")
    return path


FEWEST_SHARDS = 3  # shards from which an index says more than the names of the files
_SUBJECTS = 4  # subjects of a shard that its line names


def add_index(draft: Draft, snapshot: Snapshot, written: Mapping[str, bytes | None], requires: Sequence[int]) -> None:
    """Adds `memory/semantic/_index.md` with a line for each shard after this plan, so that a reader knows which one to
    open (decision A32); only for three or more. `requires`: the numbers of changes that it needs."""
    texts = {facts.path: snapshot.content(facts.path) for facts in snapshot.tier(MemoryTier.SEMANTIC)}
    texts |= {path: data for path, data in written.items() if data is not None}
    content = "".join(f"- {path.rpartition('/')[2]}: {_subjects(decode(texts[path]))}\n" for path in sorted(texts))
    there = SEMANTIC_INDEX in snapshot.files
    if len(texts) < FEWEST_SHARDS or (there and decode(snapshot.content(SEMANTIC_INDEX)) == content):
        return
    kind, n, needs = Replace if there else Create, draft.next_number, tuple(requires)
    why = "one line a shard: its subjects"
    draft.add(kind(n=n, path=SEMANTIC_INDEX, risk_tier=RiskTier.A, reason=why, content=content, requires=needs))


def _subjects(text: str) -> str:
    """Returns the commonest subjects of a shard, from the first part of its titles."""
    heads = Counter(entry.title.partition(" – ")[0].strip(" .,;:") for entry in read_entries(text)[0])
    return ", ".join(head for head, _ in heads.most_common(_SUBJECTS)) or "no entries"
