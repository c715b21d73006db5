"""Keeps the words of a forgetting that is under way until it is whole."""

from pathlib import Path

import msgspec

from engine.errors import Damaged
from engine.plans.plan import Plan
from engine.plans.system import System
from engine.state.private_files import write_private
from engine.text.canonical_json import canonical_json

NAME = "forgetting.json"
FACT = "forget"
"""The key of a plan's facts under which the words are."""


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
