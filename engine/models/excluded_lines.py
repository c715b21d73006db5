"""Lines that a summary must not read: secrets, generated blocks of other tools, and what machines wrote."""

import re
from collections.abc import Sequence

from engine.models.labels import key_role
from engine.models.noise import machine_lines
from engine.models.session_lines import session_lines
from engine.text.secrets.detector import find_secrets
from engine.text.text_lines import joined
from engine.workspace.generated import generated_blocks

NOT_FOR_US = "line holding a secret"
METADATA = "metadata line"

_ENTRY = re.compile(r"([a-z_][\w.-]{0,99}):(?:\s|$)")
_GOES_ON = re.compile(r"\s+\S|- ")
_REACH = 64 * 1024
"""Characters within which frontmatter ends, or does not."""


def left_out_lines(lines: Sequence[str]) -> dict[int, str]:
    """Line index (from 0) to the reason why it is left out (decisions G16, C10, C27)."""
    text = joined(lines)
    found = session_lines(lines)
    found.update(machine_lines(lines))
    found.update(dict.fromkeys(range(unended_metadata(lines)), METADATA))
    for block in generated_blocks(text):
        reason = (
            "merge-conflict line" if block.kind == "merge-conflict" else f"line of a generated block ({block.tool})"
        )
        found.update(dict.fromkeys(range(block.start - 1, block.end), reason))
    found.update(dict.fromkeys(secret_lines(text), NOT_FOR_US))
    return found


def unended_metadata(lines: Sequence[str]) -> int:
    """Counts the lines at the top that are entries of a frontmatter that nobody closed; 0 where there is none."""
    if not lines or lines[0].rstrip() != "---" or _is_closed(lines):
        return 0
    count = 1
    for line in lines[1:]:
        entry = _ENTRY.match(line)
        if key_role(entry[1]) in ("decision", "insight") if entry else not (count > 1 and _GOES_ON.match(line)):
            break
        count += 1
    return count if count > 1 else 0


def _is_closed(lines: Sequence[str]) -> bool:
    length = 0
    for line in lines[1:]:
        if line.rstrip() in ("---", "..."):
            return True
        length += len(line) + 1
        if length > _REACH:
            break
    return False


def secret_lines(text: str) -> list[int]:
    """Indexes (from 0) of all lines that a secret touches."""
    found: list[int] = []
    for secret in find_secrets(text):
        first = secret.line - 1
        found += range(first, first + 1 + text.count("\n", secret.start, secret.end))
    return found
