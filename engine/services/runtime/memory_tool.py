"""Anthropic's client-side memory tool (`memory_20250818`) over this memory, which reads and proposes. Only this
module loads the SDK, which is slow."""

import asyncio
from collections.abc import Mapping

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaMemoryTool20250818Command

from engine.errors import MemdeckError, remedy
from engine.services.runtime.memory_commands import MemoryCommands


class ProposingMemoryTool(BetaAbstractMemoryTool):
    """A memory tool for the SDK's runner. A refusal reaches the model as an error with the reason."""

    def __init__(self, commands: MemoryCommands) -> None:
        super().__init__()
        self._commands = commands

    def call(self, input: object) -> str:  # noqa: A002 (the SDK's name)
        return _answer(self._commands, input)

    def _run(self, command: BetaMemoryTool20250818Command) -> str:
        return _answer(self._commands, command.to_dict())

    view = create = str_replace = insert = delete = rename = _run


class AsyncProposingMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for the asynchronous runner; commands run in a thread."""

    def __init__(self, commands: MemoryCommands) -> None:
        super().__init__()
        self._commands = commands

    async def call(self, input: object) -> str:  # noqa: A002 (the SDK's name)
        return await asyncio.to_thread(_answer, self._commands, input)

    async def _run(self, command: BetaMemoryTool20250818Command) -> str:
        return await asyncio.to_thread(_answer, self._commands, command.to_dict())

    view = create = str_replace = insert = delete = rename = _run


def _answer(commands: MemoryCommands, command: object) -> str:
    if not isinstance(command, Mapping):
        raise ToolError("a command is an object")
    try:
        return commands.run(command)
    except MemdeckError as error:
        raise ToolError(error.line()) from error
    except OSError as error:  # without its path: that may name the operator's folders
        raise ToolError(f"{error.strerror or 'it failed'} · {remedy(error, 'ask again later')}") from error
