"""Fits to Dask collections: the same model for any partitions and workers, and the one of the command."""

import os
import subprocess

import joblib
import numpy as np
import pandas as pd
import pytest

import srfm_mcu

dask = pytest.importorskip("dask")

import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster, get_task_stream

from srfm_mcu.dask import SrfmRegressor

COMMAND = os.environ.get("SRFM_COMMAND", "srfm")
ROWS, SETTINGS = 150_000, {"method": "compact", "features": 6, "order": 1, "lambdas": [1e-4], "sample": 400}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, (ROWS, 2))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=ROWS)


@pytest.fixture(scope="module")
def model(table):
    X, y = (da.from_array(part, chunks=50_000) for part in table)
    return SrfmRegressor(**SETTINGS).fit(X, y)


def test_errors_and_intervals_are_those_of_all_rows(model, table):
    X, y = table
    off = y - model.predict(X)
    assert model.report_["rows"] == ROWS
    assert model.report_["validation"]["rmse"] == pytest.approx(np.sqrt(np.mean(off**2)), rel=0.01)
    assert model.report_["validation"]["rmse"] < 0.102
    # Three standard deviations of a share of 0.9, and the 0.8 % between two widths.
    assert np.mean(np.abs(off) <= model.half_width_) == pytest.approx(0.9, abs=0.006)
    small = SrfmRegressor(**{**SETTINGS, "sample": ROWS}).fit(*(da.from_array(part[:300]) for part in table))
    assert small.report_["rows"] == 300


def test_rules_of_a_sample_have_the_amplitudes_of_all_rows():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (20_000, 4))
    y = 2.0 * (X[:, 0] > 0.3) + (X[:, 1] * X[:, 2] > 0) + 0.05 * rng.normal(size=20_000)
    few = srfm_mcu.SrfmRegressor("rules", flash=1024).fit(X[:2000], y[:2000])
    whole = SrfmRegressor("rules", flash=1024, sample=2000).fit(da.from_array(X, chunks=5000), da.from_array(y))
    errors = [np.sqrt(np.mean((model.predict(X) - y) ** 2)) for model in (whole, few)]
    assert whole.report_["validation"]["rmse"] == pytest.approx(errors[0], rel=0.02)
    assert 0.05 <= errors[0] < errors[1] < 0.2


def test_partitions_and_frames_do_not_matter(model, table):
    X, y = table
    for chunks in [(7_000, 33_000), (150_000, 70_000)]:
        other = SrfmRegressor(**SETTINGS).fit(da.from_array(X, chunks=chunks[0]), da.from_array(y, chunks=chunks[1]))
        assert other.to_bytes() == model.to_bytes()
    frame = dd.from_pandas(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}), npartitions=5)
    named = SrfmRegressor(**SETTINGS).fit(frame[["a", "b"]], frame["y"])
    assert list(named.feature_names_in_) == ["a", "b"]
    assert named.predict(pd.DataFrame(X[:9], columns=["a", "b"])).tolist() == model.predict(X[:9]).tolist()


def test_workers_that_are_killed_do_not_matter(model, table):
    X, y = (da.from_array(part, chunks=20_000) for part in table)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        worker = next(iter(cluster.workers.values()))
        client.submit(os.kill, worker.pid, 9, workers=[worker.worker_address], retries=0, pure=False)
        fitted = SrfmRegressor(**SETTINGS).fit(X, y)
    assert fitted.to_bytes() == model.to_bytes()


def test_many_features_are_solved_on_all_workers(table, monkeypatch):
    X, y = (da.from_array(part, chunks=70_000) for part in table)
    settings = {"method": "fourier", "features": 40, "order": 2, "lambdas": [1e-4, 1e-3], "sample": 2000}
    alone = SrfmRegressor(**settings).fit(X, y)
    monkeypatch.setattr("srfm_mcu.dask.MANY_FEATURES", 40)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        with get_task_stream(client) as stream:
            fitted = SrfmRegressor(**settings).fit(X, y)
        worker = next(iter(cluster.workers.values()))
        client.submit(os.kill, worker.pid, 9, workers=[worker.worker_address], retries=0, pure=False)
        killed = SrfmRegressor(**settings).fit(X, y)
    assert fitted.to_bytes() == killed.to_bytes() == alone.to_bytes()
    assert alone.report_["validation"]["rmse"] < 0.102
    tried = [task["worker"] for task in stream.data if "_errors" in str(task["key"])]
    assert len(tried) == 10 and len(set(tried)) == 2, tried


def test_searches_on_workers_give_the_model_of_one_machine(table):
    X, y = (part[:500] for part in table)
    search = {"flash": 300, "effort": 0.2, "random_state": 3}
    alone = srfm_mcu.SrfmRegressor(**search).fit(X, y)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        collections = SrfmRegressor(**search, sample=500).fit(da.from_array(X), da.from_array(y))
        sampled = SrfmRegressor(**search, sample=300).fit(da.from_array(X), da.from_array(y))
        with joblib.parallel_config(backend="dask"):
            arrays = srfm_mcu.SrfmRegressor(**search).fit(X, y)
        done = client.run(lambda dask_worker: dask_worker.state.executed_count)
        worker = next(iter(cluster.workers.values()))
        client.submit(os.kill, worker.pid, 9, workers=[worker.worker_address], retries=0, pure=False)
        with joblib.parallel_config(backend="dask"):
            killed = srfm_mcu.SrfmRegressor(**search).fit(X, y)
    # The search of a sample stays in the report of all rows.
    assert len(sampled.search_results_["error"]) > 5 and sampled.report_["search"]["candidates"] > 5
    assert collections.to_bytes() == arrays.to_bytes() == killed.to_bytes() == alone.to_bytes()
    # Two folds of each candidate on average, in both fits: the sizes of a path share a task.
    assert sum(done.values()) >= 2 * 2 * alone.report_["search"]["candidates"]


def test_the_model_is_the_one_of_the_command(table, tmp_path):
    X, y = table
    np.save(tmp_path / "table.npy", np.column_stack([X, y]))
    options = "--method compact --max-features 6 --order 1 --lambda 1e-4 --sample 400 --flash 4k -o m.srfm"
    subprocess.run([COMMAND, "fit", "table.npy", *options.split()], cwd=tmp_path, check=True, capture_output=True)
    frame = dd.from_pandas(pd.DataFrame(X, columns=["column 1", "column 2"]), npartitions=3)
    target = dd.from_pandas(pd.Series(y, name="column 3"), npartitions=3)
    fitted = SrfmRegressor(**SETTINGS, flash="4k").fit(frame, target)
    assert fitted.to_bytes() == (tmp_path / "m.srfm").read_bytes()


def test_values_that_are_missing_are_named(table):
    X, y = (part.copy() for part in table)
    X[70_123, 1] = np.nan
    with pytest.raises(ValueError, match="row 70123 has a value that is not finite"):
        SrfmRegressor(**SETTINGS).fit(da.from_array(X), da.from_array(y))
    with pytest.raises(ValueError, match="fill or drop missing values"):
        SrfmRegressor(**SETTINGS, missing="mean").fit(da.from_array(X), da.from_array(y))
