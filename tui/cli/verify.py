"""Runs `verify`: compares what memory claims with the repository that it is about."""

from engine.lifecycle.reality.plan import counts_words, line_of
from engine.lifecycle.requests import VerifyRequest
from tui.cli.outcomes import dry_run, outcome_answer
from tui.cli.output import Answer, Piece, Styled, TextTable, sign_piece
from tui.cli.settings import Settings, command, opened
from tui.present.glyphs import CLAIMS
from tui.present.spans import plain
from tui.present.verified_claims import claim_words, memory_json, week, wrong_claims
from tui.present.words import safe
from tui.system.given_path import given_path


@command("verify")
def verify_command(
    settings: Settings, repository: str | None, dated: bool, make_plan: bool, take: tuple[str, ...], weekly: bool
) -> Answer:
    console, folder = opened(settings), str(given_path(repository)) if repository else ""
    if weekly:
        facts, lines = week(console, console.probes.ask())
        return Answer(facts, list(map(plain, lines)))
    if make_plan or take:
        console.reality.ask_addresses(folder)
        asked = VerifyRequest(repository=folder, take=take)
        return outcome_answer(console, "verify", dry_run(settings, console, "verify", asked))
    memory = console.reality.verify(folder, dated=dated, ask=True)
    wrong = wrong_claims(memory)
    rows: list[list[Piece]] = [
        [
            sign_piece(CLAIMS[each.verdict]),
            safe(line_of(each)),
            claim_words(each),
            "new" if memory.is_news(each) else "",
        ]
        for each in wrong
    ]
    counts = Styled(counts_words(memory.claims), bold=True), Styled(f"  by {safe(memory.repository)}", dim=True)
    return Answer(lambda: memory_json(memory), [TextTable(rows), counts], int(bool(wrong)))
