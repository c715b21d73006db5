"""Forgetting: what a look of its own finds afterwards of a fact, and what became of the rest (decision D62)."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from engine.lifecycle.forget.purge import kind_of
from engine.lifecycle.requests import ForgetRequest
from engine.plans.planning import PlanRequest
from tests.engine.approved import applied
from tests.engine.lifecycle.forget.planted import Planted

WORKSPACES = 50


def rows() -> Iterator[tuple[str, str, str]]:
    before, after, receipts, others, kinds = 0, 0, 0, 0, set[str]()
    for seed in range(WORKSPACES):
        with tempfile.TemporaryDirectory() as folder:
            os.environ |= {"HOME": folder, "GIT_CONFIG_GLOBAL": os.devnull}
            place = Planted(Path(folder), seed)
            with place.open() as console:
                place.use(console)
                kinds |= {kind_of(path).name for path, text in place.notes().items() if place.value in text}
                notes = {path: (place.workspace / path).read_text("utf-8") for path in place.notes()}
                before += len(place.traces())
                asked = PlanRequest(ForgetRequest(words=(place.value,), raw=True, history=True))
                done = applied(console, console.plans.make("forget", asked))
                receipts += console.receipts.read(done.id).left == ()
            after += len(place.traces())
            others += all(_rest(text, place) == _left(place.workspace / path) for path, text in notes.items())
    where = f"{before} before, {WORKSPACES} workspaces, {len(kinds)} kinds of notes and what is kept beside them"
    yield "places that still say what was forgotten", f"{after}", where
    yield "receipts that say so", f"{receipts}", f"of {WORKSPACES}"
    yield "workspaces of which each other line is as before", f"{others}", f"of {WORKSPACES}"


def _rest(text: str, place: Planted) -> list[str]:
    return [line for line in text.split("\n") if place.value.lower() not in line.lower()]


def _left(file: Path) -> list[str]:
    return [line for line in file.read_text("utf-8").split("\n") if "(forgotten)" not in line]
