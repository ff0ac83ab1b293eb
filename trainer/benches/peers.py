"""Compares srfm with tuned regressors on ten data sets: error, size and time of a fit.

    pip install ./python lightgbm scikit-learn pandas pyoperon interpret-core
    python trainer/benches/peers.py RESULTS.csv                      # the folder of the data sets is in SRFM_DATA
    python trainer/benches/peers.py RESULTS.csv --sets airfoil,ccpp --models srfm,LightGBM --splits 1

A tenth of the rows is kept apart at random, three times (seeds 0, 1 and 2). The error is the RMSE there over the
standard deviation of the targets there. RESULTS.csv keeps every fit that ended; a second run computes only those that
are missing, and prints the rows of all as CSV. Fits run on one thread, and their time is that of the processor.

"srfm" is a search, "rules" a fit of that method, and "trees" are boosted trees within the bytes of srfm's budget. The
other regressors are as large as they like. Their bytes are those of their parameters in float32.
"""

import argparse
import csv
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import SplineTransformer, StandardScaler

#: The sets, and the files that hold them.
SETS = {
    "airfoil": "airfoil",
    "ccpp": "ccpp",
    "kinematics": "kinematics",
    "pole-telecom": "pole_telecom",
    "elevators": "elevators",
    "pumadyn": "pumadyn32h",
    "telemonitor": "telemonitor",
    "housing": "housing",
    "delta-ailerons": "delta_ailerons",
    "friedman": "friedman",
}

#: Bytes of a node of a tree: index, threshold and place of a child, as trees for microcontrollers store them.
NODE = 8

#: Bytes of a leaf of a tree that is as compact as can be: three of a condition, two of an amplitude in 16 bits.
LEAF = 5

#: Leaves of a tree and learning rates that are tried within a budget.
LEAVES, RATES = [2, 4, 8, 16, 32, 64, 128], [0.1, 0.2, 0.4, 0.7, 1.0]

#: The rows that a Gaussian process is fitted to, and those of them that choose its length scales.
PROCESS_ROWS, SCALE_ROWS = 2000, 500


class GaussianProcess(GaussianProcessRegressor):
    """A Gaussian process with a length scale an input, on at most PROCESS_ROWS rows."""

    def fit(self, X, y):
        X, y = X[:PROCESS_ROWS], y[:PROCESS_ROWS]
        scales = RBF(np.ones(X.shape[1]), (1e-2, 1e3))
        self.kernel = ConstantKernel(1.0, (1e-2, 1e3)) * scales + WhiteKernel(0.1, (1e-6, 1e1))
        chosen = GaussianProcessRegressor(self.kernel).fit(X[:SCALE_ROWS], y[:SCALE_ROWS])
        self.kernel, self.optimizer = chosen.kernel_, None
        return super().fit(X, y)


class SmallTrees(RegressorMixin, BaseEstimator):
    """Boosted trees with at most `budget` bytes; a fifth of the rows chooses leaves, trees and learning rate."""

    def __init__(self, budget=2048, random_state=0):
        self.budget = budget
        self.random_state = random_state

    def fit(self, X, y):
        from lightgbm import LGBMRegressor

        inner, outer, inner_y, outer_y = train_test_split(X, y, test_size=0.2, random_state=self.random_state)
        best = np.inf
        for leaves in LEAVES:
            trees = self.budget // (LEAF * leaves)
            if trees < 1:
                continue
            for rate in RATES:
                candidate = LGBMRegressor(
                    num_leaves=leaves, n_estimators=trees, learning_rate=rate, min_child_samples=5,
                    random_state=self.random_state, n_jobs=1, verbose=-1,
                )  # fmt: skip
                candidate.fit(inner, inner_y)
                count, error = self.best_count(candidate, trees, outer, outer_y)
                if error < best:
                    best = error
                    self.model_ = candidate.set_params(n_estimators=count)
        self.model_.fit(X, y)
        return self

    @staticmethod
    def best_count(candidate, trees, X, y):
        """Returns the number of trees with the least error on some rows, and that error."""
        step = max(1, trees // 8)
        counts = [*range(step, trees, step), trees]
        errors = [np.mean((candidate.predict(X, num_iteration=count) - y) ** 2) for count in counts]
        return counts[int(np.argmin(errors))], min(errors)

    def predict(self, X):
        return self.model_.predict(X)

    def bytes(self):
        trees = self.model_.booster_.dump_model()["tree_info"]
        return LEAF * sum(tree["num_leaves"] for tree in trees)


def scaled(regressor):
    """Standardises inputs and target."""
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), regressor), transformer=StandardScaler())


def tuned(regressor, **grid):
    """Chooses from a grid by three folds."""
    return GridSearchCV(regressor, grid, cv=3, scoring="neg_root_mean_squared_error")


def fitted(model):
    """The regressor within a fitted model."""
    return getattr(model, "best_estimator_", model).regressor_[-1]


def srfm(seed, options):
    from srfm_mcu import SrfmRegressor

    time = options.seconds and f"{options.seconds}s"
    return SrfmRegressor(flash=options.flash, time=time, random_state=seed, n_jobs=1)


def rules(seed, options):
    from srfm_mcu import SrfmRegressor

    return SrfmRegressor("rules", flash=options.flash, random_state=seed, n_jobs=1)


def lightgbm(seed, _):
    from lightgbm import LGBMRegressor

    trees = LGBMRegressor(learning_rate=0.05, random_state=seed, n_jobs=1, verbose=-1)
    return tuned(trees, num_leaves=[7, 31, 127], n_estimators=[300, 1000])


def small_trees(seed, options):
    return SmallTrees(bytes_of(options.flash), seed)


def bytes_of(flash):
    """Returns the bytes of a budget such as 512 or 2k."""
    return int(flash[:-1]) * 1024 if flash.endswith("k") else int(flash)


def gradient_boosting(seed, _):
    trees = HistGradientBoostingRegressor(learning_rate=0.05, early_stopping=False, random_state=seed)
    return tuned(trees, max_leaf_nodes=[7, 31, 127], max_iter=[300, 1000])


def perceptron(seed, _):
    neurons = MLPRegressor(early_stopping=True, n_iter_no_change=30, max_iter=1000, random_state=seed)
    grid = {"hidden_layer_sizes": [(100,), (64, 64)], "alpha": [1e-4, 1e-1]}
    return tuned(scaled(neurons), **{f"regressor__mlpregressor__{name}": values for name, values in grid.items()})


def splines(_seed, _):
    return scaled(make_pipeline(SplineTransformer(n_knots=10), RidgeCV(np.logspace(-4, 4, 17))))


def operon(seed, _):
    from pyoperon.sklearn import SymbolicRegressor

    return SymbolicRegressor(n_threads=1, time_limit=120, generations=10_000, max_length=50, random_state=seed)


def explainable_boosting(seed, _):
    from interpret.glassbox import ExplainableBoostingRegressor

    return ExplainableBoostingRegressor(random_state=seed, n_jobs=1)


def bytes_of_lightgbm(model):
    return NODE * sum(2 * tree["num_leaves"] - 1 for tree in model.best_estimator_.booster_.dump_model()["tree_info"])


def bytes_of_boosting(model):
    return NODE * sum(len(tree.nodes) for trees in model.best_estimator_._predictors for tree in trees)


def bytes_of_perceptron(model):
    return 4 * sum(part.size for part in fitted(model).coefs_ + fitted(model).intercepts_)


def bytes_of_process(model):
    return 4 * (fitted(model).X_train_.size + fitted(model).alpha_.size)


#: Name, model of a seed and the options, and bytes of a fitted model.
MODELS = {
    "srfm": (srfm, lambda model: model.flash_bytes_),
    "rules": (rules, lambda model: model.flash_bytes_),
    "trees": (small_trees, SmallTrees.bytes),
    "LightGBM": (lightgbm, bytes_of_lightgbm),
    "HistGradientBoosting": (gradient_boosting, bytes_of_boosting),
    "Gaussian process": (lambda _seed, _: scaled(GaussianProcess()), bytes_of_process),
    "MLP": (perceptron, bytes_of_perceptron),
    "splines": (splines, lambda model: 4 * fitted(model)[-1].coef_.size),
    "Operon": (operon, lambda model: NODE * model.stats_["model_length"]),
    "EBM": (explainable_boosting, lambda model: 4 * sum(scores.size for scores in model.term_scores_)),
}


def measured(frame, name, seed, options):
    """Returns error, bytes and seconds of a model."""
    make, size = MODELS[name]
    order = np.random.default_rng(seed).permutation(len(frame))
    apart = len(frame) // 10
    X, y = frame.iloc[:, :-1].to_numpy(float), frame.iloc[:, -1].to_numpy(float)
    begun = time.process_time()
    model = clone(make(seed, options)).fit(X[order[apart:]], y[order[apart:]])
    seconds = time.process_time() - begun
    truth = y[order[:apart]]
    error = np.sqrt(np.mean((np.ravel(model.predict(X[order[:apart]])) - truth) ** 2)) / truth.std()
    return {"error": error, "bytes": int(size(model)), "seconds": seconds}


def complete(results, options):
    """Computes the fits that RESULTS.csv lacks, and returns all."""
    columns = ["set", "model", "split", "error", "bytes", "seconds"]
    folder = Path(os.environ.get("SRFM_DATA") or sys.exit("SRFM_DATA names no folder of data sets"))
    rows = list(csv.DictReader(results.open())) if results.exists() else []
    done = {(row["set"], row["model"], row["split"]) for row in rows}
    for name in options.sets:
        frame = pd.read_csv(folder / f"{SETS[name]}.csv")
        for split in range(options.splits):
            for model in options.models:
                if (name, model, str(split)) in done:
                    continue
                row = {"set": name, "model": model, "split": split} | measured(frame, model, split, options)
                rows.append(row)
                with results.open("a", newline="") as file:
                    writer = csv.DictWriter(file, columns)
                    if file.tell() == 0:
                        writer.writeheader()
                    writer.writerow(row)
                print(f"{name}, split {split}, {model}: error {row['error']:.4f}", file=sys.stderr)
    return pd.DataFrame(rows).astype({"error": float, "bytes": float, "seconds": float})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda known: lambda text: [name for name in text.split(",") if name in known or sys.exit(f"no {name}")]
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", type=names(SETS), default=list(SETS))
    parser.add_argument("--models", type=names(MODELS), default=list(MODELS))
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--flash", default="8k", help="the flash budget of srfm and of the trees (8k)")
    parser.add_argument("--seconds", type=int, help="the time of srfm's search (that of its usual effort)")
    options = parser.parse_args()
    fits = complete(options.results, options).groupby(["set", "model"], sort=False)
    means = fits[["error", "bytes", "seconds"]].mean()
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["set", "model", "error", "bytes", "seconds"])
    for name, model in sorted(means.index, key=lambda key: options.sets.index(key[0])):
        row = means.loc[(name, model)]
        table.writerow([name, model, f"{row.error:.4f}", round(row.bytes), f"{row.seconds:.1f}"])


if __name__ == "__main__":
    main()
