"""Kill, EIO, ENOSPC and others at every step of apply, undo and recover: old or new, nothing lost, converges (B1, B2).

The whole campaigns are `make soak`; the normal run takes a sample of each, drawn anew at each commit.
"""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.plans.campaign import (
    SCENARIOS,
    assert_converges,
    assert_nothing_lost,
    assert_old_or_new,
    assert_sound,
)
from tests.engine.plans.strace import Point, inject, need_strace, points
from tests.engine.plans.zygote import KILLED, Zygote
from tests.turn import TURN

ERRORS = ("EIO", "ENOSPC", "EACCES", "EROFS", "EMFILE")


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    with Zygote() as running:
        yield running


def prepared(tmp_path: Path, scenario: str, name: str) -> Path:
    place = tmp_path / name
    shutil.rmtree(place, ignore_errors=True)
    SCENARIOS[scenario].prepare(place)
    return place


def steps_of(zygote: Zygote, tmp_path: Path, scenario: str) -> int:
    answer = zygote.run(scenario, prepared(tmp_path, scenario, "counted"))
    assert answer["code"] == 0, answer
    return int(answer["steps"])


def failpoint(zygote: Zygote, tmp_path: Path, scenario: str, step: int, kind: str, lasting: bool = False) -> None:
    place = prepared(tmp_path, scenario, f"{scenario}-{kind}-{step}")
    answer = zygote.run(scenario, place, at=step, kind=kind, lasting=lasting)
    # Recovering may meet an error and still come to an end, by rolling back.
    assert answer["code"] == (KILLED if kind == "kill" else 1) or scenario == "recover", answer
    assert "oserror" not in answer, "an error of the system must be told as one of ours"
    assert_sound(place)
    shutil.rmtree(place)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
@pytest.mark.parametrize("kind", ["kill", "EIO", "ENOSPC"])
def test_a_sample_of_failpoints(zygote: Zygote, tmp_path: Path, scenario: str, kind: str) -> None:
    """B1, B2: faults just before steps drawn by the commit."""
    steps = range(1, steps_of(zygote, tmp_path, scenario) + 1)
    for step in random.Random(f"{TURN}-{scenario}-{kind}").sample(steps, min(4, len(steps))):
        failpoint(zygote, tmp_path, scenario, step, kind, lasting=kind != "kill" and step % 2 == 0)


@pytest.mark.soak
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
@pytest.mark.parametrize("kind", ["kill", *ERRORS])
@pytest.mark.parametrize("lasting", [False, True])
def test_every_failpoint(zygote: Zygote, tmp_path: Path, scenario: str, kind: str, lasting: bool) -> None:
    """B1, B2: a fault before every single step, once and from there on."""
    steps = steps_of(zygote, tmp_path, scenario)
    for step in range(1, steps + 1):
        failpoint(zygote, tmp_path, scenario, step, kind, lasting)
    print(f"\n{scenario}: {kind}{' lasting' if lasting else ''} before each of {steps} steps: sound")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kernel", ["links", "bare"])
@pytest.mark.parametrize("scenario", ["apply", "undo"])
def test_a_sample_of_kills_where_the_file_system_cannot_exchange(
    zygote: Zygote, tmp_path: Path, scenario: str, kernel: str
) -> None:
    """A10: with hard links, or with neither, each file is still old or new at every step."""
    steps = int(zygote.run(scenario, prepared(tmp_path, scenario, "counted"), kernel=kernel)["steps"])
    for step in random.Random(f"{TURN}-{scenario}-{kernel}").sample(range(1, steps + 1), 4):
        kill_degraded(zygote, tmp_path, scenario, kernel, step)


@pytest.mark.soak
@pytest.mark.parametrize("kernel", ["links", "bare"])
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
def test_every_kill_where_the_file_system_cannot_exchange(
    zygote: Zygote, tmp_path: Path, scenario: str, kernel: str
) -> None:
    """A10: the same before every step."""
    steps = int(zygote.run(scenario, prepared(tmp_path, scenario, "counted"), kernel=kernel)["steps"])
    for step in range(1, steps + 1):
        kill_degraded(zygote, tmp_path, scenario, kernel, step)
    print(f"\n{scenario}: killed before each of {steps} steps on a file system with {kernel}: sound")


def kill_degraded(zygote: Zygote, tmp_path: Path, scenario: str, kernel: str, step: int) -> None:
    place = prepared(tmp_path, scenario, f"{scenario}-{kernel}-{step}")
    assert zygote.run(scenario, place, at=step, kind="kill", kernel=kernel)["code"] == KILLED
    assert_old_or_new(place)
    assert_nothing_lost(place)
    zygote.run("recover", place, kernel=kernel)
    assert_sound(place)
    shutil.rmtree(place)


def crash_in_recovery(zygote: Zygote, tmp_path: Path, scenario: str, first: int, second: int) -> bool:
    """Kills the scenario, then its recovery; False once the recovery has fewer steps than `second`."""
    place = prepared(tmp_path, scenario, f"{scenario}-{first}-{second}")
    assert zygote.run(scenario, place, at=first, kind="kill")["code"] == KILLED
    answer = zygote.run("recover", place, at=second, kind="kill")
    assert_sound(place)
    shutil.rmtree(place)
    return bool(answer["code"] == KILLED)


@pytest.mark.parametrize("scenario", ["apply", "undo"])
def test_a_sample_of_crashes_while_recovering(zygote: Zygote, tmp_path: Path, scenario: str) -> None:
    """B1: killed while recovering, recovers all the same."""
    draw = random.Random(f"{TURN}-{scenario}")
    steps = steps_of(zygote, tmp_path, scenario)
    for _ in range(4):
        crash_in_recovery(zygote, tmp_path, scenario, draw.randint(1, steps), draw.randint(1, 30))


@pytest.mark.soak
@pytest.mark.parametrize("scenario", ["apply", "undo"])
def test_every_crash_while_recovering(zygote: Zygote, tmp_path: Path, scenario: str) -> None:
    """B1: every third step of the operation, then every step of its recovery."""
    count = 0
    for first in range(1, steps_of(zygote, tmp_path, scenario) + 1, 3):
        second = 1
        while crash_in_recovery(zygote, tmp_path, scenario, first, second):
            second += 1
        count += second
    print(f"\n{scenario}: killed, then killed again while recovering, {count} times: sound")


def black_box(zygote: Zygote, tmp_path: Path, scenario: str, point: Point, what: str, lasting: bool = False) -> str:
    """One fault by strace; what came of it."""
    place = prepared(tmp_path, scenario, "traced")
    answer = inject(zygote, scenario, place, point, what, lasting)
    assert answer["code"] in (0, 1, -9), (point, what, answer)
    assert_old_or_new(place)
    assert_nothing_lost(place)
    assert_converges(place)
    return {0: "done", 1: "said so", -9: "killed"}[answer["code"]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scenario", ["apply", "undo"])
def test_a_sample_of_system_calls(zygote: Zygote, tmp_path: Path, scenario: str) -> None:
    """B1, B2: killed or failed at write-class system calls drawn by the commit."""
    need_strace()
    draw = random.Random(f"{TURN}-{scenario}")
    calls = points(zygote, scenario, prepared(tmp_path, scenario, "counted"))
    for point in draw.sample(calls, 6):
        black_box(zygote, tmp_path, scenario, point, "signal=KILL")
    for point in draw.sample(calls, 4):
        black_box(zygote, tmp_path, scenario, point, f"error={draw.choice(ERRORS)}", draw.random() < 0.5)


@pytest.mark.soak
@pytest.mark.parametrize("scenario", sorted(SCENARIOS))
@pytest.mark.parametrize("what", ["signal=KILL", *(f"error={name}" for name in ERRORS)])
@pytest.mark.parametrize("lasting", [False, True])
def test_every_system_call(zygote: Zygote, tmp_path: Path, scenario: str, what: str, lasting: bool) -> None:
    """B1, B2: the whole matrix, once and from there on."""
    need_strace()
    if lasting and what == "signal=KILL":
        pytest.skip("killed once is killed")
    calls = points(zygote, scenario, prepared(tmp_path, scenario, "counted"))
    outcomes = Counter(black_box(zygote, tmp_path, scenario, point, what, lasting) for point in calls)
    print(f"\n{scenario}: {what}{' lasting' if lasting else ''} at each of {len(calls)} system calls: {dict(outcomes)}")
