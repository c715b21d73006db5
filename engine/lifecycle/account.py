"""The account of a plan: the outcome of every entry or file that went in, so that nothing is lost silently (D25)."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from engine.models.model_task import MODELS
from engine.plans.plan import ModelOutput
from engine.text.canonical_json import canonical_json, sha256_hex


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """The names of what went in and of each outcome, by the plan's changes. `unexplained` names have no outcome."""

    entries: frozenset[str]
    kept: frozenset[str] = frozenset()
    merged: frozenset[str] = frozenset()
    archived: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    superseded: frozenset[str] = frozenset()
    """The kept names that are marked as superseded, each with what supersedes it (decision D45)."""

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The names without an outcome, in order."""
        return tuple(sorted(self.entries - self.kept - self.merged - self.archived - self.left_out))

    @property
    def twice(self) -> tuple[str, ...]:
        """The names with two outcomes, those that never went in, and superseded ones that are not kept, in order."""
        told = [name for part in (self.kept, self.merged, self.archived, self.left_out) for name in part]
        wrong = {name for name in told if told.count(name) > 1 or name not in self.entries}
        return tuple(sorted(wrong | (self.superseded - self.kept)))

    @property
    def exact(self) -> bool:
        """True where each name has exactly one outcome."""
        return not self.unexplained and not self.twice

    @property
    def loss(self) -> float:
        """The share of names that are omitted, 0 to 1."""
        return len(self.left_out) / max(1, len(self.entries))

    def line(self, noun: str) -> str:
        """Gives the account in words: `21 files = 20 kept + 0 merged + 1 archived + 0 omitted`, and wrong names."""
        said = f"{len(self.entries):,} {noun} = {len(self.kept):,} kept + {len(self.merged):,} merged"
        said += f" + {len(self.archived):,} archived + {len(self.left_out):,} omitted"
        said += f"; superseded: {', '.join(sorted(self.superseded))}" if self.superseded else ""
        wrong = [*self.unexplained, *self.twice]
        return f"{said}; unexplained: {', '.join(wrong[:5])}" if wrong else said

    def facts(self) -> dict[str, int]:
        parts = {"kept": self.kept, "merged": self.merged, "archived": self.archived, "left_out": self.left_out}
        counts = {name: len(part) for name, part in parts.items()}
        counts |= {"superseded": len(self.superseded)} if self.superseded else {}
        return {"entries": len(self.entries), **counts, "unexplained": len(self.unexplained) + len(self.twice)}


def model_of(readers: Iterable[str], written: object) -> ModelOutput | None:
    """Names the model among the transcripts' readers, with the hash of all that it wrote; None for rules."""
    name, _, version = next((each for each in sorted(readers) if each.startswith(MODELS)), "").partition(" ")
    return ModelOutput(name, version, sha256_hex(canonical_json(written))) if name else None


REPORT_ROWS = 60  # rows of a report on notes of the workspace; the plan's changes name the others
IMPORT_ROWS = 40  # rows of a report on notes from elsewhere, and problems with them; they may be many thousands


def first_rows(rows: Sequence[str], most: int, where: str = "") -> tuple[str, ...]:
    """Gives the first `most` rows, and a row that counts the others; `where` tells where those are."""
    more = len(rows) - most
    return (*rows[:most], f"  … and {more:,} more{where}") if more > 0 else tuple(rows)


def by_ending(unread: Mapping[str, int]) -> list[str]:
    """Gives a row for each file ending that was not read, with its count."""
    return [f"{count:,} × {ending}" for ending, count in sorted(unread.items())]
