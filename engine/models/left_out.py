"""Lines that a summary must not read: secrets, generated blocks of other tools, and what machines wrote."""

from collections.abc import Sequence

from engine.models.noise import machine_lines
from engine.workspace.generated import generated_blocks
from engine.workspace.secrets import find_secrets

NOT_FOR_US = "line holding a secret"


def left_out_lines(lines: Sequence[str]) -> dict[int, str]:
    """Line index (from 0) to the reason why it is left out (decisions G16, C10, C27)."""
    text = "\n".join(lines)
    found = machine_lines(text, lines)
    for block in generated_blocks(text):
        reason = (
            "merge-conflict line" if block.kind == "merge-conflict" else f"line of a generated block ({block.tool})"
        )
        found.update(dict.fromkeys(range(block.start - 1, block.end), reason))
    found.update(dict.fromkeys(secret_lines(text), NOT_FOR_US))
    return found


def secret_lines(text: str) -> list[int]:
    """Indexes (from 0) of all lines that a secret touches."""
    found: list[int] = []
    for secret in find_secrets(text):
        first = secret.line - 1
        found += range(first, first + 1 + text.count("\n", secret.start, secret.end))
    return found
