"""HARFE in plain numpy, for comparison with `cargo bench -p srfm-benches --bench harfe`.

The problem of the benchmark: Table 1 of the paper, n = 500 rows uniform on [-1, 1]^5, target 1/sqrt(1 + |x|^2),
N = 10^4 features on q = 3 inputs, normal weights, s = 500 kept, lambda = 1e-4 on columns of norm one, at most 50
iterations. Prints the CPU seconds of each fit, from drawing the features to the coefficients, on one thread.

Run it with `python3 trainer/benches/harfe_numpy.py`; needs numpy and scipy.
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"

import statistics
import time

import numpy as np
from scipy.linalg import solve

ROWS, INPUTS, CANDIDATES, ORDER, FEATURES = 500, 5, 10_000, 3, 500
LAMBDA, STEP, MAX_ITERATIONS = 1e-4, 0.1, 50


def draw(rng):
    """Frequencies (d x N, q non-zero entries a column) and biases."""
    supports = np.argsort(rng.random((CANDIDATES, INPUTS)), axis=1)[:, :ORDER]
    w = np.zeros((INPUTS, CANDIDATES))
    w[supports, np.arange(CANDIDATES)[:, None]] = rng.standard_normal((CANDIDATES, ORDER))
    return w, rng.uniform(0, 2 * np.pi, CANDIDATES)


def ridge(a, y):
    rows, columns = a.shape
    if columns > rows:
        gram = a @ a.T
        gram[np.diag_indices(rows)] += LAMBDA
        return a.T @ solve(gram, y, assume_a="pos")
    gram = a.T @ a
    gram[np.diag_indices(columns)] += LAMBDA
    return solve(gram, a.T @ y, assume_a="pos")


def harfe(x, y, rng):
    """The coefficients of the columns and the number of iterations."""
    w, bias = draw(rng)
    a = np.sin(x @ w + bias)
    norms = np.linalg.norm(a, axis=0)
    a /= norms
    c, support = np.zeros(CANDIDATES), None
    for iteration in range(MAX_ITERATIONS):
        step = (1 - STEP * LAMBDA) * c + STEP * (a.T @ (y - a @ c))
        chosen = np.sort(np.argpartition(-np.abs(step), FEATURES - 1)[:FEATURES])
        if support is not None and np.array_equal(chosen, support):
            return c / norms, iteration
        support = chosen
        c = np.zeros(CANDIDATES)
        c[support] = ridge(a[:, support], y)
    return c / norms, MAX_ITERATIONS


def main():
    seconds, iterations = [], []
    for seed in range(11):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, (ROWS, INPUTS))
        y = 1 / np.sqrt(1 + (x**2).sum(axis=1))
        started = time.process_time()
        iterations.append(harfe(x, y, rng)[1])
        seconds.append(time.process_time() - started)
    print(f"iterations  {iterations}")
    print(f"CPU seconds {[round(s, 3) for s in seconds]}")
    print(f"median      {statistics.median(seconds):.3f}")


if __name__ == "__main__":
    main()
