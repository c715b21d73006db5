"""Answers that survive compaction, and bullets that a reader would strike out.

An answer survives where it stands word for word in what is left of the note: the episodic file, or semantic memory and
ROOT once all notes are old. MemoryBank has no answers; there it is the words of a later question. The baselines take
as many tokens of the same notes: their first sentences, those nearest to the note's centre, chance, and those with most
names and digits. MemAware is in two halves by the day of the note: the first is what selection may be tuned on.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import cache

import msgspec

from engine.compactor.notes.working_to_episodic import compile_note
from engine.models.extractive import ExtractiveSummariser
from engine.models.owners import read_note
from engine.models.summary import NoteToSummarise
from engine.text.document import split_lines
from engine.workspace.values import DateSource, FileDate
from tests.benchmarks import agent_notes, evaluate_summaries, weekly_loop
from tests.benchmarks.evaluate_tree import plan_nodes
from tests.benchmarks.weekly_loop import TOKENS
from tests.conftest import SHARED

Row = tuple[str, str, str]
Ranking = Callable[[Sequence[str]], Sequence[str]]
ROOT = "memory/ROOT.md"
SHORTEST = 5
"""Characters of an answer that is looked for: a shorter one stands everywhere."""
TUNED_UNTIL = date(2023, 5, 25)
"""The last day of the half of MemAware that selection may be tuned on."""
DRAWS = 2_000
NOTES = 200

_SILLY: dict[str, re.Pattern[str]] = {
    "dangling colon": re.compile(r"[:：]\s*$"),
    "metadata": re.compile(
        r"(?i)session (?:key|id)\b|\bcurrent time:|message_id|untrusted|\bid:\s?\d{5,}|\(@\w+\)|agent:\w+:|^source\W"
        r"|^\[?(?:telegram|whatsapp|discord|slack) |^\[\d\d\.\d\d\.\d\d|^\d\d/\d\d/\d{4},|media attached"
        r"|\btoday at \d|\[from:|^\w+\s+\d\d:\d\d$|^session\b.{0,40}\d{4}-\d\d-\d\d"
    ),
    "injected prompt": re.compile(
        r"HEARTBEAT\.md|HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|(?i:memory flush|nearing compaction|new session was started"
        r"|queued messages while|reply (?:with )?DONE)"
    ),
    "heartbeat": re.compile(
        r"(?i)\bheartbeat\b|\bHB ok\b|^all (?:clear|quiet)|^(?:\d\d:\d\d )?nothing (?:to report|needs attention)"
        r"|^(?:inbox|calendar|status): (?:0 |nothing|all)"
    ),
    "bare URL or path": re.compile(r"^<?(?:https?://\S+|[~./]?[\w.-]*/[\w./-]+)>?$"),
    "literal line end": re.compile(r"\\n"),
    "exec, cron or tool": re.compile(
        r"(?i)\bexec (?:completed|failed)|\bcron\b|tool_?\s?(?:result|use|call)?\]?:|^\[tool|\bhook \S+:"
    ),
    "progress": re.compile(
        r"(?i)[█░]|\b\d+ ?/ ?\d+\b (?:files|steps)?|\b\d+ of \d+…|^step \d|^working on it|^(?:✅ ?)?done[.!]?$|… \d+ ?%"
    ),
}  # fmt: skip


class Asked(msgspec.Struct, frozen=True):
    """A day and an answer that its note holds."""

    day: date
    answer: str

    def stands_in(self, text: str) -> bool:
        return self.answer in " ".join(text.split()).casefold()


def rows() -> Iterator[Row]:
    """Every figure of what is kept, for `make eval`."""
    days, asked = memaware()
    for name, half in (("tuned half", True), ("judged half", False)):
        chosen = [one for one in asked if (one.day <= TUNED_UNTIL) is half]
        yield from episodic_rows(f"MemAware, {name}", days, chosen)
    yield from memorybank_rows()
    yield from semantic_rows(days, asked)
    for name, bank in (("seen", agent_notes.SEEN), ("unseen", agent_notes.UNSEEN)):
        yield silly_row(name, bank)


# ── answers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def memaware() -> tuple[dict[date, str], list[Asked]]:
    """The days of MemAware, and each question whose answer stands in the note of its day."""
    root = SHARED / "memaware"
    days = {date.fromisoformat(file.stem): file.read_text("utf-8") for file in sorted((root / "memory").glob("*.md"))}
    found = []
    for line in (root / "questions.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        for path in row["evidence_days"]:
            one = Asked(date.fromisoformat(path[-13:-3]), " ".join(row["answer"].split()).casefold())
            if len(one.answer) >= SHORTEST and one.stands_in(days[one.day]):
                found.append(one)
    return days, found


def episodic(notes: Mapping[date, str]) -> dict[date, str]:
    """The text of each day's episodic file, without its frontmatter."""
    given = [NoteToSummarise(f"memory/working/{day}.md", text) for day, text in notes.items()]
    found = {}
    for (day, _), note, summary in zip(
        notes.items(), given, ExtractiveSummariser().summarise(given, _no_tick), strict=True
    ):
        compiled = compile_note(note.path, "", FileDate(day, DateSource.NAME), day, summary, "extractive")
        found[day] = compiled.content.partition("\n# Compiled")[2].partition("\n")[2]
    return found


def bullets(text: str) -> list[str]:
    return [line[2:] for line in split_lines(text) if line.startswith("- ")]


def episodic_rows(name: str, days: Mapping[date, str], asked: Sequence[Asked]) -> Iterator[Row]:
    """The share of answers in the episodic files, beside baselines of as many tokens and lead-n of as many bullets."""
    texts = episodic(days)
    used = sorted({one.day for one in asked})
    ours = [float(one.stands_in(texts[one.day])) for one in asked]
    size = {day: TOKENS.count(texts[day]) for day in used}
    lead = {day: "\n".join(_sentences(days[day])[: len(bullets(texts[day]))]) for day in used}
    ratio = sum(size.values()) / sum(TOKENS.count(text) for text in lead.values())
    others = {label: [float(one.stands_in(_fitting(days[one.day], rank, size[one.day]))) for one in asked]
              for label, rank in RANKINGS.items()}  # fmt: skip
    best = max(others.values(), key=sum)
    low, high = interval([a - b for a, b in zip(ours, best, strict=True)], [one.day for one in asked])
    beside = ", ".join(f"{label} {share(found):.0%}" for label, found in others.items())
    yield f"(a) episodic, {name}", f"{share(ours):.0%}", f"{beside} at the same length ({len(asked)} questions)"
    yield "  above the best of them", f"{low:+.0%} to {high:+.0%}", "paired bootstrap over days, 95 %"
    yield (
        "  lead-n of as many bullets",
        f"{share([float(o.stands_in(lead[o.day])) for o in asked]):.0%}",
        (f"our length is {ratio:.2f} × lead's"),
    )
    tokens = sum(size.values())
    yield "  answers per 1,000 tokens", f"{1000 * sum(ours) / tokens:.2f}", f"{tokens / len(used):.0f} tokens a day"


def memorybank_rows() -> Iterator[Row]:
    """The words of a later question that the day's episodic file still holds."""
    for language in ("en", "cn"):
        samples = evaluate_summaries.asked_later(language)
        notes = list({one.note.path: one.note for one in samples}.values())
        found = dict(zip([n.path for n in notes], _texts(notes), strict=True))
        ours = [evaluate_summaries.share_of(one.asked, found[one.note.path]) for one in samples]
        others = {
            label: [
                evaluate_summaries.share_of(
                    one.asked, _fitting(one.note.text, rank, TOKENS.count(found[one.note.path]))
                )
                for one in samples
            ]
            for label, rank in RANKINGS.items()
        }
        best = max(others.values(), key=sum)
        low, high = interval([a - b for a, b in zip(ours, best, strict=True)], [one.note.path for one in samples])
        beside = ", ".join(f"{label} {share(values):.0%}" for label, values in others.items())
        yield (
            f"(a) episodic, MemoryBank {language}, words",
            f"{share(ours):.0%}",
            f"{beside} ({len(samples)} questions)",
        )
        yield "  above the best of them", f"{low:+.0%} to {high:+.0%}", "paired bootstrap over notes, 95 %"


def semantic_rows(days: Mapping[date, str], asked: Sequence[Asked]) -> Iterator[Row]:
    """The share of answers in semantic memory and ROOT after the weekly loop, every plan approved."""
    left = weekly_loop.run(days)
    semantic = {path: text for path, text in left.items() if path.startswith("memory/semantic/")}
    root = plan_nodes(days)[ROOT]
    text = "\n".join([*semantic.values(), root])
    size = sum(map(TOKENS.count, semantic.values()))
    entries = sum(text.count("\nTitle: ") + text.startswith("Title: ") for text in semantic.values())
    total = size + TOKENS.count(root)
    judged = [one for one in asked if one.day > TUNED_UNTIL]
    everything = "\n\n".join(days.values())
    for name, chosen in (("all", asked), ("judged half", judged)):
        ours = [float(one.stands_in(text)) for one in chosen]
        others = {
            label: [float(one.stands_in(cut)) for one in chosen]
            for label, cut in ((label, _fitting(everything, rank, total)) for label, rank in RANKINGS.items())
        }
        beside = ", ".join(f"{label} {share(found):.0%}" for label, found in others.items())
        low, high = interval(
            [a - b for a, b in zip(ours, max(others.values(), key=sum), strict=True)], [one.day for one in chosen]
        )
        yield f"(b) semantic memory and ROOT, {name}", f"{share(ours):.0%}", f"{beside} at the same length"
        yield "  above the best of them", f"{low:+.0%} to {high:+.0%}", "paired bootstrap over days, 95 %"
        alone = [float(one.stands_in("\n".join(semantic.values()))) for one in chosen]
        yield (
            "  semantic memory alone",
            f"{share(alone):.0%}",
            (f"{entries} entries, {len(semantic)} shards, {size} tokens; ROOT {total - size}"),
        )


def _texts(notes: Sequence[NoteToSummarise]) -> list[str]:
    found = []
    for note, summary in zip(notes, ExtractiveSummariser().summarise(notes, _no_tick), strict=True):
        compiled = compile_note(
            note.path, "", FileDate(date.min, DateSource.NAME), datetime.min.replace(tzinfo=UTC).date(), summary, "x"
        )
        found.append(compiled.content.partition("\n# Compiled")[2].partition("\n")[2])
    return found


# ── baselines ──────────────────────────────────────────────────────────────────────────────────────────────────────


@cache
def _sentences(text: str) -> list[str]:
    return [one.text for one in read_note(NoteToSummarise("x", text)).candidates]


def _fitting(text: str, rank: Ranking, tokens: int) -> str:
    """The best sentences of a note, up to so many tokens; the last one is cut."""
    return _cut(tuple(_ranked(text, rank)), tokens)


@cache
def _ranked(text: str, rank: Ranking) -> Sequence[str]:
    return rank(_sentences(text))


def _cut(lines: Sequence[str], tokens: int) -> str:
    kept: list[str] = []
    left = tokens
    for line in lines:
        left -= TOKENS.count(line) + 1
        if left < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _central(lines: Sequence[str]) -> Sequence[str]:
    return evaluate_summaries.by_centre(lines)


def _by_chance(lines: Sequence[str]) -> Sequence[str]:
    return random.Random(len(lines)).sample(lines, len(lines))


def _named(lines: Sequence[str]) -> Sequence[str]:
    """By the names and digits for each word: capitals after the first word, figures, quotes."""

    def weight(line: str) -> float:
        return len(re.findall(r"(?<=\s)[A-Z]\w+|\d+|[\"“《「]", line)) / (5 + len(line.split()))

    return sorted(lines, key=weight, reverse=True)


RANKINGS: dict[str, Ranking] = {
    "lead": list, "TF-IDF": _central, "random": _by_chance, "names and digits": _named,
}  # fmt: skip


def share(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def interval(gains: Sequence[float], groups: Sequence[object]) -> tuple[float, float]:
    """2.5 % and 97.5 % of the mean gain, whole groups drawn anew."""
    by_group: dict[object, list[float]] = {}
    for gain, group in zip(gains, groups, strict=True):
        by_group.setdefault(group, []).append(gain)
    drawn = random.Random(7)
    parts = list(by_group.values())
    means = sorted(share([gain for part in drawn.choices(parts, k=len(parts)) for gain in part]) for _ in range(DRAWS))
    return means[DRAWS // 40], means[-DRAWS // 40]


# ── silly bullets ──────────────────────────────────────────────────────────────────────────────────────────────────


def silly(bullet: str) -> str:
    """The reason for which a reader strikes a bullet out; empty where there is none."""
    return next((name for name, pattern in _SILLY.items() if pattern.search(bullet.strip())), "")


def silly_row(name: str, bank: agent_notes.Bank) -> Row:
    """Bullets and notes of which a reader would strike something out."""
    made = [NoteToSummarise(f"{number}.md", text) for number, text in enumerate(agent_notes.notes(bank, NOTES))]
    each = [bullets(text) for text in _texts(made)]
    struck = [[line for line in lines if silly(line)] for lines in each]
    total, bad = sum(map(len, each)), sum(map(len, struck))
    notes = sum(map(bool, struck))
    empty = sum(not lines for lines in each)
    return (
        f"silly bullets, {name} notes", f"{bad / max(1, total):.1%}",
        f"{notes / NOTES:.1%} of {NOTES} notes, {total} bullets, {empty} notes without one",
    )  # fmt: skip


def _no_tick(done: int, total: int) -> None:
    """Nobody watches."""
