"""The topics of a full shard: which of its pieces go together, and the names a person would give (decision A24)."""

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
"""Weights of a heading that a person wrote, of two words together, and of a word outside the title."""


class ShardTopic(msgspec.Struct, frozen=True):
    """The pieces of a new shard, by their indexes in order, and its name."""

    name: str
    members: tuple[int, ...]


class Division(msgspec.Struct, frozen=True):
    """The pieces that stay in the shard, the most general ones, and those that leave it by topic."""

    general: tuple[int, ...]
    topics: tuple[ShardTopic, ...]


class PartSize(msgspec.Struct, frozen=True):
    """Tokens up to which a new shard may be filled, and down to which the old one is emptied."""

    most: int
    keep: int


class _Term:
    """A word, two words or a heading that several pieces share. `strong` are the pieces, with weights, that have it in
    the title or as their heading; `weak` have it in the text."""

    def __init__(self) -> None:
        self.strong: dict[int, float] = {}
        self.weak: set[int] = set()
        self.spellings: Counter[str] = Counter()

    def in_title(self, index: int, weight: float, spelling: str) -> None:
        self.strong[index] = max(weight, self.strong.get(index, 0))
        self.spellings[spelling] += 1

    def members(self, left: Iterable[int]) -> list[int]:
        """Those of the pieces that it is about, in order: several titles have it, or still more of the texts."""
        own = set(left) & self.strong.keys()
        every = own | (set(left) & self.weak)
        return sorted(every) if len(own) >= FEWEST or len(every) > FEWEST else []

    @property
    def names_a_topic(self) -> bool:
        """True of what several pieces share, in titles for the most part where nouns stand."""
        shared = self.members(self.strong.keys() | self.weak)
        return bool(shared) and sum(self.strong.values()) >= LIKE_A_NOUN * len(self.strong)

    @property
    def name(self) -> str:
        """The spelling that is used most; of several the first."""
        return self.spellings.most_common(1)[0][0]


def divide(pieces: Sequence[Piece], sizes: Sequence[int], size: PartSize, taken: frozenset[str]) -> Division:
    """Divides the pieces by topic until what stays is within `size.keep`; `sizes` are their tokens. `taken` are stems
    that name shards already. Where nothing more is shared, the pieces that follow one another go together, so that the
    shard always gets room; one piece at least stays."""
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
    """Divides new pieces by the topics that they share with one another or with `old` ones, up to `most` tokens each;
    what shares none goes together."""
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
    """The term whose pieces belong together most and fill a shard best."""
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
    """As many of the pieces, from the first, as a new shard holds."""
    kept, filled = [], 0
    for index in members:
        if filled + sizes[index] <= most:
            kept.append(index)
            filled += sizes[index]
    return kept


def _name(terms: Mapping[str, _Term], key: str, members: Sequence[int]) -> str:
    """The name of a term, or of the two words in which most of its pieces have it."""
    strong = terms[key].strong.keys() & set(members)
    pairs = {} if " " in key else {other: term for other, term in terms.items() if key in other.split(" ")}
    longer = [(len(term.strong.keys() & strong), other) for other, term in pairs.items() if not other.startswith("# ")]
    shared, other = max(longer, default=(0, key))
    fewest = max(FEWEST if len(strong) > FEWEST else 1, PAIR * len(strong))
    return terms[other if shared >= fewest else key].name[:LONGEST_NAME]


def _in_sequence(pieces: Sequence[Piece], left: Sequence[int], sizes: Sequence[int], most: int) -> Iterator[ShardTopic]:
    """The pieces that follow one another together, as many as a new shard holds."""
    while left:
        members = _fitting(left, sizes, most) or left[:1]
        left = [index for index in left if index not in members]
        yield ShardTopic(_common_name(pieces, members), tuple(members))


def _common_name(pieces: Sequence[Piece], members: Sequence[int]) -> str:
    """The heading of pieces that share no topic, or the noun that most of their titles have; else a neutral name."""
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
    """The two words beside each other, or else the one, that most of the pieces' other words go with (decision A32)."""
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
    """A heading as a name: its words, where one of them tells something."""
    words = re.findall(r"[^\W\d_]+", unicodedata.normalize("NFKC", heading).lower())
    return "-".join(words)[:LONGEST_NAME].strip("-") if topic_words(heading) else ""
