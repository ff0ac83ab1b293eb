"""The code of the documents runs in an empty folder."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["docs/python.md", "python/README.md"])
def test_code_of_documents_runs(document, tmp_path, monkeypatch, capsys):
    text = (ROOT / document).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks, document
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, document, "exec"), names)
    # Blocks without a language show what the block before prints.
    shown = re.findall(r"^```text\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert "".join(shown) in capsys.readouterr().out or not shown
