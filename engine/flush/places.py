"""Finds where a flush writes by what the workspace has, and the place of each item: one item, one place (B17)."""

import re
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum

import msgspec

from engine.flush.items import FlushCategory, FlushItem
from engine.workspace.dates import zone_of
from engine.workspace.layout import MEMORY_MD_PATHS

_APART = re.compile(r"[^\w-]+")
_PROJECT = re.compile(r"knowledge/projects/(?P<slug>[^/]+)/context\.md")


class FlushLayout(StrEnum):
    """The layouts of decision B17, by which files there are."""

    DAILY_LOGS = "DailyLogs"
    KNOWLEDGE = "knowledge"
    MEMORY = "memory"


_LOGS = dict(zip(FlushLayout, ("DailyLogs", "knowledge/journal", "memory"), strict=True))


class FlushPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The places of a workspace. `memory_md` is empty where nothing is promoted."""

    layout: FlushLayout
    memory_md: str
    projects: dict[str, str]  # by its slug the `context.md` of a project
    zone: str

    def log(self, at: datetime) -> str:
        """The daily log of an instant: the window's days are UTC, the others those of the workspace (decision G5)."""
        return f"{_LOGS[self.layout]}/{self.local(at):%Y-%m-%d}.md"

    def local(self, at: datetime) -> datetime:
        return at.astimezone(zone_of("UTC" if self.layout is FlushLayout.DAILY_LOGS else self.zone))

    def place_of(self, item: FlushItem) -> str:
        """The file that an item goes to; empty for the log."""
        if not item.lasting:
            return ""
        if self.layout is FlushLayout.KNOWLEDGE and item.category is FlushCategory.DECISION:
            return self.projects.get(item.project, "")
        return self.memory_md

    def project_of(self, item: FlushItem) -> str:
        """The project that a decision names; empty for none, for several, and for all other items."""
        if item.category is not FlushCategory.DECISION:
            return ""
        words = f" {_APART.sub(' ', f'{item.text} {item.rationale}'.casefold())} "
        named = [slug for slug in self.projects if f" {slug.casefold()} " in words]
        return named[0] if len(named) == 1 else ""


def places(
    files: Collection[str], *, daily_logs: bool, zone: str, loaded: Collection[str] = frozenset()
) -> FlushPlaces:
    """Finds the places. `daily_logs`: the folder DailyLogs is there, if empty. `loaded` are files that platforms load:
    what is promoted goes to a MEMORY.md among them before any other (decision D60)."""
    projects = {found["slug"]: path for path in sorted(files) if (found := _PROJECT.fullmatch(path))}
    if daily_logs or any(path.startswith("DailyLogs/") for path in files):
        layout, usual = FlushLayout.DAILY_LOGS, "MEMORY.md"
    elif any(path.startswith("knowledge/") for path in files):
        layout, usual = FlushLayout.KNOWLEDGE, "knowledge/memory/MEMORY.md"
    else:
        layout, usual = FlushLayout.MEMORY, ""
    known = [path for path in MEMORY_MD_PATHS if path in files and (usual or path in loaded)]
    there = next((path for path in known if path in loaded), known[0] if known else usual)
    return FlushPlaces(layout=layout, memory_md=there, projects=projects, zone=zone)
