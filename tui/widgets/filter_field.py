"""The field below a list that filters it as one types."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input

from tui.keys.naming import Keyed


class FilterField(Keyed, Input):
    """A line of text; its keys stand in the footer, where all others have nothing to do meanwhile."""

    SCOPE = "filter"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Keep the filter"),
        Binding("escape", "app.leave", "Clear it"),
    ]

    def __init__(self, placeholder: str, *, ident: str) -> None:
        super().__init__(compact=True, id=ident, placeholder=placeholder, select_on_focus=False)
