"""Similar titles, to be shown side by side and never merged (compactor §Duplicate Detection, decision A14)."""

import re
import unicodedata
from collections.abc import Sequence

import msgspec

from engine.compactor.semantic.entry import KnownTitle

SUBSTRING_LENGTH = 8
"""Characters from which a title within another counts as similar, if it is half as long at least."""

_PUNCTUATION = re.compile(r"[^\w\s]|_")


class Duplicate(msgspec.Struct, frozen=True):
    """A title that semantic memory, or this plan, has in a similar form. `percent` is rounded down."""

    title: str
    other: KnownTitle
    percent: int


def normal_title(title: str) -> str:
    """Casefolded, without punctuation, one space between words. A title of punctuation alone stays what it is."""
    folded = unicodedata.normalize("NFKC", title).casefold()
    return " ".join(_PUNCTUATION.sub(" ", folded).split()) or " ".join(folded.split())


def similar(left: str, right: str) -> bool:
    """Tells whether two normal titles are similar: ratio ≥ 0.85, or one in the other by ≥ 8 characters and ≥ half."""
    length = len(left) + len(right)
    # Whole numbers: 1 - distance/length ≥ 0.85 in floats is false at the limit itself for some lengths.
    if 20 * _distance(left, right, 3 * length // 20) <= 3 * length:
        return True
    short, long = sorted((left, right), key=len)
    return len(short) >= SUBSTRING_LENGTH and 2 * len(short) >= len(long) and short in long


def ratio_percent(left: str, right: str) -> int:
    """Compares two normal titles: their ratio in whole percent."""
    length = len(left) + len(right)
    # Rounded down: 84.9 % must not be shown as the 85 % that counts as similar.
    return 100 if length == 0 else 100 * (length - _distance(left, right)) // length


def _distance(left: str, right: str, most: int | None = None) -> int:
    """Characters to take out or put in to get from one to the other; any larger number beyond `most`."""
    from rapidfuzz.distance import Indel  # 30 ms, which a look at the status does without

    return Indel.distance(left, right, score_cutoff=most)


class TitleIndex:
    """The titles known so far, each normalised once."""

    def __init__(self, known: Sequence[KnownTitle]) -> None:
        self._known = [(normal_title(title.title), title) for title in known]

    def add(self, title: KnownTitle) -> None:
        self._known.append((normal_title(title.title), title))

    def duplicates(self, title: str) -> tuple[Duplicate, ...]:
        """Every known title similar to `title`, the most similar first."""
        normal = normal_title(title)
        found = [
            Duplicate(title, other, ratio_percent(normal, text)) for text, other in self._known if similar(normal, text)
        ]
        return tuple(sorted(found, key=lambda duplicate: -duplicate.percent))
