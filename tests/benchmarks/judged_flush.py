"""The flush: the share of what must survive a session that stands in some file afterwards."""

import os
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from random import Random
from time import perf_counter
from typing import NamedTuple

from engine.plans.prediction import contents_after
from tests.benchmarks.corpora.judged import Item, Part
from tests.benchmarks.corpora.judged.work_sessions import SIZES, WorkSession, work_session
from tests.benchmarks.judged_shared import NOW, Place, Row, compared, place

MEMORY = "# Memory\n\n- the shop opens at nine\n"
_LABEL = re.compile(r"\[(CURATE|REFERENCE|NEVER_PRUNE)\]|\b(decision|fact|config|decided)\b", re.IGNORECASE)


class Flushed(NamedTuple):
    """A session with the text of all files after its flush, and the seconds that the plan took."""

    session: WorkSession
    after: str
    seconds: float


def rows(part: Part) -> Iterator[Row]:
    made = [_flushed(work_session(part, number)) for number in range(len(SIZES))]
    for priority in ("high", "medium"):
        yield _row(f"flush: {priority} statements in some file", made, "priority", priority)
    forms = dict.fromkeys(one["form"] for each in made for one in each.session.must)
    for form in forms:
        yield _row(f"  {form}", made, "form", form)
    slowest = max(made, key=lambda one: one.seconds)
    yield "flush: slowest plan", f"{slowest.seconds:.1f} s", f"{slowest.session.turns} turns; target ≤ 3 s for 5,000"


def _row(name: str, made: Sequence[Flushed], field: str, value: str) -> Row:
    product: list[float] = []
    keyword: list[float] = []
    placebo: list[float] = []
    for one in made:
        must = [each for each in one.session.must if each[field] == value]
        by_words, drawn = _kept(one.session)
        product += [_stands(each, one.after) for each in must]
        keyword += [_stands(each, by_words) for each in must]
        placebo += [_stands(each, drawn) for each in must]
    return compared(name, product, keyword, placebo)


def _flushed(session: WorkSession) -> Flushed:
    with place() as there:
        _write(there, session)
        with there.open(NOW) as engine:
            engine.sessions.follow(there.base / "sessions")
            began = perf_counter()
            plan = engine.plans.make("flush").plan
            seconds = perf_counter() - began
            kept = {} if plan is None else contents_after(plan, lambda path: (there.workspace / path).read_bytes())
            files = (data.decode() for data in kept.values() if data is not None)
            return Flushed(session, _plain("\n".join(files)), seconds)


def _write(there: Place, session: WorkSession) -> None:
    (there.workspace / "MEMORY.md").write_text(MEMORY, "utf-8")
    (there.workspace / "DailyLogs").mkdir()
    folder = there.base / "sessions"
    folder.mkdir()
    file = folder / f"{session.id}.jsonl"
    file.write_text(session.text, "utf-8")
    changed = (NOW - timedelta(minutes=10)).timestamp()
    os.utime(file, (changed, changed))


def _kept(session: WorkSession) -> tuple[str, str]:
    """What the keyword rule keeps: each paragraph with a label's word. The placebo: as many paragraphs by chance."""
    paragraphs = re.findall(r'"(?:content|text)": ?"((?:[^"\\]|\\.)*)"', session.text)
    plain = [
        one.encode("latin-1", "backslashreplace").decode("unicode_escape") if "\\" in one else one for one in paragraphs
    ]
    named = [one for one in plain if _LABEL.search(one)]
    drawn = Random(7).sample(plain, len(named))
    return _plain("\n".join(named)), _plain("\n".join(drawn))


def _stands(one: Item, text: str) -> float:
    return float(_plain(one["key"]) in text)


def _plain(text: str) -> str:
    """Text without emphasis, code marks or line ends: a key is looked up as words."""
    return " ".join(re.sub(r"[*`_]", "", text).split())
