"""`python -m tests.mutation`: draws small faults in the rooms that must be right, and tells which the tests notice."""

import argparse
import os
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue

import msgspec

from tests.mutation.mutants import Mutant, compiles, drawn, mutants_of
from tests.mutation.nursery import TIME
from tests.mutation.reach import Reach, rows_in
from tests.mutation.trial import Copy, copies, learn, near, portions
from tests.test_map import imported, imports, modules
from tests.turn import ROOT

ROOMS = ("plans", "models", "history", "state", "flush")
LONG = ("test_api.py", "test_console.py", "test_storm.py")
THROUGH_THE_ENGINE = ("tests/engine/lifecycle/test_replay_branch.py", "tests/engine/lifecycle/test_share.py")
"""Tests of modules that they reach by the engine alone."""
_HOPS = 4
"""Imports that a test may be away from a module for which it is the nearest."""
GOAL = 0.9
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


class Tried(msgspec.Struct, frozen=True):
    """One fault that was tried, with what noticed it."""

    id: str
    noticed: str
    tests: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code 0 where the goal is met, 1 where it is not."""
    asked = _parser().parse_args(arguments)
    every = all_mutants()
    chosen = _chosen(every, asked)
    place = asked.into / _digest()
    tried = {row.id: row for row in _kept(place / "tried.jsonl")}
    left = [mutant for mutant in chosen if mutant.id not in tried]
    if left:
        with copies(asked.jobs) as made:
            tried |= _tried(left, _reach(made[0], place / "reach", asked.jobs), made, place / "tried.jsonl")
    return _told(chosen, tried)


def all_mutants() -> list[Mutant]:
    """Lists every fault that may be drawn, by room and file."""
    files = [file for room in ROOMS for file in sorted(Path(ROOT, "engine", room).rglob("*.py"))]
    return [mutant for file in files for mutant in mutants_of(str(file.relative_to(ROOT)), file.read_bytes())]


def near_tests() -> list[str]:
    """Names the tests of those rooms, and for each module that none of these imports the tests elsewhere that do: first
    those that import it, then those that import what imports it. Tests of everything at once are near to nothing."""
    files = {
        str(file.relative_to(ROOT)): imported(file) for file in sorted(Path(ROOT, "tests/engine").rglob("test_*.py"))
    }
    own = {file for file in files if file.split("/")[2] in ROOMS}
    others = {file: names for file, names in files.items() if file not in own and Path(file).name not in LONG}
    known = frozenset[str]().union(*(files[file] for file in own))
    chosen = set[str]()
    for module in (name for name in modules() if name.split(".")[1:2] and name.split(".")[1] in ROOMS):
        asked = {module}
        for _ in range(_HOPS):
            near = {file for file, names in others.items() if names & asked}
            if known & asked or near:
                chosen |= set() if known & asked else near
                break
            asked |= {name for name, names in imports().items() if names & asked}
    return [*(f"tests/engine/{room}" for room in ROOMS), *sorted({*chosen, *THROUGH_THE_ENGINE})]


def equivalent() -> Mapping[tuple[str, str, str, str], str]:
    """Reads the faults that nobody could notice, each with its reason, by file, function and lines."""
    rows = tomllib.loads(EQUIVALENT.read_text("utf-8"))["equivalent"]
    return {(row["file"], row["function"], row["old"], row["new"]): row["reason"] for row in rows}


def key(mutant: Mutant) -> tuple[str, str, str, str]:
    """Names a fault as `equivalent.toml` does."""
    return mutant.file, mutant.function, mutant.old, mutant.new


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many faults (default 200)")
    parser.add_argument("--seed", type=int, default=1, help="draw others (default 1)")
    parser.add_argument("--only", metavar="TEXT", help="those alone whose file, function or line contains it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at work")
    parser.add_argument("--into", type=Path, default=ROOT / "build/mutation", help="what was tried is kept here")
    return parser


def _chosen(every: Sequence[Mutant], asked: argparse.Namespace) -> list[Mutant]:
    """The faults that are drawn; one that makes no program gives its place to the next."""
    wanted = [one for one in every if not asked.only or asked.only in f"{one.file} {one.function} {one.old}"]
    chosen = list[Mutant]()
    for mutant in drawn(wanted, len(wanted), asked.seed):
        if len(chosen) == asked.count:
            break
        if compiles(mutant, Path(ROOT, mutant.file).read_bytes()):
            chosen.append(mutant)
    return chosen


def _digest() -> str:
    """Names the state of product and tests: with another, nothing that was tried holds."""
    files = sorted(file for top in ("engine", "tests/engine") for file in Path(ROOT, top).rglob("*.py"))
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()[:12]


def _reach(copy: Copy, folder: Path, jobs: int) -> Reach:
    if not folder.exists():
        half = folder.with_name("reach-half")
        shutil.rmtree(half, ignore_errors=True)
        print("running the tests once without a fault", flush=True)
        learn(copy, near_tests(), [f"engine/{room}" for room in ROOMS], half, jobs)
        half.rename(folder)
    return Reach(rows_in(folder))


def _tried(left: Sequence[Mutant], reach: Reach, made: Sequence[Copy], into: Path) -> dict[str, Tried]:
    free = SimpleQueue[Copy]()
    for copy in made:
        free.put(copy)

    using = {file: imported(ROOT / file) for file in {test.partition("::")[0] for test in reach.seconds} - {""}}

    def one(mutant: Mutant) -> Tried:
        copy, module = free.get(), mutant.file.removesuffix(".py").replace("/", ".")
        try:
            lines = range(1, copy.tree.joinpath(mutant.file).read_bytes().count(b"\n") + 1)
            tests = near(mutant, reach, lines, {file for file, names in using.items() if module in names})
            said = (copy.noticed(mutant, reach, part) for part in portions(tests, reach))
            row = Tried(mutant.id, next(filter(None, said), ""), len(tests))
        finally:
            free.put(copy)
        with into.open("ab") as file:
            file.write(msgspec.json.encode(row) + b"\n")
        print(f"{'·' if row.noticed else '✗'} {mutant.file}:{mutant.line} {row.noticed or mutant.new}", flush=True)
        return row

    with ThreadPoolExecutor(len(made)) as pool:
        return {row.id: row for row in pool.map(one, left)}


def _kept(file: Path) -> list[Tried]:
    if not file.exists():
        return []
    return [msgspec.json.decode(row, type=Tried) for row in file.read_bytes().splitlines()]


def _told(chosen: Sequence[Mutant], tried: Mapping[str, Tried]) -> int:
    """Prints the survivors, then the share of each room and of all."""
    same = equivalent()
    counted = [mutant for mutant in chosen if key(mutant) not in same]
    for mutant in counted:
        if not tried[mutant.id].noticed:
            print(f"\n{mutant.file}:{mutant.line} {mutant.function} ({mutant.kind}, {tried[mutant.id].tests} tests)")
            print(f"- {mutant.old}\n+ {mutant.new}")
    drawn_in = Counter(mutant.file.split("/")[1] for mutant in counted)
    noticed_in = Counter(mutant.file.split("/")[1] for mutant in counted if tried[mutant.id].noticed)
    print("\n" + " · ".join(f"{room} {noticed_in[room]}/{drawn_in[room]}" for room in ROOMS))
    share = noticed_in.total() / max(1, len(counted))
    print(f"{noticed_in.total()} of {len(counted)} faults are noticed, {share:.1%}", end="; ")
    print(f"{len(chosen) - len(counted)} more are equivalent")
    if late := [mutant for mutant in counted if tried[mutant.id].noticed == TIME]:
        print(f"by time alone, which a busy machine does too: {', '.join(f'{one.file}:{one.line}' for one in late)}")
    return 0 if share >= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
