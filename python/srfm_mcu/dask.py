"""Fits to tables on many machines with Dask: partitions stay where they are.

It needs Dask: ``pip install 'dask[array,dataframe,distributed]'``.
"""

import json

import numpy as np

try:
    import dask
    import dask.array
except ImportError as error:
    package = "dask[array,dataframe,distributed]"
    raise ImportError(f"srfm_mcu.dask needs Dask; install it with: pip install '{package}'") from error

from srfm_mcu import _srfm_mcu, _values, _workers
from srfm_mcu import _regressor

__all__ = ["SrfmRegressor"]

#: The number of features from which on workers try ridge parameters beside each other, and the parts of that work.
MANY_FEATURES = 200
SHARES = 10


class SrfmRegressor(_regressor.SrfmRegressor):
    """Sparse random feature model of the rows of a Dask collection.

    A sample of the rows gives the features. The amplitudes, the stated error and the intervals are those of all rows:
    the workers sum over their rows and send the sums alone. They also fit the folds of the sample, each a piece of work
    of its own. A piece of work takes one thread. The model depends neither on the number of workers nor on the
    partitions. It is the one that the command ``srfm fit --sample`` gives with the same settings.

    Parameters
    ----------
    method : str or None, default=None
        As all other settings but ``sample``: see :class:`srfm_mcu.SrfmRegressor`. Missing values are an error. There
        are no lags and no windows.
    sample : int, default=100_000
        Rows of the sample. Fewer rows are fitted as a whole.

    Examples
    --------
    >>> import dask.array
    >>> from srfm_mcu.dask import SrfmRegressor
    >>> X = dask.array.random.default_rng(1).uniform(-2, 2, (3000, 1), chunks=1000)
    >>> model = SrfmRegressor("harfe", features=8, sample=500).fit(X, dask.array.sin(2 * X[:, 0]))
    >>> model.report_["rows"]
    3000
    """

    def __init__(
        self,
        method=None,
        *,
        sample=100_000,
        features=None,
        order=None,
        terms=None,
        lambdas=None,
        settings=None,
        flash=None,
        instructions=None,
        latency=None,
        board=None,
        core=None,
        deploy=None,
        number=None,
        time=None,
        effort=None,
        smooth=False,
        config=None,
        cv=5,
        missing="error",
        random_state=None,
        n_jobs=None,
        verbose=0,
    ):
        super().__init__(
            method,
            features=features,
            order=order,
            terms=terms,
            lambdas=lambdas,
            settings=settings,
            flash=flash,
            instructions=instructions,
            latency=latency,
            board=board,
            core=core,
            deploy=deploy,
            number=number,
            time=time,
            effort=effort,
            smooth=smooth,
            config=config,
            cv=cv,
            missing=missing,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.sample = sample

    def fit(self, X, y):
        """Fits the model.

        Parameters
        ----------
        X : dask.array.Array or dask.dataframe.DataFrame of shape (n_samples, n_features)
            Rows of readings.
        y : dask.array.Array, dask.dataframe.Series or DataFrame of shape (n_samples,) or (n_samples, n_outputs)
            Quantities, in partitions of any size.

        Returns
        -------
        self : SrfmRegressor
        """
        if self.missing != "error":
            raise ValueError(f"missing={self.missing!r} is not there for Dask; fill or drop missing values before")
        targets = [str(name) for name in getattr(y, "columns", [getattr(y, "name", None) or "y"])]
        names = getattr(X, "columns", None)
        X, y = _array(X), _array(y)
        self._is_single = y.ndim == 1
        y = y.reshape(len(y), -1) if y.ndim == 1 else y
        if len(X) != len(y):
            raise ValueError(f"X has {len(X)} rows and y {len(y)}")
        if X.ndim != 2 or not isinstance(self.cv, (int, str)):
            raise ValueError("X must have rows and columns, and cv a number of folds or 'blocked' or 'forward'")
        size, seed = _values.count(self.sample, "sample"), _values.seed(self.random_state)
        parts = _parts(X, y)
        sampled = [part.of(_srfm_mcu.sample(len(X), size, seed)) for part in parts]
        rows = [np.concatenate(column) for column in zip(*dask.compute(*sampled))]
        if names is not None:
            rows[0] = _named(rows[0], names)
        if len(X) <= size:
            y = rows[1][:, 0] if self._is_single else rows[1]
            return super().fit(rows[0], _named(y, targets) if targets != ["y"] else y)
        checked = self._checked(rows[0], rows[1], multi_output=True, y_numeric=True)
        return self._fit_parts(parts, *checked, targets)

    def _workers(self):
        return _workers.active()

    def _fit_parts(self, parts, X, y, targets):
        """Takes the features from a sample and the rest from all parts."""
        names = getattr(self, "feature_names_in_", None)
        inputs = [f"x{i}" for i in range(X.shape[1])] if names is None else [str(name) for name in names]
        outputs = targets if len(targets) == y.shape[1] else [f"y{i}" for i in range(y.shape[1])]
        self._names = inputs, outputs, []
        count, split, _ = _values.folds(self.cv, X, y, None)
        settings = json.dumps({**self._settings(), "folds": count, "split": split}, default=_values.plain)
        X, y = np.ascontiguousarray(X, dtype=np.float64), np.ascontiguousarray(y, dtype=np.float64)
        threads = _values.threads(self.n_jobs)
        chosen = _srfm_mcu.Features.of(X, y, (inputs, outputs), settings, threads, None, self._workers())
        features = dask.delayed(chosen.bytes(), pure=True)
        (sums,) = dask.persist(_tree([part.sums(features) for part in parts], _merged, features))
        # A single ridge parameter is taken as it is.
        is_given = self.lambdas is not None and np.size(self.lambdas) == 1
        shares = [] if is_given else _shares(features, sums, chosen.count())
        (solved,) = dask.compute(_solved(features, sums, shares))
        amplitudes = dask.delayed(solved, pure=True)
        residuals = [part.residuals(features, amplitudes) for part in parts]
        (residuals,) = dask.compute(_tree(residuals, _merged_residuals))
        model, errors = chosen.finish(solved, residuals)
        self._keep(model, {**json.loads(chosen.report()), **json.loads(errors)})
        return self


class _Part:
    """Successive rows, from ``first`` up to ``end``, that a worker has."""

    def __init__(self, X, y, first, end):
        self.X, self.y, self.first, self.end = X, y, int(first), int(end)

    def of(self, rows):
        """Returns the rows of the sample among these."""
        rows = rows[(rows >= self.first) & (rows < self.end)] - self.first
        return _selected(self.X, self.y, rows)

    def sums(self, features):
        """Returns the sums over the rows."""
        return _sums(features, self.X, self.y, self.first)

    def residuals(self, features, amplitudes):
        """Returns the residuals of the rows."""
        return _residuals(features, amplitudes, self.X, self.y)


def _array(collection):
    """Returns a collection as an array whose chunks have known lengths."""
    if hasattr(collection, "to_dask_array"):
        # Dask may read partitions of Parquet together, so that their lengths are known only in the array.
        collection = collection.to_dask_array()
    if not isinstance(collection, dask.array.Array):
        collection = dask.array.asarray(collection)
    if any(np.isnan(size) for size in collection.chunks[0]):
        collection = collection.compute_chunk_sizes()
    return collection


def _parts(X, y):
    """Returns the rows in parts that begin at multiples of a span, so that sums do not depend on partitions."""
    span = _srfm_mcu.span()
    X, y = X.rechunk({0: span, 1: -1}), y.rechunk({0: span, 1: -1})
    ends = np.cumsum(X.chunks[0])
    columns = zip(X.to_delayed()[:, 0], y.to_delayed()[:, 0], ends - X.chunks[0], ends)
    return [_Part(*rows) for rows in columns]


def _named(values, names):
    """Returns values as pandas has them, with their names."""
    import pandas

    return pandas.Series(values, name=names[0]) if values.ndim == 1 else pandas.DataFrame(values, columns=names)


def _tree(parts, merge, *more):
    """Merges successive parts pair by pair: the tree of the library, whose sums have the same bits everywhere."""
    while len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
        parts = [merge(*more, *pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return parts[0]


def _numbers(rows):
    return np.ascontiguousarray(rows, dtype=np.float64)


@dask.delayed(pure=True)
def _selected(X, y, rows):
    return _numbers(X)[rows], _numbers(y)[rows]


@dask.delayed(pure=True)
def _sums(features, X, y, first):
    X, y = _numbers(X), _numbers(y)
    finite = np.isfinite(X).all(axis=1) & np.isfinite(y).all(axis=1)
    if not finite.all():
        raise ValueError(f"row {first + int(np.argmin(finite))} has a value that is not finite; fill or drop it before")
    return _srfm_mcu.Features(features).sums(X, y)


@dask.delayed(pure=True)
def _merged(features, first, second):
    return _srfm_mcu.Features(features).merge(first, second)


def _shares(features, sums, count):
    """Returns the errors of the ridge parameters, in shares for the workers where there are many features."""
    addresses = _workers.addresses() if count >= MANY_FEATURES else []
    if not addresses:
        return [_errors(features, sums, 0, 1)]
    shares = []
    for share in range(SHARES):
        # Dask would leave the work where the sums are: it counts their way to another worker as longer than the work.
        with dask.annotate(workers=[addresses[share % len(addresses)]], allow_other_workers=True):
            shares.append(_errors(features, sums, share, SHARES))
    return shares


@dask.delayed(pure=True)
def _errors(features, sums, share, shares):
    return _srfm_mcu.Features(features).errors(sums, share, shares)


@dask.delayed(pure=True)
def _solved(features, sums, shares):
    return _srfm_mcu.Features(features).solve(sums, [error for share in shares for error in share])


@dask.delayed(pure=True)
def _residuals(features, amplitudes, X, y):
    return _srfm_mcu.Features(features).residuals(amplitudes, _numbers(X), _numbers(y))


@dask.delayed(pure=True)
def _merged_residuals(first, second):
    return _srfm_mcu.Features.merge_residuals(first, second)
