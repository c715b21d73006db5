"""Reads and writes the cooldown of the semantic step (compactor §Semantic Compaction Cooldown, A12)."""

import json
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from engine.compactor.options import CompactorHistory
from engine.errors import MemdeckError
from engine.plans.memory_status import CooldownState
from engine.workspace.layout import META_PATH
from engine.workspace.paths import FileMissing
from engine.workspace.snapshot import FileReader

STAMP_KEY = "lastCompactionAt"
LARGEST = 64 * 1024  # bytes of a meta file that is still believed to be one


class MetaFile(msgspec.Struct, frozen=True, kw_only=True):
    """The meta file. `data` is None if there is none; a file with a `problem` is never rewritten."""

    data: bytes | None = None
    stamp: datetime | None = None
    problem: str = ""


def read_meta(reader: FileReader) -> MetaFile:
    """Reads the meta file; any fault becomes its `problem`, never an error."""
    try:
        data = reader(META_PATH)
    except FileMissing:
        return MetaFile()
    except MemdeckError as error:
        return MetaFile(problem=f"{META_PATH} cannot be read: {error.message}")
    try:
        return MetaFile(data=data, stamp=_stamp(_object(data)))
    except ValueError as error:
        return MetaFile(data=data, problem=f"{META_PATH} is skipped: {error}")


def cooldown(meta: MetaFile, history: CompactorHistory, now: datetime, hours: int) -> CooldownState:
    """Returns the cooldown: active within `hours` of the later of our record and the file's stamp, or a future one."""
    # The later one counts: an agent may write the file, and can lengthen the cooldown by it, never shorten it (A12).
    last = max((stamp for stamp in (history.last_semantic_at, meta.stamp) if stamp is not None), default=None)
    if last is None:
        return CooldownState(active=False, last=None, until=None, warning=meta.problem)
    try:
        until = last.astimezone(UTC) + timedelta(hours=hours)
    except OverflowError:
        until = datetime.max.replace(tzinfo=UTC)
    future = f"the last semantic compaction is stamped {last.isoformat()}, which is in the future"
    warning = "; ".join(filter(None, (meta.problem, future if last > now else "")))
    return CooldownState(active=hours > 0 and now < until, last=last, until=until, warning=warning)


def stamped(meta: MetaFile, now: datetime) -> str:
    """Returns the meta file's text with the stamp set to `now`, keeping other keys and, if possible, the layout."""
    stamp = json.dumps(now.isoformat())
    if meta.data is None:
        return f'{{"{STAMP_KEY}": {stamp}}}\n'
    text = meta.data.decode("utf-8-sig")
    wanted = {**_object(meta.data), STAMP_KEY: now.isoformat()}
    pattern = re.compile(rf'("{STAMP_KEY}"\s*:\s*)("(?:[^"\\]|\\.)*"|null)')
    edited = pattern.sub(lambda match: match[1] + stamp, text, count=1)
    # The pattern may have met a nested key of the same name: then the whole object is written anew.
    with suppress(ValueError):
        if edited != text and json.loads(edited) == wanted:
            return edited
    return json.dumps(wanted, indent=2, ensure_ascii=False) + "\n"


def _object(data: bytes) -> dict[str, Any]:
    if len(data) > LARGEST:
        raise ValueError(f"it is larger than {LARGEST // 1024} KB")
    try:
        value = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON (line {error.lineno}, column {error.colno})") from None
    if not isinstance(value, dict):
        raise ValueError("it holds no JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON readers differ in which of two they believe.
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("a key stands in it twice")
    return dict(pairs)


def _stamp(meta: dict[str, Any]) -> datetime | None:
    if (value := meta.get(STAMP_KEY)) is None:
        return None
    if not isinstance(value, str):
        raise ValueError(f"its {STAMP_KEY} is not text")
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise ValueError(f"its {STAMP_KEY} is not an ISO-8601 time") from None
    # The compactor's jobs go by UTC (decision G5).
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
