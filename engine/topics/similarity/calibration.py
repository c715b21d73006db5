"""Puts every scorer on the scale of the gate's table, so that its .2 and .3 keep their meaning (decision D37).

The table was written for the specification's TF-IDF cosine (§4.2). Each scorer's figure is mapped to the TF-IDF figure
that lets as large a share of wrong topics through: .2 means the same strictness whichever scorer says it. The pairs
below were measured by `python -m tests.benchmarks.evaluate_topics calibrate`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.topics.similarity.scorer import Floats

SCALE = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Figures of the specification's TF-IDF."""

RAW: dict[str, tuple[float, ...]] = {
    "blend": (0, 0.248, 0.3302, 0.3961, 0.4478, 0.5637, 0.685, 0.7985, 1.35),
    "tfidf": (0, 0.0305, 0.0631, 0.1014, 0.137, 0.2057, 0.2674, 0.3265, 1.0),
    "bm25": (0, 0.0453, 0.0893, 0.135, 0.1764, 0.2607, 0.3401, 0.43, 1.0),
    "jaccard": (0, 0.0513, 0.0851, 0.1111, 0.1316, 0.1667, 0.1935, 0.2143, 1.0),
    "ngrams": (0, 0.0469, 0.0781, 0.0938, 0.1094, 0.1562, 0.1719, 0.2031, 1.0),
    "static": (0, 0.2342, 0.3116, 0.372, 0.4194, 0.5192, 0.6229, 0.7211, 1.0),
}
"""The figure of each scorer at each of `SCALE`."""


def calibrated(scorer: str, raw: "Floats") -> "Floats":
    """The figures on the table's scale, from 0 to 1; the order of topics stays."""
    import numpy as np

    found: Floats = np.interp(raw, RAW[scorer], SCALE).astype(np.float32)
    return found
