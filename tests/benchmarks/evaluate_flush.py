"""What a flush keeps: statements of sessions by another author, and every extracted item of generated and real ones.

A statement is kept where its key stands, letter for letter, in a file of the workspace once the flush is applied. The
keyword rule takes the lines that bear a mark or begin with an English label, until 500 tokens; the placebo takes the
last lines of the session, as many characters as ours writes. Gains are in pairs, with intervals from a bootstrap over
sessions. An item of a session is kept where its words stand in a file: all but progress is to be.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from engine.flush.items import FlushItem, FlushPriority
from engine.flush.promotions import extract
from engine.plans.plan import Plan
from engine.services.engine import Engine
from engine.services.flush_sessions import flush_session
from engine.sessions.folder import SessionFolder
from tests.benchmarks.corpora.judged import fillers
from tests.benchmarks.corpora.judged.work_sessions import SIZES, WorkSession, work_session
from tests.benchmarks.evaluate_tree import gain, percent
from tests.benchmarks.tree_cases import TOKENS
from tests.conftest import SHARED
from tests.engine.sessions.window_logs import answer, said
from tests.engine.tree.test_idle import approved

Row = tuple[str, str, str]
GENERATED, SMALLEST, LARGEST = 20, 200, 5_000
REAL = "claude-code/*real*/*/*.jsonl", "claude-code/*sample*/*.jsonl", "pi/*real*/*.jsonl"
LAYOUTS = ("DailyLogs", "knowledge", "memory")
LINES = (3, 120, 191, 200)
"""Lines of MEMORY.md before the flush."""
_LABEL = re.compile(r"\s*(?:[-*] )?\**(?:decision|fact|config)\b", re.IGNORECASE)


class Flushed(NamedTuple):
    """A flush once it is applied: the files, and the items of high or medium priority or promoted that were found."""

    files: dict[str, str]
    items: tuple[FlushItem, ...]
    plan: Plan | None

    def holds(self, item: FlushItem) -> bool:
        """Tells whether the words of an item stand in one file."""
        parts = [_words(part) for part in (*item.text.split("\n"), item.rationale)]
        return any(all(part in text for part in parts) for text in map(_words, self.files.values()))


def rows() -> Iterator[Row]:
    """Every figure of the flush, for `make eval`."""
    yield from _judged([work_session("choose", number) for number in range(len(SIZES))])
    said_there = [generated(number) for number in range(GENERATED)]
    made = [flushed(one.text, LAYOUTS[at % 3], LINES[at % 4]) for at, one in enumerate(said_there)]
    stated = [
        key in "".join(one.files.values()) for said, one in zip(said_there, made, strict=True) for key in said.keys
    ]
    told = f"{len(stated):,} statements, {stated.count(False)} in no file; ≥ 100 %"
    yield f"{GENERATED} generated sessions of {SMALLEST}-{LARGEST:,} turns", f"{percent(stated):.1f} %", told
    yield _kept("items found in them", made)
    real = [path for pattern in REAL for path in sorted((SHARED / "sessions").glob(pattern))]
    if real:
        yield _kept(f"items of {len(real)} real sessions", [flushed(path.read_text("utf-8")) for path in real])


def _kept(label: str, made: Sequence[Flushed]) -> Row:
    found = [one.holds(item) for one in made for item in one.items]
    lost = sum(not one for one in found)
    return label, f"{percent(found):.1f} %" if found else "—", f"{len(found):,} items, {lost} in no file; ≥ 100 %"


def _judged(sessions: Sequence[WorkSession]) -> Iterator[Row]:
    """The statements that must survive, those that bear a mark or a label apart from those that nobody marked."""
    made = [flushed(one.text) for one in sessions]
    for label, forms in (("marked or labelled", None), ("unmarked", "unmarked")):
        musts = [
            (one, n)
            for n, each in enumerate(sessions)
            for one in each.must
            if (one["form"] == "unmarked") is bool(forms)
        ]
        ours = [any(one["key"] in text for text in made[n].files.values()) for one, n in musts]
        rule = [one["key"] in _by_keywords(sessions[n].text) for one, n in musts]
        size = [sum(len(text) for text in each.files.values()) for each in made]
        placebo = [one["key"] in "\n".join(_said(sessions[n].text))[-size[n] :] for one, n in musts]
        groups = [n for _, n in musts]
        told = f"rule {percent(rule):.0f} %, {gain(ours, rule, groups)}; placebo {percent(placebo):.0f} %"
        yield f"statements that must last, {label}", f"{percent(ours):.1f} %", f"{len(musts)}; {told}"


def _by_keywords(text: str) -> str:
    kept, left = [], 500
    for line in _said(text):
        if "[CURATE]" in line or _LABEL.match(line):
            left -= TOKENS.count(line)
            kept += [line] if left >= 0 else []
    return "\n".join(kept)


def _said(text: str) -> list[str]:
    """The lines of every message of a session's file."""
    found = []
    for line in text.splitlines():
        content = msgspec.json.decode(line)["message"]["content"]
        blocks = [content] if isinstance(content, str) else [block.get("text", "") for block in content]
        found += [said for block in blocks for said in block.split("\n")]
    return found


def flushed(text: str, layout: str = "DailyLogs", lines: int = 3) -> Flushed:
    """Plans and applies the flush of a session in a workspace of that layout, whose MEMORY.md has so many lines."""
    with tempfile.TemporaryDirectory(prefix="memdeck-eval-") as base:
        root, log = Path(base) / "agent", Path(base) / "claude" / "s-1.jsonl"
        (root / layout).mkdir(parents=True)
        log.parent.mkdir()
        log.write_text(text, "utf-8")
        memory = root / ("knowledge/memory/MEMORY.md" if layout == "knowledge" else "MEMORY.md")
        memory.parent.mkdir(parents=True, exist_ok=True)
        memory.write_text("# Memory\n\n" + "".join(f"- 2025-01-01 lesson {n}\n" for n in range(lines - 2)), "utf-8")
        env = {f"XDG_{name}_HOME": f"{base}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
        with Engine.open(root, env=env) as engine:
            engine.sessions.follow(log.parent)
            plan = engine.plans.make("flush").plan
            if plan is not None:
                numbers = tuple(change.n for change in plan.changes)
                engine.plans.apply(plan, approved(plan, numbers, engine.now()))
        files = {str(file.relative_to(root)): file.read_text("utf-8") for file in root.rglob("*.md")}
        place = SessionFolder.open(log.parent)
        session = flush_session(place, log.name, {})
        place.close()
    items = extract(session).items if session is not None else ()
    return Flushed(files, tuple(one for one in items if one.lasting or one.priority is not FlushPriority.LOW), plan)


FORMS = (
    "- lesson {n}: drain queue {n} first [CURATE]",
    "## Rule {n} [CURATE]\nKeep route {n}.\n- Decision: close gate {n} because it leaks\n\n## Other {n}\nnothing",
    "Paragraph {n} holds [CURATE]\nand goes on {n}",
    "- the contract {n} stands in /legal [NEVER_PRUNE]",
    "Decision: use engine {n} | Rationale: store {n} is one file",
    "**Decision:** rename table {n}",
    "**Fact:** port {n} is open **Confidence:** 0.9",
    "Fakt: Das Ventil {n} klemmt | Quelle: Heft {n} | Konfidenz: 4 von 5",
    "事实：第{n}号炉升温要四十分钟（置信度：90%）",
    "Fact: shard {n} may be slow. Confidence: low",
    "Config: key_{n} = {n}",
    "Réglage : délai_{n} = {n}",
    "- [x] counted shard {n}",
    "We decided to move shelf {n} because the aisle is narrow.",
    "| Fact | Confidence |\n|---|---|\n| hatch {n} jams | 0.9 |",
    "## Decisions\n- keep ramp {n} because it is dry",
    "[HIGH] open valve {n} first",
    "Promote: the jack {n} lifts 2 t",
    "Fatto: il forno {n} perde. Confidenza: 0,9",
)
"""The forms of what a generated session states; `{n}` makes each another."""


class GeneratedSession(NamedTuple):
    """A session's file, and what tells each of its statements that must last from every other."""

    text: str
    keys: tuple[str, ...]


def generated(number: int) -> GeneratedSession:
    """A session of 200 to 5,000 turns: work that holds nothing, with a statement in each third turn or so."""
    chance, work = Random(number), fillers()
    turns = round(SMALLEST * (LARGEST / SMALLEST) ** (number / (GENERATED - 1)))
    lines, keys = list[str](), list[str]()
    for turn in range(turns):
        one = chance.choice(work)
        text = one["text"].replace("{f}", "rates.py").replace("{n}", str(turn))
        if chance.random() < 0.3:
            form, key = chance.choice(FORMS), f"{number + 10}{turn:04}"
            text += "\n\n" + form.format(n=key)
            keys += [] if "[x]" in form else [key]
        agent = one["role"] == "agent"
        at = datetime.fromtimestamp(1_773_565_200 + turn).strftime("%Y-%m-%dT%H:%M:%SZ")
        lines.append(
            answer(f"m{turn}", (0, turn, 0), text=text, at=at) if agent else said(text, uuid=f"u{turn}", at=at)
        )
    return GeneratedSession("".join(lines), tuple(keys))


def _words(text: str) -> str:
    return " ".join(re.sub(r"\[(?:CURATE|TEMPORARY)\]|[#>*-]", " ", text).split())
