"""Tests of the functions: results, errors, limits, interrupts and iteration."""

import contextlib
import gc
import json
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import asp_solve

SUDOKU = ". . 4 .\n. . . 1\n4 . 2 .\n. . . ."
CONTRADICTORY = asp_solve.Board("1 1 . .\n. . . .\n. . . .\n. . . .", puzzle="sudoku")
# No two of 12 pigeons share one of 11 holes, which is impossible, but hard to prove.
PIGEONS = "1 { in(P,1..11) } 1 :- P = 1..12. :- in(P,H), in(Q,H), P < Q."
# clingo cannot be interrupted while it grounds this.
LONG_GROUNDING = "p(1..600). q(X,Y,Z) :- p(X), p(Y), p(Z)."


def test_a_board_is_solved_and_its_solution_is_unique():
    result = asp_solve.solve(SUDOKU, unique=True)
    assert (result.puzzle, result.verdict, result.unique, result.complete) == ("sudoku", "solved", True, True)
    assert len(result) == 1 and result.certified
    assert sorted(result[0].tuples("number"))[0] == (1, 1, 1)
    assert result[0].grid[0] == ["1", "3", "4", "2"]
    assert str(result).startswith("One solution (proven")


def test_a_program_has_all_its_answers():
    result = asp_solve.solve("1 { color(N, red; N, green) } 1 :- node(N). node(1..n).", models=0, constants={"n": 3})
    assert len(result) == result.found == 8
    assert {tuple(sorted(answer.tuples("node"))) for answer in result} == {((1,), (2,), (3,))}
    assert result[-1] == result[7] and len(result[2:5]) == 3
    with pytest.raises(IndexError):
        result[8]


def test_costs_and_optimality_are_attributes():
    (answer,) = asp_solve.solve("1 { a(1..3) }. #minimize { X : a(X) }.")
    assert answer.costs == [1] and answer.optimal
    assert answer.tuples("a") == [(1,)]


def test_terms_of_atoms_are_values():
    (answer,) = asp_solve.solve('a(-3, "x, \\"y\\"", f(b,c), (1,2)).')
    assert answer.tuples("a") == [(-3, 'x, "y"', "f(b,c)", "(1,2)")]


def test_a_path_a_link_and_several_texts_are_read(tmp_path):
    path = tmp_path / "my board.txt"
    path.write_text(SUDOKU)
    for source in [path, str(path)]:
        assert asp_solve.solve(source).puzzle == "sudoku"
    assert asp_solve.solve("https://puzz.link/p?slither/4/4/dgdh2c71", unique=True).unique
    assert asp_solve.solve(["a(1).", "b(X) :- a(X)."])[0].atoms == ["a(1)", "b(1)"]


def test_an_encoding_replaces_the_rules(tmp_path):
    rules = tmp_path / "rules.lp"
    rules.write_text("{ chosen(X) : item(X) } = 1.")
    for encoding in [rules, rules.read_text(), [rules]]:
        assert len(asp_solve.solve("item(1..3).", encoding=encoding, models=0)) == 3


def test_options_of_the_command_are_keywords():
    board = "1 2 3\n4 5 6\n. 7 8"
    assert asp_solve.solve(board)[0].moves == "LL"
    assert asp_solve.solve(board, engine="asp").engine == "asp"
    with pytest.raises(AttributeError, match="it has length, moves"):
        asp_solve.solve(board)[0].energy


def test_an_unsolvable_board_has_a_verdict_and_no_answers():
    result = asp_solve.solve(CONTRADICTORY)
    assert (result.verdict, result.complete, len(result)) == ("impossible", True, 0)
    assert not result


def test_an_error_has_its_code_place_and_help():
    with pytest.raises(asp_solve.AspSolveError) as caught:
        asp_solve.solve("a.\nb :- c")
    error = caught.value
    assert (error.code, error.file, error.line, error.column) == ("missing-period", "instance", 2, 6)
    assert "b :- c" in str(error) and str(error).startswith("error: ")
    assert pickle.loads(pickle.dumps(error)).code == error.code


@pytest.mark.parametrize(
    ("options", "code"),
    [({"puzzle": "sodoku"}, "usage"), ({"goal": "spiral"}, "usage"), ({"format": "json"}, "usage"), ({"nothing": 1}, "usage")],
)
def test_options_that_do_not_fit_are_errors(options, code):
    with pytest.raises(asp_solve.AspSolveError) as caught:
        asp_solve.solve(SUDOKU, **options)
    assert caught.value.code == code


def test_a_file_that_is_missing_is_an_error():
    for source in ["nowhere.txt", Path("nowhere.txt")]:
        with pytest.raises(asp_solve.AspSolveError, match="no such file"):
            asp_solve.solve(source)


def test_a_hint_has_steps_with_reasons():
    hint = asp_solve.hint(SUDOKU)
    (step,) = hint
    assert step.follows == ["number(1,4,2)"] and step.technique == "hidden single"
    assert [str(part) for part in step.because] == ["box 2 would have no place left for 2"]
    assert hint and hint.svg().startswith("<svg")
    assert len(asp_solve.hint(SUDOKU, steps=True)) == 12


def test_why_finds_a_smallest_cause():
    reason = asp_solve.why(CONTRADICTORY)
    assert [part.words for part in reason.cause] == ["row 1, column 1 shows 1", "row 1, column 2 shows 1"]
    assert [(part.line, part.column) for part in reason.cause] == [(1, 1), (1, 3)]
    assert reason and reason.smallest and reason.verdict == "unsatisfiable"
    assert not asp_solve.why(SUDOKU)


def test_why_explains_an_atom():
    reason = asp_solve.why("a. b :- a.", "b")
    assert reason.holds == "always" and "b" in str(reason)
    fix = asp_solve.why("a. :- a.", fix=True).fix
    assert [part.text for part in fix] == ["a"]


def test_generated_boards_repeat_and_have_one_solution():
    board = asp_solve.generate("sudoku", size=4, seed=7)
    assert board == asp_solve.generate("sudoku", size=(4, 4), seed=7)
    assert board.solve(unique=True).unique
    with pytest.raises(asp_solve.AspSolveError):
        asp_solve.generate("sudoku", size="4by4")


def test_answers_are_checked_by_the_rules():
    board = "1 2 3\n4 5 6\n. 7 8"
    (answer,) = asp_solve.solve(board)
    assert asp_solve.check(board, answer)
    refused = asp_solve.check("1 2 3\n4 5 6\n7 . 8", answer)
    assert not refused and refused.broken_rule
    atoms = asp_solve.solve(SUDOKU)[0].atoms
    assert asp_solve.check(SUDOKU, atoms)
    assert not asp_solve.check(SUDOKU, [atom for atom in atoms if not atom.startswith("number(1,1,")])
    with pytest.raises(asp_solve.AspSolveError) as caught:
        asp_solve.check(SUDOKU, answer)
    assert caught.value.code == "usage"


def test_certificates_are_verified():
    result = asp_solve.solve(SUDOKU, unique=True, proof=True)
    checked = asp_solve.verify(result.certificate, SUDOKU)
    assert checked and "no other" in str(checked)
    refused = asp_solve.verify(result.certificate, CONTRADICTORY)
    assert not refused and refused.why
    with pytest.raises(asp_solve.AspSolveError) as caught:
        asp_solve.verify("certificate 1\nnonsense\n")
    assert caught.value.code == "invalid-certificate"


def test_programs_are_compared():
    assert asp_solve.compare("1 { a; b } 1.", "{ a; b } = 1.")
    different = asp_solve.compare("{ a; b }.", "{ a; b } = 1.")
    assert different.verdict == "different" and different.difference in ([], ["a", "b"])
    assert asp_solve.compare("b(X) :- a(X).", "b(X) :- a(X), X = X.", "a(1..2).", puzzle="program")


def test_a_time_limit_ends_a_search():
    result = asp_solve.solve(PIGEONS, time_limit=0.2)
    assert (result.verdict, result.reason) == ("gave-up", "the time limit was reached")
    assert "Gave up" in str(result)


def in_a_process(code: str) -> subprocess.CompletedProcess:
    """Runs code that must end within its time."""
    program = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(program, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize(("limit", "word"), [("time_limit=0.3", "time"), ("memory_limit=50", "memory")])
def test_a_limit_ends_grounding_too(limit, word):
    done = in_a_process(
        f"""
        import asp_solve, os
        result = asp_solve.solve({LONG_GROUNDING!r}, {limit})
        print(result.verdict, {word!r} in result.reason, len(result), flush=True)
        # The thread that grounds is left behind.
        os._exit(0)
        """
    )
    assert (done.stdout, done.returncode) == ("gave-up True 0\n", 0), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there are no signals")
@pytest.mark.parametrize("program", [PIGEONS, LONG_GROUNDING], ids=["solving", "grounding"])
@pytest.mark.parametrize("function", ["solve(program)", "why(program)", "next(iter_answers(program))"])
def test_ctrl_c_raises_keyboard_interrupt(program, function):
    call = function.replace("(", "(asp_solve.", 1) if function.startswith("next") else f"asp_solve.{function}"
    done = in_a_process(
        f"""
        import asp_solve, os, signal, threading
        program = {program!r}
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            os._exit(0)
        """
    )
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


def test_other_threads_run_during_a_search():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(asp_solve.solve(PIGEONS, time_limit=1).verdict))
    thread.start()
    assert asp_solve.solve("a.").verdict == "solved"
    assert not seen, "the first search does not hold the lock"
    thread.join()
    assert seen == ["gave-up"]


def test_answers_are_iterated_as_they_are_found():
    answers = asp_solve.iter_answers("{ a(1..20) }.")
    first = [next(answers) for _ in range(100)]
    assert len({str(answer) for answer in first}) == 100
    assert answers.result is None
    answers.close()
    assert next(answers, None) is None


def test_the_end_of_an_iteration_says_what_is_known():
    with asp_solve.iter_answers("1 { a; b; c } 1.") as answers:
        assert sorted(map(str, answers)) == ["a", "b", "c"]
        assert (answers.result.complete, answers.result.found) == (True, 3)
    with asp_solve.iter_answers(PIGEONS, time_limit=0.2) as answers:
        assert list(answers) == [] and answers.result.verdict == "gave-up"
    with pytest.raises(asp_solve.AspSolveError):
        next(asp_solve.iter_answers("a :- b"))


def test_an_iterator_that_is_dropped_ends_its_search():
    def searches() -> set[str]:
        found = set()
        for task in Path("/proc/self/task").iterdir():
            # A thread may end between the two calls.
            with contextlib.suppress(OSError):
                if Path(task, "comm").read_text().startswith("asp_solve"):
                    found.add(task.name)
        return found

    if not Path("/proc/self/task").exists():
        pytest.skip("threads cannot be listed")
    # Searches of earlier tests may still be ending.
    before = searches()
    answers = asp_solve.iter_answers("{ a(1..20) }.")
    next(answers)
    # clingo searches in a thread of its own.
    new = searches() - before
    assert new
    del answers
    gc.collect()
    for _ in range(200):
        if not searches() & new:
            return
        threading.Event().wait(0.05)
    pytest.fail("the search goes on")


def test_notebooks_show_boards_answers_hints_and_reasons():
    board = asp_solve.example("masyu")
    result = board.solve()
    assert board._repr_svg_().startswith("<svg")
    assert result[0]._repr_svg_().startswith("<svg") and "<svg" in result._repr_html_()
    assert "<svg" in board.hint()._repr_html_()
    reason = asp_solve.why(CONTRADICTORY)
    assert "row 1, column 1" in reason._repr_html_()
    assert asp_solve.solve("a(1).")._repr_html_().startswith("<pre>")


def test_results_print_what_the_command_prints(tmp_path):
    for name, options, words in [("rail", {"models": 0}, ["-n", "0"]), ("sudoku", {"unique": True}, ["--unique"])]:
        board = asp_solve.example(name)
        path = tmp_path / "board"
        path.write_text(board)
        command = [sys.executable, "-m", "asp_solve", str(path), *words]
        printed = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        assert printed.returncode == 0, printed.stderr
        assert str(asp_solve.solve(path, **options)) == printed.stdout.rstrip("\n")
        printed = subprocess.run([*command, "-f", "json"], capture_output=True, text=True, cwd=tmp_path)
        answers = [answer.data for answer in asp_solve.solve(path, **options)]
        assert answers == json.loads(printed.stdout)["answers"]


def test_the_command_ends_at_ctrl_c(tmp_path):
    program = tmp_path / "pigeons.lp"
    program.write_text(PIGEONS)
    if sys.platform == "win32":
        pytest.skip("there are no signals")
    process = subprocess.Popen(
        [sys.executable, "-m", "asp_solve", str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    threading.Event().wait(1)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 3, output


def test_all_puzzles_have_names_and_most_have_boards():
    names = asp_solve.puzzles()
    assert {"sudoku", "minesweeper", "rail", "taquin", "klotski"} <= set(names)
    assert all(asp_solve.example(name) for name in names)
    with pytest.raises(KeyError):
        asp_solve.example("nothing")
