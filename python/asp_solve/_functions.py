"""The functions of the package. Each does what the command of its name does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union

from . import _native
from ._call import Call, Source
from ._results import (
    Answer,
    AnswerIterator,
    Board,
    Check,
    Comparison,
    Hint,
    Reason,
    Result,
    Verification,
)

Sources = Union[Source, Iterable[Source]]


def _call(
    board: Sources,
    puzzle: str | None,
    encoding: Sources | None,
    constants: Mapping[str, Any] | None,
    options: Mapping[str, Any],
) -> Call:
    if puzzle is None and isinstance(board, Board):
        puzzle = board.puzzle
    call = Call().sources(board).encodings(encoding).constants(constants)
    return call.options({"puzzle": puzzle, **options})


def solve(
    board: Sources,
    *,
    puzzle: str | None = None,
    encoding: Sources | None = None,
    models: int | None = None,
    unique: bool = False,
    constants: Mapping[str, Any] | None = None,
    certify: bool = False,
    proof: bool = False,
    engine: str | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **options: Any,
) -> Result:
    """Solves a board or a logic program.

    `board` is a text, a path, a link of puzz.link, or a list of these that form one program. A `str`
    is a text if it contains white space or ends with a period, unless a file has this name.

    `models` is the largest number of answers, 0 for all; `unique` asks whether there is exactly one.
    `certify` lets an independent checker verify what is proven, and `proof` also keeps the
    certificate (`Result.certificate`). `time_limit` is in seconds, `memory_limit` in megabytes, by
    which the process may grow; the result then has the verdict "gave-up".

    Further options are those of the command, such as `goal="spiral"` for `--goal spiral`.

    Raises `AspSolveError` for errors of the input.
    """
    more = {"models": models, "unique": unique, "certify": certify, "engine": engine, "threads": threads}
    if proof:
        more["proof"] = "certificate"
    call = _call(board, puzzle, encoding, constants, {**more, **options})
    return Result(_native.solve(call.all_words(), call.texts, (time_limit, memory_limit)))


def iter_answers(
    board: Sources,
    *,
    puzzle: str | None = None,
    encoding: Sources | None = None,
    models: int = 0,
    constants: Mapping[str, Any] | None = None,
    engine: str | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **options: Any,
) -> AnswerIterator:
    """Iterates over answers as they are found, all by default.

    The search runs in a thread, a few answers ahead. It ends when the iterator is closed or no longer
    used. At the end, `AnswerIterator.result` says whether these are all answers.
    """
    more = {"models": models, "engine": engine, "threads": threads}
    call = _call(board, puzzle, encoding, constants, {**more, **options})
    return AnswerIterator(_native.AnswerStream(call.all_words(), call.texts, (time_limit, memory_limit)))


def check(
    board: Sources,
    answer: Answer | Iterable[str],
    *,
    puzzle: str | None = None,
    constants: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Check:
    """Checks an answer by the rules of the puzzle. The result is true if the answer obeys them.

    The answer is one of `solve`, perhaps of another board, or the atoms of an answer from elsewhere.
    """
    call = _call(board, puzzle, None, constants, options)
    words, limits = call.all_words(), (time_limit, None)
    if isinstance(answer, Answer):
        return Check(_native.check(words, call.texts, limits, answer._answers, answer._index, []))
    return Check(_native.check(words, call.texts, limits, None, 0, list(answer)))


def why(
    board: Sources,
    atom: str | None = None,
    *,
    n: int | None = None,
    fix: bool = False,
    blame: str | Iterable[str] | None = None,
    puzzle: str | None = None,
    encoding: Sources | None = None,
    constants: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **options: Any,
) -> Reason:
    """Explains why there is no answer, or why an atom holds.

    `n` is the largest number of causes, 0 for all; `fix` asks for the cheapest change that gives an
    answer; `blame` says what may be a cause: "facts", "constraints", "rules" or a predicate.
    """
    blamed = blame if blame is None or isinstance(blame, str) else ",".join(blame)
    more = {"fix": fix, "blame": blamed, "time_limit": time_limit}
    call = _call(board, puzzle, encoding, constants, {**more, **options})
    if n is not None:
        call.words += ["-n", str(n)]
    return Reason(_native.why(call.all_words(), call.texts, (time_limit, memory_limit), atom))


def hint(
    board: Sources,
    *,
    steps: bool = False,
    puzzle: str | None = None,
    encoding: Sources | None = None,
    constants: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **options: Any,
) -> Hint:
    """Returns the next step that a person could find, and its reason; with `steps`, all of them."""
    more = {"steps": steps, "time_limit": time_limit}
    call = _call(board, puzzle, encoding, constants, {**more, **options})
    return Hint(_native.hint(call.all_words(), call.texts, (time_limit, memory_limit)))


def generate(
    puzzle: str,
    *,
    seed: int = 1,
    size: int | str | tuple[int, int] | None = None,
    difficulty: str | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    **options: Any,
) -> Board:
    """Makes a board. The same seed and options make the same board.

    `size` is the number of columns and rows, `difficulty` for instance "easy" or "3..4". Further
    options are those of `asp-solve generate PUZZLE`.
    """
    if isinstance(size, int):
        size = (size, size)
    if isinstance(size, tuple):
        size = f"{size[0]}x{size[1]}"
    call = Call().options({"seed": seed, "size": size, "difficulty": difficulty, **options})
    return Board(_native.generate(puzzle, call.words, (time_limit, memory_limit)))


def verify(
    certificate: Source,
    board: Sources | None = None,
    *,
    puzzle: str | None = None,
    encoding: Sources | None = None,
    constants: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Verification:
    """Checks a certificate (`Result.certificate`), and with `board`, that it is about this board."""
    call = Call()
    call.files.append(call.name(certificate, "certificate"))
    if puzzle is None and isinstance(board, Board):
        puzzle = board.puzzle
    if board is not None:
        call.sources(board)
    call.encodings(encoding).constants(constants).options({"puzzle": puzzle, **options})
    return Verification(*_native.verify(call.all_words(), call.texts, (time_limit, None)))


def compare(
    one: Source,
    other: Source,
    *instances: Source,
    puzzle: str | None = None,
    runs: int = 0,
    constants: Mapping[str, Any] | None = None,
    time_limit: float | None = None,
    **options: Any,
) -> Comparison:
    """Checks whether two encodings have the same answers on the instances.

    Without instances, both are whole programs. `runs` is the number of timed runs of each.
    """
    call = Call()
    call.files += [call.name(one, "one"), call.name(other, "other")]
    call.sources(instances).constants(constants).options({"puzzle": puzzle, "runs": runs, **options})
    return Comparison(*_native.compare(call.all_words(), call.texts, (time_limit, None)))


def puzzles() -> list[str]:
    """Returns the names of all puzzles."""
    return _native.puzzles()


def example(name: str) -> Board:
    """Returns a board of the puzzle, or another board of `asp-solve examples`."""
    text = _native.example(name)
    if text is None:
        raise KeyError(f"there is no board {name!r}; asp_solve.puzzles() lists the puzzles")
    return Board(text)
