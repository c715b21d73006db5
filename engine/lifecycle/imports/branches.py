"""The branch of a conversation that was gone on with, where messages name the one that they answer (decision D58)."""

from collections.abc import Iterable, Mapping


def abandoned(parents: Mapping[str, str | None], leaf: str) -> frozenset[str]:
    """The messages that hang on the way from the first message to the leaf, and are not on it.

    `parents`: for each message the one that it answers. What hangs on nothing that is known was not given up.
    """
    given_up = dict.fromkeys(_upwards(parents, leaf), True)
    way = frozenset(given_up)
    for ident in parents:
        walked: list[str] = []
        for at in _upwards(parents, ident):
            if at in given_up:
                given_up |= dict.fromkeys(walked, given_up[at])
                break
            walked.append(at)
        else:
            given_up |= dict.fromkeys(walked, False)
    return frozenset(ident for ident in parents if given_up[ident] and ident not in way)


def last_leaf(parents: Mapping[str, str | None]) -> str:
    """The last message that none answers; empty where there is none."""
    answered = set(parents.values())
    leaves = [ident for ident in parents if ident not in answered]
    return (leaves or list(parents) or [""])[-1]


def _upwards(parents: Mapping[str, str | None], start: str) -> Iterable[str]:
    """A message and those above it; the last may be one that is not there."""
    seen: set[str] = set()
    at: str | None = start
    while at and at not in seen:
        seen.add(at)
        yield at
        at = parents.get(at)
