"""Messages about an input, and the exception that carries them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Message:
    """A message. Its code is stable, its text may change; docs/messages.md lists the codes."""

    code: str
    severity: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    help: str | None = None

    @classmethod
    def _of(cls, data: Mapping[str, Any]) -> Message:
        fields: dict[str, Any] = {key: data.get(key) for key in cls.__dataclass_fields__}
        return cls(**fields)

    def __str__(self) -> str:
        place = "" if self.file is None else f"{self.file}:{self.line}:{self.column}: "
        return f"{place}{self.severity}: {self.message}"


class AspSolveError(Exception):
    """An error of the input, of an option or of a limit. Its text is what the command prints."""

    def __init__(self, text: str, messages: Sequence[Message] = ()) -> None:
        super().__init__(text)
        #: All messages, warnings among them.
        self.messages = list(messages)
        errors = [message for message in self.messages if message.severity == "error"]
        last = errors[-1] if errors else Message("defect", "error", text)
        self.code = last.code
        self.message = last.message
        self.file = last.file
        self.line = last.line
        self.column = last.column
        self.help = last.help

    @classmethod
    def _of(cls, text: str, messages: str) -> AspSolveError:
        return cls(text, [Message._of(data) for data in json.loads(messages)])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.args[0], self.messages)
