"""A blind sheet for a strict reader: `python -m tests.benchmarks.content.sheet draw FOLDER`, then `take FOLDER`.

`draw` writes `sheet.md` (items in a random order, systems unnamed), `verdicts.tsv` to be filled in by somebody who
wrote none of the rules, and `key.jsonl`, which the reader does not open. `take` adds the verdicts, without any text of
the notes, to `judged.jsonl` beside this module.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from engine.text.canonical_json import sha256_hex
from tests.benchmarks.content.notes import OURS, entries, notes, summarised

JUDGED = Path(__file__).with_name("judged.jsonl")
SUMMARIES, BESIDE, ENTRIES = 60, 15, 60
"""Notes whose summaries are read, those of them for which each rival is read too, and semantic entries."""
VERDICTS = ("approve", "edit", "refuse")
RUBRIC = """\
# Rubric of a strict operator

You run this agent. Each item is what a tool proposes to keep of one of its notes. Read the note, then the item.

- **approve**: you would take it as it is. Every line is true to the note, understood without it, and worth its place;
  nothing that you would miss in a month is left out. "(nothing worth keeping)" of a note without anything is approved.
- **edit**: worth having, but you would change or strike a line first: one that misleads, dangles, lacks who or what is
  meant, repeats, or is noise; or one thing of worth is missing.
- **refuse**: you would throw it away: mostly noise, false, a fragment, a state that has passed, of no use in a month.

In `verdicts.tsv` write for each item its number, a tab, the verdict, a tab, the number of its silly lines (headings as
text, machine output, prompts, fragments, fields, greetings, passing states), a tab, and the reason in at most ten words
that quote nothing of the note.
"""


class Key(msgspec.Struct, frozen=True):
    """What an item of the sheet is: `output` is the hash of the text that was read."""

    item: int
    kind: str
    system: str
    source: str
    note: str
    output: str
    bullets: int


class Verdict(Key, frozen=True, kw_only=True):
    """An item that was read: `silly` of its lines should never have been chosen."""

    reader: str
    verdict: str
    silly: int
    reason: str


class _Item(msgspec.Struct, frozen=True):
    kind: str
    system: str
    source: str
    note: str
    text: str
    beside: str


def draw(folder: Path, half: str, seed: int) -> None:
    """Writes the sheet, its key, the rubric and the empty table of verdicts."""
    rng = random.Random(seed)
    items = [*_summaries(half, rng), *_entries(half, rng)]
    rng.shuffle(items)
    folder.mkdir(parents=True)
    parts, keys = [RUBRIC], list[Key]()
    for number, item in enumerate(items, 1):
        keys.append(
            Key(number, item.kind, item.system, item.source, item.note, sha256_hex(item.text.encode())[:16],
                sum(line.startswith("- ") for line in item.text.split("\n")))
        )  # fmt: skip
        parts.append(f"\n{'=' * 100}\n# Item {number} ({item.kind})\n\n{item.beside}\n--- proposed:\n\n{item.text}\n")
    (folder / "sheet.md").write_text("".join(parts), "utf-8")
    (folder / "key.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, keys)))
    (folder / "verdicts.tsv").write_text("".join(f"{one.item}\t\t\t\n" for one in keys), "utf-8")


def _summaries(half: str, rng: random.Random) -> Iterator[_Item]:
    given = sorted(rng.sample(notes(half), min(SUMMARIES, len(notes(half)))), key=lambda one: one.path)
    beside = {one.path for one in rng.sample(given, min(BESIDE, len(given)))}
    texts = {one.path: one for one in given}
    for made in summarised(given):
        if made.system == OURS or made.note in beside:
            note = texts[made.note]
            yield _Item("summary", made.system, note.source, note.path, made.text, f"--- the note:\n\n{note.text}\n")


def _entries(half: str, rng: random.Random) -> Iterator[_Item]:
    made = list(entries(notes(half)))
    for source, text in rng.sample(made, min(ENTRIES, len(made))):
        yield _Item("entry", OURS, source, "", text, "--- an entry of lasting memory, of this agent's notes\n")


def take(folder: Path, reader: str) -> None:
    """Adds the verdicts of a folder; a line that is no verdict is named and nothing is taken."""
    keys = {one.item: one for one in map(_key, (folder / "key.jsonl").read_bytes().split(b"\n"))}
    read = list[Verdict]()
    for line in (folder / "verdicts.tsv").read_text("utf-8").splitlines():
        number, verdict, silly, reason = (*line.split("\t"), "", "", "")[:4]
        if verdict not in VERDICTS or not silly.isdigit():
            raise SystemExit(f"item {number}: not a verdict and a number of silly lines: {line!r}")
        key = msgspec.structs.asdict(keys[int(number)])
        read.append(Verdict(**key, reader=reader, verdict=verdict, silly=int(silly), reason=reason))
    with JUDGED.open("ab") as file:
        file.writelines(msgspec.json.encode(one) + b"\n" for one in read)


def _key(line: bytes) -> Key:
    return msgspec.json.decode(line, type=Key)


def main(arguments: Sequence[str]) -> int:
    what, folder, *more = arguments
    if what == "draw":
        draw(Path(folder), more[0] if more else "judge", int(more[1]) if len(more) > 1 else 1)
    else:
        take(Path(folder), more[0])
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
