"""Gives out a fake engine by service, as the console and the commands ask for it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from engine.services.engine import Engine

if TYPE_CHECKING:
    from tests.tui.fake_engine import FakeEngine

_NAMES: Mapping[str, Mapping[str, str]] = {
    "status": {"read": "status"},
    "plans": {"make": "plan", "load": "load_plan"},
    "comments": {"of_plan": "comments_of"},
    "entries": {"of_plan": "entries_of", "problems": "entry_problems"},
    "schedule": {"run": "run_job"},
    "history": {"count": "operation_count", "diffs": "operation_diffs"},
    "review": {},
    "consolidations": {"look": "open_consolidations"},
    "digest": {"make": "digest_of", "since": "digest_since", "read": "digest_read"},
    "context": {},
    "windows": {"sessions": "window_sessions"},
    "flushes": {"look": "flush_look"},
    "search": {"find": "search"},
    "tree": {"browse": "tree", "find": "tree_find", "compared": "tree_compared", "life": "tree_life"},
    "maintenance": {},
    "costs": {"curves": "cost_curves"},
}
_TOPICS = {"topics": {"current": "topics"}, "sessions": {"files": "sessions"}}
_SAVED = {"all": "saved_searches", "keep": "save_search", "forget": "forget_search"}


class _Service:
    """One subject of a fake: its methods under the names that the service has."""

    def __init__(self, fake: object, names: Mapping[str, str]) -> None:
        self._fake = fake
        self._names = names

    def __getattr__(self, name: str) -> Any:
        if name == "saved":
            return _Service(self._fake, _SAVED)
        return getattr(self._fake, self._names.get(name, name))


class _Served:
    def __init__(self, fake: "FakeEngine") -> None:
        self._fake = fake

    def __getattr__(self, name: str) -> Any:
        if name in _TOPICS:
            return _Service(self._fake.watchers, _TOPICS[name])
        return _Service(self._fake, _NAMES[name]) if name in _NAMES else getattr(self._fake, name)


def served(engine: "Engine | FakeEngine") -> Engine:
    """A fake as the console asks it: `engine.plans.make` for its `plan`; the real engine as it is."""
    return engine if isinstance(engine, Engine) else cast(Engine, _Served(engine))


def fake_of(engine: Engine) -> "FakeEngine":
    """The fake behind what `served` gave."""
    assert isinstance(engine, _Served)
    return engine._fake
