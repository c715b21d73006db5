"""Tier 2's interface: a scorer profiles each topic once, and makes of all what scores a message against them (§4.2)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from engine.text.arrays import Floats


Scores = Callable[[str], "Floats"]
"""All topics, ready to be compared with a message: one figure per topic, on the scorer's own scale."""


class Scorer(Protocol):
    """One way to tell how near a message is to a topic."""

    name: str

    def profile(self, passages: Sequence[str]) -> Any:
        """Makes a topic's profile from its passages alone, so that a changed topic costs its own profile."""
        ...

    def index(self, profiles: Sequence[Any]) -> Scores:
        """The topics in the order of their profiles. Gathers numbers; analyses no text."""
        ...


class WordEmbedder(Protocol):
    """Vectors of length 1 for texts; all zero for a text that says nothing."""

    def embed(self, texts: Sequence[str]) -> "Floats": ...
