"""Plans the monthly distillation: untouched projects and people, and the lists of all (D35, B16)."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from posixpath import basename

import msgspec

from engine.lifecycle.account import REPORT_ROWS, Account, first_rows
from engine.lifecycle.archive.places import archive_place, protection
from engine.lifecycle.distill.indexes import ACTIVE, PEOPLE, IndexEdit, IndexFile, kept_index
from engine.lifecycle.prune.old_files import PruneOptions, age_of
from engine.lifecycle.references.file_links import linking_files
from engine.plans.plan import Append, Create, Move, QualityGate, Replace, RiskTier
from engine.plans.planning import Draft, Planning, PlanOutcome
from engine.text.document import split_lines
from engine.text.frontmatter import read_frontmatter
from engine.text.markdown import heading_of
from engine.text.safe_text import visible_line
from engine.workspace.snapshot import FreeNames

UNTOUCHED_DAYS = 30  # whole days, strictly more, after which a file of a project or person is listed (decision D35)
_FOLDERS = ("knowledge/projects/", "knowledge/people/")


class KnownSubject(msgspec.Struct, frozen=True, kw_only=True):
    """A project with its files, or a person. `name` is that of its folder or file; `files` are sorted."""

    folder: str
    name: str
    files: tuple[str, ...]


class ReviewedSubject(msgspec.Struct, frozen=True, kw_only=True):
    """An untouched subject, with a proposal and its reason."""

    subject: KnownSubject
    days: int
    keep: bool
    why: str


def known_subjects(paths: Sequence[str]) -> tuple[KnownSubject, ...]:
    """Gives the projects and people of a workspace, without indexes, whose names begin with `_`."""
    files: dict[tuple[str, str], list[str]] = {}
    for path in sorted(paths):
        folder = next((one for one in _FOLDERS if path.startswith(one)), "")
        name = path.removeprefix(folder).split("/")[0].removesuffix(".md")
        if folder and not name.startswith("_"):
            files.setdefault((folder, name), []).append(path)
    return tuple(KnownSubject(folder=folder, name=name, files=tuple(all_)) for (folder, name), all_ in files.items())


SYSTEM = "distill"


class DistillationPlanner:
    """Archives untouched subjects and updates both lists. A change that is not approved keeps its subject."""

    def __init__(self, planning: Planning, options: PruneOptions) -> None:
        self._planning, self._options, self._draft = planning, options, Draft(planning)
        snapshot = planning.snapshot
        self._paths = FreeNames(snapshot)
        self._subjects = known_subjects(list(snapshot.files))
        self._links = linking_files(snapshot.files, snapshot.content) if self._subjects else {}
        self._rows: list[str] = []

    def outcome(self) -> PlanOutcome:
        found = list(self._untouched())
        for reviewed in found:
            self._take(reviewed)
        gone = [reviewed.subject for reviewed in found if not reviewed.keep]
        for index, folder in ((ACTIVE, "knowledge/projects/"), (PEOPLE, "knowledge/people/")):
            self._keep(index, folder, gone)
        account = self._account()
        said = account.line("files of projects and people")
        report = "\n".join((f"{said}; {len(found):,} are untouched", *first_rows(self._rows, REPORT_ROWS))) + "\n"
        untouched = [
            {"name": one.subject.name, "days": one.days, "proposal": "keep" if one.keep else "archive"} for one in found
        ]
        return self._draft.outcome(
            SYSTEM,
            "nothing is untouched without use, and both lists are complete",
            gates=(QualityGate("account", account.exact, said),),
            report=report,
            facts={**account.facts(), "untouched": untouched},
        )

    def _untouched(self) -> Iterator[ReviewedSubject]:
        """Yields the untouched subjects; a subject is as young as its youngest file."""
        today, snapshot = self._planning.today, self._planning.snapshot
        for subject in self._subjects:
            files = [snapshot.files[path] for path in subject.files]
            days = min(age_of(facts, today, snapshot.zone, self._options.touched) for facts in files)
            if days > UNTOUCHED_DAYS:
                kept = self._kept(subject)
                why = kept or f"untouched for {days:,} days, and nothing refers to it"
                yield ReviewedSubject(subject=subject, days=days, keep=bool(kept), why=why)

    def _kept(self, subject: KnownSubject) -> str:
        snapshot, uses = self._planning.snapshot, self._options.uses
        for path in subject.files:
            if why := protection(path, snapshot.files[path].frontmatter, snapshot.text(path)):
                return why
        since = (self._planning.today - timedelta(days=UNTOUCHED_DAYS)).isoformat()
        last = max((day for path in subject.files for day in uses.get(path, {})), default="")
        if last >= since:
            return f"of use on {last}"
        links = (link for path in subject.files for link in self._links.get(path, ()))
        around = {link for link in links if link[0] not in subject.files and not basename(link[0]).startswith("_")}
        if not around:
            return ""
        source, kind = min(around)
        return f"{kind} by {source}" + (f" and {len(around) - 1:,} more" if len(around) > 1 else "")

    def _account(self) -> Account:
        """Accounts for the files of all subjects, moved or kept."""
        files = frozenset(path for subject in self._subjects for path in subject.files)
        moved = frozenset(change.path for change in self._draft.changes if isinstance(change, Move))
        stays = frozenset(path for path in files - moved if path in self._planning.snapshot.files)
        return Account(entries=files, kept=stays, archived=moved)

    def _take(self, subject: ReviewedSubject) -> None:
        kind = "project" if "/projects/" in subject.subject.folder else "person"
        said = f"{kind} {visible_line(subject.subject.name)}, {subject.days:,} days: {visible_line(subject.why)}"
        self._rows.append(f"  {'keep' if subject.keep else 'archive'}  {said}")
        for path in () if subject.keep else subject.subject.files:
            self._draft.move(path, self._paths.free_path(archive_place(path, self._planning.today)), subject.why)

    # ── the two lists ──────────────────────────────────────────────────────────────────────────────────────────────

    def _keep(self, index: IndexFile, folder: str, gone: Sequence[KnownSubject]) -> None:
        """Updates a list; lines of archived subjects move to the archive's list."""
        snapshot = self._planning.snapshot
        left = [subject for subject in self._subjects if subject.folder == folder and subject not in gone]
        cold = [one.name for one in gone if one.folder == folder] + self._cold_names(folder)
        old = snapshot.content(index.path).decode("utf-8") if index.path in snapshot.files else None
        edit = kept_index(index, old, {one.name: self._title(one) for one in left}, cold)
        if (old is None and not left) or edit.text == old:
            return
        moved = self._archive_lines(index, edit)
        said = [f"{len(edit.added):,} added"] if edit.added else []
        said += [f"{len(edit.gone):,} of what is archived to {index.cold}"] if edit.gone else []
        reason = f"the list of {'projects' if index is ACTIVE else 'people'}: {', '.join(said)}"
        self._rows.append(f"  {index.path}: {', '.join(said)}")
        for one in left if edit.added else ():
            self._draft.read(one.files[0])
        kind, tier = Create if old is None else Replace, RiskTier.C if edit.gone else RiskTier.B
        needed = self._needed(edit, gone, folder) + moved
        self._draft.write(kind, index.path, edit.text, reason, tier, requires=needed)

    def _needed(self, edit: IndexEdit, gone: Sequence[KnownSubject], folder: str) -> tuple[int, ...]:
        """Gives the numbers of the moves that must be applied before lines of the list are removed."""
        if not edit.gone:
            return ()
        files = {path for subject in gone if subject.folder == folder for path in subject.files}
        return tuple(change.n for change in self._draft.changes if isinstance(change, Move) and change.path in files)

    def _archive_lines(self, index: IndexFile, edit: IndexEdit) -> tuple[int, ...]:
        """Adds the change that keeps the removed lines, word for word; gives its number."""
        if not edit.gone:
            return ()
        number, lines = self._draft.next_number, "".join(f"{line}\n" for line in edit.gone)
        there = index.cold in self._planning.snapshot.files
        data = self._planning.snapshot.content(index.cold) if there else b""
        head = "\n" if data and not data.endswith(b"\n") else ""
        head = head if there else f"---\ntype: {index.kind}\n---\n\n# {index.title}, archived\n\n"
        reason = f"{len(edit.gone):,} lines of {index.path}, word for word"
        self._draft.write(Append if there else Create, index.cold, head + lines, reason, requires=[number + 1])
        return (number,)

    def _cold_names(self, folder: str) -> list[str]:
        cold = archive_place(folder, self._planning.today)
        inside = (path.removeprefix(cold) for path in self._planning.snapshot.files if path.startswith(cold))
        return [name.split("/")[0].removesuffix(".md") for name in inside if not name.startswith("_")]

    def _title(self, subject: KnownSubject) -> str:
        """Gives the name in a person's head, else the first heading, else the file's or folder's name."""
        snapshot = self._planning.snapshot
        first = next((path for path in subject.files if path.endswith("/context.md")), subject.files[0])
        name = snapshot.files[first].frontmatter.get("name")
        if isinstance(name, str) and name.strip():
            return name.strip()
        data = snapshot.content(first)
        lines = split_lines(data.decode("utf-8", "replace"))[read_frontmatter(data).body_line - 1 :]
        heading = next((found for line in lines if (found := heading_of(line)) is not None), None)
        return heading.text if heading is not None and heading.text else subject.name
