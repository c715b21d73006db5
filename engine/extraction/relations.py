"""Tells by their addresses whether one statement replaces another, and finds candidates (decision D61)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import islice

import msgspec

from engine.extraction.addresses import Address, addresses

_KEY = 4  # letters at the head of a word, by which words that may be alike are found
_SHORT = 3  # content words of a sentence in which one that another has too says what both are about
_FEW = 4  # words, or Chinese characters, in which two sentences may differ that are otherwise the same


class Relation(IntEnum):
    """The relation of a later statement to an earlier one; `LIKELY` is left to the operator."""

    NONE = 0
    LIKELY = 1
    REPLACES = 2


class AddressBook:
    """Indexes statements by the words of their addresses; only those that share a word are compared."""

    def __init__(self) -> None:
        self._statements: dict[str, str] = {}
        self._by_key: dict[str, dict[str, None]] = defaultdict(dict)

    def add(self, ident: str, sentence: str) -> None:
        self._statements[ident] = sentence
        for key in _keys(sentence):
            self._by_key[key][ident] = None

    def drop(self, ident: str) -> None:
        del self._statements[ident]

    def related(self, later: str) -> Iterator[tuple[str, Relation]]:
        """Yields the statements that a later one replaces, surely or probably, in the order of adding."""
        near = dict.fromkeys(ident for key in _keys(later) for ident in self._by_key.get(key, ()))
        for ident in [statement for statement in self._statements if statement in near]:
            if told := relation(later, self._statements[ident]):
                yield ident, told

    def nearest(self, later: str, most: int) -> Iterator[str]:
        """Yields related ones among the `most` that share the rarest words, the newest of each word first. Comparing
        all facts of a session of 5,000 turns that share a word took a minute."""
        near: dict[str, None] = {}
        keys = {*_keys(later)} & self._by_key.keys()
        for key in sorted(keys, key=lambda key: (len(self._by_key[key]), key)):
            near |= dict.fromkeys(islice(reversed(self._by_key[key]), most))
            if len(near) >= most:
                break
        yield from (ident for ident in islice(near, most) if relation(later, self._statements[ident]))


def relation(later: str, earlier: str) -> Relation:
    """Returns the strongest relation between the readings of two sentences."""
    pairs = ((address, other) for address in addresses(later) for other in addresses(earlier))
    return max((_relation(one, other) for one, other in pairs), default=Relation.NONE)


def says_same(one: str, other: str) -> bool:
    """Tells whether two sentences say one value at one address, whatever the words between."""
    same = any(_is_same(left, right) for left in addresses(one) for right in addresses(other))
    return same and not relation(one, other) and not relation(other, one)


def shares_a_subject(one: str, other: str) -> bool:
    """Tells whether two sentences share two content words, or one where both are short; one is shared by chance."""
    words, others = (frozenset[str]().union(*(each.content for each in addresses(text))) for text in (one, other))
    shared = sum(any(_alike(word, each) for each in others) for word in words)
    return shared > 1 or (shared == 1 and max(len(words), len(others)) <= _SHORT)


def _is_same(one: Address, other: Address) -> bool:
    says = one.subject and other.subject and one.holds and other.holds
    fits = one.negated == other.negated and one.typed == other.typed and _fit(one.attribute, other.attribute)
    return bool(says) and fits and _within(one.content, other.content) and _within(other.content, one.content)


def _relation(later: Address, earlier: Address) -> Relation:
    if (later.beside and not later.negated) or not _fit(later.attribute, earlier.attribute):
        return Relation.NONE
    if later.negated != earlier.negated:
        denies, denied = (later, earlier) if later.negated else (earlier, later)
        held = _within(denies.content, denied.content) and (later.negated or _within(denied.content, denies.content))
        clear = len(denies.content) > 1 or denies.content == denied.value
        return Relation.REPLACES if held and clear else Relation.NONE
    if later.negated:
        return Relation.NONE
    if later.left and (gone := _given_up(later, earlier)):
        return gone
    later, earlier = _filled(later, earlier), _filled(earlier, later)
    if not later.subject or not earlier.subject:
        return _alone(later, earlier)
    if _differ_in_type(later, earlier):
        unlike = bool(later.value) != bool(earlier.value) and not later.changed  # "at 10" and "in room 4"
        told = Relation.NONE if unlike else _same(later, later.subject, earlier.subject)
        # With the words around a number: "port" belongs to what the number is.
        return max(told, _same(later, later.subject | later.value, earlier.subject | earlier.value))
    if not later.value | later.typed or not earlier.value | earlier.typed:
        return _aligned(later, earlier)
    if (
        later.value
        and earlier.value
        and not (_covers(later.value, earlier.value) or _covers(earlier.value, later.value))
    ):
        told = _same(later, later.subject, earlier.subject)
        loose = (later.attribute == "quality" and len(later.subject) < 2) or (
            later.attribute == "prefer" and len(later.value) > 1
        )
        return min(told, Relation.LIKELY) if loose and not later.changed else told
    return _aligned(later, earlier) if later.changed and later.value == earlier.value else Relation.NONE


def _fit(one: str, other: str) -> bool:
    """Tells whether two attributes may be the same; a preference and a fact never are."""
    if "prefer" in one + other or "have" in (one, other):
        return one == other
    return one == other or not {one, other}.isdisjoint({"", "quality"})


def _given_up(later: Address, earlier: Address) -> Relation:
    """Returns whether a later statement gives up the earlier value, at the same address or without one."""
    held = earlier.value | earlier.typed
    if not held or not (_within(held, later.left) or _within(later.left, held)):
        return Relation.NONE
    if (
        not later.subject - later.left
        or _within(later.subject, earlier.subject)
        or _within(earlier.subject, later.subject)
    ):
        return Relation.REPLACES
    common = any(_within([word], earlier.subject) for word in later.subject)
    return Relation.LIKELY if common else Relation.NONE


def _filled(one: Address, other: Address) -> Address:
    """Gives a statement without a subject the words of its value that are the other's subject."""
    if one.subject or not other.subject or not _within(other.subject, one.value):
        return one
    own = frozenset(word for word in one.value if any(_alike(word, each) for each in other.subject))
    return msgspec.structs.replace(one, subject=own, value=one.value - own)


def _alone(later: Address, earlier: Address) -> Relation:
    """Compares two without a subject: one-word preferences, or Chinese values with a common end."""
    if not later.subject | earlier.subject and later.attribute == earlier.attribute != "prefer alone":
        end = _shared(later.run[::-1], earlier.run[::-1])
        same = end > 1 and later.run[-end] > "\u4e00" and end < min(len(later.run), len(earlier.run))
        return Relation.REPLACES if same and later.changed else Relation.LIKELY if same else Relation.NONE
    both = later.attribute == earlier.attribute == "prefer alone" and not later.subject | earlier.subject
    return Relation.REPLACES if both and later.holds != earlier.holds and later.changed else Relation.NONE


def _differ_in_type(later: Address, earlier: Address) -> bool:
    """Tells whether both have different values of one type, such as a day."""
    told = [{kind for kind, _, _ in (value.partition(":") for value in each.typed)} for each in (later, earlier)]
    return any(_of(later, kind) != _of(earlier, kind) for kind in told[0] & told[1])


def _of(one: Address, kind: str) -> set[str]:
    return {value for value in one.typed if value.startswith(f"{kind}:")}


def _aligned(later: Address, earlier: Address) -> Relation:
    """Compares two sentences by their words, if the grammar finds no value in one: most must be the same."""
    left, right = later.content - later.left, earlier.content
    new = frozenset(word for word in left if not _within([word], right))
    old = frozenset(word for word in right if not _within([word], left))
    typed = any(word.partition(":")[0] in {other.partition(":")[0] for other in old if ":" in other} for word in new)
    few = 0 < len(new) <= _FEW and 0 < len(old) <= _FEW and len(left) - len(new) >= max(2, len(new), len(old))
    if not later.changed or not few or (typed and len(new) + len(old) > 2):
        return Relation.NONE
    same = bool(later.holds) and later.value == earlier.value
    return Relation.REPLACES if not same or new <= later.names else Relation.LIKELY


def _covers(some: Iterable[str], others: Iterable[str]) -> bool:
    """Tells whether each word of a value is in another value, apart from endings."""
    others = tuple(others)
    return all(any(word == other or _inflected(word, other) for other in others) for word in some)


def _inflected(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) > _KEY and len(long) - len(short) < 3 and long.startswith(short[:-1]) and _alike(one, other)


def _same(later: Address, subject: frozenset[str], before: frozenset[str]) -> Relation:
    """Returns the relation by the subjects; if one has more words, it replaces only if it says a change."""
    inner, outer = _within(subject, before), _within(before, subject)
    if inner and outer:
        return Relation.REPLACES
    if (inner or outer) and 2 * min(len(subject), len(before)) >= max(len(subject), len(before)):
        return Relation.REPLACES if later.changed else Relation.LIKELY
    return Relation.NONE


def _within(some: Iterable[str], others: Iterable[str]) -> bool:
    others = tuple(others)
    return all(any(_alike(word, other) for other in others) for word in some)


def _alike(one: str, other: str) -> bool:
    """Tells whether two words are forms of one word; digits must be equal, and compounds differ."""
    if one == other or one[:_KEY] != other[:_KEY]:  # most words are told by their heads
        return one == other
    short, long = sorted((one, other), key=len)
    if len(short) < _KEY or any(letter.isdigit() for letter in one + other):
        return False
    return _shared(short, long) >= max(_KEY, 0.7 * len(short))


def _shared(one: str, other: str) -> int:
    """Returns the number of equal first letters of two words."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _keys(quote: str) -> Iterator[str]:
    for address in addresses(quote):
        yield from (f"{address.attribute}",) if address.attribute == "prefer alone" else ()
        for word in address.content | address.left:
            yield word if ":" in word else word[:_KEY]  # a number is no beginning that all numbers share
