"""Missing values: the command's bytes, and the device's means."""

import json
import os
import subprocess

import numpy as np
import pandas
import pytest
from sklearn.datasets import make_friedman1
from sklearn.model_selection import KFold

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor


@pytest.fixture(scope="module")
def rows():
    X, y = make_friedman1(300, noise=1, random_state=0)
    gaps = np.random.default_rng(1).random(X.shape) < 0.02
    return np.where(gaps, np.nan, X), y


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_the_bytes_are_those_of_the_command(rows, missing, tmp_path):
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    X, y = rows
    frame = pandas.DataFrame(X, columns=[f"sensor{i}" for i in range(10)])
    frame.assign(target=y).to_csv(tmp_path / "data.csv", index=False)
    options = f"--method harfe --max-features 20 --seed 3 --missing {missing}"
    subprocess.run([command, "fit", "data.csv", *options.split(), "-o", "m.srfm"], cwd=tmp_path, check=True)
    model = SrfmRegressor("harfe", features=20, random_state=3, missing=missing)
    model.fit(frame, pandas.Series(y, name="target"))
    assert model.to_bytes() == (tmp_path / "m.srfm").read_bytes()
    model.save(tmp_path / "p.srfm")
    ours, of_command = (json.loads((tmp_path / name).read_text()) for name in ("p.srfm.json", "m.srfm.json"))
    # The command knows the files that the rows come from.
    assert of_command.pop("origin")["rows"] == model.report_["rows"]
    assert list(ours.items()) == list(of_command.items())


def test_the_mean_stands_for_a_gap_on_the_device(rows):
    X, y = rows
    model = SrfmRegressor("harfe", features=20, missing="mean").fit(X, y)
    assert model.report_["rows"] == 300
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0).astype(np.float32), X)
    assert np.array_equal(model.predict(X), model.predict(filled))
    # Without gaps, the scaling is part of the parameters, whose rounding to 24 bits differs.
    same = SrfmRegressor("harfe", features=20).fit(filled, y)
    assert np.allclose(same.predict(filled), model.predict(filled), rtol=1e-5)


def test_rows_with_gaps_are_left_out_with_their_folds_and_groups(rows):
    X, y = rows
    whole = ~np.isnan(X).any(axis=1)
    model = SrfmRegressor("harfe", features=20, missing="drop").fit(X, y)
    assert model.report_["rows"] == whole.sum() < 270
    assert model.to_bytes() == SrfmRegressor("harfe", features=20).fit(X[whole], y[whole]).to_bytes()
    assert np.array_equal(np.isnan(model.predict(X)), ~whole)
    places = np.cumsum(whole) - 1
    given = [(places[a[whole[a]]], places[b[whole[b]]]) for a, b in KFold(4).split(X)]
    fitted = lambda X, y, **settings: SrfmRegressor("harfe", features=20, **settings).fit(X, y)
    validation = lambda X, y, **settings: fitted(X, y, **settings).report_["validation"]
    assert validation(X, y, missing="drop", cv=KFold(4)) == validation(X[whole], y[whole], cv=given)
    groups = np.arange(300) // 7
    of_groups = [
        SrfmRegressor("harfe", features=20, missing="drop").fit(X, y, groups=groups),
        SrfmRegressor("harfe", features=20).fit(X[whole], y[whole], groups=groups[whole]),
    ]
    assert of_groups[0].report_ == of_groups[1].report_ != model.report_


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_rows_without_a_target_are_left_out(rows, missing):
    X, y = rows
    known = np.arange(300) % 7 != 3
    model = SrfmRegressor("harfe", features=20, missing=missing).fit(X, np.where(known, y, np.nan))
    same = SrfmRegressor("harfe", features=20, missing=missing).fit(X[known], y[known])
    assert model.to_bytes() == same.to_bytes() and model.report_["rows"] == same.report_["rows"]
    assert model.score(X, np.where(known, y, np.nan)) == same.score(X[known], y[known])
    absolute = srfm_mcu.scorer("neg_mean_absolute_error")
    assert absolute(model, X, np.where(known, y, np.nan)) == absolute(same, X[known], y[known])
    labels = np.where(y > 14, "high", "low").astype(object)
    classes = SrfmClassifier("linear", missing=missing).fit(X, np.where(known, labels, None))
    of_known = SrfmClassifier("linear", missing=missing).fit(X[known], labels[known])
    assert classes.to_bytes() == of_known.to_bytes() and classes.classes_.tolist() == ["high", "low"]
    assert classes.score(X, np.where(known, labels, np.nan)) == of_known.score(X[known], labels[known])
    with pytest.raises(ValueError, match="Input y contains NaN; leave such rows out, or give .* missing='drop'"):
        SrfmRegressor("harfe").fit(np.nan_to_num(X), np.where(known, y, np.nan))


def test_rows_with_gaps_have_no_label(rows):
    X, y = rows
    gaps, whole = np.isnan(X).any(axis=1), np.nan_to_num(X)
    for labels in (np.where(y > 14, "high", "low"), (y > 14).astype(int) + (y > 18)):
        for number in ("f32", "int"):
            model = SrfmClassifier("linear", missing="drop", number=number).fit(X, labels)
            found = model.predict(X)
            assert found.dtype == object and [label != label for label in found] == gaps.tolist()
            assert (found[~gaps] == model.predict(whole[~gaps])).all()
            assert (np.isnan(model.decision_function(X)).reshape(len(X), -1).any(axis=1) == gaps).all()
            assert model.predict(whole).dtype == labels.dtype
            assert model.score(X, labels) == np.mean(found[~gaps] == labels[~gaps])
    assert (np.isnan(SrfmRegressor("linear", missing="drop", number="int").fit(X, y).predict(X)) == gaps).all()


def test_classes_and_clear_errors(rows):
    X, y = rows
    labels = np.where(y > np.median(y), "high", "low")
    model = SrfmClassifier("harfe", features=20, missing="mean").fit(X, labels)
    assert model.score(X, labels) > 0.85
    bad = [
        ("guess", X, "choose 'error', 'drop' or 'mean'"),
        ("error", X, "NaN"),
        ("drop", np.where(np.arange(10) == 4, np.nan, X), "each of the 300 rows lacks a value, most often x4"),
        ("mean", np.where(np.arange(10) == 4, np.nan, X), "no values in x4"),
        ("mean", np.where(np.isnan(X), np.inf, X), "infinity"),
    ]
    for missing, readings, said in bad:
        with pytest.raises(ValueError, match=said):
            SrfmRegressor("harfe", missing=missing).fit(readings, y)
    with pytest.raises(ValueError, match="NaN"):
        SrfmRegressor("harfe").fit(X[:9] * 0 + 1, y[:9]).predict(X)
