"""Measures fits to Dask collections: bytes, time and memory for any workers and partitions.

    python python/benches/machines.py FOLDER        # keeps its tables there, 1.5 GB

Prints rows of CSV: what was fitted, the workers, the seconds, the largest memory of a worker in MB, and a checksum of
the model.
"""

import os
import sys
import threading
import time
import zlib
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster

from srfm_mcu.dask import SrfmRegressor

ROWS, INPUTS, PARTS = 515_345, 90, 16
FIT = {"method": "sgd", "features": 16, "flash": "8k", "lambdas": [1e-6]}
SEARCH = {"flash": "2k", "effort": 30}
SUMS = {"method": "fourier", "features": 2000, "terms": "intercept", "lambdas": [1e-3], "sample": 5_000}
LONG = {"method": "compact", "features": 20, "order": 3, "lambdas": [1e-4], "sample": 20_000}


def wide(folder):
    """Writes a table whose target has six hidden directions, in parts."""
    if not folder.exists():
        folder.mkdir(parents=True)
        rng = np.random.default_rng(0)
        X = rng.normal(size=(ROWS, INPUTS))
        z = X @ (rng.normal(size=(INPUTS, 6)) / 9)
        y = np.sin(z[:, 0]) + z[:, 1] * z[:, 2] + np.tanh(z[:, 3]) + 0.3 * z[:, 4] + 0.3 * rng.normal(size=ROWS)
        write(folder, np.column_stack([X, y]))
    return folder


def long(folder):
    """Writes ten million rows of 20 readings, of which five matter."""
    if not folder.exists():
        folder.mkdir(parents=True)
        for part in range(PARTS):
            rng = np.random.default_rng(part)
            X = rng.uniform(size=(10_000_000 // PARTS, 20))
            y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
            frame(np.column_stack([X, y + rng.normal(size=len(X))])).to_parquet(folder / f"part{part:02}.parquet")
    return folder


def write(folder, table):
    for part, rows in enumerate(np.array_split(table, PARTS)):
        frame(rows).to_parquet(folder / f"part{part:02}.parquet")


def frame(table):
    names = [f"x{i}" for i in range(table.shape[1] - 1)] + ["y"]
    return pd.DataFrame(table, columns=names)


def fitted(name, files, settings, workers, parts=None, kill=False, limit="8GiB"):
    """Fits a table on some workers, one thread each, and prints what it took."""
    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None, memory_limit=limit)
    with cluster, Client(cluster) as client:
        table = dd.read_parquet(files)
        table = table if parts is None else table.repartition(npartitions=parts)
        victim = next(iter(cluster.workers.values()))
        if kill:
            threading.Timer(6.0, os.kill, (victim.pid, 9)).start()
        started = time.perf_counter()
        model = SrfmRegressor(random_state=1, **settings).fit(table[list(table.columns[:-1])], table["y"])
        seconds = time.perf_counter() - started
        memory = max(client.run(peak).values()) >> 10
    rmse = model.report_["validation"]["rmse"]
    checksum = zlib.crc32(model.to_bytes()[:-4])
    print(f"{name},{workers},{seconds:.1f},{memory},{rmse:.4f},{checksum:08x}", flush=True)


def peak():
    """Returns the largest memory that this process had, in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def main(folder):
    print("fit,workers,seconds,memory in MB,validation RMSE,checksum of the model")
    parts = wide(folder / "wide")
    for workers in (1, 2, 4):
        fitted("515345 × 90", parts, FIT, workers)
    fitted("515345 × 90 in 7 partitions", parts, FIT, 2, parts=7)
    fitted("515345 × 90 and a worker killed", parts, FIT, 2, kill=True)
    for workers in (1, 2):
        fitted("515345 × 90: search of effort 30", parts, SEARCH, workers)
    fitted("10000000 × 20", long(folder / "long"), LONG, 2, limit="1GiB")
    for workers in (1, 2):
        fitted("257672 × 90: sums of 2000 random features", sorted(parts.glob("*"))[: PARTS // 2], SUMS, workers)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
