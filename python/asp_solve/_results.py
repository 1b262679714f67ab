"""The results of the functions, with types."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import AspSolveError, Message

if TYPE_CHECKING:
    from typing import overload

#: Pictures of more answers are not shown in a notebook.
MAX_PICTURES = 6


def _pre(text: str) -> str:
    return f"<pre>{html.escape(text.rstrip())}</pre>"


def _messages(data: Sequence[dict[str, Any]]) -> list[Message]:
    return [Message._of(message) for message in data]


@dataclass(frozen=True)
class Part:
    """A fact, a constraint or a rule on which a reason rests."""

    text: str
    kind: str
    #: The words that the encoding gives it.
    words: str
    file: str | None = None
    line: int | None = None
    column: int | None = None

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Part:
        words = data.get("words") or data.get("text", "")
        places = {key: data.get(key) for key in ("file", "line", "column")}
        return cls(data.get("text", ""), data.get("kind", ""), words, **places)

    def __str__(self) -> str:
        return self.words


def _parts(data: Any) -> list[Part]:
    return [Part._of(part) for part in data] if isinstance(data, list) else []


class Board(str):
    """The text of a board, which notebooks draw. All functions take it."""

    #: The puzzle, if the text does not name it.
    puzzle: str | None

    def __new__(cls, text: str, puzzle: str | None = None) -> Board:
        board = super().__new__(cls, text)
        board.puzzle = puzzle
        return board

    def solve(self, **options: Any) -> Result:
        from ._functions import solve

        return solve(self, **options)

    def hint(self, **options: Any) -> Hint:
        from ._functions import hint

        return hint(self, **options)

    def why(self, atom: str | None = None, **options: Any) -> Reason:
        from ._functions import why

        return why(self, atom, **options)

    def svg(self) -> str | None:
        """Draws the board without a solution, if its puzzle has pictures."""
        return self.solve(time_limit=10).svg(None)

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except AspSolveError:
            return None


def _split_arguments(atom: str) -> list[str]:
    """Returns the arguments of an atom."""
    begin = atom.find("(")
    if begin < 0:
        return []
    arguments, depth, quoted, escaped, word = [], 0, False, False, ""
    for letter in atom[begin + 1 : -1]:
        if quoted:
            quoted = letter != '"' or escaped
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter == "(":
            depth += 1
        elif letter == ")":
            depth -= 1
        elif letter == "," and depth == 0:
            arguments.append(word)
            word = ""
            continue
        word += letter
    return [*arguments, word]


def _value(term: str) -> int | str:
    """Returns a number, the content of a string, or any other term as text."""
    if term.removeprefix("-").isdigit():
        return int(term)
    if term.startswith('"'):
        return term[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return term


class Answer:
    """An answer. Its attributes are the keys of the command's JSON, which docs/json.md lists."""

    def __init__(self, answers: _native.Answers, index: int) -> None:
        self._answers = answers
        self._index = index

    @cached_property
    def data(self) -> dict[str, Any]:
        """The answer as in the command's JSON."""
        return json.loads(self._answers.answer_json(self._index) or "{}")

    @property
    def atoms(self) -> list[str]:
        """The shown atoms of a pencil puzzle or program."""
        return self.data.get("atoms", [])

    @property
    def costs(self) -> list[int]:
        """The costs by priority, if the program optimises."""
        return self.data.get("costs", [])

    def tuples(self, predicate: str) -> list[tuple[int | str, ...]]:
        """Returns the arguments of the atoms of a predicate: numbers, strings, and other terms as text."""
        atoms = [atom for atom in self.atoms if atom.split("(", 1)[0] == predicate]
        return [tuple(_value(argument) for argument in _split_arguments(atom)) for atom in atoms]

    def svg(self) -> str | None:
        """Draws the answer, if its puzzle or program has pictures."""
        return self._answers.svg(self._index)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self.data:
            return self.data[name]
        raise AttributeError(f"this answer has no {name!r}; it has {', '.join(self.data)}")

    def __getitem__(self, key: str) -> Any:
        return self.data[key]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.data == other.data

    def __hash__(self) -> int:
        return hash(json.dumps(self.data))

    def __str__(self) -> str:
        if "atoms" in self.data:
            return " ".join(self.atoms)
        return json.dumps(self.data, ensure_ascii=False)

    def __repr__(self) -> str:
        text = str(self)
        return f"<Answer {text if len(text) <= 60 else text[:59] + '…'}>"

    def _repr_svg_(self) -> str | None:
        return self.svg()


class Result(Sequence[Answer]):
    """The result of `solve`: a sequence of answers, and what is known about them."""

    def __init__(self, answers: _native.Answers) -> None:
        self._answers = answers

    @cached_property
    def data(self) -> dict[str, Any]:
        """The keys of the command's JSON, without the answers."""
        return json.loads(self._answers.json())

    @property
    def verdict(self) -> str:
        """ "solved", "impossible" (proven) or "gave-up"."""
        return self.data["verdict"]

    @property
    def complete(self) -> bool:
        """True if all answers were found, or if the optimum is proven."""
        return self.data["complete"]

    @property
    def unique(self) -> bool | None:
        """Whether there is exactly one solution; None if this was not asked, or is not known."""
        return self.data.get("unique")

    @property
    def reason(self) -> str | None:
        """Why the run gave up."""
        return self.data.get("reason")

    @property
    def cause(self) -> list[Part]:
        """Why there is no answer, if this is known."""
        return _parts(self.data.get("because"))

    @property
    def certified(self) -> bool | None:
        """Whether an independent checker verified a proof; None if none was asked for."""
        certificate = self.data.get("certificate")
        return None if certificate is None else certificate["checked"]

    @property
    def certificate(self) -> str | None:
        """The text of the certificate, with `proof=True`."""
        return self.data.get("certificate_text")

    @property
    def puzzle(self) -> str | None:
        return self.data.get("puzzle")

    @property
    def engine(self) -> str | None:
        return self.data.get("engine")

    @property
    def found(self) -> int:
        """The number of answers found."""
        return self.data["found"]

    @property
    def statistics(self) -> dict[str, Any]:
        return self.data.get("statistics", {})

    @property
    def warnings(self) -> list[Message]:
        return _messages(self.data.get("warnings", []))

    @property
    def answers(self) -> list[Answer]:
        return list(self)

    def __len__(self) -> int:
        return len(self._answers)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Answer: ...
        @overload
        def __getitem__(self, index: slice) -> list[Answer]: ...

    def __getitem__(self, index: int | slice) -> Answer | list[Answer]:
        if isinstance(index, slice):
            return [Answer(self._answers, at) for at in range(*index.indices(len(self)))]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"there are {len(self)} answers")
        return Answer(self._answers, at)

    def svg(self, index: int | None = 0) -> str | None:
        """Draws an answer, or with None the board without one."""
        return self._answers.svg(index)

    def write(self, format: str = "text", answer: int | None = None) -> str:
        """Returns what the command prints with `--format`: text, json, lines, svg, dot, html, url, …

        `answer` is the number of the answer to draw, from 1, or 0 for the board.
        """
        return self._answers.written(format, answer)

    def __str__(self) -> str:
        return self.write().rstrip("\n")

    def __repr__(self) -> str:
        unique = {True: ", unique", False: ", not unique", None: ""}[self.unique]
        noun = "answer" if len(self) == 1 else "answers"
        return f"<Result {self.puzzle or 'unknown'}: {self.verdict}, {len(self)} {noun}{unique}>"

    def _repr_html_(self) -> str:
        pictures = [self.svg(index) for index in range(min(len(self), MAX_PICTURES))] or [self.svg(None)]
        drawn = [f'<div style="display:inline-block">{picture}</div>' for picture in pictures if picture]
        if not drawn:
            return _pre(str(self))
        more = len(self) - len(drawn)
        words = str(self).splitlines()[:1] + ([f"The first {len(drawn)} of {len(self)}:"] if more > 0 else [])
        return _pre("\n".join(words)) + "".join(drawn)


class AnswerIterator(Iterator[Answer]):
    """Answers as they are found. Closing it, or leaving its `with` block, ends the search."""

    def __init__(self, stream: _native.AnswerStream) -> None:
        self._stream = stream

    def __next__(self) -> Answer:
        answers = self._stream.next()
        if answers is None:
            raise StopIteration
        return Answer(answers, 0)

    @property
    def result(self) -> Result | None:
        """What is known at the end of the search; None before it, or if the search was closed."""
        end = self._stream.result()
        return None if end is None else Result(end)

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> AnswerIterator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Explanation:
    def __init__(self, explanation: _native.Explanation) -> None:
        self._explanation = explanation

    @cached_property
    def data(self) -> dict[str, Any]:
        """The keys of the command's JSON, which docs/json.md lists."""
        return json.loads(self._explanation.json())

    @property
    def verdict(self) -> str:
        return self.data.get("verdict", "")

    @property
    def warnings(self) -> list[Message]:
        return _messages(self.data.get("warnings", []))

    def svg(self) -> str | None:
        """Draws the explanation, if there is a picture."""
        return self._explanation.svg()

    def html(self) -> str | None:
        """Returns the page that the command writes."""
        return self._explanation.html()

    def __bool__(self) -> bool:
        """True if there is a reason or a step."""
        return self.data["found"]

    def __str__(self) -> str:
        return self._explanation.text().rstrip("\n")

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def _repr_html_(self) -> str:
        picture = self.svg()
        return _pre(str(self)) + (f"<div>{picture}</div>" if picture else "")


class Reason(_Explanation):
    """The result of `why`: why there is no answer, or why an atom holds."""

    @property
    def causes(self) -> list[list[Part]]:
        """Each cause rules out every answer; the first is a smallest one if `smallest`."""
        if "causes" in self.data:
            return [_parts(cause) for cause in self.data["causes"]]
        because = _parts(self.data.get("because"))
        return [because] if because else []

    @property
    def cause(self) -> list[Part]:
        """The first cause."""
        return self.causes[0] if self.causes else []

    @property
    def smallest(self) -> bool:
        """True if it is proven that no cause has fewer parts."""
        return bool(self.data.get("smallest"))

    @property
    def holds(self) -> str | None:
        """Of an atom: "always", "never" or "sometimes"."""
        return self.data.get("holds")

    @property
    def fix(self) -> list[Part]:
        """With `fix=True`: the parts to give up."""
        return _parts(self.data.get("fix"))

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(part.words)}</li>" for part in self.cause)
        return super()._repr_html_() + (f"<ul>{items}</ul>" if items else "")

    def __repr__(self) -> str:
        return f"<Reason {self.verdict or self.holds}: {', '.join(part.words for part in self.cause)}>"


@dataclass(frozen=True)
class Step:
    """A step towards a solution."""

    #: The atoms that follow, or a move.
    follows: Any
    #: The sentences that the text shows.
    words: str
    #: The parts of the reason.
    because: list[Part]
    #: The name of the technique, if the puzzle has names for them.
    technique: str | None = None

    @classmethod
    def _of(cls, data: dict[str, Any]) -> Step:
        words = data.get("words", "")
        technique = data.get("technique")
        name = technique.get("name") if isinstance(technique, dict) else technique
        text = "\n".join(words) if isinstance(words, list) else words
        return cls(data.get("follows"), text, _parts(data.get("because")), name)

    def __str__(self) -> str:
        return self.words


class Hint(_Explanation):
    """The result of `hint`: the next steps, with their reasons."""

    @property
    def steps(self) -> list[Step]:
        return [Step._of(step) for step in self.data.get("steps", [])]

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.data.get("steps", []))

    def __repr__(self) -> str:
        first = self.steps[0].words.splitlines()[:1] if self.steps else []
        return f"<Hint {self.verdict}{': ' if first else ''}{''.join(first)}>"


class _Written:
    def __init__(self, text: str, data: str) -> None:
        self._text = text
        #: The keys of the command's JSON, which docs/json.md lists.
        self.data: dict[str, Any] = json.loads(data)

    def __str__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return _pre(str(self))


class Verification(_Written):
    """The result of `verify`: true if the certificate is valid."""

    @property
    def checked(self) -> bool:
        return self.data["certificate"]["checked"]

    @property
    def why(self) -> str | None:
        """Why the certificate is refused."""
        return self.data["certificate"].get("why")

    @property
    def answers(self) -> list[list[str]]:
        """The answers that it certifies, as lists of atoms."""
        return [answer["atoms"] for answer in self.data.get("answers", [])]

    def __bool__(self) -> bool:
        return self.checked

    def __repr__(self) -> str:
        return f"<Verification {'checked' if self.checked else 'refused'}: {self}>"


class Comparison(_Written):
    """The result of `compare`: true if the same answers are proven."""

    @property
    def verdict(self) -> str:
        """ "same", "different" or "unknown"."""
        return self.data["verdict"]

    @property
    def instances(self) -> list[dict[str, Any]]:
        return self.data["instances"]

    @property
    def difference(self) -> list[str] | None:
        """The atoms of an answer that only one of the two has."""
        for instance in self.instances:
            if instance.get("difference"):
                return instance["difference"]["atoms"]
        return None

    def __bool__(self) -> bool:
        return self.verdict == "same"

    def __repr__(self) -> str:
        return f"<Comparison {self.verdict}>"


@dataclass(frozen=True)
class Check:
    """The result of `check`: true if the answer obeys the rules."""

    #: The rule that is broken.
    broken_rule: str | None

    def __bool__(self) -> bool:
        return self.broken_rule is None

    def __str__(self) -> str:
        return self.broken_rule or "the answer obeys the rules"
