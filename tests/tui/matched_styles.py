"""Textual matches each widget with each rule of a style sheet again and again: here a process does it once a path."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_FLAGS = ("_has_hover_style", "_has_focus_within", "_has_order_style", "_has_odd_or_even")
_HAS = "_memdeck_has_rules"
"""The attribute of a node for the rules that it was given last, where they were given at once."""


class _Named(NamedTuple):
    """What is the same for all nodes of the same names: the states that their rules ask for, and what these mean."""

    states: tuple[str, ...]
    flags: tuple[bool, ...]


class _Matched:
    """Of one list of rules: what was found for the names of a node, and for a node under all that stand above it."""

    def __init__(self, rules: Sequence[RuleSet]) -> None:
        self.rules = rules
        self.named: dict[frozenset[str], _Named] = {}
        self.found: dict[tuple[object, ...], RulesMap | None] = {}


class MatchedStyles:
    """Applies a style sheet as Textual does, with the rules that it matched before where nothing differs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._apply, self._replace = Stylesheet.apply, Stylesheet.replace_rules
        self._of_rules: dict[tuple[int, ...], _Matched] = {}
        self._of_sheet: dict[int, tuple[object, _Matched]] = {}
        self._replaced: dict[int, RulesMap] = {}
        replaced = self._replaced

        def replace(node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
            replaced[id(node)] = rules
            self._replace(node, rules, animate)

        def apply(sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: Any = None) -> None:
            self.apply(sheet, node, animate)

        patch.setattr(Stylesheet, "replace_rules", staticmethod(replace))
        patch.setattr(Stylesheet, "apply", apply)

    def apply(self, sheet: Stylesheet, node: DOMNode, animate: bool) -> None:
        matched = self._matched(sheet)
        named = matched.named.get(names := frozenset(node._selector_names))
        key = None if named is None else _path(node, named.states)
        if named is None or key not in matched.found:
            self._apply(sheet, node, animate=animate)
            named = matched.named[names] = _named(sheet, node)
            matched.found[_path(node, named.states)] = vars(node)[_HAS] = self._replaced.pop(id(node), None)
            return
        for flag, value in zip(_FLAGS, named.flags, strict=True):
            setattr(node, flag, value)
        rules = matched.found[key]
        if rules is not None and vars(node).get(_HAS) != rules:
            self._replace(node, rules, animate)
            vars(node)[_HAS] = None if animate and "transitions" in rules else rules
        elif rules is not None and not animate:
            node.notify_style_update()
        sheet._process_component_classes(node)

    def _matched(self, sheet: Stylesheet) -> _Matched:
        rules = sheet.rules
        known = self._of_sheet.get(id(sheet))
        if known is None or known[0] is not rules:
            matched = self._of_rules.setdefault(tuple(map(id, rules)), _Matched(rules))
            known = self._of_sheet[id(sheet)] = (rules, matched)
        return known[1]


def _named(sheet: Stylesheet, node: DOMNode) -> _Named:
    rules = {rule for name in sheet.rules_map.keys() & node._selector_names for rule in sheet.rules_map[name]}
    states = set[str]().union(*(rule.pseudo_classes for rule in rules))
    return _Named(tuple(sorted(states)), tuple(getattr(node, flag) for flag in _FLAGS))


def _path(node: DOMNode, states: tuple[str, ...]) -> tuple[object, ...]:
    """All that a selector asks for of a node and of those above it."""
    return tuple(
        (type(each), each._id, each.classes, *(each.has_pseudo_class(state) for state in states))
        for each in node.css_path_nodes
    )
