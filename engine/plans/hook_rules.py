"""Checks of every plan that the agent's git hooks make of a commit: on the bytes to be committed (decisions D23, D51).
Our commits run no hook. So what a hook would refuse is a plan check of ours, and what it would warn of a warning."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from engine.plans.diff import bytes_or_none
from engine.plans.plan import QualityGate
from engine.workspace.layout import CONVERSATIONS, MEMORY_MD_LINES, MEMORY_MD_PATHS, is_note

GATE = "hooks"  # the plan check that stands in for the pre-commit hook
WARNING = "hooks: "  # begins a warning that the pre-commit hook would give
PUT_BACK = frozenset({"revert", "restore"})
"""Systems whose plans put bytes back that stood in the workspace before: that is no growth (decision G25)."""
_LIMITS = dict(MEMORY_MD_LINES)


class HookFault(msgspec.Struct, frozen=True):
    """A remark of a hook about one file; `refuses`: it would hold the commit up."""

    path: str
    what: str
    refuses: bool


def hook_faults(path: str, data: bytes) -> Iterator[HookFault]:
    """Gives the remarks of the pre-commit hook about these bytes at this path."""
    if path.startswith(f"{CONVERSATIONS}/") and is_note(path.rpartition("/")[2]):
        if data.partition(b"\n")[0].replace(b"\r", b"") != b"---":
            yield HookFault(path, "has no frontmatter: its first line must be ---", refuses=True)
    elif path in MEMORY_MD_PATHS:
        yield from _of_memory(path, physical_lines(data))
    elif path.startswith("topics/") and is_note(path.rpartition("/")[2]) and b"\ntriggers:" not in b"\n" + data:
        yield HookFault(path, "has no triggers", refuses=False)


def _of_memory(path: str, lines: int) -> Iterator[HookFault]:
    if lines > _LIMITS["over"]:
        yield HookFault(path, f"has {lines:,} lines, {_LIMITS['over']} are allowed", refuses=True)
    elif lines > _LIMITS["warning"]:
        yield HookFault(path, f"has {lines:,} lines, agents load {_LIMITS['full']}", refuses=False)


def physical_lines(data: bytes) -> int:
    """Lines as `wc -l` counts them, and a last one without its end."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def hook_gate(
    after: Mapping[str, bytes | None], read: Callable[[str], bytes], *, puts_back: bool = False
) -> tuple[QualityGate | None, tuple[str, ...]]:
    """The plan check over the files as they will be, and its warnings; no check where no hook looks at any of them. A
    plan that makes a file better passes: MEMORY.md above its cap may shrink, and a transcript is only ever new.
    `puts_back`: the bytes stood there before, so that none is refused, and what a hook would refuse is a warning."""
    looked = {path: data for path, data in after.items() if data is not None and is_looked_at(path)}
    if not looked:
        return None, ()
    refused = [] if puts_back else [what for path, data in looked.items() for what in _refusals(path, data, read)]
    said = [one for path, data in looked.items() for one in hook_faults(path, data)]
    warnings = tuple(f"{WARNING}{one.path} {one.what}" for one in said)
    detail = "; ".join(refused) or f"{len(looked):,} files as the pre-commit hook wants them"
    return QualityGate(GATE, not refused, detail), warnings if not refused else ()


def is_looked_at(path: str) -> bool:
    """Tells whether the pre-commit hook looks at a path."""
    return path in MEMORY_MD_PATHS or path.startswith((f"{CONVERSATIONS}/", "topics/"))


def _refusals(path: str, data: bytes, read: Callable[[str], bytes]) -> Iterator[str]:
    if path in MEMORY_MD_PATHS:
        lines = physical_lines(data)
        if lines > _LIMITS["full"] and lines > physical_lines(bytes_or_none(read, path) or b""):
            yield f"{path} would grow to {lines:,} lines, agents load {_LIMITS['full']}: memdeck plan prune"
        return
    yield from (f"{one.path} {one.what}" for one in hook_faults(path, data) if one.refuses)
