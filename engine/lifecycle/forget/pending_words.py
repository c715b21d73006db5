"""A forgetting that is under way: its words are on disk before the first of them goes, and gone once it is whole."""

from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.plans.plan import Plan
from engine.plans.system import System
from engine.state.private_files import remove_private, write_private
from engine.text.canonical_json import canonical_json

NAME = "forgetting.json"
FACT = "forget"
"""The key of a plan's facts under which the words are."""


class PendingWords(msgspec.Struct, frozen=True, kw_only=True):
    """The words that a plan forgets, themselves."""

    texts: tuple[str, ...]
    sources: bool
    history: bool
    plan: str = ""
    at: datetime | None = None


def words_of(plan: Plan) -> PendingWords | None:
    """Reads from the plan what it forgets; None for a plan of another system."""
    if plan.system != System.FORGET:
        return None
    return msgspec.structs.replace(msgspec.convert(plan.facts[FACT], PendingWords), plan=plan.id)


def begin(state: Path, plan: Plan, now: datetime) -> None:
    """Notes the words of a plan before it is applied; nothing for a plan of another system."""
    words = words_of(plan)
    if words is not None:
        write_private(state / NAME, canonical_json(msgspec.structs.replace(words, at=now)))


def load_pending(state: Path) -> PendingWords | None:
    """Reads the forgetting that is under way; None where there is none."""
    try:
        return msgspec.json.decode((state / NAME).read_bytes(), type=PendingWords)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"a forgetting cannot be gone on with: {error}", where=str(state / NAME)) from error


def end(state: Path) -> None:
    """Removes the words: nothing is left to go on with."""
    remove_private(state / NAME)
