"""The message of the commit that a plan becomes: its subject, its changes with their reasons, and its sessions."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from engine.plans.plan import Change, Move, Plan
from engine.workspace.layout import CONVERSATIONS, IDENTITY_FILES

FACT = "commit"  # the key of the plan's facts under which a model's sentences about its diff are
SESSION = "Session: "
"""Opens a line that names a transcript, and becomes a trailer; every other line of the body is a bullet."""
MOST_LINES = 20  # lines of a commit message's body, and transcripts among its trailers


class CommitType(StrEnum):
    """The first word of a message (autopoiesis §3.2). `explore` is for commits of a branch, and of no plan."""

    CONVERSATION = "conversation"
    MEMORY = "memory"
    IDENTITY = "identity"
    MAINTENANCE = "maintenance"
    EXTRACT = "extract"


def commit_message(plan: Plan, numbers: Sequence[int]) -> str:
    """Subject, body and sessions of some changes of a plan; what a model wrote of all is not said of a part."""
    said = plan.facts.get(FACT) if len(numbers) == len(plan.changes) else None
    body = [str(line) for line in said] if isinstance(said, list) else list(_reasons(plan, set(numbers)))
    lines = [f"- {' '.join(line.split())}" for line in body]
    sessions = [f"{SESSION}{path}" for path in _sessions(plan, set(numbers))]
    return "\n".join((subject(plan, numbers), "", *lines, *sessions))


def conversation_subject(path: str) -> str:
    """Gives the first line of the commit of one transcript: `conversation: SLUG` (autopoiesis §3.2)."""
    name = path.rpartition("/")[2].removesuffix(".md")
    return f"{CommitType.CONVERSATION}: {name.split('-', 2)[-1]}"


def subject(plan: Plan, numbers: Sequence[int]) -> str:
    """Gives the first line of an apply's commit: `maintenance: compact, 1 change (manual)` (decisions D22, D51)."""
    count = "1 change" if len(numbers) == 1 else f"{len(numbers)} changes"
    chosen = [change for change in plan.changes if change.n in set(numbers)]
    return f"{commit_type(chosen)}: {plan.system}, {count} ({plan.trigger})"


def commit_type(changes: Sequence[Change]) -> CommitType:
    """Tells the type by the paths of a commit and of its lines' sources; mixed ones are `maintenance` (D51)."""
    types = {_type(change) for change in changes}
    return types.pop() if len(types) == 1 else CommitType.MAINTENANCE


def _type(change: Change) -> CommitType:
    if isinstance(change, Move):
        return CommitType.MAINTENANCE
    extracted = change.sources and all(source.path.startswith(f"{CONVERSATIONS}/") for source in change.sources)
    if extracted and not change.path.startswith(("archive/", "memory/", f"{CONVERSATIONS}/")):
        return CommitType.EXTRACT
    return type_of_path(change.path)


def type_of_path(path: str) -> CommitType:
    """Gives the type of a commit that writes one file, by its path alone."""
    if path.startswith(f"{CONVERSATIONS}/"):
        return CommitType.CONVERSATION
    if path in IDENTITY_FILES or path.startswith("knowledge/identity/"):
        return CommitType.IDENTITY
    return CommitType.MEMORY if path.startswith(("knowledge/", "topics/")) else CommitType.MAINTENANCE


def _sessions(plan: Plan, numbers: set[int]) -> list[str]:
    """Lists the transcripts that the chosen changes come from, or are; at most as many as the body has lines."""
    found: dict[str, None] = {}
    for change in plan.changes:
        if change.n in numbers:
            paths = [change.path, *(one.path for one in change.sources)]
            found |= dict.fromkeys(path for path in paths if path.startswith(f"{CONVERSATIONS}/"))
    return [path for path in found if path.isprintable()][:MOST_LINES]


def _reasons(plan: Plan, numbers: set[int]) -> Iterator[str]:
    chosen = [change for change in plan.changes if change.n in numbers]
    for change in chosen[:MOST_LINES]:
        to = f" → {change.to}" if isinstance(change, Move) else ""
        yield f"{change.path}{to}: {change.reason}"
    if len(chosen) > MOST_LINES:
        yield f"and {len(chosen) - MOST_LINES:,} more"
