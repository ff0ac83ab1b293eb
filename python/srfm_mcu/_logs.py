"""Rows that follow each other in time: their groups, their times, and which earlier rows inputs come from."""

import numbers
from typing import NamedTuple

import numpy as np

from srfm_mcu import _values

#: The largest lag.
MOST_LAG = 254

#: The largest number of samples that a request holds.
MOST_SAMPLES = 2**16 - 1


class Log(NamedTuple):
    """Rows of readings (n×c) and the columns beside them, each with its name; None where there is no such column."""

    x: np.ndarray
    names: list
    groups: tuple | None
    times: tuple | None
    weights: tuple | None


def log(X, names, groups, time, weights=None):
    """Returns rows with the columns beside them, whose names differ from those of the readings."""
    beside = {
        "groups": None if groups is None else (_name(groups, "group"), _texts(groups, "groups", len(X))),
        "time": None if time is None else (_name(time, "time"), _texts(time, "time", len(X))),
        "sample_weight": None if weights is None else ("sample_weight", np.asarray(weights, dtype=np.float64)),
    }
    taken = list(names)
    for argument, column in beside.items():
        if column is not None and column[0] in taken:
            advice = f"leave it out of X, or give {argument} another name, as pandas.Series(values, name=...) does"
            raise ValueError(f"{argument} has the name {column[0]!r}, which another column has, too; {advice}")
        taken.extend([] if column is None else column[:1])
    return Log(np.ascontiguousarray(X, dtype=np.float64), list(names), *beside.values())


def preparation(given, lags, window, step):
    """Returns the settings of the columns of a log as a request has them."""
    of = [column and column[0] for column in (given.groups, given.times, given.weights)]
    return {
        "lag": _lags(lags, given.names),
        "window": None if window is None else _samples(window, "window"),
        "step": None if step is None else _samples(step, "step"),
        "group": of[0],
        "time_column": of[1],
        "weight": of[2],
    }


def labels(y):
    """Returns the text of each label; None where it is missing."""
    return [None if _is_missing(label) else str(label) for label in y]


def known(y):
    """Returns which rows have a target and, of several targets, all of them."""
    values = np.atleast_1d(np.asarray(y))
    missing = values != values if values.dtype.kind != "O" else np.frompyfunc(_is_missing, 1, 1)(values).astype(bool)
    return ~missing.reshape(len(missing), -1).any(axis=1)


def _name(values, usual):
    """Returns the name of a column of pandas or polars, or the usual one."""
    return str(getattr(values, "name", None) or usual)


def _lags(value, names):
    """Returns the lags of columns: a list is that of all columns, a dictionary has lists by name."""
    if value is None:
        return []
    columns = value if isinstance(value, dict) else {name: value for name in names}
    return [(str(name), _of_column(lags, value)) for name, lags in columns.items()]


def _of_column(value, whole):
    """Returns the lags of a column, which stand in the parameter ``whole``."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        advice = f"give every lag, as in [0, 1, 2, 3], or [{value}] for that row alone"
        raise ValueError(f"lags={whole!r} has the number {value} in place of a list; {advice}")
    listed = _values.listed(value)
    is_lag = [isinstance(lag, numbers.Integral) and not isinstance(lag, bool) for lag in listed]
    if not listed or not all(is_lag) or not all(0 <= lag <= MOST_LAG for lag in listed):
        usual = "[0, 1, 2], or such lists by column"
        raise ValueError(f"lags={whole!r} is no list of whole numbers from 0 to {MOST_LAG}; give one such as {usual}")
    return [int(lag) for lag in listed]


def _samples(value, name):
    """Returns a number of samples; the library says which ones a model takes."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not 0 <= value <= MOST_SAMPLES:
        raise ValueError(f"{name}={value!r} is no number of samples; give a whole number such as 64")
    return int(value)


def _texts(values, name, rows):
    """Returns a column beside the readings as texts, as a file has it; durations become seconds."""
    values = np.asarray(values)
    if values.ndim != 1 or len(values) != rows:
        raise ValueError(f"{name} has the shape {values.shape}, but X has {rows} rows; give one value for each row")
    if values.dtype.kind == "M":
        return np.datetime_as_string(values.astype("datetime64[us]")).tolist()
    if values.dtype.kind == "m":
        values = values / np.timedelta64(1, "s")
    return labels(values.tolist())


def _is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:
        # The missing value of pandas has no truth value.
        return True
