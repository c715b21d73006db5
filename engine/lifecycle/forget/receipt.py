"""The receipt of a forgetting: what was looked at, and every place that still says it, with the reason."""

from datetime import datetime
from pathlib import Path

import msgspec

from engine.errors import Damaged, UsageError
from engine.lifecycle.forget.scan import Looked, Trace
from engine.plans.operation import id_order
from engine.state.private_files import make_private, write_private
from engine.text.canonical_json import canonical_json

FOLDER = "receipts"


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a scan after a forgetting. Its words are known by the tombstone of the operation alone."""

    operation: str
    plan: str
    at: datetime
    by: str
    workspace: str
    files: int
    """Files of the workspace that were changed."""
    state: int
    """Files of memdeck's state that were changed or removed."""
    history: str
    looked: Looked
    left: tuple[Trace, ...]


def save_receipt(state: Path, receipt: Receipt) -> None:
    """Keeps a receipt, in a file of its operation's name."""
    make_private(state / FOLDER)
    write_private(state / FOLDER / f"{receipt.operation}.json", canonical_json(receipt))


def read_receipt(state: Path, name: str) -> Receipt:
    """Reads a receipt by its file or its operation, the newest for no name; `UsageError` where there is none."""
    newest = max((state / FOLDER).glob("o-*.json"), key=lambda file: id_order(file.stem), default=Path())
    named = Path(name) if Path(name).is_file() else state / FOLDER / f"{name}.json"
    file = named if name else newest
    if not file.is_file():
        raise UsageError("there is no such receipt", where=name, hint="memdeck log names the operations")
    try:
        return msgspec.json.decode(file.read_bytes(), type=Receipt)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Damaged(f"it is no receipt: {error}", where=str(file)) from error
