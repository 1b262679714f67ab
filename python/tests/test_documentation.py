"""Runs the examples of docs/python.md, of the package and of the notebook."""

import doctest
import os
import re
from pathlib import Path

import pytest

import asp_solve

ROOT = Path(os.environ.get("ASP_SOLVE_SOURCE", Path(__file__).parents[2]))
PAGE = ROOT / "docs" / "python.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks():
    """Returns the examples of the page in one test: later blocks use the names of earlier ones."""
    text = PAGE.read_text()
    examples = []
    for match in re.finditer(r"^```pycon\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text[: match.start(1)].count("\n")
        for example in doctest.DocTestParser().get_examples(match.group(1)):
            example.lineno += line
            examples.append(example)
    return doctest.DocTest(examples, {}, PAGE.name, str(PAGE), 0, None)


def test_the_page_shows_what_happens(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = blocks()
    assert len(page.examples) > 20
    failures = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(page, out=failures.append)
    assert runner.failures == 0, "".join(failures)


def test_the_package_shows_what_happens():
    assert doctest.testmod(asp_solve, optionflags=FLAGS).failed == 0


def test_the_notebook_runs():
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "examples" / "notebook.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output.data for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs if "data" in output]
    pictures = [data for data in shown if "image/svg+xml" in data or "<svg" in data.get("text/html", "")]
    assert len(pictures) >= 3, "boards, answers and hints are drawn"
    assert any("row 1" in data.get("text/html", "") for data in shown), "a reason is shown"
