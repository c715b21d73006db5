"""What earlier scans read survives a restart, and nothing damaged is ever believed."""

import hashlib
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.workspace import cache
from engine.workspace.cache import Cached, CacheEntry, CacheKey, FactsCache
from engine.workspace.values import DateSource, FileDate, FileFacts

KEY = CacheKey("words*1.3", "UTC")
MARK = (5, 10, 20, 30, 40)


def entry(path: str, sha: str = "ab" * 32, *, racy: bool = False) -> CacheEntry:
    facts = FileFacts(
        path=path,
        size=5,
        sha256=sha,
        lines=1,
        tokens=7,
        date=FileDate(date(2026, 3, 15), DateSource.NAME),
        frontmatter={"title": "日記", "tags": ["a", "b"]},
        notes=("merge conflict",),
    )
    return CacheEntry(MARK, facts, racy=racy)


FULL = Cached(KEY, {"a.md": entry("a.md"), "b.md": CacheEntry(MARK, None, "a NUL byte on line 1")}, (1, 2, 3, 4, 5))


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "state" / "cache"
    cache.save(path, FULL)
    return path


def test_what_was_stored_comes_back(stored: Path) -> None:
    assert cache.load(stored, KEY) == FULL
    assert [path.name for path in stored.parent.iterdir()] == ["cache"]
    assert stored.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "other", [CacheKey("o200k_base", "UTC"), CacheKey("words*1.3", "Asia/Seoul"), CacheKey("words*1.3", "UTC", "0")]
)
def test_facts_made_under_another_key_count_for_nothing(stored: Path, other: CacheKey) -> None:
    assert cache.load(stored, other) == Cached(other, {})


def test_a_missing_cache_and_a_folder_in_its_place_are_empty(tmp_path: Path) -> None:
    assert cache.load(tmp_path / "none", KEY).entries == {}
    assert cache.load(tmp_path, KEY).entries == {}


def test_every_flipped_byte_and_every_cut_is_noticed(stored: Path) -> None:
    good = stored.read_bytes()
    for at in range(len(good)):
        stored.write_bytes(good[:at] + bytes([good[at] ^ 0x01]) + good[at + 1 :])
        assert cache.load(stored, KEY).entries == {}
        stored.write_bytes(good[:at])
        assert cache.load(stored, KEY).entries == {}
    stored.write_bytes(good + b"\0")
    assert cache.load(stored, KEY).entries == {}


@given(st.binary(max_size=200))
def test_no_bytes_at_all_make_loading_fail(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("cache") / "cache"
    path.write_bytes(data)
    assert cache.load(path, KEY) == Cached(KEY, {})
    path.write_bytes(hashlib.sha256(data).digest() + data)
    assert cache.load(path, KEY) == Cached(KEY, {})


def test_a_failed_save_keeps_the_old_cache_and_says_why(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = FactsCache(stored, KEY)
    facts.put("c.md", entry("c.md"))

    def full(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        facts.save()
    assert "No space left" in str(facts.problem)
    assert [path.name for path in stored.parent.iterdir()] == ["cache"]
    assert cache.load(stored, KEY) == FULL
    facts.save()
    assert facts.problem is None
    assert "c.md" in cache.load(stored, KEY).entries


def test_only_an_entry_with_the_same_signature_that_is_not_racy_is_fresh(tmp_path: Path) -> None:
    facts = FactsCache(tmp_path / "cache", KEY)
    facts.put("a.md", entry("a.md"))
    facts.put("r.md", entry("r.md", racy=True))
    assert facts.fresh("a.md", MARK) is not None
    assert facts.fresh("r.md", MARK) is None
    assert facts.fresh("none.md", MARK) is None
    for place in range(5):
        other = [*MARK]
        other[place] += 1
        assert facts.fresh("a.md", (other[0], other[1], other[2], other[3], other[4])) is None


def test_tokens_are_known_by_content(tmp_path: Path) -> None:
    facts = FactsCache(tmp_path / "cache", KEY)
    assert facts.tokens("ab" * 32) is None
    facts.put("a.md", entry("a.md"))
    assert facts.tokens("ab" * 32) == 7


def test_nothing_is_written_where_nothing_changed(stored: Path) -> None:
    before = stored.stat().st_ino
    facts = FactsCache(stored, KEY)
    facts.keep_only({"a.md", "b.md"})
    facts.note_history((1, 2, 3, 4, 5))
    facts.save()
    assert stored.stat().st_ino == before
    facts.keep_only({"a.md"})
    facts.save()
    assert list(cache.load(stored, KEY).entries) == ["a.md"]
