"""Ignores keys that were typed before a question could be read."""

QUIET_SECONDS = 0.4  # seconds for which no key may come after a question is on screen before one counts (DESIGN §4)

_BURST_KEYS, _BURST_SECONDS = 6, 0.08
"""Six keys within 80 ms: ten times faster than typing, so it is a paste without marks."""


class KeyGuard:
    """Admits keys after `QUIET_SECONDS` without any; a held key restarts the wait."""

    def __init__(self) -> None:
        self._since: float | None = None

    def begin(self, at: float) -> None:
        """Notes that the question is on screen since `at` (monotonic seconds)."""
        self._since = at

    def admits(self, at: float) -> bool:
        """Tells whether a key pressed at `at` counts; a refused one restarts the wait."""
        if self._since is None:
            return False
        if at - self._since < QUIET_SECONDS:
            self._since = max(self._since, at)
            return False
        return True

    def over(self, at: float) -> bool:
        """Tells whether a key pressed at `at` would count, without pressing one."""
        return self._since is not None and at - self._since >= QUIET_SECONDS


class TypingPace:
    """Distinguishes typing from a paste that arrives as single keys."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def too_fast(self, at: float) -> bool:
        """Tells whether the last keys came faster than a person types."""
        self._times = [*self._times[-_BURST_KEYS + 1 :], at]
        return len(self._times) == _BURST_KEYS and at - self._times[0] < _BURST_SECONDS
