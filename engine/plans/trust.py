"""The trust label of a text: who stands behind it, the lowest of all that it was made from (promise F2)."""

from collections.abc import Iterable
from enum import StrEnum

import msgspec


class Trust(StrEnum):
    """The writer of a text, as the engine tells; no claim in the text itself counts. `operator`: typed in memdeck.
    `agent`: what stands in the workspace, which the agent can write. `tool`: what the agent quotes, such as output in a
    code fence or a block quote. `untrusted`: flagged lines, forged nodes, sources that are not there."""

    OPERATOR = "operator"
    AGENT = "agent"
    TOOL = "tool"
    UNTRUSTED = "untrusted"


_ORDER = tuple(Trust)
UNTRUSTED_MARK = {"trust": Trust.UNTRUSTED.value}
"""The key of a note's frontmatter, and its value, by which an imported memory says of itself that nobody vouches."""


class TrustLabel(msgspec.Struct, frozen=True):
    """A label, and in `why` the source and the reason that made it so low."""

    trust: Trust
    why: str = ""


def lowest(labels: Iterable[TrustLabel]) -> TrustLabel | None:
    """Gives the lowest label, of equal ones the first; None for none."""
    return max(labels, key=lambda label: _ORDER.index(label.trust), default=None)
