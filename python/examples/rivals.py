"""Forest, perceptron or srfm? Cross-validates them on a table: error and bytes.

    pip install ./python pandas lightgbm             # without lightgbm: the boosted trees of scikit-learn
    python python/examples/rivals.py log.csv --target pressure_hpa --forward

All columns but the target are inputs and must be numbers; rows with gaps are left out. Bytes are those of a model of
all rows: 4 for a number of the line and of the perceptron, 8 for a node of a tree, and the model file of srfm. The
code that evaluates them comes on top.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, TimeSeriesSplit
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from srfm_mcu import SrfmRegressor

try:
    from lightgbm import LGBMRegressor
except ImportError:
    LGBMRegressor = None


def scaled(regressor):
    """Standardises inputs and target."""
    return TransformedTargetRegressor(make_pipeline(StandardScaler(), regressor), transformer=StandardScaler())


def nodes_of_lightgbm(fitted):
    """The nodes of all trees, leaves included."""
    return sum(2 * tree["num_leaves"] - 1 for tree in fitted.booster_.dump_model()["tree_info"])


def nodes_of_scikit_learn(fitted):
    """The nodes of all trees, leaves included; scikit-learn has no public count of them."""
    return sum(len(tree.nodes) for stage in fitted._predictors for tree in stage)


def rivals(flash, effort):
    """Every model with its name and with a function that gives its bytes."""
    line = scaled(RidgeCV(np.logspace(-6, 3, 10)))
    yield "line", line, lambda fitted: 4 * (fitted.regressor_[-1].coef_.size + 1)
    forest = RandomForestRegressor(20, max_depth=8, random_state=0)
    yield "forest, 20 trees", forest, lambda fitted: 8 * sum(tree.tree_.node_count for tree in fitted.estimators_)
    for trees, leaves, rate in [(40, 8, 0.3), (400, 31, 0.05)]:
        if LGBMRegressor is None:
            boosted = HistGradientBoostingRegressor(
                max_iter=trees, max_leaf_nodes=leaves, learning_rate=rate, early_stopping=False, random_state=0
            )
            name, size = "boosted", nodes_of_scikit_learn
        else:
            boosted = LGBMRegressor(n_estimators=trees, num_leaves=leaves, learning_rate=rate, n_jobs=1, verbose=-1)
            name, size = "LightGBM", nodes_of_lightgbm
        yield f"{name}, {trees} trees", boosted, lambda fitted, size=size: 8 * size(fitted)
    neurons = scaled(MLPRegressor(hidden_layer_sizes=16, solver="lbfgs", alpha=1e-2, max_iter=1000, random_state=0))
    yield "perceptron, 16", neurons, lambda fitted: 4 * sum(
        part.size for part in fitted.regressor_[-1].coefs_ + fitted.regressor_[-1].intercepts_
    )
    yield f"srfm, {flash}", SrfmRegressor(flash=flash, effort=effort), lambda fitted: fitted.flash_bytes_


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("table", help="a CSV file with a header")
    parser.add_argument("--target", help="the column to predict; the last one without it")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--forward", action="store_true", help="rows are in the order of time: test on later rows")
    parser.add_argument("--flash", default="2k", help="the most bytes of srfm's model file")
    parser.add_argument("--effort", type=float, default=2, help="about the seconds of each search of srfm")
    options = parser.parse_args()

    rows = pd.read_csv(options.table).dropna()
    target = options.target or rows.columns[-1]
    X, y = rows.drop(columns=target), rows[target]
    folds = TimeSeriesSplit(options.folds) if options.forward else KFold(options.folds, shuffle=True, random_state=0)
    warnings.simplefilter("ignore", ConvergenceWarning)

    print(f"{len(rows)} rows, {X.shape[1]} inputs; {target} has a standard deviation of {y.std():.4g}")
    print(f"{'model':<20}{'RMSE':>12}{'bytes':>10}")
    for name, model, size in rivals(options.flash, options.effort):
        errors = []
        for train, test in folds.split(X):
            predicted = model.fit(X.iloc[train], y.iloc[train]).predict(X.iloc[test])
            errors.append((predicted - y.iloc[test]) ** 2)
        error = np.sqrt(pd.concat(errors).mean())
        print(f"{name:<20}{error:>12.4g}{size(model.fit(X, y)):>10,}", flush=True)


if __name__ == "__main__":
    main()
