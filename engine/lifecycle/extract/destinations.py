"""The table of where each kind of entry goes: its file, its section, and the risk tier of a change (§8.3, D43)."""

from collections.abc import Collection
from typing import NamedTuple

from engine.extraction.entry import EntryKind, ExtractedEntry
from engine.extraction.named_notes import person_of, project_of
from engine.plans.plan import RiskTier
from engine.workspace.memory_md import MEMORY_MD_PATHS


class Destination(NamedTuple):
    """A section of a file. `head` and `title` are those of the file where it is not there yet."""

    path: str
    section: str
    risk_tier: RiskTier
    head: str
    title: str


def destination(entry: ExtractedEntry, day: str, paths: Collection[str]) -> Destination:
    """The place that an entry goes to; `paths` are the files of the workspace, `day` is that of its turn."""
    project = project_of(entry.quote, paths)
    journal = Destination(
        f"knowledge/journal/{day}.md", f"### {project or 'general'}", RiskTier.B, f"type: journal\ndate: {day}\n", day
    )
    match entry.kind:
        case EntryKind.DECISION if project:
            path = f"knowledge/projects/{project}/context.md"
            head = f"type: project_context\nproject: {project}\n"
            return Destination(path, "## Key Decisions", RiskTier.B, head, project)
        case EntryKind.DECISION | EntryKind.JOURNAL:
            return journal  # a general decision goes to MEMORY.md at the weekly rollup (D43)
        case EntryKind.LESSON:
            # No planner makes a MEMORY.md (C18): without one a lesson stays in the journal.
            memory = next((path for path in MEMORY_MD_PATHS if path in paths), "")
            return Destination(memory, "## Lessons Learned", RiskTier.C, "", "") if memory else journal
        case EntryKind.PERSON:
            person = person_of(entry.quote, paths)
            path = f"knowledge/people/{person or 'contacts'}.md"
            return Destination(path, "## Context", RiskTier.B, "type: person\n", person or "Contacts")
        case EntryKind.PROCEDURE:
            slug = project or "general"
            return Destination(
                f"knowledge/procedures/{slug}.md", "## Steps", RiskTier.B, "type: procedure\n", f"Procedures: {slug}"
            )
        case EntryKind.FACT:
            slug = project or "facts"
            return Destination(f"knowledge/reference/{slug}.md", "## Facts", RiskTier.B, "type: reference\n", slug)
        case EntryKind.PREFERENCE:
            return _identity("USER", "user", "## Preferences")
        case EntryKind.CORRECTION:
            return _identity("AGENTS", "rules", "## Feedback")


def tier_of_file(path: str) -> RiskTier:
    """The risk tier of a change that only marks entries of a file."""
    kept = path.startswith("knowledge/identity/") or path in MEMORY_MD_PATHS
    return RiskTier.C if kept else RiskTier.B


def _identity(name: str, role: str, section: str) -> Destination:
    """An identity file: what a person likes and what they corrected are kept for ever (D43)."""
    return Destination(
        f"knowledge/identity/{name}.md", section, RiskTier.C, f"type: identity\nrole: {role}\n", name.title()
    )
