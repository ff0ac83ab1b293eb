"""Compares srfm with detectors of novel rows on eight data sets.

    python python/benches/novelty.py            # the folder of the data sets is in SRFM_DATA

The most frequent class of a set is normal. Two thirds of its rows are fitted; the others, and the rows of the other
classes, are told apart. Areas under the receiver operating characteristic are means over two divisions.
"""

import csv
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM

from srfm_mcu import SrfmNovelty

SETS = ["banana", "ionosphere", "page_blocks", "pendigits", "segmentation", "vehicle", "waveform_40", "yeast"]
DIVISIONS = 2
COMPONENTS = range(1, 11)
#: The fewest rows of which 1 % is a rate of false alarms that can be kept.
LEAST_ROWS = 198


def mixture(normal, seed):
    """The Gaussian mixture of the least BIC."""
    fits = [GaussianMixture(count, random_state=seed).fit(normal) for count in COMPONENTS]
    return min(fits, key=lambda fit: fit.bic(normal))


def scores(normal, rows, seed):
    """How normal rows are by each detector, and whether srfm finds them novel."""
    share = 0.01 if len(normal) >= LEAST_ROWS else 0.05
    own = SrfmNovelty(flash="2k", false_alarms=share, random_state=seed).fit(normal)
    scaler = StandardScaler().fit(normal)
    scaled, others = scaler.transform(normal), scaler.transform(rows)
    found = {
        "srfm, 2 KB": own.score_samples(rows),
        "IsolationForest": IsolationForest(random_state=seed).fit(scaled).score_samples(others),
        "GaussianMixture": mixture(scaled, seed).score_samples(others),
        "OneClassSVM": OneClassSVM().fit(scaled).score_samples(others),
    }
    return found, own.predict(rows) == -1, share


def compared(name):
    """The line of a data set."""
    data = pd.read_csv(Path(os.environ["SRFM_DATA"]) / "classes" / f"{name}.tsv.gz", sep="\t")
    x, labels = data.drop(columns="target").to_numpy(float), data.target.to_numpy()
    usual = np.flatnonzero(labels == data.target.mode()[0])
    novel = np.flatnonzero(labels != data.target.mode()[0])
    areas, alarms = [], []
    for seed in range(DIVISIONS):
        order = np.random.default_rng(seed).permutation(usual)
        fitted, fresh = np.split(order, [2 * len(order) // 3])
        found, is_novel, share = scores(x[fitted], x[np.concatenate([fresh, novel])], seed)
        truth = np.arange(len(fresh) + len(novel)) < len(fresh)
        areas.append({detector: roc_auc_score(truth, score) for detector, score in found.items()})
        alarms.append(is_novel[: len(fresh)].mean())
    means = pd.DataFrame(areas).mean()
    best = means.round(3).max()
    cells = [f"**{area:.3f}**" if round(area, 3) == best else f"{area:.3f}" for area in means]
    stated, reached = f"{100 * share:.0f} %", f"{100 * np.mean(alarms):.1f} %"
    return [name, len(fitted), x.shape[1], *cells, stated, reached], list(means.index)


def main():
    warnings.simplefilter("ignore")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for place, name in enumerate(SETS):
        line, detectors = compared(name)
        if place == 0:
            writer.writerow(["set", "rows fitted", "inputs", *detectors, "false alarms, stated", "false alarms"])
        writer.writerow(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
