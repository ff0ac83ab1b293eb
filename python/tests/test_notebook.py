"""The notebook of the guide runs and prints what it shows. SRFM_UPDATE_DOCUMENTS=1 writes its outputs anew."""

import os
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

PATH = Path(__file__).parents[2] / "docs" / "python.ipynb"


def printed(notebook):
    """Returns what each cell prints. On a busy machine, the lines of a cell arrive as several outputs."""
    shown = [[output.get("text", "") for output in cell.get("outputs", [])] for cell in notebook.cells]
    return ["".join(texts) for texts in shown]


def pictures(notebook):
    """Returns the number of pictures of each cell."""
    shown = [[output.get("data", {}) for output in cell.get("outputs", [])] for cell in notebook.cells]
    return [sum("image/png" in data for data in outputs) for outputs in shown]


def test_the_notebook_shows_what_it_computes():
    files = sorted(PATH.parent.rglob("*"))
    notebook = nbformat.read(PATH, as_version=4)
    before = printed(notebook), pictures(notebook)
    for cell in notebook.cells:
        cell.pop("outputs", None)
    client = nbclient.NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        resources={"metadata": {"path": str(PATH.parent)}},
        record_timing=False,
    )
    client.execute()
    assert sorted(PATH.parent.rglob("*")) == files
    if os.environ.get("SRFM_UPDATE_DOCUMENTS"):
        notebook.metadata.pop("language_info", None)
        nbformat.write(notebook, PATH)
    else:
        assert (printed(notebook), pictures(notebook)) == before
        assert sum(pictures(notebook)) >= 5
