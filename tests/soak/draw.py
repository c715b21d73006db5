"""Draws points by a seed: evenly over the commands by their share, then over the modes, then over the calls."""

import random
import subprocess
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tests.soak.commands import COMMANDS
from tests.soak.page import MODES, Call
from tests.soak.point import Point
from tests.soak.workers import ROOT

CUTS = 6
"""At so many calls of a command that changes notes it is killed, and `recover` meets the faults."""
SHARE_OF_RECOVER = 0.6


def seed_of_commit() -> int:
    """A seed that is another at each commit, and the same for everybody who tests it; 0 outside a repository."""
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    ran = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(ran.stdout.strip() or "0", 16) if ran.returncode == 0 else 0


def cuts(name: str, calls: Sequence[Call], seed: int, most: int = CUTS) -> tuple[int, ...]:
    """Where a command is killed before `recover` is tried: one call drawn from each of `most` equal stretches."""
    draw = random.Random(f"{seed} cuts {name}")
    edges = [1 + len(calls) * n // most for n in range(most + 1)]
    return tuple(sorted({draw.randrange(low, max(low + 1, high)) for low, high in pairwise(edges)}))


def share_of(name: str) -> float:
    return COMMANDS[name].share if name in COMMANDS else SHARE_OF_RECOVER


def drawn(
    counted: Mapping[str, Sequence[Call]], budget: int | None, seed: int, kinds: Sequence[bool] = (False,)
) -> list[Point]:
    """At most `budget` points, or all there are, in an order of their own."""
    draw = random.Random(seed)
    total = sum(share_of(name) for name in counted)
    points: list[Point] = []
    for name, calls in counted.items():
        own = None if budget is None else max(1, round(budget * share_of(name) / total))
        points += _of_command(name, calls, own, draw, kinds)
    draw.shuffle(points)
    return points if budget is None else points[:budget]


def _of_command(
    name: str, calls: Sequence[Call], budget: int | None, draw: random.Random, kinds: Sequence[bool]
) -> list[Point]:
    places = {mode: [at for at, call in enumerate(calls, 1) if call.meets(mode)] for mode in MODES}
    for found in places.values():
        draw.shuffle(found)
    modes = [mode for mode in MODES if places[mode]]
    draw.shuffle(modes)
    points: list[Point] = []
    while modes and (budget is None or len(points) < budget):
        for mode in tuple(modes):
            points.append(Point(name, mode, places[mode].pop(), draw.choice(kinds)))
            if not places[mode]:
                modes.remove(mode)
    return points if budget is None else points[:budget]
