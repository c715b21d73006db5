"""Keeps what was forgotten from coming back: every plan that enters the queue is asked, whoever made it."""

from pathlib import Path

import msgspec

from engine.lifecycle.forget.byte_texts import count_in
from engine.lifecycle.forget.redaction import without_statements
from engine.lifecycle.forget.tombstones import HashMatcher, load_tombstones
from engine.plans.plan import Change, Move, Plan
from engine.plans.system import System

_MAY_SAY = frozenset({System.FORGET, System.CORRECT})
"""Systems whose words the operator has just given."""


def without_forgotten(state: Path, plan: Plan) -> Plan:
    """Gives the plan without statements that were forgotten; every line keeps its number, and a warning says which."""
    stones = load_tombstones(state)
    if not stones.stones or plan.system in _MAY_SAY:
        return plan
    changes: list[Change] = []
    for change in plan.changes:
        if isinstance(change, Move):
            changes.append(change)
            continue
        done = without_statements(change.content, stones.spans)
        told = tuple(f"line {line} says what was forgotten, and is omitted" for line in done.lines[:5])
        warnings = (*change.warnings, *told)
        changes.append(msgspec.structs.replace(change, content=done.text, warnings=warnings) if told else change)
    return msgspec.structs.replace(plan, changes=tuple(changes)) if tuple(changes) != plan.changes else plan


def says_forgotten(state: Path, data: bytes) -> bool:
    """Tells whether bytes, packed ones too, say what was forgotten."""
    stones = load_tombstones(state)
    return bool(stones.stones) and count_in(data, HashMatcher(stones)) > 0
