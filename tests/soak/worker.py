"""The process that makes every point: warm, single-threaded, with `faults.c` preloaded; `Worker` starts it."""

import importlib
import io
import json
import os
import pkgutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tests.soak.commands import CALLS, COMMANDS, CONSOLE, KEPT_BY_A_LOOK, STAGES, Command, Stage, Step, forged
from tests.soak.disk import Disk, put_back
from tests.soak.page import CUTS, Call, Page, library
from tests.soak.place import Place, contents, fill
from tests.soak.point import Result
from tests.soak.process import Ran, adopts, answered, command, commands, console, ended, interrupted, run
from tests.soak.verdict import Pictures, Whole, problems_of, told_by

REHEARSAL = ("plan compact", "plan tree", "topics watch", "search billing", "status")
RECOVER = "recover after "
"""Begins the name of a campaign of `recover`: what was killed, and at which of its calls."""


class Bench:
    """Makes stages, counts calls, and runs points in one place."""

    def __init__(self, base: Path, beside: Path) -> None:
        self.place = Place(base, beside)
        self.page = Page(base / "page")
        self.page.gathers(self.place.limbo)
        self.place.furnish(base / "page", library(), date.today())
        self.place.keep("fresh")
        self.facts: dict[str, dict[str, str]] = {"fresh": {}}
        self.pictures: dict[str, Pictures] = {}

    def rehearse(self) -> None:
        """Runs in this very process what loads libraries and tables, so that the children have them."""
        from tui.cli.main import main as entry

        own = dict(os.environ)
        os.environ.update(self.place.environment())
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            for arguments in REHEARSAL:
                entry(["-w", str(self.place.workspace), *arguments.split()])
        os.environ.clear()
        os.environ.update(own)
        if threading.active_count() != 1:
            raise AssertionError(f"a thread outlives a command: {threading.enumerate()}")

    def count(self, name: str) -> tuple[Call, ...]:
        """The writing calls of an unharmed run; what it leaves is kept as its picture."""
        known = command_of(name)
        self._prepare(name)
        before = Whole.look(self.place)
        self._sound(known, known.step, page=self.page)
        calls = self.page.calls()
        if name in COMMANDS and name not in self.pictures:
            after = Whole.look(self.place)
            self.pictures[name] = Pictures(before, after, tuple(self._between(known)))
        return calls

    def _between(self, known: Command) -> Iterator[Whole]:
        for other in known.between:
            self._restore(known.stage)
            self._sound(known, other)
            yield Whole.look(self.place)

    def _sound(self, known: Command, step: Step, **more: Any) -> None:
        ran = self._run(step, self._facts(known), **more)
        if ran.code != 0:
            raise AssertionError(f"{known.name}: {step.arguments} fails without a fault: {ran}")

    def point(self, name: str, mode: str, at: int) -> Result:
        """One fault, and all that is wrong afterwards."""
        known, parent = command_of(name), parent_of(name)
        if parent not in self.pictures:
            self.count(parent)
        self._prepare(name)
        ran = self._cut(known, mode, at) if mode in CUTS else self._faulty(known, mode, at)
        if not self.page.fired and mode not in CUTS:  # a cut takes place after the end too
            return Result(False, ran.code)
        told = told_by(ran, recovers=name.startswith(RECOVER)) if mode in CUTS else ""
        found = problems_of(self, COMMANDS[parent], ran, self.pictures[parent], thorough=at % 8 == 0, told=told)
        return Result(True, ran.code, tuple(found))

    def _faulty(self, known: Command, mode: str, at: int) -> Ran:
        ran = self._run(known.step, self._facts(known), page=self.page, mode=mode, at=at)
        ended(kill=mode in CUTS)
        return ran

    def _cut(self, known: Command, mode: str, at: int) -> Ran:
        """The power goes at a call, or once all is done: the disk holds what was durable, and what chance kept."""
        disk = Disk(self.place.roots())
        ran = self._faulty(known, mode, at)
        disk.run(self.page.log())
        disk.catch_up()
        left = disk.survivors(mode, f"{known.name} {mode} {at}")
        put_back(left, {folder.stat().st_dev: folder for folder in self.place.limbo})
        return ran

    def unseen(self, name: str) -> tuple[str, ...]:
        """The files of a command that changed by no call that was written down: a cut would tell nothing of them."""
        known = command_of(name)
        self._prepare(name)
        disk = Disk(self.place.roots())
        self._faulty(known, CUTS[0], 0)
        disk.run(self.page.log())
        return tuple(disk.unseen())

    def full(self, name: str, folder: str, left: int) -> Result:
        """One command on a disk that is full but for so many bytes, and all that is wrong once there is room again."""
        known = command_of(name)
        if name not in self.pictures:
            self.count(name)
        self._prepare(name)
        ballast = self.place.ballast(folder)
        fill(ballast, left)
        ran = self._run(known.step, self._facts(known))
        ballast.unlink()
        found = problems_of(self, known, ran, self.pictures[name], thorough=False)
        return Result(ran.code != 0, ran.code, tuple(found))

    def again(self, known: Command) -> Ran:
        """The same command, in the state that is there."""
        return self._run(known.step, self._facts(known))

    def several(self, every: Sequence[str]) -> list[Ran]:
        """Commands one after the other, in one child: a fork costs as much as such a command."""
        env, cwd = self.place.environment(), self.place.workspace
        ran = run(commands([arguments.split() for arguments in every]), env=env, cwd=cwd)
        return msgspec.json.decode(ran.out, type=list[Ran]) if ran.code == 0 else [ran] * len(every)

    def written_by(self, arguments: str) -> tuple[str, ...]:
        """The files that a command changed, made or took away, beyond what every look keeps."""
        self._restore("applied")
        before = dict(self._everything())
        plan = self._json("queue --json")[0]["plan"]
        ran = self._run(Step(arguments), {"plan": plan})
        if ran.code != 0:
            raise AssertionError(f"{arguments}: {ran}")
        after = dict(self._everything())
        return tuple(sorted(name for name in {*before, *after} if before.get(name) != after.get(name)))

    def _everything(self) -> Iterator[tuple[str, bytes]]:
        for name, folder in self.place.folders.items():
            for path, data in contents(folder):
                if not (name == "state" and frozenset(KEPT_BY_A_LOOK).intersection(path.split("/"))):
                    yield f"{name}/{path}", data

    def _prepare(self, name: str) -> None:
        """The state a command starts from. What a kill leaves is made each time: its journal names inodes."""
        known = COMMANDS[parent_of(name)]
        self._restore(known.stage)
        if name.startswith(RECOVER):
            at = int(name.rpartition("@")[2])
            self._faulty(known, "off", at)

    def _facts(self, known: Command) -> dict[str, str]:
        self._make(known.stage)
        return self.facts[known.stage]

    def _restore(self, stage: str) -> None:
        self._make(stage)
        self.place.restore(stage)

    def _make(self, name: str) -> None:
        """The stage, made by its steps where it was not yet."""
        if self.place.has(name):
            return
        stage: Stage = STAGES[name]
        self._restore(stage.after)
        facts = self.facts[stage.after]
        for step in stage.steps:
            if isinstance(step, Step):
                ran = self._run(step, facts)
                if ran.code != 0:
                    raise AssertionError(f"stage {name}: {step.arguments}: {ran}")
                facts = self._look()
            else:
                step(self.place)
        self.place.keep(name)
        self.facts[name] = facts

    def _look(self) -> dict[str, str]:
        """The plans that wait, what is typed to approve them, and the message that was heard."""
        facts: dict[str, str] = {}
        plans = [entry for entry in self._json("queue --json") if entry["state"] == "pending"]
        asked: list[str] = []
        for entry in plans:
            shown = self._json(f"show {entry['plan']} --json")
            reasons = ["y\nbecause\n" for _ in shown["confirmations"]]
            facts[entry["system"]] = entry["plan"]
            word = "APPROVED" if entry["risk_tier"] == "C" else "y"
            facts[f"yes_{entry['system']}"] = f"{''.join(reasons)}{word}\n"
            asked += reasons
        facts["yes_both"] = f"{''.join(asked)}{len(plans)}\n"
        heard = self._json("topics tune --log --json")
        facts["message"] = heard[0]["message"] if heard else ""
        return facts

    def _json(self, arguments: str) -> Any:
        return json.loads(self._run(Step(arguments), {}).out)

    def _run(self, step: Step, facts: dict[str, str], **fault: Any) -> Ran:
        facts = {**facts, "home": str(self.place.folders["home"]), "forged": forged()}
        arguments = step.arguments.format(**facts)
        if arguments.startswith(CONSOLE):
            work = console(CALLS[arguments.removeprefix(CONSOLE)], self.place.workspace)
        else:
            work = command(arguments.split())
        if step.answered:
            work = answered(work)
        return run(
            interrupted(work, step.pauses) if step.pauses else work,
            env=self.place.environment(),
            cwd=self.place.workspace,
            typed=step.typed.format(**facts),
            stdin=step.stdin.format(**facts).encode(),
            **fault,
        )


def command_of(name: str) -> Command:
    """A command of the campaign, or `recover` after another was killed."""
    known = COMMANDS[parent_of(name)]
    return msgspec.structs.replace(known, name=name, step=Step("recover")) if name.startswith(RECOVER) else known


def parent_of(name: str) -> str:
    """The command that was killed before `recover`; any other is its own."""
    return name.removeprefix(RECOVER).rpartition("@")[0] if name.startswith(RECOVER) else name


def warm() -> None:
    """Imports all of memdeck but the console's screens, so that no forked child has to."""
    for package in ("engine", "tui.cli", "tui.registry"):
        found = importlib.import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


def main() -> None:
    """Serves one JSON question a line until the input ends."""
    os.environ.pop("LD_PRELOAD", None)
    warm()
    adopts()
    bench = Bench(Path(sys.argv[1]), Path(sys.argv[2]))
    bench.rehearse()
    for line in sys.stdin:
        asked = json.loads(line)
        answer: Any
        if asked["do"] == "count":
            answer = bench.count(asked["command"])
        elif asked["do"] == "read":
            answer = bench.written_by(asked["arguments"])
        elif asked["do"] == "unseen":
            answer = bench.unseen(asked["command"])
        elif asked["do"] == "full":
            answer = bench.full(asked["command"], asked["folder"], asked["left"])
        else:
            answer = bench.point(asked["command"], asked["mode"], asked["at"])
        print(msgspec.json.encode(answer).decode(), flush=True)


if __name__ == "__main__":
    main()
