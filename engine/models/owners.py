"""Builds units from a note's items and paragraphs, each with its owner: the heading or item that names a person, ticket
or position (decision A36). A sentence cut out of a list says less than the list. A short list or section is one unit;
in a long one each item is, with its owner."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice, takewhile

import msgspec

from engine.models.block_reader import indent, turn_of
from engine.models.blocks import Parsed
from engine.models.cue_matcher import Cue
from engine.models.labels import heading_role, is_part, speaker_of
from engine.models.passing_states import WIDE, WORD, is_passing, is_state, is_tally, word_count
from engine.models.plain_line import LONGEST_LIST, clean_lines
from engine.models.sentence_candidates import (
    LEADS_NOWHERE,
    SMALL_TALK,
    ReadNote,
    SentenceCandidate,
    read_lines,
    with_first_items,
)
from engine.models.sentence_weights import class_of
from engine.models.session_lines import SESSION
from engine.models.summary import NoteToSummarise, PointLine
from engine.text.markdown import heading_of
from engine.text.pattern_file import PatternFile

FIELD, FRAGMENT, TEMPLATE, REPEATED = "machine field", "fragment", "line of an unfilled template", "line said again"
PASSING, LEANS = "state that passes", "line that leans on another"

_FORMS = PatternFile(
    __package__,
    "outline_patterns.toml",
    "wide_end field machine italic placeholder slot number dates named times tags task item bold_title"
    " named_thing signs talk rule letters leans keyed",
)
LEADS = (":", "：")
_STOPS = (".", "!", "。", "！")
ASKS = ("?", "？", "!", "！")  # ends of a heading that no colon follows
_ENDS = ".;,。；，、 "
ONE_LINE = 100  # characters of a list that still stands on one line
_REACH = 2  # lines from one item of a list to the next: one may be blank
_FEW_WORDS = 3
_LONGEST_OWNER = 120
_TELLING = 10  # words of a line that is kept among states that pass


class _Node(msgspec.Struct):
    """An item, paragraph or lead, and its children."""

    own: SentenceCandidate
    level: int
    below: "list[_Node]"


def read_note(note: NoteToSummarise) -> ReadNote:
    """Returns what a summary may choose from: sentences of a conversation, else whole units."""
    lines = _without_end(clean_lines(note.text))
    plain = (line for line in lines if line[:1] not in "-*")
    turns = (turn_of(line) if line[:1] == "#" else speaker_of(line.partition(":")[0]) for line in plain)
    if sum(map(bool, turns)) < 2:
        bold = _FORMS["bold_title"]
        lines = [bold.sub(r"###### \1", line) if line[:2] in ("**", "__") else line for line in lines]
    parts = [at for at, line in enumerate(lines) if line.startswith("## ")]
    # The only heading of its level, with others below it, is a title too.
    title = parts[0] if len(parts) == 1 and any(line.startswith("### ") for line in lines[parts[0] :]) else -1
    read = read_lines(lines, note.first_line, partial(_units, title))
    titles = (read.title, owner_name(lines[title][3:].strip()) if title >= 0 else "")
    told = (_title(title, note.path) for title in titles if not is_state(title))
    return read._replace(title=" – ".join(filter(None, told)))


def _without_end(lines: list[str]) -> list[str]:
    """Removes a few lines below the last rule without a heading: a writer's signature."""
    rules = [at for at, line in enumerate(lines) if _FORMS["rule"].match(line) and not lines[at - 1].strip()]
    end = lines[rules[-1] :] if rules and 2 * rules[-1] > len(lines) else []
    told = [line for line in end if line.strip()]
    is_signed = len(told) <= _FEW_WORDS + 1 and not any(line.startswith("#") for line in told)
    return lines[: len(lines) - len(end)] + [""] * len(end) if is_signed else lines


def _title(heading: str, path: str) -> str:
    """Returns a note's first heading if it has two words that are not in the note's name; else nothing."""
    name = path.rpartition("/")[2].casefold()
    words = WORD.findall(_FORMS["dates"].sub("", heading))
    new = [word for word in words if word.casefold() not in name and not is_part(word)]
    tells = len(new) > 1 or len(WIDE.findall(heading)) > 2 * _FEW_WORDS
    return heading.rstrip(" :：") if tells else ""


def _units(
    title: int, given: Iterable[SentenceCandidate], parsed: Parsed, lines: Sequence[str], first_line: int
) -> Iterator[SentenceCandidate]:
    said = list(given)
    headings, dropped = parsed.headings, parsed.dropped
    if dropped[SESSION]:
        # In the session of an agent at work it tells what it did itself, and gives no advice.
        said = [
            sentence if sentence.speaker == "user" else msgspec.structs.replace(sentence, speaker="")
            for sentence in said
        ]
    elif any(sentence.speaker for sentence in said):
        yield from with_first_items(said, parsed, lines, first_line)
        return
    spoken = any(sentence.speaker for sentence in said)
    places = [index for _, index in headings]
    above = _above(headings, lines, title)
    top = places[1] + first_line if places[1:] else 0
    sections: dict[int, list[SentenceCandidate]] = {}
    for block in _without_noise(_blocks(said, bool(dropped[SESSION])), lines, first_line, top, dropped):
        sections.setdefault(bisect_right(places, block.start - first_line), []).append(block)
    lasting = {section: frozenset(_lasting(own)) for section, own in sections.items()}
    states = {section for section in sections if section and any(map(is_state, above[section - 1]))}
    if not any(own for section, own in lasting.items() if section not in states):
        states = set()  # a note that is nothing but a state says so
    units: list[SentenceCandidate] = []
    for section, own in sections.items():
        kept = frozenset() if section in states else lasting[section]
        dropped[PASSING] += sum(bool(block.text) for block in own) - len(kept)
        owner, label = _owner(above[section - 1]) if section and not spoken else ("", "")
        units += _section([*_standing(_forest(own, lines, first_line), kept)], owner, label, dropped)
    is_rest = len(units) == 1 and sum(dropped[reason] for reason in (PASSING, FIELD, REPEATED)) > 2 * _FEW_WORDS
    yield from [unit for unit in units if not is_rest or class_of(unit) or word_count(unit.text) > _TELLING]


def _is_chatter(one: SentenceCandidate) -> bool:
    """Tells whether a sentence of a session is small talk, or an agent's talk about itself."""
    is_told = one.kind != "paragraph" or one.exact or _leads(one)
    is_brief = word_count(one.text) <= _FEW_WORDS + 1 and not _leads(one)
    return is_brief or not (one.speaker or (is_told and not _FORMS["talk"].search(one.text)))


def size(text: str) -> int:
    """Returns the length of a text, counting characters of scripts without blanks twice."""
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def says_something(text: str, least: float = _FEW_WORDS) -> bool:
    """Tells whether a text has three words beside code and figures; an address or a command counts as two."""
    return (words := word_count(text)) >= least or words + 2 * len(_FORMS["named_thing"].findall(text)) >= least


def below(owner: str, text: str) -> str:
    """Puts the owner's name before a text."""
    mark = " —" if ":" in owner or "：" in owner else "" if owner.endswith(ASKS) else ":"
    return f"{owner}{mark} {text}" if owner else text


def list_of(texts: Sequence[str]) -> str:
    """Joins texts to one, without inner full stops; a leading line ends in its colon alone."""
    between = "；" if all(_FORMS["wide_end"].search(text) for text in texts) else "; "
    bare = [text.strip(_ENDS + "—–") for text in texts[:-1]]
    parts = [text + (" " if text.endswith(LEADS) else between) for text in bare]
    return "".join([*parts, *(text.lstrip("—– ") for text in texts[-1:])])


def _blocks(given: Iterable[SentenceCandidate], is_session: bool) -> Iterator[SentenceCandidate]:
    """Yields the sentences of each block that asks nothing, joined to units; of a session without chatter."""
    runs: list[list[SentenceCandidate]] = []
    for sentence in given:
        runs += [[]] if sentence.leads or not runs else []
        runs[-1].append(sentence)
    for run in runs:
        yield from _together([sentence for sentence in run if not (is_session and _is_chatter(sentence))])


def _passes(text: str, adds_up: bool = True) -> bool:
    return is_passing(text) or (adds_up and is_tally(text))


def _together(run: Sequence[SentenceCandidate]) -> Sequence[SentenceCandidate]:
    while len(run) > 1 and run[0].kind != "row" and not class_of(run[-1]) and _passes(run[-1].text):
        run = run[:-1]
    if len(run) < 2 or run[0].speaker or any(sentence.role != run[0].role for sentence in run):
        return run
    if any(sentence.question for sentence in run):
        # What stands beside a question answers it, or is its option: alone it says neither.
        return [msgspec.structs.replace(sentence, question=True) for sentence in run] if run[0].kind == "item" else run
    found = [run[0]]
    for sentence in run[1:]:
        text = found[-1].text + ("" if _FORMS["wide_end"].match(found[-1].text[-1]) else " ") + sentence.text
        if size(text) <= LONGEST_LIST and not _leads(sentence):
            found[-1] = _joined([found[-1], sentence], text)
        else:
            found.append(sentence)
    return found


def _joined(run: Sequence[SentenceCandidate], text: str) -> SentenceCandidate:
    cues = frozenset[Cue]().union(*(sentence.cues for sentence in run))
    if class_of(run[0]):
        cues -= {"not_decision", "not_insight"}
    return msgspec.structs.replace(
        run[0], text=text, end=max(sentence.end for sentence in run), exact=any(one.exact for one in run), cues=cues
    )


def _without_noise(
    blocks: Iterable[SentenceCandidate], lines: Sequence[str], first_line: int, top: int, dropped: Counter[str]
) -> Iterator[SentenceCandidate]:
    """Yields the blocks, with empty text for machine fields, unfilled templates and, above line `top`, the note's own
    fields. Repeats are kept once, or not at all if short."""
    kept: list[SentenceCandidate] = []
    for block in blocks:
        line = lines[block.start - first_line]
        if reason := FIELD if _FORMS["italic"].match(line) else _noise(block, top):
            dropped[reason] += 1
            kept.append(msgspec.structs.replace(block, text="", cues=frozenset()))
        else:
            is_task = block.kind == "item" and _FORMS["task"].match(line)
            kept.append(msgspec.structs.replace(block, role="open", text=f"☐ {block.text}") if is_task else block)
    keys = [_FORMS["dates"].sub("0", block.text) for block in kept]
    times = Counter(filter(None, keys))
    told: set[str] = set()
    alone = len([*islice(filter(says_something, times), 2)]) == 1
    often = 1 if max(times.values(), default=0) > 2 * _FEW_WORDS else 2  # a log says little twice
    for one, key in zip(kept, keys, strict=True):
        if times[key] > often and (key in told or alone or word_count(key) < 2 * _FEW_WORDS):
            dropped[REPEATED] += 1
            one = msgspec.structs.replace(one, text="", cues=frozenset())
        yield one
        told.add(key)


def _lasting(section: Iterable[SentenceCandidate]) -> Sequence[SentenceCandidate]:
    """Returns the blocks of a section that state no passing state or sum; none if most do."""
    own = [block for block in section if block.text]
    adds_up = sum(is_tally(block.text) for block in own) > 1
    found = [block for block in own if class_of(block) or not _passes(block.text, adds_up)]
    is_told = 2 * len(found) >= len(own) or any(word_count(block.text) > _TELLING for block in found)
    return found if is_told else []


def _standing(trees: Iterable[_Node], kept: Collection[SentenceCandidate]) -> Iterator[_Node]:
    """Yields the trees that last: a list whole, or only its insights if most of it or its lead passes."""
    for place, tree in enumerate(trees):
        told = [child for child in tree.below if child.own.text]
        last = [*_standing(tree.below, kept)]
        stays = tree.own in kept
        # What follows the first line of a section stands below the section's heading, whatever becomes of that line.
        whole = 2 * len(last) >= len(told) and (stays or (not place and tree.own.kind == "paragraph"))
        tree.below = (told if stays else last) if whole else [child for child in last if class_of(child.own)]
        yield from [tree] if stays else tree.below


def _noise(one: SentenceCandidate, top: int) -> str:
    bare = _FORMS["slot"].sub("", one.text)
    has_key = ":" in one.text or "：" in one.text
    template = _FORMS["placeholder"]
    if (template.search if has_key else template.match)(one.text) or (bare != one.text and not says_something(bare)):
        return TEMPLATE
    is_sentence = word_count(one.text) > _TELLING and len(_FORMS["keyed"].findall(one.text)) < 2
    is_machine = _FORMS["machine"].match(one.text) is not None and not is_sentence
    if is_machine or _is_field(one, 2 * _FEW_WORDS if one.start < top else " | " in one.text):
        return FIELD
    if one.text[0] in "(（" and one.text[-1] in ")）":
        return FRAGMENT
    if "small_talk" in one.cues:
        return SMALL_TALK
    return LEANS if not class_of(one) and _FORMS["leans"].match(one.text) else ""


def _is_field(one: SentenceCandidate, most: int) -> bool:
    """Tells whether a block is only fields with fewer than `most` words each."""
    if one.text.endswith(_STOPS):
        return False
    fields = [_FORMS["field"].fullmatch(part.strip()) for part in one.text.split(" | ")]
    return all(found and found["value"] and len(WORD.findall(found["value"])) < most for found in fields)


def _above(headings: Sequence[tuple[str, int]], lines: Sequence[str], title: int) -> list[list[str]]:
    """Returns the headings above each section, nearest first, without the note's titles."""
    levels = [found.level if (found := heading_of(lines[index].strip())) else 2 for _, index in headings]
    many, stack, above = Counter(levels), list[tuple[int, str]](), list[list[str]]()
    for (name, index), level in zip(headings, levels, strict=True):
        while stack and stack[-1][0] >= level:
            stack.pop()
        is_title = index == title or (many[level] == 1 and (not above or level == 1))
        stack.append((level, "" if is_title else name))
        above.append([one for _, one in reversed(stack) if one])
    return above


def _owner(above: Sequence[str]) -> tuple[str, str]:
    """Returns the nearest heading that names an owner, and its part's label if one word."""
    names = [name for title in above if (name := owner_name(title))]
    if len(names) > 1 and word_count(names[0]) <= 1:
        return names[1], names[0]
    return (names[0], "") if names else ("", "")


@lru_cache(maxsize=1024)
def owner_name(title: str) -> str:
    """Returns a heading as the name of its content; empty for a part of any note, or a day."""
    name = title
    for key in ("times", "tags", "number", "number"):
        name = _FORMS[key].sub("", name)
    name = name.strip()
    tells = WIDE.search(name) or WORD.search(name) or _FORMS["named"].search(name)
    if heading_role(name) not in ("", "open") or is_part(name) or not tells:
        return ""
    return name if len(name) <= _LONGEST_OWNER else ""


def _forest(own: Sequence[SentenceCandidate], lines: Sequence[str], first_line: int) -> list[_Node]:
    """Arranges a section's blocks in trees: indented items below their item, a list below its lead."""
    trees: list[_Node] = []
    stack: list[_Node] = []
    last = 0
    for block in own:
        line = lines[block.start - first_line]
        is_item = block.kind in ("item", "row")
        level = indent(line) if is_item else -1
        between = [other for other in lines[last - first_line + 1 : block.start - first_line] if other.strip()]
        if not is_item or len(between) > 1 or block.start - last > _REACH + 1:
            stack = []
        # A line that is read as a key alone, such as `Lessons:`, ends what its indent ends.
        reached = min([level, *map(indent, between)])
        while stack and stack[-1].level >= reached:
            stack.pop()
        node = _Node(block, level, [])
        (stack[-1].below if stack else trees).append(node)
        # A paragraph that ends no sentence leads to the list right below it.
        following = lines[block.end - first_line + 1 :][:1]
        is_open = not block.text.endswith(_STOPS) and any(map(_FORMS["item"].match, following))
        if is_item or is_open or _leads(block):
            stack.append(node)
        last = block.end
    return trees


def _section(trees: Sequence[_Node], owner: str, label: str, dropped: Counter[str]) -> Iterator[SentenceCandidate]:
    """Yields the trees of a section in order, splitting those that are too long."""
    items = [*takewhile(lambda tree: tree.own.kind != "paragraph", trees)] if label else []
    if len(items) > 1:
        heading = msgspec.structs.replace(items[0].own, text=f"{label}:")
        trees, label = [_Node(heading, -1, items), *trees[len(items) :]], ""
    room = LONGEST_LIST - len(below(owner, " ")) - len(label)
    for tree in trees:
        text = below(label, _text(tree))
        if owner and not tree.below and _leads(tree.own) and word_count(text) > _TELLING:
            text = text.rstrip("*_ :：") + "."
        if not tree.below and text.endswith(LEADS):
            dropped[LEADS_NOWHERE] += 1
        elif size(text) > room and tree.below:
            yield from _apart(tree, owner, label, dropped)
        elif says_something(text, 1 if owner else _FEW_WORDS):
            unit = msgspec.structs.replace(
                _joined([*_flat(tree)], text), owner=owner, listed=_listed(tree, label) if size(text) > ONE_LINE else ()
            )
            # The path of a file of rules is no rule.
            yield unit if word_count(text) >= _FEW_WORDS else msgspec.structs.replace(unit, role="", cues=frozenset())
            label = ""
        else:
            dropped[FRAGMENT] += 1


def _apart(tree: _Node, owner: str, label: str, dropped: Counter[str]) -> Iterator[SentenceCandidate]:
    """Splits a tree: yields its own block if it says something, and its children with its name."""
    name = owner_name(tree.own.text)
    if not name and not _leads(tree.own) and says_something(tree.own.text):
        yield msgspec.structs.replace(tree.own, owner=owner)
    whose = " – ".join(filter(None, (owner, label, name)))
    yield from _section(tree.below, whose if size(whose) <= _LONGEST_OWNER else name or owner, "", dropped)


def _leads(one: SentenceCandidate) -> bool:
    return one.text.rstrip("*_ ").endswith(LEADS)


def _flat(tree: _Node) -> Iterator[SentenceCandidate]:
    yield tree.own
    for child in tree.below:
        yield from _flat(child)


def _text(tree: _Node) -> str:
    return f"{_head(tree)} {list_of([_text(child) for child in tree.below])}".rstrip().replace("： ", "：")


def _head(tree: _Node) -> str:
    """Gives the text of a block, as the leading line where others stand below it."""
    text = tree.own.text
    if not (text[:1].isalpha() and text.isascii()):
        text = _FORMS["signs"].sub("", text)
    if not tree.below:
        name, cell, rest = _cells(text)
        return below(name, rest) if cell and tree.own.kind == "row" else text
    head = text.rstrip("*_ ")
    return head if head.endswith(LEADS) else head.rstrip(_ENDS) + ":"


def _listed(tree: _Node, label: str) -> tuple[PointLine, ...]:
    """Gives a tree as the lines of a list; nothing where no two blocks stand below one."""
    lead, *items = _lines(tree, 0)
    return (msgspec.structs.replace(lead, text=below(label, lead.text)), *items) if items[1:] else ()


def _lines(tree: _Node, depth: int) -> Iterator[PointLine]:
    """Yields a block, then what stands below it; in one line where that is short."""
    text = _text(tree)
    is_list = depth == 0 or size(text) > ONE_LINE
    below_it = tree.below if is_list else []
    end = tree.own.end if below_it else max(block.end for block in _flat(tree))
    yield PointLine(_head(tree) if below_it else text, tree.own.start, end, depth)
    for child in below_it:
        yield from _lines(child, depth + 1)


def _cells(row: str) -> tuple[str, str, str]:
    """Splits a row into the cell that names it and the rest, skipping a leading number or sign."""
    first, cell, rest = row.partition(" · ")
    return _cells(rest) if cell and not _FORMS["letters"].search(first) else (first, cell, rest)
