"""One measured figure beside the one to reach for."""

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """`reached` and `target` share a unit: `×` for a ratio within one run, `ms` for a time."""

    name: str
    reached: float
    target: float
    unit: str = "×"
    detail: str = ""
