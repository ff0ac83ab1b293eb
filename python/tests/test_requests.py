"""The same settings give the same model file as the command."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pandas
import pytest
from srfm_mcu import SrfmClassifier, SrfmRegressor

REQUESTS = Path(__file__).parents[2] / "cli" / "tests" / "requests"
ENTRIES = [entry for entry in json.loads((REQUESTS / "requests.json").read_text()) if "python" in entry]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_a_request_gives_the_bytes_of_the_command(entry, tmp_path):
    file = REQUESTS / entry.get("file", "sensor.csv")
    targets = entry.get("targets", ["y"])
    settings = tmp_path / "request.toml"
    settings.write_text(entry["settings"])
    words = [os.environ.get("SRFM_COMMAND", "srfm"), "fit", file, "--inputs", "a,b,c", "--config", settings]
    for target in targets:
        words += ["--target", target]
    subprocess.run([*words, "-o", tmp_path / "m.srfm", "--quiet"], check=True)

    table = pandas.read_csv(file)
    X, y = table[["a", "b", "c"]], table[targets if len(targets) > 1 else targets[0]]
    kind = SrfmClassifier if entry.get("classes") else SrfmRegressor
    groups = table[entry["group"]] if "group" in entry else None
    if entry["python"].get("missing") == "drop":
        assert np.isnan(X).any(axis=None)
    model = kind(**entry["python"]).fit(X, y, groups=groups)
    assert model.to_bytes() == (tmp_path / "m.srfm").read_bytes()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"search": {"effort": 2}}, r"config\['search'\] has 'effort', which has a keyword of its own"),
        ({"columns": {"targets": ["y"]}}, "config has the group 'columns'; give settings of 'grid'"),
        ({"search": {"max_input": 2}}, "unknown field `max_input`, expected one of .*`max_inputs`"),
        ({"search": {"max_inputs": -1}}, "invalid value: integer `-1`"),
        ("fit.toml", "config='fit.toml' is no dictionary of groups"),
        ({"search": 3}, "is no dictionary of groups"),
    ],
)
def test_settings_without_a_keyword_are_refused_by_name(config, said):
    with pytest.raises(ValueError, match=said):
        SrfmRegressor(config=config).fit(np.arange(20.0).reshape(-1, 1), np.arange(20.0))
