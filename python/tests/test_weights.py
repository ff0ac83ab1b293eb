"""A row of weight k counts as k rows, one of weight 0 is left out."""

import os
import subprocess

import numpy as np
import pandas
import pytest
from sklearn.datasets import load_iris, make_friedman1
from sklearn.model_selection import GridSearchCV, KFold
from srfm_mcu import SrfmClassifier, SrfmRegressor


@pytest.fixture(scope="module")
def friedman():
    X, y = make_friedman1(200, noise=1, random_state=0)
    return X, y, np.random.default_rng(0).integers(0, 4, 200)


def test_weights_are_copies_of_rows(friedman):
    X, y, weights = friedman
    # A line with a given penalty draws nothing from the rows.
    line = SrfmRegressor("linear", lambdas=[1e-2])
    weighted = line.fit(X, y, sample_weight=weights).predict(X)
    copied = line.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict(X)
    assert np.allclose(weighted, copied, rtol=1e-6)
    assert not np.allclose(weighted, line.fit(X, y).predict(X), rtol=1e-3)
    labels = y + np.random.default_rng(1).normal(0, 5, 200) > np.median(y)
    classes = SrfmClassifier("linear", lambdas=[1e-2])
    weighted = classes.fit(X, labels, sample_weight=weights).decision_function(X)
    copied = classes.fit(np.repeat(X, weights, axis=0), np.repeat(labels, weights)).decision_function(X)
    # Lines of classes have a weak penalty that does not grow with the rows.
    apart = np.abs(weighted - copied).max()
    assert apart < 0.02 and np.abs(classes.fit(X, labels).decision_function(X) - copied).max() > 5 * apart


@pytest.mark.parametrize("settings", [{"effort": 0.2}, {"method": "rules"}, {"method": "compact", "features": 6}])
def test_rows_without_weight_are_left_out(friedman, settings):
    X, y, weights = friedman
    weights = (weights > 0) * 2.5
    kept = weights > 0
    regressor = SrfmRegressor(flash=512, **settings)
    bytes_ = regressor.fit(X, y, sample_weight=weights).to_bytes()
    assert regressor.report_["rows"] == kept.sum()
    assert bytes_ == regressor.fit(X[kept], y[kept]).to_bytes()
    assert bytes_ != regressor.fit(X, y).to_bytes()
    classifier = SrfmClassifier(flash=512, **settings)
    labels = np.digitize(y, [10, 18])
    bytes_ = classifier.fit(X, labels, sample_weight=weights).to_bytes()
    assert bytes_ == classifier.fit(X[kept], labels[kept]).to_bytes()


def test_folds_of_a_splitter_are_those_of_the_rows_that_count(friedman):
    X, y, weights = friedman
    kept = weights > 0
    folds = list(KFold(4).split(X))
    places = np.cumsum(kept) - 1
    of_kept = [tuple(places[part[kept[part]]] for part in fold) for fold in folds]
    model = SrfmRegressor("harfe", features=20, cv=KFold(4)).fit(X, y, sample_weight=weights)
    alone = SrfmRegressor("harfe", features=20, cv=of_kept).fit(X[kept], y[kept], sample_weight=weights[kept])
    assert model.to_bytes() == alone.to_bytes()
    gaps = X.copy()
    gaps[~kept, 0] = np.nan
    dropped = SrfmRegressor("harfe", features=20, cv=KFold(4), missing="drop").fit(gaps, y, sample_weight=weights)
    assert dropped.report_["rows"] == kept.sum()


def test_the_search_follows_the_rows_that_count():
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (600, 3))
    # The halves contradict each other.
    first = np.arange(600) < 300
    y = np.where(first, 1, -1) * np.sin(4 * X[:, 0])
    model = SrfmRegressor(flash=512, effort=0.5)
    heavy = model.fit(X, y, sample_weight=np.where(first, 50.0, 1.0))
    assert heavy.score(X[first], y[first]) > 0.95
    # By the weights the model is good, and cross-validation says so.
    assert heavy.report_["validation"]["standardised_mse"] < 0.2
    assert model.fit(X, y).report_["validation"]["standardised_mse"] > 0.8
    labels = y > 0
    classes = SrfmClassifier("rules", features=40).fit(X, labels, sample_weight=np.where(first, 50.0, 1.0))
    assert classes.score(X[first], labels[first]) > 0.95 and classes.report_["validation"]["error_rate"] < 0.1
    everywhere = classes.score(X, labels, sample_weight=first)
    assert everywhere == classes.score(X[first], labels[first])


def test_weights_of_classes_multiply_those_of_rows():
    X, labels = load_iris(return_X_y=True)
    weights = np.where(labels == 2, 3.0, 1.0) * (1 + np.arange(150) % 2)
    rows = 1 + np.arange(150) % 2
    by_class = SrfmClassifier("harfe", features=10, class_weight={2: 3}).fit(X, labels, sample_weight=rows)
    by_row = SrfmClassifier("harfe", features=10).fit(X, labels, sample_weight=weights)
    assert by_class.to_bytes() == by_row.to_bytes()


def test_weights_go_through_scikit_learn(friedman):
    X, y, weights = friedman
    search = GridSearchCV(SrfmRegressor("linear"), {"terms": ["intercept", "linear"]}, cv=3)
    search.fit(X, y, sample_weight=pandas.Series(weights))
    assert search.best_params_ == {"terms": "linear"}


def test_weights_that_are_none_are_refused(friedman):
    X, y, weights = friedman
    model = SrfmRegressor("linear")
    for given, sentence in [
        (-1.0 * weights, "Negative values in data passed to `sample_weight`"),
        (np.where(weights > 1, np.nan, 1.0), "Input sample_weight contains NaN"),
        (0 * weights, "sample_weight is 0 for every row|at least one non-zero number"),
        (weights[:-1], "sample_weight.shape == \\(199,\\), expected \\(200,\\)"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            model.fit(X, y, sample_weight=given)
    with pytest.raises(ValueError, match="y has one class"):
        SrfmClassifier("linear").fit(X, weights > 1, sample_weight=weights <= 1)


def test_weights_give_the_bytes_of_the_command(friedman, tmp_path):
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    X, y, weights = friedman
    frame = pandas.DataFrame(X, columns=[f"sensor{i}" for i in range(10)])
    frame.assign(y=y, w=weights).to_csv(tmp_path / "data.csv", index=False)
    options = "--target y --weight w --method harfe --max-features 30 --flash 1k -o m.srfm"
    subprocess.run([command, "fit", "data.csv", *options.split()], cwd=tmp_path, check=True, capture_output=True)
    model = SrfmRegressor("harfe", features=30, flash="1k")
    model.fit(frame, pandas.Series(y, name="y"), sample_weight=weights)
    assert model.to_bytes() == (tmp_path / "m.srfm").read_bytes()
