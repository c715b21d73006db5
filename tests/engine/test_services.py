"""The one door is made by composition: small services, none of which is made from another."""

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
    assert {name: count for name, count in counts.items() if count > MOST_METHODS} == {}
