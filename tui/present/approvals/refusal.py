"""Says what is refused of a plan, what goes along and why, and how much of the plan stays."""

from engine.plans.plan import Change, Plan
from engine.plans.refusal import PartialRefusal
from tui.present.diff import verb
from tui.present.spans import Line, Span
from tui.present.words import noun, tail

_LISTED = 6  # changes that go along of which the dialog says each; it counts the others


def refusal_title(refused: PartialRefusal) -> Line:
    """`Refuse 2 hunks`, `Refuse change 3`."""
    hunks = [name for name in refused.names if "#" in name]
    what = noun(len(hunks), "hunk") if hunks else f"change {', '.join(refused.names)}"
    return (Span(f"Refuse {what}", "title"),)


def refusal_lines(plan: Plan, refused: PartialRefusal) -> tuple[Line, ...]:
    """The refused, one a line, what goes along with its reason, and what is left."""
    changes = {change.n: change for change in plan.changes}
    lines: list[Line] = [
        (Span(f"{name:<6}", "strong"), *_what(changes[int(name.partition("#")[0])])) for name in refused.names[:_LISTED]
    ]
    if len(refused.names) > _LISTED:
        lines.append((Span(f"and {len(refused.names) - _LISTED} more", "muted"),))
    for one in refused.along[:_LISTED]:
        why = Span(f"  {one.why}", "muted")
        lines.append((Span(f"{one.change:<6}", "warn"), *_what(changes[one.change]), why))
    if len(refused.along) > _LISTED:
        lines.append((Span(f"and {len(refused.along) - _LISTED} more that go along", "warn"),))
    left = noun(len(plan.changes) - len(refused.changes), "change")
    return (*lines, (Span(f"The rest, {left}, becomes a plan of its own, which nobody approved.", "muted"),))


def _what(change: Change) -> Line:
    return (Span(f"{verb(change)} ", "muted"), Span(tail(change.path)))
