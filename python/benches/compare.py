"""Compares srfm with regressors of scikit-learn on six data sets: error, size and time of a fit.

    python python/benches/compare.py            # the folder of the data sets is in SRFM_DATA

Every set is divided at random three times (seeds 0, 1 and 2): up to 2,000 rows to fit, up to 5,000 of the others to
test. The error is the RMSE over the standard deviation of the tested targets, as a mean over the seeds. Fits run on one
thread, and their time is that of the processor. Prints rows of CSV.
"""

import csv
import os
import sys
import time
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR

from srfm_mcu import SrfmRegressor

SETS = ["airfoil", "ccpp", "housing", "kinematics", "pumadyn32h", "telemonitor"]
FITTED, TESTED, SEEDS = 2000, 5000, range(3)

#: Bytes of a node of a tree: index, threshold and place of a child, as trees for microcontrollers store them.
NODE = 8


def scaled(regressor, **grid):
    """Standardises inputs and target, and chooses from a grid by three folds."""
    pipeline = make_pipeline(StandardScaler(), regressor)
    return TransformedTargetRegressor(GridSearchCV(pipeline, grid, cv=3), transformer=StandardScaler())


def best(model):
    return model.regressor_.best_estimator_


def nodes_of_boosting(model):
    return sum(len(tree.nodes) for trees in model._predictors for tree in trees)


def weights_of_sampler(model):
    sampler = best(model)[1]
    return sampler[0].random_weights_.size + 2 * sampler[0].n_components + 1


#: Name, model of a seed, and bytes of the parameters in float32.
MODELS = [
    ("srfm, harfe", lambda seed: SrfmRegressor("harfe", random_state=seed, n_jobs=1), lambda m: m.flash_bytes_),
    (
        "srfm, 2 KiB, 10 s",
        lambda seed: SrfmRegressor(flash="2k", time="10s", random_state=seed, n_jobs=1),
        lambda m: m.flash_bytes_,
    ),
    (
        "RandomForest",
        lambda seed: RandomForestRegressor(random_state=seed),
        lambda m: NODE * sum(tree.tree_.node_count for tree in m.estimators_),
    ),
    (
        "HistGradientBoosting",
        lambda seed: HistGradientBoostingRegressor(random_state=seed),
        lambda m: NODE * nodes_of_boosting(m),
    ),
    (
        "MLP, 100 neurons",
        lambda seed: scaled(MLPRegressor(max_iter=1000, random_state=seed), mlpregressor__alpha=[1e-4, 1e-1]),
        lambda m: 4 * sum(part.size for part in best(m)[1].coefs_ + best(m)[1].intercepts_),
    ),
    (
        "SVR",
        lambda seed: scaled(SVR(), svr__C=[1, 10, 100], svr__epsilon=[0.1]),
        lambda m: 4 * (best(m)[1].support_vectors_.size + best(m)[1].dual_coef_.size),
    ),
    (
        "RBFSampler, 300, + Ridge",
        lambda seed: scaled(
            make_pipeline(RBFSampler(n_components=300, random_state=seed), RidgeCV(np.logspace(-6, 2, 9))),
            pipeline__rbfsampler__gamma=[0.01, 0.03, 0.1, 0.3],
        ),
        lambda m: 4 * weights_of_sampler(m),
    ),
]


def measured(frame, make, size, seed):
    """Returns error, bytes and seconds of a model."""
    order = np.random.default_rng(seed).permutation(len(frame))
    fitted = min(FITTED, 3 * len(frame) // 4)
    train, test = frame.iloc[order[:fitted]], frame.iloc[order[fitted : fitted + TESTED]]
    X, y = train.iloc[:, :-1].to_numpy(float), train.iloc[:, -1].to_numpy(float)
    begun = time.process_time()
    model = make(seed).fit(X, y)
    seconds = time.process_time() - begun
    truth = test.iloc[:, -1].to_numpy(float)
    residuals = model.predict(test.iloc[:, :-1].to_numpy(float)) - truth
    return np.sqrt(np.mean(residuals**2)) / truth.std(), size(model), seconds


def main():
    folder = Path(os.environ.get("SRFM_DATA") or sys.exit("SRFM_DATA names no folder of data sets"))
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["set", "model", "error", "bytes", "seconds"])
    for name in SETS:
        frame = pd.read_csv(folder / f"{name}.csv")
        for label, make, size in MODELS:
            error, bytes_, seconds = np.mean([measured(frame, make, size, seed) for seed in SEEDS], axis=0)
            table.writerow([name, label, f"{error:.3f}", f"{bytes_:.0f}", f"{seconds:.1f}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
