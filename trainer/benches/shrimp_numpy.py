"""SHRIMP in plain numpy, for comparison with `cargo bench -p srfm-benches --bench shrimp`.

The problem of the benchmark: f7 of Table 2 of the paper, n = 140 rows uniform on [-1, 1]^10, 2 * 10^4 columns (a
cosine and a sine of 10^4 frequencies on q = 2 inputs, weights N(0, 1/q)), a fifth of the columns pruned a step, a
tenth of the rows chooses the size, the chosen columns are fitted again to all rows. While columns outnumber rows the
Gram matrix of the rows is decomposed and follows the columns that leave; then a least squares solver takes over.
Prints the CPU seconds of each fit, from drawing the frequencies to the coefficients, on one thread.

Run it with `python3 trainer/benches/shrimp_numpy.py`; needs numpy.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import itertools
import statistics
import time

import numpy as np

ROWS, INPUTS, PAIRS, ORDER, RATE, VALIDATION = 140, 10, 10_000, 2, 0.2, 0.1


def draw(rng):
    """Frequencies (d x N), the same number for every pair of inputs."""
    subsets = list(itertools.combinations(range(INPUTS), ORDER))
    each = PAIRS // len(subsets)
    w = np.zeros((INPUTS, each * len(subsets)))
    for i, subset in enumerate(subsets):
        w[np.ix_(subset, range(i * each, (i + 1) * each))] = rng.normal(0, ORDER**-0.5, (ORDER, each))
    return w


def min_norm(a, y, gram):
    rows, columns = a.shape
    if columns > rows:
        values, vectors = np.linalg.eigh(gram)
        keep = values > 1e-14 * values[-1]
        return a.T @ (vectors[:, keep] @ ((vectors[:, keep].T @ y) / values[keep]))
    return np.linalg.lstsq(a, y, rcond=1e-15)[0]


def shrimp(x, y, rng):
    """The columns that are kept and their coefficients."""
    w = draw(rng)
    t = x @ w
    a = np.concatenate([np.cos(t), np.sin(t)], axis=1)
    order = rng.permutation(ROWS)
    test, train = order[: int(ROWS * VALIDATION)], order[int(ROWS * VALIDATION) :]
    left, active, best = a[train], np.arange(a.shape[1]), (np.inf, None)
    gram = left @ left.T
    while True:
        c = min_norm(left, y[train], gram)
        error = np.mean((a[np.ix_(test, active)] @ c - y[test]) ** 2)
        if error < best[0]:
            best = (error, active)
        if len(active) == 1:
            break
        drop = max(1, int(np.ceil(RATE * len(active))))
        ranked = np.argpartition(np.abs(c), drop)
        out, kept = ranked[:drop], np.sort(ranked[drop:])
        if len(active) > len(train):
            gram -= left[:, out] @ left[:, out].T
        left, active = left[:, kept], active[kept]
    return best[1], np.linalg.lstsq(a[:, best[1]], y, rcond=1e-15)[0]


def main():
    seconds, sizes = [], []
    for seed in range(11):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (ROWS, INPUTS))
        y = np.cos(x[:, 0]) * x[:, 2] + x[:, 1] ** 2 * x[:, 3] + x[:, 2:].sum(axis=1)
        started = time.process_time()
        sizes.append(len(shrimp(x, y, rng)[0]))
        seconds.append(time.process_time() - started)
    print(f"columns     {sizes}")
    print(f"CPU seconds {[round(s, 3) for s in seconds]}")
    print(f"median      {statistics.median(seconds):.3f}")


if __name__ == "__main__":
    main()
