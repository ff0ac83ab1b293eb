"""Values of settings: sizes, times, seeds and the division of rows into folds."""

import json
import numbers
import os
import re

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from srfm_mcu import _srfm_mcu

SIZES = {"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20}
TIMES = {"": 1.0, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}

LATENCIES = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

#: The largest seed.
MOST_SEED = 2**32 - 1

#: The largest number of features or instructions.
MOST_COUNT = 2**32 - 1

#: The largest number of bytes.
MOST_BYTES = 2**53

#: The largest reading, as the device has ``float32``.
MOST_READING = float(np.finfo(np.float32).max)


def size(value, name):
    """Returns a number of bytes: an integer, or text such as ``"2k"``, where k stands for 1024."""
    bytes_ = _number(value, SIZES)
    if bytes_ is None or not 1 <= bytes_ <= MOST_BYTES or bytes_ != int(bytes_):
        raise ValueError(f'{name}={value!r} is no number of bytes; give one such as 512, "2k" or "1M"')
    return int(bytes_)


#: The number of folds.
USUAL_FOLDS = 5


def effort(value):
    """Returns the work of a search: a number of units."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 1e-3 <= value <= 1e9:
        raise ValueError(f"effort={value!r} is no number of units from 0.001 to 1e9; give one such as 60")
    return float(value)


def seconds(value, name):
    """Returns a time in seconds: a number, or text such as ``"60s"``, ``"5m"`` or ``"1h"``."""
    time = _number(value, TIMES)
    if time is None or not 0 < time < 1e9:
        raise ValueError(f'{name}={value!r} is no time; give one such as 60, "60s" or "5m"')
    return float(time)


def method(name, settings, limited):
    """Returns a method with its settings as the library reads it; None for a search.

    Time and effort are those of a search, which may be ``limited`` by them.
    """
    if name is None or text(name, "method", "one of srfm_mcu.methods(), or 'auto'") == "auto":
        if settings:
            raise ValueError(f"settings are those of a method, but method={name!r} searches; name a method")
        return None
    if limited:
        raise ValueError(f"time and effort are those of a search, but method={name!r}; leave one of them out")
    return {name: settings}


def settings(value):
    """Returns the settings of a method by name."""
    try:
        given = dict(value or {})
    except (TypeError, ValueError):
        raise ValueError(f"settings={value!r} is no dictionary; give one such as {{'iterations': 20}}") from None
    for name, setting in given.items():
        if not isinstance(name, str):
            raise ValueError(f"settings has the name {name!r}, which is no text; give one such as 'iterations'")
        try:
            json.dumps(setting, default=plain, allow_nan=False)
        except (TypeError, ValueError):
            kinds = "neither a finite number nor text nor a list of these"
            raise ValueError(f"the setting {name!r} is {setting!r}, which is {kinds}") from None
    return given


def class_weights(value):
    """Returns what errors in rows of classes count, as a request has it."""
    if value is None or isinstance(value, str) and value == "balanced":
        return value or "equal"
    weights = value.values() if isinstance(value, dict) else [None]
    if not all(isinstance(weight, numbers.Real) and not isinstance(weight, bool) for weight in weights):
        raise ValueError(f"class_weight={value!r} is neither 'balanced' nor a dictionary of weights by label")
    return {str(label): float(weight) for label, weight in value.items()}


def confidence(value):
    """Returns how sure of a class the model must be; none where every row gets a class."""
    if value is None:
        return None
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < 1:
        raise ValueError(f"confidence={value!r} is no share of rows between 0 and 1; give one such as 0.95")
    return float(value)


def false_alarms(value):
    """Returns the largest share of normal rows that are found novel."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < 1:
        raise ValueError(f"false_alarms={value!r} is no share of rows between 0 and 1; give one such as 0.01")
    return float(value)


#: What candidates for classes are chosen by.
METRICS = ("accuracy", "balanced", "log-loss", "brier")


def metric(value):
    """Returns what candidates for classes are chosen by."""
    if not isinstance(value, str) or value not in METRICS:
        known = ", ".join(repr(name) for name in METRICS)
        raise ValueError(f"metric={value!r} is no metric of classes; give one of {known}")
    return value


#: The groups of a request whose fields need no keyword.
GROUPS = ("grid", "preprocessing", "encoding", "device", "search")


def completed(request, config):
    """Returns a request with the settings of ``config``, which have no keyword."""
    if not isinstance(config, dict) or not all(isinstance(group, dict) for group in config.values()):
        usual = {"search": {"max_inputs": 4}}
        raise ValueError(f"config={config!r} is no dictionary of groups; give one such as {usual}")
    whole = dict(request)
    for group, more in config.items():
        if group not in GROUPS:
            known = ", ".join(repr(name) for name in GROUPS)
            raise ValueError(f"config has the group {group!r}; give settings of {known}, and others as keywords")
        own = request.get(group, {})
        twice = [name for name in more if name in own]
        if twice:
            raise ValueError(f"config[{group!r}] has {twice[0]!r}, which has a keyword of its own")
        whole[group] = {**own, **more}
    return whole


def lambdas(value):
    """Returns ridge parameters as a list; none for the usual ones."""
    if value is None:
        return None
    given = np.atleast_1d(np.asarray(value, dtype=object)).tolist()
    is_number = [isinstance(one, numbers.Real) and not isinstance(one, bool) for one in given]
    found = [float(one) for one in given] if all(is_number) else [np.nan]
    if not np.isfinite(found).all():
        raise ValueError(f"lambdas={value!r} is no list of finite numbers; give one such as [1e-6, 1e-3]")
    return found


def text(value, name, known):
    """Returns the value of a setting that is text."""
    if not isinstance(value, str):
        raise ValueError(f"{name}={value!r} is no text; give {known}")
    return value


def threads(n_jobs):
    """Returns the number of threads; 0 for one for each processor."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r} is no number of threads; give one from 1, or -1 for all processors")
    return int(n_jobs) if n_jobs > 0 else max((os.cpu_count() or 1) + 1 + int(n_jobs), 1)


def count(value, name):
    """Returns a whole number of at least 1."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or not 1 <= value <= MOST_COUNT:
        raise ValueError(f"{name}={value!r} is no whole number of at least 1")
    return int(value)


def listed(value):
    """Returns a value, or the values of a list or an array, as a list."""
    return list(value) if isinstance(value, (list, tuple, range, set, np.ndarray)) and np.ndim(value) else [value]


def terms(value):
    """Returns the terms beside the features; none for those of the method."""
    if value not in (None, "none", "intercept", "linear", "ridge"):
        raise ValueError(f"terms={value!r} is not known; choose 'none', 'intercept', 'linear' or 'ridge'")
    return value


def number(value):
    """Returns the number format; none for the one that suits the core."""
    if value is None:
        return None
    if text(value, "number", "'f32', 'int' or 'int16'") not in ("auto", "f32", "int", "int16"):
        raise ValueError(f"number={value!r} is no number format; choose f32, int, int16, or auto for a search")
    return value


def core(value):
    """Returns the name of a core."""
    if text(value, "core", "one of srfm_mcu.cores()") not in _srfm_mcu.cores():
        raise ValueError(f"core={value!r} is not known; choose one of {', '.join(_srfm_mcu.cores())}")
    return value


def board(value):
    """Returns the name of a board."""
    if text(value, "board", "one of srfm_mcu.boards()") not in _srfm_mcu.boards():
        raise ValueError(f"board={value!r} is not known; choose one of {', '.join(_srfm_mcu.boards())}")
    return value


def latency(value):
    """Returns the longest time of a prediction in seconds: a number, or text such as ``"200us"`` or ``"1.5ms"``."""
    time = _number(value.replace("µ", "u").replace("μ", "u") if isinstance(value, str) else value, LATENCIES)
    if time is None or not 0 < time < 1e9:
        raise ValueError(f'latency={value!r} is no time; give one such as 2e-4, "200us" or "1.5ms"')
    return float(time)


def deploy(value):
    """Returns how the model gets on the board."""
    if text(value, "deploy", "'file' or 'c'") == "rust":
        raise ValueError('deploy="rust" is only in the command, srfm fit --deploy rust, which needs cargo')
    if value not in ("file", "c"):
        raise ValueError(f'deploy="{value}" is none of file, c')
    return value


def shown(value):
    """Returns a value as messages show it; one of numpy is shown as that of Python."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def plain(value):
    """Returns a number of numpy as one of Python."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise ValueError(f"{value!r} is no number of numpy")


def seed(random_state):
    """Returns the seed of a ``random_state``; 1 for none."""
    if random_state is None:
        return 1
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**64:
            raise ValueError(f"random_state={random_state} is no seed; give a whole number of at least 0")
        return int(random_state)
    return int(check_random_state(random_state).randint(MOST_SEED, dtype=np.int64))


def finite(missing):
    """Returns which rows scikit-learn is to accept: finite ones, or those with NaN as well."""
    if missing not in ("error", "drop", "mean"):
        raise ValueError(f"missing={missing!r} is not known; choose 'error', 'drop' or 'mean'")
    return True if missing == "error" else "allow-nan"


def check_range(X, names):
    """Refuses readings that ``float32`` cannot hold. Without names, inputs have the usual ones."""
    # Without a copy of X; NaN is neither the largest nor the least.
    largest, least = np.fmax.reduce(X, axis=0), np.fmin.reduce(X, axis=0)
    beyond = np.flatnonzero((largest > MOST_READING) | (least < -MOST_READING))
    if len(beyond):
        columns = ", ".join(f"x{place}" if names is None else str(names[place]) for place in beyond)
        raise ValueError(f"X has values beyond ±3.4e38, the range of float32, in {columns}; scale such columns")


def numbered(groups):
    """Returns groups as numbers from 0 in the order of their first rows, as the command numbers them."""
    if not len(groups):
        return []
    _, firsts, places = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(firsts))[places.ravel()].tolist()


def groups(value, rows):
    """Returns the number of each row's group, from 0 in any order; an empty list without groups."""
    if value is None:
        return []
    try:
        found = np.unique(np.asarray(value), return_inverse=True)[1].ravel().tolist()
    except TypeError:
        raise ValueError("groups has values that have no order, such as None; give each row a number or text") from None
    if len(found) != rows:
        raise ValueError(f"there are {len(found)} groups for {rows} rows")
    return found


def check_columns(X, names):
    """Refuses inputs without any value."""
    empty = [name for name, none in zip(names, np.isnan(X).all(axis=0)) if none]
    if empty:
        raise ValueError(f"X has no values in {', '.join(empty)}; leave such columns out")


def complete(X, names):
    """Returns which rows have all values."""
    gaps = np.isnan(X)
    kept = ~gaps.any(axis=1)
    if not kept.any():
        worst = gaps.sum(axis=0).argmax()
        raise ValueError(
            f"each of the {len(X)} rows lacks a value, most often {names[worst]} ({gaps[:, worst].sum()} rows); leave "
            "such columns out or set missing='mean'"
        )
    return kept


def folds_of(folds, kept):
    """Returns the folds of the rows that are kept, which are numbered anew."""
    places = np.cumsum(kept) - 1
    return [tuple(places[rows[kept[rows]]] for rows in fold) for fold in folds]


def folds(cv, X, y, groups):
    """Returns the number of folds, how the library divides rows (``random``, ``blocked``, ``forward``), and the folds
    of a splitter of scikit-learn as pairs of training and test rows; an empty list where the library divides."""
    if cv is None:
        return USUAL_FOLDS, "random", []
    if isinstance(cv, numbers.Integral) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv={cv!r} is too small; give at least 2 folds")
        return int(cv), "random", []
    if isinstance(cv, str):
        if cv not in ("random", "blocked", "forward"):
            raise ValueError(f"cv={cv!r} is not known; choose a number of folds, 'random', 'blocked' or 'forward'")
        return USUAL_FOLDS, cv, []
    if not hasattr(cv, "split") and not np.iterable(cv):
        raise ValueError(
            f"cv={cv!r} is not known; give a number of folds, 'random', 'blocked', 'forward', a splitter of "
            "scikit-learn such as KFold, GroupKFold or TimeSeriesSplit, or pairs of training and test rows"
        )
    try:
        pairs = [(train, test) for train, test in check_cv(cv).split(X, y, groups)]
    except TypeError as error:
        raise ValueError(f"cv={cv!r} gives no pairs of training and test rows: {error}") from None
    if not pairs:
        raise ValueError(f"cv={cv!r} gives no folds; give at least one pair of training and test rows")
    given = [tuple(_fold_rows(rows, len(X), fold) for rows in pair) for fold, pair in enumerate(pairs)]
    return len(given), "random", given


def _fold_rows(rows, count, fold):
    """Returns the rows of a part of a fold as integers from 0; ``rows`` may be a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (count,):
        rows = np.flatnonzero(rows)
    if rows.ndim != 1 or (rows.size and not np.issubdtype(rows.dtype, np.integer)):
        raise ValueError(f"fold {fold} of cv has rows that are no integers; give the numbers of the rows, from 0")
    if rows.size and rows.min() < 0:
        raise ValueError(f"fold {fold} of cv has row {rows.min()}; rows count from 0")
    if rows.size and rows.max() >= count:
        raise ValueError(f"fold {fold} of cv has row {rows.max()}, but the last row is {count - 1}; rows count from 0")
    return np.ascontiguousarray(rows, dtype=np.int64)


def _number(value, units):
    """Returns a number with its unit as a number; none where it is no such text."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return value
    match = re.fullmatch(r"([0-9.eE+-]+) ?([A-Za-z]*)", value) if isinstance(value, str) else None
    if match is None or match[2].lower() not in units:
        return None
    try:
        return float(match[1]) * units[match[2].lower()]
    except ValueError:
        return None
