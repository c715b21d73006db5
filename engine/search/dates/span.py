"""Defines the days that a question speaks of."""

from datetime import date

import msgspec


class DaySpan(msgspec.Struct, frozen=True):
    """The days from `first` to `last`, both included, and the words of the question that mean them."""

    first: date
    last: date
    text: str

    @property
    def days(self) -> str:
        """The span as it is shown: one day, or the first and the last."""
        return f"{self.first}" if self.first == self.last else f"{self.first}..{self.last}"
