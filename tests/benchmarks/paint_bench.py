"""First paint of the console on the demo workspace, against an empty Textual app, from outside through a pty.

Where `posting` or `harlequin` are on the PATH, they start in the same rounds: the console should be ahead of both.
"""

import shutil
import statistics
from collections.abc import Mapping

from tests.benchmarks.figure import Figure
from tests.benchmarks.terminal import CONSOLE, SETTLED, demo, python, running

ROUNDS = 7
_EMPTY = """
from textual.app import App
from textual.widgets import Static
class Empty(App):
    def compose(self):
        yield Static("first-paint")
Empty().run()
"""
_OTHERS = {"posting": b"Collection", "harlequin": b"Catalog"}
"""Other consoles made with Textual, and a word of their first paint."""


def ratios() -> list[Figure]:
    """The median of the ratios of runs by turns, so that a busy moment of the machine counts for all."""
    others = {name: mark for name, mark in _OTHERS.items() if shutil.which(name)}
    with demo() as (folder, environment):
        rounds = [_round(folder, environment, others) for _ in range(ROUNDS + 1)][1:]
    reached = statistics.median(round_["console"] / round_["empty"] for round_ in rounds)
    medians = {name: statistics.median(round_[name] for round_ in rounds) * 1000 for name in rounds[0]}
    detail = ", ".join(f"{name} {time:.0f} ms" for name, time in medians.items())
    name = "first paint of the console ÷ first paint of"
    return [
        Figure(f"{name} an empty Textual app", reached, 2.5, detail=detail),
        *(
            Figure(
                f"{name} {other.rsplit('/', 1)[-1]}", statistics.median(r["console"] / r[other] for r in rounds), 1.0
            )
            for other in others
        ),
    ]


def _round(folder: str, environment: Mapping[str, str], others: Mapping[str, bytes]) -> dict[str, float]:
    """Seconds until each stood on its terminal."""
    with running(python(_EMPTY), environment) as program:
        times = {"empty": program.until((b"first-paint",))[0]}
    with running(python(CONSOLE.format(folder=folder)), environment) as program:
        times["console"], times["everything read"] = program.until((b"Overview", SETTLED))
    for other, mark in others.items():
        with running([other], {k: v for k, v in environment.items() if k != "PYTHONPATH"}) as program:
            times[other] = program.until((mark,))[0]
    return times


if __name__ == "__main__":
    for figure in ratios():
        print(figure)
