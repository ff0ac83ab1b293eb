"""Searches on the workers of a Dask cluster: these fit the folds of each candidate."""

import asyncio
import time
from contextlib import contextmanager
from threading import Lock

import joblib

from srfm_mcu import _srfm_mcu

#: How often a piece of work is tried whose worker is lost.
TRIES = 6

#: Seconds in which a table of no bytes reaches a worker, and the least bytes a second of larger ones.
PATIENCE, LEAST_RATE = 20, 1e6

#: Seconds until the next try, in which the scheduler learns that a worker is lost.
PAUSE = 0.5


def chosen():
    """Returns the workers of ``joblib.parallel_config(backend="dask")``; None where it is not in use."""
    backend, _ = joblib.parallel.get_active_backend()
    client = getattr(backend, "client", None)
    # On a worker, other pieces of work wait for this one.
    return None if client is None or getattr(backend, "nesting_level", 0) else Workers(client)


def active():
    """Returns the workers of the client of Dask that is in use; None without one."""
    from distributed import get_client

    try:
        return Workers(get_client())
    except ValueError:
        return None


def addresses():
    """Returns the addresses of the workers of the client of Dask that is in use; none without one."""
    from distributed import get_client

    try:
        return sorted(get_client().nthreads())
    except ValueError:
        return []


class Workers:
    """The workers of a client of Dask."""

    def __init__(self, client):
        self.client, self.tables = client, {}
        #: The pieces of work that each worker has, which several threads count.
        self.waiting, self.lock = {}, Lock()

    def __len__(self):
        """Returns the number of tasks that are done at the same time."""
        return sum(self.client.nthreads().values())

    def __call__(self, table, tasks):
        """Returns the results of the tasks on a table, both of which the library wrote."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        for tries in range(TRIES):
            try:
                sent = self._sent(table)
                with self._spread(len(tasks)) as workers:
                    submitted = [self._submitted(sent, task, worker) for task, worker in zip(tasks, workers)]
                    return self.client.gather(submitted)
            except (CancelledError, KilledWorker, OSError, asyncio.TimeoutError):
                # The last worker with the table is lost, or the one that the table is on its way to.
                self.tables.clear()
                if tries == TRIES - 1:
                    raise
                time.sleep(PAUSE)

    def _submitted(self, table, task, worker):
        # Dask would rather give a worker all pieces than let the other workers fetch the table.
        return self.client.submit(_done, table, task, pure=False, workers=[worker], allow_other_workers=True)

    @contextmanager
    def _spread(self, count):
        """Chooses a worker for each of some pieces of work: one with the fewest that wait."""
        chosen = []
        with self.lock:
            here = sorted(self.client.nthreads())
            for _ in range(count):
                chosen.append(min(here, key=lambda worker: self.waiting.get(worker, 0)))
                self.waiting[chosen[-1]] = self.waiting.get(chosen[-1], 0) + 1
        try:
            yield chosen
        finally:
            with self.lock:
                for worker in chosen:
                    self.waiting[worker] -= 1

    def _sent(self, table):
        """Returns a table that is on a worker, from which the others fetch it."""
        key = hash(table)
        if key not in self.tables:
            # A broadcast would never end, and block those after it, if a worker is lost meanwhile. A table that is sent
            # again is another one for Dask.
            patience = PATIENCE + len(table) / LEAST_RATE
            sent = self.client.sync(self.client.scatter, [table], hash=False, callback_timeout=patience)
            self.tables[key] = sent[0]
        return self.tables[key]


def _done(table, task):
    return _srfm_mcu.work(table, task)
