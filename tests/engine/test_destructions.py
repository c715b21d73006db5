"""Random destructions of MEMORY.md, memdeck running or not: each is named, and put back to the byte (G25, G26)."""

import os
import random
from pathlib import Path

import pytest

from engine.services.engine import Engine
from tests.engine.approved import applied

MEMORY = "MEMORY.md"
WORDS = [
    "billing",
    "invoice",
    "deploy",
    "backup",
    "ledger",
    "queue",
    "cluster",
    "rollout",
    "tenant",
    "export",
    "café",
    "schema",
]
ROUNDS = int(os.environ.get("MEMDECK_DESTRUCTIONS", "24")) // 3
"""Destructions of each seed; 1,000 in all are asked for by the variable."""
KINDS = ("truncate", "re-encode", "over the cap", "link", "markers", "reorder", "empty", "gone")


def original(draw: random.Random) -> bytes:
    lines = [
        f"- {draw.choice(WORDS)} {n} {draw.choice(WORDS)} {draw.randrange(9999)}"
        for n in range(draw.randrange(20, 260))
    ]
    end = draw.choice(["\n", "\r\n"])
    return draw.choice([b"", b"\xef\xbb\xbf"]) + end.join(["# Memory", "", *lines, ""]).encode()


def destroy(file: Path, kind: str, draw: random.Random) -> None:
    data, lines = file.read_bytes(), file.read_bytes().split(b"\n")
    match kind:
        case "truncate":
            file.write_bytes(data[: draw.randrange(1, len(data) // 2)])
        case "re-encode":
            file.write_bytes(data.decode("utf-8-sig").encode(draw.choice(["utf-16", "utf-32"])))
        case "over the cap":
            file.write_bytes(b"".join(b"- noise %d\n" % n for n in range(900)))
        case "link":
            file.unlink()
            file.symlink_to("/dev/null")
        case "markers":
            file.write_bytes(b"<<<<<<< HEAD\n" + data + b"=======\n- theirs\n>>>>>>> laptop\n")
        case "reorder":
            file.write_bytes(b"\n".join(reversed(lines)))
        case "empty":
            file.write_bytes(b"")
        case _:
            file.unlink()


def named(engine: Engine) -> bool:
    status = engine.status.read()
    alarmed = any(one.id == "loss" and one.path == MEMORY for one in status.alarms)
    return alarmed or any(one.path == MEMORY for one in engine.review.since_looked().changes)


@pytest.mark.timeout(60 + 5 * ROUNDS)  # a round takes half a second on a busy machine
@pytest.mark.parametrize("seed", range(3))
def test_g25_g26_random_destructions_are_named_and_put_back(tmp_path: Path, own_home: Path, seed: int) -> None:
    draw, file = random.Random(seed), tmp_path / "agent" / MEMORY
    file.parent.mkdir()
    for round_ in range(ROUNDS):
        data, kind, runs = original(draw), KINDS[round_ % len(KINDS)], draw.random() < 0.5
        file.write_bytes(data)
        with Engine.open(file.parent) as engine:
            if any(one.id == "loss" for one in engine.status.read().alarms):
                engine.alarms.accept(MEMORY)  # the round before had another file
            engine.review.looked(look=True)
            if runs:
                destroy(file, kind, draw)
                assert named(engine), (kind, seed, round_)
        if not runs:
            destroy(file, kind, draw)
        with Engine.open(file.parent) as engine:
            assert named(engine), (kind, seed, round_)
            if file.is_symlink():
                file.unlink()  # the step that the alarm names first
            applied(engine, engine.revert.plan((MEMORY,)))
            assert file.read_bytes() == data, (kind, seed, round_)
