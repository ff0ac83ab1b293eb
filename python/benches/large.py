"""Compares srfm with scikit-learn and LightGBM on a table of 515,345 rows: time, memory and error.

    pip install ./python lightgbm
    python python/benches/large.py SRFM FOLDER      # the command srfm; a folder for 900 MB of tables and models

Every fit is a process of its own on one thread. Its time and its largest memory are those of the process, with the
reading of the table. The error is that on a tenth of the rows, which is kept apart. Prints rows of CSV.
"""

import csv
import json
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np

ROWS, INPUTS, SHORT, FEW = 515_345, 90, 200_000, 5_000
FEATURES = ["--method", "fourier", "--order", "all", "--scale", "0.1", "--lambda", "5e-3", "--max-features", "1000"]


def tables(folder):
    """Writes the rows to fit, those to test, the first 200,000, and those that features are drawn for."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, INPUTS))
    z = X @ (rng.normal(size=(INPUTS, 6)) / 9)
    y = np.sin(z[:, 0]) + z[:, 1] * z[:, 2] + np.tanh(z[:, 3]) + 0.3 * z[:, 4] + 0.3 * rng.normal(size=ROWS)
    table = np.column_stack([X, y])
    tested = ROWS // 10
    np.save(folder / "all.npy", table[:-tested])
    np.save(folder / "short.npy", table[:SHORT])
    np.save(folder / "few.npy", table[:FEW])
    np.save(folder / "test.npy", table[-tested:])


def perceptron():
    from sklearn.neural_network import MLPRegressor

    return MLPRegressor(hidden_layer_sizes=(16,), random_state=0)


def boosting():
    from lightgbm import LGBMRegressor

    return LGBMRegressor(n_estimators=300, n_jobs=1, random_state=0, verbose=-1)


def random_features():
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    return make_pipeline(RBFSampler(gamma=0.005, n_components=2000, random_state=0), Ridge(1.0, solver="cholesky"))


PEERS = {"MLPRegressor (16)": perceptron, "LightGBM, 300 trees": boosting, "RBFSampler + Ridge": random_features}


def peer(name, path, tested):
    """Fits a peer and prints its R² on the rows to test."""
    table, test = np.load(path), np.load(tested)
    X, y = table[:, :-1].copy(), table[:, -1].copy()
    del table
    model = PEERS[name]().fit(X, y)
    del X
    print(model.score(test[:, :-1], test[:, -1]))


def measured(*command):
    """Runs a command; returns its output, its seconds and its largest memory in MB."""
    read, write = os.pipe()
    started = time.perf_counter()
    arguments = [str(word) for word in command]
    process = os.posix_spawnp(arguments[0], arguments, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    with os.fdopen(read) as pipe:
        output = pipe.read()
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} fails")
    return output, time.perf_counter() - started, usage.ru_maxrss >> 10


def main(srfm, folder):
    rows = csv.writer(sys.stdout, lineterminator="\n")
    rows.writerow(["fit", "by", "seconds", "memory in MB", "R²"])
    paths = {name: folder / f"{name}.npy" for name in ("all", "short", "few", "test")}
    model, features, sums = (folder / name for name in ("model.srfm", "model.features", "model.sums"))

    def row(fit, by, r2, *parts):
        seconds, memory = sum(part[1] for part in parts), max(part[2] for part in parts)
        rows.writerow([fit, by, f"{seconds:.1f}", memory, f"{r2:.4f}"])
        sys.stdout.flush()

    def command(*arguments):
        return measured(srfm, *arguments, "--threads", "1", "--quiet", "--json")

    def score():
        return json.loads(command("evaluate", model, paths["test"])[0])["r2"]

    def of_peer(fit, name, table):
        part = measured(sys.executable, __file__, name, table, paths["test"])
        row(fit, name, float(part[0]), part)

    # The memory of a process begins with that of the one that starts it, so that the tables are made by another one.
    measured(sys.executable, __file__, "tables", folder)
    search = "463,811 rows, 8 KB"
    part = command("fit", paths["all"], "--flash", "8k", "--time", "20", "-o", model)
    row(search, "srfm, search of 20 s", score(), part)
    for name in ("MLPRegressor (16)", "LightGBM, 300 trees"):
        of_peer(search, name, paths["all"])
    for rows_fitted, table in (("200,000", "short"), ("463,811", "all")):
        fit = f"{rows_fitted} rows, 2,000 random features"
        large = ["--memory", "1G", "--sample", FEW]
        parts = [command("fit", paths[table], *FEATURES, *large, "-o", model)]
        row(fit, "srfm, with intervals", score(), *parts)
        parts = [command("fit", paths["few"], *FEATURES, "--features", features)]
        parts += [command("gram", features, paths[table], "-o", sums), command("merge", features, sums, "-o", model)]
        row(fit, "srfm, features, sums and amplitudes", score(), *parts)
        if table == "short":
            of_peer(fit, "RBFSampler + Ridge", paths[table])


if __name__ == "__main__":
    if sys.argv[1] in PEERS:
        peer(*sys.argv[1:])
    elif sys.argv[1] == "tables":
        tables(Path(sys.argv[2]))
    else:
        main(sys.argv[1], Path(sys.argv[2]))
