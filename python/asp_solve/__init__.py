"""Solves, explains and makes puzzles with answer set programming.

>>> import asp_solve
>>> result = asp_solve.solve(asp_solve.example("sudoku"), unique=True)
>>> result.unique
True

A board or program is a text, a path, or a link of puzz.link; see `solve`. The page docs/python.md has
examples of everything.
"""

from . import _native
from ._errors import AspSolveError, Message
from ._functions import check, compare, example, generate, hint, iter_answers, puzzles, solve, verify, why
from ._results import (
    Answer,
    AnswerIterator,
    Board,
    Check,
    Comparison,
    Hint,
    Part,
    Reason,
    Result,
    Step,
    Verification,
)

__version__, clingo_version = _native.versions()

__all__ = [
    "Answer",
    "AnswerIterator",
    "AspSolveError",
    "Board",
    "Check",
    "Comparison",
    "Hint",
    "Message",
    "Part",
    "Reason",
    "Result",
    "Step",
    "Verification",
    "check",
    "clingo_version",
    "compare",
    "example",
    "generate",
    "hint",
    "iter_answers",
    "puzzles",
    "solve",
    "verify",
    "why",
]
