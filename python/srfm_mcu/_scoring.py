"""Scorers of scikit-learn for rows without a prediction."""

import functools

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing
from sklearn.utils.metadata_routing import MetadataRequest, get_routing_for_object

from srfm_mcu import _logs

#: What scorers call.
RESPONSES = ("predict", "predict_proba", "decision_function")

#: What scorers take beside rows and targets.
METADATA = ("groups", "time", "sample_weight")


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
        It also takes ``groups`` and ``time`` as ``predict`` does. Under scikit-learn's metadata routing, it asks for
        both; ``set_score_request`` changes this, and asks for ``sample_weight``.

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
    return _Scorer(scoring)


class _Scorer:
    """A scorer of scikit-learn's that gets the rows with a prediction alone."""

    def __init__(self, scoring):
        self._scoring, self._scored = scoring, get_scorer(scoring)
        of_metric = get_routing_for_object(self._scored).score.requests
        self._requests = {**of_metric, "groups": True, "time": True}

    def __repr__(self):
        return f"srfm_mcu.scorer({self._scoring!r})"

    def __call__(self, estimator, X, y, sample_weight=None, groups=None, time=None):
        beside = {name: value for name, value in (("groups", groups), ("time", time)) if value is not None}
        kept = _kept(estimator, X, y, beside)
        known = _Known(estimator, X, kept, beside)
        weights = {} if sample_weight is None else {"sample_weight": _safe_indexing(sample_weight, kept)}
        return self._scored(known, _safe_indexing(X, kept), _safe_indexing(y, kept), **weights)

    def set_score_request(self, **requests):
        """Sets what scikit-learn's metadata routing passes on, as that of a scorer of scikit-learn does.

        Parameters
        ----------
        **requests : bool, str or None
            Of ``groups``, ``time`` and ``sample_weight``: whether it is passed on, or the name that it has. None
            stands for an error where it is given.

        Returns
        -------
        self : scorer
        """
        unknown = [name for name in requests if name not in METADATA]
        if unknown:
            raise TypeError(f"a scorer takes no {unknown[0]!r}; it takes {', '.join(METADATA)}")
        self._requests.update(requests)
        return self

    def get_metadata_routing(self):
        """Returns what scikit-learn's metadata routing passes on."""
        routing = MetadataRequest(owner=repr(self))
        for name, alias in self._requests.items():
            routing.score.add_request(param=name, alias=alias)
        return routing

    def _accept_sample_weight(self):
        # scikit-learn asks where metadata routing is not enabled.
        return "sample_weight" in self._requests


def _kept(estimator, X, y, beside):
    """Returns the numbers of the rows with a prediction and a target."""
    values = estimator.predict(X, **beside)
    rows = np.asarray(values).reshape(len(values), -1)
    known = np.flatnonzero((rows == rows).all(axis=1) & _logs.known(y))
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
