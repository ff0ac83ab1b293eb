"""Scorers of scikit-learn for rows without a prediction."""

import functools

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing

#: What scorers call.
RESPONSES = ("predict", "predict_proba", "decision_function")


def scorer(scoring):
    """Returns a scorer that leaves out rows without a prediction.

    scikit-learn's metrics refuse the NaN of rows without a whole history, of rows that complete no window, of rows with
    gaps, and of rows of which a classifier with a ``confidence`` is not sure.

    Parameters
    ----------
    scoring : str
        One of ``sklearn.metrics.get_scorer_names()``, such as ``"neg_mean_absolute_error"``.

    Returns
    -------
    scorer : callable
        It takes an estimator, rows and targets, and is the ``scoring`` of ``cross_val_score`` and ``GridSearchCV``.
        It also takes ``groups`` and ``time`` as ``predict`` does.

    Examples
    --------
    >>> import numpy as np
    >>> import srfm_mcu
    >>> x = np.sin(np.arange(100))
    >>> X, y = x.reshape(-1, 1), np.roll(x, 1)
    >>> model = srfm_mcu.SrfmRegressor("linear", lags=[1], cv="forward").fit(X, y)
    >>> bool(srfm_mcu.scorer("neg_mean_absolute_error")(model, X, y) > -1e-3)
    True
    """
    scored = get_scorer(scoring)

    def score(estimator, X, y, **beside):
        kept = _kept(estimator, X, y, beside)
        known = _Known(estimator, X, kept, beside)
        return scored(known, _safe_indexing(X, kept), _safe_indexing(y, kept))

    return score


def _kept(estimator, X, y, beside):
    """Returns the numbers of the rows with a prediction and a target."""
    values = estimator.predict(X, **beside)
    rows = np.asarray(values).reshape(len(values), -1)
    known = np.flatnonzero((rows == rows).all(axis=1))
    if not (hasattr(estimator, "model_") and estimator.model_.looks_back()):
        return known
    evaluated = estimator._evaluated(X, y, beside.get("groups"), beside.get("time"))[1]
    return np.intersect1d(known, evaluated.astype(np.int64))


class _Known:
    """An estimator whose predictions are those of the rows that are kept, whatever rows it gets."""

    def __init__(self, estimator, X, kept, beside):
        self._estimator, self._X, self._kept, self._beside = estimator, X, kept, beside

    def __getattr__(self, name):
        value = getattr(self._estimator, name)
        if name not in RESPONSES:
            return value

        # scikit-learn looks at the name of the method.
        @functools.wraps(value)
        def of_kept(rows):
            # Labels beside NaN are objects, whose type the list finds again.
            return np.array(value(self._X, **self._beside)[self._kept].tolist())

        return of_kept
