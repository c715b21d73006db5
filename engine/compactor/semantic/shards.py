"""The semantic shards while a plan is made: what they hold, and how large an append makes them (A11, A13)."""

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
    """A shard's tokens now, and with everything that is appended."""

    path: str
    tokens: int
    projected: int


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of appending an entry to a shard, in tokens. `content` is exactly what is added to its bytes."""

    content: str
    creates: bool
    before: int
    after: int


class Shard:
    """One file of semantic memory. Its bytes only ever grow; `problem` says why nothing can be appended."""

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
        """Computes the effect of appending the text of an entry."""
        content = self._gap() + entry.replace("\n", self._newline)
        # The whole text is counted: tokens of two texts do not add up, since a token may cross the seam.
        after = self._counter.count(decode(self.data + content.encode()))
        return Room(content=content, creates=not self.exists, before=self.projected, after=after)

    def full(self) -> Room:
        """Gives the effect on a shard that is above its limit already: nothing is added."""
        return Room(content="", creates=False, before=self.projected, after=self.projected)

    def take(self, room: Room) -> None:
        """Counts an entry as appended."""
        self.data += room.content.encode()
        self.projected = room.after
        self.exists = True

    def _gap(self) -> str:
        """A blank line between entries. Each append brings its own, so that any one of them may be left out."""
        if not decode(self.data):
            return ""
        if not self.data.endswith(b"\n"):
            return 2 * self._newline
        return "" if self.data.endswith((b"\n\n", b"\n\r\n")) else self._newline


class Shards:
    """Every shard of a snapshot; those that are only routed to come into being as they are asked for."""

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
        """The shards that the snapshot has, sorted by path."""
        return tuple(self._shards[path] for path in sorted(self._shards) if path in self._snapshot.files)

    def present(self) -> tuple[Shard, ...]:
        """The shards that exist, or come into being with what was taken, sorted by path."""
        return tuple(self._shards[path] for path in sorted(self._shards) if self._shards[path].exists)

    def paths(self) -> tuple[str, ...]:
        return tuple(shard.path for shard in self.present())

    def titles(self) -> tuple[KnownTitle, ...]:
        return tuple(title for shard in self.existing() for title in titles(shard.path, decode(shard.on_disk)))

    def outlook(self) -> tuple[ShardOutlook, ...]:
        """Every shard that exists or that something was appended to, sorted by path."""
        return tuple(ShardOutlook(path=s.path, tokens=s.tokens, projected=s.projected) for s in self.present())

    def _case_twin(self, path: str) -> str:
        # On a file system that folds case the two would be one file, and an append would go into the other.
        alike = (one for one in (*self._snapshot.files, *self._shards) if one.casefold() == path.casefold())
        return next((f"{one} differs from it in case only" for one in alike if one != path), "")


def checked_route(path: str) -> str:
    """A shard's path as the operator gave it; `UsageError` where it is none (decisions A13, G15)."""
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
    """Adds `memory/semantic/_index.md`, one line a shard, as it is with what the plan writes into them, for a reader
    that asks which of many files to open (decision A32); none for fewer than three. It names what it `requires`."""
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
    """The subjects that most entries of a shard are about, by the first part of their titles."""
    heads = Counter(entry.title.partition(" – ")[0].strip(" .,;:") for entry in read_entries(text)[0])
    return ", ".join(head for head, _ in heads.most_common(_SUBJECTS)) or "no entries"
