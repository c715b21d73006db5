"""Plans the operator's word on two entries at one address: one holds, or both do (decision D61)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from engine.extraction.rows import PresentRow, SupersededBy, beside_row, entry_rows, marked_row, present_rows
from engine.extraction.sentence_rules import VERSION
from engine.extraction.supersession import UndecidedPair
from engine.lifecycle.account import Account
from engine.lifecycle.extract.destinations import tier_of_file
from engine.plans.draft import Draft
from engine.plans.plan import QualityGate, Replace
from engine.plans.planning import Planning
from engine.plans.status import PlanOutcome


def plan_decided_pairs(planning: Planning, pairs: Sequence[UndecidedPair], kept: str) -> PlanOutcome:
    """A plan that marks rows of these pairs: as superseded by the entry `kept`, or, without one, as held beside."""
    present = entry_rows(planning.snapshot.files, planning.snapshot.text)
    marked = _marked(present, pairs, kept)
    by_path: dict[str, list[str]] = defaultdict(list)
    for ident in marked:
        by_path[present[ident].path].append(ident)
    draft, after, marks = Draft(planning), set(present), dict[str, dict[str, str]]()
    for path, idents in by_path.items():
        lines = planning.snapshot.text(path).split("\n")
        for ident in idents:
            at, old = present[ident].line - 1, present[ident].text
            lines[at] = f"{marked[ident]}{lines[at][len(old) :]}"
        content = "\n".join(lines)
        after -= {one for one, row in present.items() if row.path == path} - present_rows(path, content).keys()
        marks[str(draft.next_number)] = dict.fromkeys(idents, f"by your word: {kept or 'both hold'}")
        reason = f"{len(idents)} decided by you: {'another one holds' if kept else 'it holds beside another'}"
        draft.write(Replace, path, content, reason, tier_of_file(path))
    account = Account(entries=frozenset(present), kept=frozenset(after))
    gates = (QualityGate("account", account.exact, account.line("entries before")),)
    facts = {"extractor": VERSION, "ids": {}, "entries": {}, "superseded": marks}
    report = "".join(f"{row}\n" for row in marked.values())
    plan = draft.finish("extract", "your word", gates=gates, report=report, facts=facts)
    return PlanOutcome(plan=plan, report=report, facts=facts)


def _marked(present: Mapping[str, PresentRow], pairs: Sequence[UndecidedPair], kept: str) -> dict[str, str]:
    """Maps the ids of these pairs to their rows with the new marks."""
    rows = {ident: row.text for ident, row in present.items()}
    touched: dict[str, str] = {}
    for pair in pairs:
        if kept:
            out = pair.earlier if kept == pair.later else pair.later
            touched[out] = marked_row(rows[out], SupersededBy(kept, pair.day))
        else:
            touched[pair.later] = beside_row(touched.get(pair.later, rows[pair.later]), pair.earlier)
    return touched
