"""Compares srfm with classifiers of scikit-learn and with LightGBM on eleven data sets.

    python python/benches/classes.py            # the folder of the data sets is in SRFM_DATA

Every set is divided three times, three quarters of each class to fit, of which 4,000 rows are taken. Rows of
wine_quality_red that occur twice are taken once. srfm searches within 4 KB or 1 KB; the others are as large as they
like. Fits run on one thread. Prints two tables of CSV with means over the divisions. The first has the accuracy, and
the log loss where a classifier has probabilities. The second has the accuracy within 1 KB and of LightGBM, and the
balanced accuracy without and with weights of the classes.
"""

import csv
import os
import sys
import time
import warnings
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from srfm_mcu import SrfmClassifier

SETS = [
    "banana", "ionosphere", "mfeat_zernike", "page_blocks", "pendigits", "segmentation", "spectf", "vehicle",
    "waveform_40", "wine_quality_red", "yeast",
]
FITTED, DIVISIONS = 4000, range(3)
OWN, TREES = "srfm, 4 KB", "LightGBM, 100 rounds"
SMALL, BALANCED, BALANCED_TREES = "srfm, 1 KB", f"{OWN}, balanced", f"{TREES}, balanced"
IN_BALANCE = [OWN, BALANCED, TREES, BALANCED_TREES]

#: The places of the figures of a model.
ACCURACY, LOSS, SECONDS, BALANCE = range(4)


def srfm(flash, seed, **settings):
    return SrfmClassifier(flash=flash, random_state=seed, n_jobs=1, **settings)


def trees(seed, **settings):
    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1, **settings)


def scaled(classifier):
    return make_pipeline(StandardScaler(), classifier)


#: Name, and model of a seed: those of the first table, and those that the second has beside them.
MODELS = {
    OWN: lambda seed: srfm("4k", seed),
    "logistic regression": lambda seed: scaled(LogisticRegression(max_iter=2000)),
    "forest, 100 trees": lambda seed: RandomForestClassifier(100, random_state=seed),
    TREES: trees,
    "SVC, C = 10": lambda seed: scaled(SVC(C=10)),
    "perceptron, 32": lambda seed: scaled(MLPClassifier(32, max_iter=600, random_state=seed)),
}
MORE = {
    SMALL: lambda seed: srfm("1k", seed),
    BALANCED: lambda seed: srfm("4k", seed, class_weight="balanced"),
    BALANCED_TREES: lambda seed: trees(seed, class_weight="balanced"),
}


def read(name):
    """Readings and labels of a set."""
    data = pd.read_csv(Path(os.environ["SRFM_DATA"]) / "classes" / f"{name}.tsv.gz", sep="\t")
    if name == "wine_quality_red":
        data = data.drop_duplicates()
    return data.drop(columns="target").to_numpy(float), data.target.to_numpy()


def compared(name):
    """The mean figures of all models on a set."""
    x, y = read(name)
    figures = {model: [] for model in MODELS | MORE}
    for seed in DIVISIONS:
        train, test, known, truth = train_test_split(x, y, train_size=0.75, random_state=seed, stratify=y)
        train, known = train[:FITTED], known[:FITTED]
        for model, new in (MODELS | MORE).items():
            start = time.process_time()
            fit = new(seed).fit(train, known)
            seconds = time.process_time() - start
            loss = np.nan
            if hasattr(fit, "predict_proba"):
                loss = log_loss(truth, fit.predict_proba(test), labels=fit.classes_)
            named = fit.predict(test)
            scores = [accuracy_score(truth, named), loss, seconds, balanced_accuracy_score(truth, named)]
            figures[model].append(scores)
    means = {model: np.mean(rows, axis=0) for model, rows in figures.items()}
    return [name, len(train), x.shape[1], len(set(y))], means


def cell(accuracy, loss, best):
    """A cell of the table; the best accuracy and the best log loss of a set are bold."""
    texts = [f"{accuracy:.3f}"] + ([] if np.isnan(loss) else [f"{loss:.3f}"])
    return " / ".join(f"**{text}**" if text == least else text for text, least in zip(texts, best))


def main():
    warnings.simplefilter("ignore")
    first = [["set", "rows fitted", "inputs", "classes", *MODELS, "seconds of srfm"]]
    second = [["set", SMALL, TREES, *(f"{model}: balanced accuracy" for model in IN_BALANCE)]]
    ranks, accuracies = [], []
    for name in SETS:
        line, means = compared(name)
        of_first = np.array([means[model] for model in MODELS])
        best = f"{max(of_first[:, ACCURACY]):.3f}", f"{np.nanmin(of_first[:, LOSS]):.3f}"
        cells = [cell(figures[ACCURACY], figures[LOSS], best) for figures in of_first]
        first.append([*line, *cells, f"{means[OWN][SECONDS]:.0f}"])
        ranks.append([pd.Series(-of_first[:, ACCURACY]).rank(), pd.Series(of_first[:, LOSS]).rank()])
        accuracies.append([means[model][ACCURACY] for model in (SMALL, TREES)]
                          + [means[model][BALANCE] for model in IN_BALANCE])
        second.append([name, *(f"{share:.3f}" for share in accuracies[-1])])
        print(*second[-1], sep=",", file=sys.stderr, flush=True)
    means = np.mean(ranks, axis=0).T
    cells = [f"{rank:.1f}" + ("" if np.isnan(of_loss) else f" / {of_loss:.1f}") for rank, of_loss in means]
    first.append(["mean rank", "", "", "", *cells, ""])
    second.append(["mean", *(f"{share:.3f}" for share in np.mean(accuracies, axis=0))])
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerows(first)
    print()
    writer.writerows(second)


if __name__ == "__main__":
    main()
