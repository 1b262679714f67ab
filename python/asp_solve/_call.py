"""From Python's arguments to the words of a command line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Union

#: A text, a path, or a link.
Source = Union[str, "os.PathLike[str]"]


def is_text(source: Source) -> bool:
    """Tells a text from a path, a link or a name: a text has blanks or ends with a period."""
    if not isinstance(source, str):
        return False
    if "\n" not in source and os.path.exists(source):
        return False
    return source == "" or source.endswith(".") or any(letter.isspace() for letter in source)


def as_list(sources: Source | Iterable[Source]) -> list[Source]:
    if isinstance(sources, str) or isinstance(sources, os.PathLike):
        return [sources]
    return list(sources)


class Call:
    """The words of a command line, and the texts that stand in the place of files."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.files: list[str] = []
        self.texts: dict[str, str] = {}

    def name(self, source: Source, kind: str) -> str:
        """Returns the name of a file, which stands for the source if it is a text."""
        if not is_text(source):
            return os.fspath(source)
        number = sum(name.split(" ")[0] == kind for name in self.texts)
        name = kind if number == 0 else f"{kind} {number + 1}"
        self.texts[name] = str(source)
        return name

    def sources(self, sources: Source | Iterable[Source], kind: str = "instance") -> Call:
        self.files += [self.name(source, kind) for source in as_list(sources)]
        return self

    def options(self, options: Mapping[str, Any]) -> Call:
        """Adds options of the command by their names, with `_` for `-`."""
        for name, value in options.items():
            option = "--" + name.rstrip("_").replace("_", "-")
            if value is None or value is False:
                continue
            if value is True:
                self.words.append(option)
            elif isinstance(value, (list, tuple)):
                self.words += [f"{option}={item}" for item in value]
            else:
                self.words.append(f"{option}={value}")
        return self

    def encodings(self, encoding: Source | Iterable[Source] | None) -> Call:
        encodings = [] if encoding is None else as_list(encoding)
        self.words += ["--encoding=" + self.name(source, "encoding") for source in encodings]
        return self

    def constants(self, constants: Mapping[str, Any] | None) -> Call:
        self.words += [f"--const={name}={value}" for name, value in (constants or {}).items()]
        return self

    def all_words(self) -> list[str]:
        return [*self.words, "--", *self.files]
