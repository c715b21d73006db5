"""Five months of an agent's days as files: raw logs, journals, MEMORY.md and transcripts of sessions."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from engine.demo.notes import between, dated_parts, fill, fill_numbers, parts

DAYS = 150  # days covered by the logs
JOURNAL_DAYS = 30  # days covered by the journal; older days are in the logs alone
SATURDAY = 5  # the first day of a weekend, as `date.weekday` counts


def raw_logs(today: date) -> dict[str, str]:
    """Returns `memory/YYYY-MM-DD.md` for each day: its events, then ordinary work."""
    events: dict[int, list[str]] = defaultdict(list)
    for offset, title, body in dated_parts("events"):
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        events[offset].append("\n".join([f"## {title}", *lines]))
    routine = list(parts("routine"))
    logs = {}
    for offset in range(-DAYS, 1):
        day = today + timedelta(days=offset)
        if sections := events[offset] + _ordinary(routine, day):
            text = "\n\n".join([f"# {day.isoformat()}", *sections]) + "\n"
            logs[f"memory/{day.isoformat()}.md"] = fill(text, today)
    return logs


def _ordinary(routine: list[tuple[str, str]], day: date) -> list[str]:
    if day.weekday() >= SATURDAY:
        return []
    first = between(0, len(routine) - 1, f"{day}")
    count = between(2, 4, f"{day}:count")
    chosen = [routine[(first + step * 5) % len(routine)] for step in range(count)]
    return [f"## {title}\n{fill_numbers(body, f'{day}:{title}').rstrip()}" for title, body in chosen]


def memory_md(today: date, *, until: date | None = None) -> str:
    """Returns MEMORY.md as of a day: dated lines, newest last."""
    dated = ((today + timedelta(days=offset), body) for offset, _, body in dated_parts("events"))
    kept = [
        f"- {day.isoformat()}: {line.removeprefix('memory: ')}"
        for day, body in dated
        for line in body.splitlines()
        if line.startswith("memory: ") and day <= (until or today)
    ]
    return fill("# Memory\n\n## Kept\n" + "\n".join(kept) + "\n", today)


def journals(today: date) -> dict[str, str]:
    """Returns `knowledge/journal/YYYY-MM-DD.md` of the last weeks."""
    bullets: dict[int, list[str]] = defaultdict(list)
    for offset, title, body in dated_parts("events"):
        topic = title.rpartition(" [")[0].lower()
        for line in body.splitlines():
            if line.startswith("journal: "):
                bullets[offset] += [f"### {topic}", f"- {line.removeprefix('journal: ')}", ""]
    found = {}
    for offset, lines in bullets.items():
        if offset >= -JOURNAL_DAYS:
            day = (today + timedelta(days=offset)).isoformat()
            head = f"---\ntype: journal\ndate: {day}\n---\n\n## {day}\n\n"
            found[f"knowledge/journal/{day}.md"] = head + "\n".join(lines)
    return found


def transcripts(today: date) -> dict[str, str]:
    """Returns `raw/conversations/YYYY/MM/DD/HHMM-<session>-<slug>.md` of a few sessions (autopoiesis §2.1)."""
    found = {}
    for offset, rest, body in dated_parts("conversations"):
        time, slug = rest.split()
        day = today + timedelta(days=offset)
        session = f"ses_{between(0, 16**8 - 1, f'{slug}:{offset}'):08x}"
        path = f"raw/conversations/{day:%Y/%m/%d}/{time}-{session}-{slug}.md"
        found[path] = _transcript(day, time, slug, session, body)
    return found


def _transcript(day: date, time: str, slug: str, session: str, body: str) -> str:
    turns = list(_turns(time, body))
    started, ended = (f"{day.isoformat()}T{clock}:00Z" for clock in (turns[0][0], turns[-1][0]))
    head = {"session_id": session, "started": started, "ended": ended, "model": "claude-opus", "channel": "webchat"}
    title = slug.replace("-", " ")
    lines = ["---", *(f"{key}: {value}" for key, value in head.items()), f"topic: {title}", "---", ""]
    lines += [f"# {title.capitalize()}", ""]
    for clock, role, text in turns:
        lines += [f"## {clock} — {role}", text, ""]
    return "\n".join(lines)


def _turns(time: str, body: str) -> Iterator[tuple[str, str, str]]:
    minute = int(time[:2]) * 60 + int(time[2:])
    for number, line in enumerate(body.splitlines()):
        role, _, text = line.partition(": ")
        at = minute + number * 2
        yield f"{at // 60:02}:{at % 60:02}", role, text
