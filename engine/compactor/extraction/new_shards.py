"""New shards for entries for which no shard has room: straight there and by topic, never appended first (A31, A32)."""

from collections.abc import Callable, Mapping, Sequence

from engine.compactor.extraction.sections import EntryCandidate
from engine.compactor.semantic.pieces import Piece, cut
from engine.compactor.semantic.shard_topics import new_topics
from engine.compactor.semantic.shards import FOLDER, Shard
from engine.compactor.semantic.topic_words import name_stems
from engine.text.document import decode
from engine.text.encoder.encoder import TextEncoder, text_encoder
from engine.workspace.snapshot import FreeNames

NEAR = 0.5  # cosine from which an entry that shares no topic goes to the shard whose entries are nearest
_NEAREST = 3  # entries of a shard by which it is near


def nearest_shard(candidate: EntryCandidate, shards: Sequence[Shard]) -> str:
    """The shard whose entries are nearest to one by meaning; empty where none is near, or without the encoder."""
    encoder = text_encoder() if shards else None
    if not isinstance(encoder, TextEncoder):
        return ""
    pieces = [
        (shard.path, f"{piece.title}. {piece.body}") for shard in shards for piece in cut(decode(shard.data)).pieces
    ]
    vectors = encoder.encode([f"{candidate.entry.title}. {candidate.entry.insight}", *(text for _, text in pieces)])
    near_by: dict[str, list[float]] = {}
    for (path, _), cosine in zip(pieces, vectors[1:] @ vectors[0], strict=True):
        near_by.setdefault(path, []).append(round(float(cosine), 3))
    near = {path: sum(sorted(all_of)[-_NEAREST:]) / min(_NEAREST, len(all_of)) for path, all_of in near_by.items()}
    path = max(near, key=lambda one: (near[one], one), default="")
    return path if path and near[path] >= NEAR else ""


def new_shards(
    waiting: Mapping[int, EntryCandidate],
    full: Sequence[Shard],
    most: int,
    count: Callable[[str], int],
    names: FreeNames,
    paths: Sequence[str],
) -> dict[int, str]:
    """The path of a new shard for each entry by its number: those of one topic together, up to `most` tokens. What the
    full shards hold tells the topics too; `paths` are the shards that there are."""
    pieces = [_piece(one) for one in waiting.values()]
    old = [piece for shard in full for piece in cut(decode(shard.data)).pieces]
    stems = (path.rpartition("/")[2].removesuffix(".md") for path in paths)
    taken = frozenset(stem for name in stems for word in name_stems(name) for stem in word)
    topics = new_topics(pieces, [count(piece.text) for piece in pieces], old, most, taken)
    numbers = list(waiting)
    made = [(names.free(FOLDER, topic.name), topic.members) for topic in topics]
    return {numbers[index]: path for path, members in made for index in members}


def _piece(candidate: EntryCandidate) -> Piece:
    entry = candidate.entry
    text = "\n".join(text for _, text in entry.fields())
    return Piece(text=text, start=1, end=1, title=entry.title, body=f"{entry.insight} {entry.impact}")
