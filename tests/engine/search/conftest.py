"""Workspaces to search in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.search.embedding.embedder import Embedder, NoEmbedder
from tests.engine.search.place import NONE, MakePlace, SearchPlace


@pytest.fixture
def make_place(tmp_path: Path) -> Iterator[MakePlace]:
    made: list[SearchPlace] = []

    def make(embedder: Embedder | NoEmbedder = NONE, name: str = "one") -> SearchPlace:
        made.append(SearchPlace(tmp_path / name, embedder))
        return made[-1]

    yield make
    for place in made:
        place.close()


@pytest.fixture
def place(make_place: MakePlace) -> SearchPlace:
    """A workspace that is searched by words alone."""
    return make_place()
