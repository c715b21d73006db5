"""Who spoke: judged texts of harnesses, and strangers' session files, through `import` as a person would call it."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from engine.errors import MemdeckError
from engine.lifecycle.requests import ImportRequest
from engine.plans.plan import Create
from engine.plans.planning import PlanRequest
from tests.benchmarks.corpora.judged import Item, Part, items
from tests.benchmarks.judged_files import ANSWER, LAST, OPENER, write_session
from tests.benchmarks.judged_shared import Row, compared, place
from tests.conftest import SHARED

Turns = tuple[tuple[str, str], ...]
"""Role and words of each turn of one session, in order."""

FIXTURES = SHARED / "sessions"
KINDS = {"claude-export": "claude"}
"""The kind of import where a fixture's folder has another name."""

_HEADING = re.compile(r"^## \d\d:\d\d — (user|agent)\b.*$", re.MULTILINE)
_TOOL_LINE = re.compile(r"^> \[tool:.*\n?", re.MULTILINE)


def rows(part: Part) -> Iterator[Row]:
    if FIXTURES.is_dir():
        yield from _fixtures()
    yield from _texts(items(part, "harness"))


def imported(kind: str, folder: Path) -> Mapping[str, Turns] | None:
    """The turns of each session, by its id, as the plan of an import would write them; None: nothing was read."""
    with place() as there, there.open() as engine:
        try:
            plan = engine.plans.make("import", PlanRequest(ImportRequest(kind, str(folder)))).plan
        except MemdeckError:
            return None
        found: dict[str, Turns] = {}
        for one in sorted(plan.changes if plan else (), key=lambda change: getattr(change, "path", "")):
            ident = re.search(r"^session_id: (.+)$", one.content, re.MULTILINE) if isinstance(one, Create) else None
            if ident and isinstance(one, Create):
                name = ident[1].strip("\"'")
                found[name] = found.get(name, ()) + _turns(one.content)
        return found


def _turns(transcript: str) -> Turns:
    _, *parts = _HEADING.split(transcript)
    spoken = ((role, _words(body)) for role, body in zip(parts[::2], parts[1::2], strict=True))
    return tuple((role, words) for role, words in spoken if words)


def _words(body: str) -> str:
    """The words of a turn: no tool lines, no marks of a day, no escapes, all white space as one blank."""
    text = re.sub(r"^<!-- \d{4}-\d\d-\d\d -->$", "", _TOOL_LINE.sub("", body), flags=re.MULTILINE)
    return " ".join(re.sub(r"^\\", "", text, flags=re.MULTILINE).split())


# ── texts of harnesses ────────────────────────────────────────────────────────────────────────────────────────────


def _texts(every: Sequence[Item]) -> Iterator[Row]:
    product: list[float] = []
    keyword: list[float] = []
    placebo: list[float] = []
    chance, rights = Random(7), [one["right"] for one in every]
    for platform in dict.fromkeys(one["platform"] for one in every):
        of_it = [one for one in every if one["platform"] == platform]
        scores = list(_scores(platform, of_it))
        by_words = [float(_by_words(one) == one["right"]) for one in of_it]
        drawn = [float(chance.choice(rights) == one["right"]) for one in of_it]
        yield compared(f"  harness texts right, {platform}", scores, by_words, drawn)
        product, keyword, placebo = product + scores, keyword + by_words, placebo + drawn
    yield compared("harness texts right", product, keyword, placebo)


def _scores(platform: str, every: Sequence[Item]) -> Iterator[float]:
    """1 where the session holds the turns that it should and no other."""
    with place() as there:
        folder = there.base / "files"
        ids = [write_session(folder, number, one) for number, one in enumerate(every)]
        found = imported(platform, folder) or {}
    for ident, one in zip(ids, every, strict=True):
        yield float(found.get(ident) == _expected(one))


def _expected(one: Item) -> Turns:
    spoken = {"person": one["text"], "stripped": one.get("person_text", "")}.get(one["right"], "")
    turn = (("user", " ".join(spoken.split())),) if spoken else ()
    after = (("agent", LAST),) if one["role"] == "user" else ()
    return (("user", OPENER), ("agent", ANSWER), *turn, *after)


def _by_words(one: Item) -> str:
    """The keyword rule: what begins like a tag, a bracket or a known notice is nobody's, the rest a person's."""
    known = r"\s*(<|\[|#|System:|Caveat:|Read HEARTBEAT|HEARTBEAT|NO_REPLY|This session is being|Warning:)"
    return "meta" if re.match(known, one["text"]) else "person"


# ── strangers' files ──────────────────────────────────────────────────────────────────────────────────────────────


def _fixtures() -> Iterator[Row]:
    every = sorted(FIXTURES.glob("*/*/expected.json"))
    wrong = {f"{file.parent.parent.name}/{file.parent.name}": said for file in every if (said := _difference(file))}
    shown = "; ".join(f"{name}: {said}" for name, said in wrong.items()) or "all equal"
    yield "session fixtures equal", f"{len(every) - len(wrong)}/{len(every)}", shown


def _difference(file: Path) -> str:
    """What differs between a fixture's expectation and what an import would write; empty where nothing does."""
    expected = json.loads(file.read_text("utf-8"))
    kind = file.parent.parent.name
    found = imported(KINDS.get(kind, kind), file.parent)
    if found is None:
        return "not read"
    found = {_squeezed(ident): turns for ident, turns in found.items()}
    talks = [one for one in expected["sessions"] if one["turns"]["user"] or one["turns"]["assistant"]]
    wanted = {next((name for name in found if name.endswith(_squeezed(one["id"]))), one["id"]): one for one in talks}
    if missing := wanted.keys() - found.keys():
        return f"{len(missing)} of {len(wanted)} sessions missing"
    if more := found.keys() - wanted.keys():
        return f"{len(more)} sessions too many"
    forbidden = [" ".join(text.split()) for text in expected.get("must_not_be_user", ())]
    said = [words for turns in found.values() for role, words in turns if role == "user"]
    if any(text in words for text in forbidden for words in said):
        return "words of a harness as the person's"
    return next((note for ident, one in wanted.items() if (note := _unequal(one, found[ident]))), "")


def _squeezed(ident: str) -> str:
    """An id's letters and digits: where a tool names no session, ours may stand behind the tool's own name."""
    return re.sub(r"[^0-9a-z]", "", ident.casefold())


def _unequal(expected: Item, turns: Turns) -> str:
    users = [words for role, words in turns if role == "user"]
    counts, wanted = (len(users), len(turns) - len(users)), (expected["turns"]["user"], expected["turns"]["assistant"])
    if counts != wanted:
        return f"{counts[0]} + {counts[1]} turns for {wanted[0]} + {wanted[1]}"
    texts = [" ".join(text.split()) for text in expected.get("user_texts", ())]
    pairs = zip(texts, users, strict=False)
    return "" if all(mine.startswith(text) for text, mine in pairs) else "another text or order"
