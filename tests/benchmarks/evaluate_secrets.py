"""Secrets: recall over kinds, alarms over harmless lines, and speed, beside `detect-secrets` where it is installed.

Half of the kinds took no part in tuning and are counted apart.
"""

import importlib.util
import random
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence

from engine.text.secrets.detector import find_secrets
from tests.conftest import SHARED
from tests.engine.text.secrets.harmless import lines
from tests.engine.text.secrets.harmless_notes import notes
from tests.engine.text.secrets.kinds import cases, is_held_out, kinds

Row = tuple[str, str, str]
FOLDERS = ("memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn")

RUNS = 4


def rows() -> Iterator[Row]:
    every = list(cases())
    harmless = list(lines())
    several = list(notes())
    yield "kinds × texts", f"{len(kinds())} × 25", f"{sum(map(is_held_out, kinds()))} kinds held out"
    for name, judge in (("memdeck", _finds), *_rivals()):
        yield f"recall, {name}", _share([judge(case.text) for case in every]), "target ≥ 97 %"
        yield f"recall on kinds held out, {name}", _share([judge(c.text) for c in every if is_held_out(c.kind)]), ""
        alarms = [kind for kind, line in harmless if judge(line)]
        unseen = sum(map(is_held_out, alarms))
        yield f"false alarms in {len(harmless):,} lines, {name}", str(len(alarms)), f"target 0; held out {unseen}"
        wrong = sum(judge(note) for _, note in several)
        yield f"false alarms in {len(several):,} notes of several lines, {name}", str(wrong), "target 0"
    rnd = random.Random(1)
    folders = [SHARED / folder for folder in FOLDERS]
    ordinary = [file.read_text("utf-8") for folder in folders for file in sorted(folder.rglob("*.md"))]
    yield "ordinary text, MB/s", f"{_speed(ordinary):.0f}", "target ≥ 100"
    yield "base64, MB/s", f"{_speed([b64encode(rnd.randbytes(2_000_000)).decode()]):.0f}", "for information"
    parts = ("password", "sk-", "AKIA", "eyJ", "abcDEF0123", ".", ":", " is ", "=", "://", "@", "\n", "token")
    yield "hostile, MB/s", f"{_speed([''.join(rnd.choice(parts) for _ in range(60_000))]):.1f}", "for information"


def _finds(text: str) -> bool:
    return bool(find_secrets(text))


def _rivals() -> Iterator[tuple[str, Callable[[str], bool]]]:
    if importlib.util.find_spec("detect_secrets") is None:
        return
    scan = importlib.import_module("detect_secrets.core.scan")
    settings = importlib.import_module("detect_secrets.settings")

    def judge(text: str) -> bool:
        with settings.default_settings():
            return any(True for line in text.split("\n") for _ in scan.scan_line(line))

    yield "detect-secrets", judge


def _share(found: Sequence[bool]) -> str:
    return f"{100 * sum(found) / len(found):.1f} %"


def _speed(texts: Sequence[str]) -> float:
    """Megabytes for each second of this process, the automata warm: of four runs the one that others slowed least."""
    return sum(len(text.encode()) for text in texts) / 1e6 / min(_seconds(texts) for _ in range(RUNS))


def _seconds(texts: Sequence[str]) -> float:
    start = time.process_time()
    for text in texts:
        find_secrets(text)
    return time.process_time() - start
