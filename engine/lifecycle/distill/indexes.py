"""Updates `projects/_active.md` and `people/_index.md`: lists what exists, and drops what was archived (D35)."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from engine.text.markdown import code_mask
from engine.text.safe_text import visible_line
from engine.text.secrets.detector import redact

_ITEM = re.compile(r"\s*[-*+]\s")
_NAMED = re.compile(r"\*\*([^*\n]+)\*\*|\[\[([^\]|#\n]+)|\]\(<?([^)\s>#]+)|`([^`\n]+)`")
_LONGEST = 80  # characters of a title in an index


class IndexFile(msgspec.Struct, frozen=True, kw_only=True):
    """A list of one folder: its path, the head of a new one, and the archive's list for old lines."""

    path: str
    kind: str
    title: str
    cold: str


ACTIVE = IndexFile(
    path="knowledge/projects/_active.md",
    kind="project_index",
    title="Active Projects",
    cold="archive/projects/_active.md",
)
PEOPLE = IndexFile(
    path="knowledge/people/_index.md", kind="people_index", title="People", cold="archive/people/_index.md"
)


class IndexEdit(msgspec.Struct, frozen=True):
    """The whole new text, the added names, and the removed lines, word for word."""

    text: str
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def kept_index(index: IndexFile, old: str | None, there: Mapping[str, str], archived: Sequence[str]) -> IndexEdit:
    """Gives the list with each name of `there`, without items that name only `archived` ones; all else stays."""
    text = old if old is not None else f"---\ntype: {index.kind}\n---\n\n# {index.title}\n"
    lines = text.split("\n")
    code = list(code_mask([line.removesuffix("\r") for line in lines]))
    named = [frozenset() if code[at] or not _ITEM.match(line) else _names(line) for at, line in enumerate(lines)]
    folded = frozenset(name.casefold() for name in there)
    cold = {name.casefold() for name in archived if name not in there}
    stale = {at for at, names in enumerate(named) if names & cold and not names & folded}
    for at in range(1, len(lines)):  # what is nested below an item goes with it
        if at - 1 in stale and lines[at].strip() and lines[at][:1] in (" ", "\t"):
            stale.add(at)
    known = frozenset().union(*named)
    added = [name for name, title in there.items() if not {name.casefold(), title.casefold()} & known]
    kept = [line for at, line in enumerate(lines) if at not in stale]
    items = [f"- **{name}** — {_shown(there[name])}" for name in added]
    return IndexEdit(_with_items(kept, items), tuple(added), tuple(lines[at] for at in sorted(stale)))


def _names(line: str) -> frozenset[str]:
    """Gives the names in an item, bold, linked or as code; of a path its last part and its folder."""
    names: set[str] = set()
    for match in _NAMED.finditer(line):
        said = next(group for group in match.groups() if group).strip().strip("/").casefold()
        parts = said.removesuffix(".md").split("/")
        names |= {said, parts[-1], parts[0]}
    return frozenset(names)


def _with_items(lines: Sequence[str], items: Sequence[str]) -> str:
    if not items:
        return "\n".join(lines)
    end = len(lines)
    while end > 0 and not lines[end - 1].strip():
        end -= 1
    gap = [] if end and _ITEM.match(lines[end - 1]) else [""]
    if gap and end < len(lines) - 1:  # a blank line is there already
        gap, end = [], end + 1
    return "\n".join((*lines[:end], *gap, *items, *(lines[end:] or [""])))


def _shown(title: str) -> str:
    clean = re.sub(r"[*\[\]<>`]", "", visible_line(redact(" ".join(title.split()))))
    return clean if len(clean) <= _LONGEST else f"{clean[:_LONGEST]}…"
