"""Tier 2's one interface: a scorer profiles a topic once, and an index scores a message against all (§4.2)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from engine.text.arrays import Floats


class ScorerIndex(Protocol):
    """All topics, ready to be compared with a message."""

    def scores(self, message: str) -> "Floats":
        """One figure per topic, on the scorer's own scale."""
        ...


class Scorer(Protocol):
    """One way to tell how near a message is to a topic."""

    name: str

    def profile(self, passages: Sequence[str]) -> Any:
        """Makes a topic's profile from its passages alone, so that a changed topic costs its own profile."""
        ...

    def index(self, profiles: Sequence[Any]) -> ScorerIndex:
        """The topics in the order of their profiles. Gathers numbers; analyses no text."""
        ...


class WordEmbedder(Protocol):
    """Vectors of length 1 for texts; all zero for a text that says nothing."""

    def embed(self, texts: Sequence[str]) -> "Floats": ...
