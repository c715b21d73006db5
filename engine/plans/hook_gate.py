"""The checks that the agent's pre-commit hook makes, asked of a plan before it is queued (decisions D51, G25)."""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from engine.plans.diff import bytes_or_none
from engine.plans.plan import QualityGate
from engine.workspace.layout import CONVERSATIONS, MEMORY_MD_LINES, MEMORY_MD_PATHS, is_note

HOOK_CHECK = "hooks"  # the id of the plan check
HOOK_WARNING = "hooks: "  # begins each warning
PUT_BACK = frozenset({"revert", "restore"})
"""Systems whose plans restore earlier bytes, which no hook may refuse (decision G25)."""
_LIMITS = dict(MEMORY_MD_LINES)


class HookFault(msgspec.Struct, frozen=True):
    """A remark of the hook about one file; `refuses`: the hook would stop the commit."""

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
    """Counts lines as `wc -l` does, and a last line without a line end too."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def hook_gate(
    after: Mapping[str, bytes | None], read: Callable[[str], bytes], *, puts_back: bool = False
) -> tuple[QualityGate | None, tuple[str, ...]]:
    """Checks the files as the plan leaves them; gives the check, None if the hook checks none, and its warnings. A
    MEMORY.md above its cap may shrink. `puts_back`: the bytes were in the workspace before, so faults only warn."""
    looked = {path: data for path, data in after.items() if data is not None and is_looked_at(path)}
    if not looked:
        return None, ()
    refused = [] if puts_back else [what for path, data in looked.items() for what in _refusals(path, data, read)]
    faults = (fault for path, data in looked.items() for fault in hook_faults(path, data))
    warnings = tuple(f"{HOOK_WARNING}{fault.path} {fault.what}" for fault in faults)
    detail = "; ".join(refused) or f"{len(looked):,} files as the pre-commit hook wants them"
    return QualityGate(HOOK_CHECK, not refused, detail), warnings if not refused else ()


def is_looked_at(path: str) -> bool:
    """Tells whether the pre-commit hook checks a path."""
    return path in MEMORY_MD_PATHS or path.startswith((f"{CONVERSATIONS}/", "topics/"))


def _refusals(path: str, data: bytes, read: Callable[[str], bytes]) -> Iterator[str]:
    if path in MEMORY_MD_PATHS:
        lines = physical_lines(data)
        if lines > _LIMITS["full"] and lines > physical_lines(bytes_or_none(read, path) or b""):
            yield f"{path} would grow to {lines:,} lines, agents load {_LIMITS['full']}: memdeck plan prune"
        return
    yield from (f"{fault.path} {fault.what}" for fault in hook_faults(path, data) if fault.refuses)
