"""The code of the documents and the examples runs in an empty folder."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def pressure(rows):
    """The text of a log with two counts and a pressure."""
    random = np.random.default_rng(0)
    counts = np.column_stack([random.integers(150, 3650, rows), random.integers(950, 3600, rows)])
    log = np.column_stack([counts, 300 + 0.2 * counts[:, 0] + 20 * np.sin(counts[:, 1] / 700)])
    head = "bridge_counts,thermistor_counts,pressure_hpa"
    return "\n".join([head, *(",".join(f"{value:.6g}" for value in row) for row in log)])


@pytest.mark.parametrize("document", ["docs/python.md", "docs/start/python.md", "python/README.md"])
def test_code_of_documents_runs(document, tmp_path, monkeypatch, capsys):
    text = (ROOT / document).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks, document
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(pressure(500))
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    # Blocks without a language show what the block before prints.
    shown = re.findall(r"^```text\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert "".join(shown) in capsys.readouterr().out or not shown


def test_example_of_rivals_compares_models(tmp_path, monkeypatch, capsys):
    log = tmp_path / "log.csv"
    log.write_text(pressure(200))
    example = ROOT / "python" / "examples" / "rivals.py"
    monkeypatch.setattr("sys.argv", [example.name, str(log), "--folds", "2", "--forward", "--effort", "0.2"])
    runpy.run_path(str(example), run_name="__main__")
    rows, head, *table = capsys.readouterr().out.splitlines()
    assert rows.startswith("200 rows, 2 inputs; pressure_hpa")
    assert head.split() == ["model", "RMSE", "bytes"] and len(table) == 6
    errors = {line[:20].strip(): float(line.split()[-2]) for line in table}
    assert errors["srfm, 2k"] < errors["forest, 20 trees"]
