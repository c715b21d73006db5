"""Plain values without secrets: what is kept or handed on as JSON passes as text does."""

from typing import Any

from engine.text.secrets.detector import redact


def redacted(value: Any) -> Any:
    """Redacts each string in a value of lists, tuples and mappings, keys included; everything else stays as it is."""
    match value:
        case str():
            return redact(value, keep_lines=True)
        case dict():
            return {redacted(key): redacted(part) for key, part in value.items()}
        case list() | tuple():
            return type(value)(map(redacted, value))
        case _:
            return value
