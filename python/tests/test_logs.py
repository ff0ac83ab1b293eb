"""Rows in the order of time: lags, windows, groups and gaps, with the bytes of the command."""

import json
import os
import pickle
import subprocess
import warnings

import numpy as np
import pandas
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold, TimeSeriesSplit, cross_val_score

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor

#: Rows of the series, and the row after the gap of its times.
ROWS, AFTER_GAP = 200, 120


@pytest.fixture(scope="module")
def series():
    """Readings with a target of the ``u`` two rows before, and times 10 seconds apart but for a gap."""
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, ROWS)).round(4)
    seconds = 10.0 * np.arange(ROWS) + np.where(np.arange(ROWS) < AFTER_GAP, 0, 3600)
    stamps = pandas.Series(pandas.to_datetime(seconds, unit="s"), name="stamp")
    target = np.concatenate([[0, 0], 3 * u[:-2]]) + v + rng.normal(scale=0.1, size=ROWS)
    return pandas.DataFrame({"u": u, "v": v}), pandas.Series(target, name="flow"), stamps


@pytest.fixture(scope="module")
def gestures():
    """Recordings of 50 rows: ``b`` is a fast sine where the state is ``fast``. One recording changes its state."""
    rng = np.random.default_rng(1)
    rows = np.arange(50)
    parts = []
    for recording in range(16):
        fast = np.full(50, recording % 2 == 0)
        if recording == 5:
            fast[20:] = True
        wave = np.sin(np.where(fast, 1.5, 0.4) * rows + rng.uniform(0, 3)) + rng.normal(scale=0.2, size=50)
        state = np.where(fast, "fast", "slow")
        parts.append({"recording": recording, "a": rng.normal(size=50), "b": wave, "state": state})
    return pandas.concat([pandas.DataFrame(part) for part in parts], ignore_index=True).round(4)


def srfm(folder, arguments):
    """Returns what the command prints, which must be that of this build."""
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    return subprocess.run([command, *arguments.split()], cwd=folder, capture_output=True, text=True)


def assert_same_files(model, folder):
    """The model and its description are those that the command wrote as ``m.srfm``."""
    model.save(folder / "p.srfm")
    assert (folder / "p.srfm").read_bytes() == (folder / "m.srfm").read_bytes()
    ours, of_command = (json.loads((folder / name).read_text()) for name in ("p.srfm.json", "m.srfm.json"))
    assert of_command.pop("origin")["rows"] == model.report_["rows"]
    assert ours == of_command


SETTINGS = [
    ("--lag u,v=0,2", {"lags": [0, 2]}),
    ("--lag u=1,2", {"lags": {"u": range(1, 3)}}),
    ("--lag u,v=0..3 --missing drop", {"lags": [3, 2, 1, 0], "missing": "drop"}),
    ("--lag u,v=2 --missing mean", {"lags": [2], "missing": "mean"}),
    ("--window 8", {"window": 8}),
    ("--window 8 --step 3 --missing drop", {"window": 8, "step": 3, "missing": "drop"}),
    ("--missing drop", {"missing": "drop"}),
]


@pytest.mark.parametrize(("options", "settings"), SETTINGS)
@pytest.mark.parametrize("method", ["--method harfe --max-features 12 --terms intercept", "--effort 0.2"])
def test_the_bytes_are_those_of_the_command(series, method, options, settings, tmp_path):
    X, y, stamps = series
    if "missing" in settings:
        X, y = X.mask(np.random.default_rng(2).random(X.shape) < 0.02), y.mask(np.arange(ROWS) % 17 == 3)
    X.assign(flow=y, stamp=stamps).to_csv(tmp_path / "t.csv", index=False)
    arguments = f"fit t.csv --target flow --time-column stamp --split forward {method} {options} -o m.srfm --json"
    of_command = json.loads(srfm(tmp_path, arguments).stdout)
    of_method = {"method": "harfe", "features": 12, "terms": "intercept"}
    chosen = of_method if "harfe" in method else {"effort": 0.2}
    model = SrfmRegressor(**chosen, cv="forward", **settings).fit(X, y, time=stamps)
    assert_same_files(model, tmp_path)
    assert model.report_["data"] == of_command["data"]
    # The file of predictions has what the estimator predicts, and NaN in the same rows.
    lines = srfm(tmp_path, "predict m.srfm t.csv").stdout.split()[1:]
    assert np.array_equal(model.predict(X, time=stamps), np.array(lines, dtype=np.float32), equal_nan=True)
    found = json.loads(srfm(tmp_path, "evaluate m.srfm t.csv --json").stdout)
    if model.model_.looks_back():
        assert model.score(X, y, time=stamps) == pytest.approx(found["r2"], abs=1e-9)


@pytest.mark.parametrize("groups", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_windows_of_classes_are_those_of_the_command(gestures, groups, weighted, tmp_path):
    weights = np.where(gestures.a > -2, 1.0 + gestures.recording % 3, 0.0)
    gestures.assign(sample_weight=weights).to_csv(tmp_path / "t.csv", index=False)
    options = "--target state --task classification --method linear --window 16 --step 8"
    options += " --group recording" if groups else " --ignore recording --split forward"
    options += " --weight sample_weight" if weighted else " --ignore sample_weight"
    of_command = json.loads(srfm(tmp_path, f"fit t.csv {options} -o m.srfm --json").stdout)
    model = SrfmClassifier("linear", window=16, step=8, cv=5 if groups else "forward")
    named = {"groups": gestures.recording} if groups else {}
    X, y = gestures[["a", "b"]], gestures.state
    model.fit(X, y, **named, sample_weight=weights if weighted else None)
    model.save(tmp_path / "p.srfm")
    assert (tmp_path / "p.srfm").read_bytes() == (tmp_path / "m.srfm").read_bytes()
    assert model.report_["data"] == of_command["data"]
    # Recording 5 changes its state: of its five windows, those with both states are left out.
    if groups:
        assert (model.report_["data"]["windows"], model.report_["data"]["mixed_windows"]) == (80, 2)
        ends = np.arange(50) % 8 == 7
        ends[:15] = False
        labels = model.predict(X, **named)
        assert [label == label for label in labels] == np.tile(ends, 16).tolist()
    lines = srfm(tmp_path, "predict p.srfm t.csv").stdout.split()[1:]
    assert ['""' if label != label else label for label in model.predict(X, **named)] == lines
    found = json.loads(srfm(tmp_path, "evaluate p.srfm t.csv --json").stdout)
    assert 0.9 < model.score(X, y, **named) == pytest.approx(found["accuracy"])


def test_rows_without_a_history_have_no_prediction(series):
    X, y, stamps = series
    model = SrfmRegressor("linear", lags=[0, 2], cv="forward").fit(X, y, time=stamps)
    assert model.report_["rows"] == ROWS - 4
    assert model.report_["data"] == {
        "rows": ROWS, "rows_without_history": 4, "gaps": 1, "dropped_rows": 0, "replaced_values": 0,
    }
    assert model.input_names_.tolist() == ["u", "u lag 2", "v", "v lag 2"]
    assert model.input_names_[model.importance_.argmax()] == "u lag 2"
    assert (model.n_features_in_, model.feature_names_in_.tolist()) == (2, ["u", "v"])
    without = np.isin(np.arange(ROWS), [0, 1, AFTER_GAP, AFTER_GAP + 1])
    predicted = model.predict(X, time=stamps)
    assert np.array_equal(np.isnan(predicted), without)
    # Without times there is no gap, and the rows after it have a history.
    assert np.array_equal(np.isnan(model.predict(X)), np.arange(ROWS) < 2)
    # Rows of two devices that alternate look back at those of their own device.
    twice = model.predict(X.loc[np.repeat(X.index, 2)], groups=np.tile(["left", "right"], ROWS))
    assert np.array_equal(twice, np.repeat(model.predict(X), 2), equal_nan=True)
    known = ~without
    assert 0.98 < model.score(X, y, time=stamps) == pytest.approx(r2_score(y[known], predicted[known]))
    assert model.predict_interval(X, time=stamps).shape == (ROWS, 2)
    assert np.array_equal(np.isnan(model.predict_interval(X, time=stamps)), np.column_stack([without, without]))
    assert (model.outside(100 * X, time=stamps) > 0).tolist() == known.tolist()


def test_classes_of_rows_without_a_window(gestures):
    X, groups = gestures[["a", "b"]], gestures.recording
    state = np.where(gestures.state == "fast", 7, 30)
    for y, classes in [(state, [7, 30]), (state.astype(str), ["7", "30"])]:
        model = SrfmClassifier("linear", window=16, step=16).fit(X, y, groups=groups)
        assert model.classes_.tolist() == classes
        ends = np.isin(np.arange(50), [15, 31, 47])
        ends = np.tile(ends, 16)
        for values in (model.decision_function(X, groups), model.predict_proba(X, groups)[:, 1]):
            assert np.array_equal(~np.isnan(values), ends)
        labels = model.predict(X, groups)
        assert labels.dtype == object and [label == label for label in labels] == ends.tolist()
        assert (labels[ends] == y[ends]).mean() > 0.9
        assert model.score(X, y, groups=groups) > 0.95
        indicators = model._targets(y)[:, 0]
        assert np.array_equal(indicators, y == classes[1])
    with pytest.raises(ValueError, match="'8'|\"8\""):
        model.score(X, np.full(len(X), "8"), groups=groups)


def test_times_have_many_forms(series):
    X, y, stamps = series
    seconds = (stamps - stamps[0]).dt.total_seconds()
    forms = [
        stamps,
        stamps.to_numpy(),
        stamps.dt.tz_localize("Europe/Berlin"),
        pandas.DatetimeIndex(stamps),
        stamps.astype(str),
        stamps.dt.strftime("%Y-%m-%dT%H:%M:%SZ").tolist(),
        stamps.dt.to_pydatetime(),
        seconds,
        seconds.astype(int).tolist(),
        stamps - stamps[0],
    ]
    models = [SrfmRegressor("linear", lags=[0, 2], cv="forward").fit(X, y, time=time) for time in forms]
    assert {model.to_bytes() for model in models} == {models[0].to_bytes()}
    assert [model.report_["data"]["gaps"] for model in models] == [1] * len(forms)
    # The fit orders the rows by time; predictions are in the order of the rows, which must be that of time.
    mixed = np.random.default_rng(0).permutation(ROWS)
    of_mixed = SrfmRegressor("linear", lags=[0, 2], cv="forward").fit(X.loc[mixed], y[mixed], time=stamps[mixed])
    assert of_mixed.to_bytes() == models[0].to_bytes()
    with pytest.raises(ValueError, match="not in the order of the time stamps in \"stamp\"; sort them by it"):
        of_mixed.predict(X.loc[mixed], time=stamps[mixed])
    assert of_mixed.score(X.loc[mixed], y[mixed], time=stamps[mixed]) == models[0].score(X, y, time=stamps)


def test_folds_keep_their_rows(series):
    X, y, stamps = series
    # Inputs by hand, without the first rows and those after the gap.
    kept = np.flatnonzero(~np.isin(np.arange(ROWS), [0, 1, AFTER_GAP, AFTER_GAP + 1]))
    by_hand = np.column_stack([X.u[kept], X.u[kept - 2], X.v[kept], X.v[kept - 2]])
    places = np.full(ROWS, -1)
    places[kept] = np.arange(len(kept))
    splitter = TimeSeriesSplit(4)
    pairs = [[places[part][places[part] >= 0] for part in pair] for pair in splitter.split(X)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SrfmRegressor("harfe", features=9, lags=[0, 2], cv=splitter).fit(X, y, time=stamps)
    same = SrfmRegressor("harfe", features=9, cv=pairs).fit(by_hand, y[kept])
    assert model.report_["validation"] == same.report_["validation"]
    assert np.array_equal(model.predict(X, time=stamps)[kept], same.predict(by_hand))
    with pytest.warns(UserWarning, match='random folds promise too much; take cv="forward" or cv="blocked"'):
        SrfmRegressor("linear", lags=[0, 2]).fit(X, y)
    with pytest.warns(UserWarning, match="name the recordings in groups=, or take a step= of a whole window"):
        SrfmRegressor("linear", window=8).fit(X, y)


def test_scores_of_folds_leave_out_rows_without_a_history(series, gestures):
    X, y, _ = series
    scores = cross_val_score(SrfmRegressor("linear", lags=[0, 2], cv="forward"), X, y, cv=TimeSeriesSplit(3))
    assert (scores > 0.95).all()
    # The first two rows of each fold of 50 have no prediction; metrics by name leave them out as well.
    absolute = srfm_mcu.scorer("neg_mean_absolute_error")
    splitter = TimeSeriesSplit(3)
    model = SrfmRegressor("linear", lags=[0, 2], cv="forward")
    found = cross_val_score(model, X, y, cv=splitter, scoring=absolute)
    for score, (train, test) in zip(found, splitter.split(X)):
        predicted = model.fit(X.loc[train], y[train]).predict(X.loc[test])
        assert np.isnan(predicted).sum() == 2 and score == -np.nanmean(abs(predicted - y[test]))
    readings = gestures[["a", "b"]]
    # Without groups, windows reach over recordings; those with both states are left out.
    model = SrfmClassifier("linear", window=10, step=10)
    scores = cross_val_score(model, readings, gestures.state, groups=gestures.recording, cv=GroupKFold(4))
    assert (scores > 0.9).all()
    model.fit(readings, gestures.state, groups=gestures.recording)
    named = {"groups": gestures.recording}
    labels, shares = model.predict(readings, **named), model.predict_proba(readings, **named)
    kept = np.isin(np.arange(800) % 50, [9, 19, 29, 39, 49])
    right = np.mean(labels[kept] == gestures.state[kept])
    assert srfm_mcu.scorer("accuracy")(model, readings, gestures.state, **named) == right
    own = shares[np.arange(800), (gestures.state == "slow").astype(int)][kept]
    loss = srfm_mcu.scorer("neg_log_loss")(model, readings, gestures.state, **named)
    assert loss == pytest.approx(np.log(own).mean())
    numbers = (gestures.state == "slow").astype(int)
    model.fit(readings, numbers, **named)
    assert srfm_mcu.scorer("f1")(model, readings, numbers, **named) > 0.9
    # Rows that the model is not sure of are left out as well.
    noisy = readings + np.random.default_rng(0).normal(size=readings.shape)
    unsure = SrfmClassifier("linear", window=10, step=10, confidence=0.8).fit(noisy, numbers, **named)
    sure = unsure.predict(noisy, **named)
    known = np.flatnonzero(kept & (sure == sure))
    assert 0 < len(known) < kept.sum()
    found = srfm_mcu.scorer("accuracy")(unsure, noisy, numbers, **named)
    assert found == np.mean(sure[known] == numbers[known])


def test_scorers_get_times_and_weights_by_scikit_learn(series):
    X, y, stamps = series
    model, splitter = SrfmRegressor("linear", lags=[0, 2], cv="forward"), TimeSeriesSplit(4)
    weights = np.linspace(0.1, 2, ROWS)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(time=True)
        scores = cross_val_score(routed, X, y, cv=splitter, params={"time": stamps}, scoring=srfm_mcu.scorer("r2"))
        given, weighted = {"time": stamps, "sample_weight": weights}, srfm_mcu.scorer("r2")
        routed = clone(model).set_fit_request(time=True, sample_weight=False)
        with pytest.raises(ValueError, match=r"not requested for srfm_mcu.scorer\('r2'\).score"):
            cross_val_score(routed, X, y, cv=splitter, params=given, scoring=weighted)
        weighted = pickle.loads(pickle.dumps(weighted.set_score_request(sample_weight=True)))
        of_weights = cross_val_score(routed, X, y, cv=splitter, params=given, scoring=weighted)
    for score, of_weight, (train, test) in zip(scores, of_weights, splitter.split(X)):
        fitted = clone(model).fit(X.loc[train], y[train], time=stamps[train])
        assert score == fitted.score(X.loc[test], y[test], time=stamps[test])
        assert of_weight == fitted.score(X.loc[test], y[test], weights[test], time=stamps[test])
    # The gap lies within a fold: without times, two of its rows had a history.
    assert scores[2] != srfm_mcu.scorer("r2")(fitted, X.loc[test], y[test])
    with pytest.raises(TypeError, match="a scorer takes no 'times'; it takes groups, time, sample_weight"):
        weighted.set_score_request(times=True)


def test_groups_are_passed_on_by_scikit_learn(gestures):
    X, y, recordings = gestures[["a", "b"]], gestures.state, gestures.recording
    model = SrfmClassifier("linear", window=16, step=8)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = model.set_fit_request(groups=True).set_score_request(groups=True)
        scores = cross_val_score(routed, X, y, params={"groups": recordings}, cv=GroupKFold(4))
    for score, (train, test) in zip(scores, GroupKFold(4).split(X, y, recordings)):
        fitted = clone(model).fit(X.loc[train], y[train], groups=recordings[train])
        # Recordings have five windows, of which two have both states.
        assert fitted.report_["data"]["windows"] == 60
        assert score == fitted.score(X.loc[test], y[test], groups=recordings[test])
        windows = 20 - 2 * (5 in set(recordings[test]))
        assert score * windows == pytest.approx(round(score * windows))


def test_missing_targets_are_a_history(series):
    X, y, _ = series
    holes = np.arange(ROWS) % 2 == 1
    model = SrfmRegressor("linear", lags=[1, 2], missing="drop", cv="forward").fit(X, y.mask(holes))
    assert (model.report_["rows"], model.report_["data"]["dropped_rows"]) == (99, 99)
    assert np.isfinite(model.predict(X)[2:]).all()
    known = np.flatnonzero(~holes)[1:]
    expected = r2_score(y[known], model.predict(X)[known])
    assert model.score(X, y.mask(holes)) == pytest.approx(expected)
    labels = np.where(y > 0, "up", "down").astype(object)
    labels[::3] = None
    classifier = SrfmClassifier("linear", lags=[0, 2], missing="mean", cv="forward").fit(X, labels)
    assert classifier.classes_.tolist() == ["down", "up"]
    assert classifier.report_["rows"] == sum(label is not None for label in labels[2:])
    assert classifier.score(X, labels) > 0.9
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SrfmRegressor("linear", lags=[1]).fit(X, y.mask(holes))
    with pytest.raises(ValueError, match='is missing; add missing="drop"'):
        SrfmClassifier("linear", lags=[1]).fit(X, labels)


def test_files_are_those_of_the_command(series, gestures, tmp_path):
    X, groups = gestures[["a", "b"]], gestures.recording
    model = SrfmClassifier("linear", window=16, board="uno", flash="8k").fit(X, gestures.state, groups=groups)
    model.save(tmp_path / "m.srfm")
    model.to_c(tmp_path / "p.h", name="m")
    gestures.to_csv(tmp_path / "t.csv", index=False)
    srfm(tmp_path, "export m.srfm --c m.h")
    # The command adds what the functions cost to the comment at the top.
    code = [(tmp_path / name).read_text().partition("#ifndef")[2] for name in ("p.h", "m.h")]
    assert code[0] == code[1] and "m_predict_sample(" in code[0]
    model.to_folder(tmp_path / "gesture")
    assert "gesture_predict_sample(" in (tmp_path / "gesture" / "src" / "gesture.h").read_text()
    srfm(tmp_path, "report m.srfm t.csv -o command.html")
    model.to_report(tmp_path / "m.html", X, gestures.state, groups=groups)
    page = (tmp_path / "m.html").read_text().replace("<h1>m<", "<h1>m.srfm<").replace("<title>m<", "<title>m.srfm<")
    assert page == (tmp_path / "command.html").read_text().replace("given, t.csv", "given")
    again = pickle.loads(pickle.dumps(model)), srfm_mcu.load(tmp_path / "m.srfm")
    for other in again:
        assert np.array_equal(other.predict_proba(X, groups), model.predict_proba(X, groups), equal_nan=True)
        assert other.score(X, gestures.state, groups=groups) == model.score(X, gestures.state, groups=groups)
        assert (other.n_features_in_, other.input_names_.tolist()) == (2, model.input_names_.tolist())
    with pytest.raises(ValueError, match="ONNX takes single rows, but the model looks back"):
        model.to_onnx(tmp_path / "m.onnx")
    for option, said in [("--micropython m.py", "statistics of windows"), ("--c-reader r.h", "windows")]:
        refused = srfm(tmp_path, f"export m.srfm {option}")
        assert refused.returncode > 0 and refused.stderr.count("\n") == 1 and said in refused.stderr


def test_windows_beyond_the_ram_of_a_board_are_refused():
    X = np.random.default_rng(0).normal(size=(3000, 1)).cumsum(axis=0)
    wide = SrfmRegressor("linear", terms="ridge", window=600, step=100, board="uno", flash="20k", cv="forward")
    with pytest.raises(ValueError, match="of the 2048 bytes of RAM of uno; set a smaller window= or smaller lags"):
        wide.fit(X, X[:, 0])


def test_models_of_the_command_take_readings(series, tmp_path):
    X, y, stamps = series
    mode = np.where(np.arange(ROWS) % 3 == 0, "eco", "off")
    X.assign(mode=mode, flow=y).to_csv(tmp_path / "t.csv", index=False)
    fit = "fit t.csv --lag u=0,2 --difference v --categorical mode --method linear --split forward -o m.srfm"
    srfm(tmp_path, fit)
    model = srfm_mcu.load(tmp_path / "m.srfm")
    readings = X.assign(**{"mode = eco": (mode == "eco") * 1.0, "mode = off": (mode == "off") * 1.0})
    assert model.feature_names_in_.tolist() == readings.columns.tolist()
    expected = np.array(srfm(tmp_path, "predict m.srfm t.csv").stdout.split()[1:], dtype=np.float32)
    assert np.array_equal(model.predict(readings), expected, equal_nan=True)
    assert model.score(readings, y) > 0.95
    (tmp_path / "m.srfm.json").unlink()
    bare = srfm_mcu.load(tmp_path / "m.srfm")
    assert np.array_equal(bare.predict(readings.to_numpy()), expected, equal_nan=True)
    with pytest.raises(ValueError, match="without its description.*one recording at a time"):
        bare.predict(readings.to_numpy(), time=stamps)


def test_parameters_are_stored_as_they_are(series, capsys):
    X, y, stamps = series
    lags = {"u": (0, 2)}
    model = SrfmRegressor("linear", lags=lags, cv="forward", verbose=1)
    assert model.get_params()["lags"] is lags and clone(model).get_params()["lags"] == lags
    defaults = SrfmClassifier().get_params()
    assert [defaults[name] for name in ("lags", "window", "step")] == [None] * 3
    model.fit(X, y, time=stamps)
    said = "4 of 200 rows left out, since too few rows lie before them, or between them and a gap of time"
    assert said in capsys.readouterr().err
    assert not SrfmRegressor("linear", lags=[0]).fit(X, y).model_.looks_back()


BAD = [
    ({"lags": []}, {}, "lags=[] is no list of whole numbers from 0 to 254"),
    ({"lags": [255]}, {}, "lags=[255] is no list"),
    ({"lags": {"u": [-1]}}, {}, "lags={'u': [-1]} is no list"),
    ({"lags": 3}, {}, "lags=3 has the number 3 in place of a list; give every lag, as in [0, 1, 2, 3], or [3] for"),
    ({"lags": {"u": 3}}, {}, "lags={'u': 3} has the number 3 in place of a list"),
    ({"lags": [0.5]}, {}, "lags=[0.5] is no list"),
    ({"lags": {"w": [1]}}, {}, 'X: no column is called "w"; the columns are u, v'),
    ({"lags": [199, 200]}, {}, "X: the inputs look back at 201 samples, but the data do not have 201 rows"),
    ({"window": 1}, {}, "window= must be between 2 and 1024 samples, not 1"),
    ({"window": 2000}, {}, "window= must be between 2 and 1024 samples, not 2000"),
    ({"window": "64"}, {}, "window='64' is no number of samples"),
    ({"window": 10**6}, {}, "window=1000000 is no number of samples"),
    ({"window": 16, "step": 17}, {}, "step= must be between 1 and the 16 samples of a window, not 17"),
    ({"step": 4}, {}, "step= is the step of windows; set window=, too"),
    ({"window": 16, "lags": [1]}, {}, "window= and lags= do not go together"),
    ({"window": 64}, {"groups": np.arange(200) // 50}, "but no group has 64 rows; set a smaller window="),
    ({"lags": [1]}, {"time": ["noon"] * 200}, 'X, row 0, time: "noon" is no time stamp'),
    ({"lags": [1]}, {"time": np.full(200, np.nan)}, '"" is no time stamp'),
    ({"lags": [1]}, {"time": np.arange(3)}, "time has the shape (3,), but X has 200 rows"),
    ({"lags": [1]}, {"groups": np.zeros((200, 1))}, "groups has the shape (200, 1), but X has 200 rows"),
    ({"lags": [1]}, {"time": pandas.Series(np.arange(200), name="u")}, "time has the name 'u', which another column"),
]


@pytest.mark.parametrize(("settings", "beside", "said"), BAD)
def test_bad_settings_are_answered_with_one_sentence(series, settings, beside, said):
    X, y, _ = series
    with pytest.raises(ValueError) as raised:
        SrfmRegressor("linear", **settings).fit(X, y, **beside)
    assert said in str(raised.value) and "\n" not in str(raised.value)
