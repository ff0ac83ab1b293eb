"""What estimators give: the device's predictions, the command's bytes, and clear errors."""

import os
import pickle
import re
import signal
import subprocess
import threading
import time

import numpy as np
import pandas
import polars
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor


@pytest.fixture(scope="module")
def friedman():
    return make_friedman1(300, noise=1, random_state=0)


def test_a_method_and_a_short_search_find_the_function():
    X, y = make_friedman1(500, noise=1, random_state=0)
    fresh, truth = make_friedman1(5000, noise=0, random_state=1)
    for model in (SrfmRegressor("harfe"), SrfmRegressor(effort=1)):
        assert model.fit(X, y).score(fresh, truth) >= 0.98


def test_the_same_seed_gives_the_bytes_of_the_command(friedman, tmp_path):
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    X, y = friedman
    frame = pandas.DataFrame(X, columns=[f"sensor{i}" for i in range(10)])
    frame.assign(target=y).to_csv(tmp_path / "data.csv", index=False)
    options = "--method harfe --max-features 30 --seed 7 --flash 1k"
    subprocess.run([command, "fit", "data.csv", *options.split(), "-o", "m.srfm"], cwd=tmp_path, check=True)
    model = SrfmRegressor("harfe", features=30, random_state=7, flash="1k").fit(frame, pandas.Series(y, name="target"))
    assert model.to_bytes() == (tmp_path / "m.srfm").read_bytes()
    model.save(tmp_path / "p.srfm")
    predicted = subprocess.run(
        [command, "predict", "p.srfm", "data.csv"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.split()[1:]
    assert np.array_equal(np.array(predicted, dtype=np.float32), model.predict(frame).astype(np.float32))


@pytest.mark.parametrize("core", ["cortex-m4f", "cortex-m0"])
def test_a_search_gives_the_bytes_of_the_command(core, tmp_path):
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    rng = np.random.default_rng(0)
    table = pandas.DataFrame({"a": rng.uniform(0, 1, 30)})
    y = pandas.Series(np.sin(6 * table.a) + 0.05 * rng.normal(size=30), name="y")
    table.assign(y=y).to_csv(tmp_path / "data.csv", index=False)
    options = f"--flash 100 --core {core} --effort 1 --seed 2 -o m.srfm"
    subprocess.run([command, "fit", "data.csv", *options.split()], cwd=tmp_path, check=True, capture_output=True)
    model = SrfmRegressor(effort=1, flash=100, core=core, random_state=2).fit(table, y)
    assert model.report_["search"]["candidates"] > 20
    assert model.to_bytes() == (tmp_path / "m.srfm").read_bytes()


def test_threads_do_not_change_the_model(friedman):
    X, y = friedman
    one, two = (SrfmRegressor(method="compact", features=6, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.to_bytes() == two.to_bytes()
    assert one.to_bytes() != SrfmRegressor(method="compact", features=6, random_state=2).fit(X, y).to_bytes()


def test_budgets_hold_and_costs_are_stated(friedman):
    X, y = friedman
    model = SrfmRegressor("harfe", flash="400", instructions=800, core="cortex-m4f").fit(X, y)
    assert model.flash_bytes_ == len(model.to_bytes()) <= 400
    assert model.cost_["cortex-m4f"]["at_most"] <= 800
    assert set(model.cost_) == set(srfm_mcu.cores()) - {"atmega328p"}
    integers = SrfmRegressor("harfe", core="cortex-m0").fit(X, y)
    assert integers.cost_["cortex-m0"]["at_most"] < model.cost_["cortex-m0"]["at_most"]
    assert model.importance_[:5].min() > model.importance_[5:].max()


def test_the_same_effort_gives_the_same_model_on_any_number_of_threads(friedman):
    X, y = friedman
    models = [SrfmRegressor(effort=1, flash=300, n_jobs=threads).fit(X, y) for threads in (1, 2)]
    assert models[0].model_.bytes() == models[1].model_.bytes()
    assert models[0].report_["search"]["candidates"] > 5


def test_the_candidates_of_a_search_are_columns(friedman, capfd):
    X, y = friedman
    model = SrfmRegressor(effort=0.5, flash=300, verbose=1).fit(X, y)
    results = model.search_results_
    lengths = {len(column) for column in results.values()}
    assert len(lengths) == 1 and 5 < lengths.pop() <= model.report_["search"]["candidates"]
    assert (results["flash_bytes"][results["allowed"]] <= 300).all() and not results["allowed"].all()
    # The errors of the mean and of a line are known: 1, and that of scikit-learn's least squares.
    assert results["error"][results["method"] == "the mean"] == pytest.approx(1, abs=0.02)
    of_line = 1 - cross_val_score(LinearRegression(), X, y, cv=5).mean()
    lines = results["error"][(results["method"] == "linear") & (results["features"] == 0)]
    assert lines.min() == pytest.approx(of_line**0.5, rel=0.05)
    said = capfd.readouterr().err.rsplit("\r", 1)[1]
    assert re.fullmatch(r"fitting +\d+ %, error [01]\.\d+ in \d+ bytes(, 0\.\d+ in \d+)*\s*", said), said
    assert re.search(r"</p><div class=.srfm.>.*<svg .*this model", model._repr_html_(), re.DOTALL)
    assert SrfmRegressor("linear").fit(X, y).search_results_ is None


def test_a_search_takes_its_time(friedman):
    X, y = friedman
    begun = time.monotonic()
    model = SrfmRegressor(time="2s", flash=300).fit(X, y)
    assert time.monotonic() - begun < 6 and model.report_["search"]["candidates"] > 2
    assert model.flash_bytes_ <= 300


def test_intervals_hold_fresh_rows(friedman):
    X, y = friedman
    model = SrfmRegressor("harfe").fit(X, y)
    fresh, targets = make_friedman1(2000, noise=1, random_state=5)
    low, high = model.predict_interval(fresh).T
    assert np.allclose(high - low, 2 * model.half_width_)
    assert 0.85 < np.mean((low <= targets) & (targets <= high)) < 0.95
    assert not model.outside(X).any() and model.outside(X + 5).all()


def test_several_targets_and_frames(friedman):
    X, y = friedman
    both = np.column_stack([y, X[:, 0]])
    model = SrfmRegressor("harfe").fit(pandas.DataFrame(X).rename(columns=str), both)
    assert model.predict(pandas.DataFrame(X).rename(columns=str)).shape == (300, 2)
    assert model.predict_interval(pandas.DataFrame(X).rename(columns=str)).shape == (300, 2, 2)
    names = [f"s{i}" for i in range(10)]
    from_polars = SrfmRegressor("harfe").fit(polars.DataFrame(X, schema=names), y)
    assert list(from_polars.feature_names_in_) == names
    of_array = SrfmRegressor("harfe").fit(X, y)
    assert np.array_equal(from_polars.predict(polars.DataFrame(X, schema=names)), of_array.predict(X))


def test_classes_are_those_of_the_device():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = SrfmClassifier("harfe", features=20).fit(X, labels)
    assert model.score(X, labels) > 0.95
    assert np.array_equal(model.classes_[model.decision_function(X).argmax(axis=1)], model.predict(X))
    shares = model.predict_proba(X)
    assert shares.shape == (len(X), 3) and np.allclose(shares.sum(axis=1), 1)
    assert np.array_equal(model.classes_[shares.argmax(axis=1)], model.predict(X))
    assert log_loss(labels, shares) < 0.1 and np.allclose(np.exp(model.predict_log_proba(X)), shares)
    two = SrfmClassifier("harfe", features=20).fit(X[y < 2], labels[y < 2])
    assert np.array_equal(two.predict(X[y < 2]), labels[y < 2])
    assert np.array_equal(two.decision_function(X) > 0, two.predict(X) == "versicolor")
    assert np.array_equal(two.predict_proba(X)[:, 1] > 0.5, two.predict(X) == "versicolor")


def test_probabilities_hold_on_fresh_rows():
    # Two overlapping clouds: the true probability is the logistic function of 2 x.
    random = np.random.default_rng(1)
    y = np.tile([0, 1], 1000)
    X = random.normal(size=(2000, 2)) + np.outer(2 * y - 1, [1, 0])

    def true_shares(X):
        return 1 / (1 + np.exp(-2 * X[:, 0]))

    model = SrfmClassifier("harfe", features=20).fit(X[:1000], y[:1000])
    shares = model.predict_proba(X[1000:])[:, 1]
    assert np.abs(shares - true_shares(X[1000:])).mean() < 0.06
    bins = np.digitize(shares, [0.1, 0.3, 0.5, 0.7, 0.9])
    gaps = [abs(y[1000:][bins == b].mean() - shares[bins == b].mean()) * np.mean(bins == b) for b in set(bins)]
    assert sum(gaps) < 0.05
    scores = cross_val_score(SrfmClassifier("harfe", features=20), X, y, scoring="neg_log_loss", cv=3)
    # The least loss that any model can have in the mean is that of the true probabilities.
    least = log_loss(y, true_shares(X))
    assert least < -scores.mean() < least + 0.06
    calibrated = CalibratedClassifierCV(SrfmClassifier("harfe", features=8), cv=3).fit(X[:1000], y[:1000])
    of_fresh = log_loss(y[1000:], true_shares(X[1000:]))
    assert abs(log_loss(y[1000:], calibrated.predict_proba(X[1000:])) - of_fresh) < 0.06


def test_weights_of_classes_move_decisions_and_confidence_leaves_rows_out(tmp_path):
    # One row in six is of the second class; the true log-odds are 2 x - log 5.
    random = np.random.default_rng(2)
    y = np.repeat([0, 1], [2500, 500])
    X = random.normal(size=(3000, 2)) + np.outer(2 * y - 1, [1, 0])
    order = random.permutation(3000)
    X, y = X[order], np.array(["good", "fault"])[y[order]]
    fresh, truth = X[1500:], y[1500:]

    def fitted(**settings):
        return SrfmClassifier("harfe", features=20, **settings).fit(X[:1500], y[:1500])

    recall = {weight: (fitted(class_weight=weight).predict(fresh) == truth)[truth == "fault"].mean()
              for weight in (None, "balanced")}
    # Those of the normal distribution: Φ(1 - log 5 / 2) and Φ(1); a standard error is 0.03.
    assert abs(recall[None] - 0.578) < 0.1 and abs(recall["balanced"] - 0.841) < 0.1
    named = fitted(class_weight={"fault": 5}).predict_proba(fresh)
    balanced = fitted(class_weight="balanced").predict_proba(fresh)
    assert np.abs(named - balanced).max() < 0.02

    model = fitted(confidence=0.97)
    plain = fitted()
    found = model.predict(fresh)
    certain = np.array([isinstance(label, str) for label in found])
    assert 0.03 < 1 - certain.mean() < 0.6
    assert np.array_equal(found[certain], plain.predict(fresh)[certain])
    assert (found[certain] != truth[certain]).mean() < 0.7 * (plain.predict(fresh) != truth).mean()
    assert model.score(fresh, truth) == plain.score(fresh, truth)
    model.save(tmp_path / "state.srfm")
    for again in (srfm_mcu.load(tmp_path / "state.srfm"), pickle.loads(pickle.dumps(model))):
        assert again.confidence == 0.97 and again.score(fresh, truth) == model.score(fresh, truth)
        assert np.array_equal(again.predict(fresh)[certain], found[certain])
    refused = {"class_weight": ["heavy", {"fault": "5"}], "confidence": [95, True]}
    for wrong in ({name: value} for name, values in refused.items() for value in values):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            fitted(**wrong)
    with pytest.raises(ValueError, match="which has a keyword of its own"):
        fitted(config={"encoding": {"confidence": 0.9}})
    with pytest.raises(ValueError, match="there is no class \"broken\""):
        fitted(class_weight={"broken": 2})


def test_classes_are_chosen_by_a_metric():
    random = np.random.default_rng(3)
    X = random.normal(size=(400, 3))
    y = random.uniform(size=400) < np.where(X[:, 0] > 0, 0.4, 0.1)
    plain = SrfmClassifier(effort=0.2).fit(X, y)
    assert clone(plain).get_params()["metric"] == "accuracy"
    for metric in ("accuracy", "balanced", "log-loss", "brier"):
        model = SrfmClassifier(effort=0.2, metric=metric).fit(X, y)
        found = model.report_["validation"]
        assert model.report_["metric"] == metric
        same = found["loss"] == found["error_rate"]
        assert same == (metric == "accuracy")
        if metric == "accuracy":
            assert model.to_bytes() == plain.to_bytes()
    for wrong in ("f1", None, 1):
        with pytest.raises(ValueError, match="is no metric of classes; give one of 'accuracy', 'balanced'"):
            SrfmClassifier(metric=wrong).fit(X, y)
    assert SrfmRegressor("linear").fit(X, X[:, 0] + y).report_["validation"]["loss"] is None


def test_neighbours_of_scikit_learn(friedman):
    X, y = friedman
    search = GridSearchCV(SrfmRegressor("harfe"), {"features": [2, 60]}, cv=3).fit(X, y)
    assert search.best_params_ == {"features": 60}
    assert cross_val_score(make_pipeline(StandardScaler(), SrfmRegressor("harfe")), X, y, cv=3).min() > 0.8
    model = SrfmRegressor("harfe").fit(X, y)
    assert clone(model).get_params() == model.get_params()
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(X), model.predict(X)) and copy.to_bytes() == model.to_bytes()


def test_models_are_read_again(friedman, tmp_path):
    X, y = friedman
    model = SrfmRegressor("harfe").fit(X, y)
    model.save(tmp_path / "m.srfm")
    read = srfm_mcu.load(tmp_path / "m.srfm")
    assert np.array_equal(read.predict(X), model.predict(X))
    assert np.array_equal(read.predict(X.tolist()), model.predict(X))
    assert not hasattr(read, "feature_names_in_") and read.n_features_in_ == 10
    assert read.predict(X.astype(np.float32)).shape == (300,)
    with pytest.raises(ValueError, match="names must be in the same order as they were in fit"):
        frame = pandas.DataFrame(X, columns=[f"reading{i}" for i in range(10)])
        SrfmRegressor("harfe").fit(frame, y).save(tmp_path / "named.srfm")
        srfm_mcu.load(tmp_path / "named.srfm").predict(frame[frame.columns[::-1]])
    assert np.array_equal(pickle.loads(pickle.dumps(read)).outside(X), model.outside(X))
    (tmp_path / "m.srfm").write_bytes(model.to_bytes()[:-9])
    (tmp_path / "m.srfm.json").unlink()
    with pytest.raises(ValueError, match="m.srfm: "):
        srfm_mcu.load(tmp_path / "m.srfm")


def test_c_source_has_the_bits(friedman, tmp_path):
    X, y = friedman
    model = SrfmRegressor("harfe", features=8).fit(X, y)
    model.to_c(tmp_path / "sensor.h")
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "sensor.h"\nint main(void) { float x[SENSOR_INPUTS]; '
        "while (fread(x, sizeof x, 1, stdin) == 1) { float y = sensor_predict(x); fwrite(&y, sizeof y, 1, stdout); } }"
    )
    subprocess.run(["cc", "-O2", "main.c", "-o", "main"], cwd=tmp_path, check=True)
    rows = X.astype(np.float32).tobytes()
    out = subprocess.run([tmp_path / "main"], input=rows, capture_output=True, check=True).stdout
    assert np.array_equal(np.frombuffer(out, dtype=np.float32), model.predict(X).astype(np.float32))
    with pytest.raises(ValueError, match="no C identifier.*'2 sensors.h', give another name"):
        model.to_c(tmp_path / "2 sensors.h")
    model.to_c(tmp_path / "2 sensors.h", name="sensors")
    assert "sensors_predict" in (tmp_path / "2 sensors.h").read_text()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"method": "forest"}, "forest"),
        ({"flash": "2x"}, "no number of bytes"),
        ({"flash": 10}, "10 bytes"),
        ({"time": "soon"}, "no time"),
        ({"effort": 0}, "no number of units"),
        ({"core": "z80"}, "z80"),
        ({"number": "f16"}, "f32, int, int16"),
        ({"cv": 1}, "at least 2"),
        ({"cv": object()}, "TimeSeriesSplit"),
        ({"cv": "weekly"}, "cv='weekly' is not known; choose a number of folds, 'random', 'blocked' or 'forward'"),
        ({"settings": {"depth": 3}}, "depth"),
        ({"settings": {"features": object()}}, "neither a finite number nor text"),
        ({"settings": {"step": np.nan}}, "the setting 'step' is nan, which is neither a finite number"),
        ({"settings": {3: 1}}, "settings has the name 3, which is no text"),
        ({"method": 5}, "method=5 is no text; give one of srfm_mcu.methods()"),
        ({"core": 3}, "core=3 is no text; give one of srfm_mcu.cores()"),
        ({"number": 16}, "number=16 is no text; give 'f32', 'int' or 'int16'"),
        ({"deploy": 3}, "deploy=3 is no text; give 'file' or 'c'"),
        ({"flash": 1e30}, "flash=1e+30 is no number of bytes"),
        ({"flash": np.inf}, "flash=inf is no number of bytes"),
        ({"flash": np.nan}, "flash=nan is no number of bytes"),
        ({"lambdas": "a"}, "lambdas='a' is no list of finite numbers; give one such as [1e-6, 1e-3]"),
        ({"lambdas": [1e-3, np.nan]}, "nan] is no list of finite numbers"),
        ({"lambdas": [[1e-3], [1]]}, "is no list of finite numbers"),
        ({"lambdas": [-1.0]}, "lambda"),
        ({"features": -1}, "features=-1 is no whole number of at least 1"),
        ({"features": 1.5}, "features=1.5 is no whole number"),
        ({"order": [1, 0]}, "order=0 is no whole number of at least 1"),
        ({"order": "all"}, "order='all' is no whole number of at least 1"),
        ({"instructions": 0}, "instructions=0 is no whole number"),
        ({"terms": "quadratic"}, "'none', 'intercept', 'linear' or 'ridge'"),
        ({"random_state": -1}, "random_state=-1 is no seed"),
        ({"order": 11}, "11 inputs per feature"),
    ],
)
def test_bad_settings_get_one_sentence(friedman, settings, said):
    with pytest.raises(ValueError) as error:
        method = "harfe" if "settings" in settings else None
        SrfmRegressor(**{"method": method, **settings}).fit(*friedman)
    text = str(error.value)
    assert said in text and "\n" not in text, text


def test_numbers_of_numpy_are_numbers(friedman):
    settings = {"method": "harfe", "features": np.int64(9), "order": np.int64(2), "settings": {"terms": "intercept"}}
    model = SrfmRegressor(lambdas=np.logspace(-3, 0, 3), **settings).fit(*friedman)
    same = SrfmRegressor("harfe", features=9, order=2, lambdas=[1e-3, 10**-1.5, 1.0], terms="intercept")
    same.fit(*friedman)
    assert model.to_bytes() == same.to_bytes()


def test_errors_name_the_settings_of_python(friedman, tmp_path, capfd):
    X, y = friedman
    with pytest.raises(ValueError, match="lower cv= or set lambdas= and order="):
        SrfmRegressor("harfe").fit(X[:3], y[:3])
    model = SrfmRegressor("harfe", features=3, verbose=1).fit(X, y)
    assert capfd.readouterr().err.endswith("%\n") or not capfd.readouterr().err
    with pytest.raises(FileNotFoundError, match="absent/m.h'"):
        model.to_c(tmp_path / "absent" / "m.h")
    # Targets that single precision cannot tell apart, whatever λ is: the estimators have no max_error.
    with pytest.raises(ValueError, match="raise lambdas=, ") as error:
        SrfmRegressor("harfe", lambdas=[1e-12], features=20).fit(X, 1e8 + y)
    assert "max_error" not in str(error.value)


def test_interrupts_stop_within_two_seconds():
    X, y = make_friedman1(2000, noise=1, random_state=0)
    # A shell starts what it runs in the background with interrupts ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            SrfmRegressor(time="60s").fit(X, y)
        assert time.monotonic() - begun < 2.7
    finally:
        signal.signal(signal.SIGINT, before)
