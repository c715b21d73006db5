"""Asks for a category, days or names for a search, and where to open a hit."""

from collections.abc import Callable
from datetime import date

import msgspec

from engine.errors import MemdeckError
from engine.search.saved_searches import SavedSearch
from engine.search.values import Category
from engine.services.engine import Engine
from tui.dialogs.line_input import AskLine
from tui.dialogs.picker import Picker
from tui.present.choices import Choice
from tui.present.search import day_spans as search_dates
from tui.present.search.query_filters import Filters, SearchState, category_words, filter_words
from tui.present.spans import Line, Span, plain
from tui.present.words import safe, words_of
from tui.screen_host import ScreenHost

Narrowed = Callable[[Filters], None]
Saved = tuple[SavedSearch, ...]


def choose_category(app: ScreenHost, filters: Filters, done: Narrowed) -> None:
    """Asks for a category of files, or any."""
    kinds = [Choice("any category", "everything", "", "any")]
    told = words_of("categories", Category).items()
    kinds += [Choice(f"{category_words(Category(kind)):<12}", about, "", kind) for kind, about in told]

    def chosen(value: str) -> None:
        done(msgspec.structs.replace(filters, category=None if value == "any" else Category(value)))

    app.ask(Picker("Category", tuple(kinds), placeholder="which kind of file", foot="narrows"), chosen)


def choose_dates(app: ScreenHost, filters: Filters, done: Narrowed) -> None:
    """Asks for a span of days; an unreadable one is explained and can be corrected."""
    title: Line = (Span("Dates", "title"), Span("  3d · 2w · 2026-03 · 2026-03-01..2026-03-15 · any", "muted"))

    def days(text: str) -> tuple[date | None, date | None]:
        return search_dates.days("" if text == "any" else text, app.now().date())

    def check(text: str) -> str:
        try:
            days(text)
        except MemdeckError as error:
            return error.message
        return ""

    def typed(text: str) -> None:
        since, until = days(text)
        done(msgspec.structs.replace(filters, since=since, until=until))

    app.ask(AskLine(title, "from and to", "narrows", empty="days, or any", check=check), typed)


def save(app: ScreenHost, asked: SearchState, done: Callable[[Saved], None]) -> None:
    """Saves a query with its filters under a name in the operator's state."""

    def named(name: str) -> None:
        search = SavedSearch(name=name, query=asked.text, **msgspec.structs.asdict(asked.filters))
        words = f"saved as “{safe(name)}”; S finds it again"
        _change(app, lambda engine: engine.search.saved.keep(search), words, done)

    limits = plain(filter_words(asked.filters))
    title: Line = (Span("Save", "title"), Span(f"  {safe(asked.text)[:40]} · {limits}", "muted"))
    app.ask(AskLine(title, "under which name", "saves", empty="a name to find it again by"), named)


def _listed(saved: Saved) -> tuple[Choice, ...]:
    """Returns the saved searches as choices; the value is an index, since a name may be any text."""
    return tuple(
        Choice(
            safe(search.name), f"{safe(search.query)[:60]} · {plain(filter_words(_filters(search)))}", "", str(number)
        )
        for number, search in enumerate(saved)
    )


def _filters(search: SavedSearch) -> Filters:
    return Filters(search.category, search.since, search.until, search.operators, search.days)


def choose_saved(app: ScreenHost, saved: Saved, done: Callable[[SearchState], None]) -> None:

    def chosen(value: str) -> None:
        search = saved[int(value)]
        done(SearchState(search.query, _filters(search)))

    app.ask(Picker("Saved searches", _listed(saved), placeholder="which search", foot="searches"), chosen)


def forget(app: ScreenHost, saved: Saved, done: Callable[[Saved], None]) -> None:
    """Asks for a saved search and removes it."""

    def chosen(value: str) -> None:
        name = saved[int(value)].name
        _change(app, lambda engine: engine.search.saved.forget(name), f"{safe(name)} is forgotten", done)

    app.ask(Picker("Forget a saved search", _listed(saved), placeholder="which one", foot="forgets it"), chosen)


def _change(app: ScreenHost, act: Callable[[Engine], None], words: str, done: Callable[[Saved], None]) -> None:
    def changed(engine: Engine) -> Saved:
        act(engine)
        return engine.search.saved.all()

    def took(saved: Saved) -> None:
        app.say(words)
        done(saved)

    app.bridge.read(changed, took)
