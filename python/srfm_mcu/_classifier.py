"""Classes."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from srfm_mcu import _logs, _values
from srfm_mcu._base import ATTRIBUTES, PARAMETERS, Srfm
from srfm_mcu._fitted import Scored


class SrfmClassifier(Scored, ClassifierMixin, Srfm):
    __doc__ = f"""Sparse random feature model of classes.

    Features are chosen by least squares on indicators of the classes, amplitudes by logistic or softmax regression.
    Decisions and probabilities are those of the device.

    Parameters
    ----------{PARAMETERS}
    class_weight : "balanced" or dict, default=None
        What errors in rows of a class count: the same of every class together, or weights by label, 1 for the others.
        Decisions and probabilities are then those of classes as frequent as their rows times their weights.
    confidence : float, default=None
        Share of rows, such as 0.95, whose class is to be among those that the model cannot rule out. ``predict`` names
        a class only where one is left, and NaN for the other rows. None names a class for every row.
    metric : {"accuracy", "balanced", "log-loss", "brier"}, default="accuracy"
        Figure of cross-validation that settings and, in a search, methods are chosen by: the share of right classes,
        the mean of the recalls, or the log loss or the Brier score of the probabilities.
    Attributes
    ----------{ATTRIBUTES}
    classes_ : ndarray of shape (n_classes,)
        Labels of the classes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from srfm_mcu import SrfmClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(SrfmClassifier("harfe", features=20).fit(X, y).score(X, y) > 0.95)
    True
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
        class_weight=None,
        confidence=None,
        metric="accuracy",
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
        self.class_weight = class_weight
        self.confidence = confidence
        self.metric = metric

    def _request(self):
        """Returns the request of the keywords."""
        request = super()._request()
        columns = {**request["columns"], "class_weights": _values.class_weights(self.class_weight)}
        encoding = {**request["encoding"], "confidence": _values.confidence(self.confidence)}
        metric = _values.metric(self.metric)
        return {**request, "columns": columns, "encoding": encoding, "metric": metric}

    def fit(self, X, y, groups=None, sample_weight=None, time=None):
        """Fits the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        y : array-like of shape (n_samples,)
            Labels. With ``missing="drop"`` or ``"mean"``, rows with NaN or None are left out; with lags or a window,
            such rows are a history for later ones.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, such as a device or a batch, whose rows stay in one fold. Lags and windows stay within a
            group.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts in the fit and in its cross-validation, times the weight of its class. A row of weight
            2 counts as two rows, and a row of weight 0 is left out. None counts all rows alike.
        time : array-like of shape (n_samples,), default=None
            Time of each row: numbers such as seconds, dates of NumPy or pandas, or text in ISO 8601. It orders the
            rows. Lags and windows begin anew after a gap of more than 1.5 times the median time between two rows.
            None takes rows as they follow each other, without gaps.

        Returns
        -------
        self : SrfmClassifier
        """
        target = str(getattr(y, "name", None) or "y")
        if self._is_log(time) or self._lacks_targets(y):
            return self._fit_classes_of_log(X, y, target, groups, sample_weight, time)
        X, y = self._checked(X, y)
        check_classification_targets(y)
        weights = self._weights(sample_weight, X)
        counted = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        self.classes_ = np.unique(y[counted])
        members = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {_values.shown(self.classes_[0])}; a classifier needs at least two")
        labels = [str(label) for label in self.classes_]
        return self._fit(X, self._indicators(members), [target], labels, groups, weights, y)

    def _fit_classes_of_log(self, X, y, target, groups, sample_weight, time):
        """Fits labels of rows in the order of time, some of which may be missing."""
        X, y = self._valid(X, ensure_min_samples=2), column_or_1d(y)
        texts = _logs.labels(y)
        known = np.array([label for label, text in zip(y.tolist(), texts) if text is not None])
        check_classification_targets(known)
        weights = self._weights(sample_weight, X)
        self._fit_log(X, (target, texts), "classes", groups, time, weights, y)
        # The library leaves out classes without a row, and sorts numbers by value.
        by_text = {str(label): label for label in known}
        self.classes_ = np.array([by_text.get(name, name) for name in self.model_.classes()])
        return self

    def _log_targets(self, y):
        """Returns targets of rows in the order of time as the library takes them."""
        return self._names[1][0], _logs.labels(column_or_1d(y))

    def _indicators(self, members):
        """Returns a column for each class, 1 in its rows; two classes share that of the second one."""
        count = len(self.classes_)
        return np.eye(count)[members][:, 1:] if count == 2 else np.eye(count)[members]

    def _targets(self, y):
        """Returns the indicators of labels."""
        y = column_or_1d(y)
        order = np.argsort(self.classes_)
        members = order[np.searchsorted(self.classes_, y, sorter=order).clip(max=len(self.classes_) - 1)]
        unknown = y[self.classes_[members] != y]
        if len(unknown):
            raise ValueError(f"y has the label {_values.shown(unknown[0])}, which the fit did not have")
        return self._indicators(members)

    def decision_function(self, X, groups=None, time=None):
        """Returns the scores that the device decides by.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes, above 0 for the second one; of more, largest for the class decided for. NaN where a reading
            is missing and the model has no replacement, for rows without a whole history, and for those that complete
            no window.
        """
        scores = self._outputs(*self._inputs(X, groups, time)).astype(np.float64)
        return scores[:, 0] - 0.5 if len(self.classes_) == 2 else scores

    def predict_proba(self, X, groups=None, time=None):
        """Returns the probabilities of the classes, which cross-validation calibrates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows add up to 1. NaN where :meth:`decision_function` gives NaN.
        """
        rows, ready = self._inputs(X, groups, time)
        shares = self.model_.probabilities(rows).astype(np.float64)
        shares[~ready] = np.nan
        return shares / shares.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X, groups=None, time=None):
        """Returns the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            As :meth:`predict_proba`.
        """
        return np.log(self.predict_proba(X, groups, time))

    def predict(self, X, groups=None, time=None):
        """Returns the classes that the device decides for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Where ``missing="drop"`` and rows have NaN, or the model is not as sure as ``confidence`` demands, the array
            has objects: labels, and NaN for such rows, which scikit-learn's metrics refuse. The same holds for rows
            without a whole history, and for those that complete no window. ``score`` leaves all of them out, and
            decides by the largest score where the model is not sure.
        """
        X, ready = self._inputs(X, groups, time)
        decided = self.model_.decide(X)
        labels = self.classes_[decided]
        gaps = np.isnan(X).any(axis=1)
        if gaps.any():
            gaps[gaps] = np.isnan(self._outputs(X[gaps], ready[gaps])).any(axis=1)
        gaps |= (decided < 0) | ~ready
        if gaps.any():
            labels = labels.astype(object)
            labels[gaps] = np.nan
        return labels

    def score(self, X, y, sample_weight=None, groups=None, time=None):
        """Returns the share of rows whose class has the largest score, whatever ``confidence`` demands.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings. With ``missing="drop"``, rows with NaN are left out; with lags, those without a whole
            history; with a window, those that complete none, and windows of several classes.
        y : array-like of shape (n_samples,)
            Their labels. With ``missing="drop"`` or ``"mean"``, rows with NaN or None are left out.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, where the model looks back at earlier rows of the same group. None stands for one group.
        time : array-like of shape (n_samples,), default=None
            Time of each row, as in ``fit``, in ascending order within a group. None stands for rows without a gap.

        Returns
        -------
        score : float
        """
        rows, kept = self._evaluated(X, y, groups, time)
        scores = self._outputs(rows, np.ones(len(rows), dtype=bool))
        known = ~np.isnan(scores).any(axis=1)
        if self.missing != "error":
            known &= _logs.known(y)[kept]
        decided = scores[:, 0] > 0.5 if len(self.classes_) == 2 else scores.argmax(axis=1)
        right = self.classes_[decided.astype(int)] == column_or_1d(y)[kept]
        weights = None if sample_weight is None else np.asarray(sample_weight)[kept][known]
        return float(np.average(right[known], weights=weights))
