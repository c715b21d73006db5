"""Makes units of what a note's writer set down in items and paragraphs: whole ones, each with the name of its owner.

A sentence cut out of a list says less than the list. A short list, or a short section, is one unit; of a long one each
item is, and carries the heading that names a person, ticket or position (decision A36).
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from engine.models.blocks import Parsed
from engine.models.cleaning import LONGEST_POINT, clean_lines
from engine.models.cue_matcher import Cue
from engine.models.labels import heading_role, is_part
from engine.models.passing_states import WIDE, WORD, is_passing, is_tally, word_count
from engine.models.sentence_candidates import (
    LEADS_NOWHERE,
    SMALL_TALK,
    ReadNote,
    SentenceCandidate,
    indent,
    read_lines,
    with_first_items,
)
from engine.models.sentence_weights import class_of
from engine.models.session_lines import SESSION
from engine.models.summary import NoteToSummarise
from engine.text.markdown import heading_of
from engine.text.pattern_file import PatternFile

FIELD, FRAGMENT, TEMPLATE, REPEATED = "machine field", "fragment", "line of an unfilled template", "line said again"
PASSING = "state that passes"

_FORMS = PatternFile(
    __package__,
    "outline_patterns.toml",
    "wide_end field machine italic placeholder slot number dates named times tags bold task item",
)
_LEADS = (":", "：")
_STOPS = (".", "!", "。", "！")
_ENDS = ".;,。；，、 "
_REACH = 2  # lines from one item of a list to the next: one may be blank
_FEW_WORDS = 3
_LONGEST_OWNER = 120


class _Node(msgspec.Struct):
    """An item, paragraph or lead with what stands below it."""

    own: SentenceCandidate
    level: int
    below: "list[_Node]"
    is_title: bool  # set in bold as a whole, and short: the title of what stands below it, or of nothing


def read_note(note: NoteToSummarise) -> ReadNote:
    """Gives what a summary of the note may pick from: sentences where somebody speaks to somebody, else whole units."""
    read = read_lines(clean_lines(note.text), note.first_line, _units)
    return read._replace(title=_title(read.title, note.path))


def _title(heading: str, path: str) -> str:
    """A note's first heading where it has two words that the note's name does not have."""
    name = path.rpartition("/")[2].casefold()
    words = WORD.findall(_FORMS["dates"].sub("", heading))
    new = [word for word in words if word.casefold() not in name and not is_part(word)]
    tells = len(new) > 1 or len(WIDE.findall(heading)) > 2 * _FEW_WORDS
    return heading.rstrip(" :：") if tells else ""


def _units(
    given: Iterable[SentenceCandidate], parsed: Parsed, lines: Sequence[str], first_line: int
) -> Iterator[SentenceCandidate]:
    sentences = list(given)
    headings, dropped = parsed.headings, parsed.dropped
    if dropped[SESSION]:
        # In the session of an agent at work it tells what it did itself, and gives no advice.
        sentences = [one if one.speaker == "user" else msgspec.structs.replace(one, speaker="") for one in sentences]
    elif any(one.speaker for one in sentences):
        yield from with_first_items(sentences, parsed, lines, first_line)
        return
    places = [index for _, index in headings]
    spoken = any(one.speaker for one in sentences)
    owners = ["", *("" if spoken else _owner(headings[: place + 1], lines) for place in range(len(headings)))]
    top = places[1] + first_line if places[1:] else 0
    sections: dict[int, list[SentenceCandidate]] = {}
    for one in _without_noise(_blocks(sentences), lines, first_line, top, dropped):
        sections.setdefault(bisect_right(places, one.start - first_line), []).append(one)
    for section, own in sections.items():
        lasting = _lasting(own)
        dropped[PASSING] += len(own) - len(lasting)
        yield from _section(_forest(lasting, lines, first_line), owners[section], dropped)


def size(text: str) -> int:
    """The length of a text, where a character of a script without blanks counts twice."""
    return len(text) if text.isascii() else len(text) + len(WIDE.findall(text))


def says_something(text: str) -> bool:
    """Tells whether a text has three words beside names of files, code and figures, or six characters of a script
    without blanks."""
    return word_count(text) >= _FEW_WORDS


def below(owner: str, text: str) -> str:
    """A text with the name of its owner in front."""
    return f"{owner}{' —' if ':' in owner or '：' in owner else ':'} {text}" if owner else text


def list_of(texts: Sequence[str]) -> str:
    """Several texts as one, each without its full stop but the last."""
    between = "；" if all(WIDE.search(text) for text in texts) else "; "
    return between.join(
        [*(text.strip(_ENDS + "—–") for text in texts[:-1]), *(text.lstrip("—– ") for text in texts[-1:])]
    )


def _blocks(sentences: Iterable[SentenceCandidate]) -> Iterator[SentenceCandidate]:
    """The sentences of each block that asks nothing, as many together as make a unit."""
    run: list[SentenceCandidate] = []
    for one in sentences:
        if one.leads and run:
            yield from _together(run)
            run = []
        run.append(one)
    yield from _together(run)


def _together(run: Sequence[SentenceCandidate]) -> Sequence[SentenceCandidate]:
    if len(run) < 2 or run[0].speaker or any(one.role != run[0].role for one in run):
        return run
    if any(one.question for one in run):
        # What stands beside a question answers it, or is its option: alone it says neither.
        return [msgspec.structs.replace(one, question=True) for one in run] if run[0].kind == "item" else run
    found = [run[0]]
    for one in run[1:]:
        text = found[-1].text + ("" if _FORMS["wide_end"].match(found[-1].text[-1]) else " ") + one.text
        if size(text) <= LONGEST_POINT and not _leads(one):
            found[-1] = _joined([found[-1], one], text)
        else:
            found.append(one)
    return found


def _joined(run: Sequence[SentenceCandidate], text: str) -> SentenceCandidate:
    cues = frozenset[Cue]().union(*(one.cues for one in run))
    if class_of(run[0]):
        cues -= {"not_decision", "not_insight"}
    return msgspec.structs.replace(
        run[0], text=text, end=max(one.end for one in run), exact=any(one.exact for one in run), cues=cues
    )


def _without_noise(
    blocks: Iterable[SentenceCandidate], lines: Sequence[str], first_line: int, top: int, dropped: Counter[str]
) -> Iterator[SentenceCandidate]:
    """The blocks without fields of machines, unfilled templates and, above line `top`, the fields below a note's title.
    What is said three times stands once; in few words, or where nothing else is said, not at all."""
    kept: list[SentenceCandidate] = []
    for one in blocks:
        line = lines[one.start - first_line]
        if reason := FIELD if _FORMS["italic"].match(line) else _noise(one, top):
            dropped[reason] += 1
        else:
            is_task = one.kind == "item" and _FORMS["task"].match(line)
            kept.append(msgspec.structs.replace(one, role="open", text=f"☐ {one.text}") if is_task else one)
    times = Counter(_FORMS["dates"].sub("0", one.text) for one in kept)
    told: set[str] = set()
    alone = sum(map(says_something, times)) == 1
    for one in kept:
        key = _FORMS["dates"].sub("0", one.text)
        if times[key] > 2 and (key in told or alone or word_count(key) < 2 * _FEW_WORDS):
            dropped[REPEATED] += 1
        else:
            yield one
        told.add(key)


def _lasting(own: Sequence[SentenceCandidate]) -> Sequence[SentenceCandidate]:
    """The blocks of a section that say no passing state, nor add up; none where most do."""
    adds_up = sum(is_tally(one.text) for one in own) > 1
    found = [one for one in own if class_of(one) or not (is_passing(one.text) or (adds_up and is_tally(one.text)))]
    return found if 2 * len(found) >= len(own) else []


def _noise(one: SentenceCandidate, top: int) -> str:
    bare = _FORMS["slot"].sub("", one.text)
    if _FORMS["placeholder"].search(one.text) or (bare != one.text and not says_something(bare)):
        return TEMPLATE
    if _FORMS["machine"].match(one.text) or _is_field(one, 2 * _FEW_WORDS if one.start < top else " | " in one.text):
        return FIELD
    if one.text[0] in "(（" and one.text[-1] in ")）":
        return FRAGMENT
    return SMALL_TALK if "small_talk" in one.cues else ""


def _is_field(one: SentenceCandidate, most: int) -> bool:
    """Tells whether a block is nothing but fields, each with fewer than `most` words, and no sentence."""
    if one.text.endswith(_STOPS):
        return False
    fields = [_FORMS["field"].fullmatch(part.strip()) for part in one.text.split(" | ")]
    return all(found and found["value"] and len(WORD.findall(found["value"])) < most for found in fields)


def _owner(headings: Sequence[tuple[str, int]], lines: Sequence[str]) -> str:
    """The nearest heading that tells whose lines stand below it, not the title of the note; behind the one above it
    where it has one word."""
    level, owner = 7, ""
    for title, index in reversed(headings):
        found = heading_of(lines[index].strip())
        own = found.level if found else 2
        if own < level:
            level = own
            name = owner_name(title) if own > 1 and index != headings[0][1] else ""
            both = " – ".join(filter(None, (name, owner)))
            owner = both if size(both) <= _LONGEST_OWNER else owner
            if name and (own == 2 or word_count(owner) > 1):
                break
    return owner


def owner_name(title: str) -> str:
    """A heading as the name of what stands below it; empty where it names a part of any note, or a day."""
    name = title
    for key in ("times", "tags", "number", "number"):
        name = _FORMS[key].sub("", name)
    name = name.strip()
    tells = WIDE.search(name) or WORD.search(name) or _FORMS["named"].search(name)
    if heading_role(name) not in ("", "open") or is_part(name) or not tells:
        return ""
    return name if len(name) <= _LONGEST_OWNER else ""


def _forest(own: Sequence[SentenceCandidate], lines: Sequence[str], first_line: int) -> list[_Node]:
    """The blocks of a section as trees: an item below the one it is indented from, a list below the line that leads to
    it."""
    trees: list[_Node] = []
    stack: list[_Node] = []
    last = 0
    for one in own:
        line = lines[one.start - first_line]
        is_item = one.kind in ("item", "row")
        level = indent(line) if is_item else -1
        between = [other for other in lines[last - first_line + 1 : one.start - first_line] if other.strip()]
        if not is_item or len(between) > 1 or one.start - last > _REACH + 1:
            stack = []
        # A line that is read as a key alone, such as `Lessons:`, ends what its indent ends.
        reached = min([level, *map(indent, between)])
        while stack and stack[-1].level >= reached:
            stack.pop()
        is_bold = _FORMS["bold"].match(line) is not None
        most = 2 * _FEW_WORDS if is_item else 4 * _FEW_WORDS if one.text[0].isdigit() else 0
        node = _Node(one, level, [], is_bold and len(one.text.split()) < most)
        (stack[-1].below if stack else trees).append(node)
        if is_item or _leads(one) or is_bold or _opens(one, lines[one.end - first_line + 1 :][:1]):
            stack.append(node)
        last = one.end
    return trees


def _section(trees: Sequence[_Node], owner: str, dropped: Counter[str]) -> Iterator[SentenceCandidate]:
    """The trees of a section in order, as many of one kind together as a point holds; one too long comes apart."""
    room = LONGEST_POINT - len(below(owner, " "))
    run: list[_Node] = []
    for tree in trees:
        if not tree.below and (_leads(tree.own) or tree.is_title):
            dropped[LEADS_NOWHERE] += 1
            continue
        fits = not tree.below or size(_text(tree)) <= room
        if run and not (owner and fits and _kind(tree) == _kind(run[0]) and size(_listed([*run, tree])) <= room):
            yield from _unit(run, owner, dropped)
            run = []
        if fits:
            run.append(tree)
        else:
            yield from _apart(tree, owner, dropped)
    yield from _unit(run, owner, dropped)


def _kind(tree: _Node) -> tuple[object, ...]:
    own = tree.own
    return own.question, own.speaker, own.role == "open", class_of(own)


def _unit(run: Sequence[_Node], owner: str, dropped: Counter[str]) -> Iterator[SentenceCandidate]:
    text = _listed(run)
    if says_something(text):
        yield msgspec.structs.replace(_joined([tree.own for tree in _flat(run)], text), owner=owner)
    else:
        dropped[FRAGMENT] += len(run)


def _apart(tree: _Node, owner: str, dropped: Counter[str]) -> Iterator[SentenceCandidate]:
    """A tree's own block, where it says something itself, and what stands below it with its name."""
    name = owner_name(tree.own.text)
    if not name and not _leads(tree.own) and says_something(tree.own.text):
        yield msgspec.structs.replace(tree.own, owner=owner)
    whose = " – ".join(filter(None, (owner, name)))
    yield from _section(tree.below, whose if size(whose) <= _LONGEST_OWNER else name or owner, dropped)


def _listed(run: Sequence[_Node]) -> str:
    return list_of([_text(tree) for tree in run])


def _opens(one: SentenceCandidate, after: Sequence[str]) -> bool:
    """Tells whether a paragraph that ends no sentence stands right above a list."""
    return bool(after) and _FORMS["item"].match(after[0]) is not None and not one.text.endswith(_STOPS)


def _leads(one: SentenceCandidate) -> bool:
    return one.text.rstrip("*_ ").endswith(_LEADS)


def _flat(trees: Sequence[_Node]) -> Iterator[_Node]:
    for tree in trees:
        yield tree
        yield from _flat(tree.below)


def _text(tree: _Node) -> str:
    if not tree.below:
        return tree.own.text
    head = tree.own.text.rstrip("*_ ")
    return (
        f"{head if head.endswith(_LEADS) else head.rstrip(_ENDS) + ':'} {list_of([_text(one) for one in tree.below])}"
    )
