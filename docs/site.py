"""What the site has beside `docs/`: pages of the project's top folder and the pictures, with the links between them."""

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
TOP = {
    "README.md": "project/about.md",
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CODE_OF_CONDUCT.md": "project/code_of_conduct.md",
}
"""Pages of the top folder, and where they stand in the site."""
_FROM_AFAR = "https://unpkg.com/iframe-worker/shim"
_LINK = re.compile(r"(?P<text>!?\[[^\]]*\])\((?P<target>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Adds those pages, and the pictures that they show."""
    for name, place in TOP.items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    for picture in sorted((ROOT / "screenshots").glob("*.svg")):
        files.append(File.generated(config, f"screenshots/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Leads each link to the place of its target in the site; a file that is not in it is named without a link."""
    return linked(markdown, page.file.src_uri)


def linked(markdown: str, place: str) -> str:
    """Rewrites the links of a page that stands at `place` in the site."""
    origin = next((name for name, there in TOP.items() if there == place), f"docs/{place}")

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), link["target"]))
        there = TOP.get(target) or target.removeprefix("docs/")
        if there == target and not target.startswith("screenshots/"):
            return link["text"][1:-1]
        return f"{link['text']}({posixpath.relpath(there, posixpath.dirname(place) or '.')}{link['anchor'] or ''})"

    return _LINK.sub(moved, markdown)


def on_post_page(output: str, *, page: Any, **_: Any) -> str:
    """Puts our own script in the place of the one that the theme would have from the network."""
    return output.replace(_FROM_AFAR, posixpath.relpath("site.js", posixpath.dirname(page.file.dest_uri) or "."))


def on_post_build(config: Any) -> None:
    """Takes that address out of what the theme brings: a page that was opened from a disk asks nobody."""
    site = Path(config["site_dir"])
    for file in (site / "404.html", *site.glob("assets/javascripts/bundle.*.js")):
        file.write_text(file.read_text("utf-8").replace(_FROM_AFAR, "data:text/javascript,"), "utf-8")
