"""What calls of models have cost: one JSON line a call, in the operator's state folder."""

from pathlib import Path

import msgspec


class Spent(msgspec.Struct, frozen=True):
    """One line of the ledger."""

    what: str
    model: str
    tokens: int
    usd: float
    latency_ms: float = 0.0


class Ledger:
    """Appends, and adds up."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def add(self, spent: Spent) -> None:
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(spent) + b"\n")

    def total(self) -> float:
        """Dollars in all; lines that cannot be read count nothing."""
        try:
            lines = self._file.read_bytes().splitlines()
        except FileNotFoundError:
            return 0.0
        return sum(_usd(line) for line in lines)


def _usd(line: bytes) -> float:
    try:
        return msgspec.json.decode(line, type=Spent).usd
    except msgspec.DecodeError:
        return 0.0
