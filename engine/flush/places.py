"""Chooses where each item of a flush goes, by the workspace's layout: one item, one place (B17)."""

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
    """The layouts of decision B17, recognised by the files that exist."""

    DAILY_LOGS = "DailyLogs"
    KNOWLEDGE = "knowledge"
    MEMORY = "memory"


_LOGS = dict(zip(FlushLayout, ("DailyLogs", "knowledge/journal", "memory"), strict=True))


class FlushPlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The target files of a workspace. `memory_md` is empty if nothing is promoted."""

    layout: FlushLayout
    memory_md: str
    projects: dict[str, str]  # by its slug the `context.md` of a project
    zone: str

    def log(self, at: datetime) -> str:
        """Returns the daily log of an instant: by UTC in DailyLogs, else by the workspace's zone (decision G5)."""
        return f"{_LOGS[self.layout]}/{self.local(at):%Y-%m-%d}.md"

    def local(self, at: datetime) -> datetime:
        return at.astimezone(zone_of("UTC" if self.layout is FlushLayout.DAILY_LOGS else self.zone))

    def place_of(self, item: FlushItem) -> str:
        """Returns the file that an item goes to; empty for the log."""
        if not item.lasting:
            return ""
        if self.layout is FlushLayout.KNOWLEDGE and item.category is FlushCategory.DECISION:
            return self.projects.get(item.project, "")
        return self.memory_md

    def project_of(self, item: FlushItem) -> str:
        """Returns the only project that a decision names; empty if there is none, several, and other items."""
        if item.category is not FlushCategory.DECISION:
            return ""
        words = f" {_APART.sub(' ', f'{item.text} {item.rationale}'.casefold())} "
        named = [slug for slug in self.projects if f" {slug.casefold()} " in words]
        return named[0] if len(named) == 1 else ""


def places(
    files: Collection[str], *, daily_logs: bool, zone: str, loaded: Collection[str] = frozenset()
) -> FlushPlaces:
    """Chooses the places. `daily_logs`: the folder DailyLogs exists, maybe empty. `loaded`: files that platforms load;
    a MEMORY.md among them is preferred (decision D60)."""
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
