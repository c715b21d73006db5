"""Checks that the installed Textual has the private parts that this room overrides. With a version built differently
the console paints as Textual does by itself: correctly, up to 33 ms later."""

import os
from functools import lru_cache
from importlib import import_module
from typing import Any

BY_TEXTUAL = "MEMDECK_PAINTING"
"""The environment variable that leaves all painting to Textual if its value is `textual`."""

_MADE = {
    "textual.widget:Widget": ("_layout_required", "_repaint_required", "_scroll_required", "_recompose_required"),
    "textual.screen:Screen": ("_dirty_widgets", "_compositor"),
    "textual.app:App": ("_batch_count",),
}
"""Attributes that the constructor of each class must make."""
_CALLED = {
    "textual._compositor:Compositor._render_chops": ("self", "crop", "is_rendered_line"),
    "textual.screen:Screen._on_timer_update": ("self",),
    "textual.app:App._start_widget": ("self", "parent", "widget"),
    "textual.widget:Widget._refresh_scrollbars": ("self",),
    "textual.scroll_view:ScrollView._scroll_update": ("self", "virtual_size"),
}
"""Expected parameters of each function that is called or overridden."""
_READ = {
    "textual._compositor:Compositor": ("cuts", "visible_widgets"),
    "textual.widget:Widget": ("render_lines", "vertical_scrollbar"),
}


@lru_cache(maxsize=1)
def own_painting() -> bool:
    """Tells whether memdeck paints itself: Textual is as expected, and the operator did not choose its painting."""
    return os.environ.get(BY_TEXTUAL) != "textual" and not differences()


def differences() -> tuple[str, ...]:
    """Names what the installed Textual has differently than expected, as `module:name`."""
    made = (f"{owner}.{name}" for owner, names in _MADE.items() for name in names if name not in _attributes(owner))
    called = (name for name, parameters in _CALLED.items() if _parameters(name) != parameters)
    read = (f"{owner}.{name}" for owner, names in _READ.items() for name in names if not hasattr(_named(owner), name))
    return (*made, *called, *read)


def _attributes(owner: str) -> tuple[str, ...]:
    """Returns the names used in the constructor of a class, among them the attributes that it sets."""
    constructor = getattr(_named(owner), "__init__", None)
    return getattr(getattr(constructor, "__code__", None), "co_names", ())


def _parameters(name: str) -> tuple[str, ...]:
    code = getattr(_named(name), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code is not None else ()


def _named(name: str) -> Any:
    """Returns the object `module:Class` or `module:Class.function`; None if there is none."""
    module, _, inside = name.partition(":")
    try:
        target: Any = import_module(module)
    except ImportError:
        return None
    for part in inside.split("."):
        target = getattr(target, part, None)
    return target
