"""Declares Tier 2's scorers: each profiles a topic once, and scores a message against all profiles (§4.2). A figure
becomes the TF-IDF figure that lets as large a share of wrong topics through (D37), as `evaluate_topics calibrate`
measured."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from engine.text.markdown import code_mask, heading_of
from engine.topics.topic import Topic

if TYPE_CHECKING:
    from engine.text.arrays import Floats

Scores = Callable[[str], "Floats"]
"""Scores a message against all topics: one figure each, on the scorer's own scale."""


class Scorer(Protocol):
    """One way to compare a message with topics."""

    name: str

    def profile(self, passages: Sequence[str]) -> Any:
        """Returns a topic's profile from its passages alone, so that a changed topic costs only its own."""
        ...

    def index(self, profiles: Sequence[Any]) -> Scores:
        """Prepares topics for scoring, in the order of their profiles; analyses no text."""
        ...


class WordEmbedder(Protocol):
    """Returns vectors of length 1 for texts; zeros for blank text."""

    def embed(self, texts: Sequence[str]) -> "Floats": ...


SCALE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1.0)  # figures of the specification's TF-IDF

RAW: dict[str, tuple[float, ...]] = {
    "blend": (0, 0.2455, 0.3272, 0.3929, 0.4451, 0.5637, 0.686, 0.801, 1.35),
    "tfidf": (0, 0.03051, 0.06259, 0.09969, 0.1354, 0.2043, 0.2661, 0.3129, 1),
    "bm25": (0, 0.04348, 0.086, 0.1301, 0.1703, 0.2525, 0.3328, 0.4308, 1),
    "jaccard": (0, 0.05128, 0.08333, 0.1111, 0.1316, 0.1667, 0.1944, 0.2143, 1),
    "ngrams": (0, 0.07812, 0.125, 0.1562, 0.1875, 0.25, 0.2969, 0.3594, 1),
    "static": (0, 0.2315, 0.3086, 0.3693, 0.4161, 0.5182, 0.6195, 0.728, 1),
}
"""The figure of each scorer at each step of `SCALE`."""


def calibrated(scorer: str, raw: "Floats") -> "Floats":
    """Maps figures to the table's scale, from 0 to 1, keeping the topics' order."""
    import numpy as np

    found: Floats = np.interp(raw, RAW[scorer], SCALE).astype(np.float32)
    return found


MOST = 200  # passages of one topic: of its description and instructions (decision D37)
LONGEST = 600  # characters of one passage

_MARKER = re.compile(r"^\s*(?:[-*+>]|\d{1,3}[.)]|\[[ xX]\])\s+")


def passages(topic: Topic) -> tuple[str, ...]:
    """Returns title, description, instruction lines and exemplars, without repeats, lower headings and lead-ins."""
    found = [topic.title, *topic.exemplars, *_lines(topic.description), *_lines(topic.instructions)]
    plain = (line.removeprefix("# ").strip()[:LONGEST] for line in found)
    return tuple(dict.fromkeys(line for line in plain if line))[:MOST]


def _lines(text: str) -> list[str]:
    lines = text.splitlines()
    prose = (line for line, inside in zip(lines, code_mask(lines), strict=True) if not inside)
    return [_MARKER.sub("", line).strip() for line in prose if not _leads_in(line)]


def _leads_in(line: str) -> bool:
    heading = heading_of(line)
    return (heading is not None and heading.level > 1) or line.rstrip().endswith(":")
