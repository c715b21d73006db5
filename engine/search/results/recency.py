"""Recency of a file: it breaks ties among scores and never multiplies one down (decision D6)."""

from datetime import date

HALF_LIFE_DAYS = 7.0  # the age in days at which a file's recency is half of today's
TIE = 3  # scores equal to so many decimals are a tie, which references and recency break


def recency(day: date, today: date) -> float:
    """Gives 1 for today, and half of it each week before; a future date counts as today."""
    # Clamped at today: a note dated into the future would rank above all others (decision G8).
    return float(0.5 ** (max(0, (today - day).days) / HALF_LIFE_DAYS))
