"""The bands of a context window, by its share in use (window §Automatic Trigger, decision B1)."""

from collections.abc import Mapping
from enum import StrEnum
from fnmatch import fnmatchcase

DEFAULT_MODEL = ""  # the name of a model that nobody told


class WindowBand(StrEnum):
    """The band that a share of the window falls in; `unknown` where nothing says how much is in use."""

    OK = "ok"
    WARNING = "warning"
    COMPACT = "compact"
    EMERGENCY = "emergency"
    UNKNOWN = "unknown"


PER_MILLE: tuple[tuple[WindowBand, int], ...] = (
    (WindowBand.WARNING, 800),
    (WindowBand.COMPACT, 900),
    (WindowBand.EMERGENCY, 975),
)
"""Thousandths of the window from which on (`>=`) a band holds: 160,000, 180,000 and 195,000 of 200,000."""


def band_of(tokens: int, limit: int) -> WindowBand:
    """The band of so many tokens in a window of `limit`; whole numbers, so that no rounding moves an edge."""
    passed = [band for band, share in PER_MILLE if tokens * 1000 >= limit * share]
    return passed[-1] if passed else WindowBand.OK


def edge(band: WindowBand, limit: int) -> int:
    """The fewest tokens that are in a band of a window of `limit`."""
    return next(-(-limit * share // 1000) for found, share in PER_MILLE if found is band)


def limit_of(model: str, by_model: Mapping[str, int], default: int) -> int:
    """The window of a model: that of its name, else of the longest pattern with `*` that fits, else the default."""
    if model in by_model:
        return by_model[model]
    fitting = [pattern for pattern in by_model if "*" in pattern and fnmatchcase(model, pattern.replace("[", "[[]"))]
    return by_model[max(fitting, key=len)] if fitting and model else default
