"""Tells whether the installed Textual is built as this room expects, before anything of its insides is overridden.
Another Textual of the same major version may be built otherwise. The console then paints as Textual does by itself:
later by up to 33 ms a key, and right."""

import os
from functools import lru_cache
from importlib import import_module
from typing import Any

BY_TEXTUAL = "MEMDECK_PAINTING"
"""The variable of the operator's environment that leaves all painting to Textual where it says `textual`."""

_MADE = {
    "textual.widget:Widget": ("_layout_required", "_repaint_required", "_scroll_required", "_recompose_required"),
    "textual.screen:Screen": ("_dirty_widgets", "_compositor"),
    "textual.app:App": ("_batch_count",),
}
"""The attributes that the constructor of each class makes."""
_CALLED = {
    "textual._compositor:Compositor._render_chops": ("self", "crop", "is_rendered_line"),
    "textual.screen:Screen._on_timer_update": ("self",),
    "textual.app:App._start_widget": ("self", "parent", "widget"),
    "textual.widget:Widget._refresh_scrollbars": ("self",),
    "textual.scroll_view:ScrollView._scroll_update": ("self", "virtual_size"),
}
"""The parameters of each function that is called or overridden."""
_READ = {
    "textual._compositor:Compositor": ("cuts", "visible_widgets"),
    "textual.widget:Widget": ("render_lines", "vertical_scrollbar"),
}


@lru_cache(maxsize=1)
def own_painting() -> bool:
    """Tells whether the toolkit room paints: the insides are as expected, and the operator did not choose Textual's."""
    return os.environ.get(BY_TEXTUAL) != "textual" and not differences()


def differences() -> tuple[str, ...]:
    """Names what the installed Textual has otherwise than expected, as `module:name`."""
    made = (f"{owner}.{name}" for owner, names in _MADE.items() for name in names if name not in _attributes(owner))
    called = (name for name, parameters in _CALLED.items() if _parameters(name) != parameters)
    read = (f"{owner}.{name}" for owner, names in _READ.items() for name in names if not hasattr(_named(owner), name))
    return (*made, *called, *read)


def _attributes(owner: str) -> tuple[str, ...]:
    """The names that the constructor of a class uses; those of what it sets are among them."""
    constructor = getattr(_named(owner), "__init__", None)
    return getattr(getattr(constructor, "__code__", None), "co_names", ())


def _parameters(name: str) -> tuple[str, ...]:
    code = getattr(_named(name), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def _named(name: str) -> Any:
    """Finds `module:Class` or `module:Class.function`; None where there is no such thing."""
    module, _, inside = name.partition(":")
    try:
        found: Any = import_module(module)
    except ImportError:
        return None
    for part in inside.split("."):
        found = getattr(found, part, None)
    return found
