"""Declares what can be asked of forgetting, and of correcting."""

from typing import Annotated

from engine.plans.system_request import SystemRequest, option


class ForgetRequest(SystemRequest, frozen=True):
    """A request to forget words, lines with all that was made from them, or all that names somebody."""

    words: Annotated[tuple[str, ...], option("Everything that says these words.", "TEXT")] = ()
    take: Annotated[tuple[str, ...], option("This line, and what was made from it.", "PATH:LINE")] = ()
    about: Annotated[tuple[str, ...], option("Everything that names this person or thing.", "NAME")] = ()
    raw: Annotated[bool, option("Raw logs, transcripts and kept originals too.")] = False
    history: Annotated[bool, option("Rewrite git's history without it.")] = False


class CorrectRequest(SystemRequest, frozen=True):
    """A line, what holds in its place, and why."""

    take: Annotated[tuple[str, ...], option("The line that is wrong.", "PATH:LINE")] = ()
    value: Annotated[str, option("What holds in its place.", "TEXT")] = ""
    why: Annotated[str, option("The reason, kept beside what it replaces.", "TEXT")] = ""
