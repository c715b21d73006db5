"""A real engine of which named methods are slow, fail, or answer what a test wants to see shown."""

from collections.abc import Callable
from threading import Event
from typing import Any

from engine.services.engine import Engine
from engine.workspace.values import Progress

_PATIENCE_SECONDS = 30.0

Method = Callable[..., Any]


class Stub:
    """Wraps one engine in place. A method is named as front ends call it: `plans.make`, `search.saved.keep`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def gives(self, name: str, value: object) -> None:
        """From now on the method answers this, whatever it is asked."""
        self.answers(name, lambda *_, **__: value)

    def answers(self, name: str, answer: Method) -> None:
        """From now on `answer` stands in the place of the method."""
        owner, last = self._place(name)
        setattr(owner, last, answer)

    def alters(self, name: str, alter: Callable[[Any], object]) -> None:
        """From now on what the method answers goes through `alter`."""
        real = self._method(name)
        self.answers(name, lambda *arguments, **options: alter(real(*arguments, **options)))

    def fails(self, name: str, error: BaseException) -> None:
        """From now on the method ends with this error."""

        def fail(*_: object, **__: object) -> None:
            raise error

        self.answers(name, fail)

    def mends(self, name: str) -> None:
        """From now on the engine's own method answers again."""
        owner, last = self._place(name)
        vars(owner).pop(last, None)

    def waits(self, name: str, stage: str = "") -> Event:
        """From now on the method waits for the event that this gives; meanwhile a stage is at 60 steps of 120."""
        real, go = self._method(name), Event()

        def slow(*arguments: Any, tick: Any = None, **options: Any) -> Any:
            told = tick or next((found for one in arguments if (found := _tick_of(one)) is not None), None)
            for _ in range(int(_PATIENCE_SECONDS / 0.01)):
                if told is not None and stage:
                    told(Progress(stage, 60, 120))
                if go.wait(0.01):
                    break
            return real(*arguments, **options, **({"tick": tick} if tick is not None else {}))

        self.answers(name, slow)
        return go

    def asked(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of every call of the method from now on, filled as it is called."""
        real, calls = self._method(name), list[tuple[Any, ...]]()

        def noted(*arguments: Any, **options: Any) -> Any:
            calls.append((*arguments, *options.values()))
            return real(*arguments, **options)

        self.answers(name, noted)
        return calls

    def _place(self, name: str) -> tuple[Any, str]:
        *way, last = name.split(".")
        owner: Any = self._engine
        for step in way:
            owner = getattr(owner, step)
        getattr(owner, last)
        return owner, last

    def _method(self, name: str) -> Method:
        owner, last = self._place(name)
        method: Method = getattr(owner, last)
        return method


def _tick_of(value: object) -> Any:
    """A call for progress among what a method was given: itself, or in the request."""
    return value if callable(value) else getattr(value, "tick", None)
