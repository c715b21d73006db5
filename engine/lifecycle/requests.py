"""The options of the lifecycle's systems."""

from enum import StrEnum
from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ArchiveRequest(SystemRequest, frozen=True):
    """The files and folders to archive or restore; by default the daily logs that are due."""

    take: Annotated[tuple[str, ...], option("This file or folder.", "PATH")] = ()


class BranchesRequest(SystemRequest, frozen=True):
    """The branches to end, whatever their age."""

    take: Annotated[tuple[str, ...], option("This branch, whatever its age.", "BRANCH")] = ()


class CondensePart(StrEnum):
    """The parts: transcripts into journals, and journals into MEMORY.md."""

    DAILY = "daily"
    WEEKLY = "weekly"


class CondenseRequest(SystemRequest, frozen=True):
    """The parts to plan, and days or one week instead of what is due."""

    take: Annotated[tuple[str, ...], option("This day, or this week.", "DAY|WEEK")] = ()
    only: Annotated[tuple[CondensePart, ...], option("Only this part.")] = ()


class ExtractRequest(SystemRequest, frozen=True, kw_only=True):
    """The closed transcripts to extract from, by default all; the ids of refused (`left_out`) and accepted entries."""

    transcripts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()


class FlushRequest(SystemRequest, frozen=True):
    """`band` is that of the window that calls for a flush; empty where a person asks."""

    aggressive: Annotated[bool, option("Summarise also what is kept word for word otherwise.")] = False
    band: str = ""


class FolderRequest(SystemRequest, frozen=True):
    """The two folders of a review: the notes before and after somebody's work."""

    before: str
    after: str


class ImportRequest(SystemRequest, frozen=True):
    """The kind of sessions to import, their file or folder, the folders below it, and where a home was sought."""

    kind: str
    path: str
    only: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()


class PrunePart(StrEnum):
    """The three parts of a prune (§9.2), and the unused entries, only if asked."""

    MEMORY = "memory"
    JOURNALS = "journals"
    FILES = "files"
    UNUSED = "unused"


class PruneRequest(SystemRequest, frozen=True):
    """The parts to plan, by default all."""

    only: Annotated[tuple[PrunePart, ...], option("Only this part.")] = ()


class ReplayRequest(SystemRequest, frozen=True):
    """A replay by name, on several processes or a cluster, kept on a branch `extract/NAME` if asked."""

    name: Annotated[str, option("Its name; one of this name that was stopped goes on.", "NAME")] = "replay"
    workers: Annotated[int, option("Read transcripts on N processes.", "N", least=1, most=64)] = 1
    scheduler: Annotated[str, option("Read transcripts on this Dask cluster.", "ADDRESS")] = ""
    branch: Annotated[bool, option("Keep it on the branch extract/NAME, each week rolled up.")] = False


class InitRequest(SystemRequest, frozen=True):
    """`private`: git encrypts the private folders with git-crypt."""

    private: Annotated[bool, option("Let git encrypt the private folders by git-crypt.")] = False


class ShareRequest(SystemRequest, frozen=True):
    """The shares to update or archive, by default all."""

    take: Annotated[tuple[str, ...], option("Only this share.", "NAME")] = ()


class ForgetRequest(SystemRequest, frozen=True):
    """A request to forget words, lines and what was made of them, all that names somebody, or an address's values."""

    words: Annotated[tuple[str, ...], option("Everything that says these words.", "TEXT")] = ()
    take: Annotated[
        tuple[str, ...], option("This line, or a fact of it, and what was made of it.", "PATH:LINE[.N]")
    ] = ()
    about: Annotated[tuple[str, ...], option("Everything that names this person or thing.", "NAME")] = ()
    address: Annotated[tuple[str, ...], option("All values, now and before, of what facts are about.", "SUBJECT")] = ()
    raw: Annotated[bool, option("Raw logs, transcripts and kept originals too.")] = False
    history: Annotated[bool, option("Rewrite git's history without it.")] = False


class CorrectRequest(SystemRequest, frozen=True):
    """A request to replace a wrong line's statement by the right one."""

    take: Annotated[tuple[str, ...], option("The line that is wrong.", "PATH:LINE")] = ()
    value: Annotated[str, option("The statement that holds in its place.", "TEXT")] = ""
    why: Annotated[str, option("The reason, kept beside what it replaces.", "TEXT")] = ""


class FeedbackRequest(SystemRequest, frozen=True):
    """The file to write, instead of the first that the agent loads."""

    take: Annotated[tuple[str, ...], option("The file to write to.", "PATH")] = ()


class VerifyRequest(SystemRequest, frozen=True):
    """The repository that memory is about, and the lines to correct; without lines only marks are planned."""

    repository: Annotated[str, option("The repository or folder that memory speaks of.", "DIR")] = ""
    take: Annotated[tuple[str, ...], option("Put this line right, and no other.", "PATH:LINE")] = ()
