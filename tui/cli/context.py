"""Runs `load` and `compile`: what platforms load of the workspace, and the prompt compiled for a message."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

from engine.context.compile.prompt import CompiledPrompt, PromptComparison, PromptItem
from engine.context.load.observation import ObservedFile
from engine.context.load.simulation import CapReading, LoadedFile, PlatformLoad
from engine.context.platforms.platform import SessionKind
from engine.errors import UsageError
from engine.plans.plan import Flag
from tui.cli.output import Answer, Piece, Styled, Text, TextTable, fields, pieces_of, sign_piece
from tui.cli.settings import Settings, command, opened
from tui.present.context import platform_loads as words
from tui.present.context import prompt as prompt_words
from tui.present.flags import file_flags, flags_json
from tui.present.glyphs import FLAGGED, ITEM_FATES, LOAD_STATES
from tui.present.words import noun, safe


@command("load")
def load_command(settings: Settings, platform: str | None, session: str) -> Answer:
    console, kind = opened(settings), SessionKind(session)
    context = console.context
    loads = context.loads(kind, platform, flags=True)
    seen = context.observed(loads)

    def facts() -> list[dict[str, Any]]:
        clean = context.loads(kind, platform, clean=True)
        return [load_json(load, seen[load.platform.name], told) for load, told in zip(loads, clean, strict=True)]

    return Answer(facts, _loads_rows(loads, seen, console.now(), every=platform is not None))


def _loads_rows(
    loads: Sequence[PlatformLoad], seen: Mapping[str, Sequence[ObservedFile]], now: datetime, *, every: bool
) -> Text:
    for load in loads:
        if load.used or every:
            yield from load_rows(load, seen[load.platform.name], now)
    for load in loads:
        if not load.used and not every:
            signs = ", ".join(map(safe, load.platform.signs))
            yield Styled(f"{words.load_title(load)}  no sign of it here ({signs})", dim=True)


def load_rows(load: PlatformLoad, seen: Sequence[ObservedFile], now: datetime) -> Text:
    origin = safe(f"{load.platform.version} · {load.platform.date} · {load.platform.source}")
    yield Styled(words.load_title(load), bold=True), "  ", Styled(origin, dim=True)
    if not load.files:
        yield "  nothing of this workspace is loaded"
    if bar := words.load_bar(load):
        yield "  ", *pieces_of(bar)
    rows: list[list[Piece]] = [
        [
            sign_piece(LOAD_STATES[file.state]),
            file.name,
            words.file_words(file),
            words.verdict_words(file),
            Styled(words.mark_words(mark, now), fg="yellow" if mark.difference else None, dim=not mark.difference),
        ]
        for file, mark in zip(load.files, seen, strict=False)
    ]
    rows += [
        ["", other.name, "", "", Styled(words.mark_words(other, now), fg="yellow")] for other in seen[len(load.files) :]
    ]
    yield TextTable(rows, indent="  ")
    for file in load.files:
        if file.fallen:
            yield f"  what falls off of {file.path}, {noun(len(file.fallen), 'line')}:"
            lines: list[list[Piece]] = [
                [f"{line.line}", line.text, Styled(words.fallen_words(line), dim=True)] for line in file.fallen
            ]
            yield TextTable(lines, right=frozenset({0}), indent="    ")
    for file in load.files:
        yield from flagged_rows(file.path, file.flags)
    if load.platform.note:
        yield "  ", Styled(load.platform.note, dim=True)


def flagged_rows(path: str, flags: Sequence[Flag]) -> Text:
    for line, why in file_flags(flags).items():
        yield "  ", sign_piece(FLAGGED), f" {path}:{line}  ", Styled(why, fg="red")


def load_json(load: PlatformLoad, seen: Sequence[ObservedFile], clean: PlatformLoad) -> dict[str, Any]:
    """Returns a load as JSON; its texts come from `clean`, which has no secrets."""
    return {
        "platform": load.platform.name,
        **fields(load.platform, "title version source date note"),
        **fields(load, "session used fallen"),
        "total": _reading_json(load.total) if load.total is not None else None,
        "files": [
            _file_json(file) | {"text": told.text, "observed": _seen_json(mark)}
            for file, told, mark in zip(load.files, clean.files, seen, strict=False)
        ],
        "besides": [_seen_json(mark) for mark in seen[len(load.files) :]],
    }


def _file_json(file: LoadedFile) -> dict[str, Any]:
    return {
        **fields(file, "name path state reason"),
        "flags": flags_json(file.flags),
        "caps": [_reading_json(reading) for reading in file.caps],
        "fallen": [fields(line, "line entry partly text") for line in file.fallen],
    }


def _seen_json(file: ObservedFile) -> dict[str, Any]:
    return fields(file, "name mark at difference")


def _reading_json(reading: CapReading) -> dict[str, Any]:
    return fields(reading, "unit value cap headroom")


@command("compile")
def compile_command(
    settings: Settings,
    text: str | None,
    message: str | None,
    budget: int | None,
    session: str,
    history: str | None,
    compare: str | None,
    only_prompt: bool,
) -> Answer:
    if (text is None) == (message is None):
        raise UsageError("one message", where="compile", hint="memdeck compile --message TEXT")
    if compare is not None and (history is not None or only_prompt):
        raise UsageError("--compare goes without --history and --prompt", where="compile")
    console, asked = opened(settings), message or text or ""
    if compare is not None:
        compared = console.comparisons.compare(asked, SessionKind(session), compare, budget=budget)
        return Answer(partial(comparison_json, compared), comparison_rows(compared))
    made = console.context.compile(asked, SessionKind(session), budget=budget, history=history)
    console.references.compiled(made)
    prompt = made.prompt.rstrip("\n").split("\n")
    shown = prompt if only_prompt else chain(compiled_rows(made), prompt)
    return Answer(partial(compile_json, made), shown, remarks=made.warnings)


def compiled_rows(made: CompiledPrompt) -> Text:
    yield Styled(prompt_words.total_words(made), bold=True), "  ", prompt_words.counted(made)
    yield Styled(prompt_words.prefix_words(made), dim=True)
    rows: list[list[Piece]] = [
        [
            sign_piece(prompt_words.item_sign(item)),
            item.slot.value,
            prompt_words.item_figure(item),
            prompt_words.item_name(item),
            Styled(prompt_words.item_why(item), dim=True),
        ]
        for item in made.items
    ]
    yield TextTable(rows, right=frozenset({2}), indent="  ")
    for item in made.items:
        yield from flagged_rows(item.path, item.flags)
    yield ""


def comparison_rows(comparison: PromptComparison) -> Text:
    yield Styled(prompt_words.sides_words(comparison), bold=True)
    yield prompt_words.counts_words(comparison)
    rows: list[list[Piece]] = [
        [
            sign_piece(ITEM_FATES[change.fate.value]),
            change.item.slot.value,
            prompt_words.item_name(change.item),
            prompt_words.side_words(change.before),
            prompt_words.side_words(change.after),
            Styled(change.reason, dim=True),
        ]
        for change in prompt_words.differing(comparison)
    ]
    yield TextTable(rows, frozenset({3, 4}), "  ")
    for change in prompt_words.differing(comparison):
        if lines := prompt_words.shown_lines(change):
            yield Styled(f"── {prompt_words.item_name(change.item)}", bold=True)
        for mark, line in lines:
            yield Styled(f"{mark} {line}", fg="green" if mark == "+" else "red")


def compile_json(made: CompiledPrompt) -> dict[str, Any]:
    """Returns the keys that CLI.md promises, with the slots, the prefix and the warnings."""
    return {
        **fields(made, "budget tokens tokenizer session"),
        "prefix": fields(made.prefix, "sha256 tokens"),
        "slots": [fields(use, "slot share tokens") for use in made.slots],
        "items": [
            {
                **fields(item, "label slot priority"),
                "path": item.path or None,
                "line": item.line or None,
                **fields(item, "tokens whole score state reason trust"),
                "flags": flags_json(item.flags),
            }
            for item in made.items
        ],
        **fields(made, "warnings prompt"),
    }


def comparison_json(comparison: PromptComparison) -> dict[str, Any]:
    sides = zip(comparison.names, (comparison.before, comparison.after), strict=True)
    return {
        "sides": [
            {"name": name, **fields(side, "budget tokens"), "prefix": side.prefix.sha256} for name, side in sides
        ],
        "prefix_kept": comparison.prefix_kept,
        "items": [
            {
                "fate": change.fate,
                **fields(change.item, "slot label"),
                "path": change.item.path or None,
                "before": _side_json(change.before),
                "after": _side_json(change.after),
                **fields(change, "reason added gone"),
            }
            for change in comparison.changes
        ],
    }


def _side_json(item: PromptItem | None) -> dict[str, Any] | None:
    return None if item is None else fields(item, "state tokens whole")
