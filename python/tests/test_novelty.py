"""Novel rows among normal ones."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

import srfm_mcu
from srfm_mcu import SrfmNovelty


def ring(rows, seed):
    rng = np.random.default_rng(seed)
    angle, radius = rng.uniform(0, 2 * np.pi, rows), 1 + 0.1 * rng.normal(size=rows)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


@pytest.fixture(scope="module")
def model():
    return SrfmNovelty("rules", features=80, false_alarms=0.05).fit(ring(400, 0))


def test_the_middle_of_a_ring_is_novel(model):
    normal, middle = ring(300, 1), 0.25 * np.random.default_rng(2).normal(size=(300, 2))
    scores = np.concatenate([model.score_samples(normal), model.score_samples(middle)])
    assert roc_auc_score([1] * 300 + [0] * 300, scores) > 0.97
    assert (model.predict(middle) == -1).mean() > 0.7
    # 15 are expected at most; the threshold by 100 rows has a standard error of 0.02.
    assert (model.predict(normal) == -1).mean() < 0.05 + 0.08


def test_the_labels_are_those_of_scikit_learn(model):
    rows = np.vstack([ring(50, 3), np.zeros((2, 2))])
    labels, decisions = model.predict(rows), model.decision_function(rows)
    assert labels.dtype.kind == "i" and set(labels) == {-1, 1}
    assert ((decisions < 0) == (labels == -1)).all()
    assert (decisions == model.score_samples(rows) - model.offset_).all()
    assert (model.model_.decide(rows) == (labels == -1)).all()
    assert clone(model).fit_predict(ring(400, 0)).tolist() == model.predict(ring(400, 0)).tolist()


def test_a_model_comes_back_from_its_file(model, tmp_path):
    model.save(tmp_path / "m.srfm")
    again, rows = srfm_mcu.load(tmp_path / "m.srfm"), ring(50, 4)
    assert isinstance(again, SrfmNovelty)
    assert (again.score_samples(rows) == model.score_samples(rows)).all()
    assert (again.predict(rows) == model.predict(rows)).all()
    model.to_c(tmp_path / "m.h")
    model.to_report(tmp_path / "m.html", rows, model.predict(rows))


def test_the_report_states_the_false_alarms(model):
    stated = model.report_["false_alarms"]
    assert stated["level"] == 0.05 and stated["rows"] == 100 and stated["found"] <= 5


def test_rows_with_gaps_get_no_label():
    X = ring(300, 5)
    X[:20, 1] = np.nan
    model = SrfmNovelty("linear", lambdas=[1.0], false_alarms=0.1, missing="drop").fit(X)
    labels = model.predict(X)
    assert np.isnan(labels[:20]).all() and set(labels[20:]) <= {-1.0, 1.0}


def test_windows_of_signals_are_those_of_the_command(tmp_path):
    rng = np.random.default_rng(0)
    vibration = np.sin(np.arange(3000) * 0.7) + 0.2 * rng.normal(size=3000)
    rows = pd.DataFrame({"g": vibration, "celsius": 20 + rng.normal(size=3000)})
    model = SrfmNovelty("path", features=6, window=16, step=8, false_alarms=0.05).fit(rows)
    scores = model.score_samples(rows)
    assert np.flatnonzero(~np.isnan(scores)).tolist() == list(range(15, 3000, 8))
    # A worn bearing: twice the vibration.
    worn = rows.assign(g=2 * rows.g)
    assert (model.predict(worn)[15::8] == -1).mean() > 0.9 and (model.predict(rows)[15::8] == -1).mean() < 0.15
    rows.to_csv(tmp_path / "rows.csv", index=False)
    wanted = ["--task", "novelty", "--method", "path", "--max-features", "6", "--false-alarms", "0.05"]
    fit = [os.environ.get("SRFM_COMMAND", "srfm"), "fit", "rows.csv", *wanted]
    subprocess.run([*fit, "--window", "16", "--step", "8", "--quiet", "-o", "model.srfm"], cwd=tmp_path, check=True)
    model.save(tmp_path / "own.srfm")
    assert (tmp_path / "own.srfm").read_bytes() == (tmp_path / "model.srfm").read_bytes()


@pytest.mark.parametrize(
    ("settings", "rows", "said"),
    [
        ({}, 100, "100 rows are too few for a model of novelty and its share of false alarms, which takes at least"),
        ({"false_alarms": 0}, 300, "false_alarms=0 is no share of rows between 0 and 1; give one such as 0.01"),
        ({"flash": 40}, 300, "keeps the budget of 40 bytes of flash"),
        ({"cv": [([0, 1], [2, 3])]}, 300, "takes all rows as normal and alike; leave out cv="),
    ],
)
def test_what_has_no_meaning_is_refused(settings, rows, said):
    with pytest.raises(ValueError, match="(?s)" + said.replace("(", r"\(")):
        SrfmNovelty("harfe", **settings).fit(ring(rows, 0))


def test_constant_rows_are_refused():
    with pytest.raises(ValueError, match="every input has the same value in every row"):
        SrfmNovelty("harfe").fit(np.ones((300, 2)))
