"""`python -m tests.soak`: runs the campaign, prints points and failures by command and mode."""

import argparse
import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from tests.soak.commands import COMMANDS
from tests.soak.draw import cuts, drawn, part_of, seed_of_commit, shard
from tests.soak.page import MODES, Call, compiler
from tests.soak.point import LOSSES, Point, Result, losses
from tests.soak.worker import RECOVER, parent_of
from tests.soak.workers import Workers


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 where every point held, 1 where one did not, 2 where it cannot be run."""
    asked = _parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # either way the table of what was done is printed
    if compiler() is None:
        print("the campaign needs Linux and a C compiler (cc) for tests/soak/faults.c", file=sys.stderr)
        return 2
    if asked.told:
        return _told([row for file in asked.told for row in _kept(file)])
    if asked.mode is not None:
        return _one(Point(asked.command, asked.mode, asked.at, asked.across))
    seed = seed_of_commit() if asked.seed is None else asked.seed
    with Workers(asked.jobs, across=True if asked.across else None) as workers:
        number, of = asked.shard
        chosen = [asked.command] if asked.command else shard(list(COMMANDS), number, of)
        counted = _counted(workers, chosen, seed)
        budget = asked.points if asked.command else round(asked.points * part_of(chosen))
        print(f"seed {seed} · {len(counted)} commands · {sum(map(len, counted.values())):,} calls counted", flush=True)
        points = drawn(counted, budget or None, seed, workers.kinds)
        return _told(_run(workers, points, asked.into))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--points", type=int, default=5000, help="how many faults (default 5000; 0: all there are)")
    parser.add_argument("--command", metavar="NAME", help="this command alone, as the table names it")
    parser.add_argument("--seed", type=int, help="draw the same points again (default: from the commit)")
    parser.add_argument("--jobs", type=int, default=max(2, os.cpu_count() or 1), help="processes at work")
    parser.add_argument("--across", action="store_true", help="the state folder on another mount in all of them")
    parser.add_argument("--shard", type=_shard, default=(1, 1), metavar="K/N", help="the commands of this part alone")
    parser.add_argument("--into", type=Path, metavar="FILE", help="add each point and its outcome to a file")
    parser.add_argument("--told", type=Path, nargs="+", metavar="FILE", help="run nothing: the table of such files")
    parser.add_argument("--mode", choices=MODES, help="with --command and --at: this one point")
    parser.add_argument("--at", type=int, default=1, help="the number of the call")
    return parser


def _counted(workers: Workers, names: Sequence[str], seed: int) -> dict[str, tuple[Call, ...]]:
    """The calls of each command, and of `recover` after some of its calls were its last."""
    named = [name for name in names if name in COMMANDS]
    counted = dict(workers.counts(named))
    recoveries = [name for name in names if name not in COMMANDS]
    recoveries += [
        f"{RECOVER}{name}@{at}" for name in named if COMMANDS[name].changes for at in cuts(name, counted[name], seed)
    ]
    counted |= dict(workers.counts(recoveries))
    return {name: counted[name] for name in (*named, *recoveries)}


def _shard(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    return int(number), int(of)


def _kept(file: Path) -> list[tuple[Point, Result]]:
    """The points of a file that `--into` filled."""
    rows = file.read_bytes().splitlines()
    return [msgspec.json.decode(row, type=tuple[Point, Result]) for row in rows]


def _run(workers: Workers, points: Sequence[Point], into: Path | None = None) -> list[tuple[Point, Result]]:
    """Every point that was reached, those so far where it is interrupted; failures are told at once."""
    done: list[tuple[Point, Result]] = []
    with suppress(KeyboardInterrupt):
        for point, result in workers.results(points):
            if result.reached:
                done.append((point, result))
                _add(into, point, result)
            for problem in result.problems:
                print(f"✗ {point.line()}\n    {problem}", flush=True)
            if len(done) % 100 == 0 and result.reached:
                print(f"… {len(done):,} points", flush=True)
    return done


def _add(into: Path | None, point: Point, result: Result) -> None:
    if into is not None:
        with into.open("ab") as file:
            file.write(msgspec.json.encode((point, result)) + b"\n")


def _one(point: Point) -> int:
    with Workers(1, across=point.across) as workers:
        return _told(_run(workers, [point]))


def _told(done: Sequence[tuple[Point, Result]]) -> int:
    """The table: points for each command and mode, with the failures after a stroke."""
    points: Counter[tuple[str, str]] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    for point, result in done:
        name = f"recover: {parent_of(point.command)}" if point.command.startswith(RECOVER) else point.command
        for cell in ((name, point.mode), (name, "all"), ("all", point.mode), ("all", "all")):
            points[cell] += 1
            failures[cell] += bool(result.problems)
    names = [*dict.fromkeys(name for name, _ in sorted(points) if name != "all"), "all"]
    modes = (*MODES, "all")
    wide = max(map(len, names))
    print(" " * wide, *(f"{mode:>10}" for mode in modes))
    for name in names:
        cells = [f"{points[name, mode]}/{failures[name, mode]}" if points[name, mode] else "·" for mode in modes]
        print(f"{name:{wide}}", *(f"{cell:>10}" for cell in cells))
    count, failed = points["all", "all"], failures["all", "all"]
    lost = sum((losses(result.problems) for _, result in done), Counter[str]())
    print(" · ".join(f"{lost[kind]} {kind}" for kind in LOSSES))
    print(f"{count:,} points, {failed:,} failures" + ("" if failed else ": clean"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
