"""Draws points by a seed: evenly over the commands by their share, then over the modes, then over the calls."""

import random
import subprocess
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tests.soak.commands import COMMANDS
from tests.soak.page import CUTS, MODES, Call
from tests.soak.point import Point
from tests.soak.workers import ROOT

CUTS_BEFORE_RECOVER = 6
"""At so many calls of a command that changes notes it is killed, and `recover` meets the faults."""
SHARE_OF_RECOVER = 0.6
OFTEN = (*CUTS, "off", "orphan")
"""Modes that are drawn twice as often: no error code tells of them."""


def seed_of_commit() -> int:
    """A seed that is another at each commit, and the same for everybody who tests it; 0 outside a repository."""
    asked = ["git", "rev-parse", "--short=8", "HEAD"]
    ran = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(ran.stdout.strip() or "0", 16) if ran.returncode == 0 else 0


def cuts(name: str, calls: Sequence[Call], seed: int, most: int = CUTS_BEFORE_RECOVER) -> tuple[int, ...]:
    """Where a command is killed before `recover` is tried: one call drawn from each of `most` equal stretches."""
    draw = random.Random(f"{seed} cuts {name}")
    edges = [1 + len(calls) * n // most for n in range(most + 1)]
    return tuple(sorted({draw.randrange(low, max(low + 1, high)) for low, high in pairwise(edges)}))


def share_of(name: str) -> float:
    return COMMANDS[name].share if name in COMMANDS else SHARE_OF_RECOVER


def shard(names: Sequence[str], number: int, of: int) -> tuple[str, ...]:
    """The commands of one shard of so many: every command is in one, those with large shares far from each other."""
    return tuple(sorted(names, key=lambda name: (-_weight(name), name))[number - 1 :: of])


def part_of(names: Sequence[str]) -> float:
    """The part of the budget of all commands that these commands get."""
    return sum(map(_weight, names)) / sum(map(_weight, COMMANDS))


def _weight(name: str) -> float:
    return share_of(name) + (CUTS_BEFORE_RECOVER * SHARE_OF_RECOVER if COMMANDS[name].changes else 0.0)


def drawn(
    counted: Mapping[str, Sequence[Call]], budget: int | None, seed: int, kinds: Sequence[bool] = (False,)
) -> list[Point]:
    """At most `budget` points, or all there are, in an order of their own."""
    draw = random.Random(seed)
    total = sum(share_of(name) for name in counted)
    points: list[Point] = []
    for name, calls in counted.items():
        own = None if budget is None else max(1, round(budget * share_of(name) / total))
        points += _of_command(name, calls, own, random.Random(f"{seed} {name}"), kinds)
    draw.shuffle(points)
    return points if budget is None else points[:budget]


def _of_command(
    name: str, calls: Sequence[Call], budget: int | None, draw: random.Random, kinds: Sequence[bool]
) -> list[Point]:
    places = {mode: [at for at, call in enumerate(calls, 1) if call.meets(mode)] for mode in MODES}
    for mode in CUTS:
        places[mode].append(len(calls) + 1)  # once all is done
    for found in places.values():
        draw.shuffle(found)
    modes = [mode for mode in MODES if places[mode]]
    draw.shuffle(modes)
    points: list[Point] = []
    while modes and (budget is None or len(points) < budget):
        for mode in (*modes, *(mode for mode in modes if mode in OFTEN)):
            if not places[mode]:
                continue
            points.append(Point(name, mode, places[mode].pop(), draw.choice(kinds)))
        modes = [mode for mode in modes if places[mode]]
    return points if budget is None else points[:budget]
