"""Divides a full shard by topic, and names the new shards as a person would (decision A24)."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from engine.compactor.semantic.pieces import Piece
from engine.compactor.semantic.topic_words import LIKE_A_NOUN, TopicWord, nouns, topic_words, word_pairs
from engine.text.language import NO_NAME, TOLD, language_of

FEWEST = 2  # pieces of a topic that is worth a shard
MOST_COMMON = 0.7  # share of the pieces from which a word is what the whole shard is about
PAIR = 0.6  # share of a topic's pieces from which two words beside each other name it better than one
LONGEST_NAME = 40  # characters of a shard's name
NEUTRAL_NAME = "notes"  # names a shard of entries that share nothing

_HEADING, _PAIR, _BODY = 3.0, 1.15, 0.3
"""Weights of a person's heading, of two adjacent words, and of a word outside the title."""


class ShardTopic(msgspec.Struct, frozen=True):
    """The name of a new shard, and the indexes of its pieces."""

    name: str
    members: tuple[int, ...]


class Division(msgspec.Struct, frozen=True):
    """The most general pieces, which stay in the shard, and the topics of those that leave it."""

    general: tuple[int, ...]
    topics: tuple[ShardTopic, ...]


class PartSize(msgspec.Struct, frozen=True):
    """Most tokens of a new shard, and tokens that the old one should keep."""

    most: int
    keep: int


class _Term:
    """A word, two words or a heading that pieces share. `strong`: weights of the pieces with it in title or heading;
    `weak`: pieces with it in the text."""

    def __init__(self) -> None:
        self.strong: dict[int, float] = {}
        self.weak: set[int] = set()
        self.spellings: Counter[str] = Counter()

    def in_title(self, index: int, weight: float, spelling: str) -> None:
        self.strong[index] = max(weight, self.strong.get(index, 0))
        self.spellings[spelling] += 1

    def members(self, left: Iterable[int]) -> list[int]:
        """Returns those of the pieces that share it: at least two by title, or three by text; else none."""
        own = set(left) & self.strong.keys()
        every = own | (set(left) & self.weak)
        return sorted(every) if len(own) >= FEWEST or len(every) > FEWEST else []

    @property
    def names_a_topic(self) -> bool:
        """True if several pieces share it, in titles mostly as a noun."""
        shared = self.members(self.strong.keys() | self.weak)
        return bool(shared) and sum(self.strong.values()) >= LIKE_A_NOUN * len(self.strong)

    @property
    def name(self) -> str:
        """The commonest spelling, the first of several."""
        return self.spellings.most_common(1)[0][0]


def divide(pieces: Sequence[Piece], sizes: Sequence[int], size: PartSize, taken: frozenset[str]) -> Division:
    """Divides the pieces by topic until `size.keep` tokens stay. `taken`: stems of existing shard names. Pieces without
    a shared topic leave in sequence, so that room is always made; at least one piece stays."""
    terms = _terms(pieces, taken)
    left, topics = list(range(len(pieces))), list[ShardTopic]()
    while _sum(sizes, left) > size.keep:
        in_titles = {key: term for key, term in terms.items() if len(term.strong) >= FEWEST}
        found = _best(in_titles, left, sizes, size)
        # Where titles share nothing more, words of the entries' own text still name what belongs together.
        if found is None and (_sum(sizes, left) > size.most or not topics):
            found = _best(terms, left, sizes, size)
        if found is None:
            break
        # What it has no room for stays, and goes by another word.
        key, members = found
        topics.append(ShardTopic(_name(terms, key, members), tuple(members)))
        terms.pop(key)
        left = [index for index in left if index not in members]
    if _sum(sizes, left) > size.most or not topics:
        # One piece at least stays, whatever its size: the shard is never emptied (decision A24).
        general = _fitting(left, sizes, size.keep) or left[:1]
        topics += _in_sequence(pieces, [index for index in left if index not in general], sizes, size.most)
        left = general
    return Division(tuple(left), tuple(topics))


def new_topics(
    new: Sequence[Piece], sizes: Sequence[int], old: Sequence[Piece], most: int, taken: frozenset[str]
) -> list[ShardTopic]:
    """Groups new pieces by topics shared with each other or `old` ones, up to `most` tokens each; then the rest."""
    terms, topics = _terms([*new, *old], taken), list[ShardTopic]()
    left = list(range(len(new)))
    while left:
        best, found = 0.0, None
        for key, term in terms.items():
            shared = term.members(range(len(new) + len(old)))
            members = _fitting([index for index in shared if index in left and index in term.strong], sizes, most)
            worth = sum(term.strong.get(index, _BODY) for index in members) * len(shared) ** 0.5
            if members and len(shared) < max(FEWEST + 1, MOST_COMMON * (len(new) + len(old))) and worth > best:
                best, found = worth, (key, members)
        if found is None:
            break
        topics.append(ShardTopic(_name(terms, *found), tuple(found[1])))
        left = [index for index in left if index not in found[1]]
    return [*topics, *_in_sequence(new, left, sizes, most)]


def _sum(sizes: Sequence[int], members: Iterable[int]) -> int:
    return sum(sizes[index] for index in members)


def _terms(pieces: Sequence[Piece], taken: frozenset[str]) -> dict[str, _Term]:
    terms: defaultdict[str, _Term] = defaultdict(_Term)
    for index, piece in enumerate(pieces):
        # Of a title alone the language can rarely be told.
        language = language_of(f"{piece.title}\n{piece.body}")
        words = _free(topic_words(piece.title, language), taken)
        for word in words:
            terms[word.stem].in_title(index, word.weight, word.text)
        for left, right in word_pairs(piece.title, words):
            weight = _PAIR * (left.weight + right.weight) / 2
            terms[f"{left.stem} {right.stem}"].in_title(index, weight, f"{left.text}-{right.text}")
        for word in _free(topic_words(piece.body, language), taken):
            if word.weight >= LIKE_A_NOUN:
                terms[word.stem].weak.add(index)
                terms[word.stem].spellings[word.text] += 1
        if headed := _slug(piece.heading):
            terms[f"# {piece.heading.casefold()}"].in_title(index, _HEADING, headed)
    return {key: term for key, term in sorted(terms.items()) if term.names_a_topic}


def _free(words: tuple[TopicWord, ...], taken: frozenset[str]) -> tuple[TopicWord, ...]:
    return tuple(word for word in words if not {word.stem, word.text} & taken and word.text not in NO_NAME | TOLD)


def _best(
    terms: Mapping[str, _Term], left: Sequence[int], sizes: Sequence[int], size: PartSize
) -> tuple[str, list[int]] | None:
    """Returns the term whose pieces belong together most and fill a shard best."""
    best, found = 0.0, None
    for key, term in terms.items():
        members = _fitting(term.members(left), sizes, size.most)
        # What all of them have tells none apart.
        if len(members) < FEWEST or len(members) == len(left):
            continue
        # A heading is a person's own division, however large it is.
        if not key.startswith("# ") and len(members) > MOST_COMMON * len(left):
            continue
        # By the root of the size: one large group must not win over one that belongs together.
        worth = sum(term.strong.get(index, _BODY) for index in members) * _sum(sizes, members) ** 0.5
        if worth > best:
            best, found = worth, (key, members)
    return found


def _fitting(members: Sequence[int], sizes: Sequence[int], most: int) -> list[int]:
    """Returns the first pieces that fit into a new shard."""
    kept, filled = [], 0
    for index in members:
        if filled + sizes[index] <= most:
            kept.append(index)
            filled += sizes[index]
    return kept


def _name(terms: Mapping[str, _Term], key: str, members: Sequence[int]) -> str:
    """Returns the name of a term, or of the two-word term that most of its pieces share."""
    strong = terms[key].strong.keys() & set(members)
    pairs = {} if " " in key else {other: term for other, term in terms.items() if key in other.split(" ")}
    longer = [(len(term.strong.keys() & strong), other) for other, term in pairs.items() if not other.startswith("# ")]
    shared, other = max(longer, default=(0, key))
    fewest = max(FEWEST if len(strong) > FEWEST else 1, PAIR * len(strong))
    return terms[other if shared >= fewest else key].name[:LONGEST_NAME]


def _in_sequence(pieces: Sequence[Piece], left: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[ShardTopic]:
    """Yields adjacent pieces together, as many as fit into each new shard."""
    while left:
        members = _fitting(left, sizes, most) or left[:1]
        left = [index for index in left if index not in members]
        yield ShardTopic(_common_name(pieces, members), tuple(members))


def _common_name(pieces: Sequence[Piece], members: Sequence[int]) -> str:
    """Returns the common heading of pieces, or the noun in most titles; else a neutral name."""
    headings = {pieces[index].heading for index in members}
    if len(headings) == 1 and (headed := _slug(headings.pop())):
        return headed
    titles = [nouns(pieces[index].title or pieces[index].body) for index in members]
    counts = Counter(stem for title in titles for stem in title)
    stem, count = max(counts.items(), key=lambda item: item[1], default=("", 0))
    if 2 * count >= len(members) and count >= FEWEST:
        return next(title[stem] for title in titles if stem in title)[:LONGEST_NAME]
    return _central_name(pieces, members, counts)


def _central_name(pieces: Sequence[Piece], members: Sequence[int], counts: Mapping[str, int]) -> str:
    """Returns the adjacent words, or the word, that occur with most words of the other pieces (decision A32)."""
    best: tuple[int, float, str] = (0, 0.0, NEUTRAL_NAME)
    for index in members:
        text = pieces[index].title or pieces[index].body
        words = _free(topic_words(text), frozenset())
        pairs = [((a, b), f"{a.text}-{b.text}") for a, b in word_pairs(text, words)]
        for group, name in [*pairs, *(((word,), word.text) for word in words if word.weight >= LIKE_A_NOUN)]:
            worth = (sum(counts.get(word.stem, 0) for word in group), sum(word.weight for word in group), name)
            best = max(best, worth, key=lambda one: one[:2])
    return best[2][:LONGEST_NAME]


def _slug(heading: str) -> str:
    """Returns a heading as a file name; empty if no word is significant."""
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", heading).lower())
    return "-".join(words)[:LONGEST_NAME].strip("-") if topic_words(heading) else ""
