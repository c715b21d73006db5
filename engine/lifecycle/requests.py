"""Declares what can be asked of each system of the lifecycle."""

from enum import StrEnum
from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ArchiveRequest(SystemRequest, frozen=True):
    """Files and folders to archive, in the place of the daily logs that are due, or to restore."""

    take: Annotated[tuple[str, ...], option("This file or folder.", "PATH")] = ()


class BranchesRequest(SystemRequest, frozen=True):
    """Branches to end whatever their age."""

    take: Annotated[tuple[str, ...], option("This branch, whatever its age.", "BRANCH")] = ()


class CondensePart(StrEnum):
    """Transcripts into journals, and journals into MEMORY.md."""

    DAILY = "daily"
    WEEKLY = "weekly"


class CondenseRequest(SystemRequest, frozen=True):
    """Parts to plan, and days or one week to take in the place of what is due."""

    take: Annotated[tuple[str, ...], option("This day, or this week.", "DAY|WEEK")] = ()
    only: Annotated[tuple[CondensePart, ...], option("Only this part.")] = ()


class ExtractRequest(SystemRequest, frozen=True, kw_only=True):
    """The closed transcripts to extract from, none named for all, and the operator's word on entries, by their ids.
    `left_out` were refused; `accepted` are inferred or proposed ones that were taken."""

    transcripts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()


class FlushRequest(SystemRequest, frozen=True):
    """`band`: the band of the window that calls for a flush; empty where a person does."""

    aggressive: Annotated[bool, option("Summarise also what is kept word for word otherwise.")] = False
    band: str = ""


class FolderRequest(SystemRequest, frozen=True):
    """The two folders of a review: the notes before and after somebody worked on them."""

    before: str
    after: str


class ImportRequest(SystemRequest, frozen=True):
    """The kind of sessions to import, and the file or folder where they are. `only`: the folders below it that count;
    none named: all. `looked`: where a home of the tool was looked for."""

    kind: str
    path: str
    only: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()


class PrunePart(StrEnum):
    """The three parts of a prune, as §9.2 has them, and the entries that no answer used, which are asked for."""

    MEMORY = "memory"
    JOURNALS = "journals"
    FILES = "files"
    UNUSED = "unused"


class PruneRequest(SystemRequest, frozen=True):
    """The parts to plan; none named: all."""

    only: Annotated[tuple[PrunePart, ...], option("Only this part.")] = ()


class ReplayRequest(SystemRequest, frozen=True):
    """A replay by name, on so many processes or on a cluster, compared or kept on a branch `extract/NAME`."""

    name: Annotated[str, option("Its name; one of this name that was stopped goes on.", "NAME")] = "replay"
    workers: Annotated[int, option("Read transcripts on N processes.", "N", least=1, most=64)] = 1
    scheduler: Annotated[str, option("Read transcripts on this Dask cluster.", "ADDRESS")] = ""
    branch: Annotated[bool, option("Keep it on the branch extract/NAME, each week rolled up.")] = False


class InitRequest(SystemRequest, frozen=True):
    """`private`: git encrypts the private folders by git-crypt."""

    private: Annotated[bool, option("Let git encrypt the private folders by git-crypt.")] = False


class ShareRequest(SystemRequest, frozen=True):
    """Shares to bring up to date or to archive; none named: all."""

    take: Annotated[tuple[str, ...], option("Only this share.", "NAME")] = ()


class ForgetRequest(SystemRequest, frozen=True):
    """A request to forget words, lines and what was made from them, whatever names somebody, or an address's values."""

    words: Annotated[tuple[str, ...], option("Everything that says these words.", "TEXT")] = ()
    take: Annotated[
        tuple[str, ...], option("This line, or a fact of it, and what was made of it.", "PATH:LINE[.N]")
    ] = ()
    about: Annotated[tuple[str, ...], option("Everything that names this person or thing.", "NAME")] = ()
    address: Annotated[tuple[str, ...], option("All values, now and before, of what facts are about.", "SUBJECT")] = ()
    raw: Annotated[bool, option("Raw logs, transcripts and kept originals too.")] = False
    history: Annotated[bool, option("Rewrite git's history without it.")] = False


class CorrectRequest(SystemRequest, frozen=True):
    """A request to put what holds in the place of what a line says."""

    take: Annotated[tuple[str, ...], option("The line that is wrong.", "PATH:LINE")] = ()
    value: Annotated[str, option("The statement that holds in its place.", "TEXT")] = ""
    why: Annotated[str, option("The reason, kept beside what it replaces.", "TEXT")] = ""


class FeedbackRequest(SystemRequest, frozen=True):
    """The file to write to, in the place of the first that the agent loads."""

    take: Annotated[tuple[str, ...], option("The file to write to.", "PATH")] = ()


class VerifyRequest(SystemRequest, frozen=True):
    """The repository that memory speaks of, and the lines to put right; none named: marks alone."""

    repository: Annotated[str, option("The repository or folder that memory speaks of.", "DIR")] = ""
    take: Annotated[tuple[str, ...], option("Put this line right, and no other.", "PATH:LINE")] = ()
