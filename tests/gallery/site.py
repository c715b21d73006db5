"""The gallery as one page of HTML: pictures by screen, with switches for size and theme; no script, nothing fetched."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from tests.gallery.scene import Scene, Size

PICTURES = "pictures"
_STYLE = """
body { margin: 0 2rem 4rem; background: #16181d; color: #d6dae2; font: 15px/1.5 system-ui, sans-serif }
header { position: sticky; top: 0; padding: .7rem 0; background: #16181d; border-bottom: 1px solid #343944 }
label { padding: .2rem .7rem; border: 1px solid #343944; border-radius: 4px; cursor: pointer }
a { color: #7fb4ff } nav a { margin-right: 1rem } h2 { margin: 2.5rem 0 0 } figure { margin: 1.5rem 0 }
figcaption { margin-bottom: .4rem } figcaption b { margin-right: .7rem }
figure a { display: none } figure img { max-width: 100% } input { position: fixed; opacity: 0 }
"""


def write_index(
    folder: Path, groups: Mapping[str, Sequence[Scene]], sizes: Sequence[Size], themes: Sequence[str]
) -> Path:
    """Writes `index.html` over all pictures that are in the folder by now."""
    page = folder / "index.html"
    page.write_text("\n".join(_page(folder, groups, [f"{w}x{h}" for w, h in sizes], themes)) + "\n", "utf-8")
    return page


def _page(
    folder: Path, groups: Mapping[str, Sequence[Scene]], sizes: Sequence[str], themes: Sequence[str]
) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>memdeck: every screen and dialog</title>'
    yield f"<style>{_STYLE}{''.join(_rules(sizes, themes))}</style>"
    for kind, names in (("size", sizes), ("theme", themes)):
        for number, name in enumerate(names):
            yield f'<input type="radio" name="{kind}" id="{escape(name)}"{"" if number else " checked"}>'
    labels = [f'<label for="{escape(name)}">{escape(name)}</label>' for name in (*sizes, *themes)]
    links = "".join(f'<a href="#{escape(name)}-scenes">{escape(name)}</a>' for name in groups)
    yield f"<header>{' '.join(labels)} <nav>{links}</nav></header>\n<main>"
    for name, scenes in groups.items():
        figures = [figure for scene in scenes for figure in _figure(folder, scene, sizes, themes)]
        if figures:
            yield f'<h2 id="{escape(name)}-scenes">{escape(name.capitalize())}</h2>'
            yield from figures
    yield "</main>\n</html>"


def _rules(sizes: Sequence[str], themes: Sequence[str]) -> Iterator[str]:
    """The switches: of each scene the one picture of the chosen size and theme is shown."""
    for name in (*sizes, *themes):
        yield f'[id="{name}"]:checked ~ header [for="{name}"] {{ background: #2c4a75 }}\n'
    for theme in themes:
        yield f'[id="{theme}"]:checked ~ main .only.{theme} {{ display: inline }}\n'
        for size in sizes:
            yield (f'[id="{size}"]:checked ~ [id="{theme}"]:checked ~ main .at-{size}.{theme} {{ display: inline }}\n')


def _figure(folder: Path, scene: Scene, sizes: Sequence[str], themes: Sequence[str]) -> Iterator[str]:
    shown = [f"{scene.at[0]}x{scene.at[1]}"] if scene.at else sizes
    pictures = [
        _picture(f"{scene.name}-{size}", theme, "only" if scene.at else f"at-{size}")
        for size in shown
        for theme in themes
        if (folder / PICTURES / f"{scene.name}-{size}-{theme}.svg").is_file()
    ]
    if pictures:
        caption = f"<b>{escape(scene.name)}</b>{escape(scene.shows)}"
        yield f'<figure id="{escape(scene.name)}"><figcaption>{caption}</figcaption>{"".join(pictures)}</figure>'


def _picture(name: str, theme: str, kind: str) -> str:
    path, about = escape(f"{PICTURES}/{name}"), escape(name)
    image = f'<img loading="lazy" src="{path}-{escape(theme)}.svg" alt="{about}">'
    return f'<a class="{escape(kind)} {escape(theme)}" href="{path}.txt">{image}</a>'
