"""Secrets in texts of strangers, set by set, kind by kind, beside a rival and a placebo; alarms on real lines; speed.

An item counts where every part that its author named lies within what is hidden. `choose` is what rules were chosen
on; `held` is by two more authors, of kinds nobody tuned for. Real lines are of files whose path has an odd check sum;
those with an even one were looked at while rules were chosen. The rival is the strongest simple rule: a token of
sixteen signs and 3.5 bits each, or what follows a name such as `password` and a sign. The placebo hides as many words.
"""

import random
import re
import sysconfig
import time
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from engine.text.secrets.detector import find_secrets
from engine.text.secrets.values import entropy
from tests.conftest import SHARED

Row = tuple[str, str, str]
Span = tuple[int, int]
Finder = Callable[[str], Sequence[Span]]

FIRE = Path(__file__).parent / "corpora" / "fire"
FOLDERS = ("memaware/memory", "memaware/raw", "memorybank-en", "memorybank-cn")
DRAWS = 2000
RUNS = 4
LINES = 100_000  # of sources and of documentation, each
_TOKEN = re.compile(r"[A-Za-z0-9+/=_.~-]{16,}")
_KEYWORD = re.compile(
    r"""(?i)(?:pass(?:word|wd)?|pwd|secret|token|api_?key)["']?\s*(?:[:=]|is)\s*["']?([^\s"',;]{6,})"""
)


class Labelled(msgspec.Struct, frozen=True):
    """A text of a stranger; `secrets` are the parts that must not be seen, none where it only looks alike."""

    id: str
    author: str
    kind: str
    lang: str
    text: str
    secrets: tuple[str, ...]


def rows() -> Iterator[Row]:
    for half in ("choose", "held"):
        texts = labelled(half)
        if not texts:
            yield f"secrets, {half}", "not here", ""
            continue
        yield from _recall(half, texts)
        yield from _near_misses(half, [text for text in texts if not text.secrets])
    yield from _real_lines()
    yield from _speeds()


def labelled(half: str) -> list[Labelled]:
    """The texts of one half."""
    files = sorted((FIRE / half).glob("secrets-*.jsonl"))
    return [msgspec.json.decode(line, type=Labelled) for file in files for line in file.read_bytes().splitlines()]


def is_hidden(text: Labelled, spans: Sequence[Span]) -> bool:
    """Tells whether every secret, wherever it stands in the text, lies within the spans."""
    hidden = {at for first, last in spans for at in range(first, last)}
    places = [match.span() for secret in text.secrets for match in re.finditer(re.escape(secret), text.text)]
    return bool(places) and all(hidden.issuperset(range(*place)) for place in places)


def memdeck(text: str) -> Sequence[Span]:
    return [(found.start, found.end) for found in find_secrets(text)]


def rival(text: str) -> Sequence[Span]:
    tokens = [match.span() for match in _TOKEN.finditer(text) if entropy(match[0]) >= 3.5]
    return tokens + [match.span(1) for match in _KEYWORD.finditer(text)]


def placebo(text: str) -> Sequence[Span]:
    words = [match.span() for match in re.finditer(r"\S+", text)]
    hidden = sum(len(text[first:last].split()) for first, last in memdeck(text))
    return random.Random(text).sample(words, min(hidden, len(words)))


def _recall(half: str, texts: Sequence[Labelled]) -> Iterator[Row]:
    asked = [text for text in texts if text.secrets]
    yield (
        f"secrets, {half}",
        f"{len(asked)} items",
        f"{len({text.kind for text in asked})} kinds, authors {_authors(texts)}",
    )
    for finder in (memdeck, rival, placebo):
        hits = [is_hidden(text, finder(text.text)) for text in asked]
        yield f"  recall, {half}, {finder.__name__}", f"{_share(hits)}", _interval(hits) if finder is memdeck else ""
        if finder is memdeck:
            for group in ("author", "lang", "kind"):
                yield from _by(group, half, asked, hits)


def _by(group: str, half: str, texts: Sequence[Labelled], hits: Sequence[bool]) -> Iterator[Row]:
    every = Counter(getattr(text, group) for text in texts)
    found = Counter(getattr(text, group) for text, hit in zip(texts, hits, strict=True) if hit)
    for name, count in sorted(every.items()):
        yield f"    {half}, {group} {name}", f"{found[name]}/{count}", ""


def _near_misses(half: str, texts: Sequence[Labelled]) -> Iterator[Row]:
    for finder in (memdeck, rival):
        alarms = sum(bool(finder(text.text)) for text in texts)
        yield f"  near misses with an alarm, {half}, {finder.__name__}", f"{alarms}/{len(texts)}", ""


def _real_lines() -> Iterator[Row]:
    lines = alarms = simple = 0
    for group, files in _real_files().items():
        texts = list(_sample([file for file in files if zlib.crc32(file.as_posix().encode()) % 2]))
        count = sum(text.count("\n") + 1 for text in texts)
        found = sum(len(find_secrets(text)) for text in texts)
        lines, alarms, simple = lines + count, alarms + found, simple + sum(len(rival(text)) for text in texts)
        yield f"  alarms, {group}", str(found), f"in {count:,} lines"
    yield (
        "alarms on real lines",
        f"{2000 * alarms / lines:.2f}",
        f"in 2,000 lines; target ≤ 1; rival {2000 * simple / lines:.1f}",
    )


def _real_files() -> dict[str, list[Path]]:
    packages = Path(sysconfig.get_paths()["purelib"])
    notes = [file for file in (SHARED / "real-notes").rglob("*") if file.suffix in {".md", ".txt"}]
    sessions = [file for file in (SHARED / "sessions").rglob("*") if file.suffix in {".jsonl", ".json", ".md"}]
    docs = [file for file in packages.rglob("*") if file.suffix in {".md", ".rst", ".txt"} or file.name == "METADATA"]
    return {"notes": notes, "sessions": sessions, "docs": docs, "sources": list(packages.rglob("*.py"))}


def _sample(files: Sequence[Path]) -> Iterator[str]:
    """Texts of whole files in a drawn order, up to so many lines."""
    lines = 0
    for file in random.Random(11).sample(sorted(files), len(files)):
        if lines >= LINES:
            return
        text = file.read_bytes().decode("utf-8", "replace") if file.is_file() else ""
        if "\0" not in text and len(text) < 400_000:
            lines += text.count("\n") + 1
            yield text


def _speeds() -> Iterator[Row]:
    rnd = random.Random(1)
    folders = [SHARED / folder for folder in FOLDERS]
    ordinary = [file.read_text("utf-8") for folder in folders for file in sorted(folder.rglob("*.md"))]
    yield "ordinary text, MB/s", f"{_speed(ordinary):.0f}", "for information"
    yield "base64, MB/s", f"{_speed([b64encode(rnd.randbytes(2_000_000)).decode()]):.0f}", "for information"
    parts = ("password", "sk-", "AKIA", "eyJ", "abcDEF0123", ".", ":", " is ", "=", "://", "@", "\n", "token")
    yield "hostile, MB/s", f"{_speed([''.join(rnd.choice(parts) for _ in range(60_000))]):.1f}", "for information"


def _authors(texts: Sequence[Labelled]) -> str:
    return ", ".join(sorted({text.author for text in texts}))


def _share(hits: Sequence[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f} %"


def _interval(hits: Sequence[bool]) -> str:
    rnd = random.Random(5)
    shares = sorted(sum(rnd.choices(hits, k=len(hits))) / len(hits) for _ in range(DRAWS))
    return f"[{100 * shares[DRAWS // 40]:.1f}, {100 * shares[-DRAWS // 40]:.1f}]"


def _speed(texts: Sequence[str]) -> float:
    """Megabytes for each second of this process, the automata warm: of four runs the one that others slowed least."""
    return sum(len(text.encode()) for text in texts) / 1e6 / min(_seconds(texts) for _ in range(RUNS))


def _seconds(texts: Sequence[str]) -> float:
    start = time.process_time()
    for text in texts:
        find_secrets(text)
    return time.process_time() - start
