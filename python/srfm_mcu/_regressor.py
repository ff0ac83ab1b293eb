"""Quantities."""

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_array, check_is_fitted

from srfm_mcu import _frames, _logs, _values
from srfm_mcu._base import ATTRIBUTES, PARAMETERS, Srfm
from srfm_mcu._fitted import Scored

#: The fewest tested rows that give an interval of 90 %.
LEAST_TESTED = 9


class SrfmRegressor(Scored, RegressorMixin, Srfm):
    __doc__ = f"""Sparse random feature model of one or several quantities.

    Predictions are what the device computes, in ``float32``.

    Parameters
    ----------{PARAMETERS}
    Attributes
    ----------{ATTRIBUTES}
    half_width_ : float or ndarray of shape (n_outputs,)
        Half the width of the 90 % interval around a prediction. A model without intervals does not have the attribute.

    Examples
    --------
    >>> import numpy as np
    >>> from srfm_mcu import SrfmRegressor
    >>> X = np.linspace(-2, 2, 200).reshape(-1, 1)
    >>> model = SrfmRegressor(flash=256, effort=0.5).fit(X, np.sin(2 * X[:, 0]))
    >>> bool(model.score(X, np.sin(2 * X[:, 0])) > 0.999)
    True
    """

    def fit(self, X, y, groups=None, sample_weight=None, time=None):
        """Fits the model.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows of readings.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Quantities. With ``missing="drop"`` or ``"mean"``, rows with NaN are left out; with lags or a window, such
            rows are a history for later ones.
        groups : array-like of shape (n_samples,), default=None
            Group of each row, such as a device or a batch, whose rows stay in one fold. Lags and windows stay within a
            group.
        sample_weight : array-like of shape (n_samples,), default=None
            What each row counts in the fit and in its cross-validation. A row of weight 2 counts as two rows, and a row
            of weight 0 is left out. None counts all rows alike.
        time : array-like of shape (n_samples,), default=None
            Time of each row: numbers such as seconds, dates of NumPy or pandas, or text in ISO 8601. It orders the
            rows. Lags and windows begin anew after a gap of more than 1.5 times the median time between two rows.
            None takes rows as they follow each other, without gaps.

        Returns
        -------
        self : SrfmRegressor
        """
        names = [str(name) for name in getattr(y, "columns", [getattr(y, "name", None) or "y"])]
        _frames.check_targets(y)
        is_log = self._is_log(time) or self._lacks_targets(y)
        if is_log:
            X, y = self._valid(X, ensure_min_samples=2), self._quantities(y)
        else:
            X, y = self._checked(X, y, multi_output=True, y_numeric=True)
            y = np.asarray(y, dtype=np.float64)
        self._is_single, quantities = y.ndim == 1, y
        y = y.reshape(len(y), -1)
        outputs = names if len(names) == y.shape[1] else [f"y{i}" for i in range(y.shape[1])]
        weights = self._weights(sample_weight, X)
        if is_log:
            targets = np.ascontiguousarray(y), outputs
            return self._fit_log(X, targets, "quantities", groups, time, weights, quantities)
        return self._fit(X, y, outputs, [], groups, weights, quantities)

    def _quantities(self, y):
        """Returns targets as an array, which may have NaN where the settings say so."""
        finite = _values.finite(self.missing)
        return check_array(y, dtype=np.float64, ensure_2d=False, ensure_all_finite=finite, input_name="y")

    def _log_targets(self, y):
        """Returns targets of rows in the order of time as the library takes them."""
        y = self._quantities(y)
        return np.ascontiguousarray(y.reshape(len(y), -1)), self._names[1]

    def _targets(self, y):
        """Returns targets with a column for each output."""
        y = check_array(y, dtype=np.float64, ensure_2d=False)
        return y.reshape(len(y), -1)

    def predict(self, X, groups=None, time=None):
        """Predicts the quantities as the device computes them.

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
        y : ndarray of shape (n_samples,) or (n_samples, n_outputs)
            With lags, NaN for rows without a whole history; with a window, NaN for rows that complete none.
        """
        y = self._outputs(*self._inputs(X, groups, time)).astype(np.float64)
        return y[:, 0] if self._is_single else y

    def predict_interval(self, X, groups=None, time=None):
        """Predicts intervals that hold the quantity of a fresh row with a probability of 0.9.

        Their half-width is calibrated on the residuals of the cross-validation.

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
        intervals : ndarray of shape (n_samples, 2) or (n_samples, n_outputs, 2)
            Lower and upper ends; NaN where :meth:`predict` gives NaN.
        """
        y = self.predict(X, groups, time)
        try:
            half_width = self.half_width_
        except AttributeError as error:
            raise ValueError(str(error)) from None
        return np.stack([y - half_width, y + half_width], axis=-1)

    @property
    def half_width_(self):
        check_is_fitted(self, "model_")
        half_widths = np.array(self.model_.half_widths(), dtype=np.float64)
        if not len(half_widths):
            # No other error lets ``hasattr`` and the pages of notebooks pass over the attribute.
            raise AttributeError(f"the model has no intervals: {self._why_no_intervals()}")
        return float(half_widths[0]) if self._is_single else half_widths

    def _why_no_intervals(self):
        """Returns the cause that the report knows, and the remedy."""
        report = getattr(self, "report_", None)
        if report is None:
            return "its file has none"
        if report.get("raised"):
            cause = "the device could not hold the chosen settings, and those in their place were not cross-validated"
            return f'{cause}; set terms="ridge" or terms="intercept", and leave lambdas out'
        validation = report.get("validation")
        if validation is None and self.lambdas is not None:
            return "one λ leaves nothing to cross-validate; leave lambdas out"
        if validation is None:
            advice = 'take a method with settings to choose, such as "harfe", or fit more rows'
            return f"nothing was cross-validated; {advice}"
        if validation["rows"] < LEAST_TESTED:
            return "cross-validation tested too few rows; fit more rows"
        return f"those of {len(self._names[1])} outputs take too much of a model of {self.flash_bytes_} bytes"

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
