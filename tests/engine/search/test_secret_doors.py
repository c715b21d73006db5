"""No secret goes into the index or comes out of a search: not by title, tags, file name or body (F1)."""

import random
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.search.naming import _parts, real_path, renamed, safe_name
from tests.engine.search.place import SearchPlace
from tests.engine.text.secrets.kinds import SELF_EVIDENT
from tui.cli.search import answer_json

KINDS = ("anthropic", "aws access", "github classic", "stripe live", "slack bot", "gitlab", "npm", "password")
PLACES = ("title", "frontmatter", "tags", "filename", "body")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", PLACES)
def test_a_secret_is_neither_in_the_index_nor_in_an_answer(place: SearchPlace, kind: str, where: str) -> None:
    secret = "Xk29sLq81!mZ" if kind == "password" else SELF_EVIDENT[kind](random.Random(3))
    said = f"password: {secret}" if kind == "password" else secret
    text = {
        "title": f"# {said}\n\nabout gardens\n",
        "frontmatter": f'---\ntitle: "{said}"\n---\n# Plain\n\nabout gardens\n',
        "tags": f'---\ntags: ["{said}"]\n---\n# Plain\n\nabout gardens\n',
        "filename": "# Plain\n\nabout gardens\n",
        "body": f"# Plain\n\nabout gardens, {said} as ever\n",
    }[where]
    path = f"knowledge/projects/x/{said if where == 'filename' else 'k'}.md"
    place.write(path, text)
    answer = place.search("gardens")
    (hit,) = answer.hits
    assert hit.path == path, "whoever has the workspace opens it by its path"
    shown = f"{answer_json(answer)}{hit.label}{hit.title}{hit.snippet}".lower()
    core = secret[6:].lower()
    assert core not in shown
    files = [file for file in Path(place.folder).iterdir() if file.name.startswith("memory.db")]
    assert files and not any(core.encode() in file.read_bytes().lower() for file in files)
    assert place.search("gardens").hits == answer.hits, "the file is known again"


def test_a_name_with_a_secret_leads_back_to_its_file() -> None:
    secret = SELF_EVIDENT["github classic"](random.Random(4))
    path, other = f"a/{secret}.md", "a/b.md"
    name = safe_name(path)
    assert secret not in name and real_path(name, [other, path]) == path
    assert renamed([path, other]) == {path: name}
    assert safe_name(other) == other == real_path(other, [path])


def test_an_ending_hides_no_password_in_a_name() -> None:
    path = "knowledge/projects/x/password: Verano2026tokenQ9.md"
    name = safe_name(path)
    assert "Verano2026" not in name and renamed([path]) == {path: name}
    assert real_path(name, [path]) == path
    assert safe_name("knowledge/password: rules.md") == "knowledge/password: rules.md"


@given(st.lists(st.text("ab.-_é", min_size=1, max_size=6), min_size=1, max_size=3).map("/".join))
def test_the_ending_of_a_path_is_that_of_the_standard_library(path: str) -> None:
    if {".", ".."} & set(path.split("/")):
        return
    assert _parts(path) == (path.removesuffix(PurePosixPath(path).suffix), PurePosixPath(path).suffix)
