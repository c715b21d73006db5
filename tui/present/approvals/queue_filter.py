"""Filters the queue by words, `tier:c`, `system:`, `to:`, `state:`, `older:3d`, `newer:2h`; all terms must match."""

from collections.abc import Callable
from datetime import datetime, timedelta

from engine.plans.plan import QueueEntry

Holds = Callable[[QueueEntry], bool]

HELP = "words, or tier:c  system:compact  to:semantic  state:stale  older:3d  newer:2h"

_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def holds(text: str, now: datetime) -> Holds | None:
    """Makes the test of a filter; None if the filter has no complete term."""
    terms = [term for term in (_term(word, now) for word in text.casefold().split()) if term is not None]
    if not terms:
        return None
    return lambda entry: all(term(entry) for term in terms)


def _term(word: str, now: datetime) -> Holds | None:
    name, colon, value = word.partition(":")
    match name if colon else "":
        case "tier":
            return (lambda entry: entry.risk_tier.value.casefold() == value) if value else None
        case "system":
            return lambda entry: value in entry.system.casefold()
        case "state":
            return lambda entry: value in entry.state.value
        case "to":
            return lambda entry: any(value in target.casefold() for target in entry.targets)
        case "older" | "newer":
            return _age(value, now, older=name == "older")
        case _:
            return lambda entry: word in _words(entry)


def _age(value: str, now: datetime, *, older: bool) -> Holds | None:
    number, unit = (value[:-1], value[-1]) if value[-1:] in _UNITS else (value, "d")
    if not (number.isascii() and number.isdigit()) or len(number) > 4:
        return None
    since = now - int(number) * _UNITS[unit]
    if older:
        return lambda entry: entry.made_at < since
    return lambda entry: entry.made_at >= since


def _words(entry: QueueEntry) -> str:
    return "\n".join((entry.id, entry.system, entry.trigger, entry.state.value, *entry.targets)).casefold()
