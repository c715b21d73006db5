"""The one door is made by composition: small services, each made of those that its constructor names."""

import ast
from pathlib import Path

import engine.services

FOLDER = Path(engine.services.__file__).parent
MOST_METHODS = 12
CLASSES = [
    node
    for file in sorted(FOLDER.glob("*.py"))
    for node in ast.parse(file.read_text()).body
    if isinstance(node, ast.ClassDef)
]


def test_no_class_of_the_services_inherits_from_another() -> None:
    own = {node.name for node in CLASSES}
    assert {"Engine", "PlanService", "StatusService"} <= own
    assert {node.name for node in CLASSES for base in node.bases if ast.unparse(base).split("[")[0] in own} == set()


def test_no_service_is_a_class_that_is_made_to_be_inherited() -> None:
    services = [node for node in CLASSES if node.name == "Engine" or node.name.endswith("Service")]
    assert {node.name: [ast.unparse(base) for base in node.bases] for node in services if node.bases} == {}


def test_a_service_has_at_most_a_dozen_public_methods() -> None:
    counts = {
        node.name: sum(
            isinstance(one, ast.FunctionDef)
            and not one.name.startswith("_")
            and "part" not in map(ast.unparse, one.decorator_list)
            for one in node.body
        )
        for node in CLASSES
    }
    # The open workspace is no service: all of them read it.
    assert {name: n for name, n in counts.items() if n > MOST_METHODS and name != "OpenWorkspace"} == {}


def test_a_service_is_made_of_the_parts_that_its_constructor_names() -> None:
    """Each by its type, which no checker sees: the parts are found by name."""
    parts = {
        node.target.id: str(getattr(node.annotation, "value", ""))
        for kind in CLASSES
        if kind.name == "Engine"
        for node in kind.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    assert len(parts) > 35
    constructors = {
        node.name: function.args.args[1:]
        for node in CLASSES
        for function in node.body
        if isinstance(function, ast.FunctionDef) and function.name == "__init__"
    }
    named = [
        (kind, argument.arg, ast.unparse(argument.annotation).strip("'"))
        for kind in parts.values()
        for argument in constructors.get(kind, ())
        if argument.annotation is not None and argument.arg in parts
    ]
    assert len(named) > 40
    assert [row for row in named if parts[row[1]] != row[2]] == []
