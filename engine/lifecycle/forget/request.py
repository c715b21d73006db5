"""Declares what can be asked of forgetting, and keeps the words of one that is under way until it is whole."""

from pathlib import Path
from typing import Annotated

import msgspec

from engine.errors import Damaged
from engine.plans.plan import Plan
from engine.plans.system import System
from engine.plans.system_request import SystemRequest, option
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json

NAME = "forgetting.json"
FACT = "forget"
"""The key of a plan's facts under which the words are."""


class ForgetRequest(SystemRequest, frozen=True):
    """A request to forget words, lines with all that was made from them, or all that names somebody."""

    words: Annotated[tuple[str, ...], option("Everything that says these words.", "TEXT")] = ()
    take: Annotated[tuple[str, ...], option("This line, and what was made from it.", "PATH:LINE")] = ()
    about: Annotated[tuple[str, ...], option("Everything that names this person or thing.", "NAME")] = ()
    raw: Annotated[bool, option("Raw logs, transcripts and kept originals too.")] = False
    history: Annotated[bool, option("Rewrite git's history without it.")] = False


class CorrectRequest(SystemRequest, frozen=True):
    """A request to put what holds in the place of what a line says."""

    take: Annotated[tuple[str, ...], option("The line that is wrong.", "PATH:LINE")] = ()
    value: Annotated[str, option("The statement that holds in its place.", "TEXT")] = ""
    why: Annotated[str, option("The reason, kept beside what it replaces.", "TEXT")] = ""


class WordsToForget(msgspec.Struct, frozen=True, kw_only=True):
    """The words of a plan, and how far it reaches."""

    texts: tuple[str, ...]
    sources: bool
    history: bool
    plan: str = ""


def begin(state: Path, plan: Plan) -> None:
    """Notes the words of a plan before it is applied; nothing for a plan of another system."""
    if plan.system == System.FORGET:
        words = msgspec.convert(plan.facts[FACT], WordsToForget)
        write_private(state / NAME, canonical_json(msgspec.structs.replace(words, plan=plan.id)))


def under_way(state: Path) -> WordsToForget | None:
    """Reads the request that is under way; None where there is none."""
    try:
        return msgspec.json.decode((state / NAME).read_bytes(), type=WordsToForget)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"a forgetting cannot be gone on with: {error}", where=str(state / NAME)) from error
