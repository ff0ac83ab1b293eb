"""ONNX: graphs give what the device gives, but for rounding."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_friedman1

import srfm_mcu
from srfm_mcu import SrfmClassifier, SrfmRegressor

onnxruntime = pytest.importorskip("onnxruntime")


def run(path, X):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"readings": np.asarray(X, dtype=np.float32)})


def tolerance(model, X):
    """Returns by how much outputs may differ.

    The device's cosines and sines are off by up to 7.4e-7, sigmoids by 7.1e-7, and both are at most 2π steep. Both
    programs round phases and sums to 24 bits: by half a unit in the last place of the largest partial sum for each
    addition.
    """
    parts = json.loads(model.model_.parts())
    z = np.abs(X).max() + max([abs(entry["centre"]) for entry in parts["prepared"]], default=0)
    assert {block["kernel"] for block in parts["blocks"]} <= {"sine and cosine", "cosine", "sigmoid"}
    unit, most, additions = 2.0**-24, 0.0, len(parts["linear"])
    partial = np.abs(parts["intercepts"]).max() + sum(np.abs(weights).max() * z for _, weights in parts["linear"])
    for block in parts["blocks"]:
        for feature in block["features"]:
            phase = np.abs(feature["weights"]).sum() * z + abs(feature["bias"])
            amplitude = np.abs(feature["amplitudes"]).sum()
            most += amplitude * (7.4e-7 + 2 * np.pi * 2 * (len(feature["weights"]) + 1) * unit * max(phase, 1.0))
            partial += amplitude
            additions += 1
    for condition in parts["conditions"]:
        partial += max(np.abs(added).max(initial=0) for added in condition["added"])
        additions += 1
    return most + 2 * (additions + 2) * unit * partial


CASES = {
    "pairs": {"method": "harfe", "features": 30},
    "phases": {"method": "compact", "features": 8},
    "sigmoids": {"method": "arff", "features": 20, "settings": {"basis": "sigmoid", "steps": 100}},
    "linear": {"method": "linear"},
    "gaps": {"method": "harfe", "features": 20, "missing": "mean"},
    "rules": {"method": "rules", "features": 60},
}


@pytest.mark.parametrize("case", CASES)
def test_graphs_predict_what_the_device_predicts(case, tmp_path):
    X, y = make_friedman1(300, noise=1, random_state=0)
    X = X.astype(np.float32).astype(np.float64)
    y = np.column_stack([y, X[:, 0] * X[:, 1]]) if case == "pairs" else y
    if case == "gaps":
        X[np.random.default_rng(0).random(X.shape) < 0.03] = np.nan
    model = SrfmRegressor(**CASES[case]).fit(X, y)
    model.to_onnx(tmp_path / "m.onnx")
    X = np.vstack([X, 3 * X])  # Beyond the rows of the fit, where outputs reach their limits.
    [prediction] = run(tmp_path / "m.onnx", X)
    device = model.predict(X).reshape(len(X), -1)
    bound = tolerance(model, np.nan_to_num(X))
    assert prediction.shape == device.shape and bound < 2e-3 * np.ptp(device)
    assert np.abs(prediction - device).max() < bound, (case, bound)
    assert np.abs(prediction - device).max() < 2e-5 * np.ptp(device)


def test_graphs_warp_limit_and_replace_readings(tmp_path):
    command = os.environ.get("SRFM_COMMAND")
    if not command:
        pytest.skip("SRFM_COMMAND names no command srfm")
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 100, (200, 3)).astype(np.float32)
    lines = [f"{a},{b},{c},{np.log(a) + np.sqrt(b) + np.sin(c / 20)}" for a, b, c in X]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,c,y", *lines]))
    options = "--method harfe --max-features 20 --warp a=log --warp b=sqrt --limit-inputs --missing mean -o m.srfm"
    subprocess.run([command, "fit", "data.csv", *options.split()], cwd=tmp_path, check=True, capture_output=True)
    model = srfm_mcu.load(tmp_path / "m.srfm")
    model.to_onnx(tmp_path / "m.onnx")
    X = np.vstack([X, 4 * X - 60, np.where(rng.random(X.shape) < 0.3, np.nan, X)])
    [prediction] = run(tmp_path / "m.onnx", X)
    device = model.predict(X).reshape(-1, 1)
    # The device's logarithms and roots are off by 4e-7 and 1.9e-7 of their values, which are below 10.
    assert np.abs(prediction - device).max() < 2e-5 * np.ptp(device) and np.ptp(device) > 5


@pytest.mark.parametrize("count", [2, 3])
def test_graphs_decide_as_the_device_does(count, tmp_path):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < count], np.array(["a", "b", "c"])[y[y < count]]
    model = SrfmClassifier("harfe", features=20).fit(X, y)
    model.to_onnx(tmp_path / "m.onnx")
    scores, decided = run(tmp_path / "m.onnx", X)
    assert np.array_equal(model.classes_[decided], model.predict(X))
    expected = model.decision_function(X)
    assert np.allclose(scores if count > 2 else scores[:, 0] - 0.5, expected, atol=tolerance(model, X))


def test_integers_and_a_missing_package_get_one_sentence(tmp_path, monkeypatch):
    X, y = make_friedman1(100, noise=1, random_state=0)
    with pytest.raises(ValueError, match="number format int, but ONNX takes f32 models alone"):
        SrfmRegressor("harfe", core="cortex-m0").fit(X, y).to_onnx(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match="needs the package onnx: pip install onnx"):
        SrfmRegressor("harfe").fit(X, y).to_onnx(tmp_path / "m.onnx")
    assert not list(tmp_path.iterdir())
