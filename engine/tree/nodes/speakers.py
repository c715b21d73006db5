"""Finds the speakers of a chat between people, as `I` and `you` are clear only beside a name."""

from collections import Counter
from collections.abc import Sequence

from engine.models.labels import key_role, speaker_of
from engine.text.markdown import heading_of
from engine.tree.nodes.kept_or_left_out import NODE_WORDS

LEAST_TURNS = 2  # turns of a name from which it is a speaker's, beside at least one other


def speakers(lines: Sequence[str]) -> dict[int, str]:
    """Returns the speaker of each line by its index, if names begin half of the lines or more; else nothing."""
    matched = ((at, NODE_WORDS["speaker"].match(line)) for at, line in enumerate(lines))
    opened = {at: match["name"] for at, match in matched if match is not None}
    turns = Counter(opened.values())
    names = {name for name, many in turns.items() if many >= LEAST_TURNS and not (speaker_of(name) or key_role(name))}
    if len(names) < 2:
        return {}
    written = sum(1 for line in lines if line.strip() and heading_of(line) is None)
    if 2 * sum(turns[name] for name in names) < written:
        return {}
    found: dict[int, str] = {}
    who = ""
    for at, line in enumerate(lines):
        who = opened.get(at, "" if not line.strip() or NODE_WORDS["opens"].match(line) else who)
        if who in names:
            found[at] = who
    return found
