"""Classes."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from srfm_mcu import _values
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

    def fit(self, X, y, groups=None, sample_weight=None):
        """Fits the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        y : array-like of shape (n_samples,)
            Labels.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, such as a device or a batch, whose rows stay in one fold.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts in the fit and in its cross-validation, times the weight of its class. A row of weight
            2 counts as two rows, and a row of weight 0 is left out. None counts all rows alike.

        Returns
        -------
        self : SrfmClassifier
        """
        target = str(getattr(y, "name", None) or "y")
        X, y = self._checked(X, y)
        check_classification_targets(y)
        weights = self._weights(sample_weight, X)
        counted = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        self.classes_ = np.unique(y[counted])
        members = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        if len(self.classes_) < 2:
            raise ValueError(f"y has one class, {self.classes_[0]!r}; a classifier needs at least two")
        labels = [str(label) for label in self.classes_]
        return self._fit(X, self._indicators(members), [target], labels, groups, weights, y)

    def _indicators(self, members):
        """Returns a column for each class, 1 in its rows; two classes share that of the second one."""
        count = len(self.classes_)
        return np.eye(count)[members][:, 1:] if count == 2 else np.eye(count)[members]

    def _targets(self, y):
        """Returns the indicators of labels."""
        y = column_or_1d(y)
        members = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        unknown = y[self.classes_[members] != y]
        if len(unknown):
            raise ValueError(f"y has the label {unknown[0]!r}, which the fit did not have")
        return self._indicators(members)

    def decision_function(self, X):
        """Returns the scores that the device decides by.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            Of two classes, above 0 for the second one; of more, largest for the class decided for.
        """
        scores = self._outputs(self._rows(X)).astype(np.float64)
        return scores[:, 0] - 0.5 if len(self.classes_) == 2 else scores

    def predict_proba(self, X):
        """Returns the probabilities of the classes, which cross-validation calibrates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_classes)
            Rows add up to 1; NaN where a reading is missing and the model has no replacement.
        """
        rows = self._rows(X)
        shares = self.model_.probabilities(rows).astype(np.float64)
        return shares / shares.sum(axis=1, keepdims=True)

    def predict_log_proba(self, X):
        """Returns the logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        logarithms : ndarray of shape (n_samples, n_classes)
            As :meth:`predict_proba`.
        """
        return np.log(self.predict_proba(X))

    def predict(self, X):
        """Returns the classes that the device decides for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Where ``missing="drop"`` and rows have NaN, or the model is not as sure as ``confidence`` demands, the array
            has objects: labels, and NaN for such rows, which scikit-learn's metrics refuse. ``score`` leaves rows with
            NaN out, and decides by the largest score where the model is not sure.
        """
        X = self._rows(X)
        decided = self.model_.decide(X)
        labels = self.classes_[decided]
        gaps = np.isnan(X).any(axis=1)
        if gaps.any():
            gaps[gaps] = np.isnan(self._outputs(X[gaps])).any(axis=1)
        gaps |= decided < 0
        if gaps.any():
            labels = labels.astype(object)
            labels[gaps] = np.nan
        return labels

    def score(self, X, y, sample_weight=None):
        """Returns the share of rows whose class has the largest score, whatever ``confidence`` demands.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings. With ``missing="drop"``, rows with NaN are left out.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows.

        Returns
        -------
        score : float
        """
        scores = self._outputs(self._rows(X))
        known = ~np.isnan(scores).any(axis=1)
        decided = scores[:, 0] > 0.5 if len(self.classes_) == 2 else scores.argmax(axis=1)
        right = self.classes_[decided.astype(int)] == column_or_1d(y)
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return float(np.average(right[known], weights=weights))
