"""Novel rows among normal ones."""

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from srfm_mcu import _values
from srfm_mcu._base import ATTRIBUTES, PARAMETERS, Srfm

#: The target and the classes of a model of novelty.
TARGET, CLASSES = "novelty", ["normal", "novel"]


class SrfmNovelty(OutlierMixin, Srfm):
    __doc__ = f"""Sparse random feature model that tells novel rows from normal ones.

    It is fitted to normal rows alone. Scores and decisions are those of the device. A quarter of the rows, or more
    where ``false_alarms`` needs them, sets the threshold and is not fitted.

    Parameters
    ----------{PARAMETERS}
    false_alarms : float, default=0.01
        Largest share of fresh normal rows that are found novel. A share of 0.01 takes at least 198 rows, one of 0.05
        at least 38.
    Attributes
    ----------{ATTRIBUTES}
    offset_ : float
        What ``decision_function`` is less than ``score_samples``: -0.5.

    Examples
    --------
    >>> import numpy as np
    >>> from srfm_mcu import SrfmNovelty
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = SrfmNovelty("rules", features=60).fit(X)
    >>> model.predict([[0, 0], [9, 9]]).tolist()
    [1, -1]
    """

    def __init__(
        self,
        method=None,
        *,
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
        lags=None,
        window=None,
        step=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
        false_alarms=0.01,
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
            lags=lags,
            window=window,
            step=step,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.false_alarms = false_alarms

    def _request(self):
        """Returns the request of the keywords."""
        request = super()._request()
        share = _values.false_alarms(self.false_alarms)
        return {**request, "columns": {**request["columns"], "kind": "novelty", "false_alarms": share}}

    def fit(self, X, y=None, groups=None, time=None):
        """Fits the model to normal rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings, all of them normal.
        y : None
            Not used; scikit-learn passes it.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, such as a device or a batch, whose rows set the threshold together or not at all. Lags
            and windows begin anew with each group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as that of :meth:`SrfmRegressor.fit`.

        Returns
        -------
        self : SrfmNovelty
        """
        X = self._valid(X, ensure_min_samples=2)
        if self._is_log(time):
            return self._fit_log(X, None, "novelty", groups, time, None, np.zeros(len(X)))
        return self._fit(X, np.zeros((len(X), 1)), [TARGET], CLASSES, groups, None, np.zeros(len(X)))

    @property
    def offset_(self):
        check_is_fitted(self, "model_")
        return -0.5

    def score_samples(self, X, groups=None, time=None):
        """Returns how normal rows are.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Larger for more normal rows; NaN where a reading is missing and the model has no replacement, and where
            a row has no whole history or completes no window.
        """
        return -self._outputs(*self._inputs(X, groups, time))[:, 0].astype(np.float64)

    def decision_function(self, X, groups=None, time=None):
        """Returns the scores less the threshold.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Below 0 for novel rows.
        """
        return self.score_samples(X, groups, time) - self.offset_

    def predict(self, X, groups=None, time=None):
        """Returns what the device decides.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            1 for normal rows and -1 for novel ones. Where rows without a score are among them, the labels are floats,
            with NaN for such rows.
        """
        scores = self.decision_function(X, groups, time)
        labels = np.where(scores < 0, -1, 1)
        gaps = np.isnan(scores)
        return np.where(gaps, np.nan, labels) if gaps.any() else labels

    def _log_targets(self, y):
        """Returns labels of rows in the order of time as the library takes them."""
        return TARGET, [CLASSES[int(novel)] for novel in self._targets(y)[:, 0]]

    def _targets(self, y):
        """Returns the indicator of novel rows of labels 1 and -1."""
        y = column_or_1d(y)
        if not np.isin(y, (1, -1)).all():
            raise ValueError("y has labels other than 1 (normal) and -1 (novel)")
        return np.asarray(y == -1, dtype=np.float64)[:, np.newaxis]
