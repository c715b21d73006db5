"""The trust label of a text: who vouches for it, the lowest of all its sources (promise F2)."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Trust(StrEnum):
    """The writer of a text, as memdeck knows, whatever the text claims. `operator`: typed in memdeck. `agent`: other
    text of the workspace. `tool`: quoted text. `untrusted`: flagged lines, forged nodes, missing sources."""

    OPERATOR = "operator"
    AGENT = "agent"
    TOOL = "tool"
    UNTRUSTED = "untrusted"


_ORDER = tuple(Trust)  # the highest first
UNTRUSTED_MARK = {"trust": Trust.UNTRUSTED.value}
"""The frontmatter key and value by which an imported memory says that nobody vouches for it."""


class TrustLabel(msgspec.Struct, frozen=True):
    """A label; `why` has the source and the reason that lowered it."""

    trust: Trust
    why: str = ""


def lowest(labels: Iterable[TrustLabel]) -> TrustLabel | None:
    """Gives the lowest label, the first of equal ones; None if there is none."""
    return max(labels, key=lambda label: _ORDER.index(label.trust), default=None)
