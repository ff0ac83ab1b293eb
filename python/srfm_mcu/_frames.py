"""Columns that are no numbers."""

import datetime

import numpy as np

from srfm_mcu import _values


def check(X):
    """Refuses a frame with columns of text or dates, by their names."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    for name in X.columns:
        values = np.asarray(X[name])
        if _has_times(values):
            raise ValueError(
                f"the column {str(name)!r} of X has dates or times; leave it out, or give numbers made of it, such as "
                "hours. Where rows follow each other in time, fit takes it as time=, and cv='forward' tests on later "
                "rows"
            )
        _check_text(name, values)
        if hasattr(getattr(X[name], "dtype", None), "categories"):
            raise ValueError(
                f"the column {str(name)!r} of X has categories, such as {values[0]}; turn them into columns with "
                "pandas.get_dummies(X, dtype=int) or OneHotEncoder or, where their size counts, into numbers with "
                "astype(float)"
            )


def check_array(X):
    """Refuses an array with columns of text, by their numbers."""
    rows = np.asarray(X, dtype=object)
    if rows.ndim == 2:
        for place, values in enumerate(rows.T):
            _check_text(f"x{place}", values)


def _check_text(name, values):
    """Refuses a column of text."""
    text = _first(values, str, _is_no_number) if values.dtype.kind in "OUST" else None
    if text is not None:
        raise ValueError(
            f"the column {str(name)!r} of X has text, such as {_values.shown(text)}; leave it out, or turn its "
            "categories into numbers with pandas.get_dummies(X, dtype=int) or OneHotEncoder"
        )


def check_targets(y):
    """Refuses quantities that are dates or times, by their names."""
    columns = [(name, y[name]) for name in y.columns] if hasattr(y, "columns") else [(getattr(y, "name", None), y)]
    for name, values in columns:
        if _has_times(np.asarray(values)):
            target = "y" if name is None else str(name)
            raise ValueError(f"the target {target!r} has dates or times; give numbers made of it, such as hours")


def _has_times(values):
    """Returns whether values are dates, times or durations."""
    return values.dtype.kind in "Mm" or (values.dtype.kind == "O" and _first(values, datetime.date) is not None)


def _first(values, kind, holds=lambda value: True):
    """Returns the first value of a kind that a condition holds for; None without one."""
    return next((value for value in values.ravel() if isinstance(value, kind) and holds(value)), None)


def _is_no_number(text):
    try:
        float(text)
    except ValueError:
        return True
    return False
