"""Compares srfm with classifiers of scikit-learn on eleven data sets: accuracy and log loss.

    python python/benches/classes.py            # the folder of the data sets is in SRFM_DATA

Every set is divided three times, three quarters of each class to fit, of which 4,000 rows are taken. Rows of
wine_quality_red that occur twice are taken once. srfm searches within 4 KB; the others are as large as they like. Fits
run on one thread. Prints rows of CSV with means over the divisions: accuracy, and log loss where a classifier has
probabilities.
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
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
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
FITTED, DIVISIONS, BUDGET = 4000, range(3), "4k"
OWN = "srfm, 4 KB"


def scaled(classifier):
    return make_pipeline(StandardScaler(), classifier)


#: Name, and model of a seed.
MODELS = {
    OWN: lambda seed: SrfmClassifier(flash=BUDGET, random_state=seed, n_jobs=1),
    "logistic regression": lambda seed: scaled(LogisticRegression(max_iter=2000)),
    "forest, 100 trees": lambda seed: RandomForestClassifier(100, random_state=seed),
    "boosting, 100 rounds": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "SVC, C = 10": lambda seed: scaled(SVC(C=10)),
    "perceptron, 32": lambda seed: scaled(MLPClassifier(32, max_iter=600, random_state=seed)),
}


def read(name):
    """Readings and labels of a set."""
    data = pd.read_csv(Path(os.environ["SRFM_DATA"]) / "classes" / f"{name}.tsv.gz", sep="\t")
    if name == "wine_quality_red":
        data = data.drop_duplicates()
    return data.drop(columns="target").to_numpy(float), data.target.to_numpy()


def compared(name):
    """The mean accuracies, log losses and seconds of all models on a set."""
    x, y = read(name)
    figures = {model: [] for model in MODELS}
    for seed in DIVISIONS:
        train, test, known, truth = train_test_split(x, y, train_size=0.75, random_state=seed, stratify=y)
        train, known = train[:FITTED], known[:FITTED]
        for model, new in MODELS.items():
            start = time.process_time()
            fit = new(seed).fit(train, known)
            seconds = time.process_time() - start
            loss = np.nan
            if hasattr(fit, "predict_proba"):
                loss = log_loss(truth, fit.predict_proba(test), labels=fit.classes_)
            figures[model].append([accuracy_score(truth, fit.predict(test)), loss, seconds])
    means = {model: np.mean(rows, axis=0) for model, rows in figures.items()}
    return [name, len(train), x.shape[1], len(set(y))], means


def cell(accuracy, loss, best):
    """A cell of the table; the best accuracy and the best log loss of a set are bold."""
    texts = [f"{accuracy:.3f}"] + ([] if np.isnan(loss) else [f"{loss:.3f}"])
    return " / ".join(f"**{text}**" if text == least else text for text, least in zip(texts, best))


def main():
    warnings.simplefilter("ignore")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["set", "rows fitted", "inputs", "classes", *MODELS, "seconds of srfm"])
    ranks = []
    for name in SETS:
        line, means = compared(name)
        accuracies, losses, _ = zip(*means.values())
        best = f"{max(accuracies):.3f}", f"{np.nanmin(losses):.3f}"
        cells = [cell(accuracy, loss, best) for accuracy, loss, _ in means.values()]
        writer.writerow([*line, *cells, f"{means[OWN][2]:.0f}"])
        sys.stdout.flush()
        ranks.append([pd.Series(-np.array(accuracies)).rank(), pd.Series(losses).rank()])
    mean = np.mean(ranks, axis=0)
    cells = [f"{rank:.1f}" + ("" if np.isnan(of_loss) else f" / {of_loss:.1f}") for rank, of_loss in mean.T]
    writer.writerow(["mean rank", "", "", "", *cells, ""])


if __name__ == "__main__":
    main()
