"""The score by which a knowledge file becomes a candidate for the archive (autopoiesis §8.5, decisions D6, D7, D46)."""

LEAST_SCORE = 0.01
"""A file below it is a candidate."""
LEAST_DAYS = 30
"""No younger file is one, whatever its score."""
HALF_LIFE_DAYS = 14


def eviction_score(days: int, references: int) -> float:
    """Halves with every 14 days, and grows with (1 + references): a file without one has a score too."""
    return float(0.5 ** (days / HALF_LIFE_DAYS)) * (1 + references)


def is_candidate(days: int, references: int) -> bool:
    """Tells whether a file of that age is a candidate: with no reference on day 94, with one on day 108."""
    return days > LEAST_DAYS and eviction_score(days, references) < LEAST_SCORE
