"""The compiled prompt on the notes of a stranger's agent: 24 questions, and whether the answer stands in it.

An answer is there where the line that holds it stands whole, or where all words of one set of the question's `answers`
stand in one line, near each other; the message itself is not looked at. Beside the prompt of 8,192 tokens stand what
OpenClaw and Claude Code load of that workspace, and within as many tokens: search alone (it shows one piece of a note,
so that it may fill fewer), and lines drawn by chance. The workspace is measured as its owner left it, and once more
with the tree that a drain makes of its logs. Gains are in pairs, with intervals from a bootstrap over the notes.
"""

import random
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from hashlib import sha256
from itertools import product
from pathlib import Path

import msgspec

from engine.context.platforms.platform import SessionKind
from engine.services.engine import Engine
from tests.benchmarks.evaluate_context import BUDGET, Row, compiled, opened, recalled, searched
from tests.benchmarks.evaluate_tree import gain
from tests.benchmarks.tree_cases import TOKENS, plan_nodes
from tests.conftest import SHARED

CORPORA = Path(__file__).parent / "corpora"
QUESTIONS = {"24 questions": "questions24.toml", "24 others": "questions24b.toml"}
"""The first judge; by the others, on another workspace, it is chosen how prompts are filled."""
PLATFORMS = ("openclaw", "claude-code")
NEAR = 300
"""Characters of one line that may lie between the beginnings of an answer's words."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class NoteQuestion(msgspec.Struct, frozen=True):
    """A question, and how its answer is known again."""

    kind: str
    path: str
    line: str
    """The sha256 of the evidence's line, without the spaces around it."""
    text: str
    answers: tuple[tuple[str, ...], ...]

    def stands_whole(self, text: str) -> bool:
        return any(sha256(line.strip().encode()).hexdigest() == self.line for line in text.split("\n"))

    def answered(self, text: str) -> bool:
        """Tells whether the line stands in the text, or one set of words in one of its lines."""
        lines = [line.lower() for line in text.split("\n")]
        return self.stands_whole(text) or any(_near(line, words) for line in lines for words in self.answers)


class QuestionFile(msgspec.Struct, frozen=True):
    """The questions to one workspace below `real-notes/`."""

    workspace: str
    questions: tuple[NoteQuestion, ...]


def rows() -> Iterator[Row]:
    """Every figure of the questions, for `make eval`."""
    for name, file in QUESTIONS.items():
        yield from _asked(name, CORPORA / file)


def _asked(name: str, path: Path) -> Iterator[Row]:
    file = msgspec.toml.decode(path.read_bytes(), type=QuestionFile)
    folder, asked = SHARED / "real-notes" / file.workspace, file.questions
    if not folder.is_dir():
        yield name, "skipped", f"the notes are not at {folder}"
        return
    check(folder, asked)
    logs = (note for note in (folder / "memory").glob("*.md") if _DAY.fullmatch(note.stem))
    raw = {date.fromisoformat(note.stem): note.read_text("utf-8") for note in logs}
    yield from _measured(f"{name}, as its owner left it", folder, asked, max(raw), {})
    yield from _measured(f"{name}, with the tree of a drain", folder, asked, max(raw), plan_nodes(raw))


def check(folder: Path, asked: Sequence[NoteQuestion]) -> None:
    """Refuses questions whose evidence is not in the notes, or does not hold the answer by its words."""
    for one in asked:
        lines = (folder / one.path).read_text("utf-8").split("\n")
        held = [line for line in lines if one.stands_whole(line)]
        assert held, f"{one.path}: no line has the hash of {one.text!r}"
        assert any(_near(held[0].lower(), words) for words in one.answers), f"{one.path}: no answer to {one.text!r}"


def _measured(
    title: str, folder: Path, asked: Sequence[NoteQuestion], last: date, nodes: Mapping[str, str]
) -> Iterator[Row]:
    with tempfile.TemporaryDirectory(prefix="memdeck-eval-") as base:
        place = Path(base) / "agent"
        shutil.copytree(folder, place)
        with opened(place, nodes, last) as engine:
            prompts = [compiled(engine, one.text) for one in asked]
            found = [searched(engine, one.text, made.tokens) for one, made in zip(asked, prompts, strict=True)]
            loads = {f"what {name} loads": _loaded(engine, name) for name in PLATFORMS}
    texts = [recalled(made) for made in prompts]
    ours = _answered(asked, texts)
    whole = sum(one.stands_whole(text) for one, text in zip(asked, texts, strict=True))
    size = sum(made.tokens for made in prompts) / len(prompts)
    yield f"{title}: prompt", _share(ours), f"{whole} whole lines, {size:.0f} tokens of {BUDGET}"
    lines = [line for note in sorted(folder.rglob("*.md")) for line in note.read_text("utf-8").split("\n")]
    drawn = [_drawn(lines, made.tokens, at) for at, made in enumerate(prompts)]
    rivals = {**{name: [text] * len(asked) for name, text in loads.items()}, "search alone, all that it finds": found}
    for name, others in {**rivals, "placebo: random lines, as many tokens": drawn}.items():
        theirs = _answered(asked, others)
        size = sum(TOKENS.count(text) for text in others) / len(others)
        yield (
            f"  {name}",
            _share(theirs),
            f"{gain(ours, theirs, [one.path for one in asked])} points, {size:.0f} tokens",
        )
    yield from _kinds(asked, ours)


def _kinds(asked: Sequence[NoteQuestion], ours: Sequence[bool]) -> Iterator[Row]:
    """Each kind of question, with those that are not answered."""
    kinds: dict[str, list[tuple[NoteQuestion, bool]]] = defaultdict(list)
    for one, answered in zip(asked, ours, strict=True):
        kinds[one.kind].append((one, answered))
    for kind, each in sorted(kinds.items()):
        missing = " · ".join(f"{one.path}: {one.text}" for one, answered in each if not answered)
        yield f"  {kind}", _share([answered for _, answered in each]), missing


def _loaded(engine: Engine, platform: str) -> str:
    (load,) = engine.context.loads(SessionKind.MAIN, platform)
    return "\n".join(file.text for file in load.files)


def _drawn(lines: Sequence[str], tokens: int, seed: int) -> str:
    """Lines of the workspace in a random order, each that there is room for."""
    kept: list[str] = []
    for line in random.Random(seed).sample(lines, len(lines)):
        price = TOKENS.count(line + "\n")
        if price <= tokens:
            kept.append(line)
            tokens -= price
    return "\n".join(kept)


def _answered(asked: Sequence[NoteQuestion], texts: Sequence[str]) -> list[bool]:
    return [one.answered(text) for one, text in zip(asked, texts, strict=True)]


def _near(line: str, words: Sequence[str]) -> bool:
    places = [[hit.start() for hit in re.finditer(re.escape(word.lower()), line)] for word in words]
    return any(max(some) - min(some) <= NEAR for some in product(*places))


def _share(answered: Sequence[bool]) -> str:
    return f"{sum(answered)} of {len(answered)}"
